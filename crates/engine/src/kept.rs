//! Kept units in, in order of precedence; the kept ones that share a key with another unit out.
//!
//! Documents of one origin share most of their keys, so each meets the same kept units again and
//! again, key after key. Under a key that many units have, the kept ones are therefore stored as bits,
//! 64 *slots* (places in the order of keeping) to a word: meeting them under the next key is an OR.

use crate::judge::Candidate;
use crate::postings::{Key, Posting, Postings};
use std::ops::ControlFlow;

/// The kept units, findable by key, each with a glance `G` of it.
#[derive(Debug)]
pub(crate) struct Kept<'a, G> {
    postings: &'a Postings,
    /// Slot of each unit; [`NONE`] for one that is not kept.
    slot_of: Vec<u32>,
    /// Unit in each slot.
    units: Vec<u32>,
    /// What there is to glance at in each slot.
    glances: Vec<G>,
    /// Place of a long group's slots in `long`; [`NONE`] for a short group.
    long_of: Vec<u32>,
    long: Vec<Slots>,
    /// Whether a unit is posted in any long group: most are not and need no visit.
    in_long_group: Vec<bool>,
}

const NONE: u32 = u32::MAX;

/// Entries of a group up to which the removed ones are skipped by looking at them.
const SHORT_GROUP: usize = 64;

/// A set of slots: the words that are not zero, by index.
#[derive(Debug, Default)]
struct Slots {
    indices: Vec<u32>,
    words: Vec<u64>,
}

impl Slots {
    /// Adds a slot that is larger than all before.
    fn push(&mut self, slot: u32) {
        let bit = 1 << (slot % 64);
        match (self.indices.last(), self.words.last_mut()) {
            (Some(&last), Some(word)) if last == slot / 64 => *word |= bit,
            _ => {
                self.indices.push(slot / 64);
                self.words.push(bit);
            }
        }
    }
}

/// Words looked at together: the first match is found in them more often than not.
const WINDOW: usize = 32;

/// A set of slots that is read in windows.
#[derive(Debug)]
struct Cursor {
    /// Which one of the long groups.
    long: u32,
    /// Place of the next word in it.
    next: u32,
}

/// Buffers of one thread.
#[derive(Debug, Default)]
pub(crate) struct Meeting {
    /// Met under short groups; the units are slots.
    short: Vec<Candidate>,
    cursors: Vec<Cursor>,
}

impl<'a, G: Copy> Kept<'a, G> {
    pub(crate) fn new(postings: &'a Postings, units: u32) -> Self {
        let mut kept = Self {
            postings,
            slot_of: vec![NONE; units as usize],
            units: Vec::new(),
            glances: Vec::new(),
            long_of: vec![NONE; postings.groups() as usize],
            long: Vec::new(),
            in_long_group: vec![false; units as usize],
        };
        for group in 0..postings.groups() {
            let range = postings.range(group);
            if range.len() > SHORT_GROUP {
                kept.long_of[group as usize] = kept.long.len() as u32;
                kept.long.push(Slots::default());
                for entry in &postings.entries()[range] {
                    kept.in_long_group[entry.unit as usize] = true;
                }
            }
        }
        kept
    }

    /// Number of units kept.
    pub(crate) fn len(&self) -> u32 {
        self.units.len() as u32
    }

    /// Makes a unit findable. It comes after all before it in precedence.
    pub(crate) fn post(&mut self, unit: u32, glance: G) {
        let slot = self.len();
        self.slot_of[unit as usize] = slot;
        self.units.push(unit);
        self.glances.push(glance);
        if self.in_long_group[unit as usize] {
            for key in self.postings.posts(unit) {
                if let Some(slots) = self.long.get_mut(self.long_of[key.group as usize] as usize) {
                    slots.push(slot);
                }
            }
        }
    }

    /// Visits the kept units from slot `from` on that are posted under one of the keys, each once, in
    /// order of precedence, with a glance of each, until told to stop. Keys come rarest first. Whoever `may` not
    /// be met under a short group's key, for its size and its place alone, is not looked at.
    pub(crate) fn meet(
        &self,
        keys: impl Iterator<Item = Key>,
        from: u32,
        meeting: &mut Meeting,
        may: impl Fn(Key, &Posting) -> bool,
        mut visit: impl FnMut(Candidate, G) -> ControlFlow<()>,
    ) {
        let Meeting { short, cursors } = meeting;
        short.clear();
        cursors.clear();
        for key in keys {
            let long = self.long_of[key.group as usize];
            if let Some(slots) = self.long.get(long as usize) {
                let next = match from {
                    0 => 0,
                    from => slots.indices.partition_point(|&index| index < from / 64),
                };
                cursors.push(Cursor { long, next: next as u32 });
                continue;
            }
            let entries = &self.postings.entries()[self.postings.range(key.group)];
            let entries = entries.iter().filter(|posting| may(key, posting));
            short.extend(entries.filter_map(|posting| {
                let slot = self.slot_of[posting.unit as usize];
                let candidate =
                    Candidate { unit: slot, own: key.position, other: posting.position };
                (slot != NONE && slot >= from).then_some(candidate)
            }));
        }
        // Of those under short groups alone, the least places are those of the first common key.
        short.sort_unstable();
        short.dedup_by_key(|candidate| candidate.unit);
        let mut see = |slot: u32, own: u32, other: u32| {
            let unit = self.units[slot as usize];
            visit(Candidate { unit, own, other }, self.glances[slot as usize])
        };
        if cursors.is_empty() {
            let _ =
                short.iter().try_for_each(|&Candidate { unit, own, other }| see(unit, own, other));
            return;
        }
        // Under a long group places are not known, so the first common key is not either.
        let mut short = short.iter().map(|candidate| candidate.unit).peekable();
        let mut window = [0u64; WINDOW];
        let mut start = from / 64;
        let words = self.units.len().div_ceil(64) as u32;
        while start < words {
            let end = words.min(start + WINDOW as u32);
            for cursor in &mut *cursors {
                let Slots { indices, words } = &self.long[cursor.long as usize];
                while let Some(&index) = indices.get(cursor.next as usize)
                    && index < end
                {
                    window[(index - start) as usize] |= words[cursor.next as usize];
                    cursor.next += 1;
                }
            }
            while let Some(slot) = short.next_if(|slot| slot / 64 < end) {
                window[(slot / 64 - start) as usize] |= 1 << (slot % 64);
            }
            for (index, word) in (start..end).zip(&mut window) {
                let mut bits = std::mem::take(word);
                while bits != 0 {
                    let slot = index * 64 + bits.trailing_zeros();
                    bits &= bits - 1;
                    if slot >= from && see(slot, 0, 0).is_break() {
                        return;
                    }
                }
            }
            start = self.next_window(end, cursors, short.peek().copied());
        }
    }

    /// The first word from `at` on that any of the sets has.
    fn next_window(&self, at: u32, cursors: &[Cursor], short: Option<u32>) -> u32 {
        let next = |cursor: &Cursor| {
            self.long[cursor.long as usize].indices.get(cursor.next as usize).copied()
        };
        let first = cursors.iter().filter_map(next).chain(short.map(|slot| slot / 64)).min();
        first.map_or(u32::MAX, |first| first.max(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buckets::Room;
    use proptest::prelude::*;

    proptest! {
        /// Against the definition, with groups of every length and any choice of kept units.
        #[test]
        fn meets_the_kept_units_that_share_a_key(
            keys in prop::collection::vec(prop::collection::btree_set(0u64..12, 1..6), 2..300),
            kept_every in 1u32..5,
            from_share in 0u32..4,
        ) {
            let lists: Vec<Vec<u64>> = keys.iter().map(|set| set.iter().copied().collect()).collect();
            let room = Room { bytes: u64::MAX, folder: std::env::temp_dir() };
            let postings = Postings::of_keys(lists.len() as u32, None, &room, |unit, emit| {
                lists[unit as usize].iter().for_each(emit);
            })
            .unwrap();
            let mut kept = Kept::new(&postings, lists.len() as u32);
            let chosen: Vec<u32> = (0..lists.len() as u32).filter(|u| u % kept_every == 0).collect();
            for &unit in &chosen {
                kept.post(unit, ());
            }
            let from = chosen.len() as u32 * from_share / 4;
            let mut meeting = Meeting::default();
            for unit in 0..lists.len() as u32 {
                let mut found = Vec::new();
                let visit = |c: Candidate, ()| {
                    found.push(c.unit);
                    ControlFlow::Continue(())
                };
                let probes = postings.probes(unit).iter().copied();
                kept.meet(probes, from, &mut meeting, |_, _| true, visit);
                let truth: Vec<u32> = chosen[from as usize..]
                    .iter()
                    .copied()
                    .filter(|&other| !keys[other as usize].is_disjoint(&keys[unit as usize]))
                    // A key that no other unit has is no key.
                    .filter(|&other| other != unit || postings.takes_part(unit))
                    .collect();
                prop_assert_eq!(found, truth);
            }
        }
    }
}
