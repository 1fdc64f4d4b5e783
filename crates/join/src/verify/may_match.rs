//! Verifier of the pairs that a source allows.

use super::Verifier;
use crate::candidates::Candidate;
use crate::source::SetSource;
use crate::{Edge, SetId};

/// Drops the candidates that may not match ([`SetSource::may_match`]), and leaves the others to another
/// verifier.
pub(crate) struct MayMatchVerifier<'a, S, V> {
    pub(crate) sets: &'a S,
    pub(crate) verifier: &'a V,
}

impl<S: SetSource, V: Verifier> Verifier for MayMatchVerifier<'_, S, V> {
    type Summary = V::Summary;

    #[inline]
    fn summary(&self, set: SetId) -> Self::Summary {
        self.verifier.summary(set)
    }

    #[inline]
    fn verify(
        &self,
        set: SetId,
        candidate: Candidate,
        summaries: (Self::Summary, Self::Summary),
        best: Option<Edge>,
    ) -> Option<Edge> {
        match self.sets.may_match(set, candidate.set) {
            true => self.verifier.verify(set, candidate, summaries, best),
            false => None,
        }
    }

    fn shared(&self, a: SetId, b: SetId) -> u32 {
        self.verifier.shared(a, b)
    }
}
