//! Units in order of precedence in, survivors out: a unit is removed when a *kept* one reaches the
//! threshold, and only kept units are ever looked for.
//!
//! The result is that of the plain greedy choice over all pairs, but a million near-identical
//! documents cost a million comparisons and not their square: what was removed is never compared
//! again. And chains do not glue strangers: everybody was compared with the one that stands for it.
//!
//! Units are taken in blocks. All of a block are compared, in parallel, with what was kept before it;
//! then the few that meet others of their own block are settled one after the other. The block size
//! changes the work and not the result.

use crate::Progress;
use crate::pairs::{Edge, Gatherer, Verifier};
use crate::postings::{Key, Posting, Postings};
use rayon::prelude::*;
use std::ops::Range;

/// The greedy choice.
#[derive(Debug, Default)]
pub struct Leaders {
    /// For every unit its best kept match; a unit that is kept has none.
    pub best: Vec<Option<Edge>>,
    /// All matches between removed units and kept ones, in order.
    pub edges: Vec<Edge>,
}

/// Units compared in parallel at a time.
const BLOCK: u32 = 4096;

/// Entries of a group up to which the removed ones are skipped by looking at them; longer groups get
/// a list of the kept ones.
const SHORT_GROUP: usize = 64;

/// Chooses the survivors. Units below `protected` are kept unseen; with `only_protected`, nothing
/// else can stand for a removed unit.
pub(crate) fn leaders(
    verifier: &Verifier<'_>,
    postings: &Postings,
    only_protected: bool,
    progress: &dyn Progress,
) -> Leaders {
    leaders_in_blocks(verifier, postings, only_protected, progress, BLOCK)
}

fn leaders_in_blocks(
    verifier: &Verifier<'_>,
    postings: &Postings,
    only_protected: bool,
    progress: &dyn Progress,
    block: u32,
) -> Leaders {
    let units = verifier.units.len();
    let protected = verifier.units.protected();
    let mut kept = Kept::new(postings, units);
    let mut result = Leaders { best: vec![None; units as usize], edges: Vec::new() };
    for unit in 0..protected {
        kept.post(unit);
    }
    let mut start = protected;
    while start < units && !progress.cancelled() {
        let end = units.min(start.saturating_add(block));
        let earlier: Vec<Compared> = (start..end)
            .into_par_iter()
            .map_init(Gatherer::default, |gatherer, unit| {
                let found = gatherer.gather(
                    postings.probes(unit),
                    units,
                    |key| kept.under(key, 0..start),
                    verifier.tally,
                );
                Compared {
                    edges: found.iter().filter_map(|&c| verifier.edge(unit, c)).collect(),
                    meets_block: !only_protected && kept.meets(unit, start..unit),
                }
            })
            .collect();
        let mut gatherer = Gatherer::default();
        for (unit, Compared { mut edges, meets_block }) in (start..end).zip(earlier) {
            if meets_block {
                let found = gatherer.gather(
                    postings.probes(unit),
                    units,
                    |key| kept.under(key, start..unit),
                    verifier.tally,
                );
                edges.extend(found.iter().filter_map(|&c| verifier.edge(unit, c)));
            }
            edges.sort_unstable();
            let best = edges
                .iter()
                .copied()
                .reduce(|best, e| if verifier.better(e, best) { e } else { best });
            if best.is_none() && !only_protected {
                kept.post(unit);
            }
            result.best[unit as usize] = best;
            result.edges.append(&mut edges);
        }
        progress.advance(u64::from(end - start), 0);
        start = end;
    }
    result
}

struct Compared {
    edges: Vec<Edge>,
    meets_block: bool,
}

/// The kept units, findable by key.
struct Kept<'a> {
    postings: &'a Postings,
    is_kept: Vec<bool>,
    /// Place of a long group's list in `lists`; [`SHORT`] for a short group.
    list_of: Vec<u32>,
    lists: Vec<Vec<Posting>>,
    /// Whether a unit is posted in any long group: most are not and need no visit.
    in_long_group: Vec<bool>,
}

const SHORT: u32 = u32::MAX;

impl<'a> Kept<'a> {
    fn new(postings: &'a Postings, units: u32) -> Self {
        let mut kept = Self {
            postings,
            is_kept: vec![false; units as usize],
            list_of: vec![SHORT; postings.groups() as usize],
            lists: Vec::new(),
            in_long_group: vec![false; units as usize],
        };
        for group in 0..postings.groups() {
            let range = postings.range(group);
            if range.len() > SHORT_GROUP {
                kept.list_of[group as usize] = kept.lists.len() as u32;
                kept.lists.push(Vec::new());
                for entry in &postings.entries()[range] {
                    kept.in_long_group[entry.unit as usize] = true;
                }
            }
        }
        kept
    }

    /// Makes a unit findable.
    fn post(&mut self, unit: u32) {
        self.is_kept[unit as usize] = true;
        if self.in_long_group[unit as usize] {
            for key in self.postings.posts(unit) {
                if let Some(list) = self.lists.get_mut(self.list_of[key.group as usize] as usize) {
                    list.push(Posting { unit, position: key.position });
                }
            }
        }
    }

    /// The kept units in `range` that are posted under the key, in order.
    fn under(&self, key: Key, range: Range<u32>) -> impl Iterator<Item = &Posting> {
        let list = match self.lists.get(self.list_of[key.group as usize] as usize) {
            Some(list) => list.as_slice(),
            None => &self.postings.entries()[self.postings.range(key.group)],
        };
        within(list, range).iter().filter(|posting| self.is_kept[posting.unit as usize])
    }

    /// Whether the unit shares a key with any unit in `range`, kept or not.
    fn meets(&self, unit: u32, range: Range<u32>) -> bool {
        self.postings.probes(unit).iter().any(|key| {
            let entries = &self.postings.entries()[self.postings.range(key.group)];
            !within(entries, range.clone()).is_empty()
        })
    }
}

/// The part of a list, ordered by unit, whose units lie in a range.
fn within(list: &[Posting], range: Range<u32>) -> &[Posting] {
    let from = list.partition_point(|posting| posting.unit < range.start);
    let list = &list[from..];
    &list[..list.partition_point(|posting| posting.unit < range.end)]
}
