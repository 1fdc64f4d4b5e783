//! LSH banding: k minima in b bands of r rows.
//!
//! Two documents are candidates if all r minima of some band agree. Each agrees with probability s,
//! the resemblance, so the probability of a candidate is 1−(1−s^r)^b: the S-curve (Indyk & Motwani
//! 1998; Haveliwala, Gionis & Indyk 2000). The common "threshold" (1/b)^(1/r) is where the curve is
//! steep, not where it is close to 1: here b and r are chosen so that a pair *exactly at* t is
//! found with the required recall.

use lookalike_core::fingerprint::{self, finalise};

/// b bands of r rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bands {
    /// b.
    pub bands: u32,
    /// r.
    pub rows: u32,
}

/// A point of an S-curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Resemblance of two documents.
    pub resemblance: f64,
    /// The probability of a common key.
    pub probability: f64,
}

/// Step between the numbers of bands, so that they differ in all bits.
const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

/// Number of intervals of the integration; even, for Simpson's rule.
const INTERVALS: u32 = 512;

impl Bands {
    /// Minima that the bands use: b·r.
    #[must_use]
    pub fn slots(self) -> u32 {
        self.bands.saturating_mul(self.rows)
    }

    /// 1−(1−s^r)^b.
    ///
    /// ```
    /// use lookalike_methods::minhash::Bands;
    ///
    /// // Often called "a threshold of 0.8": 8 bands of 16 find one in five pairs that are at 0.8.
    /// let p = Bands { bands: 8, rows: 16 }.probability(0.8);
    /// assert!((p - 0.204).abs() < 0.001);
    /// ```
    #[must_use]
    pub fn probability(self, s: f64) -> f64 {
        1.0 - power(1.0 - power(s, self.rows), self.bands)
    }

    /// The S-curve at 0, 1/steps, … 1.
    ///
    /// ```
    /// use lookalike_methods::minhash::Bands;
    ///
    /// let bands = Bands { bands: 14, rows: 7 };
    /// for point in bands.curve(20) {
    ///     println!("{:.2} {:.4}", point.resemblance, point.probability);
    /// }
    /// ```
    #[must_use]
    pub fn curve(self, steps: u32) -> Vec<Point> {
        let at = |step: u32| f64::from(step) / f64::from(steps.max(1));
        (0..=steps)
            .map(|step| Point { resemblance: at(step), probability: self.probability(at(step)) })
            .collect()
    }

    /// The area under the S-curve below t: the share of false candidates if resemblances were
    /// uniformly distributed.
    #[must_use]
    pub fn false_candidates(self, t: f64) -> f64 {
        integral(0.0, t, |s| self.probability(s))
    }

    /// The area above the S-curve from t on: the share of pairs that are missed, if resemblances
    /// were uniformly distributed.
    #[must_use]
    pub fn missed(self, t: f64) -> f64 {
        integral(t, 1.0, |s| 1.0 - self.probability(s))
    }

    /// The bands with the least weighted sum of false candidates and missed pairs, from at most
    /// `most` minima: what other libraries choose for "a threshold of t". Pairs exactly at `t` are
    /// often missed; [`Bands::choose`] asks for their recall.
    ///
    /// ```
    /// use lookalike_methods::minhash::Bands;
    ///
    /// let balanced = Bands::balanced(0.8, 0.5, 0.5, 128);
    /// assert_eq!(balanced, Bands { bands: 9, rows: 13 });
    /// assert!(balanced.probability(0.8) < 0.41);
    /// ```
    #[must_use]
    pub fn balanced(t: f64, false_candidates: f64, missed: f64, most: u32) -> Self {
        let mut best = (f64::INFINITY, Self { bands: 1, rows: 1 });
        for bands in 1..=most {
            for rows in 1..=most / bands {
                let found = Self { bands, rows };
                let error = false_candidates * found.false_candidates(t) + missed * found.missed(t);
                if error < best.0 {
                    best = (error, found);
                }
            }
        }
        best.1
    }

    /// The bands with the fewest false candidates of those that find a pair exactly at `t` with
    /// probability `recall` or more, from at most `most` minima. `None` if there are none.
    ///
    /// For each number of rows the fewest bands that suffice are best, as every further band only
    /// adds candidates. Sums and products only, so that the choice is the same on every machine.
    ///
    /// ```
    /// use lookalike_methods::minhash::Bands;
    ///
    /// assert_eq!(Bands::choose(0.8, 0.95, 128), Some(Bands { bands: 13, rows: 7 }));
    /// assert_eq!(Bands::choose(0.8, 0.95, 256), Some(Bands { bands: 21, rows: 9 }));
    /// assert_eq!(Bands::choose(0.1, 0.95, 20), None);
    /// ```
    #[must_use]
    pub fn choose(t: f64, recall: f64, most: u32) -> Option<Self> {
        let mut best: Option<(f64, Self)> = None;
        for rows in 1..=most {
            let Some(bands) = fewest(t, recall, rows, most / rows) else { continue };
            let found = Self { bands, rows };
            let false_candidates = found.false_candidates(t);
            if best.is_none_or(|(least, _)| false_candidates < least) {
                best = Some((false_candidates, found));
            }
        }
        best.map(|(_, found)| found)
    }

    /// Appends a key for each band of these minima. The number of the band is mixed in, so that
    /// keys of different bands differ. O(b·r).
    pub fn keys(self, minima: &[u64], out: &mut Vec<u64>) {
        let bands = minima.chunks_exact(self.rows as usize).take(self.bands as usize);
        out.extend((0..).zip(bands).map(|(number, band)| numbered(number, digest(band))));
    }
}

/// Integral by Simpson's rule.
fn integral(from: f64, to: f64, of: impl Fn(f64) -> f64) -> f64 {
    let width = (to - from) / f64::from(INTERVALS);
    let sum: f64 = (0..=INTERVALS)
        .map(|i| {
            let weight = match i {
                0 | INTERVALS => 1.0,
                i if i % 2 == 1 => 4.0,
                _ => 2.0,
            };
            weight * of(from + f64::from(i) * width)
        })
        .sum();
    sum * width / 3.0
}

/// The minimum number of bands of `rows` rows that suffices, at most `most`.
fn fewest(t: f64, recall: f64, rows: u32, most: u32) -> Option<u32> {
    let miss = 1.0 - power(t, rows);
    let mut missed = 1.0;
    (1..=most).find(|_| {
        missed *= miss;
        1.0 - missed >= recall
    })
}

/// Fingerprint of a sequence of values.
pub(super) fn digest(values: &[u64]) -> u64 {
    let mut digest = 0;
    fingerprint::shingles(values, values.len(), |value| digest = value);
    digest
}

/// A key with the number of its band, pair or order mixed in.
pub(super) fn numbered(number: u64, key: u64) -> u64 {
    finalise(key.wrapping_add((number + 1).wrapping_mul(GAMMA)))
}

/// x^n by multiplication alone; `powi` may differ between machines.
pub(super) fn power(mut x: f64, mut n: u32) -> f64 {
    let mut result = 1.0;
    while n > 0 {
        if n & 1 == 1 {
            result *= x;
        }
        x *= x;
        n >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broder::planted::Random;
    use crate::minhash::Slots;
    use crate::minhash::slots::kfold::KFold;
    use crate::minhash::slots::one_permutation::OnePermutation;
    use lookalike_core::Overlap;
    use proptest::prelude::*;

    #[test]
    fn worked_by_hand() {
        // 1−(1−0.5²)³ = 1−0.75³.
        assert_eq!(Bands { bands: 3, rows: 2 }.probability(0.5), 0.578_125);
        // ∫₀¹ s = 1/2, ∫₀¹ 1−(1−s)² = 2/3.
        assert!((Bands { bands: 1, rows: 1 }.false_candidates(1.0) - 0.5).abs() < 1e-12);
        assert!((Bands { bands: 2, rows: 1 }.false_candidates(1.0) - 2.0 / 3.0).abs() < 1e-12);
        // ∫ 1−s from 1/2 on = 1/8; the two areas of all bands are that of the unit square.
        assert!((Bands { bands: 1, rows: 1 }.missed(0.5) - 0.125).abs() < 1e-12);
        let curve = Bands { bands: 3, rows: 2 }.curve(2);
        assert_eq!(curve[0], Point { resemblance: 0.0, probability: 0.0 });
        assert_eq!(curve[1], Point { resemblance: 0.5, probability: 0.578_125 });
        assert_eq!(curve[2], Point { resemblance: 1.0, probability: 1.0 });
    }

    proptest! {
        #[test]
        fn the_choice_is_the_best_of_all(t in 0.05f64..1.0, recall in 0.5f64..0.999, most in 1u32..80) {
            let suffices = |b: Bands| b.probability(t) >= recall;
            let mut all = Vec::new();
            for rows in 1..=most {
                all.extend((1..=most / rows).map(|bands| Bands { bands, rows }).filter(|&b| suffices(b)));
            }
            match Bands::choose(t, recall, most) {
                None => prop_assert!(all.is_empty()),
                Some(chosen) => {
                    prop_assert!(chosen.slots() <= most && chosen.probability(t) > recall - 1e-12);
                    let least = chosen.false_candidates(t);
                    prop_assert!(all.iter().all(|b| b.false_candidates(t) >= least - 1e-9));
                }
            }
        }
    }

    #[test]
    fn keys_are_common_in_the_same_band_only() {
        let bands = Bands { bands: 2, rows: 2 };
        let keys = |minima: &[u64]| {
            let mut out = Vec::new();
            bands.keys(minima, &mut out);
            out
        };
        let (a, b) = (keys(&[1, 2, 3, 4, 9]), keys(&[3, 4, 3, 4, 8]));
        assert_eq!(a.len(), 2);
        assert_eq!(a[1], b[1]);
        assert!(a[0] != b[0] && b[0] != b[1] && a[0] != b[1] && a[1] != b[0]);
        assert_ne!(keys(&[1, 2, 0, 0])[0], keys(&[2, 1, 0, 0])[0]);
    }

    /// The curve holds for minima of either kind, for documents with many elements and with few.
    #[test]
    fn common_keys_are_as_frequent_as_the_curve_says() {
        let mut random = Random(9);
        let rounds = 2000;
        for bands in [
            Bands { bands: 14, rows: 7 },
            Bands { bands: 20, rows: 5 },
            Bands { bands: 8, rows: 16 },
        ] {
            let k = bands.slots();
            for slots in
                [Slots::KFold(KFold::new(k)), Slots::OnePermutation(OnePermutation::new(k))]
            {
                for (shared, each) in [(400, 500), (400, 600), (40, 45), (16, 20)] {
                    let counts = Overlap { shared, a: each, b: each };
                    let mut met = 0u32;
                    for _ in 0..rounds {
                        let (a, b) = random.pair(counts);
                        let keys = |set: &[u64]| {
                            let (mut minima, mut keys) = (Vec::new(), Vec::new());
                            slots.fill(set, &mut minima);
                            bands.keys(&minima, &mut keys);
                            keys
                        };
                        met += u32::from(keys(&a).iter().zip(keys(&b)).any(|(&x, y)| x == y));
                    }
                    let share = f64::from(met) / f64::from(rounds);
                    let expected = bands.probability(counts.resemblance());
                    let error = (expected * (1.0 - expected) / f64::from(rounds)).sqrt();
                    // With few elements, slots are not quite independent.
                    assert!(
                        (share - expected).abs() < 4.0 * error + 0.01,
                        "{bands:?} {counts:?} {slots:?}: {share}, not {expected}"
                    );
                }
            }
        }
    }
}
