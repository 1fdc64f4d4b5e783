//! Exact verifier: intersects whole sets.

use super::Verifier;
use super::summaries::{SetSummary, Summaries};
use crate::candidates::Candidate;
use crate::source::{SetSource, SortedSets, SourceError};
use crate::{Criterion, Edge, InvertedIndex, JoinError, Progress, SetId, Statistics};
use lookalike_core::{Overlap, SparseIndex};
use std::sync::OnceLock;

/// Intersects whole sets. Before that, four filters reject candidates, none of them a match: the
/// length filter, the positional filter of the first common key, the bitmap filter
/// ([`lookalike_core::BitmapSignature`]), and for large sets the bucket counts ([`lookalike_core::bucket_counts`]).
pub struct ExactVerifier<'a, S: SetSource> {
    sets: &'a S,
    criterion: Criterion,
    summaries: Summaries,
    sorted: S::Sorted<'a>,
    statistics: &'a Statistics,
    /// The first error of a read. [`Verifier::verify`] has no error: the search is stopped, and
    /// [`ExactVerifier::finish`] returns it.
    failed: OnceLock<SourceError>,
}

impl<'a, S: SetSource> ExactVerifier<'a, S> {
    /// A verifier of the sets that have keys, which are the only ones that are ever compared: sorts
    /// them, with at most `limit` bytes of copies of sets on disk and of bucket counts.
    ///
    /// # Errors
    /// Sets that cannot be read, or a cancellation.
    pub fn new(
        sets: &'a S,
        criterion: Criterion,
        index: &InvertedIndex,
        limit: u64,
        statistics: &'a Statistics,
        progress: &dyn Progress,
    ) -> Result<Self, JoinError> {
        let compared = SparseIndex::new(sets.len(), |set| index.has_keys(SetId(set)));
        let (summaries, sorted) = Summaries::new(sets, compared, criterion, limit, progress)?;
        Ok(Self { sets, criterion, summaries, sorted, statistics, failed: OnceLock::new() })
    }

    /// Whether a set could not be read: then the search should be stopped.
    pub fn has_failed(&self) -> bool {
        self.failed.get().is_some()
    }

    /// Ends the verification.
    ///
    /// # Errors
    /// The first error of a read.
    pub fn finish(self) -> Result<(), SourceError> {
        self.failed.into_inner().map_or(Ok(()), Err)
    }

    /// Number of shared elements if it is at least `needed`.
    fn overlap_at_least(&self, a: SetId, b: SetId, needed: u32) -> Option<u32> {
        self.sorted.overlap_at_least(a, b, needed).unwrap_or_else(|error| {
            self.failed.get_or_init(|| error);
            None
        })
    }
}

/// Sizes of two sets, and the most that they share by the positional filter and by parity.
///
/// What they share lies at and after their first common key. That bound contains the length filter,
/// as no overlap exceeds the smaller size.
#[inline]
fn most(candidate: Candidate, a: &SetSummary, b: &SetSummary) -> Overlap {
    let by_position = (a.size - candidate.own).min(b.size - candidate.other);
    let by_parity = a.parity.most_shared(b.parity, a.size, b.size);
    Overlap { shared: by_position.min(by_parity), a: a.size, b: b.size }
}

impl<S: SetSource> Verifier for ExactVerifier<'_, S> {
    type Summary = SetSummary;

    #[inline]
    fn summary(&self, set: SetId) -> SetSummary {
        self.summaries.get(set)
    }

    #[inline]
    fn verify(
        &self,
        set: SetId,
        candidate: Candidate,
        (a, b): (Self::Summary, Self::Summary),
        best: Option<Edge>,
    ) -> Option<Edge> {
        let most = most(candidate, &a, &b);
        if !self.criterion.reaches(most) {
            return None;
        }
        let Criterion { measure, threshold } = self.criterion;
        let needed = match best {
            None => measure.needed_overlap(threshold, most.a, most.b),
            Some(best) => {
                let counts =
                    Overlap { shared: best.shared, a: most.a, b: self.sets.size(best.earlier) };
                measure.needed_to_match(counts, most.b, true)
            }
        };
        if most.shared < needed {
            return None;
        }
        self.statistics.add_verified();
        let sizes = u64::from(most.a) + u64::from(most.b);
        // At most both sizes: no set shares more elements than it has.
        let may_differ = sizes.saturating_sub(2 * u64::from(needed));
        if !self.summaries.may_differ_by(a.counts, b.counts, may_differ) {
            return None;
        }
        self.statistics.add_intersected();
        let shared = self.overlap_at_least(set, candidate.set, needed)?;
        Some(Edge { later: set, earlier: candidate.set, shared })
    }

    fn shared(&self, a: SetId, b: SetId) -> u32 {
        self.overlap_at_least(a, b, 0).unwrap_or(0)
    }
}
