//! Expands groups of equal documents and edges between groups to pairs of documents.
//!
//! A pair is two document numbers, the smaller first. In a sample only those pairs are listed that
//! have a sampled document.

use lookalike_engine::DocumentId;

/// Documents whose pairs are listed; `None` for all.
pub(super) type Sampled<'a> = Option<&'a [bool]>;

/// Lists each pair of two distinct documents of `group`. O(|group|²), in a sample O(|group| · those
/// in it).
pub(super) fn within(
    group: &[DocumentId],
    sampled: Sampled<'_>,
    mut push: impl FnMut(DocumentId, DocumentId),
) {
    let mut push = |a: DocumentId, b: DocumentId| push(a.min(b), a.max(b));
    let Some(sampled) = sampled else {
        for (at, &a) in group.iter().enumerate() {
            group[..at].iter().for_each(|&b| push(a, b));
        }
        return;
    };
    for &a in group.iter().filter(|&&a| sampled[a.index()]) {
        // Of two sampled documents the smaller lists the pair.
        let theirs = group.iter().filter(|&&b| b > a || (b != a && !sampled[b.index()]));
        theirs.for_each(|&b| push(a, b));
    }
}

/// Lists each pair of a document of `x` and one of `y`, which are disjoint.
pub(super) fn between(
    x: &[DocumentId],
    y: &[DocumentId],
    sampled: Sampled<'_>,
    mut push: impl FnMut(DocumentId, DocumentId),
) {
    let mut push = |a: DocumentId, b: DocumentId| push(a.min(b), a.max(b));
    let Some(sampled) = sampled else {
        for &a in x {
            y.iter().for_each(|&b| push(a, b));
        }
        return;
    };
    let is = |document: &&DocumentId| sampled[document.index()];
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
            let of = |wanted: u8| -> Vec<DocumentId> {
                let numbers = (0..12).rev().map(DocumentId);
                numbers.filter(|d| side[d.index()] == wanted).collect()
            };
            let (x, y) = (of(0), of(1));
            let chosen = (!whole).then_some(sampled.as_slice());
            let wanted = |a: DocumentId, b: DocumentId| whole || sampled[a.index()] || sampled[b.index()];
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
                let sizes = |group: &[DocumentId]| {
                    let sampled = group.iter().filter(|&&d| sampled[d.index()]).count();
                    (group.len() as u64, sampled as u64)
                };
                let mut counted = 0;
                between(&x, &y, chosen, |_, _| counted += 1);
                prop_assert_eq!(count_between(sizes(&x), sizes(&y)), counted);
            }
        }
    }
}
