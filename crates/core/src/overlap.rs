//! Two sorted sets in, the size of their intersection out.

/// Number of values in both of two strictly increasing slices.
///
/// O(|a| + |b|), without branches on the data; galloping where one side is far smaller.
#[must_use]
pub fn overlap(a: &[u64], b: &[u64]) -> u32 {
    overlap_at_least(a, b, 0).unwrap_or(0)
}

/// The intersection size if it reaches `needed`, else `None`, noticed as early as it is certain.
///
/// Both slices strictly increasing. The values are hashes, so the two run along at about the same
/// pace; every `STRIDE` steps we look whether what is left can still suffice.
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

/// Steps between two looks at whether the threshold is still in reach.
const STRIDE: usize = 32;

/// Ratio of sizes from which searching beats merging.
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
