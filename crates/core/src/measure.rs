//! Similarity measures and the bounds that follow from them.
//!
//! *Resemblance* |A∩B| / |A∪B| and *containment* |A∩B| / |A| are defined in Broder 1997, "Defining
//! similarity of documents"; *binary cosine* |A∩B| / sqrt(|A|·|B|) in Kołcz & Chowdhury 2008,
//! section 6.4. Decisions are made in integers; floating-point values are for display.
//!
//! The bounds of an exact set-similarity join are derived beside each function: the least overlap
//! of a match, the sizes that can match (length filter), and the prefix length (prefix filter).

use crate::Threshold;
use serde::{Deserialize, Serialize};

/// Measure of similarity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Measure {
    /// |A∩B| / |A∪B|.
    #[default]
    Resemblance,
    /// |A∩B| / |A|, where A is the document that may be removed: the smaller set of a pair.
    Containment,
    /// |A∩B| / sqrt(|A|·|B|).
    Cosine,
}

/// Sizes of two sets and of their intersection: all that any measure needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Overlap {
    /// |A∩B|
    pub shared: u32,
    /// |A|
    pub a: u32,
    /// |B|
    pub b: u32,
}

impl Overlap {
    /// |A∩B| / |A∪B|; 0 for two empty sets.
    #[must_use]
    pub fn resemblance(self) -> f64 {
        let union = u64::from(self.a) + u64::from(self.b) - u64::from(self.shared);
        ratio(u64::from(self.shared), union)
    }

    /// |A∩B| / |A|: how much of a is in b.
    #[must_use]
    pub fn containment_a_in_b(self) -> f64 {
        ratio(u64::from(self.shared), u64::from(self.a))
    }

    /// |A∩B| / |B|: how much of b is in a.
    #[must_use]
    pub fn containment_b_in_a(self) -> f64 {
        ratio(u64::from(self.shared), u64::from(self.b))
    }

    /// |A∩B| / sqrt(|A|·|B|).
    #[must_use]
    pub fn cosine(self) -> f64 {
        if self.shared == 0 {
            return 0.0;
        }
        f64::from(self.shared) / (f64::from(self.a) * f64::from(self.b)).sqrt()
    }

    /// The same pair with its sides swapped.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self { shared: self.shared, a: self.b, b: self.a }
    }
}

fn ratio(numerator: u64, denominator: u64) -> f64 {
    if denominator == 0 { 0.0 } else { numerator as f64 / denominator as f64 }
}

impl Measure {
    /// The value of the measure, from the side of `a` (containment: of a in b).
    #[must_use]
    pub fn value(self, counts: Overlap) -> f64 {
        match self {
            Self::Resemblance => counts.resemblance(),
            Self::Containment => counts.containment_a_in_b(),
            Self::Cosine => counts.cosine(),
        }
    }

    /// Whether the value (containment: of a in b) reaches the threshold. Exact, without division,
    /// as it is evaluated for every candidate.
    #[inline]
    #[must_use]
    pub fn reaches(self, threshold: Threshold, counts: Overlap) -> bool {
        let (p, q) = (threshold.numerator(), threshold.denominator());
        let (s, a, b) = (u64::from(counts.shared), u64::from(counts.a), u64::from(counts.b));
        // p, q < 2³⁰ and s, a, b < 2³²: the first two stay below 2⁶⁴, the last below 2¹²⁸.
        let enough = match self {
            Self::Resemblance => s * (p + q) >= p * (a + b),
            Self::Containment => s * q >= p * a,
            Self::Cosine => {
                let square = |x: u64| u128::from(x) * u128::from(x);
                square(s) * square(q) >= square(p) * (u128::from(a) * u128::from(b))
            }
        };
        s > 0 && enough
    }

    /// Orders two matches of one document `a` by their value: exact, without division.
    #[must_use]
    pub fn compare(self, left: Overlap, right: Overlap) -> std::cmp::Ordering {
        let wide = |o: Overlap| (u128::from(o.shared), u128::from(o.a), u128::from(o.b));
        let (ls, la, lb) = wide(left);
        let (rs, ra, rb) = wide(right);
        match self {
            // Cross-multiplied.
            Self::Resemblance => (ls * (ra + rb - rs)).cmp(&(rs * (la + lb - ls))),
            Self::Containment => (ls * ra).cmp(&(rs * la)),
            // Squared; shared ≤ 2³², so squares of products stay below 2¹²⁸.
            Self::Cosine => (ls * ls * ra * rb).cmp(&(rs * rs * la * lb)),
        }
    }

    /// The least |A∩B| with which sets of sizes `a` and `b` reach the threshold; more than the
    /// smaller size where they cannot.
    ///
    /// With t = p/q: resemblance s/(a+b−s) ≥ p/q ⇔ s ≥ p(a+b)/(p+q); containment s/a ≥ p/q ⇔
    /// s ≥ pa/q; cosine s²/(ab) ≥ p²/q² ⇔ s ≥ sqrt(p²ab)/q.
    #[must_use]
    pub fn needed_overlap(self, threshold: Threshold, a: u32, b: u32) -> u32 {
        let (p, q) = (u128::from(threshold.numerator()), u128::from(threshold.denominator()));
        let (a, b) = (u128::from(a), u128::from(b));
        let needed = match self {
            Self::Resemblance => (p * (a + b)).div_ceil(p + q),
            Self::Containment => (p * a).div_ceil(q),
            Self::Cosine => {
                // Smallest s with s²q² ≥ p²ab. p, q < 2³⁰ and a, b < 2³²: all below 2¹²⁸.
                let square = p * p * a * b;
                let root = square.isqrt();
                let root = root + u128::from(root * root < square);
                root.div_ceil(q)
            }
        };
        u32::try_from(needed).unwrap_or(u32::MAX)
    }

    /// The least |A∩B| with which a set of `a` elements matches one of `b` at least as well as it
    /// matches another with the counts `best` (better, if `strictly`).
    ///
    /// s/(a+b−s) ≥ s'/u ⇔ s·(u+s') ≥ s'(a+b) with u = a+b'−s'; s/a ≥ s'/a ⇔ s ≥ s';
    /// s/√(ab) ≥ s'/√(ab') ⇔ s²b' ≥ s'²b.
    #[must_use]
    pub fn needed_to_match(self, best: Overlap, b: u32, strictly: bool) -> u32 {
        let (shared, a) = (u128::from(best.shared), u128::from(best.a));
        let (other, b) = (u128::from(best.b), u128::from(b));
        // The least s with s·x ≥ y, or > y.
        let least = |x: u128, y: u128| if strictly { y / x + 1 } else { y.div_ceil(x) };
        let needed = match self {
            Self::Resemblance => least(a + other, shared * (a + b)),
            Self::Containment => shared + u128::from(strictly),
            Self::Cosine => {
                // s² must reach, or pass, shared²·b / other.
                let square = least(other, shared * shared * b);
                let root = square.isqrt();
                root + u128::from(root * root < square)
            }
        };
        u32::try_from(needed).unwrap_or(u32::MAX)
    }

    /// Smallest and largest size of a set that can match one of `size` elements (length filter).
    ///
    /// Resemblance ≤ min/max ⇒ t·a ≤ b ≤ a/t; cosine ≤ sqrt(min/max) ⇒ t²a ≤ b ≤ a/t²; a set of a
    /// elements can be contained in any of t·a or more.
    #[must_use]
    pub fn size_bounds(self, threshold: Threshold, size: u32) -> (u32, u32) {
        let (p, q) = self.linear(threshold);
        let size = u128::from(size);
        let low = u32::try_from((p * size).div_ceil(q)).unwrap_or(u32::MAX);
        let high = match self {
            Self::Containment => u32::MAX,
            _ => u32::try_from(q * size / p).unwrap_or(u32::MAX),
        };
        (low, high)
    }

    /// The least |A∩B| of a set A of `size` elements with any set B that it matches, whatever the
    /// size of B: ⌈t·size⌉, for cosine ⌈t²·size⌉. The same as the lower of [`Self::size_bounds`].
    ///
    /// Let o = |A∩B|, a = |A|, b = |B|. Resemblance: o ≥ t·|A∪B| ≥ t·a. Containment of A: o ≥ t·a.
    /// Cosine: o ≥ t·√(ab) and b ≥ o, so o² ≥ t²·a·o, and o ≥ t²·a as o > 0. Each is reached, up to
    /// rounding, by a B of that size inside A.
    #[must_use]
    pub fn least_shared(self, threshold: Threshold, size: u32) -> u32 {
        let (p, q) = self.linear(threshold);
        // t ≤ 1: not above `size`.
        (p * u128::from(size)).div_ceil(q) as u32
    }

    /// Prefix length: the number of elements, from the start of any fixed total order, of which
    /// every matching set shares at least one.
    ///
    /// A match shares at least m elements ([`Self::least_shared`]); the last m−1 of `size` cannot
    /// hold m shared ones, so one lies in the first size − m + 1.
    #[must_use]
    pub fn prefix_length(self, threshold: Threshold, size: u32) -> u32 {
        if size == 0 {
            return 0;
        }
        size - self.least_shared(threshold, size) + 1
    }

    /// Whether a pair's value is the same from both sides.
    #[must_use]
    pub fn is_symmetric(self) -> bool {
        self != Self::Containment
    }

    /// The ratio by which sizes of a matching pair may differ: t, or t² for cosine.
    fn linear(self, threshold: Threshold) -> (u128, u128) {
        let (p, q) = (u128::from(threshold.numerator()), u128::from(threshold.denominator()));
        match self {
            Self::Cosine => (p * p, q * q),
            _ => (p, q),
        }
    }

    /// The name used in settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Resemblance => "resemblance",
            Self::Containment => "containment",
            Self::Cosine => "cosine",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MEASURES: [Measure; 3] = [Measure::Resemblance, Measure::Containment, Measure::Cosine];

    fn t(text: &str) -> Threshold {
        text.parse().unwrap()
    }

    #[test]
    fn worked_by_hand() {
        let counts = Overlap { shared: 4, a: 5, b: 4 };
        assert_eq!(counts.resemblance(), 0.8);
        assert_eq!(counts.containment_a_in_b(), 0.8);
        assert_eq!(counts.containment_b_in_a(), 1.0);
        assert!((counts.cosine() - 4.0 / 20f64.sqrt()).abs() < 1e-15);
        assert!(Measure::Resemblance.reaches(t("0.8"), counts));
        assert!(!Measure::Resemblance.reaches(t("0.800000001"), counts));
        assert_eq!(Measure::Resemblance.needed_overlap(t("0.8"), 10, 10), 9);
        assert_eq!(Measure::Cosine.needed_overlap(t("0.9"), 10, 10), 9);
        assert_eq!(Measure::Cosine.needed_overlap(t("0.9"), 20, 5), 9);
        assert_eq!(Measure::Containment.needed_overlap(t("0.9"), 10, 500), 9);
        assert_eq!(Measure::Resemblance.prefix_length(t("0.8"), 10), 3);
        assert_eq!(Measure::Cosine.prefix_length(t("0.9"), 100), 20);
        assert_eq!(Measure::Resemblance.least_shared(t("0.8"), 11), 9);
        assert_eq!(Measure::Containment.least_shared(t("0.8"), 10), 8);
        assert_eq!(Measure::Cosine.least_shared(t("0.9"), 101), 82);
        assert_eq!(Measure::Cosine.least_shared(t("0.000000001"), u32::MAX), 1);
        assert_eq!(Measure::Resemblance.least_shared(t("1"), u32::MAX), u32::MAX);
        assert_eq!(Measure::Resemblance.size_bounds(t("0.8"), 10), (8, 12));
        assert_eq!(Measure::Cosine.size_bounds(t("0.9"), 100), (81, 123));
        assert_eq!(Overlap { shared: 0, a: 0, b: 0 }.resemblance(), 0.0);
    }

    proptest! {
        #[test]
        fn bounds_are_tight_and_never_exclude_a_match(
            a in 1u32..120, b in 1u32..120, shared in 0u32..120, thousandths in 300u32..=1000,
        ) {
            let shared = shared.min(a).min(b);
            let threshold = t(&format!("{}.{:03}", thousandths / 1000, thousandths % 1000));
            let counts = Overlap { shared, a, b };
            let (s, x, y, p) = (u64::from(shared), u64::from(a), u64::from(b), u64::from(thousandths));
            for measure in MEASURES {
                // The definitions, cross-multiplied.
                let truth = match measure {
                    Measure::Resemblance => s * 1000 >= p * (x + y - s),
                    Measure::Containment => s * 1000 >= p * x,
                    Measure::Cosine => s * s * 1_000_000 >= p * p * x * y,
                };
                prop_assert_eq!(measure.reaches(threshold, counts), truth && s > 0);
                if truth && s > 0 {
                    let (low, high) = measure.size_bounds(threshold, a);
                    prop_assert!(low <= b && b <= high);
                    prop_assert!(measure.least_shared(threshold, a) <= shared);
                    // The worst case of the prefix: everything not shared comes first.
                    prop_assert!(measure.prefix_length(threshold, a) > a - shared);
                    if measure.is_symmetric() {
                        prop_assert!(measure.prefix_length(threshold, b) > b - shared);
                    }
                }
            }
        }

        #[test]
        fn a_subset_of_the_least_shared_size_matches(a in 1u32..200, thousandths in 1u32..=1000) {
            let threshold = t(&format!("{}.{:03}", thousandths / 1000, thousandths % 1000));
            for measure in MEASURES {
                // The bound is tight: the match is made of the least shared elements alone, or, for
                // containment, of them and any others.
                let least = measure.least_shared(threshold, a);
                let counts = Overlap { shared: least, a, b: least };
                prop_assert!(measure.reaches(threshold, counts), "{:?}", measure);
            }
        }

        #[test]
        fn what_it_takes_to_match_a_match_agrees_with_comparing(
            a in 1u32..60, b in 1u32..60, c in 1u32..60, s1 in 1u32..60, s2 in 0u32..60,
        ) {
            let best = Overlap { shared: s1.min(a).min(c), a, b: c };
            let new = Overlap { shared: s2.min(a).min(b), a, b };
            for measure in MEASURES {
                let order = measure.compare(new, best);
                let needed = |strictly| measure.needed_to_match(best, b, strictly);
                prop_assert_eq!(order.is_ge(), new.shared >= needed(false), "{:?}", measure);
                prop_assert_eq!(order.is_gt(), new.shared >= needed(true), "{:?}", measure);
            }
        }

        #[test]
        fn comparing_agrees_with_the_values(
            a in 1u32..60, b in 1u32..60, c in 1u32..60, s1 in 0u32..60, s2 in 0u32..60,
        ) {
            let left = Overlap { shared: s1.min(a).min(b), a, b };
            let right = Overlap { shared: s2.min(a).min(c), a, b: c };
            for measure in MEASURES {
                let (l, r) = (measure.value(left), measure.value(right));
                if (l - r).abs() > 1e-12 {
                    prop_assert_eq!(measure.compare(left, right), l.total_cmp(&r));
                }
            }
        }
    }
}
