//! Fingerprints in, how common each of them is out: approximately, in fixed memory.
//!
//! The table may count too much (two values can share a counter), never too little. So "counted
//! once" is certain: in one closed run such a shingle can match nothing. Everything else only decides
//! the *order* in which a document's shingles are tried, and any fixed total order is a valid one.

use crate::fingerprint::finalise;

/// Saturating counters, one byte each, addressed by fingerprint.
#[derive(Debug, Clone)]
pub struct RarityTable {
    counters: Vec<u8>,
    shift: u32,
}

impl RarityTable {
    /// A table with room for about `values` different values: between one and two counters each.
    #[must_use]
    pub fn for_values(values: u64) -> Self {
        let bits = (values.max(1 << 10).next_power_of_two()).trailing_zeros().min(40);
        Self { counters: vec![0; 1 << bits], shift: 64 - bits }
    }

    /// Bytes of memory it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.counters.len()
    }

    /// Counts every value of `sets` once for each set it stands in, on `threads` threads: each owns
    /// a range of the counters and passes over all the sets, so there is nothing to lock and the
    /// result is the same for any number.
    pub fn count<'a, S>(&mut self, sets: S, threads: usize)
    where
        S: Iterator<Item = &'a [u64]> + Clone + Send,
    {
        let shift = self.shift;
        let share = self.counters.len().div_ceil(threads.max(1));
        std::thread::scope(|scope| {
            for (index, counters) in self.counters.chunks_mut(share).enumerate() {
                let sets = sets.clone();
                scope.spawn(move || {
                    let first = (index * share) as u64;
                    for &value in sets.flatten() {
                        // Below this thread's range the difference wraps to something huge.
                        let at = slot(value, shift).wrapping_sub(first) as usize;
                        if let Some(counter) = counters.get_mut(at) {
                            *counter = counter.saturating_add(1);
                        }
                    }
                });
            }
        });
    }

    /// In how many sets the value stands, at most; 255 means 255 or more.
    #[inline]
    #[must_use]
    pub fn get(&self, value: u64) -> u8 {
        self.counters[slot(value, self.shift) as usize]
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
        fn never_counts_too_little(
            sets in prop::collection::vec(prop::collection::btree_set(1u64..300, 0..40), 0..40),
            threads in 1usize..5,
        ) {
            let sets: Vec<Vec<u64>> = sets.into_iter().map(|s| s.into_iter().collect()).collect();
            let mut table = RarityTable::for_values(300);
            table.count(sets.iter().map(Vec::as_slice), threads);
            let mut truth: BTreeMap<u64, u8> = BTreeMap::new();
            for &value in sets.iter().flatten() {
                *truth.entry(value).or_default() += 1;
            }
            for (&value, &count) in &truth {
                prop_assert!(table.get(value) >= count);
            }
            let mut single = RarityTable::for_values(300);
            single.count(sets.iter().map(Vec::as_slice), 1);
            prop_assert_eq!(&single.counters, &table.counters);
            let exact = truth.iter().filter(|(v, c)| table.get(**v) == **c).count();
            // 1024 counters for at most 300 values: most are alone in theirs.
            prop_assert!(exact * 2 >= truth.len());
        }
    }

    #[test]
    fn saturates() {
        let set = [7u64];
        let mut table = RarityTable::for_values(1);
        table.count(std::iter::repeat_n(set.as_slice(), 1000), 1);
        assert_eq!(table.get(7), 255);
    }
}
