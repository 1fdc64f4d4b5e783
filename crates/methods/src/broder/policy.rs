//! Decides a pair from its counts: by resemblance, or by containment.
//!
//! Broder 1997, "Basic clustering": clusters by several policies follow from the same counts by
//! repeating the last phase only. So a policy is a function of three integers.

use lookalike_core::{Measure, Overlap, Threshold};
use std::str::FromStr;

/// The measure that must reach the threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Policy {
    /// |A∩B| / |A∪B|.
    #[default]
    Resemblance,
    /// The larger of |A∩B| / |A| and |A∩B| / |B|: either document is contained in the other. A
    /// decision that distinguished A from B would depend on the order of files and on the keep
    /// rules. It is never below the resemblance, so this policy accepts every pair that
    /// [`Policy::Resemblance`] accepts.
    Containment,
}

impl Policy {
    /// Whether a pair with these counts reaches the threshold. Exact, and symmetric.
    ///
    /// ```
    /// use lookalike_core::{Overlap, Threshold};
    /// use lookalike_methods::broder::Policy;
    ///
    /// // All of a small document is in a large one.
    /// let counts = Overlap { shared: 4, a: 4, b: 40 };
    /// let half: Threshold = "0.5".parse()?;
    /// assert!(!Policy::Resemblance.accepts(half, counts));
    /// assert!(Policy::Containment.accepts(half, counts));
    /// assert!(Policy::Containment.accepts(half, counts.swapped()));
    /// # Ok::<(), lookalike_core::ThresholdError>(())
    /// ```
    #[must_use]
    pub fn accepts(self, threshold: Threshold, counts: Overlap) -> bool {
        let contained = |counts| Measure::Containment.reaches(threshold, counts);
        match self {
            Self::Resemblance => Measure::Resemblance.reaches(threshold, counts),
            Self::Containment => contained(counts) || contained(counts.swapped()),
        }
    }

    /// The name in a method's description.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Resemblance => "resemblance",
            Self::Containment => "containment",
        }
    }
}

impl FromStr for Policy {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "resemblance" => Ok(Self::Resemblance),
            // An older name, which is in the summaries of earlier runs.
            "containment" | "either" => Ok(Self::Containment),
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
        fn containment_is_of_the_smaller_set_whichever_comes_first(
            a in 1u32..50, b in 1u32..50, s in 0u32..50, p in 1u32..=10,
        ) {
            let counts = Overlap { shared: s.min(a).min(b), a, b };
            let threshold: Threshold = format!("{}.{}", p / 10, p % 10).parse().unwrap();
            let contained = Policy::Containment.accepts(threshold, counts);
            prop_assert_eq!(contained, 10 * counts.shared >= p * a.min(b) && counts.shared > 0);
            for policy in [Policy::Resemblance, Policy::Containment] {
                let turned = policy.accepts(threshold, counts.swapped());
                prop_assert_eq!(policy.accepts(threshold, counts), turned);
            }
            prop_assert!(contained || !Policy::Resemblance.accepts(threshold, counts));
        }
    }

    #[test]
    fn names_are_read_back() {
        for policy in [Policy::Resemblance, Policy::Containment] {
            assert_eq!(policy.name().parse(), Ok(policy));
        }
        assert_eq!("either".parse(), Ok(Policy::Containment));
        assert_eq!("cosine".parse::<Policy>(), Err(()));
    }
}
