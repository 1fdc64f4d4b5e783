//! Sets in, how common a fingerprint is among them out: approximately, from a sample, in little memory.
//!
//! What it says decides only the *order* in which a document's elements are tried ([`crate::prefix`]), and
//! any fixed total order is a valid one. What matters is that elements of very many documents come last.
//! Those are as common in a sample; so for large collections every 16th set is counted, and the table has
//! a byte for 16 elements.

use crate::fingerprint::finalise;

/// Saturating counters, one byte each, addressed by fingerprint.
#[derive(Debug, Clone)]
pub struct RarityTable {
    counters: Vec<u8>,
    shift: u32,
    every: u32,
}

/// Elements up to which all are counted.
const COUNTED: u64 = 1 << 22;

/// Of larger collections, as few sets as one in so many are counted.
const SPARSEST: u64 = 16;

/// Counts below this are no more than two counters in one, or chance.
const COMMON: u8 = 4;

impl RarityTable {
    /// A table for sets of so many elements together: between one and two counters for each that is
    /// counted.
    #[must_use]
    pub fn for_elements(elements: u64) -> Self {
        let every = (elements / COUNTED).clamp(1, SPARSEST);
        let bits = (elements / every).max(1 << 10).next_power_of_two().trailing_zeros().min(40);
        Self { counters: vec![0; 1 << bits], shift: 64 - bits, every: every as u32 }
    }

    /// Bytes of memory it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.counters.len()
    }

    /// Counts the elements of the sample among sets 0 to `sets`, once for each set they are in, on
    /// `threads` threads: each owns a range of the counters and passes over the whole sample, so there is
    /// nothing to lock and the result is the same for any number.
    ///
    /// `each` hands the set of a number to its last argument.
    pub fn count<S: Default>(
        &mut self,
        sets: u32,
        each: impl Fn(u32, &mut S, &mut dyn FnMut(&[u64])) + Sync,
        threads: usize,
    ) {
        let Self { shift, every, .. } = *self;
        let share = self.counters.len().div_ceil(threads.max(1));
        std::thread::scope(|scope| {
            for (index, counters) in self.counters.chunks_mut(share).enumerate() {
                let each = &each;
                scope.spawn(move || {
                    let (first, mut scratch) = ((index * share) as u64, S::default());
                    let mut count = |set: &[u64]| {
                        for &value in set {
                            // Below this thread's range the difference wraps to something huge.
                            let at = slot(value, shift).wrapping_sub(first) as usize;
                            if let Some(counter) = counters.get_mut(at) {
                                *counter = counter.saturating_add(1);
                            }
                        }
                    };
                    for number in (0..sets).step_by(every as usize) {
                        each(number, &mut scratch, &mut count);
                    }
                });
            }
        });
    }

    /// How common a value is: 0 for all that are not known to be in many sets, else a number that grows
    /// with theirs.
    #[inline]
    #[must_use]
    pub fn commonness(&self, value: u64) -> u8 {
        let count = self.counters[slot(value, self.shift) as usize];
        if count < COMMON { 0 } else { count }
    }
}

#[inline]
fn slot(value: u64, shift: u32) -> u64 {
    // Mixed once more, so that the counter says nothing about a value's place in sorted order.
    finalise(value) >> shift
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn common_values_are_known_whatever_the_threads(
            sets in prop::collection::vec(prop::collection::btree_set(1u64..300, 0..40), 0..40),
            threads in 1usize..5,
        ) {
            let sets: Vec<Vec<u64>> = sets.into_iter().map(|s| s.into_iter().collect()).collect();
            let counted = |threads| {
                let mut table = RarityTable::for_elements(300);
                table.count(sets.len() as u32, |n, (): &mut (), give| give(&sets[n as usize]), threads);
                table
            };
            let table = counted(threads);
            let mut truth: BTreeMap<u64, u8> = BTreeMap::new();
            for &value in sets.iter().flatten() {
                *truth.entry(value).or_default() += 1;
            }
            for (&value, &count) in &truth {
                prop_assert!(count < COMMON || table.commonness(value) >= count);
            }
            prop_assert_eq!(&counted(1).counters, &table.counters);
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
        table.count(1000, |_, (): &mut (), give| give(&[7]), 1);
        assert_eq!((table.commonness(7), table.commonness(8)), (255, 0));
    }

    #[test]
    fn a_sample_of_a_large_collection_shows_what_is_in_all_of_it() {
        let mut table = RarityTable::for_elements(COUNTED * 20);
        assert_eq!(table.bytes() as u64, COUNTED * 2);
        let sets: Vec<[u64; 2]> = (0..1600).map(|n| [7, finalise(n + 100)]).collect();
        table.count(1600, |n, (): &mut (), give| give(&sets[n as usize]), 2);
        assert_eq!(table.commonness(7), 100);
        assert!(sets.iter().all(|set| table.commonness(set[1]) == 0));
    }
}
