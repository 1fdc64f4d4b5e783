//! One hash of each element fills all slots: fast similarity sketching (Dahlgaard, Knudsen & Thorup
//! 2017, section 2).
//!
//! Computes the k minima of a set. One permutation hashing (Li, Owen & Zhang 2012) assigns every
//! element to one of k bins and keeps each bin's minimum; empty bins must be filled, and filling
//! them from their neighbours (rotation) has a large variance, filling them from random bins
//! (Shrivastava 2017) a smaller one. Here the elements are assigned again, with new hashes, until
//! no bin is empty; the values of a later round are larger than those of earlier rounds. For large
//! sets one round suffices.
//!
//! **Without bias**: the value of an element in a bin is (the first round that assigns it there,
//! the rest of its hash), independent of all other elements; so each element of A∪B is equally
//! likely to be the smallest in a bin, and the bin agrees exactly if that element is in both.
//! Stopping early changes nothing, as later values are larger. After the random rounds every bin
//! has a round of its own, which assigns all elements to it, so the algorithm terminates; a filled
//! bin skips its round. The paper has k random rounds, this implementation k / 16: that is faster
//! for small sets, whose last empty bins a random round rarely hits. O(n + k·log k) expected.

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
    /// The elements are fingerprints, which are already mixed: the first round uses them unchanged.
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
            // Half the width and signed order, because vector instructions have no more (see
            // `kfold`).
            let multiplier = multiplier(round) as u32;
            let hash = |&element: &u64| multiplier.wrapping_mul(element as u32) as i32;
            let least = set.iter().map(hash).fold(i32::MAX, i32::min);
            *slot = tag(round) | u64::from(least as u32);
        }
    }
}

impl OnePermutation {
    /// Makes the minima of a set those of its union with another one, slot by slot: what
    /// [`OnePermutation::fill`] gives for the union. Minima of an empty set are an empty list.
    pub fn merge(&self, minima: &mut Vec<u64>, other: &[u64]) {
        if minima.is_empty() {
            minima.extend_from_slice(other);
            return;
        }
        for (minimum, &value) in minima.iter_mut().zip(other) {
            if self.order(value) < self.order(*minimum) {
                *minimum = value;
            }
        }
    }

    /// A value as a number by which values of a slot are ordered: those of a slot's own round are
    /// in signed order.
    fn order(&self, value: u64) -> u64 {
        let is_own = round(value) >= random_rounds(self.k as usize);
        value ^ u64::from(is_own) << 31
    }

    /// Estimates the number of distinct elements of a set from its minima; 0 for an empty list. The
    /// relative standard error is about 1 / √k.
    ///
    /// The hazard of a slot's minimum T is −ln P(T > t) for a set of one element; for n elements it
    /// is n times that, so that n · H(T) has an exponential distribution of mean 1, and (k − 1) / Σ
    /// H(T) is its unbiased estimate for independent slots.
    #[must_use]
    pub fn count(&self, minima: &[u64]) -> f64 {
        let hazard: f64 = minima.iter().map(|&value| self.hazard(value)).sum();
        if hazard == 0.0 {
            return 0.0;
        }
        f64::from(self.k.saturating_sub(1).max(1)) / hazard
    }

    fn hazard(&self, value: u64) -> f64 {
        let (each, random) = (1.0 / f64::from(self.k), random_rounds(self.k as usize));
        // An element is assigned to the slot with probability 1 / k in each random round.
        let rounds = round(value).min(random);
        let before = if rounds == 0 { 0.0 } else { rounds as f64 * -(-each).ln_1p() };
        let within = match round(value) < random {
            true => each * (value & RESTS) as f64 / (1u64 << (64 - ROUND_BITS)) as f64,
            false => f64::from(self.order(value) as u32) / (1u64 << 32) as f64,
        };
        before - (-within).ln_1p()
    }
}

/// The bits of a value that hold the rest of the hash.
const RESTS: u64 = (1 << (64 - ROUND_BITS)) - 1;

/// The round of a value.
fn round(value: u64) -> u64 {
    value >> (64 - ROUND_BITS)
}

/// Number of random rounds. A late random round mostly assigns elements to filled bins; a bin's own
/// round costs n assignments for one bin. After k / 16 random rounds k·exp(−n/16) bins are expected
/// to be empty, which take n·k·exp(−n/16) ≤ 6·k assignments for any n.
fn random_rounds(k: usize) -> u64 {
    k.div_ceil(16) as u64
}

/// The upper bits of the values of a round.
fn tag(round: u64) -> u64 {
    round << (64 - ROUND_BITS)
}

/// The hash of a later round is the element times this odd random number: elements are already
/// mixed, so one multiplication suffices.
fn multiplier(round: u64) -> u64 {
    finalise(round) | 1
}

/// Bin, and the rest of the hash: hash·k = bin·2⁶⁴ + rest. No bit of the hash is lost, so two
/// elements never tie; the numbers of hashes of two bins differ by at most one.
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
        // An element's value in a bin is from the first round that assigns it there: later ones are
        // larger.
        #[test]
        fn stopping_early_gives_what_all_rounds_give(set in prop::collection::vec(any::<u64>(), 1..40), k in 1u32..40) {
            let mut out = Vec::new();
            OnePermutation::new(k).fill(&set, &mut out);
            prop_assert_eq!(out, defined(&set, k as usize));
        }

        /// Each value of the sketch of a union is a value of a part's sketch.
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

    proptest! {
        #[test]
        fn merged_minima_are_those_of_the_union(
            sets in prop::collection::vec(prop::collection::vec(any::<u64>(), 0..20), 1..5), k in 1u32..200,
        ) {
            let slots = OnePermutation::new(k);
            let (mut merged, mut whole) = (Vec::new(), Vec::new());
            for set in &sets {
                let mut part = Vec::new();
                slots.fill(set, &mut part);
                slots.merge(&mut merged, &part);
            }
            slots.fill(&sets.concat(), &mut whole);
            prop_assert_eq!(merged, whole);
        }
    }

    /// The mean over many sets is the size, and the spread what is stated.
    #[test]
    fn sizes_of_sets_are_estimated_without_bias() {
        let mut random = crate::broder::planted::Random(15);
        let k = 128;
        let slots = OnePermutation::new(k);
        for size in [1, 2, 7, 50, 128, 1000, 5000] {
            let rounds = 400;
            let ratios: Vec<f64> = (0..rounds)
                .map(|_| {
                    let mut minima = Vec::new();
                    slots.fill(&random.values(size), &mut minima);
                    slots.count(&minima) / size as f64
                })
                .collect();
            let (mean, error) = crate::broder::planted::mean(&ratios);
            assert!((mean - 1.0).abs() < 4.0 * error + 0.005, "{size}: {mean} ± {error}");
            let spread = error * f64::from(rounds).sqrt();
            assert!(spread < 1.15 / f64::from(k).sqrt(), "{size}: {spread}");
        }
        assert_eq!(slots.count(&[]), 0.0);
    }

    #[test]
    fn one_element_fills_the_maximum_number_of_slots() {
        let mut out = Vec::new();
        OnePermutation::new(u32::MAX).fill(&[7], &mut out);
        assert_eq!(out.len(), super::MOST_SLOTS as usize);
        assert!(out.iter().all(|&value| value != u64::MAX));
        out.sort_unstable();
        out.dedup();
        assert_eq!(out.len(), super::MOST_SLOTS as usize);
    }
}
