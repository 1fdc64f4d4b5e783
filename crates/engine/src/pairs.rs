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
use std::ops::ControlFlow;
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
    let bounds = ListBounds::new(units, judge, postings);
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
                let under = |key: Key, found: &mut Vec<Candidate>| {
                    let range = postings.range(key.group);
                    let list = &postings.entries()[range.clone()];
                    let largest_earlier = judge.largest_earlier(unit, position(key));
                    let wanted = Wanted { size: units.size(unit), largest_earlier };
                    let start = range.start;
                    bounds.scan(range, wanted, |at, sure| {
                        let Posting { unit: with, position: other } = list[at - start];
                        if with >= unit {
                            return ControlFlow::Break(());
                        }
                        let other_least = || judge.least_position(with, other, extended);
                        let could_match = || {
                            judge.could_match(
                                unit,
                                position(key),
                                (units.size(with), other_least()),
                            )
                        };
                        if sure || could_match() {
                            found.push(Candidate { unit: with, own: key.position, other });
                        }
                        ControlFlow::Continue(())
                    });
                };
                if extended.0 {
                    let starts =
                        postings.probes(unit).iter().map(|key| postings.range(key.group).start);
                    black_box(starts.fold(0, |all, start| all ^ bounds.touch(start)));
                }
                let met = match extended.0 {
                    false => gatherer.gather(keys, under, units.len()),
                    true => gatherer.gather_repeated(
                        keys,
                        |key| postings.keys_of_group(key.group),
                        under,
                        |candidate| judge.least_shared(unit, candidate.unit, extended),
                        units.len(),
                    ),
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
