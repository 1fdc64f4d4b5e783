//! Extrapolates the cost of a method from the sample to the whole.
//!
//! Seconds are those measured on the sample, made longer by what each phase grows with ([`Growth`]). Memory
//! is added up from what a run holds ([`lookalike_engine::memory_model`]), with the program's own and the
//! allocator's share.

use super::trial::Trial;
use crate::memory::Memory;
use lookalike_engine::{MatchSettings, MemoryLimits};
use lookalike_join::prefix::bound;
use lookalike_report::{PlanCost, PlanPhase};

/// What the allocator takes for each byte that is held: sizes are rounded up, arrays grow by doubling, and
/// what was given back is not all given on.
const ALLOCATED: f64 = 1.15;

/// Bytes of the program that a run touches and a plan has not yet when it begins: what a run over a handful of
/// documents takes beyond an idle process.
const TOUCHED: u64 = 12_000_000;

/// How much larger the whole is than the sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Growth {
    /// Bytes of input files: `reading` and `writing`.
    pub(super) bytes: f64,
    /// Documents and what they hold: `collapsing` and `indexing`.
    pub(super) documents: f64,
    /// Documents that meet a partner, or pairs where all are listed: `comparing`.
    pub(super) met: f64,
}

/// What the whole will take.
pub(super) struct Forecast<'a> {
    pub(super) settings: &'a MatchSettings,
    pub(super) growth: Growth,
    pub(super) memory: Memory,
    pub(super) threads: usize,
    /// Whether the run keeps what is done.
    pub(super) keeps: bool,
    /// Bytes of text in all.
    pub(super) texts: u64,
    /// Bytes that the program takes before it reads anything.
    pub(super) base: u64,
    /// Seconds to write the sample, where documents are written.
    pub(super) writing: Option<f64>,
}

impl Forecast<'_> {
    /// The cost of what was tried on the sample.
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

    /// Share of the elements that are counted to find those in one unit only.
    fn counted(&self) -> f64 {
        bound(self.settings.criterion()) as f64 / u64::MAX as f64
    }
}
