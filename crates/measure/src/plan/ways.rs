//! The methods that are tried for a job besides the exact join.

use super::PlanJob;
use crate::evaluate::theory::Theory;
use lookalike_core::{FeatureKind, Measure, ShortDocuments};
use lookalike_engine::{Approach, MatchSettings, Verify};
use lookalike_methods::{MethodSpec, build};
use lookalike_run::LookalikeError;
use lookalike_run::approach::{by_method, given, name_of, needs_statistics};

/// Recall of the bands if a recall of 1 is required, which no bands have.
const BANDS_RECALL: f64 = 0.95;

/// Share of the distance from the threshold to 1 by which bands without a verifier stay above it:
/// sketches estimate, and pairs just below the threshold are far more than those just above.
const ABOVE: f64 = 0.25;

/// A method and the verifier of its candidates.
pub(super) struct Way {
    /// Its name in plans.
    pub(super) name: String,
    /// Whether the job names it.
    pub(super) own: bool,
    pub(super) approach: Approach,
    /// Theoretical probability of a common key, if known.
    pub(super) theory: Option<Theory>,
}

/// The job's own method, and the methods of the table of best settings ([`best`]).
pub(super) fn ways(job: &PlanJob, settings: &MatchSettings) -> Result<Vec<Way>, LookalikeError> {
    if !(job.recall > 0.0 && job.recall <= 1.0) {
        let recall = job.recall;
        return Err(LookalikeError::Settings(format!(
            "invalid recall {recall}; use a number above 0 and at most 1"
        )));
    }
    let mut ways: Vec<Way> = Vec::new();
    // A run refuses methods beside it.
    if !job.job.settings.ignore_text.is_empty() {
        return Ok(ways);
    }
    if let Some(method) = &job.job.settings.method {
        let spec: MethodSpec = method.spec.parse()?;
        let statistics = given(&job.job.settings.analysis, method, &spec)?;
        if statistics.is_none() && needs_statistics(&spec) {
            return Err(LookalikeError::Settings(format!(
                "{} needs the document frequencies of the whole, and a plan reads a sample; give them with \
                 the setting lexicon (made by `lexicon build`)",
                spec.name
            )));
        }
        ways.push(Way {
            own: true,
            name: name_of(&spec, method.verify),
            approach: by_method(method, &spec, statistics)?,
            theory: Theory::of(&spec, settings),
        });
    }
    let wanted = best(job, settings)?;
    // These need no document frequencies.
    for (spec, verify) in wanted {
        let name = name_of(&spec, verify);
        if ways.iter().any(|way| way.name == name) {
            continue;
        }
        let method = Some(build(&spec, None)?.into());
        let theory = Theory::of(&spec, settings);
        ways.push(Way {
            own: false,
            name,
            approach: Approach { method, verify, key_limit: None, common: None },
            theory,
        });
    }
    Ok(ways)
}

/// The methods that are best by something at settings measured on collections of mail, news, web
/// pages and licences (`docs/design/experiments.md`, "All methods at their best settings"), at the
/// job's threshold and shingles. They were the same on all four kinds (but for news, whose short stories
/// need 64 minima only):
///
/// * bands of 256 minima, verified on complete sets: the cheapest with a recall of 0.95, or nearly;
/// * the same by sketches, at a higher threshold, for which no sets are kept: nearly that recall in
///   the least time;
/// * the 200 smallest shingles, by sketches: the most precise without sets that has that recall.
///
/// For measures other than the resemblance of shingles, which these cannot estimate, a simhash by
/// term frequency.
fn best(
    job: &PlanJob,
    settings: &MatchSettings,
) -> Result<Vec<(MethodSpec, Verify)>, LookalikeError> {
    let (Measure::Resemblance, FeatureKind::Shingles { size, short }) =
        (settings.measure, settings.features)
    else {
        return Ok(vec![("simhash:weights=tf".parse()?, Verify::Exact)]);
    };
    let short = match short {
        ShortDocuments::Whole => "whole",
        ShortDocuments::Ignore => "ignore",
    };
    let recall = if job.recall < 1.0 { job.recall } else { BANDS_RECALL };
    let threshold = &job.job.settings.threshold;
    let ratio = settings.threshold.numerator() as f64 / settings.threshold.denominator() as f64;
    let above = ((ratio + ABOVE * (1.0 - ratio)) * 1e4).round() / 1e4;
    let bands = |threshold: &str| -> Result<MethodSpec, LookalikeError> {
        let spec =
            format!("minhash-lsh:k=256,recall={recall},short={short},t={threshold},w={size}");
        Ok(spec.parse()?)
    };
    let minimum = format!("dsc-minimum:s=200,short={short},t={threshold},w={size}");
    let all = [
        (bands(threshold)?, Verify::Exact),
        (bands(&above.to_string())?, Verify::Sketch),
        (minimum.parse()?, Verify::Sketch),
    ];
    // At low thresholds no bands have the recall.
    Ok(all.into_iter().filter(|(spec, _)| build(spec, None).is_ok()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike_run::Job;

    fn names(recall: f64, change: impl FnOnce(&mut Job)) -> Vec<String> {
        let mut job = Job::new(Vec::new(), "");
        change(&mut job);
        let job = PlanJob { recall, ..PlanJob::new(job) };
        let settings = job.job.settings.matching().unwrap();
        ways(&job, &settings).unwrap().into_iter().map(|way| way.name).collect()
    }

    #[test]
    fn the_settings_of_the_table_at_the_job_s_threshold() {
        assert_eq!(
            names(0.95, |_| ()),
            [
                "minhash-lsh:k=256,recall=0.95,short=whole,t=0.8,w=5@exact",
                "minhash-lsh:k=256,recall=0.95,short=whole,t=0.85,w=5@sketch",
                "dsc-minimum:s=200,short=whole,t=0.8,w=5@sketch",
            ]
        );
        let others = names(1.0, |job| job.settings.threshold = "0.6".into());
        assert!(others[1].contains("recall=0.95,short=whole,t=0.7,"), "{others:?}");
        let low = names(0.99, |job| job.settings.threshold = "0.01".into());
        assert!(
            low[0].starts_with("minhash-lsh:k=256,recall=0.99,short=whole,t=0.2575,"),
            "{low:?}"
        );
        let cosine = names(0.95, |job| {
            job.settings.measure = Measure::Cosine;
            job.settings.shingle = lookalike_run::Shingle::Terms;
        });
        assert_eq!(cosine, ["simhash:weights=tf@exact"]);
    }
}
