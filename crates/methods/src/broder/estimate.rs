//! Estimates of resemblance and containment from a sketch's counts, with their errors, for display.
//! Decisions compare the counts.
//!
//! **Why they are unbiased** (Broder 1997, "Estimating the resemblance and the containment"; the
//! paper refers to another for the proof). Under a random permutation, `V(A)∪V(B)` = `MOD_m(A∪B)`,
//! given its size u, is a random subset of u elements of A∪B, and so is `MIN_s(F(A)∪F(B))` =
//! `MIN_s(A∪B)`. Of N = |A∪B| elements K = |A∩B| are in both, so the number of hits among the u is
//! hypergeometric: its mean is u·K/N = u·r, its variance u·r(1−r)·(N−u)/(N−1). The containment of A
//! in B is the same with A for A∪B. The k minima of min-hash are draws with replacement: the number
//! of hits is binomial, with variance k·r(1−r).
//!
//! **Errors.** The standard error is sqrt(r̂(1−r̂)/u), from the binomial variance: exact for
//! min-hash, and slightly too large for the others, as it ignores the factor (N−u)/(N−1), which
//! approaches 0 as the sample approaches the whole set. It is 0 if every draw agrees, which
//! understates the error; so the interval is Wilson's, the values r that r̂ is within z standard
//! errors *of r* from: (r̂ + z²/2u ± z·sqrt(r̂(1−r̂)/u + z²/4u²)) / (1 + z²/u).

use crate::Evidence;
use lookalike_core::Overlap;

/// z of a 95 % confidence interval.
pub const Z_95: f64 = 1.959_963_984_540_054;

/// A proportion estimated from a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Estimate {
    /// Draws that were in both sets.
    pub hits: u32,
    /// Draws.
    pub draws: u32,
}

impl Estimate {
    /// Resemblance |A∩B| / |A∪B| from samples of both sets by one modulus.
    ///
    /// ```
    /// use lookalike_core::Overlap;
    /// use lookalike_methods::broder::{Estimate, estimate::Z_95};
    ///
    /// let estimate = Estimate::resemblance(Overlap { shared: 40, a: 45, b: 45 });
    /// assert_eq!(estimate.value(), 0.8);
    /// assert!((estimate.standard_error() - 0.0566).abs() < 0.0001);
    /// let (low, high) = estimate.interval(Z_95);
    /// assert!(low > 0.66 && high < 0.89);
    /// ```
    #[must_use]
    pub fn resemblance(counts: Overlap) -> Self {
        let union = u64::from(counts.a) + u64::from(counts.b) - u64::from(counts.shared);
        Self { hits: counts.shared, draws: u32::try_from(union).unwrap_or(u32::MAX) }
    }

    /// Containment |A∩B| / |A| from samples of both sets by one modulus.
    #[must_use]
    pub fn containment(counts: Overlap) -> Self {
        Self { hits: counts.shared, draws: counts.a }
    }

    /// Estimate of the resemblance from two sketches; `None` if the evidence does not estimate it.
    #[must_use]
    pub fn of(evidence: Evidence) -> Option<Self> {
        match evidence {
            Evidence::Sampled(counts) => Some(Self::resemblance(counts)),
            Evidence::Agreement { equal, of } => Some(Self { hits: equal, draws: of }),
            // Exact counts are not an estimate; the others do not estimate the resemblance.
            Evidence::Exact(_) | Evidence::Distance(_) | Evidence::SameKey => None,
        }
    }

    /// hits / draws; 0 without draws.
    #[must_use]
    pub fn value(self) -> f64 {
        if self.draws == 0 { 0.0 } else { f64::from(self.hits) / f64::from(self.draws) }
    }

    /// sqrt(r̂(1−r̂)/draws); infinite without draws.
    #[must_use]
    pub fn standard_error(self) -> f64 {
        if self.draws == 0 {
            return f64::INFINITY;
        }
        let value = self.value();
        (value * (1.0 - value) / f64::from(self.draws)).sqrt()
    }

    /// Wilson's interval of z standard errors; all of [0, 1] without draws.
    #[must_use]
    pub fn interval(self, z: f64) -> (f64, f64) {
        if self.draws == 0 {
            return (0.0, 1.0);
        }
        let (n, r) = (f64::from(self.draws), self.value());
        let scale = 1.0 + z * z / n;
        let middle = (r + z * z / (2.0 * n)) / scale;
        let half = z * (r * (1.0 - r) / n + z * z / (4.0 * n * n)).sqrt() / scale;
        // Without a hit the lower end is exactly 0, with hits only the upper end is exactly 1:
        // rounding must not exclude the true value.
        let low = if self.hits == 0 { 0.0 } else { (middle - half).max(0.0) };
        let high = if self.hits >= self.draws { 1.0 } else { (middle + half).min(1.0) };
        (low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broder::planted::Random;
    use crate::broder::{Selection, minimum};
    use lookalike_core::overlap;

    #[test]
    fn worked_by_hand() {
        // r̂ = 0.5 of 4, z = 2: (0.5 + 0.5 ± 2·sqrt(0.0625 + 0.0625)·…) / 2 = 0.5 ± 0.3536.
        let (low, high) = Estimate { hits: 2, draws: 4 }.interval(2.0);
        assert!((low - 0.146_447).abs() < 1e-6 && (high - 0.853_553).abs() < 1e-6, "{low} {high}");
        // No hit in 10 draws: the upper end is z²/(n + z²).
        let (low, high) = Estimate { hits: 0, draws: 10 }.interval(2.0);
        assert!(low == 0.0 && (high - 4.0 / 14.0).abs() < 1e-12, "{low} {high}");
        // The certain end is exact for any number of draws.
        for draws in 1..1000 {
            assert_eq!(Estimate { hits: 0, draws }.interval(Z_95).0, 0.0);
            assert_eq!(Estimate { hits: draws, draws }.interval(Z_95).1, 1.0);
        }
        let nothing = Estimate { hits: 0, draws: 0 };
        assert_eq!((nothing.value(), nothing.interval(2.0)), (0.0, (0.0, 1.0)));
        assert_eq!(nothing.standard_error(), f64::INFINITY);
        assert_eq!(Estimate::of(Evidence::Distance(3)), None);
        let counts = Overlap { shared: 2, a: 4, b: 3 };
        assert_eq!(Estimate::of(Evidence::Sampled(counts)), Some(Estimate { hits: 2, draws: 5 }));
        assert_eq!(Estimate::containment(counts), Estimate { hits: 2, draws: 4 });
    }

    /// The intervals of both kinds of sketch contain the true value at the stated rate; the modulus
    /// sample is a small part of the union, so that the interval is not too wide either.
    #[test]
    fn intervals_contain_the_true_value_at_the_stated_rate() {
        let mut random = Random(4);
        let selection = Selection::new(25, 64).unwrap();
        for shared in [100, 400, 900] {
            let counts = Overlap { shared, a: 1000, b: 1000 };
            let (r, c) = (counts.resemblance(), counts.containment_a_in_b());
            let rounds = 2000;
            let mut held = [0u32; 3];
            for _ in 0..rounds {
                let (mut a, mut b) = random.pair(counts);
                let (mut va, mut vb, mut fa, mut fb) = (vec![], vec![], vec![], vec![]);
                selection.select(&a, &mut va);
                selection.select(&b, &mut vb);
                minimum::smallest(&mut a, 64, &mut fa);
                minimum::smallest(&mut b, 64, &mut fb);
                let sampled =
                    Overlap { shared: overlap(&va, &vb), a: va.len() as u32, b: vb.len() as u32 };
                let (equal, of) = minimum::agreement(&fa, &fb, 64);
                let cases = [
                    (Estimate::resemblance(sampled), r),
                    (Estimate::containment(sampled), c),
                    (Estimate { hits: equal, draws: of }, r),
                ];
                for (held, (estimate, truth)) in held.iter_mut().zip(cases) {
                    let (low, high) = estimate.interval(Z_95);
                    *held += u32::from(low <= truth && truth <= high);
                }
            }
            for held in held {
                let share = f64::from(held) / f64::from(rounds);
                assert!((0.93..0.985).contains(&share), "{shared} shared: {share}");
            }
        }
    }
}
