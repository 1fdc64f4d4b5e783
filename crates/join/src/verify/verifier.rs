//! The interface of verifiers.

use crate::candidates::Candidate;
use crate::{Edge, SetId};

/// Decides about candidates. A function of the two sets alone.
pub trait Verifier: Sync {
    /// Data of a set for the first filters, stored contiguously where sets are visited in sequence.
    type Summary: Copy + Send + Sync;

    /// The summary of a set.
    fn summary(&self, set: SetId) -> Self::Summary;

    /// The edge between a set and a candidate that precedes it, if they match, and match better
    /// than `best`, the edge to a set that precedes the candidate. `summaries` are those of the set
    /// and of the candidate.
    fn verify(
        &self,
        set: SetId,
        candidate: Candidate,
        summaries: (Self::Summary, Self::Summary),
        best: Option<Edge>,
    ) -> Option<Edge>;

    /// Number of elements that two sets share, whether they match or not; 0 where sets are not
    /// compared.
    fn shared(&self, a: SetId, b: SetId) -> u32 {
        let _ = (a, b);
        0
    }
}
