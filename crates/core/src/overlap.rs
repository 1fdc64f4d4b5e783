//! Size of the intersection of two sorted sets.

/// Number of values in both of two strictly increasing slices.
///
/// O(|a| + |b|), branchless merge; galloping where one side is far smaller.
#[must_use]
pub fn overlap(a: &[u64], b: &[u64]) -> u32 {
    overlap_at_least(a, b, 0).unwrap_or(0)
}

/// The size of the intersection if it reaches `needed`, else `None`, with early termination.
///
/// Both slices are strictly increasing. The values are hashes, so both sides advance at about the
/// same pace; every `STRIDE` steps the rest is checked against what is still needed.
#[must_use]
pub fn overlap_at_least(a: &[u64], b: &[u64], needed: u32) -> Option<u32> {
    let (small, large) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let needed = needed as usize;
    if small.len() < needed {
        return None;
    }
    if small.len() < large.len() / GALLOP {
        return gallop(small, large, needed);
    }
    let (mut i, mut j, mut shared) = (0, 0, 0usize);
    while i < small.len() && j < large.len() {
        if shared + (small.len() - i).min(large.len() - j) < needed {
            return None;
        }
        for _ in 0..STRIDE {
            let (Some(&x), Some(&y)) = (small.get(i), large.get(j)) else { break };
            shared += usize::from(x == y);
            i += usize::from(x <= y);
            j += usize::from(y <= x);
        }
    }
    (shared >= needed).then_some(shared as u32)
}

/// Merge steps between two checks for early termination.
const STRIDE: usize = 32;

/// Ratio of sizes from which galloping is faster than merging.
const GALLOP: usize = 32;

fn gallop(small: &[u64], large: &[u64], needed: usize) -> Option<u32> {
    let mut rest = large;
    let mut shared = 0usize;
    for (index, &value) in small.iter().enumerate() {
        if shared + (small.len() - index).min(rest.len()) < needed {
            return None;
        }
        let mut bound = 1;
        while bound < rest.len() && rest[bound] < value {
            bound *= 2;
        }
        let from = bound / 2;
        let until = rest.len().min(bound + 1);
        let at = from + rest[from..until].partition_point(|&other| other < value);
        rest = &rest[at..];
        if rest.first() == Some(&value) {
            shared += 1;
            rest = &rest[1..];
        }
    }
    (shared >= needed).then_some(shared as u32)
}

/// A set in two parts, each strictly increasing: its elements up to a bound, and those above it.
///
/// Two sets can be compared if both are split at the same bound.
///
/// ```
/// use lookalike_core::Halves;
///
/// let a = Halves { low: &[1, 4], high: &[7, 9] };
/// let b = Halves { low: &[4], high: &[6, 7, 9] };
/// assert_eq!((a.len(), a.overlap(b)), (4, 3));
/// assert_eq!(a.overlap_at_least(b, 4), None);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Halves<'a> {
    /// The elements up to the bound.
    pub low: &'a [u64],
    /// The others.
    pub high: &'a [u64],
}

impl<'a> Halves<'a> {
    /// A set that is not split, or has no elements up to the bound.
    #[must_use]
    pub fn whole(high: &'a [u64]) -> Self {
        Self { low: &[], high }
    }

    /// Number of elements.
    #[must_use]
    pub fn len(self) -> usize {
        self.low.len() + self.high.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The elements, in order.
    pub fn iter(self) -> impl Iterator<Item = u64> {
        self.low.iter().chain(self.high).copied()
    }

    /// [`overlap`] of the two sets.
    #[must_use]
    pub fn overlap(self, other: Halves<'_>) -> u32 {
        overlap(self.low, other.low) + overlap(self.high, other.high)
    }

    /// [`overlap_at_least`] of the two sets.
    #[must_use]
    pub fn overlap_at_least(self, other: Halves<'_>, needed: u32) -> Option<u32> {
        let most = self.high.len().min(other.high.len()) as u32;
        let low = overlap_at_least(self.low, other.low, needed.saturating_sub(most))?;
        let high = overlap_at_least(self.high, other.high, needed.saturating_sub(low))?;
        Some(low + high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::btree_set;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn equals_the_set_intersection(
            a in btree_set(0u64..400, 0..200),
            b in btree_set(0u64..400, 0..200),
            sparse in btree_set(0u64..100_000, 0..6),
            needed in 0u32..60,
        ) {
            let list = |set: &BTreeSet<u64>| set.iter().copied().collect::<Vec<_>>();
            for (x, y) in [(&a, &b), (&b, &a), (&sparse, &a), (&a, &sparse)] {
                let truth = x.intersection(y).count() as u32;
                prop_assert_eq!(overlap(&list(x), &list(y)), truth);
                let expected = (truth >= needed).then_some(truth);
                prop_assert_eq!(overlap_at_least(&list(x), &list(y), needed), expected);
            }
        }

        #[test]
        fn halves_equal_the_whole(
            a in btree_set(0u64..400, 0..200),
            b in btree_set(0u64..400, 0..200),
            bound in 0u64..400,
            needed in 0u32..60,
        ) {
            let (a, b): (Vec<u64>, Vec<u64>) = (a.into_iter().collect(), b.into_iter().collect());
            let halves = |set: &'_ [u64]| set.partition_point(|&value| value <= bound);
            let ((a_low, a_high), (b_low, b_high)) = (a.split_at(halves(&a)), b.split_at(halves(&b)));
            let (x, y) = (Halves { low: a_low, high: a_high }, Halves { low: b_low, high: b_high });
            prop_assert_eq!(x.overlap(y), overlap(&a, &b));
            prop_assert_eq!(x.overlap_at_least(y, needed), overlap_at_least(&a, &b, needed));
            prop_assert_eq!((x.iter().collect::<Vec<_>>(), x.len()), (a.clone(), a.len()));
        }

        #[test]
        fn galloping_equals_merging(
            small in btree_set(0u64..5000, 0..8),
            large in btree_set(0u64..5000, 300..600),
        ) {
            let small: Vec<u64> = small.into_iter().collect();
            let large: Vec<u64> = large.into_iter().collect();
            let truth = small.iter().filter(|v| large.binary_search(v).is_ok()).count() as u32;
            prop_assert_eq!(gallop(&small, &large, 0), Some(truth));
            prop_assert_eq!(overlap(&large, &small), truth);
        }
    }
}
