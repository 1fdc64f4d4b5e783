//! A question about a query of known size: bounds on what matches, and the order of the matches.

use crate::{Ask, Question};
use lookalike_core::{Measure, Overlap, Threshold};
use std::cmp::Ordering;

/// A [`Question`] about a query set Q of n elements and stored sets D of m.
#[derive(Debug, Clone, Copy)]
pub(super) struct Criterion {
    ask: Ask,
    measure: Measure,
    threshold: Threshold,
    n: u32,
}

impl Criterion {
    pub(super) fn new(question: Question, n: u32) -> Self {
        let Question { ask, threshold } = question;
        Self { ask, measure: question.measure(), threshold, n }
    }

    /// |Q|.
    pub(super) fn n(&self) -> u32 {
        self.n
    }

    /// The smallest and the largest m that can match (length filter).
    ///
    /// *D in Q*: |Q∩D| ≥ t·m and |Q∩D| ≤ n, so m ≤ n/t.
    pub(super) fn sizes(&self) -> (u32, u32) {
        if self.ask == Ask::ContainedIn {
            let (p, q) = (self.threshold.numerator(), self.threshold.denominator());
            // q < 2³⁰ and n < 2³²: below 2⁶².
            return (1, u32::try_from(q * u64::from(self.n) / p).unwrap_or(u32::MAX));
        }
        self.measure.size_bounds(self.threshold, self.n)
    }

    /// The least |Q∩D| of a match with a set of m elements; at least 1, and not descending with m.
    ///
    /// For resemblance, cosine and *Q in D*, [`Measure::least_shared`] of n is a lower bound for
    /// every m; for *D in Q* the bound is ⌈t·m⌉.
    pub(super) fn needed(&self, m: u32) -> u32 {
        let (a, b) = if self.ask == Ask::ContainedIn { (m, self.n) } else { (self.n, m) };
        self.measure.needed_overlap(self.threshold, a, b)
    }

    /// The counts of a pair: a is the query, b the stored set.
    pub(super) fn counts(&self, shared: u32, m: u32) -> Overlap {
        Overlap { shared, a: self.n, b: m }
    }

    /// Whether a stored set with these counts matches.
    pub(super) fn reaches(&self, counts: Overlap) -> bool {
        self.measure.reaches(self.threshold, self.sides(counts))
    }

    /// Orders two stored sets by their value.
    pub(super) fn compare(&self, left: Overlap, right: Overlap) -> Ordering {
        self.measure.compare(self.sides(left), self.sides(right))
    }

    /// The counts with the side first whose containment is measured.
    fn sides(&self, counts: Overlap) -> Overlap {
        if self.ask == Ask::ContainedIn { counts.swapped() } else { counts }
    }
}

/// Number of elements P ⊆ Q to probe so that every match has one of them, if a match shares at
/// least `least` of the n elements of Q: n − least + 1 (theorem 1 with one hit required).
pub(super) fn elements_to_probe(n: u32, least: u32) -> u32 {
    n.saturating_sub(least) + 1
}

/// The least number of hits of a match among the probed elements, |P∩D|, where a match shares at
/// least `needed` elements with Q, and at most `unprobed` of those are in Q∖P. This function holds
/// the theorem of each kind of segment; nothing else decides what the counts may turn away.
///
/// **Theorem 1 (every element is posted, any P ⊆ Q is probed).** |P∩D| ≥ needed − (n − |P|).
/// *Proof.* Of the shared elements at most |Q∖P| = n − |P| are outside P. ∎ Any better bound on the
/// shared elements outside P may take the place of n − |P|: here, where all lists outside P are
/// long, the number of D's elements with long lists ([`CommonShare`](super::CommonShare)).
///
/// **Theorem 2 (lean segments: of D only the first p(m) elements of a fixed total order are posted,
/// and P is the first |P| of Q).** |P ∩ posted(D)| ≥ needed − max(n − |P|, m − p(m)). *Proof.* Those
/// shared elements that are not in P are a suffix of the shared elements in the order, at most
/// n − |P|; those that are not posted are a suffix too, at most m − p(m). The union of two suffixes
/// is the longer one. ∎ For a lean segment that maximum is `unprobed`. If P has
/// [`elements_to_probe`] and ℓ − 1 more, and needed ≥ ⌈t₀m⌉ ([`Lean::answers`](crate::Lean::answers)),
/// it is at most needed − ℓ, so that every match has ℓ hits, or at most 0 where a match may share
/// fewer than ℓ.
#[inline]
pub(super) fn least_hits(needed: u32, unprobed: u32) -> u32 {
    needed.saturating_sub(unprobed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ASKS: [Ask; 4] = [Ask::Resembles, Ask::Cosine, Ask::Containing, Ask::ContainedIn];

    fn criterion(ask: Ask, thousandths: u32, n: u32) -> Criterion {
        let text = format!("{}.{:03}", thousandths / 1000, thousandths % 1000);
        Criterion::new(Question { ask, threshold: text.parse().unwrap() }, n)
    }

    proptest! {
        #[test]
        fn bounds_turn_no_match_away(
            n in 1u32..150, m in 1u32..150, shared in 1u32..150, thousandths in 50u32..=1000,
        ) {
            let shared = shared.min(n).min(m);
            let (s, n64, m64, p) =
                (u64::from(shared), u64::from(n), u64::from(m), u64::from(thousandths));
            for ask in ASKS {
                let criterion = criterion(ask, thousandths, n);
                let truth = match ask {
                    Ask::Resembles => s * 1000 >= p * (n64 + m64 - s),
                    Ask::Cosine => s * s * 1_000_000 >= p * p * n64 * m64,
                    Ask::Containing => s * 1000 >= p * n64,
                    Ask::ContainedIn => s * 1000 >= p * m64,
                };
                prop_assert_eq!(criterion.reaches(criterion.counts(shared, m)), truth);
                prop_assert_eq!(shared >= criterion.needed(m), truth, "{:?}", ask);
                let (low, high) = criterion.sizes();
                prop_assert!(!truth || (low <= m && m <= high), "{:?}", ask);
                prop_assert!(criterion.needed(m) >= 1);
                prop_assert!(criterion.needed(m) <= criterion.needed(m + 1));
            }
        }
    }

    #[test]
    fn theorem_1_by_hand() {
        // Resemblance 0.8, n = m = 10: 9 are shared. Two elements always hold one of them, and if
        // all ten are probed the counts are overlaps.
        let criterion = criterion(Ask::Resembles, 800, 10);
        assert_eq!(criterion.sizes(), (8, 12));
        assert_eq!(criterion.needed(10), 9);
        assert_eq!(criterion.needed(8), 8);
        assert_eq!(elements_to_probe(10, 8), 3);
        assert_eq!(least_hits(9, 10 - 3), 2);
        assert_eq!(least_hits(9, 0), 9);
        assert_eq!(least_hits(9, 10), 0);
    }
}
