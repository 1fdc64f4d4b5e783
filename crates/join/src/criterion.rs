//! Match criterion: a measure, the threshold that it must reach, and the bounds that follow from them.

use lookalike_core::{Measure, Overlap, Threshold};

/// When two sets match: `measure` reaches `threshold`. All decisions are exact, in integers.
///
/// Containment has a direction: set *a* matches set *b* if enough of *a* is in *b*. In a join *a* is
/// the set that comes later in precedence; number sets by decreasing size to compare the smaller set of
/// a pair with the larger one.
///
/// ```
/// use lookalike_core::{Measure, Overlap};
/// use lookalike_join::Criterion;
///
/// let criterion = Criterion { measure: Measure::Resemblance, threshold: "0.8".parse()? };
/// assert!(criterion.reaches(Overlap { shared: 9, a: 10, b: 10 }));
/// assert_eq!(criterion.needed_overlap(10, 10), 9);
/// assert_eq!(criterion.prefix_length(10), 3);
/// // The first shared element is at position 0 of one set and at 2 of the other: at most 8 are shared.
/// assert!(!criterion.could_match((10, 0), (10, 2)));
/// # Ok::<(), lookalike_core::ThresholdError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Criterion {
    /// What is measured.
    pub measure: Measure,
    /// What the measure has to reach.
    pub threshold: Threshold,
}

impl Criterion {
    /// Whether sets with these counts match.
    #[inline]
    #[must_use]
    pub fn reaches(self, counts: Overlap) -> bool {
        self.measure.reaches(self.threshold, counts)
    }

    /// Length and positional filter (Xiao et al. 2008, PPJoin): whether two sets can match, each given
    /// as (size, position of the first element that both share in the element order).
    ///
    /// Never rejects a match. A position that is too small weakens the filter and is valid: with 0 on
    /// both sides this is the length filter alone.
    #[inline]
    #[must_use]
    pub fn could_match(self, a: (u32, u32), b: (u32, u32)) -> bool {
        self.reaches(Overlap { shared: most_shared(a, b), a: a.0, b: b.0 })
    }

    /// The least number of shared elements with which sets of `a` and `b` elements match.
    #[must_use]
    pub fn needed_overlap(self, a: u32, b: u32) -> u32 {
        self.measure.needed_overlap(self.threshold, a, b)
    }

    /// Length filter: smallest and largest size of a set that a set of `size` elements can match.
    #[must_use]
    pub fn size_bounds(self, size: u32) -> (u32, u32) {
        self.measure.size_bounds(self.threshold, size)
    }

    /// Prefix filter: number of elements, from the start of the element order, of which every set that
    /// a set of `size` elements matches has at least one in its own [indexed part](Self::index_length).
    #[must_use]
    pub fn prefix_length(self, size: u32) -> u32 {
        self.measure.prefix_length(self.threshold, size)
    }

    /// Number of elements, from the start of the element order, under which a set of `size` elements must
    /// be indexed: its prefix, or for containment all of them.
    #[must_use]
    pub fn index_length(self, size: u32) -> u32 {
        if self.measure.is_symmetric() { self.prefix_length(size) } else { size }
    }
}

/// Positional bound: the most elements that two sets share, each given as (size, position of the first
/// shared element). A position beyond the end of its set leaves nothing to share.
#[inline]
pub(crate) fn most_shared(a: (u32, u32), b: (u32, u32)) -> u32 {
    a.0.saturating_sub(a.1).min(b.0.saturating_sub(b.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Sets that share their last `shared` elements in the order, the worst case of every bound.
        #[test]
        fn no_bound_rejects_a_match(
            a in 1u32..90, b in 1u32..90, shared in 1u32..90, thousandths in 300u32..=1000,
            measure in prop::sample::select(vec![Measure::Resemblance, Measure::Containment, Measure::Cosine]),
        ) {
            let shared = shared.min(a).min(b);
            let threshold = format!("{}.{:03}", thousandths / 1000, thousandths % 1000).parse().unwrap();
            let criterion = Criterion { measure, threshold };
            let matches = criterion.reaches(Overlap { shared, a, b });
            prop_assert_eq!(matches, shared >= criterion.needed_overlap(a, b));
            prop_assert_eq!(matches, criterion.could_match((a, a - shared), (b, b - shared)));
            if matches {
                let (low, high) = criterion.size_bounds(a);
                prop_assert!((low..=high).contains(&b));
                prop_assert!(a - shared < criterion.prefix_length(a));
                prop_assert!(b - shared < criterion.index_length(b));
            }
        }
    }

    #[test]
    fn positions_beyond_the_end_leave_nothing() {
        let criterion = Criterion { measure: Measure::Cosine, threshold: "0.3".parse().unwrap() };
        assert!(!criterion.could_match((5, 6), (5, 0)));
        assert!(!criterion.could_match((5, 0), (5, u32::MAX)));
        assert!(criterion.could_match((5, 0), (5, 0)));
    }
}
