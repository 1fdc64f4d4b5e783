//! The job of a plan.

use crate::evaluate::LabelSource;
use lookalike_run::Job;

/// Default size of the sample, in bytes of input.
pub const DEFAULT_SAMPLE: u64 = 64 << 20;

/// A run to be planned, and its required recall.
#[derive(Debug, Clone)]
pub struct PlanJob {
    /// The run. Nothing is written to its output.
    pub job: Job,
    /// Whether it is a run of `cluster`, which lists all pairs and writes no documents.
    pub cluster: bool,
    /// Size of the sample, in bytes of the input files.
    pub sample: u64,
    /// Seed of the sample.
    pub seed: u64,
    /// Required recall, above 0 and at most 1.
    pub recall: f64,
    /// Labels of documents or pairs, by which rules are recommended.
    pub labels: Option<LabelSource>,
}

impl PlanJob {
    /// Plans `dedup` with a sample of 64 MiB and a recall of 1.
    #[must_use]
    pub fn new(job: Job) -> Self {
        Self { job, cluster: false, sample: DEFAULT_SAMPLE, seed: 1, recall: 1.0, labels: None }
    }
}
