//! Thresholds as exact ratios of integers.
//!
//! "Reaches 0.8" then means the same on every machine: 4 shared of 5 reaches 0.8, whatever a
//! floating-point division would round to.

use std::fmt;
use std::str::FromStr;

/// A threshold in (0, 1], written as a decimal with at most nine digits after the point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Threshold {
    numerator: u64,
    denominator: u64,
}

/// Why a text is not a threshold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a decimal above 0 and at most 1, such as 0.8")]
pub struct ThresholdError(String);

impl Threshold {
    /// Numerator of the ratio, in lowest terms with [`Threshold::denominator`].
    #[must_use]
    pub fn numerator(self) -> u64 {
        self.numerator
    }

    /// Denominator of the ratio.
    #[must_use]
    pub fn denominator(self) -> u64 {
        self.denominator
    }

    /// Whether it is as high as another one, exactly.
    #[must_use]
    pub fn at_least(self, other: Self) -> bool {
        let product = |a: u64, b: u64| u128::from(a) * u128::from(b);
        product(self.numerator, other.denominator) >= product(other.numerator, self.denominator)
    }

    /// Nearest floating-point number, for display; never used in a decision.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

impl FromStr for Threshold {
    type Err = ThresholdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ThresholdError(text.to_owned());
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        if (whole.is_empty() && fraction.is_empty())
            || !digits(whole)
            || !digits(fraction)
            || fraction.len() > 9
            || whole.len() > 3
        {
            return Err(error());
        }
        let mut denominator = 10u64.pow(fraction.len() as u32);
        let number = |part: &str| if part.is_empty() { Ok(0) } else { part.parse::<u64>() };
        let mut numerator = number(whole).map_err(|_| error())? * denominator
            + number(fraction).map_err(|_| error())?;
        if numerator == 0 || numerator > denominator {
            return Err(error());
        }
        let (mut a, mut b) = (numerator, denominator);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        numerator /= a;
        denominator /= a;
        Ok(Self { numerator, denominator })
    }
}

impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.as_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_become_ratios_in_lowest_terms() {
        let ratio = |text: &str| {
            let t: Threshold = text.parse().unwrap();
            (t.numerator(), t.denominator())
        };
        assert_eq!(ratio("0.8"), (4, 5));
        assert_eq!(ratio(".8"), (4, 5));
        assert_eq!(ratio("0.80"), (4, 5));
        assert_eq!(ratio("1"), (1, 1));
        assert_eq!(ratio("1.0"), (1, 1));
        assert_eq!(ratio("0.333333333"), (333_333_333, 1_000_000_000));
        assert_eq!("0.85".parse::<Threshold>().unwrap().to_string(), "0.85");
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            ".",
            "0",
            "0.0",
            "1.1",
            "2",
            "-0.5",
            "0,8",
            "80%",
            "NaN",
            "1e-1",
            " 0.8",
            "0.1234567890",
        ] {
            let error = text.parse::<Threshold>().unwrap_err();
            assert!(error.to_string().contains("such as 0.8"), "{text}");
        }
    }
}
