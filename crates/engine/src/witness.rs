//! The witness rule: which kept match is named as the reason why a document was removed.
//!
//! Leader clustering (Hartigan 1975, chapter 3) decides who stays; where several kept units match a
//! removed one, this rule chooses among them. Both rules are functions of the units and the
//! settings alone: no prefix, sample, length of a posting list or limit of a run has a say. Every
//! place that names a witness uses [`WitnessSearch`], so that no two of them can differ.

use std::ops::ControlFlow;

/// Which of the kept units that match a removed one is its witness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WitnessRule {
    /// The first in order of precedence. The search stops there.
    #[default]
    First,
    /// The one with the highest measure; of equals the first in order of precedence. Every kept unit
    /// that could match is compared.
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

/// The search for the witness of one unit. Kept units are offered in order of precedence, each once.
///
/// ```
/// use lookalike_engine::{WitnessRule, WitnessSearch};
///
/// // Kept units in order of precedence, with the percentage that each resembles the removed one.
/// let kept = [(0, 40), (3, 85), (4, 97), (9, 97)];
/// let witness = |rule| {
///     let mut search = WitnessSearch::new(rule);
///     let _ = kept.iter().try_for_each(|&(unit, percentage)| {
///         search.offer(|so_far: Option<(u32, u32)>| {
///             (percentage >= so_far.map_or(80, |(_, best)| best + 1)).then_some((unit, percentage))
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
    /// A search that has seen no unit.
    #[must_use]
    pub fn new(rule: WitnessRule) -> Self {
        Self { rule, witness: None }
    }

    /// Whether no further unit can become the witness.
    #[inline]
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.rule == WitnessRule::First && self.witness.is_some()
    }

    /// Offers the next kept unit. `verify` is given the best match so far, and returns the match with
    /// this unit if it is one, and a strictly better one than that. Breaks when the search is over;
    /// with [`WitnessRule::First`], `verify` is therefore never given a match.
    #[inline]
    pub fn offer(&mut self, verify: impl FnOnce(Option<M>) -> Option<M>) -> ControlFlow<()> {
        if !self.is_over() {
            self.witness = verify(self.witness).or(self.witness);
        }
        if self.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// The witness, if any unit matched.
    #[must_use]
    pub fn witness(self) -> Option<M> {
        self.witness
    }
}
