//! One hash of each element fills all slots: fast similarity sketching (Dahlgaard, Knudsen & Thorup
//! 2017, section 2).
//!
//! In: a set. Out: k minima. One permutation hashing (Li, Owen & Zhang 2012) throws every element
//! into one of k bins and keeps each bin's minimum; bins left empty must be filled, and filling
//! them from their neighbours (rotation) is of large variance, filling them from random ones
//! (Shrivastava 2017) of less. Here the elements are thrown again, with fresh hashes, until no bin
//! is empty: round after round, a later round's value being larger than any earlier one's. For
//! large sets one round is all there is.
//!
//! **Without bias**: the value of an element in a bin is (the first round that throws it there, the
//! rest of its hash), independent of all other elements; so the smallest in a bin is as likely any
//! element of A∪B as any other, and the bin agrees exactly when that one is in both. Stopping early
//! changes nothing, as later values are larger. After the random rounds every bin has a round of
//! its own, that throws all elements into it, so that it ends; a bin that is filled can skip its
//! own. The paper has k random rounds, we have k / 16: that is faster for small sets, whose last
//! empty bins a random round would hardly ever hit. O(n + k·log k) expected.

use super::limit::MOST_SLOTS;
use lookalike_core::fingerprint::finalise;

/// Bits of a value that hold the round: up to 4096 / 16 random ones and 4096 more.
const ROUND_BITS: u32 = 13;

/// k slots, filled by one permutation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OnePermutation {
    k: u32,
}

impl OnePermutation {
    /// k slots, 1 to [`MOST_SLOTS`].
    #[must_use]
    pub fn new(k: u32) -> Self {
        Self { k: k.clamp(1, MOST_SLOTS) }
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
        let random = random_rounds(k);
        let mut empty = slots.iter().filter(|&&slot| slot == u64::MAX).count();
        for round in 1..random {
            if empty == 0 {
                return;
            }
            let (multiplier, tag) = (multiplier(round), tag(round));
            for &element in set {
                let (bin, rest) = throw(element.wrapping_mul(multiplier), k);
                empty -= usize::from(slots[bin] == u64::MAX);
                slots[bin] = slots[bin].min(tag | rest >> ROUND_BITS);
            }
        }
        if empty == 0 {
            return;
        }
        for (round, slot) in (random..).zip(slots).filter(|(_, slot)| **slot == u64::MAX) {
            // Half the width and signed order: vectors have no more (see `kfold`).
            let multiplier = multiplier(round) as u32;
            let hash = |&element: &u64| multiplier.wrapping_mul(element as u32) as i32;
            let least = set.iter().map(hash).fold(i32::MAX, i32::min);
            *slot = tag(round) | u64::from(least as u32);
        }
    }
}

/// Rounds that throw at random. Most of a late random round is wasted on bins that are filled; a
/// bin's own round costs all n elements for one bin. After k / 16 random rounds k·exp(−n/16) bins
/// are expected to be empty, which take n·k·exp(−n/16) ≤ 6·k throws, whatever n is.
fn random_rounds(k: usize) -> u64 {
    k.div_ceil(16) as u64
}

/// The upper bits of the values of a round.
fn tag(round: u64) -> u64 {
    round << (64 - ROUND_BITS)
}

/// The hash of a later round is the element times this, odd and random: elements are mixed already,
/// and one multiplication throws them elsewhere.
fn multiplier(round: u64) -> u64 {
    finalise(round) | 1
}

/// A bin, and the rest of the hash: hash·k = bin·2⁶⁴ + rest. Nothing of the hash is lost, so that
/// two elements never tie; dividing by the whole range gives every bin as many hashes, to one.
#[inline]
fn throw(hash: u64, k: usize) -> (usize, u64) {
    let product = u128::from(hash) * k as u128;
    ((product >> 64) as usize, product as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition: all rounds, every bin's smallest (round, rest).
    fn defined(set: &[u64], k: usize) -> Vec<u64> {
        let random = k.div_ceil(16) as u64;
        let value = |element: u64, bin: usize| {
            let thrown = |round: u64| {
                let hash =
                    if round == 0 { element } else { element.wrapping_mul(finalise(round) | 1) };
                let product = u128::from(hash) * k as u128;
                ((product >> 64) as usize == bin).then_some((round, product as u64 >> ROUND_BITS))
            };
            let own = random + bin as u64;
            // Signed order: the upper half of the range comes first.
            let last = (element.wrapping_mul(finalise(own) | 1) % (1 << 32)) ^ (1 << 31);
            (0..random).find_map(thrown).unwrap_or((own, last))
        };
        let least = |bin: usize| set.iter().map(|&x| value(x, bin)).min().unwrap();
        let unsigned = |(round, rest): (u64, u64)| {
            let rest = if round < random { rest } else { rest ^ (1 << 31) };
            round << (64 - ROUND_BITS) | rest
        };
        (0..k).map(least).map(unsigned).collect()
    }

    proptest! {
        // An element's value in a bin is of its first throw there: later ones are larger.
        #[test]
        fn stopping_early_gives_what_all_rounds_give(set in prop::collection::vec(any::<u64>(), 1..40), k in 1u32..40) {
            let mut out = Vec::new();
            OnePermutation::new(k).fill(&set, &mut out);
            prop_assert_eq!(out, defined(&set, k as usize));
        }

        /// A sketch of a union has its values from the sketches of the parts.
        #[test]
        fn the_union_has_the_minima_of_one_or_the_other(
            a in prop::collection::vec(any::<u64>(), 1..30), b in prop::collection::vec(any::<u64>(), 1..30), k in 1u32..50,
        ) {
            let fill = |set: &[u64]| {
                let mut out = Vec::new();
                OnePermutation::new(k).fill(set, &mut out);
                out
            };
            let (x, y) = (fill(&a), fill(&b));
            for (slot, value) in fill(&[a, b].concat()).into_iter().enumerate() {
                prop_assert!(value == x[slot] || value == y[slot]);
            }
        }
    }

    #[test]
    fn one_element_fills_the_most_slots_there_may_be() {
        let mut out = Vec::new();
        OnePermutation::new(u32::MAX).fill(&[7], &mut out);
        assert_eq!(out.len(), super::MOST_SLOTS as usize);
        assert!(out.iter().all(|&value| value != u64::MAX));
        out.sort_unstable();
        out.dedup();
        assert_eq!(out.len(), super::MOST_SLOTS as usize);
    }
}
