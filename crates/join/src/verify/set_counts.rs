//! Bucket counts of the compared sets, in one array.

use crate::source::SetSource;
use crate::{Criterion, SetId};
use lookalike_core::SparseIndex;
use lookalike_core::bucket_counts::{FEWEST_BUCKETS, add, buckets_for, may_differ_by};

/// The share of the memory for sets that bucket counts may take.
pub const COUNTS_SHARE: f64 = 0.125;

/// Bytes of a line, the set of allocation.
const LINE: usize = FEWEST_BUCKETS as usize;

/// Bits of a [`CountsAt`] that hold the first line.
const LINE_BITS: u32 = 27;

/// The vectors of counts of the compared sets that are large enough to have one.
///
/// Stored in the order of the chunks that store the sets, so that each chunk's part is filled by
/// the thread that reads the chunk.
#[derive(Debug, Default)]
pub(super) struct SetCounts {
    lines: Vec<[u8; LINE]>,
    /// First line of each chunk, and the end of the last.
    chunks: Vec<u32>,
}

/// Where the counts of a set lie: the first line, and in the bits above it one more than the binary
/// logarithm of the number of lines; 0 for a set that has none.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CountsAt(u32);

impl CountsAt {
    fn new(first: u32, log: u32) -> Self {
        Self((log + 1) << LINE_BITS | first)
    }

    fn first(self) -> usize {
        (self.0 & ((1 << LINE_BITS) - 1)) as usize
    }

    fn lines(self) -> usize {
        (1 << (self.0 >> LINE_BITS)) >> 1
    }
}

/// The lines of one chunk, and the number of the first.
#[derive(Debug)]
pub(super) struct ChunkCounts<'a> {
    first: usize,
    lines: &'a mut [[u8; LINE]],
}

impl ChunkCounts<'_> {
    /// Counts elements of a set. All elements of a set must be added once.
    pub(super) fn add(&mut self, at: CountsAt, elements: &[u64]) {
        let lines = at.lines();
        if lines > 0 {
            let start = at.first() - self.first;
            add(elements, self.lines[start..start + lines].as_flattened_mut());
        }
    }
}

impl SetCounts {
    /// Zeros for the compared sets, in at most [`COUNTS_SHARE`] of `limit` bytes, and where they lie
    /// by place among the compared sets. Vectors are halved until they fit, and sets whose vectors
    /// become shorter than a line have none.
    pub(super) fn new(
        sets: &impl SetSource,
        compared: &SparseIndex,
        criterion: Criterion,
        limit: u64,
    ) -> (Self, Vec<CountsAt>) {
        let Criterion { measure, threshold } = criterion;
        let nothing = || (Self::default(), vec![CountsAt::default(); compared.len() as usize]);
        let chunks = sets.chunks();
        // The logarithms of the numbers of lines, and one more.
        let logs: Vec<u8> = compared
            .iter()
            .map(SetId)
            .map(|set| {
                let lines = buckets_for(measure, threshold, sets.size(set)) / FEWEST_BUCKETS;
                (u32::BITS - lines.leading_zeros()) as u8
            })
            .collect();
        let mut of_log = [0u64; u32::BITS as usize + 1];
        logs.iter().for_each(|&log| of_log[usize::from(log)] += 1);
        let bytes = |halved: u32| {
            let kept = (1u32..).zip(&of_log[1..]).filter(|&(log, _)| log > halved);
            kept.map(|(log, sets)| sets << (log - 1 - halved)).sum::<u64>() * LINE as u64
        };
        let limit = (limit as f64 * COUNTS_SHARE) as u64;
        let limit = limit.min(LINE as u64 * ((1 << LINE_BITS) - 1));
        let Some(halved) = (0..u32::BITS).find(|&halved| bytes(halved) <= limit) else {
            return nothing();
        };
        let lines = |log: u8| match u32::from(log) {
            log if log > halved => 1u32 << (log - 1 - halved),
            _ => 0,
        };
        let mut starts = vec![0u32; chunks as usize + 1];
        for (set, &log) in compared.iter().map(SetId).zip(&logs) {
            starts[sets.chunk_of(set).index() + 1] += lines(log);
        }
        (1..starts.len()).for_each(|chunk| starts[chunk] += starts[chunk - 1]);
        let total = starts[chunks as usize] as usize;
        if total == 0 {
            return nothing();
        }
        let mut next = starts.clone();
        let at = |(set, &log): (SetId, &u8)| match lines(log) {
            0 => CountsAt::default(),
            lines => {
                let next = &mut next[sets.chunk_of(set).index()];
                *next += lines;
                CountsAt::new(*next - lines, lines.trailing_zeros())
            }
        };
        let at = compared.iter().map(SetId).zip(&logs).map(at).collect();
        (Self { lines: vec![[0; LINE]; total], chunks: starts }, at)
    }

    /// The lines of each chunk, to be filled.
    pub(super) fn by_chunk(&mut self, chunks: u32) -> Vec<ChunkCounts<'_>> {
        let mut rest = &mut self.lines[..];
        let bounds = |chunk: u32| {
            let bound = |chunk: u32| self.chunks.get(chunk as usize).map_or(0, |&at| at as usize);
            (bound(chunk), bound(chunk + 1))
        };
        let part = |chunk| {
            let (first, end) = bounds(chunk);
            let (lines, behind) = std::mem::take(&mut rest).split_at_mut(end - first);
            rest = behind;
            ChunkCounts { first, lines }
        };
        (0..chunks).map(part).collect()
    }

    /// Whether two sets can differ by as few as `most` elements, by their counts.
    #[inline]
    pub(super) fn may_differ_by(&self, a: CountsAt, b: CountsAt, most: u64) -> bool {
        let counts = |at: CountsAt| {
            let lines = self.lines.get(at.first()..at.first() + at.lines());
            lines.unwrap_or_default().as_flattened()
        };
        a.0 == 0 || b.0 == 0 || may_differ_by(counts(a), counts(b), most)
    }

    /// Bytes in memory.
    pub(super) fn bytes(&self) -> u64 {
        size_of_val(&*self.lines) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InMemorySets;
    use lookalike_core::fingerprint::finalise;
    use lookalike_core::{Measure, overlap};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        /// Within the limit, and never above the difference of two sets.
        #[test]
        fn counts_fit_and_bound_the_difference(
            sizes in prop::collection::vec((1u64..3000, 0u64..2), 1..30),
            several_chunks in any::<bool>(),
            limit in prop::sample::select(vec![0u64, 1000, 10_000, 100_000, u64::MAX]),
            threshold in prop::sample::select(vec!["0.5", "0.8"]),
        ) {
            // Sets with the same start share all elements of the smaller one.
            let set = |number: u64, (size, start): (u64, u64)| {
                let mut set: Vec<u64> =
                    (0..size).map(|n| finalise(start << 32 | n)).chain([finalise(!number)]).collect();
                set.sort_unstable();
                set
            };
            // Small sets between them, so that they are in several chunks.
            let between = if several_chunks { 700 } else { 0 };
            let all: Vec<Vec<u64>> = (0u64..)
                .zip(&sizes)
                .flat_map(|(number, &shape)| {
                    let small = (0..between).map(move |n| vec![finalise(1 << 40 | number << 20 | n)]);
                    [set(number, shape)].into_iter().chain(small)
                })
                .collect();
            let mut offsets = vec![0u64];
            all.iter().for_each(|set| offsets.push(offsets[offsets.len() - 1] + set.len() as u64));
            let elements = all.concat();
            let sets = InMemorySets::new(&offsets, &elements).unwrap();
            let criterion = Criterion { measure: Measure::Resemblance, threshold: threshold.parse().unwrap() };
            let compared = SparseIndex::new(sets.len(), |set| sets.size(SetId(set)) > 1 && set % 5 != 3);
            let (mut counts, at) = SetCounts::new(&sets, &compared, criterion, limit);
            prop_assert!(size_of_val(&*counts.lines) as f64 <= limit as f64 * COUNTS_SHARE);
            let mut parts = counts.by_chunk(sets.chunks());
            for (set, &at) in compared.iter().map(SetId).zip(&at) {
                let (low, high) = all[set.index()].split_at(all[set.index()].len() / 3);
                let part = &mut parts[sets.chunk_of(set).index()];
                part.add(at, low);
                part.add(at, high);
            }
            let places: Vec<(u32, u32)> =
                compared.iter().map(|set| (set, compared.place(set).unwrap())).collect();
            let mut some = false;
            for &(a, place_a) in &places {
                for &(b, place_b) in &places {
                    let (x, y) = (&all[a as usize], &all[b as usize]);
                    let differing = (x.len() + y.len()) as u64 - 2 * u64::from(overlap(x, y));
                    let (at_a, at_b) = (at[place_a as usize], at[place_b as usize]);
                    some |= at_a.0 != 0;
                    prop_assert!(counts.may_differ_by(at_a, at_b, differing));
                    if a == b {
                        prop_assert!(counts.may_differ_by(at_a, at_b, 0));
                    }
                }
            }
            let large = |&(set, _): &(u32, u32)| sets.size(SetId(set)) > 1000;
            prop_assert!(limit < u64::MAX || some || !places.iter().any(large));
        }
    }
}
