//! Mean, standard deviation and median of the runs of an experiment.

/// Of some values; all 0 of none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    pub(crate) mean: f64,
    /// Of a sample: n − 1 values; 0 of one.
    pub(crate) deviation: f64,
    pub(crate) median: f64,
}

impl Spread {
    pub(crate) fn of(values: &[f64]) -> Self {
        let count = values.len().max(1) as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let at = |index: usize| sorted.get(index).copied().unwrap_or(0.0);
        let half = sorted.len() / 2;
        let median = if sorted.len() % 2 == 1 {
            at(half)
        } else {
            (at(half.saturating_sub(1)) + at(half)) / 2.0
        };
        Self { mean, deviation: (squares / (count - 1.0).max(1.0)).sqrt(), median }
    }

    /// Mean, deviation and median with so many decimals, the deviation in percent of the mean as
    /// well.
    pub(crate) fn cells(self, decimals: usize) -> [String; 3] {
        let percent = 100.0 * self.deviation / self.mean.max(f64::MIN_POSITIVE);
        [
            format!("{:.decimals$}", self.mean),
            format!("{:.decimals$} ({percent:.1} %)", self.deviation),
            format!("{:.decimals$}", self.median),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreads_by_hand() {
        // Squares of −3, −1, 0 and 4 add to 26, a third of which is 8.667.
        let spread = Spread::of(&[9.0, 2.0, 5.0, 4.0]);
        assert_eq!((spread.mean, spread.median), (5.0, 4.5));
        assert!((spread.deviation - (26.0f64 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!(spread.cells(2), ["5.00", "2.94 (58.9 %)", "4.50"]);
        let odd = Spread::of(&[3.0, 1.0, 8.0]);
        assert_eq!((odd.mean, odd.median), (4.0, 3.0));
        assert_eq!(Spread::of(&[7.0]), Spread { mean: 7.0, deviation: 0.0, median: 7.0 });
        assert_eq!(Spread::of(&[]), Spread { mean: 0.0, deviation: 0.0, median: 0.0 });
    }
}
