//! The criterion for pairs from their counts, and whether a list by one criterion contains all
//! pairs of another.

use lookalike_core::{Measure, Overlap, Threshold};
use lookalike_methods::Evidence;
use lookalike_methods::broder::Policy;
use std::cmp::Ordering;

/// A criterion for pairs. In all counts `a` is the unit that comes later in precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Criterion {
    /// Whole sets, by a measure.
    Exact(Measure, Threshold),
    /// Samples of the sets at one modulus (Broder's V(D)), by a policy.
    Sampled(Policy, Threshold),
}

impl Criterion {
    pub(super) fn reaches(self, counts: Overlap) -> bool {
        match self {
            Self::Exact(measure, threshold) => measure.reaches(threshold, counts),
            Self::Sampled(policy, threshold) => policy.accepts(threshold, counts),
        }
    }

    /// Orders two matches of one unit, the worse first.
    pub(super) fn compare(self, left: Overlap, right: Overlap) -> Ordering {
        match self {
            Self::Exact(measure, _) => measure.compare(left, right),
            Self::Sampled(..) => self.evidence(left).compare(self.evidence(right)),
        }
    }

    pub(super) fn evidence(self, counts: Overlap) -> Evidence {
        match self {
            Self::Exact(..) => Evidence::Exact(counts),
            Self::Sampled(..) => Evidence::Sampled(counts),
        }
    }
}

/// Whether every pair that reaches `threshold` by `measure` is among those that reach `known` by
/// `by`.
///
/// With a ≤ b, s/(a+b−s) ≤ s/√(ab) ≤ s/a, because a+b−s ≥ b ≥ √(ab) ≥ a: a list by containment (of
/// the smaller in the larger) contains all pairs that reach its threshold by cosine, and a list by
/// cosine all by resemblance. In the other direction: s ≥ c·√(ab) and s ≤ a give √(b/a) ≤ 1/c, and
/// s/(a+b−s) is least, c², just there; so a cosine of c implies a resemblance of c². Containment
/// implies nothing: the resemblance of a small set in a large one can be arbitrarily small.
pub(super) fn covers(
    by: Measure,
    known: Threshold,
    measure: Measure,
    threshold: Threshold,
) -> bool {
    let wide = |t: Threshold| (u128::from(t.numerator()), u128::from(t.denominator()));
    let ((p, q), (known_p, known_q)) = (wide(threshold), wide(known));
    // Below 2³⁰ each, so all products are below 2⁹⁰.
    match (by, measure) {
        (Measure::Resemblance, Measure::Cosine) => p * p * known_q >= known_p * q * q,
        (Measure::Resemblance | Measure::Cosine, Measure::Containment) => false,
        _ => p * known_q >= known_p * q,
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
        use Measure::{Containment, Cosine, Resemblance};
        for (by, known, measure, threshold, covered) in [
            (Resemblance, "0.5", Resemblance, "0.5", true),
            (Resemblance, "0.5", Resemblance, "0.499999999", false),
            (Containment, "0.5", Resemblance, "0.5", true),
            (Containment, "0.5", Cosine, "0.6", true),
            (Cosine, "0.5", Resemblance, "0.6", true),
            (Cosine, "0.5", Containment, "1", false),
            (Resemblance, "0.1", Containment, "1", false),
            // 0.9² = 0.81.
            (Resemblance, "0.81", Cosine, "0.9", true),
            (Resemblance, "0.810000001", Cosine, "0.9", false),
        ] {
            let found = covers(by, t(known), measure, t(threshold));
            assert_eq!(found, covered, "{by:?} {known}, {measure:?} {threshold}");
        }
        // The bound is tight: cosine 1/2 by a set of 1 in one of 4, whose resemblance is 1/4.
        let counts = Overlap { shared: 1, a: 1, b: 4 };
        assert!(Cosine.reaches(t("0.5"), counts) && Resemblance.reaches(t("0.25"), counts));
        assert!(!Resemblance.reaches(t("0.250000001"), counts));
    }

    proptest! {
        /// Covered pairs are in the list; the smaller set is the later one.
        #[test]
        fn no_pair_that_is_covered_is_missing(
            a in 1u32..60, more in 0u32..60, shared in 1u32..60, known in 1u32..=100, asked in 1u32..=100,
        ) {
            let counts = Overlap { shared: shared.min(a), a, b: a + more };
            let hundredths = |n: u32| t(&format!("{}.{:02}", n / 100, n % 100));
            let (known, asked) = (hundredths(known), hundredths(asked));
            for by in MEASURES {
                for measure in MEASURES {
                    if covers(by, known, measure, asked) && measure.reaches(asked, counts) {
                        prop_assert!(by.reaches(known, counts), "{:?} {:?}", by, measure);
                    }
                }
            }
        }
    }
}
