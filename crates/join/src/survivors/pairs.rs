//! Lists all matches.
//!
//! The candidates of a set are the sets before it that are found under one of its keys.

use crate::candidates::gather::{EntryId, FoundEntry, Gatherer};
use crate::candidates::list_bounds::{ListBounds, Wanted};
use crate::candidates::{Candidate, CandidatePairs};
use crate::filter::CandidateFilter;
use crate::index::{Entry, ListKey};
use crate::source::SetSource;
use crate::verify::Verifier;
use crate::{Edge, PairList, Progress, SetId, Statistics};
use rayon::prelude::*;
use std::hint::black_box;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Sets handled by one task.
const SETS_PER_TASK: u32 = 512;

/// Limits of a list of matches: the search is abandoned when both are exceeded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PairLimits {
    /// Pairs of records.
    pub(crate) pairs: u64,
    /// Matches.
    pub(crate) edges: u64,
}

/// About where the entries of a set and later ones begin in a list of this length, if its sets are
/// spread evenly.
fn list_guess(length: usize, set: SetId, sets: u32) -> usize {
    (length as u64 * u64::from(set.0) / u64::from(sets)) as usize
}

/// Number of entries of sets before `set` in a list, which is ordered by set. O(length), and close
/// to O(1) where sets are spread evenly: fewer cache misses than a binary search.
fn list_end(list: &[Entry], set: SetId, sets: u32) -> usize {
    let guess = list_guess(list.len(), set, sets);
    let (before, behind) = list.split_at(guess);
    match before.last() {
        Some(last) if last.set >= set => {
            before.iter().rposition(|entry| entry.set < set).map_or(0, |at| at + 1)
        }
        _ => guess + behind.iter().take_while(|entry| entry.set < set).count(),
    }
}

/// Finds the candidates of a set among the sets before it.
struct EarlierSets<'a, 's, S: SetSource, F> {
    pairs: &'a CandidatePairs<'s, S, F>,
    bounds: ListBounds,
}

impl<S: SetSource, F: CandidateFilter> EarlierSets<'_, '_, S, F> {
    fn candidates<'g>(&self, set: SetId, gatherer: &'g mut Gatherer) -> &'g [Candidate] {
        let Self { pairs, bounds } = self;
        let (sets, index, filter) = (pairs.sets, pairs.index, pairs.filter);
        let entries = index.entries();
        let keys = index.probes(set).iter().copied();
        let keys = keys.filter(|key| {
            let own = pairs.relaxed(set, key.position);
            filter.could_match_any(own, index.least_size(key.list))
        });
        // Calls `each` with the indices of the entries of earlier sets under a key that
        // pass.
        let scan = |key: ListKey, each: &mut dyn FnMut(usize)| {
            let Range { start, end } = index.range(key.list);
            let end = start + list_end(&entries[start..end], set, sets.len());
            let own = pairs.relaxed(set, key.position);
            let wanted = Wanted { size: own.0, largest_earlier: filter.largest_earlier(own) };
            bounds.scan(start..end, wanted, |at, sure| {
                let could_match =
                    |Entry { set, position }| filter.could_match(own, pairs.relaxed(set, position));
                if sure || could_match(entries[at]) {
                    each(at);
                }
            });
        };
        if index.is_extended() {
            // Loads that would wait for each other if they were issued list by list.
            let touch = |key: &ListKey| {
                let Range { start, end } = index.range(key.list);
                let guess = list_guess(end - start, set, sets.len());
                bounds.touch(start) as u32 ^ entries[(start + guess).min(end - 1)].set.0
            };
            black_box(index.probes(set).iter().fold(0, |all, key| all ^ touch(key)));
            let under = |key: ListKey, found: &mut Vec<FoundEntry>| {
                let (own, keys) = (key.position, index.keys_of_list(key.list));
                scan(key, &mut |at| {
                    found.push(FoundEntry { entry: EntryId(at as u32), own, keys });
                });
            };
            let shared_keys = pairs.shared_keys(set);
            let enough =
                |candidate: &Candidate, keys| pairs.share_enough(shared_keys, candidate.set, keys);
            gatherer.gather_repeated(keys, under, entries, enough, sets.len())
        } else {
            let under = |key: ListKey, found: &mut Vec<Candidate>| {
                scan(key, &mut |at| {
                    let Entry { set, position: other } = entries[at];
                    found.push(Candidate { set, own: key.position, other });
                });
            };
            gatherer.gather(keys, under, sets.len())
        }
    }
}

/// All matches, complete if they give no more than `limits.pairs` pairs of records; `None` if both
/// limits are exceeded.
pub(crate) fn all_pairs<S: SetSource>(
    pairs: &CandidatePairs<'_, S, impl CandidateFilter>,
    verifier: &impl Verifier,
    limits: PairLimits,
    statistics: &Statistics,
    progress: &dyn Progress,
) -> Option<PairList> {
    let sets = pairs.sets;
    let weight = |set: SetId| sets.copies(set);
    let within = (0..sets.len()).map(|set| sets.pairs_within(SetId(set)));
    let listed = AtomicU64::new(within.sum::<u64>());
    let matches = AtomicU64::new(0);
    let before = (statistics.candidates(), statistics.verified());
    let too_many = || listed.load(Ordering::Relaxed) > limits.pairs;
    let over = || matches.load(Ordering::Relaxed) > limits.edges && too_many();
    let earlier = EarlierSets { pairs, bounds: ListBounds::new(pairs) };
    let tasks = sets.len().div_ceil(SETS_PER_TASK);
    let parts: Vec<Vec<Edge>> = (0..tasks)
        .into_par_iter()
        .map_init(Gatherer::default, |gatherer, task| {
            let mut edges = Vec::new();
            let until = sets.len().min((task + 1) * SETS_PER_TASK);
            for set in (task * SETS_PER_TASK..until).map(SetId) {
                if over() || progress.cancelled() {
                    break;
                }
                let found = earlier.candidates(set, gatherer);
                statistics.add_candidates(found.len());
                let own = verifier.summary(set);
                let edge = |&candidate: &Candidate| {
                    let summaries = (own, verifier.summary(candidate.set));
                    verifier.verify(set, candidate, summaries, None)
                };
                for edge in found.iter().filter_map(edge) {
                    matches.fetch_add(1, Ordering::Relaxed);
                    listed.fetch_add(weight(set) * weight(edge.earlier), Ordering::Relaxed);
                    edges.push(edge);
                    // Checked for each edge: a set may match nearly all before it.
                    if over() {
                        break;
                    }
                }
            }
            progress.advance(u64::from(until - task * SETS_PER_TASK), 0);
            edges
        })
        .collect();
    // Whether both limits are exceeded depends on the sets alone: the sums only grow, and no task
    // stops before.
    if over() {
        statistics.reset_to(before.0, before.1);
        return None;
    }
    let mut edges = parts.concat();
    edges.par_sort_unstable();
    Some(PairList { edges, complete: !too_many() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Against a binary search, with sets in every part of the range.
        #[test]
        fn the_end_of_a_list_is_found(
            list in prop::collection::btree_set(0u32..200, 0..80), set in 0u32..200,
            least in 0u32..150,
        ) {
            let entry = |set| Entry { set: SetId(set), position: 0 };
            let list: Vec<Entry> =
                list.into_iter().filter(|&set| set >= least).map(entry).collect();
            let set = SetId(set);
            let truth = list.partition_point(|entry| entry.set < set);
            prop_assert_eq!(list_end(&list, set, 200), truth);
        }
    }
}
