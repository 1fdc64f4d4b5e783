//! Extrapolates the cost of a method from the sample to the whole.
//!
//! Seconds are those measured on the sample, multiplied by the growth of each phase ([`Growth`]).
//! Memory is the sum of the memory model ([`lookalike_engine::memory_model`]), of the program
//! itself and of the allocator's overhead.

use super::trial::Trial;
use lookalike_engine::{MatchSettings, MemoryLimits};
use lookalike_join::prefix::bound;
use lookalike_report::{PlanCost, PlanPhase, PlanSpark};
use lookalike_run::memory::Memory;

/// Factor for the allocator's overhead: sizes are rounded up, arrays grow by doubling, and freed
/// memory is not all reused.
const ALLOCATED: f64 = 1.15;

/// Bytes of the program that a run uses and a plan has not used when it begins: memory of a run
/// over a few documents less that of an idle process.
const TOUCHED: u64 = 12_000_000;

/// What the run takes on Spark, by the measured runs of `docs/design/spark.md`: per document of 200 words, 1,132 bytes
/// are shuffled up to a million documents and 5,310 beyond, stages have 3,300 bytes, a core takes 0.2 ms, and 77 s
/// are the same for any number.
pub(super) fn spark(documents: u64, features: u64) -> PlanSpark {
    let bytes_of_feature = if documents <= 1_000_000 { 6 } else { 27 };
    PlanSpark {
        core_seconds: 77 + features / 1_000_000,
        shuffled_bytes: features.saturating_mul(bytes_of_feature),
        stage_bytes: features.saturating_mul(17),
    }
}

/// Ratios of the whole collection to the sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Growth {
    /// Bytes of input files: `reading` and `writing`.
    pub(super) bytes: f64,
    /// Documents and their features: `collapsing` and `indexing`.
    pub(super) documents: f64,
    /// Documents with a partner, or pairs if all are listed: `comparing`.
    pub(super) met: f64,
}

/// Inputs of the cost prediction.
pub(super) struct Forecast<'a> {
    pub(super) settings: &'a MatchSettings,
    pub(super) growth: Growth,
    pub(super) memory: Memory,
    pub(super) threads: usize,
    /// Whether the run writes checkpoints.
    pub(super) keeps: bool,
    /// Bytes of text in the collection.
    pub(super) texts: u64,
    /// Bytes of memory of the program before it reads the inputs.
    pub(super) base: u64,
    /// Seconds to write the sample, if documents are written.
    pub(super) writing: Option<f64>,
}

impl Forecast<'_> {
    /// The predicted cost of a method that was run on the sample.
    pub(super) fn cost(&self, method: &str, trial: &Trial) -> PlanCost {
        let Self { growth, .. } = *self;
        let factor = |name: &str| match name {
            "reading" | "writing" => growth.bytes,
            "comparing" => growth.met,
            _ => growth.documents,
        };
        let measured = trial.phases.iter().copied();
        let phases: Vec<PlanPhase> = measured
            .chain(self.writing.map(|seconds| ("writing", seconds)))
            .map(|(name, in_sample)| PlanPhase {
                name: name.to_owned(),
                in_sample,
                seconds: in_sample * factor(name),
            })
            .collect();
        let limits = MemoryLimits {
            sets: self.memory.sets(),
            keeps: self.keeps,
            sequences: self.memory.sequences(),
            counting: self.memory.counting(),
            threads: self.threads,
            texts: self.texts,
        };
        let needs = trial.memory_model.times(growth.documents).needs(&limits, self.counted());
        PlanCost {
            method: method.to_owned(),
            seconds: phases.iter().map(|phase| phase.seconds).sum(),
            phases,
            peak_memory_bytes: self.base + TOUCHED + (needs.peak() as f64 * ALLOCATED) as u64,
            scratch_bytes: needs.scratch,
        }
    }

    /// Share of the elements that are counted to find singletons.
    fn counted(&self) -> f64 {
        bound(self.settings.criterion()) as f64 / u64::MAX as f64
    }
}
