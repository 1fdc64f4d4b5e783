//! How often a page changes, from visits at any times.
//!
//! Changes are a Poisson process, and a visit sees whether there was one since the visit before,
//! not how many (Cho & Garcia-Molina 2003, "Estimating frequency of change"). A visit after the
//! time t sees a change with the probability 1 − exp(−λt), so that the rate λ of greatest
//! likelihood, for visits at irregular times, solves
//!
//! > Σ t / (exp(λt) − 1) over intervals with a change = Σ t over intervals without one
//!
//! It is infinite if every interval had a change, and too high on average if there are few. Their
//! estimator for regular visits, −log((n − X + 0.5) / (n + 0.5)) / t for n intervals of which X had
//! a change, removes the bias: it is the rate of greatest likelihood with half an interval without
//! a change added. Here half an interval of the mean length is added, so that both are one formula.

/// The time between two visits of a page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Interval {
    /// Its length, above 0.
    pub(super) length: f64,
    /// Whether the page had changed.
    pub(super) changed: bool,
}

/// Estimated changes in a unit of time; `None` without intervals. O(intervals).
pub(super) fn rate(intervals: &[Interval]) -> Option<f64> {
    let first = intervals.first()?;
    let n = intervals.len() as f64;
    let sum = |changed| -> f64 {
        intervals.iter().filter(|one| one.changed == changed).map(|one| one.length).sum()
    };
    let (changed, unchanged) = (sum(true), sum(false));
    let x = intervals.iter().filter(|one| one.changed).count() as f64;
    if intervals.iter().all(|one| one.length == first.length) {
        return Some(-((n - x + 0.5) / (n + 0.5)).ln() / first.length + 0.0);
    }
    if x == 0.0 {
        return Some(0.0);
    }
    let quiet = unchanged + 0.5 * (changed + unchanged) / n;
    // The difference of both sides falls and is convex: Newton's method from below stays below.
    // From t / (exp(λt) − 1) ≥ 1/λ − t/2: the root is at least this.
    let mut rate = x / (quiet + changed / 2.0);
    for _ in 0..200 {
        let (mut value, mut slope) = (-quiet, 0.0);
        for &Interval { length, .. } in intervals.iter().filter(|one| one.changed) {
            // Of length · rate above 709 both are 0.
            let above = (length * rate).exp_m1();
            value += length / above;
            slope -= length / above * length * (1.0 + 1.0 / above);
        }
        let next = rate - value / slope;
        if !next.is_finite() || next <= rate * (1.0 + 1e-14) {
            break;
        }
        rate = next;
    }
    Some(rate)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn regular(n: u32, x: u32, length: f64) -> f64 {
        let intervals: Vec<Interval> =
            (0..n).map(|at| Interval { length, changed: at < x }).collect();
        rate(&intervals).unwrap()
    }

    fn one(length: f64, changed: bool) -> Interval {
        Interval { length, changed }
    }

    /// Cho & Garcia-Molina 2003: by hand.
    #[test]
    fn regular_visits_have_the_corrected_estimate() {
        assert_eq!(regular(10, 0, 1.0), 0.0);
        // −ln(5.5 / 10.5)
        assert!((regular(10, 5, 1.0) - 0.646_627).abs() < 1e-6);
        // −ln(0.5 / 10.5): finite although every interval had a change.
        assert!((regular(10, 10, 1.0) - 3.044_522).abs() < 1e-6);
        assert!((regular(10, 5, 7.0) - 0.646_627 / 7.0).abs() < 1e-6);
        assert!(regular(1, 1, 1.0) < regular(10, 10, 1.0));
        assert_eq!(rate(&[]), None);
    }

    #[test]
    fn a_change_in_ten_days_is_more_than_one_in_two_years() {
        let (days, years) = (rate(&[one(10.0, true)]), rate(&[one(730.0, true)]));
        assert!((days.unwrap() / years.unwrap() - 73.0).abs() < 1e-9);
        // A gap of three weeks without a change says more than one week without a change.
        let gap = rate(&[one(7.0, true), one(21.0, false)]).unwrap();
        assert!(gap < rate(&[one(7.0, true), one(7.0, false)]).unwrap());
    }

    /// The logarithm of the likelihood, with half an interval of the mean length without a change.
    fn likelihood(intervals: &[Interval], rate: f64) -> f64 {
        let all: f64 = intervals.iter().map(|one| one.length).sum();
        let of_one = |&Interval { length, changed }: &Interval| match changed {
            true => (-(-rate * length).exp_m1()).ln(),
            false => -rate * length,
        };
        let half = 0.5 * all / intervals.len() as f64;
        intervals.iter().map(of_one).sum::<f64>() - rate * half
    }

    fn interval() -> impl Strategy<Value = Interval> {
        let length = prop_oneof![1u32..40, 1u32..2000, Just(7)];
        (length, any::<bool>()).prop_map(|(length, changed)| one(length.into(), changed))
    }

    proptest! {
        /// Against the maximum over a grid of rates, a part in 10,000 apart.
        #[test]
        fn the_rate_has_the_greatest_likelihood(
            intervals in prop::collection::vec(interval(), 1..12),
        ) {
            prop_assume!(intervals.iter().any(|one| one.changed));
            let found = rate(&intervals).unwrap();
            let mut grid = Vec::new();
            let mut at = 1e-6;
            while at < 10.0 {
                grid.push(at);
                at *= 1.0001;
            }
            let best = grid
                .into_iter()
                .max_by(|&a, &b| likelihood(&intervals, a).total_cmp(&likelihood(&intervals, b)))
                .unwrap();
            prop_assert!((found / best - 1.0).abs() < 2e-4, "{} and {}", found, best);
        }

        #[test]
        fn the_unit_of_time_does_not_matter(
            intervals in prop::collection::vec(interval(), 1..12), unit in 1u32..1000,
        ) {
            let unit = f64::from(unit);
            let scaled: Vec<Interval> =
                intervals.iter().map(|each| one(each.length * unit, each.changed)).collect();
            let (a, b) = (rate(&intervals).unwrap(), rate(&scaled).unwrap() * unit);
            prop_assert!((a - b).abs() <= 1e-9 * a, "{} and {}", a, b);
        }
    }

    /// Pages that change at a known rate, visited after 1 to 60 days: the mean of the estimates is
    /// the rate, where the share of visits that saw a change is far off.
    #[test]
    fn the_mean_over_simulated_pages_is_the_rate() {
        let mut state = 42u64;
        let mut uniform = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((state >> 11) as f64 + 0.5) / (1u64 << 53) as f64
        };
        for truth in [0.01, 0.05, 0.1] {
            let (pages, mut sum) = (2000, 0.0);
            for _ in 0..pages {
                let intervals: Vec<Interval> = (0..40)
                    .map(|_| {
                        let length = (1.0 + 59.0 * uniform()).round();
                        one(length, uniform() < -(-truth * length).exp_m1())
                    })
                    .collect();
                sum += rate(&intervals).unwrap();
            }
            let mean = sum / f64::from(pages);
            assert!((mean / truth - 1.0).abs() < 0.05, "{mean} for {truth}");
        }
    }
}
