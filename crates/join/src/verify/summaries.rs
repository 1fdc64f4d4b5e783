//! What the filters of the exact verifier know of the sets that are compared.

use super::set_counts::{ChunkCounts, CountsAt, SetCounts};
use crate::error::CancelledVisit;
use crate::source::{SetSource, SourceError};
use crate::{Criterion, JoinError, Progress, SetId};
use lookalike_core::{BitmapSignature, Halves, SparseIndex};

/// Parities and bucket counts of the compared sets.
#[derive(Debug)]
pub(super) struct Summaries {
    compared: SparseIndex,
    parities: Vec<BitmapSignature>,
    counts: SetCounts,
}

/// Sets of a chunk between two polls for cancellation.
const POLLED: usize = 1024;

/// What is collected of the sets of a chunk.
struct ChunkSummaries<'a> {
    counts: ChunkCounts<'a>,
    parities: Vec<(u32, BitmapSignature)>,
}

impl Summaries {
    /// Summarises the compared sets while they are sorted.
    pub(super) fn new<'s, S: SetSource>(
        sets: &'s S,
        compared: SparseIndex,
        criterion: Criterion,
        limit: u64,
        progress: &dyn Progress,
    ) -> Result<(Self, S::Sorted<'s>), JoinError> {
        let chunks = sets.chunks();
        let mut counts = SetCounts::new(sets, &compared, criterion, limit);
        let left = limit.saturating_sub(counts.bytes());
        let mut parities = vec![BitmapSignature::default(); compared.len() as usize];
        let (at, parts) = counts.by_chunk(chunks);
        let chunk = |counts| ChunkSummaries { counts, parities: Vec::new() };
        let visit = |chunk: &mut ChunkSummaries<'_>, set: SetId, elements: Halves<'_>| {
            if chunk.parities.len().is_multiple_of(POLLED) && progress.cancelled() {
                return Err(SourceError::from(CancelledVisit));
            }
            let Some(place) = compared.place(set.0) else { return Ok(()) };
            if let Some(&at) = at.get(place as usize) {
                chunk.counts.add(at, elements.low);
                chunk.counts.add(at, elements.high);
            }
            let parity = BitmapSignature::of(elements.low).with(BitmapSignature::of(elements.high));
            chunk.parities.push((place, parity));
            Ok(())
        };
        let done = |chunk: ChunkSummaries<'_>| {
            for (place, parity) in chunk.parities {
                parities[place as usize] = parity;
            }
        };
        let states = parts.into_iter().map(chunk).collect();
        let sorted = sets.sorted(&compared, left, states, visit, done)?;
        Ok((Self { compared, parities, counts }, sorted))
    }

    /// The parity of a set, and where its counts are; those of the empty set if it is not compared.
    #[inline]
    pub(super) fn get(&self, set: SetId) -> (BitmapSignature, CountsAt) {
        let summary = |place: u32| (self.parities[place as usize], self.counts.at(place));
        self.compared.place(set.0).map(summary).unwrap_or_default()
    }

    /// Whether two sets can differ by as few as `most` elements, by their counts.
    #[inline]
    pub(super) fn may_differ_by(&self, a: CountsAt, b: CountsAt, most: u64) -> bool {
        self.counts.may_differ_by(a, b, most)
    }
}
