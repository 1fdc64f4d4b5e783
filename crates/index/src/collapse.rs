//! Collapsed results: of a ranked list, one document is shown and its near-duplicates are put
//! behind it.

use lookalike_core::{BitmapSignature, Overlap};
use lookalike_join::{Criterion, verify};
use rayon::prelude::*;

/// An item of a ranked list: what turns most pairs away without their sets.
#[derive(Debug, Clone, Copy)]
pub struct RankedItem {
    /// Number of elements of its set.
    pub size: u32,
    /// The bitmap of its set.
    pub bitmap: BitmapSignature,
    /// Whether it is known that it matches no other item of which this is known as well: both are
    /// kept by an index at this criterion or a lower threshold.
    pub kept: bool,
}

impl RankedItem {
    /// The item of a set.
    #[must_use]
    pub fn of(set: &[u64]) -> Self {
        Self { size: set.len() as u32, bitmap: BitmapSignature::of(set), kept: false }
    }

    /// Whether an item may match one that is shown, before their sets are looked at.
    fn may_match(&self, shown: &Self, criterion: Criterion) -> bool {
        let (a, b) = (self.size, shown.size);
        a > 0
            && !(self.kept && shown.kept)
            && criterion.needed_overlap(a, b) <= self.bitmap.most_shared(shown.bitmap, a, b)
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
/// and only for those with a pair that sizes and bitmaps leave, on the threads of the current pool.
/// O(n²) bitmaps for n items.
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
pub fn collapse<E: Send>(
    criterion: Criterion,
    items: &[RankedItem],
    load: impl Fn(usize) -> Result<Vec<u64>, E> + Sync,
) -> Result<Vec<Group>, E> {
    let mut wanted = vec![false; items.len()];
    for (item, ranked) in items.iter().enumerate() {
        for (other, shown) in items[..item].iter().enumerate() {
            if !(wanted[item] && wanted[other]) && ranked.may_match(shown, criterion) {
                (wanted[item], wanted[other]) = (true, true);
            }
        }
    }
    let load = |(item, wanted): (usize, &bool)| if *wanted { load(item) } else { Ok(Vec::new()) };
    let sets: Vec<Vec<u64>> =
        wanted.par_iter().enumerate().with_min_len(AT_ONCE).map(load).collect::<Result<_, E>>()?;
    let mut groups: Vec<Group> = Vec::new();
    for (item, ranked) in items.iter().enumerate() {
        let found = groups.iter().enumerate().find_map(|(at, group)| {
            let shown = group.shown;
            let counts = match ranked.may_match(&items[shown], criterion) {
                true => verify(criterion, &sets[item], &sets[shown]),
                false => None,
            };
            Some((at, counts?))
        });
        match found {
            Some((at, counts)) => groups[at].behind.push(Behind { item, counts }),
            None => groups.push(Group { shown: item, behind: Vec::new() }),
        }
    }
    Ok(groups)
}

/// Items that a thread takes: fewer are not worth another thread.
const AT_ONCE: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike_core::Measure;
    use proptest::prelude::*;
    use std::sync::atomic::{AtomicU32, Ordering};

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
                let loaded: Vec<AtomicU32> = sets.iter().map(|_| AtomicU32::new(0)).collect();
                let load = |item: usize| {
                    loaded[item].fetch_add(1, Ordering::Relaxed);
                    Ok::<_, ()>(sets[item].clone())
                };
                prop_assert_eq!(collapse(criterion, &items, load).unwrap(), truth.clone());
                prop_assert!(loaded.iter().all(|times| times.load(Ordering::Relaxed) <= 1));
                // No two that are shown match, whatever the order, by a measure that has none.
                if measure != Measure::Containment {
                    let mut known = items.clone();
                    truth.iter().for_each(|group| known[group.shown].kept = true);
                    prop_assert_eq!(collapse(criterion, &known, load).unwrap(), truth);
                }
            }
        }
    }
}
