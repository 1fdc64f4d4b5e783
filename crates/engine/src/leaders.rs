//! Units in order of precedence in, survivors out: a unit is removed when a *kept* one reaches the
//! threshold, and only kept units are ever looked for.
//!
//! The kept set is that of the plain greedy choice over all pairs, but what was removed is never
//! compared again. And chains do not glue strangers: everybody was compared with the one that stands
//! for it.
//!
//! The one that stands for a unit is its best match, with one limit that keeps a million variants of
//! one text linear: once a kept match is found, [`LOOKED_AT`] more of the kept units met are looked at
//! for a better one, in order of precedence, and no more.
//!
//! Units are taken in blocks. All of a block are compared, in parallel, with what was kept before it;
//! then the few that meet others of their own block are settled one after the other. The block size
//! changes the work and not the result.

use crate::judge::{Edge, Judge, Tally};
use crate::kept::{Kept, Meeting};
use crate::postings::{Key, Posting, Postings};
use crate::{Progress, Units};
use rayon::prelude::*;
use std::ops::{ControlFlow, Range};

/// Units compared in parallel at a time.
const BLOCK: u32 = 4096;

/// Kept units looked at for a better match once there is one. Few units ever meet so many.
pub const LOOKED_AT: u32 = 256;

/// The search for what stands for one unit, which goes on from the kept units before its block to
/// those within it.
#[derive(Debug, Clone, Copy, Default)]
struct Sought {
    best: Option<Edge>,
    /// Kept units looked at since the first match.
    looked_at: u32,
}

/// Chooses the survivors: for every unit that is not kept the match that stands for it, in order.
/// Units below `protected` are kept unseen; with `only_protected`, nothing else can stand for a
/// removed unit.
pub(crate) fn leaders(
    units: &Units,
    judge: &impl Judge,
    postings: &Postings,
    only_protected: bool,
    tally: &Tally,
    progress: &dyn Progress,
) -> Vec<Edge> {
    let protected = units.protected();
    let count = units.len();
    let mut kept = Kept::new(postings, count);
    let mut best = Vec::new();
    // Nobody ever looks for a unit that has no key.
    let keep = |kept: &mut Kept<'_, _>, unit: u32| {
        if postings.takes_part(unit) {
            kept.post(unit, judge.glance(unit));
        }
    };
    (0..protected).for_each(|unit| keep(&mut kept, unit));
    // Goes on among the kept units from slot `from` on.
    let seek = |kept: &Kept<'_, _>, unit: u32, from: u32, meeting: &mut Meeting, sought: Sought| {
        let keys = postings
            .probes(unit)
            .iter()
            .copied()
            .filter(|key| judge.in_reach(unit, key.position, postings.least_size(key.group)));
        let own = judge.glance(unit);
        let mut met = 0;
        let Sought { mut best, mut looked_at } = sought;
        if looked_at < LOOKED_AT {
            // Most of those met by chance are too small or too far behind: to see that costs one walk to memory.
            let may = |key: Key, other: &Posting| {
                judge.could_match(unit, key.position, (units.size(other.unit), other.position))
            };
            kept.meet(keys, from, meeting, may, |candidate, other| {
                met += 1;
                looked_at += u32::from(best.is_some());
                best = judge.improve(unit, candidate, (own, other), best).or(best);
                if looked_at < LOOKED_AT {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            });
        }
        tally.met(met);
        Sought { best, looked_at }
    };
    let mut settling = Meeting::default();
    let mut start = protected;
    while start < count && !progress.cancelled() {
        let end = count.min(start.saturating_add(BLOCK));
        let compared: Vec<(Sought, bool)> = (start..end)
            .into_par_iter()
            .map_init(Meeting::default, |meeting, unit| {
                let meets = !only_protected && meets(postings, unit, start..unit);
                (seek(&kept, unit, 0, meeting, Sought::default()), meets)
            })
            .collect();
        let before = kept.len();
        for (unit, (mut sought, meets_block)) in (start..end).zip(compared) {
            if meets_block && kept.len() > before {
                sought = seek(&kept, unit, before, &mut settling, sought);
            }
            match sought.best {
                Some(edge) => best.push(edge),
                None if !only_protected => keep(&mut kept, unit),
                None => {}
            }
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
