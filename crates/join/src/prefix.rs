//! Prefix filter: the few elements of a set under which it has to be found.
//!
//! Under any fixed total order of elements, two sets that match share an element among the first
//! [`Criterion::prefix_length`] of each (Chaudhuri, Ganti & Kaushik 2006; Bayardo, Ma & Srikant
//! 2007). [`prefix`] and [`index_keys`] use an [`ElementOrder`] alone. [`PrefixFilter`] is for runs
//! that can tell *singletons*, elements of a single set: they come first, as they match nothing,
//! and most documents of most collections have enough of them to have no other key. To find
//! singletons among few elements, those with values up to a bound come before the others, and only
//! they are looked up.

mod ascending;
mod small_vocabulary;

use crate::{Criterion, ElementOrder};
use lookalike_core::{SpreadSort, divide};

/// A key of a set: one of its elements, and its position in the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PrefixKey {
    /// The element.
    pub element: u64,
    /// Number of elements of the set before it in the order. All that two sets share besides their
    /// first common element comes after it in both.
    pub position: u32,
}

/// The prefix of a set: its first [`Criterion::prefix_length`] elements in the order, by position.
///
/// `set` has distinct elements in any order; `out` is replaced, and is the only buffer. A set that
/// matches another one has one of these keys among the [`index_keys`] of the other one. O(|set| + p
/// log p) for a prefix of p elements.
///
/// ```
/// use lookalike_core::Measure;
/// use lookalike_join::{Criterion, DfSketch, prefix};
///
/// let mut sketch = DfSketch::for_elements(100, 0);
/// (0..20).for_each(|_| sketch.add(&[1, 2]));
/// (0..30).for_each(|_| sketch.add(&[1]));
/// let criterion = Criterion { measure: Measure::Resemblance, threshold: "0.5".parse()? };
/// let mut keys = Vec::new();
/// prefix(criterion, &sketch.freeze(), &[1, 2, 3, 4], &mut keys);
/// // 3 of 4 elements, the most frequent one not among them.
/// assert_eq!(keys.iter().map(|key| (key.element, key.position)).collect::<Vec<_>>(), [(3, 0), (4, 1), (2, 2)]);
/// # Ok::<(), lookalike_core::ThresholdError>(())
/// ```
pub fn prefix(criterion: Criterion, order: &ElementOrder, set: &[u64], out: &mut Vec<PrefixKey>) {
    first(order, set, criterion.prefix_length(set.len() as u32), out);
}

/// The keys under which a set is indexed: its [`prefix()`], or for containment, where the set that
/// contains another one may be much larger, all of its elements.
///
/// Complexity and arguments as for [`prefix()`].
pub fn index_keys(
    criterion: Criterion,
    order: &ElementOrder,
    set: &[u64],
    out: &mut Vec<PrefixKey>,
) {
    first(order, set, criterion.index_length(set.len() as u32), out);
}

/// The first elements of a set in the order.
fn first(order: &ElementOrder, set: &[u64], length: u32, out: &mut Vec<PrefixKey>) {
    out.clear();
    // For now, the level is in the place of the position.
    let level = |element| u32::from(order.level(element));
    out.extend(set.iter().map(|&element| PrefixKey { element, position: level(element) }));
    let in_order = |key: &PrefixKey| (key.position, key.element);
    let length = length as usize;
    if (1..out.len()).contains(&length) {
        out.select_nth_unstable_by_key(length - 1, in_order);
    }
    out.truncate(length);
    out.sort_unstable_by_key(in_order);
    (0u32..).zip(out).for_each(|(position, key)| key.position = position);
}

/// Prefixes by the order of a run that knows singletons: singletons up to the bound, other elements
/// up to the bound, those above it, and at the end the common ones; each by value, the common ones
/// by level first. In contrast to [`prefix()`] it looks up the levels of common elements only, in
/// few documents. A join uses one of both throughout.
#[derive(Debug, Clone, Copy)]
pub struct PrefixFilter<'a> {
    /// When sets match.
    pub criterion: Criterion,
    /// Elements up to this value come first, common ones excepted.
    pub bound: u64,
    /// Which elements are common.
    pub order: &'a ElementOrder,
}

/// Buffers of [`PrefixFilter::prefix`], reused from set to set.
#[derive(Debug, Default)]
pub struct PrefixScratch {
    low: Vec<u64>,
    high: Vec<u64>,
    common: Vec<u64>,
    ranked: Vec<(u8, u64)>,
    levels: Vec<u8>,
    sorting: Sorting,
}

/// Buffers for sorting.
#[derive(Debug, Default)]
struct Sorting {
    spread: SpreadSort,
    low: Vec<u64>,
    high: Vec<u64>,
}

/// Ratio of the elements up to the bound to those of a prefix: where nearly half of the elements
/// are singletons, as in most texts that are no copies, the elements up to the bound are enough.
pub const SHARE: (u64, u64) = (9, 4);

/// Elements that are looked up together.
const TOGETHER: usize = 32;

/// The bound of [`PrefixFilter`] that suits a criterion.
///
/// ```
/// use lookalike_core::Measure;
/// use lookalike_join::{Criterion, prefix};
///
/// let criterion = Criterion { measure: Measure::Resemblance, threshold: "0.8".parse()? };
/// assert_eq!(prefix::bound(criterion) >> 54, 460); // of 1024: 45 %
/// # Ok::<(), lookalike_core::ThresholdError>(())
/// ```
#[must_use]
pub fn bound(criterion: Criterion) -> u64 {
    let of = 1 << 20;
    let prefix = u64::from(criterion.prefix_length(of));
    let share = u128::from(prefix * SHARE.0 / SHARE.1).min(u128::from(of));
    ((share << 64) / u128::from(of) - 1).min(u128::from(u64::MAX)) as u64
}

impl<'a> PrefixFilter<'a> {
    /// A filter with the bound that suits the criterion.
    #[must_use]
    pub fn new(criterion: Criterion, order: &'a ElementOrder) -> Self {
        Self { criterion, bound: bound(criterion), order }
    }

    /// Number of elements, from the start of the order, that are keys: the prefix, and of a small
    /// vocabulary, where many sets share one element by chance, the [extended
    /// one](Criterion::least_in_extended_prefix).
    #[must_use]
    pub fn length(&self, size: u32) -> u32 {
        let extension = match self.order.is_small_vocabulary() {
            true => self.criterion.least_in_extended_prefix(size) - 1,
            false => 0,
        };
        self.criterion.prefix_length(size) + extension
    }

    /// Emits the keys of a set, as (position, element) in the order, without the singletons.
    ///
    /// `size` is that of the set; `low` are its elements up to the bound, distinct and in any
    /// order; `high` gives the others, and is called only where `low` does not suffice.
    /// `is_singleton` is called for each element of `low`, in its order, and may always say no; it
    /// must say no for elements of other sets of the run. O(|set|), plus sorting the prefix; no
    /// allocation once the buffers have grown.
    pub fn prefix<'s>(
        &self,
        size: u32,
        low: &[u64],
        high: impl FnOnce() -> &'s [u64],
        scratch: &mut PrefixScratch,
        mut is_singleton: impl FnMut(u64) -> bool,
        mut emit: impl FnMut(u32, u64),
    ) {
        let length = self.length(size) as usize;
        let PrefixScratch { low: shared, high: rest, common, ranked, levels, sorting } = scratch;
        if shared.len() < low.len() {
            shared.resize(low.len(), 0);
        }
        let mut count = 0;
        for &element in low {
            // Branchless: which elements are singletons is unpredictable.
            shared[count] = element;
            count += usize::from(!is_singleton(element));
        }
        let (singletons, shared) = (low.len() - count, &mut shared[..count]);
        if singletons >= length {
            return;
        }
        common.clear();
        if self.order.is_small_vocabulary() {
            // Nearly all are common: to order them by value first is in vain.
            let positions = singletons as u32..length as u32;
            let shared = &*shared;
            return self.least_common(
                positions,
                shared,
                high,
                (rest, common, levels),
                sorting,
                emit,
            );
        }
        let (mut position, end) = (singletons as u32, length as u32);
        // A lookup may miss the cache: several are issued together, without branches, and only
        // until the prefix is complete.
        let mut take = |elements: &[u64]| {
            for elements in elements.chunks(TOGETHER) {
                let (mut rare, mut rare_end, mut common_end) = ([0; TOGETHER], 0, common.len());
                common.resize(common_end + elements.len(), 0);
                for &element in elements {
                    let is_common = self.order.is_common(element);
                    (rare[rare_end], common[common_end]) = (element, element);
                    rare_end += usize::from(!is_common);
                    common_end += usize::from(is_common);
                }
                common.truncate(common_end);
                for &element in &rare[..rare_end] {
                    emit(position, element);
                    position += 1;
                    if position == end {
                        return false;
                    }
                }
            }
            true
        };
        let few = length - singletons;
        if !ascending(shared, few, (0, self.bound), sorting, &mut take) {
            return;
        }
        rest.clear();
        rest.extend_from_slice(high());
        if !ascending(rest, few, (self.bound, u64::MAX), sorting, &mut take) {
            return;
        }
        ranked.clear();
        ranked.extend(common.iter().map(|&element| (self.order.level(element), element)));
        ranked.sort_unstable();
        for (position, &(_, element)) in (position..end).zip(&*ranked) {
            emit(position, element);
        }
    }
}

/// Passes elements on in ascending order, some at a time, until `each` returns false; returns what
/// it returned last. About `few` are likely to be wanted: only those are sorted. Fast where the
/// values are spread evenly between `from` and `to`.
fn ascending(
    elements: &mut [u64],
    few: usize,
    (mut from, to): (u64, u64),
    sorting: &mut Sorting,
    each: &mut impl FnMut(&[u64]) -> bool,
) -> bool {
    let mut rest = elements;
    while !rest.is_empty() {
        let wanted = few + few / 4 + 8;
        let mut count = rest.len();
        if wanted < count {
            // About as many as wanted are expected up to this value: found without comparing them
            // with each other.
            from += to.saturating_sub(from) / count as u64 * wanted as u64;
            let Sorting { low, high, .. } = &mut *sorting;
            low.clear();
            high.clear();
            divide(from, rest, low, high);
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
    use crate::DfSketch;
    use lookalike_core::fingerprint::finalise;
    use lookalike_core::{Measure, Overlap, Threshold, overlap};
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    type Found = Vec<Vec<(u32, u64)>>;

    const MEASURES: [Measure; 3] = [Measure::Resemblance, Measure::Cosine, Measure::Containment];

    fn threshold(thousandths: u32) -> Threshold {
        format!("{}.{:03}", thousandths / 1000, thousandths % 1000).parse().unwrap()
    }

    /// In how many sets each element is.
    fn counts(sets: &[Vec<u64>]) -> BTreeMap<u64, u32> {
        let mut counts = BTreeMap::new();
        sets.iter().flatten().for_each(|&element| *counts.entry(element).or_default() += 1);
        counts
    }

    fn prefixes(sets: &[Vec<u64>], filter: &PrefixFilter<'_>) -> Found {
        let counts = counts(sets);
        let mut scratch = PrefixScratch::default();
        let each = |set: &Vec<u64>| {
            let (mut low, mut high, mut found) = (Vec::new(), Vec::new(), Vec::new());
            divide(filter.bound, set, &mut low, &mut high);
            let is_singleton = |element| {
                assert!(element <= filter.bound);
                counts[&element] == 1
            };
            let emit = |position, element| found.push((position, element));
            filter.prefix(set.len() as u32, &low, || &high, &mut scratch, is_singleton, emit);
            // The variant for large sets gives the same.
            low.sort_unstable();
            high.sort_unstable();
            let (mut same, is_singleton) = (Vec::new(), |element| counts[&element] == 1);
            let emit = |position, element| same.push((position, element));
            filter.prefix_of_ascending(set.len() as u32, &low, || &high, is_singleton, emit);
            assert_eq!(same, found);
            found
        };
        sets.iter().map(each).collect()
    }

    fn order(sets: &[Vec<u64>]) -> ElementOrder {
        let mut sketch = DfSketch::for_elements(100, 0);
        sets.iter().for_each(|set| sketch.add(set));
        sketch.freeze()
    }

    #[test]
    fn the_bound_covers_more_than_a_prefix() {
        let share = |measure, threshold: &str| {
            let criterion = Criterion { measure, threshold: threshold.parse().unwrap() };
            bound(criterion) as f64 / u64::MAX as f64
        };
        assert!((share(Measure::Resemblance, "0.8") - 0.45).abs() < 1e-5);
        assert!((share(Measure::Cosine, "0.9") - 0.4275).abs() < 1e-5);
        assert_eq!(share(Measure::Resemblance, "0.5"), 1.0);
        assert!(share(Measure::Resemblance, "1") < 1e-5);
    }

    proptest! {
        /// The definition: of the first so many in the order, those that are not singletons.
        #[test]
        fn is_the_head_of_the_order(
            sizes in prop::collection::vec(1usize..700, 1..6),
            shared in 0u64..400,
            thousandths in 1u32..=1000,
            repeated in prop::collection::vec((0u64..400, 1u32..800), 0..20),
        ) {
            let sets: Vec<Vec<u64>> = (1u64..)
                .zip(sizes)
                .map(|(n, size)| {
                    let own = (0..size as u64).map(|i| n * 10_000 + i);
                    own.chain(1..=shared).map(finalise).collect()
                })
                .collect();
            let mut sketch = DfSketch::for_elements(100, 0);
            sets.iter().for_each(|set| sketch.add(set));
            for (element, times) in repeated {
                (0..times).for_each(|_| sketch.add(&[finalise(element)]));
            }
            let (counts, order) = (counts(&sets), sketch.freeze());
            let criterion = Criterion { measure: Measure::Resemblance, threshold: threshold(thousandths) };
            let filter = PrefixFilter::new(criterion, &order);
            for (set, found) in sets.iter().zip(prefixes(&sets, &filter)) {
                let key = |&element: &u64| {
                    let low = element <= filter.bound;
                    let common = order.is_common(element);
                    let level = if common { order.level(element) } else { 0 };
                    (!(low && counts[&element] == 1), common, level, !low, element)
                };
                let mut truth: Vec<u64> = set.clone();
                truth.sort_by_key(key);
                let length = filter.length(set.len() as u32);
                let truth: Vec<(u32, u64)> =
                    (0..length).zip(truth).filter(|(_, element)| key(element).0).collect();
                prop_assert_eq!(found, truth);
            }
        }

        /// The definition of the pure step: the first elements by level and value.
        #[test]
        fn the_pure_step_is_the_head_of_the_element_order(
            set in prop::collection::btree_set(0u64..3000, 0..300),
            thousandths in 1u32..=1000,
            repeated in prop::collection::vec((0u64..3000, 1u32..800), 0..60),
        ) {
            let set: Vec<u64> = set.into_iter().map(finalise).collect();
            let mut sketch = DfSketch::for_elements(100, 0);
            for (element, times) in repeated {
                (0..times).for_each(|_| sketch.add(&[finalise(element)]));
            }
            let order = sketch.freeze();
            for measure in MEASURES {
                let criterion = Criterion { measure, threshold: threshold(thousandths) };
                let mut sorted = set.clone();
                sorted.sort_by_key(|&element| (order.level(element), element));
                let length = criterion.prefix_length(set.len() as u32);
                let found: Vec<PrefixKey> = (0..length)
                    .zip(sorted)
                    .map(|(position, element)| PrefixKey { element, position })
                    .collect();
                let mut keys = vec![PrefixKey { element: 5, position: 6 }];
                prefix(criterion, &order, &set, &mut keys);
                prop_assert_eq!(&keys, &found);
                let mut index = Vec::new();
                index_keys(criterion, &order, &set, &mut index);
                prop_assert_eq!(&index[..keys.len()], &keys);
                let all = if measure == Measure::Containment { set.len() } else { keys.len() };
                prop_assert_eq!(index.len(), all);
                prop_assert!((0u32..).zip(&index).all(|(at, key)| key.position == at));
            }
        }

        /// The promise, for sets that differ as adversarially as small sets can.
        #[test]
        fn every_match_shares_a_prefix_element(
            sets in prop::collection::vec(prop::collection::btree_set(1u64..40, 1..30), 2..12),
            thousandths in 300u32..=1000,
            spread in any::<bool>(),
        ) {
            let place = |n: u64| if spread { finalise(n) } else { n };
            let sets: Vec<Vec<u64>> = sets
                .into_iter()
                .map(|s| s.into_iter().map(place).collect::<BTreeSet<_>>().into_iter().collect())
                .collect();
            let order = order(&sets);
            for measure in MEASURES {
                let criterion = Criterion { measure, threshold: threshold(thousandths) };
                let found = prefixes(&sets, &PrefixFilter::new(criterion, &order));
                for (i, a) in sets.iter().enumerate() {
                    for (j, b) in sets.iter().enumerate().filter(|(j, _)| *j != i) {
                        let counts = Overlap { shared: overlap(a, b), a: a.len() as u32, b: b.len() as u32 };
                        if !criterion.reaches(counts) { continue }
                        let keys = |n: usize| found[n].iter().map(|e| e.1).collect::<BTreeSet<_>>();
                        let shared = match measure {
                            Measure::Containment => keys(i).iter().any(|v| b.contains(v)),
                            _ => keys(i).intersection(&keys(j)).next().is_some(),
                        };
                        prop_assert!(shared, "{:?} {:?}", a, b);
                        // The positional filter holds at the first common element.
                        if measure.is_symmetric() {
                            let first = found[i].iter().find(|e| keys(j).contains(&e.1)).unwrap();
                            let other = found[j].iter().find(|e| e.1 == first.1).unwrap();
                            prop_assert!(criterion.could_match((counts.a, first.0), (counts.b, other.0)));
                        }
                    }
                }
            }
        }
    }
}
