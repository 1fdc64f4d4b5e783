//! Collapsed results: of a ranked list, one document is shown and its near-duplicates are put
//! behind it.

use lookalike_core::{BitmapSignature, Overlap};
use lookalike_join::{Criterion, verify};

/// An item of a ranked list: what turns most pairs away without their sets.
#[derive(Debug, Clone, Copy)]
pub struct RankedItem {
    /// Number of elements of its set.
    pub size: u32,
    /// The bitmap of its set.
    pub bitmap: BitmapSignature,
}

impl RankedItem {
    /// The item of a set.
    #[must_use]
    pub fn of(set: &[u64]) -> Self {
        Self { size: set.len() as u32, bitmap: BitmapSignature::of(set) }
    }
}

/// An item that is shown, and those behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Place in the list.
    pub shown: usize,
    /// The items behind it, in their order.
    pub behind: Vec<Behind>,
}

/// An item behind another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Behind {
    /// Place in the list.
    pub item: usize,
    /// Counts of the item (a) and the one that is shown (b).
    pub counts: Overlap,
}

/// Groups a ranked list: an item is put behind the first shown item that it matches, and is shown
/// if there is none. This is leader clustering in the order of the list; a chain of matches does
/// not connect items that do not match.
///
/// `load` makes the set of an item, strictly ascending; it is called at most once for each item,
/// and only for those with a pair that sizes and bitmaps leave. O(n·g) bitmaps for n items in g
/// groups.
///
/// ```
/// use lookalike_core::Measure;
/// use lookalike_index::{RankedItem, collapse};
/// use lookalike_join::Criterion;
///
/// let sets = [vec![1, 2, 3, 4, 5], vec![7, 8, 9], vec![1, 2, 3, 4, 6]];
/// let items: Vec<RankedItem> = sets.iter().map(|set| RankedItem::of(set)).collect();
/// let criterion = Criterion { measure: Measure::Resemblance, threshold: "0.6".parse()? };
/// let groups = collapse(criterion, &items, |item| Ok::<_, ()>(sets[item].clone())).unwrap();
/// let shown: Vec<usize> = groups.iter().map(|group| group.shown).collect();
/// assert_eq!(shown, [0, 1]);
/// assert_eq!((groups[0].behind[0].item, groups[0].behind[0].counts.shared), (2, 4));
/// # Ok::<(), lookalike_core::ThresholdError>(())
/// ```
///
/// # Errors
/// Those of `load`.
pub fn collapse<E>(
    criterion: Criterion,
    items: &[RankedItem],
    mut load: impl FnMut(usize) -> Result<Vec<u64>, E>,
) -> Result<Vec<Group>, E> {
    let mut sets: Vec<Option<Vec<u64>>> = vec![None; items.len()];
    let mut groups: Vec<Group> = Vec::new();
    for (item, ranked) in items.iter().enumerate() {
        let mut found = None;
        for (at, group) in groups.iter().enumerate() {
            let shown = &items[group.shown];
            let (a, b) = (ranked.size, shown.size);
            let needed = criterion.needed_overlap(a, b);
            if a == 0 || needed > ranked.bitmap.most_shared(shown.bitmap, a, b) {
                continue;
            }
            for wanted in [item, group.shown] {
                if sets[wanted].is_none() {
                    sets[wanted] = Some(load(wanted)?);
                }
            }
            let (Some(own), Some(other)) = (&sets[item], &sets[group.shown]) else { continue };
            if let Some(counts) = verify(criterion, own, other) {
                found = Some((at, counts));
                break;
            }
        }
        match found {
            Some((at, counts)) => groups[at].behind.push(Behind { item, counts }),
            None => groups.push(Group { shown: item, behind: Vec::new() }),
        }
    }
    Ok(groups)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike_core::Measure;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn equals_the_definition(
            sets in prop::collection::vec(prop::collection::btree_set(0u64..12, 0..10), 0..12),
            hundredths in 20u32..=100,
        ) {
            // Elements are hashes.
            let element = lookalike_core::fingerprint::finalise;
            let sets: Vec<Vec<u64>> = sets.into_iter().map(|set| {
                let mut set: Vec<u64> = set.into_iter().map(element).collect();
                set.sort_unstable();
                set
            }).collect();
            let items: Vec<RankedItem> = sets.iter().map(|set| RankedItem::of(set)).collect();
            let threshold = format!("{}.{:02}", hundredths / 100, hundredths % 100);
            for measure in [Measure::Resemblance, Measure::Containment, Measure::Cosine] {
                let criterion = Criterion { measure, threshold: threshold.parse().unwrap() };
                let mut truth: Vec<Group> = Vec::new();
                for (item, set) in sets.iter().enumerate() {
                    let matched = truth.iter_mut().find_map(|group| {
                        verify(criterion, set, &sets[group.shown]).map(|counts| (group, counts))
                    });
                    match matched {
                        Some((group, counts)) => group.behind.push(Behind { item, counts }),
                        None => truth.push(Group { shown: item, behind: Vec::new() }),
                    }
                }
                let mut loaded = vec![0; sets.len()];
                let found = collapse(criterion, &items, |item| {
                    loaded[item] += 1;
                    Ok::<_, ()>(sets[item].clone())
                });
                prop_assert_eq!(found.unwrap(), truth);
                prop_assert!(loaded.iter().all(|&times| times <= 1));
            }
        }
    }
}
