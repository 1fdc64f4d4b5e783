//! Bucket sort of fingerprints, or of values ordered by one.
//!
//! Fingerprints are uniform over all 64 bits, or over those below a shared prefix, so the top bits
//! of the rest nearly determine the rank: every value goes to the slot that they name, one or two
//! per slot, and an insertion sort completes the order. It touches each value three times, where a
//! comparison sort touches it once per halving: half the time on sets of some hundred elements. If
//! many values share a slot, comparison sort is used.

/// Fewer values are sorted by comparisons.
const FEW: usize = 64;

/// Most values in one slot for which insertion sort is used.
const CROWD: u32 = 32;

/// Log2 of the most slots (four bytes each): more would not fit in the cache.
const MOST_SLOTS_BITS: u32 = 16;

/// Sorts fingerprints, or values that begin with one; reuses its buffers.
///
/// ```
/// use lookalike_core::{SpreadSort, fingerprint::finalise};
///
/// let mut set: Vec<u64> = (1..200).map(finalise).collect();
/// SpreadSort::default().sort(&mut set);
/// assert!(set.is_sorted());
/// ```
#[derive(Debug)]
pub struct SpreadSort<T = u64> {
    /// Next free index of each slot.
    next: Vec<u32>,
    placed: Vec<T>,
}

impl<T> Default for SpreadSort<T> {
    fn default() -> Self {
        Self { next: Vec::new(), placed: Vec::new() }
    }
}

impl SpreadSort {
    /// Sorts values, distinct or not. O(n) if they are uniform, else O(n log n).
    pub fn sort(&mut self, values: &mut [u64]) {
        self.sort_by(values, |&value| value);
    }
}

impl<T: Copy + Ord> SpreadSort<T> {
    /// As [`SpreadSort::sort`], for values ordered by a fingerprint first.
    pub fn sort_by(&mut self, values: &mut [T], fingerprint: impl Fn(&T) -> u64) {
        let Some(first) = values.first().copied() else { return };
        if values.len() < FEW || values.len() > u32::MAX as usize {
            return values.sort_unstable();
        }
        let bits = values.len().next_power_of_two().trailing_zeros().min(MOST_SLOTS_BITS);
        // Values may be uniform only below a bound or a common prefix.
        let shared = fingerprint(&first);
        let differing = values.iter().fold(0, |all, value| all | (fingerprint(value) ^ shared));
        let used = u64::BITS - differing.leading_zeros();
        let (shift, mask) = (used.saturating_sub(bits), (1usize << bits) - 1);
        let slot = |value: &T| (fingerprint(value) >> shift) as usize & mask;
        self.next.clear();
        self.next.resize((1 << bits) + 1, 0);
        // Counted one slot further on, so that the prefix sum is the start of each slot.
        values.iter().for_each(|value| self.next[slot(value) + 1] += 1);
        let (mut sum, mut most) = (0, 0);
        for next in &mut self.next {
            most = most.max(*next);
            sum += *next;
            *next = sum;
        }
        if self.placed.len() < values.len() {
            self.placed.resize(values.len(), first);
        }
        let placed = &mut self.placed[..values.len()];
        for value in &*values {
            let next = &mut self.next[slot(value)];
            placed[*next as usize] = *value;
            *next += 1;
        }
        if most > CROWD {
            // `next` is now the end of each slot.
            let mut start = 0;
            for &end in &self.next {
                if end - start > CROWD {
                    placed[start as usize..end as usize].sort_unstable();
                }
                start = end;
            }
        }
        let mut largest = placed[0];
        for (end, &value) in placed.iter().enumerate() {
            if value >= largest {
                (values[end], largest) = (value, value);
                continue;
            }
            let mut at = end;
            while at > 0 && values[at - 1] > value {
                values[at] = values[at - 1];
                at -= 1;
            }
            values[at] = value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fingerprint::finalise;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sorts_whatever_it_is_given(
            values in prop::collection::vec(0u64..400, 0..300),
            spread in any::<bool>(),
            shift in 0u32..64,
        ) {
            let place = |n: &u64| if spread { finalise(*n) } else { n << shift };
            let mut values: Vec<u64> = values.iter().map(place).collect();
            let mut truth = values.clone();
            truth.sort_unstable();
            let mut sort = SpreadSort::default();
            sort.sort(&mut [9; 100]);
            sort.sort(&mut values);
            prop_assert_eq!(values, truth);
        }
    }

    proptest! {
        /// Keys of one bucket: the same top bits, and many equal values.
        #[test]
        fn sorts_what_begins_with_a_fingerprint(
            values in prop::collection::vec((0u64..50, 0u32..9), 0..400),
            bucket in 0u64..256,
            crowd in any::<bool>(),
        ) {
            let place = |n: u64| bucket << 56 | finalise(if crowd { n % 3 } else { n }) >> 8;
            let mut values: Vec<(u64, u32)> = values.iter().map(|&(n, unit)| (place(n), unit)).collect();
            let mut truth = values.clone();
            truth.sort_unstable();
            let mut sort = SpreadSort::default();
            sort.sort_by(&mut [(3, 9); 100], |value| value.0);
            sort.sort_by(&mut values, |value| value.0);
            prop_assert_eq!(values, truth);
        }
    }

    #[test]
    fn sorts_large_sets() {
        let mut sort = SpreadSort::default();
        for values in [100_000, 65, 5000, 3 << MOST_SLOTS_BITS] {
            let mut set: Vec<u64> = (0..values).map(finalise).collect();
            sort.sort(&mut set);
            assert!(set.is_sorted());
        }
    }
}
