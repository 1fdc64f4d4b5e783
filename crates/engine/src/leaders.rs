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

use crate::judge::{Edge, Judge, JudgeScratch, Tally};
use crate::kept::{Kept, Meeting};
use crate::postings::{Posting, Postings};
use crate::{Progress, Units};
use rayon::prelude::*;
use std::ops::Range;

/// Units compared in parallel at a time.
const BLOCK: u32 = 4096;

/// Buffers of one thread.
#[derive(Debug, Default)]
struct Scratch {
    meeting: Meeting,
    judge: JudgeScratch,
}

/// Chooses the survivors: for every unit its best kept match; a unit that is kept has none. Units
/// below `protected` are kept unseen; with `only_protected`, nothing else can stand for a removed
/// unit.
pub(crate) fn leaders(
    units: &Units,
    judge: &impl Judge,
    postings: &Postings,
    only_protected: bool,
    tally: &Tally,
    progress: &dyn Progress,
) -> Vec<Option<Edge>> {
    let protected = units.protected();
    let units = units.len();
    let mut kept = Kept::new(postings, units);
    let mut best = vec![None; units as usize];
    for unit in 0..protected {
        kept.post(unit, judge.glance(unit));
    }
    // The best match among the kept ones from slot `from` on.
    let probe = |kept: &Kept<'_, _>, unit: u32, from: u32, scratch: &mut Scratch| {
        let keys = postings
            .probes(unit)
            .iter()
            .copied()
            .filter(|key| judge.in_reach(unit, key.position, postings.least_size(key.group)));
        let glance = judge.glance(unit);
        let may_match = |other| judge.may_match(glance, other);
        let found = kept.meet(keys, from, may_match, &mut scratch.meeting);
        tally.met(found.len());
        judge.best(unit, found, &mut scratch.judge)
    };
    let mut settling = Scratch::default();
    let mut start = protected;
    while start < units && !progress.cancelled() {
        let end = units.min(start.saturating_add(BLOCK));
        let compared: Vec<(Option<Edge>, bool)> = (start..end)
            .into_par_iter()
            .map_init(Scratch::default, |scratch, unit| {
                let meets = !only_protected && meets(postings, unit, start..unit);
                (probe(&kept, unit, 0, scratch), meets)
            })
            .collect();
        let before = kept.len();
        for (unit, (earlier, meets_block)) in (start..end).zip(compared) {
            let of_block =
                if meets_block { probe(&kept, unit, before, &mut settling) } else { None };
            let found = match (earlier, of_block) {
                (Some(a), Some(b)) => Some(judge.better(a, b)),
                (a, b) => a.or(b),
            };
            if found.is_none() && !only_protected {
                kept.post(unit, judge.glance(unit));
            }
            best[unit as usize] = found;
        }
        progress.advance(u64::from(end - start), 0);
        start = end;
    }
    best
}

/// Whether the unit shares a key with any unit in `range`, kept or not.
fn meets(postings: &Postings, unit: u32, range: Range<u32>) -> bool {
    postings.probes(unit).iter().any(|key| {
        let entries = &postings.entries()[postings.range(key.group)];
        !within(entries, range.clone()).is_empty()
    })
}

/// The part of a list, ordered by unit, whose units lie in a range.
fn within(list: &[Posting], range: Range<u32>) -> &[Posting] {
    let from = list.partition_point(|posting| posting.unit < range.start);
    let list = &list[from..];
    &list[..list.partition_point(|posting| posting.unit < range.end)]
}
