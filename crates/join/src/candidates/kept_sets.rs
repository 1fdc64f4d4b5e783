//! KeptSets sets, found by key in order of precedence.
//!
//! Near-duplicates share most of their keys, so a set finds the same kept sets under each of them. Under a
//! key of many sets the kept ones are therefore a bitmap of *slots* (numbers in the order of keeping): the
//! union over keys is an OR of words.

use super::Candidate;
use crate::index::{Entry, InvertedIndex, ListKey};
use std::ops::ControlFlow;

/// The kept sets, found by key, each with a summary `G`.
#[derive(Debug)]
pub(crate) struct KeptSets<'a, G> {
    index: &'a InvertedIndex,
    /// Slot of each set; [`NONE`] if it is not kept.
    slot_of: Vec<u32>,
    /// Unit in each slot.
    sets: Vec<u32>,
    /// Summary of the set in each slot.
    summaries: Vec<G>,
    /// Index in `long` of each list; [`NONE`] for a short one.
    long_of: Vec<u32>,
    long: Vec<Slots>,
    /// Whether a set is in any long list. Most are not, and their keys need not be visited.
    in_long_list: Vec<bool>,
}

const NONE: u32 = u32::MAX;

/// The longest list that is scanned, removed sets included, in place of a bitmap.
const SHORT_LIST: usize = 64;

/// A set of slots: the words of a bitmap that are not zero, and their indices.
#[derive(Debug, Default)]
struct Slots {
    indices: Vec<u32>,
    words: Vec<u64>,
}

impl Slots {
    /// Adds a slot, which is larger than all in the set.
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

/// Words whose union is computed at a time: mostly the first match is among them.
const WINDOW: usize = 32;

/// Position in a set of slots that is read in windows.
#[derive(Debug)]
struct Cursor {
    /// Index of the long list.
    long: u32,
    /// Index of the next word in it.
    next: u32,
}

/// Buffers of one thread.
#[derive(Debug, Default)]
pub(crate) struct Lookup {
    /// Found in short lists; `set` is the slot.
    short: Vec<Candidate>,
    cursors: Vec<Cursor>,
}

impl<'a, G: Copy> KeptSets<'a, G> {
    pub(crate) fn new(index: &'a InvertedIndex, sets: u32) -> Self {
        let mut kept = Self {
            index,
            slot_of: vec![NONE; sets as usize],
            sets: Vec::new(),
            summaries: Vec::new(),
            long_of: vec![NONE; index.lists() as usize],
            long: Vec::new(),
            in_long_list: vec![false; sets as usize],
        };
        for list in 0..index.lists() {
            let range = index.range(list);
            if range.len() > SHORT_LIST {
                kept.long_of[list as usize] = kept.long.len() as u32;
                kept.long.push(Slots::default());
                for entry in &index.entries()[range] {
                    kept.in_long_list[entry.set as usize] = true;
                }
            }
        }
        kept
    }

    /// Number of kept sets.
    pub(crate) fn len(&self) -> u32 {
        self.sets.len() as u32
    }

    /// Adds a set, which comes after all kept sets in precedence.
    pub(crate) fn add(&mut self, set: u32, summary: G) {
        let slot = self.len();
        self.slot_of[set as usize] = slot;
        self.sets.push(set);
        self.summaries.push(summary);
        if self.in_long_list[set as usize] {
            for key in self.index.posts(set) {
                if let Some(slots) = self.long.get_mut(self.long_of[key.list as usize] as usize) {
                    slots.push(slot);
                }
            }
        }
    }

    /// Visits the kept sets from slot `from` on that have one of the keys, each once, in order of precedence, with
    /// their summaries, until `visit` breaks. The keys come in the element order. Entries of short lists are
    /// skipped where `may` returns false, without looking up anything of the set.
    pub(crate) fn visit(
        &self,
        keys: impl Iterator<Item = ListKey>,
        from: u32,
        lookup: &mut Lookup,
        may: impl Fn(ListKey, &Entry) -> bool,
        mut visit: impl FnMut(Candidate, G) -> ControlFlow<()>,
    ) {
        let Lookup { short, cursors } = lookup;
        short.clear();
        cursors.clear();
        for key in keys {
            let long = self.long_of[key.list as usize];
            if let Some(slots) = self.long.get(long as usize) {
                let next = match from {
                    0 => 0,
                    from => slots.indices.partition_point(|&index| index < from / 64),
                };
                cursors.push(Cursor { long, next: next as u32 });
                continue;
            }
            let entries = &self.index.entries()[self.index.range(key.list)];
            let entries = entries.iter().filter(|entry| may(key, entry));
            short.extend(entries.filter_map(|entry| {
                let slot = self.slot_of[entry.set as usize];
                let candidate = Candidate { set: slot, own: key.position, other: entry.position };
                (slot != NONE && slot >= from).then_some(candidate)
            }));
        }
        // If there are only short lists, the least positions are those of the first common key.
        short.sort_unstable();
        short.dedup_by_key(|candidate| candidate.set);
        let mut visit_slot = |slot: u32, own: u32, other: u32| {
            let set = self.sets[slot as usize];
            visit(Candidate { set, own, other }, self.summaries[slot as usize])
        };
        if cursors.is_empty() {
            let _ = short
                .iter()
                .try_for_each(|&Candidate { set, own, other }| visit_slot(set, own, other));
            return;
        }
        // Positions are not known in long lists, so the first common key is not known either.
        let mut short = short.iter().map(|candidate| candidate.set).peekable();
        let mut window = [0u64; WINDOW];
        let mut start = from / 64;
        let words = self.sets.len().div_ceil(64) as u32;
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
                    if slot >= from && visit_slot(slot, 0, 0).is_break() {
                        return;
                    }
                }
            }
            start = self.next_window(end, cursors, short.peek().copied());
        }
    }

    /// Index of the first word from `at` on that is not zero in any of the sets of slots.
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
    use crate::{Silent, SpillBudget};
    use proptest::prelude::*;

    proptest! {
        /// Against the definition, with short and long lists and any choice of kept sets.
        #[test]
        fn finds_the_kept_sets_that_share_a_key(
            keys in prop::collection::vec(prop::collection::btree_set(0u64..12, 1..6), 2..300),
            kept_every in 1u32..5,
            from_share in 0u32..4,
        ) {
            let lists: Vec<Vec<u64>> = keys.iter().map(|set| set.iter().copied().collect()).collect();
            let budget = SpillBudget::unlimited();
            let index = InvertedIndex::of_keys(lists.len() as u32, None, &budget, &Silent, |set, emit| {
                lists[set as usize].iter().for_each(emit);
            })
            .unwrap();
            let mut kept = KeptSets::new(&index, lists.len() as u32);
            let chosen: Vec<u32> = (0..lists.len() as u32).filter(|u| u % kept_every == 0).collect();
            for &set in &chosen {
                kept.add(set, ());
            }
            let from = chosen.len() as u32 * from_share / 4;
            let mut lookup = Lookup::default();
            for set in 0..lists.len() as u32 {
                let mut found = Vec::new();
                let visit = |c: Candidate, ()| {
                    found.push(c.set);
                    ControlFlow::Continue(())
                };
                let probes = index.probes(set).iter().copied();
                kept.visit(probes, from, &mut lookup, |_, _| true, visit);
                let truth: Vec<u32> = chosen[from as usize..]
                    .iter()
                    .copied()
                    .filter(|&other| !keys[other as usize].is_disjoint(&keys[set as usize]))
                    // Keys of a single set are left out.
                    .filter(|&other| other != set || index.has_keys(set))
                    .collect();
                prop_assert_eq!(found, truth);
            }
        }
    }
}
