//! Connected components of the match graph, without listing its edges.
//!
//! Broder's fourth phase (1997, "The clustering algorithm") needs every pair only to know which
//! sets are connected. Pairs within a component are therefore skipped: list by list, only sets of
//! *different* components are compared, and the first match joins both components. A component of a
//! million sets is connected by its first few keys, and its other lists are skipped.

use crate::candidates::{Candidate, CandidatePairs};
use crate::filter::CandidateFilter;
use crate::index::{Entry, ListKey};
use crate::source::SetSource;
use crate::verify::Verifier;
use crate::{Edge, ListId, Progress};
use lookalike_cluster::Components;
use rayon::prelude::*;
use std::collections::HashMap;

/// The components, and the edges that joined them: a spanning forest.
pub(crate) fn components<S: SetSource>(
    pairs: &CandidatePairs<'_, S, impl CandidateFilter>,
    verifier: &impl Verifier,
    progress: &dyn Progress,
) -> (Components, Vec<Edge>) {
    let index = pairs.index;
    let mut components = Components::new(pairs.sets.len());
    let mut edges = Vec::new();
    let mut parts = Parts::default();
    let mut summaries = Vec::new();
    for list in (0..index.lists()).map(ListId) {
        if list.0 % 1024 == 0 && progress.cancelled() {
            break;
        }
        let entries = &index.entries()[index.range(list)];
        parts.begin(entries.iter().map(|entry| components.root(entry.set.0)));
        if parts.all_one() {
            continue;
        }
        // Stored contiguously: each is read once for every later part.
        summaries.clear();
        summaries.extend(entries.iter().map(|entry| verifier.summary(entry.set)));
        for (at, &entry) in (0..).map(At).zip(entries) {
            let own_part = parts.add(at);
            // The entries come in order of precedence: this set is looked up among those before it,
            // whose parts were compared with each other already.
            let Some(own) = index
                .probe_position(entry, list)
                .filter(|&position| pairs.could_match_any(entry.set, ListKey { list, position }))
            else {
                continue;
            };
            // The positional bound holds at the first common key. Under a later one it may reject a
            // match, which is found under the first.
            let edge = |other: At| {
                let Entry { set, position } = entries[other.index()];
                let summaries = (summaries[at.index()], summaries[other.index()]);
                verifier.verify(entry.set, Candidate { set, own, other: position }, summaries, None)
            };
            for (part, edge) in parts.edges_from(own_part, edge) {
                components.join(edge.later.0, edge.earlier.0);
                edges.push(edge);
                parts.join(own_part, part);
            }
        }
    }
    edges.sort_unstable();
    (components, edges)
}

/// Index of an entry in the list that is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
struct At(u32);

impl At {
    /// Ends a linked list.
    const NONE: Self = Self(u32::MAX);

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// Number of a part: the entries of one component, in the order of the first ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
struct PartId(u32);

impl PartId {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// Parts from which threads compare them in parallel.
const MANY: usize = 1 << 12;

/// The entries of a list that were compared, by component.
#[derive(Debug, Default)]
struct Parts {
    /// The part of each entry, before any parts were joined.
    of_entry: Vec<PartId>,
    /// The part that each part is joined to; itself if none.
    joined_to: Vec<PartId>,
    /// Linked lists of the entries of each part: the first and the last, and for each entry the
    /// next.
    first: Vec<At>,
    last: Vec<At>,
    next: Vec<At>,
    /// Parts that have entries and are not joined to another one, in the order of their first
    /// entries.
    open: Vec<PartId>,
    of_root: HashMap<u32, PartId, foldhash::fast::FixedState>,
}

impl Parts {
    /// Starts with a list; `roots` are the components of its entries.
    fn begin(&mut self, roots: impl Iterator<Item = u32>) {
        let Self { of_entry, joined_to, first, last, next, open, of_root } = self;
        of_root.clear();
        of_entry.clear();
        of_entry.extend(roots.map(|root| {
            let new = PartId(of_root.len() as u32);
            *of_root.entry(root).or_insert(new)
        }));
        let parts = of_root.len();
        joined_to.clear();
        joined_to.extend((0..parts as u32).map(PartId));
        for ends in [first, last] {
            ends.clear();
            ends.resize(parts, At::NONE);
        }
        next.clear();
        next.resize(of_entry.len(), At::NONE);
        open.clear();
    }

    /// Whether all entries are in one component.
    fn all_one(&self) -> bool {
        self.joined_to.len() == 1
    }

    /// Adds the next entry. Returns its part.
    fn add(&mut self, entry: At) -> PartId {
        let mut part = self.of_entry[entry.index()];
        while self.joined_to[part.index()] != part {
            part = self.joined_to[part.index()];
        }
        match self.last[part.index()] {
            At::NONE => {
                self.first[part.index()] = entry;
                self.open.push(part);
            }
            last => self.next[last.index()] = entry,
        }
        self.last[part.index()] = entry;
        part
    }

    /// For each other part that has an entry for which `edge` returns an edge, the part and the
    /// first such edge.
    fn edges_from(
        &self,
        own: PartId,
        edge: impl Fn(At) -> Option<Edge> + Sync,
    ) -> Vec<(PartId, Edge)> {
        let within = |&part: &PartId| {
            let first = (part != own).then_some(self.first[part.index()]);
            let mut entries = std::iter::successors(first, |&entry| {
                Some(self.next[entry.index()]).filter(|&next| next != At::NONE)
            });
            entries.find_map(&edge).map(|edge| (part, edge))
        };
        match self.open.len() < MANY {
            true => self.open.iter().filter_map(within).collect(),
            false => self.open.par_iter().with_min_len(MANY / 4).filter_map(within).collect(),
        }
    }

    /// Joins another part to `own`.
    fn join(&mut self, own: PartId, other: PartId) {
        let (end, first) = (self.last[own.index()], self.first[other.index()]);
        self.next[end.index()] = first;
        self.last[own.index()] = self.last[other.index()];
        self.joined_to[other.index()] = own;
        self.open.retain(|&part| part != other);
    }
}
