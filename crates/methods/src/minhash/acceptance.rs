//! Number of k minima that must agree so that few pairs at the threshold are lost.
//!
//! Requiring an estimate of at least t would lose half of the pairs exactly at t, whose estimates
//! lie on either side of it. Of k independent minima of such a pair, Bin(k, t) agree, so the number
//! is a quantile of the lower tail of that distribution.

/// The largest e with P(Bin(k, t) < e) ≤ `lost`. O(k), by sums and products only: the same
/// everywhere.
///
/// ```
/// use lookalike_methods::minhash::acceptance::least_agreement;
///
/// // P(Bin(2, 1/2) < 1) = 1/4.
/// assert_eq!(least_agreement(2, 0.5, 0.25), 1);
/// assert_eq!(least_agreement(2, 0.5, 0.24), 0);
/// assert_eq!(least_agreement(128, 0.8, 0.005), 90);
/// ```
#[must_use]
pub fn least_agreement(k: u32, t: f64, lost: f64) -> u32 {
    if t >= 1.0 {
        return k;
    }
    // Weights relative to the one at the mode, which cannot underflow; those far from it may, and
    // are then negligible.
    let odds = t / (1.0 - t);
    let mode = ((f64::from(k) + 1.0) * t) as u32;
    let mode = mode.min(k);
    let mut weights = vec![0.0; k as usize + 1];
    weights[mode as usize] = 1.0;
    for j in mode..k {
        let step = f64::from(k - j) / f64::from(j + 1) * odds;
        weights[j as usize + 1] = weights[j as usize] * step;
    }
    for j in (0..mode).rev() {
        let step = f64::from(j + 1) / f64::from(k - j) / odds;
        weights[j as usize] = weights[j as usize + 1] * step;
    }
    let allowed = lost * weights.iter().sum::<f64>();
    let mut below = 0.0;
    for (least, weight) in (0..).zip(&weights) {
        below += weight;
        if below > allowed {
            return least;
        }
    }
    k
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// P(Bin(k, t) < e) from the definition.
    fn below(k: u32, t: f64, e: u32) -> f64 {
        let choose = |j: u32| (0..j).fold(1.0, |c, i| c * f64::from(k - i) / f64::from(i + 1));
        (0..e).map(|j| choose(j) * t.powi(j as i32) * (1.0 - t).powi((k - j) as i32)).sum()
    }

    proptest! {
        #[test]
        fn the_largest_that_loses_no_more(k in 1u32..60, t in 0.02f64..0.98, lost in 0.0005f64..0.3) {
            let least = least_agreement(k, t, lost);
            prop_assert!(least <= k);
            prop_assert!(below(k, t, least) <= lost + 1e-9);
            prop_assert!(below(k, t, least + 1) > lost - 1e-9);
        }
    }

    #[test]
    fn the_ends() {
        assert_eq!(least_agreement(128, 1.0, 0.01), 128);
        // 0.9⁴ = 0.6561 of the weight is at 0.
        assert_eq!(least_agreement(4, 0.1, 0.01), 0);
        // Thousands of slots: most weights underflow, the tail does not.
        let least = least_agreement(4096, 0.8, 0.005);
        let expected = 4096.0 * 0.8 - 2.576 * (4096.0f64 * 0.16).sqrt();
        assert!((f64::from(least) - expected).abs() < 3.0, "{least}, not {expected}");
    }
}
