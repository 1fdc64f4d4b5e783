//! Units and their postings in; every pair that matches out.
//!
//! The candidates of a unit are the units before it that it meets under one of its keys.

use crate::gather::Gatherer;
use crate::judge::{Candidate, Edge, Judge, Tally};
use crate::list_bounds::{ListBounds, Wanted};
use crate::postings::{Key, Posting, Postings};
use crate::{Progress, Units};
use rayon::prelude::*;
use std::hint::black_box;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Edges found, and whether they are all there are.
#[derive(Debug, Clone, Default)]
pub struct PairList {
    /// The edges, in order.
    pub edges: Vec<Edge>,
    /// Whether every pair that matches is among them. If not, they are the pairs by which the
    /// decisions were made.
    pub complete: bool,
}

/// Units handled by one task.
const UNITS_PER_TASK: u32 = 512;

/// How many pairs are worth the trouble: it ends when there are more than both.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Most {
    /// Pairs of documents.
    pub(crate) pairs: u64,
    /// Pairs of units.
    pub(crate) edges: u64,
}

/// Where a list of so many postings has those of a unit and later ones, if it has a like share of all units.
fn list_guess(length: usize, unit: u32, units: u32) -> usize {
    (length as u64 * u64::from(unit) / u64::from(units)) as usize
}

/// Number of postings of units before `unit` in a list, which is ordered by unit. O(length), and close to O(1) where
/// units are spread evenly: fewer cache misses than a binary search.
fn list_end(list: &[Posting], unit: u32, units: u32) -> usize {
    let guess = list_guess(list.len(), unit, units);
    let (before, behind) = list.split_at(guess);
    match before.last() {
        Some(last) if last.unit >= unit => {
            before.iter().rposition(|posting| posting.unit < unit).map_or(0, |at| at + 1)
        }
        _ => guess + behind.iter().take_while(|posting| posting.unit < unit).count(),
    }
}

/// Every pair of units that matches, complete if they stand for no more pairs of documents than asked for;
/// `None` once there are too many.
pub(crate) fn all_pairs(
    units: &Units,
    judge: &impl Judge,
    postings: &Postings,
    most: Most,
    tally: &Tally,
    progress: &dyn Progress,
) -> Option<PairList> {
    let weight = |unit: u32| units.members(unit).len() as u64;
    let within = (0..units.len()).map(|u| weight(u) * (weight(u) - 1) / 2).sum::<u64>();
    let listed = AtomicU64::new(within);
    let (found, counted) = (AtomicU64::new(0), (tally.candidates(), tally.verified()));
    let too_many = || listed.load(Ordering::Relaxed) > most.pairs;
    let over = || found.load(Ordering::Relaxed) > most.edges && too_many();
    let extended = postings.extended();
    let (bounds, entries) = (ListBounds::new(units, judge, postings), postings.entries());
    let tasks = units.len().div_ceil(UNITS_PER_TASK);
    let parts: Vec<Vec<Edge>> = (0..tasks)
        .into_par_iter()
        .map_init(Gatherer::default, |gatherer, task| {
            let mut edges = Vec::new();
            let until = units.len().min((task + 1) * UNITS_PER_TASK);
            for unit in task * UNITS_PER_TASK..until {
                if over() || progress.cancelled() {
                    break;
                }
                let position = |key: Key| judge.least_position(unit, key.position, extended);
                let in_reach = |key: &Key| {
                    judge.in_reach(unit, position(*key), postings.least_size(key.group))
                };
                let keys = postings.probes(unit).iter().copied().filter(in_reach);
                // Calls `each` with the indices of the postings under a key that come before the unit.
                let scan = |key: Key, each: &mut dyn FnMut(usize)| {
                    let Range { start, end } = postings.range(key.group);
                    let list = &entries[start..end];
                    let end = start + list_end(list, unit, units.len());
                    let own = position(key);
                    let largest_earlier = judge.largest_earlier(unit, own);
                    let wanted = Wanted { size: units.size(unit), largest_earlier };
                    bounds.scan(start..end, wanted, |at, sure| {
                        let could_match = |other: Posting| {
                            let position =
                                judge.least_position(other.unit, other.position, extended);
                            judge.could_match(unit, own, (units.size(other.unit), position))
                        };
                        if sure || could_match(entries[at]) {
                            each(at);
                        }
                    });
                };
                let met = if extended.0 {
                    // Loads that wait for each other's end if they are issued list by list.
                    let touch = |key: &Key| {
                        let Range { start, end } = postings.range(key.group);
                        let guess = list_guess(end - start, unit, units.len());
                        bounds.touch(start) as u32 ^ entries[(start + guess).min(end - 1)].unit
                    };
                    black_box(postings.probes(unit).iter().fold(0, |all, key| all ^ touch(key)));
                    let under = |key: Key, found: &mut Vec<Candidate>| {
                        let (own, other) = (key.position, postings.keys_of_group(key.group));
                        scan(key, &mut |at| {
                            found.push(Candidate { unit: at as u32, own, other });
                        });
                    };
                    let least =
                        |candidate: &Candidate| judge.least_shared(unit, candidate.unit, extended);
                    gatherer.gather_repeated(keys, under, entries, least, units.len())
                } else {
                    let under = |key: Key, found: &mut Vec<Candidate>| {
                        scan(key, &mut |at| {
                            let Posting { unit, position: other } = entries[at];
                            found.push(Candidate { unit, own: key.position, other });
                        });
                    };
                    gatherer.gather(keys, under, units.len())
                };
                tally.met(met.len());
                let own = judge.glance(unit);
                let edge = |&candidate: &Candidate| {
                    judge.improve(unit, candidate, (own, judge.glance(candidate.unit)), None)
                };
                for edge in met.iter().filter_map(edge) {
                    found.fetch_add(1, Ordering::Relaxed);
                    listed.fetch_add(weight(unit) * weight(edge.with), Ordering::Relaxed);
                    edges.push(edge);
                    // At once: a unit may match nearly all before it, and all of that would be in vain.
                    if over() {
                        break;
                    }
                }
            }
            progress.advance(u64::from(until - task * UNITS_PER_TASK), 0);
            edges
        })
        .collect();
    // Whether the limits are passed depends on the data alone: the sums only grow, and without
    // passing both nobody stops early.
    if over() {
        tally.back_to(counted.0, counted.1);
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
        /// Against a binary search, with units in every part of the range.
        #[test]
        fn the_end_of_a_list_is_found(
            list in prop::collection::btree_set(0u32..200, 0..80), unit in 0u32..200, least in 0u32..150,
        ) {
            let list: Vec<Posting> =
                list.into_iter().filter(|&unit| unit >= least).map(|unit| Posting { unit, position: 0 }).collect();
            let truth = list.partition_point(|posting| posting.unit < unit);
            prop_assert_eq!(list_end(&list, unit, 200), truth);
        }
    }
}
