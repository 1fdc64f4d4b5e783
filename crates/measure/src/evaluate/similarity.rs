//! The eleven similarity steps, and confidence intervals.
//!
//! Step k < 10 contains the similarities from k/10 to below (k+1)/10, step 10 those of exactly 1.
//! Steps are found in integers. The interval is Wilson's score interval (Wilson 1927).

use lookalike_core::{Measure, Overlap};

/// Number of steps.
pub(crate) const STEPS: usize = 11;

/// The step of a pair; for containment `a` is the document that may be contained.
pub(crate) fn step(measure: Measure, counts: Overlap) -> u8 {
    let (s, a, b) = (u64::from(counts.shared), u64::from(counts.a), u64::from(counts.b));
    let tenths = |part: u64, whole: u64| (10 * part).checked_div(whole).unwrap_or(0) as u8;
    match measure {
        Measure::Resemblance => tenths(s, a + b - s),
        Measure::Containment => tenths(s, a),
        // k/10 ≤ s/√(ab) ⇔ k²ab ≤ 100s²; all below 2⁷¹.
        Measure::Cosine => {
            let (s, ab) = (u128::from(s), u128::from(a) * u128::from(b));
            (1..=10u8)
                .rev()
                .find(|&k| ab > 0 && u128::from(k) * u128::from(k) * ab <= 100 * s * s)
                .unwrap_or(0)
        }
    }
}

/// The 95 % quantile of the normal distribution, two-sided.
const Z: f64 = 1.959_963_985;

/// Wilson's 95 % interval for the probability of an event that occurred `hits` times in `trials`.
/// `None` without a trial.
///
/// Pairs of one document are not independent, so the interval is too narrow if few documents have
/// most of the pairs.
pub(crate) fn wilson(hits: u64, trials: u64) -> Option<(f64, f64)> {
    if trials == 0 {
        return None;
    }
    let (n, p) = (trials as f64, hits as f64 / trials as f64);
    let middle = p + Z * Z / (2.0 * n);
    let half = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    // At 0 and 1 the interval includes the end in spite of rounding.
    let low = if hits == 0 { 0.0 } else { ((middle - half) / scale).max(0.0) };
    let high = if hits == trials { 1.0 } else { ((middle + half) / scale).min(1.0) };
    Some((low, high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn steps_worked_by_hand() {
        let of = |measure, shared, a, b| step(measure, Overlap { shared, a, b });
        // 4/5, 9/10 and 1.
        assert_eq!(of(Measure::Resemblance, 4, 5, 4), 8);
        assert_eq!(of(Measure::Resemblance, 9, 10, 9), 9);
        assert_eq!(of(Measure::Resemblance, 7, 7, 7), 10);
        assert_eq!(of(Measure::Resemblance, 0, 7, 7), 0);
        assert_eq!(of(Measure::Containment, 7, 7, 70), 10);
        assert_eq!(of(Measure::Containment, 6, 7, 70), 8);
        // 9/√(9·16) = 0.75; 9/10 exactly; a hair below.
        assert_eq!(of(Measure::Cosine, 9, 9, 16), 7);
        assert_eq!(of(Measure::Cosine, 9, 10, 10), 9);
        assert_eq!(of(Measure::Cosine, 899_999, 1_000_000, 1_000_000), 8);
        assert_eq!(of(Measure::Cosine, 10, 10, 10), 10);
        assert_eq!(of(Measure::Cosine, 0, 0, 0), 0);
    }

    #[test]
    fn the_interval_worked_by_hand() {
        // 8 of 10: (0.8 + 0.19207 ± 1.95996·√(0.016 + 0.0096036)) / 1.38415.
        let (low, high) = wilson(8, 10).unwrap();
        assert!((low - 0.490_16).abs() < 1e-4 && (high - 0.943_32).abs() < 1e-4, "{low} {high}");
        let (low, high) = wilson(10, 10).unwrap();
        assert!((low - 0.722_47).abs() < 1e-4 && high == 1.0, "{low}");
        assert_eq!(wilson(0, 0), None);
    }

    proptest! {
        #[test]
        fn steps_agree_with_the_values(shared in 0u32..50, a in 1u32..50, b in 1u32..50) {
            let counts = Overlap { shared: shared.min(a).min(b), a, b };
            for measure in [Measure::Resemblance, Measure::Containment, Measure::Cosine] {
                let tenths = measure.value(counts) * 10.0;
                // Away from the edges, where rounding may change the step.
                if (tenths - tenths.round()).abs() > 1e-9 {
                    prop_assert_eq!(step(measure, counts), tenths as u8);
                }
            }
        }

        #[test]
        fn the_interval_contains_the_share(trials in 1u64..500, part in 0.0f64..=1.0) {
            let hits = (part * trials as f64) as u64;
            let (low, high) = wilson(hits, trials).unwrap();
            let share = hits as f64 / trials as f64;
            prop_assert!(0.0 <= low && low <= share && share <= high && high <= 1.0);
        }
    }
}
