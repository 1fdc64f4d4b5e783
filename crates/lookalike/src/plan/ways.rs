//! The methods that are tried for a job besides the exact join.

use super::PlanJob;
use crate::LookalikeError;
use crate::approach::{by_method, given, name_of, needs_statistics};
use crate::evaluate::theory::Theory;
use lookalike_core::{FeatureKind, Measure};
use lookalike_engine::{Approach, MatchSettings, Verify};
use lookalike_methods::{MethodSpec, build};

/// Recall of the bands if a recall of 1 is required, which no bands have.
const BANDS_RECALL: f64 = 0.95;

/// A method and the verifier of its candidates.
pub(super) struct Way {
    /// Its name in plans.
    pub(super) name: String,
    pub(super) approach: Approach,
    /// Theoretical probability of a common key, if known.
    pub(super) theory: Option<Theory>,
}

/// The job's own method; bands for its threshold and the required recall, verified on complete sets
/// and by sketches; and a simhash by term frequency.
pub(super) fn ways(job: &PlanJob, settings: &MatchSettings) -> Result<Vec<Way>, LookalikeError> {
    if !(job.recall > 0.0 && job.recall <= 1.0) {
        let recall = job.recall;
        return Err(LookalikeError::Settings(format!(
            "invalid recall {recall}; use a number above 0 and at most 1"
        )));
    }
    let mut ways: Vec<Way> = Vec::new();
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
            name: name_of(&spec, method.verify),
            approach: by_method(method, &spec, statistics)?,
            theory: Theory::of(&spec, settings),
        });
    }
    let mut wanted: Vec<(MethodSpec, Verify)> = Vec::new();
    if let (Measure::Resemblance, FeatureKind::Shingles { size, .. }) =
        (settings.measure, settings.features)
    {
        let recall = if job.recall < 1.0 { job.recall } else { BANDS_RECALL };
        let threshold = &job.job.settings.threshold;
        let bands: MethodSpec =
            format!("minhash-lsh:recall={recall},t={threshold},w={size}").parse()?;
        // At low thresholds no bands have the recall.
        if build(&bands, None).is_ok() {
            wanted.push((bands.clone(), Verify::Exact));
            wanted.push((bands, Verify::Sketch));
        }
    }
    wanted.push(("simhash:weights=tf".parse()?, Verify::Exact));
    // These need no document frequencies.
    for (spec, verify) in wanted {
        let name = name_of(&spec, verify);
        if ways.iter().any(|way| way.name == name) {
            continue;
        }
        let method = Some(build(&spec, None)?.into());
        let theory = Theory::of(&spec, settings);
        ways.push(Way {
            name,
            approach: Approach { method, verify, key_limit: None, common: None },
            theory,
        });
    }
    Ok(ways)
}
