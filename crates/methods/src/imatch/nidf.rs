//! Bounds on the normalized idf as ranges of document frequencies.
//!
//! With `idf = log(N/n)`, scaling to `[0, 1]` over the collection (Chowdhury et al. 2002, section
//! 4.1) gives `nidf(n) = log(most/n) / log(most/least)`, where `least` and `most` are the smallest
//! and the largest document frequency: N and the base of the logarithm cancel. A bound p/q is then
//! a comparison of integers, `nidf(n) ≥ p/q ⇔ n^q ≤ most^(q−p) · least^p`, which is exact on every
//! machine.

use crate::Statistics;
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// A number from 0 to 1 with at most three decimals, kept as thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Share(u32);

impl Share {
    /// 0.
    pub const ZERO: Self = Self(0);
    /// 1.
    pub const ONE: Self = Self(1000);

    /// A percentage, at most 100.
    #[must_use]
    pub fn percent(percent: u32) -> Self {
        Self(percent.min(100) * 10)
    }

    /// ⌊share · n⌋.
    #[must_use]
    pub fn floor_of(self, n: usize) -> usize {
        (self.0 as u64 * n as u64 / 1000) as usize
    }

    /// ⌈share · n⌉.
    #[must_use]
    pub fn ceil_of(self, n: usize) -> usize {
        (self.0 as u64 * n as u64).div_ceil(1000) as usize
    }

    /// For display and for probabilities.
    #[must_use]
    pub fn value(self) -> f64 {
        f64::from(self.0) / 1000.0
    }

    /// Numerator and denominator, in lowest terms.
    fn fraction(self) -> (u32, u32) {
        let (mut a, mut b) = (self.0, 1000);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        (self.0 / a, 1000 / a)
    }
}

impl FromStr for Share {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
        let digits =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(whole) || !digits(decimals) || decimals.len() > 3 {
            return Err(());
        }
        let whole: u32 = whole.parse().map_err(|_| ())?;
        let thousandths: u32 = format!("{decimals:0<3}").parse().map_err(|_| ())?;
        let value = whole.checked_mul(1000).and_then(|whole| whole.checked_add(thousandths));
        value.filter(|&value| value <= 1000).map(Self).ok_or(())
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.value())
    }
}

/// A range of document frequencies, both ends included. Empty where `least > most`.
///
/// ```
/// use lookalike_methods::imatch::{Frequencies, Share};
///
/// // From 1 to 10 000 documents: a term with nidf 0.2 to 0.8 is in 10 000^0.2 to 10 000^0.8 of them.
/// let lexicon = Frequencies::of_nidf("0.2".parse().unwrap(), "0.8".parse().unwrap(), (1, 10_000));
/// assert_eq!((lexicon.least, lexicon.most), (7, 1584)); // 6.3 and 1584.9
/// assert!(lexicon.contains(100));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frequencies {
    /// The smallest.
    pub least: u32,
    /// The largest.
    pub most: u32,
}

impl Frequencies {
    /// The frequencies n with `low ≤ nidf(n) ≤ high`, in a collection whose terms have frequencies
    /// in `range`. Terms that are not in the collection are in no such range.
    #[must_use]
    pub fn of_nidf(low: Share, high: Share, range: (u32, u32)) -> Self {
        Self { least: above(high, range) + 1, most: at_least(low, range) }
    }

    /// [`Frequencies::of_nidf`] in the collection of these statistics.
    #[must_use]
    pub fn in_collection(low: Share, high: Share, statistics: &dyn Statistics) -> Self {
        Self::of_nidf(low, high, statistics.frequency_range())
    }

    /// Whether a frequency is in the range.
    #[inline]
    #[must_use]
    pub fn contains(self, frequency: u32) -> bool {
        (self.least <= frequency) & (frequency <= self.most)
    }
}

/// The largest frequency with nidf ≥ `bound`; 0 if there is none.
pub(super) fn at_least(bound: Share, (least, most): (u32, u32)) -> u32 {
    if least >= most {
        // If there is only one frequency, its nidf is 0.
        return if bound == Share::ZERO { most } else { 0 };
    }
    largest(bound, least, most, Ordering::is_le)
}

/// The largest frequency with nidf > `bound`; 0 if there is none.
pub(super) fn above(bound: Share, (least, most): (u32, u32)) -> u32 {
    if least >= most || bound == Share::ONE {
        return 0;
    }
    largest(bound, least, most, Ordering::is_lt)
}

/// The largest n in `0..=most` for which `fits` accepts the comparison of n^q with `most^(q−p) ·
/// least^p`.
fn largest(bound: Share, least: u32, most: u32, fits: fn(Ordering) -> bool) -> u32 {
    let (p, q) = bound.fraction();
    let limit = power(power(vec![1], most, q - p), least.max(1), p);
    let (mut low, mut high) = (0, most);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        let value = power(vec![1], middle, q);
        if fits(
            value.len().cmp(&limit.len()).then_with(|| value.iter().rev().cmp(limit.iter().rev())),
        ) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

/// `number · base^exponent`; numbers are 32-bit digits, the lowest first, without leading zeros.
fn power(mut number: Vec<u32>, base: u32, exponent: u32) -> Vec<u32> {
    for _ in 0..exponent {
        let mut carry = 0u64;
        for digit in &mut number {
            carry += u64::from(*digit) * u64::from(base);
            *digit = carry as u32;
            carry >>= 32;
        }
        if carry > 0 {
            number.push(carry as u32);
        }
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn share(text: &str) -> Share {
        text.parse().unwrap()
    }

    #[test]
    fn text_and_back() {
        for text in ["0", "0.2", "0.125", "1"] {
            assert_eq!(share(text).to_string(), text);
        }
        assert_eq!(share("1.000"), Share::ONE);
        for bad in ["", ".", "1.", ".5", "1.001", "2", "-0.1", "0.1234", "4294967296", "0.+1"] {
            assert!(bad.parse::<Share>().is_err(), "{bad}");
        }
        assert_eq!((Share::percent(25).floor_of(3), Share::percent(25).ceil_of(3)), (0, 1));
        assert_eq!((Share::percent(25).floor_of(4), Share::percent(25).ceil_of(4)), (1, 1));
    }

    /// Frequencies 8, 4, 2, 1 of 8: nidf is 0, 1/3, 2/3, 1.
    #[test]
    fn powers_of_two_by_hand() {
        let range = (1, 8);
        for (low, high, expected) in [
            ("0", "1", (1, 8)),
            ("0.001", "1", (1, 7)),
            ("0.333", "0.667", (2, 4)),
            ("0.334", "0.666", (3, 3)),
            ("1", "1", (1, 1)),
            ("0", "0", (8, 8)),
        ] {
            let found = Frequencies::of_nidf(share(low), share(high), range);
            assert_eq!((found.least, found.most), expected, "{low}..{high}");
        }
    }

    /// A frequency exactly at a bound is inside.
    #[test]
    fn exact_roots_are_inside() {
        let range = (1, 10_000);
        assert_eq!(at_least(share("0.5"), range), 100);
        assert_eq!(above(share("0.5"), range), 99);
        assert_eq!(at_least(share("0.25"), range), 1000);
        assert_eq!(at_least(share("0.75"), (16, 1 << 20)), 256);
    }

    #[test]
    fn a_single_frequency_has_nidf_0() {
        assert_eq!(
            Frequencies::of_nidf(Share::ZERO, Share::ONE, (3, 3)),
            Frequencies { least: 1, most: 3 }
        );
        assert!(!Frequencies::of_nidf(share("0.1"), Share::ONE, (3, 3)).contains(3));
        assert!(!Frequencies::of_nidf(share("0.1"), Share::ONE, (0, 0)).contains(0));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// The definition with logarithms, except at the bounds.
        #[test]
        fn agrees_with_logarithms(thousandths in 0..=1000u32, least in 1..50u32, more in 1..100_000u32, part in 0.0..1.0f64) {
            let (bound, range) = (Share(thousandths), (least, least + more));
            let n = least + (f64::from(more) * part) as u32;
            let nidf = (f64::from(range.1) / f64::from(n)).ln() / (f64::from(range.1) / f64::from(least)).ln();
            if (nidf - bound.value()).abs() > 1e-9 {
                prop_assert_eq!(n <= at_least(bound, range), nidf > bound.value());
                prop_assert_eq!(n <= above(bound, range), nidf > bound.value());
            }
            prop_assert!(above(bound, range) <= at_least(bound, range));
        }
    }
}
