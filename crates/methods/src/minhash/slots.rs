//! The k minima of a set, one per slot: two sets agree in a slot with probability |A∩B| / |A∪B|.
//!
//! The input is a set of fingerprints in any order, with or without repeats; only the equality of
//! the k values is meaningful. There are two algorithms, [`kfold`] and [`one_permutation`]; both
//! are unbiased for sets of any size, down to one element. The default, one permutation, takes O(n
//! + k·log k) and not O(n·k).

pub mod kfold;
mod limit;
pub mod one_permutation;

pub use limit::MOST_SLOTS;

use crate::broder::parameters;
use crate::{Parameter, Params, SpecError};
use kfold::KFold;
use one_permutation::OnePermutation;

/// `slots=oneperm|kfold`.
pub(super) const SLOTS: Parameter = Parameter {
    name: "slots",
    default: "oneperm",
    help: "how minima are made: oneperm (one hash fills all slots, fast similarity sketching) or \
           kfold (a hash function for each slot)",
};

/// Algorithm that computes k minima.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Slots {
    /// A hash function for each slot.
    KFold(KFold),
    /// One hash function fills all slots.
    OnePermutation(OnePermutation),
}

impl Slots {
    /// Appends the minima of a set that is not empty to an empty `out`; nothing for an empty set.
    ///
    /// ```
    /// use lookalike_methods::minhash::{Slots, slots::one_permutation::OnePermutation};
    ///
    /// let slots = Slots::OnePermutation(OnePermutation::new(128));
    /// let (mut a, mut b) = (Vec::new(), Vec::new());
    /// slots.fill(&[1, 2, 3], &mut a);
    /// slots.fill(&[3, 2, 2, 1], &mut b);
    /// assert_eq!((a.len(), &a), (128, &b));
    /// ```
    pub fn fill(&self, set: &[u64], out: &mut Vec<u64>) {
        match self {
            Self::KFold(slots) => slots.fill(set, out),
            Self::OnePermutation(slots) => slots.fill(set, out),
        }
    }

    /// k.
    #[must_use]
    pub fn len(&self) -> u32 {
        match self {
            Self::KFold(slots) => slots.len(),
            Self::OnePermutation(slots) => slots.len(),
        }
    }

    /// Whether k is 0 (never).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// By the parameter `slots`.
    pub(super) fn read(params: &Params<'_>, k: u32) -> Result<Self, SpecError> {
        let known = |text: &String| text == "oneperm" || text == "kfold";
        let text = parameters::read(params, &SLOTS, "oneperm or kfold", known)?;
        Ok(match text.as_str() {
            "kfold" => Self::KFold(KFold::new(k)),
            _ => Self::OnePermutation(OnePermutation::new(k)),
        })
    }
}

/// How many slots of two sketches of the same k agree.
#[must_use]
pub fn equal(a: &[u64], b: &[u64]) -> u32 {
    a.iter().zip(b).map(|(x, y)| u32::from(x == y)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broder::planted::{Random, mean};
    use lookalike_core::Overlap;

    const K: u32 = 64;

    fn both() -> [Slots; 2] {
        [Slots::KFold(KFold::new(K)), Slots::OnePermutation(OnePermutation::new(K))]
    }

    /// The interval of an agreement contains the resemblance at the stated rate, for sets of any
    /// size.
    #[test]
    fn intervals_contain_the_true_value_at_the_stated_rate() {
        use crate::broder::{Estimate, estimate::Z_95};
        let mut random = Random(8);
        for (shared, a, b) in [(3, 10, 12), (40, 50, 50), (100, 1000, 400), (190, 200, 200)] {
            let counts = Overlap { shared, a, b };
            for slots in both() {
                let rounds = 1000;
                let held = (0..rounds)
                    .filter(|_| {
                        let (a, b) = random.pair(counts);
                        let (mut x, mut y) = (Vec::new(), Vec::new());
                        slots.fill(&a, &mut x);
                        slots.fill(&b, &mut y);
                        let estimate = Estimate { hits: equal(&x, &y), draws: K };
                        let (low, high) = estimate.interval(Z_95);
                        low <= counts.resemblance() && counts.resemblance() <= high
                    })
                    .count();
                let share = held as f64 / f64::from(rounds);
                // Small sets fill many slots with few draws without replacement: the variance is
                // not larger.
                assert!(share > 0.92, "{slots:?} {counts:?}: {share}");
            }
        }
    }

    /// The mean is the resemblance for sets of 1 element, of about as many as slots, and of many
    /// more; and the spread is no more than that of k independent draws.
    #[test]
    fn estimates_are_without_bias_for_sets_of_any_size() {
        let mut random = Random(6);
        for (shared, a, b) in [
            (1, 2, 1),
            (1, 2, 2),
            (2, 3, 3),
            (4, 5, 5),
            (9, 10, 10),
            (10, 20, 30),
            (40, 50, 50),
            (60, 64, 66),
            (200, 250, 220),
            (300, 900, 800),
        ] {
            let counts = Overlap { shared, a, b };
            let r = counts.resemblance();
            for slots in both() {
                let mut values = Vec::new();
                for _ in 0..2500 {
                    let (a, b) = random.pair(counts);
                    let (mut x, mut y) = (Vec::new(), Vec::new());
                    slots.fill(&a, &mut x);
                    slots.fill(&b, &mut y);
                    values.push(f64::from(equal(&x, &y)) / f64::from(K));
                }
                let (estimate, error) = mean(&values);
                assert!((estimate - r).abs() < 4.0 * error, "{counts:?}: {estimate} ± {error}");
                let variance = error * error * values.len() as f64;
                let independent = r * (1.0 - r) / f64::from(K);
                assert!(variance < 1.15 * independent, "{counts:?}, {slots:?}: {variance}");
            }
        }
    }

    /// Every single slot is unbiased, as bands use few slots.
    #[test]
    fn every_slot_agrees_equally_often() {
        let mut random = Random(7);
        let counts = Overlap { shared: 6, a: 8, b: 8 };
        let rounds = 4000;
        for slots in both() {
            let mut hits = [0u32; K as usize];
            for _ in 0..rounds {
                let (a, b) = random.pair(counts);
                let (mut x, mut y) = (Vec::new(), Vec::new());
                slots.fill(&a, &mut x);
                slots.fill(&b, &mut y);
                for (hits, (x, y)) in hits.iter_mut().zip(x.iter().zip(&y)) {
                    *hits += u32::from(x == y);
                }
            }
            let error = (0.6 * 0.4 / f64::from(rounds)).sqrt();
            for (slot, &hits) in hits.iter().enumerate() {
                let share = f64::from(hits) / f64::from(rounds);
                assert!((share - 0.6).abs() < 4.5 * error, "slot {slot}: {share}");
            }
        }
    }

    #[test]
    fn sets_without_a_common_element_agree_nowhere() {
        let mut random = Random(8);
        for slots in both() {
            for size in [1, 10, 1000] {
                let (mut x, mut y) = (Vec::new(), Vec::new());
                slots.fill(&random.values(size), &mut x);
                slots.fill(&random.values(size), &mut y);
                assert_eq!(equal(&x, &y), 0);
                assert_eq!(equal(&x, &x), K);
            }
            let mut none = Vec::new();
            slots.fill(&[], &mut none);
            assert!(none.is_empty());
        }
    }
}
