//! Expands groups of equal documents and edges between groups to pairs of documents.
//!
//! A pair is two document numbers, the smaller first. In a sample only those pairs are listed that
//! have a sampled document.

/// Documents whose pairs are listed; `None` for all.
pub(super) type Sampled<'a> = Option<&'a [bool]>;

/// Lists each pair of two distinct documents of `group`. O(|group|²), in a sample O(|group| · those
/// in it).
pub(super) fn within(group: &[u32], sampled: Sampled<'_>, mut push: impl FnMut(u32, u32)) {
    let mut push = |a: u32, b: u32| push(a.min(b), a.max(b));
    let Some(sampled) = sampled else {
        for (at, &a) in group.iter().enumerate() {
            group[..at].iter().for_each(|&b| push(a, b));
        }
        return;
    };
    for &a in group.iter().filter(|&&a| sampled[a as usize]) {
        // Of two sampled documents the smaller lists the pair.
        let theirs = group.iter().filter(|&&b| b > a || (b != a && !sampled[b as usize]));
        theirs.for_each(|&b| push(a, b));
    }
}

/// Lists each pair of a document of `x` and one of `y`, which are disjoint.
pub(super) fn between(x: &[u32], y: &[u32], sampled: Sampled<'_>, mut push: impl FnMut(u32, u32)) {
    let mut push = |a: u32, b: u32| push(a.min(b), a.max(b));
    let Some(sampled) = sampled else {
        for &a in x {
            y.iter().for_each(|&b| push(a, b));
        }
        return;
    };
    let is = |document: &&u32| sampled[**document as usize];
    for a in x.iter().filter(is) {
        y.iter().for_each(|&b| push(*a, b));
    }
    for b in y.iter().filter(is) {
        x.iter().filter(|a| !is(a)).for_each(|&a| push(a, *b));
    }
}

/// Number of pairs that [`between`] lists; a group is its number of documents, and of sampled ones.
pub(super) fn count_between(x: (u64, u64), y: (u64, u64)) -> u64 {
    let ((x, sampled_x), (y, sampled_y)) = (x, y);
    sampled_x * y + (x - sampled_x) * sampled_y
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn each_pair_once_and_only_sampled_ones(
            sampled in prop::collection::vec(any::<bool>(), 12),
            side in prop::collection::vec(0u8..3, 12),
            whole in any::<bool>(),
        ) {
            let of = |wanted: u8| -> Vec<u32> {
                (0u32..12).rev().filter(|&d| side[d as usize] == wanted).collect()
            };
            let (x, y) = (of(0), of(1));
            let chosen = (!whole).then_some(sampled.as_slice());
            let wanted = |a: u32, b: u32| whole || sampled[a as usize] || sampled[b as usize];
            let mut listed = Vec::new();
            within(&x, chosen, |a, b| listed.push((a, b)));
            between(&x, &y, chosen, |a, b| listed.push((a, b)));
            let mut expected = BTreeSet::new();
            for &a in &x {
                for &b in x.iter().filter(|&&b| b > a).chain(&y) {
                    if wanted(a, b) {
                        expected.insert((a.min(b), a.max(b)));
                    }
                }
            }
            prop_assert_eq!(listed.len(), expected.len());
            prop_assert_eq!(listed.into_iter().collect::<BTreeSet<_>>(), expected);
            if !whole {
                let sizes = |group: &[u32]| {
                    let sampled = group.iter().filter(|&&d| sampled[d as usize]).count();
                    (group.len() as u64, sampled as u64)
                };
                let mut counted = 0;
                between(&x, &y, chosen, |_, _| counted += 1);
                prop_assert_eq!(count_between(sizes(&x), sizes(&y)), counted);
            }
        }
    }
}
