//! One hash of each element fills all slots: fast similarity sketching (Dahlgaard, Knudsen & Thorup 2017,
//! section 2).
//!
//! In: a set. Out: k minima. One permutation hashing (Li, Owen & Zhang 2012) throws every element into one of k
//! bins and keeps each bin's minimum; bins left empty must be filled, and filling them from their
//! neighbours (rotation) is of large variance, filling them from random ones (Shrivastava 2017) of less. Here
//! the elements are thrown again, with fresh hashes, until no bin is empty: round after round, a later
//! round's value being larger than any earlier one's. For large sets one round is all there is.
//!
//! **Without bias**: the value of an element in a bin is (the first round that throws it there, the rest of its
//! hash), independent of all other elements; so the smallest in a bin is as likely any element of A∪B as
//! any other, and the bin agrees exactly when that one is in both. Stopping early changes nothing, as
//! later values are larger. After k random rounds, round k + i throws every element into bin i, so that it
//! ends: at most 2k rounds, O(n + k·log k) expected.

use lookalike_core::fingerprint::finalise;

/// Bits of a value that hold the round: 2·4096 rounds.
const ROUND_BITS: u32 = 13;

/// k slots, filled by one permutation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OnePermutation {
    k: u32,
}

impl OnePermutation {
    /// k slots, 1 to [`super::MOST_SLOTS`].
    #[must_use]
    pub fn new(k: u32) -> Self {
        Self { k: k.clamp(1, super::MOST_SLOTS) }
    }

    /// k.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "k is at least 1")]
    pub fn len(&self) -> u32 {
        self.k
    }

    /// Appends the minima of a set to an empty `out`; nothing for an empty set.
    ///
    /// The elements are well-mixed already (fingerprints): the first round takes them as they are.
    pub fn fill(&self, set: &[u64], out: &mut Vec<u64>) {
        if set.is_empty() {
            return;
        }
        let k = self.k as usize;
        out.resize(k, u64::MAX);
        let slots = &mut out[..k];
        for &element in set {
            let (bin, rest) = throw(element, k);
            let value = rest >> ROUND_BITS;
            slots[bin] = slots[bin].min(value);
        }
        let mut empty = slots.iter().filter(|&&slot| slot == u64::MAX).count();
        for round in 1..2 * k as u64 {
            if empty == 0 {
                break;
            }
            let multiplier = multiplier(round);
            let tag = round << (64 - ROUND_BITS);
            for &element in set {
                let (mut bin, rest) = throw(element.wrapping_mul(multiplier), k);
                if round >= k as u64 {
                    bin = round as usize - k;
                }
                let value = tag | rest >> ROUND_BITS;
                empty -= usize::from(slots[bin] == u64::MAX);
                slots[bin] = slots[bin].min(value);
            }
        }
    }
}

/// The hash of a later round is the element times this, odd and random: elements are mixed already, and one
/// multiplication throws them elsewhere.
fn multiplier(round: u64) -> u64 {
    finalise(round) | 1
}

/// A bin, and the rest of the hash: hash·k = bin·2⁶⁴ + rest. Nothing of the hash is lost, so that two elements
/// never tie; dividing by the whole range gives every bin as many hashes, to one.
#[inline]
fn throw(hash: u64, k: usize) -> (usize, u64) {
    let product = u128::from(hash) * k as u128;
    ((product >> 64) as usize, product as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition: all 2k rounds, every bin's smallest (round, rest).
    fn defined(set: &[u64], k: usize) -> Vec<u64> {
        let value = |element: u64, bin: usize| {
            (0..2 * k as u64).find_map(|round| {
                let hash = match round {
                    0 => element,
                    _ => element.wrapping_mul(finalise(round) | 1),
                };
                let product = u128::from(hash) * k as u128;
                let thrown = match round.checked_sub(k as u64) {
                    None => (product >> 64) as usize,
                    Some(bin) => bin as usize,
                };
                (thrown == bin)
                    .then_some(round << (64 - ROUND_BITS) | (product as u64) >> ROUND_BITS)
            })
        };
        (0..k).map(|bin| set.iter().filter_map(|&x| value(x, bin)).min().unwrap()).collect()
    }

    proptest! {
        // An element's value in a bin is of its first throw there: later ones are larger.
        #[test]
        fn stopping_early_gives_what_all_rounds_give(set in prop::collection::vec(any::<u64>(), 1..40), k in 1u32..40) {
            let mut out = Vec::new();
            OnePermutation::new(k).fill(&set, &mut out);
            prop_assert_eq!(out, defined(&set, k as usize));
        }

        /// Minima of a union are the minima of the minima: sketches can be merged.
        #[test]
        fn the_union_has_the_smaller_minima(
            a in prop::collection::vec(any::<u64>(), 1..30), b in prop::collection::vec(any::<u64>(), 1..30), k in 1u32..50,
        ) {
            let fill = |set: &[u64]| {
                let mut out = Vec::new();
                OnePermutation::new(k).fill(set, &mut out);
                out
            };
            let smaller: Vec<u64> = fill(&a).iter().zip(fill(&b)).map(|(&x, y)| x.min(y)).collect();
            prop_assert_eq!(fill(&[a, b].concat()), smaller);
        }
    }

    #[test]
    fn one_element_fills_the_most_slots_there_may_be() {
        let mut out = Vec::new();
        OnePermutation::new(u32::MAX).fill(&[7], &mut out);
        assert_eq!(out.len(), super::super::MOST_SLOTS as usize);
        assert!(out.iter().all(|&value| value != u64::MAX));
        out.sort_unstable();
        out.dedup();
        assert_eq!(out.len(), super::super::MOST_SLOTS as usize);
    }
}
