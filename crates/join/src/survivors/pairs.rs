//! Lists all matches.
//!
//! The candidates of a set are the sets before it that are found under one of its keys.

use crate::candidates::gather::Gatherer;
use crate::candidates::{Candidate, CandidatePairs};
use crate::filter::CandidateFilter;
use crate::source::SetSource;
use crate::verify::Verifier;
use crate::{Edge, PairList, Progress, Statistics};
use rayon::prelude::*;
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

/// All matches, complete if they give no more than `limits.pairs` pairs of records; `None` if both limits are exceeded.
pub(crate) fn all_pairs<S: SetSource>(
    pairs: &CandidatePairs<'_, S, impl CandidateFilter>,
    verifier: &impl Verifier,
    limits: PairLimits,
    statistics: &Statistics,
    progress: &dyn Progress,
) -> Option<PairList> {
    let (sets, index) = (pairs.sets, pairs.index);
    let weight = |set: u32| sets.copies(set);
    let within = (0..sets.len()).map(|u| weight(u) * (weight(u) - 1) / 2).sum::<u64>();
    let listed = AtomicU64::new(within);
    let (listed_edges, counted) =
        (AtomicU64::new(0), (statistics.candidates(), statistics.verified()));
    let too_many = || listed.load(Ordering::Relaxed) > limits.pairs;
    let over = || listed_edges.load(Ordering::Relaxed) > limits.edges && too_many();
    // Sizes in the order of the entries: for most candidates nothing else is looked up.
    let sizes: Vec<u32> = index.entries().par_iter().map(|p| sets.size(p.set)).collect();
    let tasks = sets.len().div_ceil(SETS_PER_TASK);
    let parts: Vec<Vec<Edge>> = (0..tasks)
        .into_par_iter()
        .map_init(Gatherer::default, |gatherer, task| {
            let mut edges = Vec::new();
            let until = sets.len().min((task + 1) * SETS_PER_TASK);
            for set in task * SETS_PER_TASK..until {
                if over() || progress.cancelled() {
                    break;
                }
                let found = gatherer.gather(
                    index.probes(set),
                    |key| pairs.could_match_any(set, key),
                    |key| {
                        let range = index.range(key.list);
                        index.entries()[range.clone()]
                            .iter()
                            .zip(&sizes[range])
                            .take_while(|(entry, _)| entry.set < set)
                            .filter(move |&(entry, &size)| {
                                pairs.could_match(set, key, (entry, size))
                            })
                            .map(|(entry, _)| entry)
                    },
                    sets.len(),
                );
                statistics.add_candidates(found.len());
                let own = verifier.summary(set);
                let edge = |&candidate: &Candidate| {
                    verifier.verify(set, candidate, (own, verifier.summary(candidate.set)), None)
                };
                for edge in found.iter().filter_map(edge) {
                    listed_edges.fetch_add(1, Ordering::Relaxed);
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
    // Whether both limits are exceeded depends on the sets alone: the sums only grow, and no task stops before.
    if over() {
        statistics.reset_to(counted.0, counted.1);
        return None;
    }
    let mut edges = parts.concat();
    edges.par_sort_unstable();
    Some(PairList { edges, complete: !too_many() })
}
