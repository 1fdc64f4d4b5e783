//! A set in, the few elements by which it must be findable out.
//!
//! Prefix filtering: under any fixed total order, two sets that reach the threshold share an element
//! among the first `prefix_length` of each ([`crate::Measure::prefix_length`]). Our order takes the
//! fingerprints up to a bound first, and of those the ones that are in one set only; they can match
//! nothing, and most documents of most collections have enough of them to end there. Behind them come
//! the others up to the bound, those above it, and at the very end what is known to be common. So nobody
//! has to know of an element above the bound in how many sets it is.

mod large;

use crate::{Measure, RarityTable, SpreadSort, Threshold, vectors};

/// Buffers reused between documents.
#[derive(Debug, Default)]
pub struct PrefixScratch {
    low: Vec<u64>,
    high: Vec<u64>,
    common: Vec<u64>,
    ranked: Vec<(u8, u64)>,
    sorting: Sorting,
}

/// Buffers for sorting.
#[derive(Debug, Default)]
struct Sorting {
    spread: SpreadSort,
    low: Vec<u64>,
    high: Vec<u64>,
}

/// The order of a run's elements, but for which of them are in one set only.
#[derive(Debug)]
pub struct PrefixOrder<'a> {
    /// What is measured.
    pub measure: Measure,
    /// What it has to reach.
    pub threshold: Threshold,
    /// Fingerprints up to this come first.
    pub bound: u64,
    /// What is common.
    pub rarity: &'a RarityTable,
}

/// How much more than a prefix lies below the bound: where nearly half of the elements are in one set
/// only, as in most texts that are no copies, those below the bound are enough.
pub const SHARE: (u64, u64) = (9, 4);

/// Elements of which it is asked together whether they are common.
const TOGETHER: usize = 32;

/// The bound that suits a measure and a threshold.
#[must_use]
pub fn bound(measure: Measure, threshold: Threshold) -> u64 {
    let of = 1 << 20;
    let prefix = u64::from(measure.prefix_length(threshold, of));
    let share = u128::from(prefix * SHARE.0 / SHARE.1).min(u128::from(of));
    ((share << 64) / u128::from(of) - 1).min(u128::from(u64::MAX)) as u64
}

/// Arranges a set for an order with this bound: appends its elements up to it to `low`, the others to `high`.
/// O(|set|).
///
/// ```
/// use lookalike_core::prefix::divide;
///
/// let (mut low, mut high) = (Vec::new(), Vec::new());
/// divide(5, &[7, 2, 9, 1], &mut low, &mut high);
/// assert_eq!((low, high), (vec![2, 1], vec![7, 9]));
/// ```
pub fn divide(bound: u64, set: &[u64], low: &mut Vec<u64>, high: &mut Vec<u64>) {
    vectors::divide(bound, set, low, high);
}

impl<'a> PrefixOrder<'a> {
    /// An order with the bound that suits the measure and the threshold.
    #[must_use]
    pub fn new(measure: Measure, threshold: Threshold, rarity: &'a RarityTable) -> Self {
        Self { measure, threshold, bound: bound(measure, threshold), rarity }
    }

    /// Gives the elements of the set's prefix that may be in another set of this closed run, each with
    /// its place in the order of the set, from 0. All that two sets share beyond their first common
    /// element lies after it in both.
    ///
    /// `size` is that of the set, `counted` its elements up to the bound, distinct ones. `once` is asked of each
    /// of them, in their order, whether no other set has it; "no" is always a valid answer. `above` is asked
    /// for the others where those do not suffice. O(|set|), plus sorting what is given; allocation-free once
    /// the buffers are warm.
    pub fn prefix<'s>(
        &self,
        size: u32,
        counted: &[u64],
        above: impl FnOnce() -> &'s [u64],
        scratch: &mut PrefixScratch,
        mut once: impl FnMut(u64) -> bool,
        mut emit: impl FnMut(u32, u64),
    ) {
        let length = self.measure.prefix_length(self.threshold, size) as usize;
        let PrefixScratch { low, high, common, ranked, sorting } = scratch;
        if low.len() < counted.len() {
            low.resize(counted.len(), 0);
        }
        let mut others = 0;
        for &value in counted {
            // Without a branch: which ones are alone is anyone's guess.
            low[others] = value;
            others += usize::from(!once(value));
        }
        let (alone, low) = (counted.len() - others, &mut low[..others]);
        if alone >= length {
            return;
        }
        common.clear();
        let (mut place, end) = (alone as u32, length as u32);
        // Whether an element is common may cost a walk to memory: asked in order, only until there are enough, but of
        // several together, so that they are on their way at once, and without a branch.
        let mut take = |values: &[u64]| {
            for values in values.chunks(TOGETHER) {
                let (mut rare, mut rare_end, mut common_end) = ([0; TOGETHER], 0, common.len());
                common.resize(common_end + values.len(), 0);
                for &value in values {
                    let is_common = self.rarity.is_common(value);
                    (rare[rare_end], common[common_end]) = (value, value);
                    rare_end += usize::from(!is_common);
                    common_end += usize::from(is_common);
                }
                common.truncate(common_end);
                for &value in &rare[..rare_end] {
                    emit(place, value);
                    place += 1;
                    if place == end {
                        return false;
                    }
                }
            }
            true
        };
        let few = length - alone;
        if !ascending(low, few, (0, self.bound), sorting, &mut take) {
            return;
        }
        high.clear();
        high.extend_from_slice(above());
        if !ascending(high, few, (self.bound, u64::MAX), sorting, &mut take) {
            return;
        }
        ranked.clear();
        ranked.extend(common.iter().map(|&value| (self.rarity.commonness(value), value)));
        ranked.sort_unstable();
        for (place, &(_, value)) in (place..end).zip(&*ranked) {
            emit(place, value);
        }
    }
}

/// Gives values in ascending order, some at a time, until `each` says that it has enough; whether it wants more. About
/// `few` are likely to be: only those are sorted. The values are spread evenly between `from` and `to`, or it takes longer.
fn ascending(
    values: &mut [u64],
    few: usize,
    (mut from, to): (u64, u64),
    sorting: &mut Sorting,
    each: &mut impl FnMut(&[u64]) -> bool,
) -> bool {
    let mut rest = values;
    while !rest.is_empty() {
        let wanted = few + few / 4 + 8;
        let mut count = rest.len();
        if wanted < count {
            // So many are likely to be up to here: no need to compare them with each other.
            from += to.saturating_sub(from) / count as u64 * wanted as u64;
            let Sorting { low, high, .. } = &mut *sorting;
            low.clear();
            high.clear();
            vectors::divide(from, rest, low, high);
            count = low.len();
            rest[..count].copy_from_slice(low);
            rest[count..].copy_from_slice(high);
            if count == 0 {
                count = wanted;
                rest.select_nth_unstable(count - 1);
            }
        }
        let (head, tail) = rest.split_at_mut(count);
        sorting.spread.sort(head);
        if !each(head) {
            return false;
        }
        rest = tail;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RarityCounts;
    use crate::fingerprint::finalise;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    type Found = Vec<Vec<(u32, u64)>>;

    /// In how many sets each value is.
    fn counts(sets: &[Vec<u64>]) -> BTreeMap<u64, u32> {
        let mut counts = BTreeMap::new();
        sets.iter().flatten().for_each(|&value| *counts.entry(value).or_default() += 1);
        counts
    }

    fn prefixes(sets: &[Vec<u64>], order: &PrefixOrder<'_>) -> Found {
        let counts = counts(sets);
        let mut scratch = PrefixScratch::default();
        let each = |set: &Vec<u64>| {
            let (mut low, mut high, mut found) = (Vec::new(), Vec::new(), Vec::new());
            divide(order.bound, set, &mut low, &mut high);
            let once = |value| {
                assert!(value <= order.bound);
                counts[&value] == 1
            };
            let emit = |place, value| found.push((place, value));
            order.prefix(set.len() as u32, &low, || &high, &mut scratch, once, emit);
            // The other way, for large sets, gives the same.
            low.sort_unstable();
            high.sort_unstable();
            let (mut same, once) = (Vec::new(), |value| counts[&value] == 1);
            let emit = |place, value| same.push((place, value));
            order.prefix_of_ascending(set.len() as u32, &low, || &high, once, emit);
            assert_eq!(same, found);
            found
        };
        sets.iter().map(each).collect()
    }

    fn table(sets: &[Vec<u64>]) -> RarityTable {
        let mut counts = RarityCounts::for_elements(100);
        counts.count(sets.iter());
        counts.table()
    }

    #[test]
    fn the_bound_leaves_room_for_more_than_a_prefix() {
        let rarity = table(&[]);
        let share = |measure, threshold: &str| {
            let order = PrefixOrder::new(measure, threshold.parse().unwrap(), &rarity);
            order.bound as f64 / u64::MAX as f64
        };
        assert!((share(Measure::Resemblance, "0.8") - 0.45).abs() < 1e-5);
        assert!((share(Measure::Cosine, "0.9") - 0.4275).abs() < 1e-5);
        assert_eq!(share(Measure::Resemblance, "0.5"), 1.0);
        assert!(share(Measure::Resemblance, "1") < 1e-5);
    }

    proptest! {
        /// The definition: of the first so many under the order, those that are not alone.
        #[test]
        fn is_the_head_of_the_order(
            sizes in prop::collection::vec(1usize..700, 1..6),
            shared in 0u64..400,
            thousandths in 1u32..=1000,
        ) {
            let threshold: Threshold =
                format!("{}.{:03}", thousandths / 1000, thousandths % 1000).parse().unwrap();
            let sets: Vec<Vec<u64>> = (1u64..)
                .zip(sizes)
                .map(|(n, size)| {
                    let own = (0..size as u64).map(|i| n * 10_000 + i);
                    own.chain(1..=shared).map(finalise).collect()
                })
                .collect();
            let (counts, table) = (counts(&sets), table(&sets));
            let order = PrefixOrder::new(Measure::Resemblance, threshold, &table);
            for (set, found) in sets.iter().zip(prefixes(&sets, &order)) {
                let place = |&value: &u64| {
                    let common = table.commonness(value);
                    let low = value <= order.bound;
                    (!(low && counts[&value] == 1), table.is_common(value), common, !low, value)
                };
                let mut truth: Vec<u64> = set.clone();
                truth.sort_by_key(place);
                let length = Measure::Resemblance.prefix_length(threshold, set.len() as u32);
                let truth: Vec<(u32, u64)> =
                    (0..length).zip(truth).filter(|(_, value)| place(value).0).collect();
                prop_assert_eq!(found, truth);
            }
        }

        /// The promise, for sets that differ as adversarially as small sets can.
        #[test]
        fn every_match_shares_a_prefix_element(
            sets in prop::collection::vec(prop::collection::btree_set(1u64..40, 1..30), 2..12),
            thousandths in 300u32..=1000,
            spread in any::<bool>(),
        ) {
            let threshold: Threshold =
                format!("{}.{:03}", thousandths / 1000, thousandths % 1000).parse().unwrap();
            let place = |n: u64| if spread { finalise(n) } else { n };
            let sets: Vec<Vec<u64>> = sets
                .into_iter()
                .map(|s| s.into_iter().map(place).collect::<BTreeSet<_>>().into_iter().collect())
                .collect();
            let table = table(&sets);
            for measure in [Measure::Resemblance, Measure::Cosine, Measure::Containment] {
                let found = prefixes(&sets, &PrefixOrder::new(measure, threshold, &table));
                for (i, a) in sets.iter().enumerate() {
                    for (j, b) in sets.iter().enumerate().filter(|(j, _)| *j != i) {
                        let counts = crate::Overlap {
                            shared: crate::overlap(a, b), a: a.len() as u32, b: b.len() as u32 };
                        if !measure.reaches(threshold, counts) { continue }
                        let keys = |n: usize| found[n].iter().map(|e| e.1).collect::<BTreeSet<_>>();
                        let shared = match measure {
                            Measure::Containment => keys(i).iter().any(|v| b.contains(v)),
                            _ => keys(i).intersection(&keys(j)).next().is_some(),
                        };
                        prop_assert!(shared, "{:?} {:?}", a, b);
                        // Positional bound at the first common element.
                        if measure.is_symmetric() {
                            let first = found[i].iter().find(|e| keys(j).contains(&e.1)).unwrap();
                            let other = found[j].iter().find(|e| e.1 == first.1).unwrap();
                            prop_assert!(counts.a - first.0 >= counts.shared);
                            prop_assert!(counts.b - other.0 >= counts.shared);
                        }
                    }
                }
            }
        }
    }
}
