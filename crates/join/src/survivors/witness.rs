//! Witness rule: which kept match proves the removal of a set.
//!
//! Leader clustering (Hartigan 1975, chapter 3) decides which sets are kept. Where several kept
//! sets match a removed one, this rule chooses among them. Both rules are functions of the sets,
//! their precedence and the criterion: the order of elements, samples, lengths of posting lists and
//! limits of a run do not matter. Everything that names a witness uses [`WitnessSearch`].

use std::ops::ControlFlow;

/// Which of the kept sets that match a removed one is its witness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WitnessRule {
    /// The first in order of precedence. The search stops there.
    #[default]
    First,
    /// The one with the highest measure; of equal ones the first in order of precedence. Every kept
    /// set that could match is compared.
    Best,
}

impl WitnessRule {
    /// The name that settings use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Best => "best",
        }
    }
}

/// The search for the witness of one set. Kept sets are offered in order of precedence.
///
/// ```
/// use lookalike_join::{WitnessRule, WitnessSearch};
///
/// // Kept sets in order of precedence, with the percentage that each resembles the removed one.
/// let kept = [(0, 40), (3, 85), (4, 97), (9, 97)];
/// let witness = |rule| {
///     let mut search = WitnessSearch::new(rule);
///     let _ = kept.iter().try_for_each(|&(set, percentage)| {
///         search.offer(|so_far: Option<(u32, u32)>| {
///             (percentage >= so_far.map_or(80, |(_, best)| best + 1)).then_some((set, percentage))
///         })
///     });
///     search.witness()
/// };
/// assert_eq!(witness(WitnessRule::First), Some((3, 85)));
/// assert_eq!(witness(WitnessRule::Best), Some((4, 97)));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct WitnessSearch<M> {
    rule: WitnessRule,
    witness: Option<M>,
}

impl<M: Copy> WitnessSearch<M> {
    /// A search that was offered no set.
    #[must_use]
    pub fn new(rule: WitnessRule) -> Self {
        Self { rule, witness: None }
    }

    /// Whether no further set can become the witness.
    #[inline]
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.rule == WitnessRule::First && self.witness.is_some()
    }

    /// Offers the next kept set. `verify` is given the best match so far, and returns the match
    /// with this set if it is one, and a strictly better one than that. Breaks when the search is
    /// over; with [`WitnessRule::First`], `verify` is therefore never given a match.
    #[inline]
    pub fn offer(&mut self, verify: impl FnOnce(Option<M>) -> Option<M>) -> ControlFlow<()> {
        if !self.is_over() {
            self.witness = verify(self.witness).or(self.witness);
        }
        if self.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// The match with the witness, if any set matched.
    #[must_use]
    pub fn witness(self) -> Option<M> {
        self.witness
    }
}
