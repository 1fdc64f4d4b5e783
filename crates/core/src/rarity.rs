//! Sets in, how common a fingerprint is among them out: approximately, from a sample, in little memory.
//!
//! What it says decides only the *order* in which a document's elements are tried ([`crate::prefix`]), and
//! any fixed total order is a valid one. What matters is that elements of very many documents come last.
//! Those are as common in a sample; so for large collections one set in 16 is counted, and the table has
//! a byte and a bit for 16 elements; for very large ones still fewer, and 288 MiB are the most it takes.

use crate::fingerprint::finalise;

/// Saturating counters, one byte each, addressed by fingerprint.
#[derive(Debug, Clone)]
pub struct RarityTable {
    counters: Vec<u8>,
    /// A bit for each counter that says "common": few do, and all bits together are near enough to be asked first.
    common: Vec<u64>,
    shift: u32,
    every: u32,
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

/// Some of the counters: what one thread counts.
#[derive(Debug)]
pub struct Counters<'a> {
    first: u32,
    counters: &'a mut [u8],
    common: &'a mut [u64],
}

impl Counters<'_> {
    /// Counts one more at a counter, if it is one of these.
    #[inline]
    pub fn add(&mut self, counter: u32) {
        // Below the first one the difference wraps to something huge.
        let at = counter.wrapping_sub(self.first) as usize;
        if at < self.counters.len() {
            count_one(self.counters, self.common, at);
        }
    }
}

/// Counts one more at a counter, and marks it once it says "common".
#[inline]
fn count_one(counters: &mut [u8], common: &mut [u64], at: usize) {
    counters[at] = counters[at].saturating_add(1);
    if counters[at] == COMMON {
        common[at / 64] |= 1 << (at % 64);
    }
}

impl RarityTable {
    /// A table for sets of so many elements together: between one and two counters for each that is
    /// counted.
    #[must_use]
    pub fn for_elements(elements: u64) -> Self {
        let (every, bits) = Self::sample(elements);
        let (counters, common) = (vec![0; 1 << bits], vec![0; (1 << bits) / 64]);
        Self { counters, common, shift: 64 - bits, every }
    }

    /// One set in how many is counted, and the binary logarithm of the number of counters.
    fn sample(elements: u64) -> (u32, u32) {
        let every = (elements / COUNTED).clamp(1, SPARSEST).max(elements / MOST_COUNTED);
        let bits = (elements / every).max(1 << 10).next_power_of_two().trailing_zeros();
        (u32::try_from(every).unwrap_or(u32::MAX), bits)
    }

    /// Bytes of memory that a table for so many elements takes.
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
        self.counters.len().div_ceil(parts.max(1)).next_multiple_of(64)
    }

    /// The counters in so many parts, so that each thread counts its own: nothing is locked, and the
    /// result is the same for any number.
    pub fn parts(&mut self, parts: usize) -> impl Iterator<Item = Counters<'_>> {
        let part = self.part(parts);
        let parts = self.counters.chunks_mut(part).zip(self.common.chunks_mut(part / 64));
        parts.enumerate().map(move |(at, (counters, common))| Counters {
            first: (at * part) as u32,
            counters,
            common,
        })
    }

    /// Counts the elements of the sets that the table takes, on this thread. `sets` are all of them, in the
    /// order of their numbers.
    ///
    /// ```
    /// use lookalike_core::RarityTable;
    ///
    /// let mut table = RarityTable::for_elements(1000);
    /// table.count((0..500).map(|number| [7, 1000 + number]).collect::<Vec<_>>().iter());
    /// assert_eq!(table.commonness(7), 255);
    /// ```
    pub fn count<S: AsRef<[u64]>>(&mut self, sets: impl Iterator<Item = S>) {
        for (number, set) in (0u32..).zip(sets) {
            if !self.takes(number) {
                continue;
            }
            for &value in set.as_ref() {
                let counter = self.counter(value);
                count_one(&mut self.counters, &mut self.common, counter as usize);
            }
        }
    }

    /// Whether a value is common: whether [`RarityTable::commonness`] is more than 0.
    #[inline]
    #[must_use]
    pub fn is_common(&self, value: u64) -> bool {
        let counter = self.counter(value) as usize;
        self.common[counter / 64] >> (counter % 64) & 1 == 1
    }

    /// How common a value is: 0 for all that are not known to be in many sets, else a number that grows
    /// with theirs.
    #[inline]
    #[must_use]
    pub fn commonness(&self, value: u64) -> u8 {
        let count = self.counters[self.counter(value) as usize];
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
        let mut table = RarityTable::for_elements(300);
        let counters: Vec<u32> = (0u32..)
            .zip(sets)
            .filter(|&(number, _)| table.takes(number))
            .flat_map(|(_, set)| set)
            .map(|&value| table.counter(value))
            .collect();
        for mut part in table.parts(parts) {
            counters.iter().for_each(|&counter| part.add(counter));
        }
        table
    }

    proptest! {
        #[test]
        fn common_values_are_known_whatever_the_parts(
            sets in prop::collection::vec(prop::collection::btree_set(1u64..300, 0..40), 0..40),
            parts in 1usize..5,
        ) {
            let sets: Vec<Vec<u64>> = sets.into_iter().map(|s| s.into_iter().collect()).collect();
            let mut table = RarityTable::for_elements(300);
            table.count(sets.iter());
            let mut truth: BTreeMap<u64, u8> = BTreeMap::new();
            for &value in sets.iter().flatten() {
                *truth.entry(value).or_default() += 1;
            }
            for (&value, &count) in &truth {
                prop_assert!(count < COMMON || table.commonness(value) >= count);
                prop_assert_eq!(table.is_common(value), table.commonness(value) > 0);
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

    #[test]
    fn saturates() {
        let mut table = RarityTable::for_elements(1);
        table.count(std::iter::repeat_n([7], 1000));
        assert_eq!((table.commonness(7), table.commonness(8)), (255, 0));
    }

    #[test]
    fn a_sample_of_a_large_collection_shows_what_is_in_all_of_it() {
        let mut table = RarityTable::for_elements(COUNTED * 20);
        assert_eq!(RarityTable::bytes_for(COUNTED * 20), COUNTED * 2 + COUNTED / 4);
        let sets: Vec<[u64; 2]> = (0..1600).map(|n| [7, finalise(n + 100)]).collect();
        table.count(sets.iter());
        // Four times 32 of them are counted.
        assert_eq!(table.commonness(7), 128);
        assert!(sets.iter().all(|set| table.commonness(set[1]) == 0));
    }

    #[test]
    fn no_collection_is_too_large() {
        for elements in [0, 1, 1 << 30, 1 << 40, u64::MAX] {
            assert!((1024..=MOST_COUNTED * 9 / 4).contains(&RarityTable::bytes_for(elements)));
        }
    }
}
