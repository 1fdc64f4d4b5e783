//! Reads a finished run, and checks which settings its tables can be reclustered with.
//!
//! Settings that the tables do not support are errors here, with a remedy.

use super::criterion::{Criterion, covers};
use super::job::ReclusterJob;
use crate::run_inputs::read_summary;
use crate::{LookalikeError, Settings};
use lookalike_core::{Measure, Threshold};
use lookalike_engine::{Linkage, Verify, WitnessRule};
use lookalike_methods::broder::Policy;
use lookalike_methods::{MethodSpec, methods};
use lookalike_report::{Action, Summary};
use std::path::Path;

/// A finished run.
#[derive(Debug)]
pub(super) struct Earlier {
    pub(super) summary: Summary,
    pub(super) settings: Settings,
    pub(super) inputs: Vec<String>,
    evidence: Sort,
}

/// The sets whose counts the pairs have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Sets,
    Samples,
}

/// The methods whose sketches are samples, and whose keys do not depend on their threshold.
const SAMPLING: [&str; 2] = ["dsc", "dsc-variable"];

/// A supported request and its criterion.
#[derive(Debug)]
pub(super) struct Question {
    /// The settings with which a run over the documents would give the same.
    pub(super) settings: Settings,
    pub(super) criterion: Criterion,
}

pub(super) fn refusal(run: &Path, reason: impl Into<String>) -> LookalikeError {
    LookalikeError::Recluster { run: run.display().to_string(), reason: reason.into() }
}

/// The error for an option that the run does not support.
pub(super) fn unanswerable(run: &Path, reason: impl Into<String>) -> LookalikeError {
    LookalikeError::Unanswerable { run: run.display().to_string(), reason: reason.into() }
}

impl Earlier {
    /// Reads the summary of a run.
    pub(super) fn open(run: &Path) -> Result<Self, LookalikeError> {
        let (summary, job) = read_summary(run)?;
        let refuse = |reason: &str| Err(refusal(run, reason));
        if summary.action != Action::List {
            return refuse(
                "a run of `dedup`, whose list of pairs is incomplete: it holds those that caused a removal and not \
                 all there are; run `cluster` on the same documents",
            );
        }
        if !job.against.is_empty() {
            return refuse(
                "compares two collections, and its tables do not say which document is of which; run \
                 it again",
            );
        }
        if !summary.pairs.complete {
            return refuse(
                "its list of pairs is incomplete: it was cut short by the setting max_pairs, so that neither \
                 the clusters at another threshold nor the witnesses of removed documents follow from it; \
                 run `cluster` again with a larger value of the setting max_pairs, or at a higher threshold",
            );
        }
        if job.settings.boilerplate.is_some() {
            return refuse(
                "boilerplate was removed from its sets, and how similar complete documents are does \
                 not follow from its tables; run `cluster` again at the other threshold",
            );
        }
        if !job.settings.ignore_text.is_empty() {
            return refuse(
                "the shingles of given texts were removed from its sets, and what complete documents have \
                 in common does not follow from its tables; run `cluster` again at the other threshold",
            );
        }
        let evidence = match &job.settings.method {
            None => Sort::Sets,
            Some(method) if method.verify == Verify::Exact => Sort::Sets,
            Some(method) if method.verify == Verify::None => {
                return refuse(
                    "its pairs have a key in common and no counts (the setting verify=none); run \
                     `cluster` again with the setting verify=exact",
                );
            }
            Some(method) => {
                let spec: MethodSpec = method.spec.parse()?;
                if !SAMPLING.contains(&spec.name.as_str()) {
                    return Err(refusal(
                        run,
                        format!(
                            "its pairs were decided by the sketches of {}, and which pairs meet there \
                             depends on the method's own parameters; run `cluster` with other \
                             ones. Of sketches, those of dsc and dsc-variable can be reclustered",
                            spec.name
                        ),
                    ));
                }
                Sort::Samples
            }
        };
        Ok(Self { summary, settings: job.settings, inputs: job.inputs, evidence })
    }

    /// The request of a job, if the run supports it.
    pub(super) fn question(&self, job: &ReclusterJob) -> Result<Question, LookalikeError> {
        let mut settings = self.settings.clone();
        let linkage = job.linkage.unwrap_or(settings.linkage());
        settings.linkage = Some(linkage);
        settings.witness = job.witness.unwrap_or(match linkage {
            Linkage::Leaders => settings.witness,
            Linkage::Components => WitnessRule::First,
        });
        if linkage == Linkage::Components && job.contained_only.is_none() {
            settings.contained_only = None;
        } else if let Some(least) = &job.contained_only {
            settings.contained_only = Some(least.clone());
        }
        if linkage == Linkage::Components {
            settings.max_lost = None;
        }
        settings.refuse(
            &["max_lost"],
            "clusters from tables, which do not have the words of documents",
        )?;
        if settings.contained_only.is_some() && self.evidence == Sort::Samples {
            settings.refuse(&Settings::SURVIVORS, "runs whose pairs were decided by sketches")?;
        }
        settings.matching()?;
        if let Some(keep) = &job.keep {
            settings.keep.clone_from(keep);
        }
        settings.keep_rules()?;
        let threshold: Threshold = job.threshold.parse()?;
        let criterion = match self.evidence {
            Sort::Sets => self.by_measure(job, threshold, &mut settings)?,
            Sort::Samples => self.by_policy(job, threshold, &mut settings)?,
        };
        Ok(Question { settings, criterion })
    }

    fn by_measure(
        &self,
        job: &ReclusterJob,
        threshold: Threshold,
        settings: &mut Settings,
    ) -> Result<Criterion, LookalikeError> {
        let (by, known) = (settings.measure, settings.matching()?.threshold);
        let measure = job.measure.unwrap_or(by);
        if !covers(by, known, measure, threshold) {
            let reason = self.uncovered(measure, &job.threshold, &by_name(by));
            return Err(unanswerable(&job.run, reason));
        }
        settings.measure = measure;
        settings.threshold.clone_from(&job.threshold);
        Ok(Criterion::Exact(measure, threshold))
    }

    /// Why pairs may be missing.
    fn uncovered(&self, measure: Measure, asked: &str, by: &str) -> String {
        let known = &self.settings.threshold;
        let again = format!(
            "or run `cluster` again with the setting measure={} and the setting threshold={asked}",
            measure.name()
        );
        match (self.settings.measure, measure) {
            (Measure::Resemblance, Measure::Cosine) => format!(
                "lists the pairs with {by} of {known} or more; a cosine of c is certain to be among them \
                 only where c² is {known} or more; use a higher value of the setting threshold, {again}"
            ),
            (Measure::Resemblance | Measure::Cosine, Measure::Containment) => format!(
                "lists the pairs by {by}, and a small document inside a large one need not be among them; \
                 ask for another value of the setting measure, {again}"
            ),
            _ => format!(
                "lists the pairs with {by} of {known} or more, and {asked} is below that; use \
                 the setting threshold={known} or more, {again}"
            ),
        }
    }

    /// For samples, the threshold and the policy are those of the method.
    fn by_policy(
        &self,
        job: &ReclusterJob,
        threshold: Threshold,
        settings: &mut Settings,
    ) -> Result<Criterion, LookalikeError> {
        let refuse = |reason: String| Err(unanswerable(&job.run, reason));
        let Some(method) = &mut settings.method else {
            return refuse("names no method".into());
        };
        let mut spec: MethodSpec = method.spec.parse()?;
        let (known, by) = (parameter(&spec, "t")?, parameter(&spec, "policy")?);
        let known_t: Threshold = known.parse()?;
        let of_run: Policy = by.parse().unwrap_or_default();
        let policy = match (job.measure, of_run) {
            (None, of_run) => of_run,
            // Every pair by resemblance is a pair by containment.
            (Some(Measure::Resemblance), _) => Policy::Resemblance,
            (Some(Measure::Containment), Policy::Containment) => Policy::Containment,
            (Some(measure), _) => {
                return refuse(format!(
                    "its pairs were decided by sketches with policy={by}, which does not hold all pairs by \
                     {}; policy=containment holds those by resemblance and by containment",
                    measure.name()
                ));
            }
        };
        if !covers(Measure::Resemblance, known_t, Measure::Resemblance, threshold) {
            return refuse(format!(
                "lists the pairs whose sketches reach the method's threshold, t={known}, and {} is below \
                 that; use the setting threshold={known} or more, or run `cluster` again with t={}",
                job.threshold, job.threshold
            ));
        }
        spec.set("t", &job.threshold);
        if job.measure.is_some() {
            spec.set("policy", policy.name());
        }
        method.spec = spec.to_string();
        Ok(Criterion::Sampled(policy, threshold))
    }
}

fn by_name(measure: Measure) -> String {
    match measure {
        Measure::Containment => "containment (of the smaller in the larger)".to_owned(),
        other => other.name().to_owned(),
    }
}

/// A parameter of a method as text, or its default.
fn parameter(spec: &MethodSpec, name: &str) -> Result<String, LookalikeError> {
    let about = methods().find(|about| about.name == spec.name);
    let names = about.map(|about| about.parameter_names()).unwrap_or_default();
    let parameters = about.map(|about| about.parameters).unwrap_or_default();
    let default = parameters.iter().find(|p| p.name == name).map_or("", |p| p.default);
    Ok(spec.params(&names)?.text(name).unwrap_or(default).to_owned())
}
