//! Fixed-point arithmetic of weights, the same on every machine.
//!
//! Logarithms and cosines of the standard library differ in their last bits between platforms,
//! which could flip a bit of a simhash.

use std::str::FromStr;

/// Fractional bits of logarithms and weights.
pub const FRACTION: u32 = 16;

/// The factor 1 of positions and markup: factors have 32 fractional bits.
pub const ONE: u64 = 1 << 32;

/// Intervals of the table of logarithms, as a power of two.
const STEPS: u32 = 8;

/// log₂ of 1 + i / 2⁸ with 30 fractional bits, and the difference to the next entry.
static LOG2: [(u32, u32); 1 << STEPS] = {
    let mut table = [(0, 0); 1 << STEPS];
    let mut i = 0;
    while i < 1 << STEPS {
        // The binary digits of a logarithm: square, and test whether the result reaches 2.
        let mut x = (1u128 << 62) + ((i as u128) << (62 - STEPS));
        let (mut bits, mut digit) = (0u32, 0);
        while digit < 30 {
            x = (x * x) >> 62;
            bits <<= 1;
            if x >= 2 << 62 {
                x >>= 1;
                bits |= 1;
            }
            digit += 1;
        }
        table[i].0 = bits;
        i += 1;
    }
    i = 0;
    while i < 1 << STEPS {
        let next = if i + 1 < 1 << STEPS { table[i + 1].0 } else { 1 << 30 };
        table[i].1 = next - table[i].0;
        i += 1;
    }
    table
};

/// log₂ x in fixed point, with an error below one unit; 0 for 0 and 1. Monotonic.
#[must_use]
#[inline]
pub const fn log2(x: u64) -> u64 {
    let x = if x == 0 { 1 } else { x };
    let whole = x.ilog2();
    // The digits after the leading one, moved to the top.
    interpolated(whole as u64, (x << (63 - whole)) << 1)
}

/// [`log2`] of a number of 32 bits, from the digits of a double.
#[must_use]
#[inline]
pub fn log2_of_32(x: u32) -> u64 {
    // No rounding: a double has 52 digits after the leading one. Its exponent has 1023 added to it.
    let bits = f64::from(x.max(1)).to_bits();
    interpolated((bits >> 52) - 1023, bits << 12)
}

/// log₂ of a number from its whole part and the digits after its leading one, left-aligned in a
/// word.
#[inline]
const fn interpolated(whole: u64, fraction: u64) -> u64 {
    let (low, step) = LOG2[(fraction >> (64 - STEPS)) as usize];
    let between = fraction << STEPS >> 32;
    let interpolated = low as u64 + ((step as u64 * between) >> 32);
    (whole << FRACTION) + (interpolated >> (30 - FRACTION))
}

/// cos(2π·x/length) + 1 with 32 fractional bits, `length` at least 1 and below 2⁵⁰.
///
/// Uses products and sums only, which all machines round the same way.
#[must_use]
pub fn cosine_wave(x: u64, length: u64) -> u64 {
    // Fold the period onto its first half.
    let x = x % length;
    half_wave(x.min(length - x) as f64, length as f64)
}

/// [`cosine_wave`] of a whole number x up to half the length. In doubles, so that the compiler can
/// vectorise it.
#[inline(always)]
pub(super) fn half_wave(x: f64, length: f64) -> u64 {
    // Fold onto the first quarter.
    let (quarter, sign) = if 4.0 * x <= length { (x, 1.0) } else { (length / 2.0 - x, -1.0) };
    let square = {
        let angle = quarter / length * std::f64::consts::TAU;
        angle * angle
    };
    // 1 − a²/2·(1 − a²/(3·4)·(1 − …)); the first term left out is under 10⁻¹¹ at a quarter.
    let cosine = [13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0]
        .iter()
        .fold(1.0, |inner, n| 1.0 - square / (n * (n + 1.0)) * inner);
    // Within the signed range, for which there is a machine instruction.
    ((sign * cosine + 1.0) * (1u64 << 32) as f64 + 0.5) as i64 as u64
}

/// A decimal from 0 to 1000 with at most six digits after the point, exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Decimal {
    millionths: u64,
}

/// Not such a decimal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a decimal from 0 to 1000 with at most six digits after the point")]
pub struct DecimalError;

impl Decimal {
    /// A number of millionths.
    #[must_use]
    pub const fn millionths(millionths: u64) -> Self {
        Self { millionths }
    }

    /// This decimal in millionths.
    #[must_use]
    pub const fn in_millionths(self) -> u64 {
        self.millionths
    }

    /// The weight times this decimal, rounded down, without a 128-bit division.
    #[must_use]
    pub fn of(self, weight: u64) -> u64 {
        match weight.checked_mul(self.millionths) {
            Some(product) => product / 1_000_000,
            None => {
                let product = u128::from(weight) * u128::from(self.millionths) / 1_000_000;
                u64::try_from(product).unwrap_or(u64::MAX)
            }
        }
    }

    /// The least number that is at least `whole` times this decimal, as in [`Decimal::reached_by`].
    /// `None` if it does not fit.
    #[must_use]
    pub fn least_of(self, whole: u64) -> Option<u64> {
        let product = u128::from(whole) * u128::from(self.millionths);
        u64::try_from(product.div_ceil(1_000_000)).ok()
    }

    /// Whether `part` is at least `whole` times this decimal, exactly.
    #[must_use]
    pub fn reached_by(self, part: u64, whole: u64) -> bool {
        u128::from(part) * 1_000_000 >= u128::from(whole) * u128::from(self.millionths)
    }

    /// Whether `part` is more than `whole` times this decimal, exactly.
    #[must_use]
    pub fn passed_by(self, part: u64, whole: u64) -> bool {
        u128::from(part) * 1_000_000 > u128::from(whole) * u128::from(self.millionths)
    }
}

impl FromStr for Decimal {
    type Err = DecimalError;

    fn from_str(text: &str) -> Result<Self, DecimalError> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let long = whole.len() > 4 || fraction.len() > 6;
        if long || !digits(whole) || !digits(fraction) || whole.len() + fraction.len() == 0 {
            return Err(DecimalError);
        }
        // Digits only, and few of them: parsing fails for the empty part alone.
        let millionths = whole.parse::<u64>().unwrap_or(0) * 1_000_000
            + format!("{fraction:0<6}").parse::<u64>().unwrap_or(0);
        if millionths > 1_000_000_000 { Err(DecimalError) } else { Ok(Self { millionths }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn logarithms_of_powers_are_exact() {
        for power in 0..64 {
            assert_eq!(log2(1 << power), power << FRACTION);
        }
        assert_eq!((log2(0), log2(1)), (0, 0));
        for x in [0, 1, 2, 3, u32::MAX - 1, u32::MAX] {
            assert_eq!(log2_of_32(x), log2(u64::from(x)));
        }
        assert_eq!(log2(3), 103_872); // 1.5849625 · 65536 = 103872.1
        assert!((1..100_000).all(|x| log2(x) <= log2(x + 1)));
    }

    #[test]
    fn the_wave_by_hand() {
        const ONE: u64 = 1 << 32;
        let wave = |x| cosine_wave(x, 12);
        assert_eq!((wave(0), wave(3), wave(6), wave(9)), (2 * ONE, ONE, 0, ONE));
        assert_eq!((wave(2), wave(4)), (ONE + ONE / 2, ONE / 2));
        assert_eq!((cosine_wave(1, 1), cosine_wave(1, 2)), (2 * ONE, 0));
    }

    /// The same steps in a simple form: no bit may change.
    #[test]
    fn the_wave_does_not_change() {
        let plain = |x: u64, length: u64| {
            let x = x % length;
            let x = x.min(length - x);
            let (quarter, sign) = if 4 * x <= length {
                (x as f64, 1.0)
            } else {
                (length as f64 / 2.0 - x as f64, -1.0)
            };
            let angle = quarter / length as f64 * std::f64::consts::TAU;
            let cosine = [13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0]
                .iter()
                .fold(1.0, |inner, n| 1.0 - angle * angle / (n * (n + 1.0)) * inner);
            ((sign * cosine + 1.0) * (1u64 << 32) as f64 + 0.5) as u64
        };
        for length in (1..300).chain([4095, 4096, 99_999, 1 << 40]) {
            for x in
                (0..=length.min(2 * 300)).chain([length / 4, length / 2, length - 1, length + 1])
            {
                assert_eq!(cosine_wave(x, length), plain(x, length), "{x} of {length}");
            }
        }
    }

    #[test]
    fn decimals_are_exact_or_refused() {
        let half: Decimal = "0.5".parse().unwrap();
        assert!(half.reached_by(1, 2) && !half.passed_by(1, 2) && !half.reached_by(1, 3));
        assert_eq!(
            ("1.5".parse::<Decimal>().unwrap().of(10), half.of(u64::MAX)),
            (15, u64::MAX / 2)
        );
        assert_eq!("1000".parse::<Decimal>().unwrap().of(u64::MAX), u64::MAX);
        assert_eq!(".01".parse(), Ok(Decimal::millionths(10_000)));
        for text in ["", ".", "-1", "1e3", "1000.1", "0.1234567", "x", "+1", " 1"] {
            assert_eq!(text.parse::<Decimal>(), Err(DecimalError), "{text}");
        }
    }

    proptest! {
        /// [`Decimal::least_of`] and [`Decimal::of`] are the bounds of the comparisons.
        #[test]
        fn bounds_agree_with_the_comparisons(
            millionths in prop_oneof![0u64..2_000_000, 0u64..=1_000_000_000],
            whole in prop_oneof![0u64..1000, any::<u64>()],
            part in prop_oneof![0u64..1000, any::<u64>()],
            off in 0u64..3,
        ) {
            let decimal = Decimal::millionths(millionths);
            let (least, most) = (decimal.least_of(whole), decimal.of(whole));
            for part in [part, least.unwrap_or(0).saturating_add(off).saturating_sub(1), most.saturating_add(off).saturating_sub(1), u64::MAX] {
                prop_assert_eq!(least.is_some_and(|least| least <= part), decimal.reached_by(part, whole));
                prop_assert_eq!(part > most, decimal.passed_by(part, whole));
            }
        }

        /// Against the platform's functions, which are precise to far more than 16 bits.
        #[test]
        fn errors_are_below_one_unit(x in 1u64..u64::MAX, small in 1u64..5000, length in 1u64..100_000, at in 0u64..100_000) {
            prop_assert_eq!(log2_of_32(x as u32), log2(u64::from(x as u32)));
            prop_assert_eq!(log2_of_32(small as u32), log2(small));
            for x in [x, small] {
                prop_assert!(((x as f64).log2() * 65536.0 - log2(x) as f64).abs() < 1.5);
            }
            let truth = (at as f64 / length as f64 * std::f64::consts::TAU).cos() + 1.0;
            prop_assert!((truth * 65536.0 * 65536.0 - cosine_wave(at, length) as f64).abs() < 2.0);
        }
    }
}
