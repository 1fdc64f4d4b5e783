//! Counts of a pair in, whether the pair is in: by resemblance, by containment, or by either.
//!
//! Broder 1997, "Basic clustering": clusters by a variety of policies come from the same counts by
//! repeating the last phase only. So this depends on three integers and nothing else.

use lookalike_core::{Measure, Overlap, Threshold};
use std::str::FromStr;

/// What has to reach the threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Policy {
    /// |A∩B| / |A∪B|.
    #[default]
    Resemblance,
    /// |A∩B| / |A|: of the first document in the second.
    Containment,
    /// Containment of one in the other, whichever. As |A∩B|/|A| is at least the resemblance, every
    /// pair in by resemblance is in by this too.
    Either,
}

impl Policy {
    /// Whether a pair with these counts is in. Exact.
    ///
    /// ```
    /// use lookalike_core::{Overlap, Threshold};
    /// use lookalike_methods::broder::Policy;
    ///
    /// // All of a small document lies in a large one.
    /// let counts = Overlap { shared: 4, a: 4, b: 40 };
    /// let half: Threshold = "0.5".parse()?;
    /// assert!(!Policy::Resemblance.accepts(half, counts));
    /// assert!(Policy::Containment.accepts(half, counts));
    /// assert!(!Policy::Containment.accepts(half, counts.swapped()));
    /// assert!(Policy::Either.accepts(half, counts.swapped()));
    /// # Ok::<(), lookalike_core::ThresholdError>(())
    /// ```
    #[must_use]
    pub fn accepts(self, threshold: Threshold, counts: Overlap) -> bool {
        let contained = |counts| Measure::Containment.reaches(threshold, counts);
        match self {
            Self::Resemblance => Measure::Resemblance.reaches(threshold, counts),
            Self::Containment => contained(counts),
            Self::Either => contained(counts) || contained(counts.swapped()),
        }
    }
}

impl FromStr for Policy {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "resemblance" => Ok(Self::Resemblance),
            "containment" => Ok(Self::Containment),
            "either" => Ok(Self::Either),
            _ => Err(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn either_holds_whatever_resembles(a in 1u32..50, b in 1u32..50, s in 0u32..50, p in 1u32..=10) {
            let counts = Overlap { shared: s.min(a).min(b), a, b };
            let threshold: Threshold = format!("{}.{}", p / 10, p % 10).parse().unwrap();
            let either = Policy::Either.accepts(threshold, counts);
            prop_assert_eq!(either, 10 * counts.shared >= p * a.min(b) && counts.shared > 0);
            prop_assert!(either || !Policy::Resemblance.accepts(threshold, counts));
        }
    }
}
