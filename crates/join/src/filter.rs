//! Candidate filters that look at sizes and positions only.

use crate::Criterion;
use lookalike_core::Overlap;

/// What rules out a pair under a common key, before anything of the sets is looked up but their sizes. Never
/// rules out a match under the first key that both sets have.
pub trait CandidateFilter: Copy + Sync {
    /// Whether two sets can match, each given as (size, position of the common key).
    fn could_match(self, a: (u32, u32), b: (u32, u32)) -> bool;

    /// Whether a set, given as (size, position of a key), can match any set of `least` or more elements
    /// under this key.
    fn could_match_any(self, own: (u32, u32), least: u32) -> bool;
}

/// The length filter and the positional filter (Xiao et al. 2008, PPJoin).
impl CandidateFilter for Criterion {
    #[inline]
    fn could_match(self, a: (u32, u32), b: (u32, u32)) -> bool {
        Self::could_match(self, a, b)
    }

    #[inline]
    fn could_match_any(self, (size, position): (u32, u32), least: u32) -> bool {
        // At most `rest` elements are shared; of the sets that have so many, the smallest matches best.
        let rest = size - position;
        self.reaches(Overlap { shared: rest, a: size, b: least.max(rest) })
    }
}

/// No filter, for keys that do not bound what two sets share.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unfiltered;

impl CandidateFilter for Unfiltered {
    #[inline]
    fn could_match(self, _a: (u32, u32), _b: (u32, u32)) -> bool {
        true
    }

    #[inline]
    fn could_match_any(self, _own: (u32, u32), _least: u32) -> bool {
        true
    }
}
