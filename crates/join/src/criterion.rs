//! Match criterion: a measure, the threshold that it must reach, and the bounds that follow from
//! them.

use lookalike_core::{Measure, Overlap, Threshold};

/// Elements of a prefix for each further element that matching sets have to share in the extended
/// prefix.
const PREFIX_PER_SHARED: u32 = 8;

/// The most elements that matching sets have to share in the extended prefix.
const MOST_SHARED: u32 = 16;

/// Positions behind the positional bound at which shared elements are counted, for each element
/// that extends a prefix.
const COUNTED_PER_SHARED: u32 = 2;

/// When two sets match: `measure` reaches `threshold`. All decisions are exact, in integers.
///
/// Containment has a direction: set *a* matches set *b* if enough of *a* is in *b*. In a join *a*
/// is the set that comes later in precedence; number sets by decreasing size to compare the smaller
/// set of a pair with the larger one.
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

    /// Length and positional filter (Xiao et al. 2008, PPJoin): whether two sets can match, each
    /// given as (size, position of the first element that both share in the element order).
    ///
    /// Never rejects a match. A position that is too small weakens the filter and is valid: with 0
    /// on both sides this is the length filter alone.
    #[inline]
    #[must_use]
    pub fn could_match(self, a: (u32, u32), b: (u32, u32)) -> bool {
        self.reaches(Overlap { shared: most_shared(a, b), a: a.0, b: b.0 })
    }

    /// The largest earlier set that a later set can match if their first common element is at
    /// `position` in the later one; 0 for none. `could_match(later, earlier)` is `earlier.0 <=
    /// largest_earlier(later)` and `later.0 <= largest_later(earlier)`: two comparisons for a pair,
    /// where bounds are computed once for a posting.
    #[must_use]
    pub fn largest_earlier(self, (size, position): (u32, u32)) -> u32 {
        let rest = size.saturating_sub(position);
        match self.measure {
            Measure::Containment if rest > 0 && rest >= self.needed_overlap(size, size) => u32::MAX,
            Measure::Containment => 0,
            _ => self.largest(size, rest),
        }
    }

    /// The largest later set that an earlier set can match if their first common element is at
    /// `position` in the earlier one; 0 for none.
    #[must_use]
    pub fn largest_later(self, (size, position): (u32, u32)) -> u32 {
        self.largest(size, size.saturating_sub(position))
    }

    /// The largest set that shares as many elements as it needs with a set of `size` elements, if
    /// it shares `rest`.
    fn largest(self, size: u32, rest: u32) -> u32 {
        let (p, q) = (self.threshold.numerator(), self.threshold.denominator());
        let (s, a) = (u64::from(rest), u64::from(size));
        if s == 0 || p == 0 {
            return if s == 0 { 0 } else { u32::MAX };
        }
        // p, q < 2³⁰: the products fit. With t = p/q: s ≥ p(a+b)/(p+q) ⇔ b ≤ s(p+q)/p − a; s ≥ pb/q
        // ⇔ b ≤ sq/p; s²q² ≥ p²ab ⇔ b ≤ s²q²/(p²a).
        let largest = match self.measure {
            Measure::Resemblance => u128::from((s * (p + q) / p).saturating_sub(a)),
            Measure::Containment => u128::from(s * q / p),
            Measure::Cosine => {
                let square = |x: u64| u128::from(x * x);
                square(s) * square(q) / (square(p) * u128::from(a))
            }
        };
        u32::try_from(largest).unwrap_or(u32::MAX)
    }

    /// The number of elements that two matching sets share at least within the first
    /// [`prefix_length`](Self::prefix_length) + l − 1 of each, where l is what this returns for it:
    /// at least the lesser l of the two, or all that they share (Wang, Li & Feng 2012). A few more
    /// elements to index, and most candidates that share one or two frequent elements by chance are
    /// none.
    #[must_use]
    pub fn least_in_extended_prefix(self, size: u32) -> u32 {
        if self.measure.is_symmetric() {
            1 + (self.prefix_length(size) / PREFIX_PER_SHARED).min(MOST_SHARED - 1)
        } else {
            1
        }
    }

    /// Number of positions behind the positional bound of a pair at which elements that both
    /// extended prefixes share are still counted: the more, the more of them matching sets [have to
    /// share](Self::least_shared_keys), and the more entries of posting lists are read.
    #[must_use]
    pub fn counted_beyond(self, size: u32) -> u32 {
        (self.least_in_extended_prefix(size) - 1) * COUNTED_PER_SHARED
    }

    /// The least number of elements that two matching sets of these sizes share at positions i and
    /// j of their extended prefixes where i − r and j − s pass the positional filter, with r and s
    /// what [`Self::counted_beyond`] gives for each size.
    ///
    /// The first shared element that is not counted is behind the last counted position, or behind
    /// the extended prefix, of one of the sets; all shared ones from there on are among the rest of
    /// that set. So if `needed` elements are shared, those that the longer rest cannot hold are
    /// counted. With as many positions as the prefix is extended by, this is the bound of Wang, Li
    /// & Feng (2012); the further ones use that the prefix of a set is for its smallest match, and
    /// most pairs need to share more.
    #[must_use]
    pub fn least_shared_keys(self, a: u32, b: u32) -> u32 {
        let needed = self.needed_overlap(a, b);
        let of = |size: u32| {
            let prefix = self.prefix_length(size) + self.least_in_extended_prefix(size) - 1;
            (self.counted_beyond(size) + 1).min((needed + prefix).saturating_sub(size))
        };
        of(a).min(of(b)).min(needed)
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

    /// Prefix filter: number of elements, from the start of the element order, of which every set
    /// that a set of `size` elements matches has at least one in its own [indexed
    /// part](Self::index_length).
    #[must_use]
    pub fn prefix_length(self, size: u32) -> u32 {
        self.measure.prefix_length(self.threshold, size)
    }

    /// Number of elements, from the start of the element order, under which a set of `size`
    /// elements must be indexed: its prefix, or for containment all of them.
    #[must_use]
    pub fn index_length(self, size: u32) -> u32 {
        if self.measure.is_symmetric() { self.prefix_length(size) } else { size }
    }
}

/// Positional bound: the most elements that two sets share, each given as (size, position of the
/// first shared element). A position beyond the end of its set leaves nothing to share.
#[inline]
pub(crate) fn most_shared(a: (u32, u32), b: (u32, u32)) -> u32 {
    a.0.saturating_sub(a.1).min(b.0.saturating_sub(b.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Sets that share their last `shared` elements in the order, the worst case of every
        /// bound.
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

    proptest! {
        /// The bounds of both sides together are the filter, for every pair of sizes and positions.
        #[test]
        fn two_comparisons_are_the_filter(
            a in (1u32..200, 0u32..220), b in (1u32..200, 0u32..220), thousandths in 1u32..=1000,
            measure in prop::sample::select(vec![Measure::Resemblance, Measure::Containment, Measure::Cosine]),
        ) {
            let threshold = format!("{}.{:03}", thousandths / 1000, thousandths % 1000).parse().unwrap();
            let criterion = Criterion { measure, threshold };
            let bounds = b.0 <= criterion.largest_earlier(a) && a.0 <= criterion.largest_later(b);
            prop_assert_eq!(bounds, criterion.could_match(a, b));
        }

        /// Sets that share elements anywhere: the definition of the extended prefix, and the
        /// positional filter within it.
        #[test]
        fn matching_sets_share_several_elements_of_the_extended_prefix(
            shared in prop::collection::btree_set(0u32..400, 1..200),
            only_a in prop::collection::btree_set(0u32..400, 0..60),
            only_b in prop::collection::btree_set(0u32..400, 0..60),
            thousandths in 1u32..=1000,
            measure in prop::sample::select(vec![Measure::Resemblance, Measure::Cosine]),
        ) {
            let threshold = format!("{}.{:03}", thousandths / 1000, thousandths % 1000).parse().unwrap();
            let criterion = Criterion { measure, threshold };
            let union = |only: &std::collections::BTreeSet<u32>, side| -> Vec<u32> {
                let mut set: Vec<u32> = shared.iter().map(|e| 3 * e).chain(only.iter().map(|e| 3 * e + side)).collect();
                set.sort_unstable();
                set
            };
            let (a, b) = (union(&only_a, 1), union(&only_b, 2));
            let sizes = (a.len() as u32, b.len() as u32);
            let counts = Overlap { shared: shared.len() as u32, a: sizes.0, b: sizes.1 };
            prop_assume!(criterion.reaches(counts));
            let least = |size| criterion.least_in_extended_prefix(size);
            let length = |size| (criterion.prefix_length(size) + least(size) - 1) as usize;
            let beyond = |size| criterion.counted_beyond(size);
            let position = |set: &[u32], element| set.iter().position(|&e| e == element).unwrap();
            // Under one of these keys, even the positions without those of the other keys allow the
            // match.
            let passes = |&&element: &&u32| {
                let (i, j) = (position(&a, 3 * element), position(&b, 3 * element));
                let relaxed = |i: usize, size| (size, (i as u32).saturating_sub(beyond(size)));
                i < length(sizes.0) && j < length(sizes.1)
                    && criterion.could_match(relaxed(i, sizes.0), relaxed(j, sizes.1))
            };
            let found = shared.iter().filter(passes).count() as u32;
            let needed = criterion.needed_overlap(sizes.0, sizes.1);
            prop_assert!(found >= criterion.least_shared_keys(sizes.0, sizes.1), "{found}");
            // Never weaker than the bound by the extension alone.
            prop_assert!(criterion.least_shared_keys(sizes.0, sizes.1) >= least(sizes.0).min(least(sizes.1)).min(needed));
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
