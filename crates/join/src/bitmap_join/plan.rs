//! Whether the bitmap join costs less than the index, and with which bitmaps.

use crate::source::SetSource;
use crate::{Criterion, SetId};
use lookalike_core::wide_bitmap::{BLOCK, COLUMNS};
use std::ops::Range;
use std::sync::Arc;

/// The most pairs that are left as candidates: beyond, there is an index instead.
pub(crate) const MOST_PAIRS: u64 = 1 << 19;

/// The most bytes of bitmaps of so many elements in all: three bits for each, of 64 that the sets
/// take. A function of the sets alone, as the number of candidates is reported.
fn most_bytes(elements: u64) -> u64 {
    (elements / 8 * 3).clamp(FEW_BYTES, u64::from(u32::MAX) * BLOCK_BYTES)
}

/// Bytes that bitmaps of any sets may take.
const FEW_BYTES: u64 = 16 << 20;

/// Bytes of 128 bits.
const BLOCK_BYTES: u64 = (BLOCK * size_of::<u64>()) as u64;

/// What the bitmap join and the index cost, in comparisons of two blocks of 128 bits, 0.25 ns each
/// with AVX2 and half of that with AVX-512. Measured with characters and single words of titles,
/// news, mail and made collections, 2,000 to 100,000 documents.
mod cost {
    /// Of a key of the index: 0.3 µs.
    pub(super) const KEY: u64 = 1024;
    /// Of a posting of a key: 1 ns, with the candidates that it gives.
    pub(super) const POSTING: u64 = 4;
    /// Of a pair that is left as a candidate: 2 µs.
    pub(super) const CANDIDATE: u64 = 8192;
}

/// The resemblance that unrelated sets are assumed to have: characters and words that all texts
/// share.
const BY_CHANCE: f64 = 0.2;

/// Quarters of a bit for each element of a set that the shortest bitmaps may have.
const QUARTERS: [u64; 12] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];

/// How much longer the longest bitmaps are, if memory allows it: similar sets need more bits than
/// unrelated ones.
const LONGER: [u64; 4] = [8, 4, 2, 1];

/// Sizes for which bitmaps have to suffice: those of these of 32 parts of the sets.
const QUANTILES: [usize; 4] = [8, 16, 24, 31];

/// The most words of a bitmap.
const MOST_WORDS: usize = 1 << 12;

/// The sets that are compared, by size, and the lengths of their bitmaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plan {
    /// The sets by size, those of one size by number.
    pub(super) sets: Arc<[SetId]>,
    /// Their sizes.
    pub(super) sizes: Arc<[u32]>,
    /// Where the bitmap of each starts, in blocks, and the end of the last.
    pub(super) starts: Vec<u32>,
    /// The places in groups that are compared at once, each with bitmaps of one length.
    pub(super) groups: Arc<[Range<usize>]>,
}

/// Groups of at most [`COLUMNS`] adjacent bitmaps of one length.
fn groups(starts: &[u32]) -> Arc<[Range<usize>]> {
    let length = |place: usize| starts[place + 1] - starts[place];
    let mut groups: Vec<Range<usize>> = Vec::new();
    for place in 0..starts.len() - 1 {
        match groups.last_mut() {
            Some(group) if group.len() < COLUMNS && length(group.start) == length(place) => {
                group.end += 1;
            }
            _ => groups.push(place..place + 1),
        }
    }
    groups.into()
}

/// Words of the bitmap of a set.
fn words(size: u32, quarters: u64) -> usize {
    let words = (u64::from(size) * quarters).div_ceil(4 * 64);
    (words as usize).next_power_of_two().clamp(BLOCK, MOST_WORDS)
}

/// Whether bitmaps of so many words reject most pairs of unrelated sets of this size.
fn rejects(criterion: Criterion, size: u32, words: usize) -> bool {
    let (size, bits) = (f64::from(size), words as f64 * 64.0);
    let needed = f64::from(criterion.needed_overlap(size as u32, size as u32));
    let may_differ = 2.0 * (size - needed);
    let differing = 2.0 * size * (1.0 - BY_CHANCE) / (1.0 + BY_CHANCE);
    // Each bit is flipped an odd number of times with this probability, if elements choose bits at
    // random.
    let load = differing / bits;
    let odd = (1.0 - (-2.0 * load).exp()) / 2.0;
    let variance = bits * (odd * (1.0 - odd) - load * (-4.0 * load).exp());
    bits * odd - 4.0 * variance.max(0.0).sqrt() > may_differ
}

/// Where bitmaps of these lengths in blocks start, if they take no more than `most` bytes.
fn starts(blocks: impl Iterator<Item = usize>, most: u64) -> Option<Vec<u32>> {
    let mut starts = vec![0u32];
    let mut end = 0;
    for blocks in blocks {
        end += blocks as u64;
        if end * BLOCK_BYTES > most {
            return None;
        }
        starts.push(end as u32);
    }
    Some(starts)
}

impl Plan {
    /// Compares the sets of `least_size` or more elements, with the longest bitmaps that may be of
    /// use. `None` if bitmaps are of no use for the criterion or these sizes, or take too much
    /// memory. O(sets · log sets).
    pub(crate) fn new(
        sets: &impl SetSource,
        criterion: Criterion,
        least_size: u32,
    ) -> Option<Self> {
        // For containment, a small set is compared with large ones, whose bitmaps differ in any
        // case.
        if !criterion.measure.is_symmetric() {
            return None;
        }
        let least = least_size.max(1);
        let mut by_size: Vec<(u32, SetId)> = (0..sets.len())
            .map(SetId)
            .map(|set| (sets.size(set), set))
            .filter(|&(size, _)| size >= least)
            .collect();
        by_size.sort_unstable();
        let sets = by_size.iter().map(|&(_, set)| set).collect();
        let sizes: Arc<[u32]> = by_size.iter().map(|&(size, _)| size).collect();
        let last = sizes.len().checked_sub(1)?;
        let samples = QUANTILES.map(|quantile| sizes[last * quantile / 32]);
        let shortest = QUARTERS.into_iter().find(|&quarters| {
            samples.iter().all(|&size| rejects(criterion, size, words(size, quarters)))
        })?;
        let most = most_bytes(sizes.iter().map(|&size| u64::from(size)).sum());
        let starts = LONGER.into_iter().find_map(|longer| {
            starts(sizes.iter().map(|&size| words(size, shortest * longer) / BLOCK), most)
        })?;
        let groups = groups(&starts);
        Some(Self { sets, sizes, starts, groups })
    }

    /// The same with bitmaps of half the length; `None` if they are as short as they can be.
    pub(super) fn coarser(&self) -> Option<Self> {
        let half = |place| self.blocks(place).len().div_ceil(2);
        let starts = starts((0..self.len()).map(half), u64::MAX)?;
        (starts != self.starts).then(|| Self { starts, ..self.clone() })
    }

    /// What the comparisons cost if they leave so many candidates. O(sets · log sets).
    pub(super) fn cost(&self, criterion: Criterion, candidates: u64) -> u64 {
        let compared = |place: usize| {
            let first = self.first_match(criterion, place);
            u64::from(self.starts[place] - self.starts[first])
        };
        let compared: u64 = (0..self.len()).map(compared).sum();
        compared.saturating_add(candidates.saturating_mul(cost::CANDIDATE))
    }

    /// What an index over the prefixes of the same sets costs, if so many sets have the elements of
    /// all prefixes.
    pub(super) fn cost_of_index(&self, criterion: Criterion, postings: u64) -> u64 {
        let length = |&size: &u32| u64::from(criterion.prefix_length(size));
        let keys: u64 = self.sizes.iter().map(length).sum();
        keys.saturating_mul(cost::KEY).saturating_add(postings.saturating_mul(cost::POSTING))
    }

    /// Number of sets.
    pub(super) fn len(&self) -> usize {
        self.sets.len()
    }

    /// The blocks of the bitmap of a set, by its place.
    pub(super) fn blocks(&self, place: usize) -> Range<usize> {
        self.starts[place] as usize..self.starts[place + 1] as usize
    }

    /// The blocks of the bitmaps of a group.
    pub(super) fn blocks_of(&self, group: &Range<usize>) -> Range<usize> {
        self.starts[group.start] as usize..self.starts[group.end] as usize
    }

    /// The first place whose set is large enough to match the set at `place`.
    pub(super) fn first_match(&self, criterion: Criterion, place: usize) -> usize {
        let (smallest, _) = criterion.size_bounds(self.sizes[place]);
        self.sizes[..place].partition_point(|&size| size < smallest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{InMemorySets, OffsetArrays};
    use lookalike_core::Measure;
    use lookalike_core::fingerprint::finalise;

    fn criterion(measure: Measure, threshold: &str) -> Criterion {
        Criterion { measure, threshold: threshold.parse().unwrap() }
    }

    fn with_sets<T>(
        sizes: &[u32],
        test: impl FnOnce(&InMemorySets<OffsetArrays<'_, u64>>) -> T,
    ) -> T {
        let mut offsets = vec![0u64];
        for &size in sizes {
            offsets.push(offsets[offsets.len() - 1] + u64::from(size));
        }
        let elements: Vec<u64> = (0..offsets[sizes.len()]).map(finalise).collect();
        test(&InMemorySets::new(&offsets, &elements).unwrap())
    }

    #[test]
    fn bitmaps_grow_with_what_may_differ() {
        let quarters = |threshold: &str| {
            let criterion = criterion(Measure::Resemblance, threshold);
            QUARTERS.into_iter().find(|&quarters| rejects(criterion, 2048, words(2048, quarters)))
        };
        // 0.8: 228 of 2048 elements each, so that 456 bits may differ: of 1024, 512 do by chance,
        // less than four standard deviations more; of 2048, 949.
        assert_eq!((quarters("0.9"), quarters("0.8"), quarters("0.1")), (Some(2), Some(3), None));
        assert!(quarters("0.5") > quarters("0.8"));
    }

    #[test]
    fn sets_are_ordered_by_size_and_small_ones_left_out() {
        with_sets(&[50, 3, 0, 50, 40, 3000], |sets| {
            let resemblance = criterion(Measure::Resemblance, "0.8");
            let plan = Plan::new(sets, resemblance, 10).unwrap();
            assert_eq!(*plan.sets, [4, 0, 3, 5].map(SetId));
            assert_eq!(*plan.sizes, [40, 50, 50, 3000]);
            // Two bits for each element, of which blocks have 128.
            assert_eq!(plan.starts, [0, 1, 2, 3, 67]);
            // 40 of 50 elements are just enough.
            let firsts = (0..4).map(|place| plan.first_match(resemblance, place));
            assert_eq!(firsts.collect::<Vec<_>>(), [0, 0, 0, 3]);
            assert_eq!(plan.cost(resemblance, 5), 1 + 2 + 5 * cost::CANDIDATE);
            let keys: u32 =
                [40, 50, 50, 3000].map(|size| resemblance.prefix_length(size)).iter().sum();
            let cost = u64::from(keys) * cost::KEY + 1000 * cost::POSTING;
            assert_eq!(plan.cost_of_index(resemblance, 1000), cost);
            assert!(Plan::new(sets, criterion(Measure::Containment, "0.8"), 0).is_none());
            assert!(Plan::new(sets, resemblance, 3001).is_none());
            let mut lengths = vec![plan.starts[4] - plan.starts[3]];
            let mut plan = plan;
            while let Some(coarser) = plan.coarser() {
                lengths.push(coarser.starts[4] - coarser.starts[3]);
                plan = coarser;
            }
            assert_eq!((lengths, plan.starts), (vec![64, 32, 16, 8, 4, 2, 1], vec![0, 1, 2, 3, 4]));
        });
    }

    #[test]
    fn bitmaps_take_no_more_memory_than_they_may() {
        assert_eq!(starts([3, 1].into_iter(), 64), Some(vec![0, 3, 4]));
        assert_eq!(starts([3, 1].into_iter(), 63), None);
        assert_eq!((most_bytes(80_000_000), most_bytes(0)), (30_000_000, FEW_BYTES));
        // No offset of a block exceeds 32 bits.
        assert!(most_bytes(u64::MAX) / BLOCK_BYTES <= u64::from(u32::MAX));
    }
}
