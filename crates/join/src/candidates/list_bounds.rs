//! Length and positional filter of whole entry lists.

use super::CandidatePairs;
use crate::filter::CandidateFilter;
use crate::index::Entry;
use crate::source::SetSource;
use rayon::prelude::*;
use std::ops::Range;

/// Entries of a block.
const BLOCK: usize = 16;

/// For each of adjacent entries the size of its set, and that of the largest later set that it can
/// match under this key: codes of two bytes, so that a block is a line of the cache and most
/// processors compare several at a time.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Block {
    sizes: [i16; BLOCK],
    largest: [i16; BLOCK],
}

/// The length and positional filter of all entries.
#[derive(Debug)]
pub(crate) struct ListBounds {
    blocks: Vec<Block>,
}

/// What matches one set under one of its keys.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    /// Size of the set.
    pub(crate) size: u32,
    /// Size of the largest earlier set that it can match under the key.
    pub(crate) largest_earlier: u32,
}

/// Sizes up to this one have codes of their own.
const EXACT: u32 = 1 << EXACT_BITS;
const EXACT_BITS: u32 = 11;

/// A monotone code of a size: itself, or from 2048 on a number with eleven significant bits.
fn code(size: u32) -> i16 {
    if size < EXACT {
        return size as i16;
    }
    let octave = size.ilog2();
    let mantissa = (size >> (octave + 1 - EXACT_BITS)) & (EXACT / 2 - 1);
    // Less than 2¹⁵, as there are 21 octaves.
    (EXACT + (octave - EXACT_BITS) * (EXACT / 2) + mantissa) as i16
}

impl ListBounds {
    /// The bounds of all entries. O(entries), on all threads.
    pub(crate) fn new<S: SetSource>(pairs: &CandidatePairs<'_, S, impl CandidateFilter>) -> Self {
        let block = |entries: &[Entry]| {
            let mut block = Block { sizes: [i16::MAX; BLOCK], largest: [0; BLOCK] };
            let bounds = block.sizes.iter_mut().zip(&mut block.largest);
            for (entry, (size, largest)) in entries.iter().zip(bounds) {
                let own = pairs.relaxed(entry.set, entry.position);
                *size = code(own.0);
                *largest = code(pairs.filter.largest_later(own));
            }
            block
        };
        Self { blocks: pairs.index.entries().par_chunks(BLOCK).map(block).collect() }
    }

    /// Loads the beginning of a entry list into the cache, if the result is used: loads that do not
    /// depend on each other wait together.
    #[inline]
    pub(crate) fn touch(&self, start: usize) -> i16 {
        self.blocks[start / BLOCK].sizes[0]
    }

    /// Calls `each` with the index of every entry in `range` that passes: with false for those that
    /// may be rejected by the exact sizes.
    #[inline]
    pub(crate) fn scan(
        &self,
        range: Range<usize>,
        wanted: Wanted,
        mut each: impl FnMut(usize, bool),
    ) {
        let (size, earlier) = (code(wanted.size), code(wanted.largest_earlier));
        let Range { start, end } = range;
        let mut first = start / BLOCK * BLOCK;
        for block in &self.blocks[start / BLOCK..end.div_ceil(BLOCK)] {
            // Without a branch for each entry: the compiler vectorises it. A byte of each says
            // whether it passes.
            let mut passing = [0u8; BLOCK];
            for ((passes, &other), &largest) in
                passing.iter_mut().zip(&block.sizes).zip(&block.largest)
            {
                *passes = u8::from((other <= earlier) & (size <= largest));
            }
            let mut passing = u128::from_le_bytes(passing);
            while passing != 0 {
                let lane = passing.trailing_zeros() as usize / 8;
                passing &= passing - 1;
                let at = first + lane;
                if (start..end).contains(&at) {
                    let exact = |a: i16, b: i16| a < b || u32::from(a.unsigned_abs()) < EXACT;
                    let (other, largest) = (block.sizes[lane], block.largest[lane]);
                    each(at, exact(other, earlier) && exact(size, largest));
                }
            }
            first += BLOCK;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn codes_are_monotone_and_fine() {
        let mut last = -1;
        for size in (0..1 << 14).chain((14..32).flat_map(|bits| [(1 << bits) - 1, 1 << bits])) {
            assert!(code(size) >= last && (size < 2 || code(size - 1) <= code(size)), "{size}");
            assert!(size > EXACT || code(size) > code(size.saturating_sub(1)) || size == 0);
            assert!(code(size) < code(size + (size >> 10) + 1) || size >= 1 << 31, "{size}");
            last = code(size);
        }
        assert_eq!(i32::from(code(u32::MAX)), 2048 + 21 * 1024 - 1);
    }

    proptest! {
        /// Against two comparisons for each entry, in every part of the lists.
        #[test]
        fn scans_find_what_passes(
            all in prop::collection::vec((0u32..6000, 0u32..6000), 1..100),
            bounds in (0usize..100, 0usize..100), size in 0u32..6000, largest_earlier in 0u32..6000,
        ) {
            let block = |all: &[(u32, u32)]| {
                let mut block = Block { sizes: [i16::MAX; BLOCK], largest: [0; BLOCK] };
                for (at, &(size, largest)) in all.iter().enumerate() {
                    (block.sizes[at], block.largest[at]) = (code(size), code(largest));
                }
                block
            };
            let lists = ListBounds { blocks: all.chunks(BLOCK).map(block).collect() };
            let start = bounds.0.min(all.len() - 1);
            let end = (start + bounds.1).min(all.len());
            let passes = |at: &usize| all[*at].0 <= largest_earlier && size <= all[*at].1;
            let mut found = Vec::new();
            lists.scan(start..end, Wanted { size, largest_earlier }, |at, sure| {
                assert!(passes(&at) || !sure);
                found.extend(passes(&at).then_some(at));
            });
            let truth: Vec<usize> = (start..end).filter(passes).collect();
            prop_assert_eq!(found, truth);
        }
    }
}
