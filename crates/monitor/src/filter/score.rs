//! How well a message matches a prototype.

use lookalike_core::Overlap;
use lookalike_index::Ask;
use std::cmp::Ordering;

/// A number from 0 to 1 as a fraction, or the square root of one: compared without rounding.
#[derive(Debug, Clone, Copy)]
pub(super) struct Score {
    numerator: u64,
    /// At least 1.
    denominator: u64,
    root: bool,
}

impl Score {
    /// numerator / denominator.
    pub(super) fn ratio(numerator: u64, denominator: u64) -> Self {
        Self { numerator, denominator: denominator.max(1), root: false }
    }

    /// The measure of a message (a) and a prototype (b).
    pub(super) fn of(ask: Ask, counts: Overlap) -> Self {
        let [shared, a, b] = [counts.shared, counts.a, counts.b].map(u64::from);
        match ask {
            Ask::Resembles => Self::ratio(shared, a + b - shared),
            Ask::Containing => Self::ratio(shared, a),
            Ask::ContainedIn => Self::ratio(shared, b),
            Ask::Cosine => Self { root: true, ..Self::ratio(shared * shared, a * b) },
        }
    }

    pub(super) fn value(self) -> f64 {
        let value = self.numerator as f64 / self.denominator as f64;
        if self.root { value.sqrt() } else { value }
    }

    /// Orders two scores of one kind.
    pub(super) fn compare(self, other: Self) -> Ordering {
        let product = |a: u64, b: u64| u128::from(a) * u128::from(b);
        product(self.numerator, other.denominator).cmp(&product(other.numerator, self.denominator))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_by_hand() {
        let counts = Overlap { shared: 6, a: 8, b: 12 };
        let value = |ask| Score::of(ask, counts).value();
        assert!((value(Ask::Resembles) - 6.0 / 14.0).abs() < 1e-12);
        assert!((value(Ask::Containing) - 0.75).abs() < 1e-12);
        assert!((value(Ask::ContainedIn) - 0.5).abs() < 1e-12);
        assert!((value(Ask::Cosine) - 6.0 / 96f64.sqrt()).abs() < 1e-12);
        let larger = Overlap { shared: 7, ..counts };
        for ask in [Ask::Resembles, Ask::Containing, Ask::ContainedIn, Ask::Cosine] {
            let [a, b] = [counts, larger].map(|counts| Score::of(ask, counts));
            assert_eq!((a.compare(b), a.compare(a)), (Ordering::Less, Ordering::Equal));
        }
        let most = Overlap { shared: u32::MAX, a: u32::MAX, b: u32::MAX };
        assert!((Score::of(Ask::Cosine, most).value() - 1.0).abs() < 1e-12);
    }
}
