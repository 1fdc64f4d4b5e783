//! A position function of the caller's own: factors at given places, and straight lines between them
//! (Seshasai 2009, section 5.3: "a function that one can define differently for different pages").

use super::fixed::{Decimal, ONE};

/// The largest factor, so that sums of factors fit.
const MOST: Decimal = Decimal::millionths(100_000_000);

/// One percent in millionths, and the whole document.
const WHOLE: u64 = 100_000_000;

/// Factors at places of a document.
///
/// Written as points `VALUE`, `VALUE@WORD` or `VALUE@SHARE%` with colons between them: `1:0.5:2` are
/// equally spaced from the first word to the last; `3@1:3@50:1@51` are at words, the first of which
/// is 1; `1@0%:0.25@30%` at shares of the way from the first word to the last. Before the first place
/// the factor is that of the first point, behind the last place that of the last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Points {
    /// Places, ascending, with the factor at each.
    points: Vec<(u64, u64)>,
    /// Whether places are millionths of a percent of the document; else they are words.
    relative: bool,
}

/// What points are, for messages.
pub(super) const EXPECTED: &str = "log, cosine, inverse, inverse-log, none, or points with colons between \
    them, such as 1:0.5:2, 3@1:3@50:1@51 or 1@0%:0.25@30%: values from 0 to 100, not all 0, at ascending \
    places, which are words from 1 or percentages";

impl Points {
    /// Reads points; `None` if they are not valid.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let parts: Vec<(&str, Option<&str>)> = text
            .split(':')
            .map(|part| match part.split_once('@') {
                Some((value, place)) => (value, Some(place)),
                None => (part, None),
            })
            .collect();
        let even = parts.iter().all(|(_, place)| place.is_none());
        if even && parts.len() < 2 {
            return None;
        }
        let relative =
            even || parts.iter().all(|(_, place)| place.is_some_and(|p| p.ends_with('%')));
        let mut points = Vec::with_capacity(parts.len());
        for (number, (value, place)) in (0u64..).zip(&parts) {
            let value: Decimal = value.parse().ok().filter(|value| *value <= MOST)?;
            let place = match place {
                None if even => number * WHOLE / (parts.len() as u64 - 1),
                None => return None,
                Some(place) if relative => {
                    let share: Decimal = place.strip_suffix('%')?.parse().ok()?;
                    Some(share.of(1_000_000)).filter(|&share| share <= WHOLE)?
                }
                Some(place) => {
                    let digits = place.bytes().all(|byte| byte.is_ascii_digit());
                    place
                        .parse()
                        .ok()
                        .filter(|&word: &u64| digits && (1..=1 << 40).contains(&word))?
                }
            };
            if points.last().is_some_and(|&(before, _)| before >= place) {
                return None;
            }
            points.push((place, value.of(ONE)));
        }
        points.iter().any(|&(_, factor)| factor > 0).then_some(Self { points, relative })
    }

    /// The factors of all positions of a document of `length` words, as a
    /// [`PositionFunction`](super::position::PositionFunction) computes them. O(length + points).
    pub(super) fn factors(&self, length: u64, factors: &mut Vec<u64>) {
        factors.clear();
        // Places and words as multiples of one unit: 10⁻⁸ of the way from the first word to the last
        // times its length, so that nothing is divided.
        let steps = u128::from(length.saturating_sub(1));
        let at = |place: u64| match self.relative {
            true => u128::from(place) * steps,
            false => u128::from(place),
        };
        let mut next = 0;
        for word in 1..=length {
            let x = match self.relative {
                true => u128::from(word - 1) * u128::from(WHOLE),
                false => u128::from(word),
            };
            while self.points.get(next).is_some_and(|&(place, _)| at(place) < x) {
                next += 1;
            }
            let before = next.checked_sub(1).and_then(|before| self.points.get(before));
            factors.push(match (before, self.points.get(next)) {
                (None, None) => ONE,
                (None, Some(&(_, factor))) | (Some(&(_, factor)), None) => factor,
                (Some(&(low, from)), Some(&(high, to))) => {
                    let (low, high) = (at(low), at(high));
                    let sum = u128::from(from) * (high - x) + u128::from(to) * (x - low);
                    // An average of two factors is no larger than the larger one.
                    u64::try_from(sum / (high - low)).unwrap_or(from.max(to))
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn factors(text: &str, length: u64) -> Vec<f64> {
        let mut factors = vec![7];
        Points::parse(text).unwrap().factors(length, &mut factors);
        factors.iter().map(|&factor| factor as f64 / ONE as f64).collect()
    }

    #[test]
    fn values_by_hand() {
        assert_eq!(factors("1:0.5", 5), [1.0, 0.875, 0.75, 0.625, 0.5]);
        assert_eq!(factors("2:0:2", 5), [2.0, 1.0, 0.0, 1.0, 2.0]);
        assert_eq!(factors("2:0:2", 2), [2.0, 2.0]);
        assert_eq!(factors("2:0:1", 1), [2.0]);
        assert_eq!(factors("2:1", 0), [0.0; 0]);
        assert_eq!(factors("3@2:1@4", 6), [3.0, 3.0, 2.0, 1.0, 1.0, 1.0]);
        assert_eq!(factors("4@2", 3), [4.0; 3]);
        assert_eq!(factors("1@0%:0.5@50%", 5), [1.0, 0.75, 0.5, 0.5, 0.5]);
        assert_eq!(factors("0@25%:1@75%", 5), [0.0, 0.0, 0.5, 1.0, 1.0]);
    }

    #[test]
    fn what_is_not_valid() {
        for text in [
            "",
            "1",
            "sine",
            "1:",
            ":1",
            "1:x",
            "-1:1",
            "101:1",
            "0:0",
            "1@0:2@3",
            "1@3:2@3",
            "1@3:2@2",
            "1@1:2",
            "1@1:2@50%",
            "1@101%",
            "1@%",
            "1@+3",
            "1@3.5",
            "1@1@2",
            "0@1",
        ] {
            assert_eq!(Points::parse(text), None, "{text}");
        }
    }

    proptest! {
        /// Against the formula in floating point.
        #[test]
        fn factors_follow_the_formula(
            values in prop::collection::vec(0u64..=100, 2..6), length in 1u64..300,
        ) {
            prop_assume!(values.iter().any(|&value| value > 0));
            let text: Vec<String> = values.iter().map(u64::to_string).collect();
            for (word, found) in factors(&text.join(":"), length).into_iter().enumerate() {
                let way = word as f64 / (length.max(2) - 1) as f64 * (values.len() - 1) as f64;
                let low = (way as usize).min(values.len() - 2);
                let (from, to) = (values[low] as f64, values[low + 1] as f64);
                let expected = from + (to - from) * (way - low as f64);
                prop_assert!((found - expected).abs() < 1e-4, "{word}: {found} {expected}");
            }
        }
    }
}
