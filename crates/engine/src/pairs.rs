//! Units and their postings in; every pair that matches out.
//!
//! The candidates of a unit are the units before it that it meets under one of its keys.

use crate::gather::Gatherer;
use crate::judge::{Edge, Judge, Tally};
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

/// Every pair of units that matches, or `None` once they stand for more than `max_pairs` pairs of
/// documents.
pub(crate) fn all_pairs(
    units: &Units,
    judge: &impl Judge,
    postings: &Postings,
    max_pairs: u64,
    tally: &Tally,
    progress: &dyn Progress,
) -> Option<Vec<Edge>> {
    let weight = |unit: u32| units.members(unit).len() as u64;
    let within = (0..units.len()).map(|u| weight(u) * (weight(u) - 1) / 2).sum::<u64>();
    let listed = AtomicU64::new(within);
    let over = || listed.load(Ordering::Relaxed) > max_pairs;
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
                let before = edges.len();
                let found = gatherer.gather(
                    postings.probes(unit),
                    |key| judge.in_reach(unit, key.position, postings.least_size(key.group)),
                    |key| {
                        postings.entries()[postings.range(key.group)]
                            .iter()
                            .take_while(|p| p.unit < unit)
                    },
                    units.len(),
                );
                tally.met(found.len());
                edges.extend(found.iter().filter_map(|&candidate| judge.edge(unit, candidate)));
                let new = edges[before..].iter().map(|edge| weight(unit) * weight(edge.with)).sum();
                listed.fetch_add(new, Ordering::Relaxed);
            }
            progress.advance(u64::from(until - task * UNITS_PER_TASK), 0);
            edges
        })
        .collect();
    // Whether the limit is passed depends on the data alone: the sum only grows, and without
    // passing it nobody stops early.
    (!over()).then(|| {
        let mut edges = parts.concat();
        edges.par_sort_unstable();
        edges
    })
}
