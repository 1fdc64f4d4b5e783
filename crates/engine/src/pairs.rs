//! Units and their postings in; every pair that reaches the threshold out.
//!
//! The candidates of a unit are the units before it that it meets under one of its keys. A candidate
//! is verified by counting its whole intersection; nothing is estimated.

use crate::postings::{Key, Posting, Postings};
use crate::{Collection, MatchSettings, Progress, Units};
use lookalike_core::{Overlap, overlap_at_least};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// Two units that reach the threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// The unit that comes later in precedence (for containment: the one contained in the other).
    pub unit: u32,
    /// The unit that takes precedence.
    pub with: u32,
    /// Elements in both sets.
    pub shared: u32,
}

/// Edges found, and whether they are all there are.
#[derive(Debug, Clone, Default)]
pub struct PairList {
    /// The edges, in order.
    pub edges: Vec<Edge>,
    /// Whether every pair that reaches the threshold is among them. If not, they are the pairs by
    /// which the decisions were made.
    pub complete: bool,
}

/// How much was looked at.
#[derive(Debug, Default)]
pub struct Tally {
    candidates: AtomicU64,
    verified: AtomicU64,
}

impl Tally {
    /// Distinct pairs of units that met under a key.
    #[must_use]
    pub fn candidates(&self) -> u64 {
        self.candidates.load(Ordering::Relaxed)
    }

    /// Pairs whose sets were intersected.
    #[must_use]
    pub fn verified(&self) -> u64 {
        self.verified.load(Ordering::Relaxed)
    }
}

/// Decides about candidates.
pub(crate) struct Verifier<'a> {
    pub(crate) collection: &'a Collection,
    pub(crate) units: &'a Units,
    pub(crate) settings: &'a MatchSettings,
    pub(crate) tally: &'a Tally,
}

impl Verifier<'_> {
    /// The edge between a unit and a candidate, if they reach the threshold.
    ///
    /// What they can share at most follows from where they first met: everything before is not
    /// shared. That bound contains the length filter, as an overlap of more than the smaller set is
    /// out of reach too.
    pub(crate) fn edge(&self, unit: u32, candidate: Candidate) -> Option<Edge> {
        let MatchSettings { measure, threshold, .. } = *self.settings;
        let Candidate { unit: with, own, other } = candidate;
        let (a, b) = (self.units.size(unit), self.units.size(with));
        let needed = measure.needed_overlap(threshold, a, b);
        if needed > (a - own).min(b - other) {
            return None;
        }
        self.tally.verified.fetch_add(1, Ordering::Relaxed);
        let set = |unit| self.units.set(self.collection, unit);
        let shared = overlap_at_least(set(unit), set(with), needed)?;
        Some(Edge { unit, with, shared })
    }

    /// Whether `left` is the better match for their common unit; earlier precedence breaks ties.
    pub(crate) fn better(&self, left: Edge, right: Edge) -> bool {
        let counts = |e: Edge| Overlap {
            shared: e.shared,
            a: self.units.size(e.unit),
            b: self.units.size(e.with),
        };
        self.settings
            .measure
            .compare(counts(left), counts(right))
            .then(right.with.cmp(&left.with))
            .is_gt()
    }
}

/// A unit met under a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Candidate {
    /// The unit met.
    pub(crate) unit: u32,
    /// Place of the first common key in the order of the unit that looks.
    pub(crate) own: u32,
    /// Place of that key in the order of the unit met.
    pub(crate) other: u32,
}

/// Collects the distinct candidates of one unit at a time.
#[derive(Debug, Default)]
pub(crate) struct Gatherer {
    found: Vec<Candidate>,
    /// Round in which each unit was last met; only made once lists get long.
    met: Vec<u32>,
    round: u32,
}

/// Entries under one key from which marking units beats sorting them.
const LONG_LIST: usize = 512;

impl Gatherer {
    /// The distinct candidates that `under` finds for each of the keys, given rarest first.
    pub(crate) fn gather<'e, L>(
        &mut self,
        keys: &[Key],
        units: u32,
        under: impl Fn(Key) -> L,
        tally: &Tally,
    ) -> &[Candidate]
    where
        L: Iterator<Item = &'e Posting>,
    {
        self.found.clear();
        let mut marking = false;
        for &key in keys {
            let before = self.found.len();
            let new = under(key).map(|p| Candidate {
                unit: p.unit,
                own: key.position,
                other: p.position,
            });
            if marking {
                let (met, round) = (&mut self.met, self.round);
                self.found.extend(
                    new.filter(|c| std::mem::replace(&mut met[c.unit as usize], round) != round),
                );
            } else {
                self.found.extend(new);
                if self.found.len() - before > LONG_LIST {
                    marking = true;
                    self.start_marking(units);
                }
            }
        }
        if !marking {
            // Keys come in the order of their positions, so the least is the first common one.
            self.found.sort_unstable();
            self.found.dedup_by_key(|candidate| candidate.unit);
        }
        tally.candidates.fetch_add(self.found.len() as u64, Ordering::Relaxed);
        &self.found
    }

    /// Switches from sorting to marking: keeps what was found so far, each unit once.
    fn start_marking(&mut self, units: u32) {
        self.met.resize(units as usize, 0);
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.met.fill(0);
            self.round = 1;
        }
        let (met, round) = (&mut self.met, self.round);
        self.found.retain(|c| std::mem::replace(&mut met[c.unit as usize], round) != round);
    }
}

/// Units handled by one task.
const UNITS_PER_TASK: u32 = 512;

/// Every pair of units that reaches the threshold, or `None` once they stand for more than
/// `max_pairs` pairs of documents.
pub(crate) fn all_pairs(
    verifier: &Verifier<'_>,
    postings: &Postings,
    max_pairs: u64,
    progress: &dyn Progress,
) -> Option<Vec<Edge>> {
    let units = verifier.units;
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
                    units.len(),
                    |key| {
                        postings.entries()[postings.range(key.group)]
                            .iter()
                            .take_while(|p| p.unit < unit)
                    },
                    verifier.tally,
                );
                edges.extend(found.iter().filter_map(|&candidate| verifier.edge(unit, candidate)));
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
