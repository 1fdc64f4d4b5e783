//! What the filters of the exact verifier know of the sets that are compared.

use super::set_counts::{ChunkCounts, CountsAt, SetCounts};
use crate::error::CancelledVisit;
use crate::source::{SetSource, SourceError};
use crate::{Criterion, JoinError, Progress, SetId};
use lookalike_core::{BitmapSignature, Halves, SparseIndex};

/// Data of a set for the filters: together, as each candidate is likely to miss the cache.
#[derive(Debug, Clone, Copy, Default)]
pub struct SetSummary {
    pub(super) parity: BitmapSignature,
    pub(super) size: u32,
    pub(super) counts: CountsAt,
}

/// Parities, sizes and bucket counts of the compared sets.
#[derive(Debug)]
pub(super) struct Summaries {
    compared: SparseIndex,
    /// By place among them.
    of_sets: Vec<SetSummary>,
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
        let (mut counts, at) = SetCounts::new(sets, &compared, criterion, limit);
        let left = limit.saturating_sub(counts.bytes() + size_of_val(&*at) as u64);
        let summary = |(set, &counts): (u32, &CountsAt)| SetSummary {
            parity: BitmapSignature::default(),
            size: sets.size(SetId(set)),
            counts,
        };
        let mut of_sets: Vec<SetSummary> = compared.iter().zip(&at).map(summary).collect();
        let parts = counts.by_chunk(chunks);
        let chunk = |counts| ChunkSummaries { counts, parities: Vec::new() };
        let visit = |chunk: &mut ChunkSummaries<'_>, set: SetId, elements: Halves<'_>| {
            if chunk.parities.len().is_multiple_of(POLLED) && progress.cancelled() {
                return Err(SourceError::from(CancelledVisit));
            }
            let Some(place) = compared.place(set.0) else { return Ok(()) };
            let at = at[place as usize];
            chunk.counts.add(at, elements.low);
            chunk.counts.add(at, elements.high);
            let parity = BitmapSignature::of(elements.low).with(BitmapSignature::of(elements.high));
            chunk.parities.push((place, parity));
            Ok(())
        };
        let done = |chunk: ChunkSummaries<'_>| {
            for (place, parity) in chunk.parities {
                of_sets[place as usize].parity = parity;
            }
        };
        let states = parts.into_iter().map(chunk).collect();
        let sorted = sets.sorted(&compared, left, states, visit, done)?;
        Ok((Self { compared, of_sets, counts }, sorted))
    }

    /// The summary of a set; that of the empty set if it is not compared.
    #[inline]
    pub(super) fn get(&self, set: SetId) -> SetSummary {
        let place = self.compared.place(set.0);
        place.map(|place| self.of_sets[place as usize]).unwrap_or_default()
    }

    /// Whether two sets can differ by as few as `most` elements, by their counts.
    #[inline]
    pub(super) fn may_differ_by(&self, a: CountsAt, b: CountsAt, most: u64) -> bool {
        self.counts.may_differ_by(a, b, most)
    }
}
