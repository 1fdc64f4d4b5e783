//! Sets in, how common a fingerprint is among them out: approximately, from a sample, in little memory.
//!
//! What it says decides only the *order* in which a document's elements are tried ([`crate::prefix`]), and
//! any fixed total order is a valid one. What matters is that elements of very many documents come last.
//! Those are as common in a sample; so for large collections one set in 16 is counted, and there is a byte
//! for 16 elements; for very large ones still fewer, and 288 MiB are the most it takes. A few bits beside them, which
//! stay in the processor's cache, tell which elements are common at all.

use crate::fingerprint::finalise;

/// Saturating counters, one byte each, addressed by fingerprint: of a collection that is still being counted.
#[derive(Debug, Clone)]
pub struct RarityCounts {
    counters: Vec<u8>,
    shift: u32,
    every: u32,
}

/// How common the fingerprints of a collection are that was counted.
#[derive(Debug, Clone)]
pub struct RarityTable {
    counters: Vec<u8>,
    shift: u32,
    /// A bit for one, two, four or more counters side by side: whether any of them says "common". Few do, and these bits
    /// are near enough to be asked of every element.
    common: Vec<u64>,
    common_shift: u32,
}

/// Elements up to which all are counted.
const COUNTED: u64 = 1 << 22;

/// Of larger collections, as few sets as one in so many are counted,
const SPARSEST: u64 = 16;

/// or fewer still, so that no more than so many elements are, whatever the size of the collection.
const MOST_COUNTED: u64 = 1 << 27;

/// So many sets at a time are counted, or not: on disk, each for itself would be a place to go to.
const SIDE_BY_SIDE: u32 = 32;

/// Counts below this are no more than two counters in one, or chance.
const COMMON: u8 = 4;

/// Bits for each counter that says "common", at least: so that no more than one in so many of the other elements
/// is taken for common by chance.
const BITS: usize = 8;

/// Some of the counters: what one thread counts.
#[derive(Debug)]
pub struct Counters<'a> {
    first: u32,
    counters: &'a mut [u8],
}

impl Counters<'_> {
    /// Counts one more at a counter, if it is one of these.
    #[inline]
    pub fn add(&mut self, counter: u32) {
        // Below the first one the difference wraps to something huge.
        if let Some(count) = self.counters.get_mut(counter.wrapping_sub(self.first) as usize) {
            *count = count.saturating_add(1);
        }
    }
}

impl RarityCounts {
    /// Counters for sets of so many elements together: between one and two for each that is counted.
    #[must_use]
    pub fn for_elements(elements: u64) -> Self {
        let (every, bits) = Self::sample(elements);
        Self { counters: vec![0; 1 << bits], shift: 64 - bits, every }
    }

    /// One set in how many is counted, and the binary logarithm of the number of counters.
    fn sample(elements: u64) -> (u32, u32) {
        let every = (elements / COUNTED).clamp(1, SPARSEST).max(elements / MOST_COUNTED);
        let bits = (elements / every).max(1 << 10).next_power_of_two().trailing_zeros();
        (u32::try_from(every).unwrap_or(u32::MAX), bits)
    }

    /// Bytes of memory that counters and table for so many elements take at most.
    #[must_use]
    pub fn bytes_for(elements: u64) -> u64 {
        let counters = 1 << Self::sample(elements).1;
        counters + counters / 8
    }

    /// Whether the set of this number is one of those that are counted: some that lie side by side, and
    /// many times as many behind them not.
    #[must_use]
    pub fn takes(&self, set: u32) -> bool {
        (set / SIDE_BY_SIDE).is_multiple_of(self.every)
    }

    /// The counter of a value.
    #[inline]
    #[must_use]
    pub fn counter(&self, value: u64) -> u32 {
        // Mixed once more, so that the counter says nothing about a value's place in sorted order.
        (finalise(value) >> self.shift) as u32
    }

    /// How many counters come in each of so many parts.
    #[must_use]
    pub fn part(&self, parts: usize) -> usize {
        self.counters.len().div_ceil(parts.max(1))
    }

    /// The counters in so many parts, so that each thread counts its own: nothing is locked, and the
    /// result is the same for any number.
    pub fn parts(&mut self, parts: usize) -> impl Iterator<Item = Counters<'_>> {
        let part = self.part(parts);
        let parts = self.counters.chunks_mut(part).enumerate();
        parts.map(move |(at, counters)| Counters { first: (at * part) as u32, counters })
    }

    /// Counts the elements of the sets that are taken, on this thread. `sets` are all of them, in the order of
    /// their numbers.
    ///
    /// ```
    /// use lookalike_core::RarityCounts;
    ///
    /// let mut counts = RarityCounts::for_elements(1000);
    /// counts.count((0..500).map(|number| [7, 1000 + number]).collect::<Vec<_>>().iter());
    /// assert_eq!(counts.table().commonness(7), 255);
    /// ```
    pub fn count<S: AsRef<[u64]>>(&mut self, sets: impl Iterator<Item = S>) {
        for (number, set) in (0u32..).zip(sets) {
            if self.takes(number) {
                set.as_ref().iter().for_each(|&value| {
                    let counter = self.counter(value) as usize;
                    self.counters[counter] = self.counters[counter].saturating_add(1);
                });
            }
        }
    }

    /// What was counted. O(counters).
    #[must_use]
    pub fn table(self) -> RarityTable {
        let Self { counters, shift, .. } = self;
        let common = counters.iter().filter(|&&count| count >= COMMON).count();
        let bits = (common * BITS).next_power_of_two().clamp(64, counters.len());
        let side_by_side = counters.len() / bits;
        // Without leaving a row of counters early: many are compared at once.
        let says = |row: &[u8]| row.iter().fold(0, |most, &count| most.max(count)) >= COMMON;
        let word = |rows: &[u8]| {
            let rows = rows.chunks(side_by_side).rev();
            rows.fold(0, |word, row| word << 1 | u64::from(says(row)))
        };
        let common = counters.chunks(64 * side_by_side).map(word).collect();
        RarityTable { counters, shift, common, common_shift: 64 - bits.trailing_zeros() }
    }
}

impl RarityTable {
    /// Whether a value is among the common ones. All are for which [`RarityTable::commonness`] is more than 0, and
    /// some others that lie near them.
    #[inline]
    #[must_use]
    pub fn is_common(&self, value: u64) -> bool {
        let bit = finalise(value) >> self.common_shift;
        self.common[(bit / 64) as usize] >> (bit % 64) & 1 == 1
    }

    /// How common a value is: 0 for all that are not known to be in many sets, else a number that grows
    /// with theirs.
    #[inline]
    #[must_use]
    pub fn commonness(&self, value: u64) -> u8 {
        let count = self.counters[(finalise(value) >> self.shift) as usize];
        if count < COMMON { 0 } else { count }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// As the engine counts: by parts of the counters.
    fn counted_in(parts: usize, sets: &[Vec<u64>]) -> RarityTable {
        let mut counts = RarityCounts::for_elements(300);
        let counters: Vec<u32> = (0u32..)
            .zip(sets)
            .filter(|&(number, _)| counts.takes(number))
            .flat_map(|(_, set)| set)
            .map(|&value| counts.counter(value))
            .collect();
        for mut part in counts.parts(parts) {
            counters.iter().for_each(|&counter| part.add(counter));
        }
        counts.table()
    }

    proptest! {
        #[test]
        fn common_values_are_known_whatever_the_parts(
            sets in prop::collection::vec(prop::collection::btree_set(1u64..300, 0..40), 0..40),
            parts in 1usize..5,
        ) {
            let sets: Vec<Vec<u64>> = sets.into_iter().map(|s| s.into_iter().collect()).collect();
            let mut counts = RarityCounts::for_elements(300);
            counts.count(sets.iter());
            let table = counts.table();
            let mut truth: BTreeMap<u64, u8> = BTreeMap::new();
            for &value in sets.iter().flatten() {
                *truth.entry(value).or_default() += 1;
            }
            for (&value, &count) in &truth {
                prop_assert!(count < COMMON || table.commonness(value) >= count);
                prop_assert!(table.is_common(value) || table.commonness(value) == 0);
            }
            let in_parts = counted_in(parts, &sets);
            prop_assert_eq!((&in_parts.counters, &in_parts.common), (&table.counters, &table.common));
            let known = truth.iter().filter(|(v, c)| {
                table.commonness(**v) == if **c < COMMON { 0 } else { **c }
            });
            // 1024 counters for at most 300 values: most are alone in theirs.
            prop_assert!(known.count() * 2 >= truth.len());
        }
    }

    /// One bit for eight counters or so: common values are all known, and of the others no more than one in [`BITS`]
    /// is taken for one.
    #[test]
    fn few_bits_tell_common_values_from_others() {
        let common: Vec<u64> = (0..100).map(finalise).collect();
        let others: Vec<u64> = (1000..11_000).map(finalise).collect();
        let mut counts = RarityCounts::for_elements(8000);
        counts.count(std::iter::repeat_n(&common, usize::from(COMMON)));
        let table = counts.table();
        assert_eq!((table.counters.len(), table.common.len()), (8192, 1024 / 64));
        assert!(
            common.iter().all(|&value| table.is_common(value) && table.commonness(value) >= COMMON)
        );
        let taken = others.iter().filter(|&&value| table.is_common(value)).count();
        assert!((1..others.len() / BITS).contains(&taken), "{taken}");
    }

    #[test]
    fn saturates() {
        let mut counts = RarityCounts::for_elements(1);
        counts.count(std::iter::repeat_n([7], 1000));
        let table = counts.table();
        assert_eq!((table.commonness(7), table.commonness(8)), (255, 0));
    }

    #[test]
    fn a_sample_of_a_large_collection_shows_what_is_in_all_of_it() {
        let mut counts = RarityCounts::for_elements(COUNTED * 20);
        assert_eq!(RarityCounts::bytes_for(COUNTED * 20), COUNTED * 2 + COUNTED / 4);
        let sets: Vec<[u64; 2]> = (0..1600).map(|n| [7, finalise(n + 100)]).collect();
        counts.count(sets.iter());
        // Four times 32 of them are counted.
        let table = counts.table();
        assert_eq!(table.commonness(7), 128);
        assert!(sets.iter().all(|set| table.commonness(set[1]) == 0));
    }

    #[test]
    fn no_collection_is_too_large() {
        for elements in [0, 1, 1 << 30, 1 << 40, u64::MAX] {
            assert!((1024..=MOST_COUNTED * 9 / 4).contains(&RarityCounts::bytes_for(elements)));
        }
    }
}
