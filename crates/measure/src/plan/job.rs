//! The job of a plan.

use crate::evaluate::LabelSource;
use lookalike_run::Job;

/// Largest default size of the sample, in bytes of input.
pub const DEFAULT_SAMPLE: u64 = 64 << 20;

/// Smallest default size of the sample.
const LEAST_SAMPLE: u64 = 4 << 20;

/// Share of the inputs that the default sample is, between these sizes: one in this number.
const SAMPLE_SHARE: u64 = 96;

/// A run to be planned, and its required recall.
#[derive(Debug, Clone)]
pub struct PlanJob {
    /// The run. Nothing is written to its output.
    pub job: Job,
    /// Whether it is a run of `cluster`, which lists all pairs and writes no documents.
    pub cluster: bool,
    /// Size of the sample, in bytes of the input files; `None` for one in 96 of them, between 4 and 64 MiB.
    pub sample: Option<u64>,
    /// Read the sample only: no pass over all documents, which counts copies and estimates removal.
    pub quick: bool,
    /// Seed of the sample.
    pub seed: u64,
    /// Required recall, above 0 and at most 1.
    pub recall: f64,
    /// Labels of documents or pairs, by which rules are recommended.
    pub labels: Option<LabelSource>,
}

impl PlanJob {
    /// Plans `dedup` with a recall of 1.
    #[must_use]
    pub fn new(job: Job) -> Self {
        let (cluster, quick) = (false, false);
        Self { job, cluster, sample: None, quick, seed: 1, recall: 1.0, labels: None }
    }

    /// Size of the sample of inputs of this size.
    pub(super) fn sample_of(&self, bytes: u64) -> u64 {
        self.sample.unwrap_or((bytes / SAMPLE_SHARE).clamp(LEAST_SAMPLE, DEFAULT_SAMPLE))
    }
}
