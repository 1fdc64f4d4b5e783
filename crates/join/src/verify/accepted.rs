//! Verifier of a criterion and a further condition on each match.

use super::Verifier;
use crate::candidates::Candidate;
use crate::source::SourceError;
use crate::{Edge, SetId};
use std::sync::OnceLock;

/// Accepts those matches of another verifier that a condition accepts as well.
pub(crate) struct AcceptedVerifier<'a, V, F> {
    verifier: &'a V,
    accepts: &'a F,
    /// The first error of the condition: [`Verifier::verify`] has no error.
    failed: OnceLock<SourceError>,
}

impl<'a, V: Verifier, F: Fn(Edge) -> Result<bool, SourceError> + Sync> AcceptedVerifier<'a, V, F> {
    /// The condition has to be a function of the edge.
    pub(crate) fn new(verifier: &'a V, accepts: &'a F) -> Self {
        Self { verifier, accepts, failed: OnceLock::new() }
    }

    /// Whether the condition could not be decided: then the search should be stopped.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed.get().is_some()
    }

    /// Ends the verification.
    ///
    /// # Errors
    /// The first error of the condition.
    pub(crate) fn finish(self) -> Result<(), SourceError> {
        self.failed.into_inner().map_or(Ok(()), Err)
    }
}

impl<V: Verifier, F: Fn(Edge) -> Result<bool, SourceError> + Sync> Verifier
    for AcceptedVerifier<'_, V, F>
{
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
        let accepted = (self.accepts)(edge).unwrap_or_else(|error| {
            self.failed.get_or_init(|| error);
            false
        });
        accepted.then_some(edge)
    }

    fn shared(&self, a: SetId, b: SetId) -> u32 {
        self.verifier.shared(a, b)
    }
}
