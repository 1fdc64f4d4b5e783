//! Units and their postings in; every pair that matches out.
//!
//! The candidates of a unit are the units before it that it meets under one of its keys.

use crate::gather::Gatherer;
use crate::judge::{Candidate, Edge, Judge, Tally};
use crate::postings::Postings;
use crate::{Progress, Units};
use rayon::prelude::*;
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
    // Beside the entries: to look at a candidate itself is a walk to memory, and of most its size is enough.
    let sizes: Vec<u32> = postings.entries().par_iter().map(|p| units.size(p.unit)).collect();
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
                let met = gatherer.gather(
                    postings.probes(unit),
                    |key| judge.in_reach(unit, key.position, postings.least_size(key.group)),
                    |key| {
                        let range = postings.range(key.group);
                        postings.entries()[range.clone()]
                            .iter()
                            .zip(&sizes[range])
                            .take_while(|(p, _)| p.unit < unit)
                            .filter(move |&(p, &size)| {
                                judge.could_match(unit, key.position, (size, p.position))
                            })
                            .map(|(p, _)| p)
                    },
                    units.len(),
                );
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
