//! Confidence intervals of estimates from sketches, for the tables and the report.
//!
//! The intervals are those of [`Estimate`]: Wilson's, at 95 %. Complete sets have none, because
//! nothing is estimated; neither have sketches whose agreement does not estimate the resemblance
//! ([`lookalike_methods::Method::estimates`]).

use lookalike_engine::{Approach, Verify};
use lookalike_methods::Evidence;
use lookalike_methods::broder::Estimate;
use lookalike_methods::broder::estimate::Z_95;

/// Whether the pairs of a run are decided by estimates of the resemblance.
pub(crate) fn are_made(approach: &Approach) -> bool {
    let estimates = approach.method.as_ref().is_some_and(|method| method.estimates());
    approach.verify == Verify::Sketch && estimates
}

/// The 95 % interval of the resemblance.
pub(crate) fn interval(evidence: Evidence) -> Option<(f64, f64)> {
    Some(Estimate::of(evidence)?.interval(Z_95))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike_core::Overlap;

    #[test]
    fn worked_by_hand() {
        // 40 of 50: (0.8 + z²/100 ± z·sqrt(0.16/50 + z²/10⁴)) / (1 + z²/50), z² = 3.8415.
        let (low, high) =
            interval(Evidence::Sampled(Overlap { shared: 40, a: 45, b: 45 })).unwrap();
        assert!((low - 0.669_629).abs() < 1e-6 && (high - 0.887_562).abs() < 1e-6, "{low} {high}");
        // All of 128 agree: 128 / (128 + z²) to 1.
        let (low, high) = interval(Evidence::Agreement { equal: 128, of: 128 }).unwrap();
        assert!((low - 0.970_863).abs() < 1e-6 && high > 1.0 - 1e-12, "{low} {high}");
        let exact = Evidence::Exact(Overlap { shared: 40, a: 45, b: 45 });
        assert_eq!([exact, Evidence::Distance(3), Evidence::SameKey].map(interval), [None; 3]);
    }
}
