//! Units and postings in; connected components out, without listing the pairs.
//!
//! Broder's fourth phase (1997, "The clustering algorithm") needs every pair only to know who is connected. Pairs
//! within a component are therefore skipped: key by key, only units of *different* components are
//! compared, and the first pair that reaches the threshold makes the two components one. A cluster
//! of a million grows together under its first few keys and is never looked at again.

use crate::Progress;
use crate::judge::{Candidate, Edge, Judge};
use crate::postings::{Posting, Postings};
use lookalike_cluster::Components;
use rayon::prelude::*;
use std::collections::HashMap;

/// The components, and the pairs that joined them: a spanning forest.
pub(crate) fn links(
    units: u32,
    judge: &impl Judge,
    postings: &Postings,
    progress: &dyn Progress,
) -> (Components, Vec<Edge>) {
    let mut components = Components::new(units);
    let mut edges = Vec::new();
    let mut parts = Parts::default();
    let mut glances = Vec::new();
    for group in 0..postings.groups() {
        if group % 1024 == 0 && progress.cancelled() {
            break;
        }
        let entries = &postings.entries()[postings.range(group)];
        let least = postings.least_size(group);
        parts.begin(entries.iter().map(|entry| components.root(entry.unit)));
        if parts.all_one() {
            continue;
        }
        // Side by side: each is looked at once for every part that comes behind it.
        glances.clear();
        glances.extend(entries.iter().map(|entry| judge.glance(entry.unit)));
        for (at, &entry) in (0u32..).zip(entries) {
            let own_part = parts.add(at);
            // The entries come in the order of their units: the newcomer is the one that looks. The
            // parts were compared with each other before.
            let Some(own) = postings
                .probe_position(entry, group)
                .filter(|&place| judge.in_reach(entry.unit, place, least))
            else {
                continue;
            };
            // The bounds of `Judge::edge` hold at the first key that two units share; under a
            // later one they may turn a match away, which then is found under the first.
            let edge = |other: u32| {
                let Posting { unit, position } = entries[other as usize];
                let glances = (glances[at as usize], glances[other as usize]);
                judge.improve(entry.unit, Candidate { unit, own, other: position }, glances, None)
            };
            for (part, edge) in parts.meet(own_part, edge) {
                components.join(edge.unit, edge.with);
                edges.push(edge);
                parts.join(own_part, part);
            }
        }
    }
    edges.sort_unstable();
    (components, edges)
}

/// Ends a list.
const NONE: u32 = u32::MAX;

/// Parts from which several threads look through them.
const MANY: usize = 1 << 12;

/// The entries of a group that were looked at, by the component that they are in.
#[derive(Debug, Default)]
struct Parts {
    /// The part that each entry belongs to, as it was before any were joined.
    of_entry: Vec<u32>,
    /// What each of those is joined to, itself if to nothing.
    joined_to: Vec<u32>,
    /// Entries of a part: the first, the last, and for each the next.
    first: Vec<u32>,
    last: Vec<u32>,
    next: Vec<u32>,
    /// Parts that have entries and are joined to nothing, in the order in which they got one.
    open: Vec<u32>,
    of_root: HashMap<u32, u32, foldhash::fast::FixedState>,
}

impl Parts {
    /// Begins a group; `roots` are the components of its entries.
    fn begin(&mut self, roots: impl Iterator<Item = u32>) {
        let Self { of_entry, joined_to, first, last, next, open, of_root } = self;
        of_root.clear();
        of_entry.clear();
        of_entry.extend(roots.map(|root| {
            let new = of_root.len() as u32;
            *of_root.entry(root).or_insert(new)
        }));
        let parts = of_root.len();
        joined_to.clear();
        joined_to.extend(0..parts as u32);
        for ends in [first, last] {
            ends.clear();
            ends.resize(parts, NONE);
        }
        next.clear();
        next.resize(of_entry.len(), NONE);
        open.clear();
    }

    /// Whether all entries are in one component.
    fn all_one(&self) -> bool {
        self.joined_to.len() == 1
    }

    /// Adds the next entry, and says of which part it is.
    fn add(&mut self, entry: u32) -> u32 {
        let mut part = self.of_entry[entry as usize];
        while self.joined_to[part as usize] != part {
            part = self.joined_to[part as usize];
        }
        match self.last[part as usize] {
            NONE => {
                self.first[part as usize] = entry;
                self.open.push(part);
            }
            last => self.next[last as usize] = entry,
        }
        self.last[part as usize] = entry;
        part
    }

    /// The other parts in which `edge` finds one, each with its first.
    fn meet(&self, own: u32, edge: impl Fn(u32) -> Option<Edge> + Sync) -> Vec<(u32, Edge)> {
        let within = |&part: &u32| {
            let first = (part != own).then_some(self.first[part as usize]);
            let mut entries = std::iter::successors(first, |&entry| {
                Some(self.next[entry as usize]).filter(|&next| next != NONE)
            });
            entries.find_map(&edge).map(|edge| (part, edge))
        };
        match self.open.len() < MANY {
            true => self.open.iter().filter_map(within).collect(),
            false => self.open.par_iter().with_min_len(MANY / 4).filter_map(within).collect(),
        }
    }

    /// Makes another part one with `own`.
    fn join(&mut self, own: u32, other: u32) {
        let (end, first) = (self.last[own as usize], self.first[other as usize]);
        self.next[end as usize] = first;
        self.last[own as usize] = self.last[other as usize];
        self.joined_to[other as usize] = own;
        self.open.retain(|&part| part != other);
    }
}
