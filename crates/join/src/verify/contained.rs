//! Verifier of removals that lose nothing: the kept set contains the removed one.

use super::Verifier;
use crate::candidates::Candidate;
use crate::source::SetSource;
use crate::{Edge, SetId};
use lookalike_core::{Measure, Overlap, Threshold};

/// Accepts the matches of another verifier whose earlier set contains the later one to a degree.
/// The other verifier must count shared elements.
pub(crate) struct ContainedVerifier<'a, V, S> {
    pub(crate) verifier: &'a V,
    pub(crate) sets: &'a S,
    pub(crate) least: Threshold,
}

impl<V: Verifier, S: SetSource> Verifier for ContainedVerifier<'_, V, S> {
    type Summary = V::Summary;

    fn summary(&self, set: SetId) -> Self::Summary {
        self.verifier.summary(set)
    }

    fn verify(
        &self,
        set: SetId,
        candidate: Candidate,
        summaries: (Self::Summary, Self::Summary),
        best: Option<Edge>,
    ) -> Option<Edge> {
        let edge = self.verifier.verify(set, candidate, summaries, best)?;
        is_contained(self.least, edge.shared, self.sets.size(set)).then_some(edge)
    }

    fn shared(&self, a: SetId, b: SetId) -> u32 {
        self.verifier.shared(a, b)
    }
}

/// Whether a set of `size` elements that shares `shared` of them with another one is contained in
/// it to a degree of at least `least`. Exact, in integers.
///
/// ```
/// use lookalike_join::is_contained;
///
/// assert!(is_contained("0.95".parse()?, 19, 20));
/// assert!(!is_contained("0.95".parse()?, 18, 19));
/// # Ok::<(), lookalike_core::ThresholdError>(())
/// ```
#[must_use]
pub fn is_contained(least: Threshold, shared: u32, size: u32) -> bool {
    // Containment has a direction: the other size does not count.
    Measure::Containment.reaches(least, Overlap { shared, a: size, b: size })
}
