//! What a plan is asked for.

use crate::Job;

/// Bytes of input that a plan looks at where nothing else is said.
pub const DEFAULT_SAMPLE: u64 = 64 << 20;

/// A run to be planned, and what is wanted of it.
#[derive(Debug, Clone)]
pub struct PlanJob {
    /// The run. Nothing is written to its output.
    pub job: Job,
    /// Whether it is a run of `cluster`, which lists all pairs and writes no documents.
    pub cluster: bool,
    /// Bytes of the input files to look at.
    pub sample: u64,
    /// The number that the sample is drawn by.
    pub seed: u64,
    /// Share of the pairs that the run has to find, above 0 and at most 1.
    pub recall: f64,
}

impl PlanJob {
    /// Plans `dedup` with 64 MiB of the inputs, where no pair may be missed.
    #[must_use]
    pub fn new(job: Job) -> Self {
        Self { job, cluster: false, sample: DEFAULT_SAMPLE, seed: 1, recall: 1.0 }
    }
}
