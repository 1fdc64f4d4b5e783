//! A set and the rarity of its elements in, the few elements by which it must be findable out.
//!
//! Prefix filtering: under any fixed total order, two sets that reach the threshold share an element
//! among the first `prefix_length` of each ([`crate::Measure::prefix_length`]). Ordered rarest first,
//! those elements are in few other documents, and the ones seen once are in none.

use crate::{Measure, RarityTable, Threshold};

/// One element of a prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PrefixElement {
    /// The fingerprint.
    pub value: u64,
    /// Its place in the document's rarest-first order, from 0. All that two documents share beyond
    /// their first common element lies after it in both.
    pub position: u32,
}

/// Buffer reused between documents.
#[derive(Debug, Default)]
pub struct PrefixScratch {
    common: Vec<(u8, u64)>,
}

/// Gives the elements of the set's prefix that occur in another document of this closed run.
///
/// `set` holds distinct values in any order, all of them counted in `rarity`. O(|set|), plus sorting
/// what is emitted; allocation-free once the buffer is warm.
pub fn prefix(
    set: &[u64],
    rarity: &RarityTable,
    measure: Measure,
    threshold: Threshold,
    scratch: &mut PrefixScratch,
    mut emit: impl FnMut(PrefixElement),
) {
    let length = measure.prefix_length(threshold, set.len() as u32) as usize;
    let common = &mut scratch.common;
    common.clear();
    // The elements seen once come first in the order and can match nothing. Most documents of most
    // collections have enough of them to end here, long before their last element.
    let mut alone = 0;
    for &value in set {
        let count = rarity.get(value);
        if count > 1 {
            common.push((count, value));
        } else {
            alone += 1;
            if alone >= length {
                return;
            }
        }
    }
    let wanted = length - alone;
    if wanted < common.len() {
        common.select_nth_unstable(wanted - 1);
        common.truncate(wanted);
    }
    common.sort_unstable();
    for (index, &(_, value)) in common.iter().enumerate() {
        emit(PrefixElement { value, position: (alone + index) as u32 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn prefixes(
        sets: &[Vec<u64>],
        measure: Measure,
        threshold: Threshold,
    ) -> Vec<Vec<PrefixElement>> {
        let mut table = RarityTable::for_values(100);
        table.count(sets.iter().map(Vec::as_slice), 1);
        let mut scratch = PrefixScratch::default();
        sets.iter()
            .map(|set| {
                let mut out = Vec::new();
                prefix(set, &table, measure, threshold, &mut scratch, |e| out.push(e));
                out
            })
            .collect()
    }

    #[test]
    fn a_document_of_its_own_gives_no_key() {
        let sets = vec![(1..=10).collect::<Vec<u64>>(), (11..=20).collect()];
        let found = prefixes(&sets, Measure::Resemblance, "0.8".parse().unwrap());
        // Up to counters shared by chance, which 20 values in 1024 counters do not have here.
        assert!(found.iter().all(Vec::is_empty));
    }

    proptest! {
        /// The promise, for sets that differ as adversarially as small sets can.
        #[test]
        fn every_match_shares_a_prefix_element(
            sets in prop::collection::vec(prop::collection::btree_set(1u64..40, 1..30), 2..12),
            thousandths in 300u32..=1000,
        ) {
            let threshold: Threshold =
                format!("{}.{:03}", thousandths / 1000, thousandths % 1000).parse().unwrap();
            let sets: Vec<Vec<u64>> = sets.into_iter().map(|s| s.into_iter().collect()).collect();
            for measure in [Measure::Resemblance, Measure::Cosine, Measure::Containment] {
                let found = prefixes(&sets, measure, threshold);
                for (i, a) in sets.iter().enumerate() {
                    for (j, b) in sets.iter().enumerate().filter(|(j, _)| *j != i) {
                        let counts = crate::Overlap {
                            shared: crate::overlap(a, b), a: a.len() as u32, b: b.len() as u32 };
                        if !measure.reaches(threshold, counts) { continue }
                        let keys = |n: usize| found[n].iter().map(|e| e.value).collect::<BTreeSet<_>>();
                        let shared = match measure {
                            Measure::Containment => keys(i).iter().any(|v| b.contains(v)),
                            _ => keys(i).intersection(&keys(j)).next().is_some(),
                        };
                        prop_assert!(shared, "{:?} {:?}", a, b);
                        // Positional bound at the first common element.
                        if measure.is_symmetric() {
                            let first = found[i].iter().find(|e| keys(j).contains(&e.value)).unwrap();
                            let other = found[j].iter().find(|e| e.value == first.value).unwrap();
                            prop_assert!(counts.a - first.position >= counts.shared);
                            prop_assert!(counts.b - other.position >= counts.shared);
                        }
                    }
                }
            }
        }
    }
}
