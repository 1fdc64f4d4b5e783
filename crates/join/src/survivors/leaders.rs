//! Leader clustering (Hartigan 1975): sets in order of precedence; a set is removed if a *kept* set
//! before it matches, and kept otherwise.
//!
//! The kept sets are those of the greedy choice over all pairs, but removed sets are never compared
//! again. Chains do not connect sets that do not match: every removed set matches its witness,
//! which [`WitnessRule`] chooses among the kept sets before it. Candidates are verified one by one
//! in order of precedence, so that the search for the first match ends with it.
//!
//! Sets are taken in blocks. All sets of a block are compared, in parallel, with those kept before
//! the block; then those that share keys with other sets of the block are compared with its kept
//! sets one after the other. The block size changes the work and not the result.

use super::witness::{WitnessRule, WitnessSearch};
use crate::candidates::CandidatePairs;
use crate::candidates::kept_sets::{KeptSets, Lookup, Slot};
use crate::filter::CandidateFilter;
use crate::index::{Entry, InvertedIndex, ListKey};
use crate::source::SetSource;
use crate::verify::Verifier;
use crate::{Edge, Progress, SetId, Statistics};
use rayon::prelude::*;
use std::ops::Range;

/// Sets compared in parallel at a time.
pub(crate) const BLOCK: u32 = 4096;

/// Which sets are kept, and how a witness is chosen.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LeaderOptions {
    pub(crate) witness: WitnessRule,
    /// Number of protected sets, which precede all others: they are kept without a comparison.
    pub(crate) protected: u32,
    /// Only protected sets can be witnesses.
    pub(crate) only_protected: bool,
}

/// The edge from every removed set to its witness, in the order of the removed sets.
pub(crate) fn leaders<S: SetSource>(
    pairs: &CandidatePairs<'_, S, impl CandidateFilter>,
    verifier: &impl Verifier,
    options: LeaderOptions,
    statistics: &Statistics,
    progress: &dyn Progress,
) -> Vec<Edge> {
    let LeaderOptions { witness, protected, only_protected } = options;
    let (sets, index) = (pairs.sets, pairs.index);
    let count = sets.len();
    let mut kept = KeptSets::new(index, count);
    let mut edges = Vec::new();
    // Sets without keys cannot be candidates.
    let keep = |kept: &mut KeptSets<'_, _>, set: SetId| {
        if index.has_keys(set) {
            kept.add(set, verifier.summary(set));
        }
    };
    (0..protected).map(SetId).for_each(|set| keep(&mut kept, set));
    // Continues a search among the kept sets from slot `from` on.
    let seek = |kept: &KeptSets<'_, _>,
                set: SetId,
                from: Slot,
                lookup: &mut Lookup,
                search: &mut WitnessSearch<Edge>| {
        if search.is_over() {
            return;
        }
        let keys = index.probes(set).iter().copied();
        let keys = keys.filter(|&key| pairs.could_match_any(set, key));
        let own = verifier.summary(set);
        let mut found = 0;
        // Most chance candidates are too small or have the key too late: only their size is looked
        // up.
        let may = |key: ListKey, other: &Entry| {
            pairs.could_match(set, key, (other, sets.size(other.set)))
        };
        kept.visit(keys, from, lookup, may, |candidate, other| {
            found += 1;
            search.offer(|best| verifier.verify(set, candidate, (own, other), best))
        });
        statistics.add_candidates(found);
    };
    let mut lookup = Lookup::default();
    let mut start = protected;
    while start < count && !progress.cancelled() {
        let end = count.min(start.saturating_add(BLOCK));
        let compared: Vec<(WitnessSearch<Edge>, bool)> = (start..end)
            .into_par_iter()
            .map_init(Lookup::default, |lookup, set| {
                let set = SetId(set);
                let mut search = WitnessSearch::new(witness);
                seek(&kept, set, Slot::FIRST, lookup, &mut search);
                let goes_on = !only_protected && !search.is_over();
                (search, goes_on && shares_key(index, set, SetId(start)..set))
            })
            .collect();
        let before = kept.end();
        for (set, (mut search, in_block)) in (start..end).map(SetId).zip(compared) {
            if in_block && kept.end() > before {
                seek(&kept, set, before, &mut lookup, &mut search);
            }
            match search.witness() {
                Some(edge) => edges.push(edge),
                None if !only_protected => keep(&mut kept, set),
                None => {}
            }
        }
        progress.advance(u64::from(end - start), 0);
        start = end;
    }
    edges
}

/// Whether a set shares a key with any set in `range`, kept or not.
fn shares_key(index: &InvertedIndex, set: SetId, range: Range<SetId>) -> bool {
    index.probes(set).iter().any(|key| {
        let entries = &index.entries()[index.range(key.list)];
        !within(entries, range.clone()).is_empty()
    })
}

/// The part of a list, ordered by set, whose sets lie in a range.
fn within(list: &[Entry], range: Range<SetId>) -> &[Entry] {
    let from = list.partition_point(|entry| entry.set < range.start);
    let list = &list[from..];
    &list[..list.partition_point(|entry| entry.set < range.end)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidates::Candidate;
    use crate::verify::KeyVerifier;
    use crate::{InMemorySets, Silent, SpillBudget, Unfiltered};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// A measure of 0 to `values − 1` for any two sets, and a threshold. Ties are frequent.
    #[derive(Debug, Clone, Copy)]
    struct TableVerifier {
        seed: u64,
        values: u64,
        threshold: u32,
    }

    impl TableVerifier {
        fn value(self, a: SetId, b: SetId) -> u32 {
            let pair = u64::from(a.min(b).0) << 32 | u64::from(a.max(b).0);
            let mixed = (pair ^ self.seed).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            ((mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 33) as u32
                % self.values as u32
        }
    }

    impl Verifier for TableVerifier {
        type Summary = ();

        fn summary(&self, _set: SetId) {}

        fn verify(
            &self,
            set: SetId,
            candidate: Candidate,
            _summaries: ((), ()),
            best: Option<Edge>,
        ) -> Option<Edge> {
            let earlier = candidate.set;
            assert!(best.is_none_or(|best| best.earlier < earlier), "{earlier} after {best:?}");
            let shared = self.value(set, earlier);
            let needed = best.map_or(self.threshold, |best| best.shared + 1);
            (shared >= needed).then_some(Edge { later: set, earlier, shared })
        }
    }

    /// The edges by the definition of leader clustering and of the two rules.
    fn brute_force(
        keys: &[BTreeSet<u64>],
        rule: WitnessRule,
        value: impl Fn(SetId, SetId) -> Option<u32>,
    ) -> Vec<Edge> {
        let (mut kept, mut edges) = (Vec::new(), Vec::new());
        for set in (0..keys.len() as u32).map(SetId) {
            let matches = kept.iter().filter_map(|&with: &SetId| {
                let meet = !keys[set.index()].is_disjoint(&keys[with.index()]);
                let shared = value(set, with).filter(|_| meet)?;
                Some(Edge { later: set, earlier: with, shared })
            });
            let witness = match rule {
                WitnessRule::First => matches.min_by_key(|edge| edge.earlier),
                WitnessRule::Best => {
                    matches.max_by_key(|edge| (edge.shared, std::cmp::Reverse(edge.earlier)))
                }
            };
            match witness {
                Some(edge) => edges.push(edge),
                None => kept.push(set),
            }
        }
        edges
    }

    fn found(
        keys: &[BTreeSet<u64>],
        verifier: &impl Verifier,
        witness: WitnessRule,
        threads: usize,
    ) -> (Vec<Edge>, u64) {
        let count = keys.len() as u32;
        let offsets: Vec<u64> = (0..=u64::from(count)).collect();
        let elements: Vec<u64> = offsets[1..].to_vec();
        let sets = InMemorySets::new(&offsets, &elements).unwrap();
        let index =
            InvertedIndex::of_keys(count, None, &SpillBudget::unlimited(), &Silent, |set, emit| {
                keys[set.index()].iter().for_each(emit);
            });
        let (index, statistics) = (index.unwrap(), Statistics::default());
        let pairs = CandidatePairs { sets: &sets, index: &index, filter: Unfiltered };
        let options = LeaderOptions { witness, protected: 0, only_protected: false };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let edges = pool.install(|| leaders(&pairs, verifier, options, &statistics, &Silent));
        (edges, statistics.candidates())
    }

    fn check(keys: &[BTreeSet<u64>], verifier: TableVerifier, threads: &[usize]) {
        let value = |a, b| Some(verifier.value(a, b)).filter(|&value| value >= verifier.threshold);
        for rule in [WitnessRule::First, WitnessRule::Best] {
            let (truth, by_key) =
                (brute_force(keys, rule, value), brute_force(keys, rule, |_, _| Some(0)));
            let mut candidates = BTreeSet::new();
            for &threads in threads {
                let (edges, met) = found(keys, &verifier, rule, threads);
                assert_eq!(edges, truth, "{rule:?} on {threads} threads");
                candidates.insert(met);
                assert_eq!(found(keys, &KeyVerifier, rule, threads).0, by_key, "{rule:?} by key");
            }
            assert_eq!(candidates.len(), 1, "the work depends on the threads: {candidates:?}");
        }
    }

    proptest! {
        /// Keys that few and that nearly all sets have; many matches and few.
        #[test]
        fn witnesses_are_those_of_the_definition(
            keys in prop::collection::vec(prop::collection::btree_set(0u64..40, 1..6), 2..300),
            seed in any::<u64>(), values in 1u64..40, share in 0.0..1.0f64,
        ) {
            let threshold = (share * values as f64) as u32;
            check(&keys, TableVerifier { seed, values, threshold }, &[1, 3]);
        }
    }

    /// Units of several blocks whose first and best matches lie in earlier blocks and in their own.
    #[test]
    fn blocks_do_not_change_witnesses() {
        let count = 2 * BLOCK as usize + 700;
        // Every set has a key of its family, which all blocks have, and one of its neighbours.
        let key = |set: usize| BTreeSet::from([set as u64 % 3, 10 + set as u64 / 90]);
        let keys: Vec<_> = (0..count).map(key).collect();
        for threshold in [990, 999] {
            check(&keys, TableVerifier { seed: 5, values: 1000, threshold }, &[1, 2, 4]);
        }
    }
}
