//! Kept sets, found by key in order of precedence.
//!
//! Near-duplicates share most of their keys, so a set finds the same kept sets under each of them.
//! Under a key of many sets the kept ones are therefore a bitmap of *slots* (numbers in the order
//! of keeping): the union over keys is an OR of words.

use super::Candidate;
use crate::index::{Entry, InvertedIndex, ListKey};
use crate::{ListId, SetId};
use std::ops::ControlFlow;

/// The kept sets, found by key, each with a summary `G`.
#[derive(Debug)]
pub(crate) struct KeptSets<'a, G> {
    index: &'a InvertedIndex,
    /// Slot of each set; [`Slot::NONE`] if it is not kept.
    slot_of: Vec<Slot>,
    /// Set in each slot.
    sets: Vec<SetId>,
    /// Summary of the set in each slot.
    summaries: Vec<G>,
    /// Index in `long` of each list; [`NONE`] for a short one.
    long_of: Vec<u32>,
    long: Vec<Slots>,
    /// Whether a set is in any long list. Most are not, and their keys need not be visited.
    in_long_list: Vec<bool>,
}

const NONE: u32 = u32::MAX;

/// Number of a kept set, in the order of keeping, which is that of precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
pub(crate) struct Slot(u32);

impl Slot {
    pub(crate) const FIRST: Self = Self(0);

    /// Larger than all slots.
    const NONE: Self = Self(u32::MAX);

    /// The slot of a bit of a bitmap.
    #[inline]
    fn of_bit(word: u32, bit: u32) -> Self {
        Self(word * 64 + bit)
    }

    #[inline]
    fn index(self) -> usize {
        self.0 as usize
    }

    /// Index of the word of a bitmap that has the slot.
    #[inline]
    fn word(self) -> u32 {
        self.0 / 64
    }

    /// The slot's bit in its word.
    #[inline]
    fn bit(self) -> u64 {
        1 << (self.0 % 64)
    }
}

/// A set found in a short list, by its slot. Ordered by slot, then position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct FoundSlot {
    slot: Slot,
    /// Position of the key in the prefix of the set that is looked up.
    own: u32,
    /// Position of the key in the prefix of the kept set.
    other: u32,
}

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
    fn push(&mut self, slot: Slot) {
        match (self.indices.last(), self.words.last_mut()) {
            (Some(&last), Some(word)) if last == slot.word() => *word |= slot.bit(),
            _ => {
                self.indices.push(slot.word());
                self.words.push(slot.bit());
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
    short: Vec<FoundSlot>,
    cursors: Vec<Cursor>,
}

impl<'a, G: Copy> KeptSets<'a, G> {
    pub(crate) fn new(index: &'a InvertedIndex, sets: u32) -> Self {
        let mut kept = Self {
            index,
            slot_of: vec![Slot::NONE; sets as usize],
            sets: Vec::new(),
            summaries: Vec::new(),
            long_of: vec![NONE; index.lists() as usize],
            long: Vec::new(),
            in_long_list: vec![false; sets as usize],
        };
        for list in (0..index.lists()).map(ListId) {
            let range = index.range(list);
            if range.len() > SHORT_LIST {
                kept.long_of[list.index()] = kept.long.len() as u32;
                kept.long.push(Slots::default());
                for entry in &index.entries()[range] {
                    kept.in_long_list[entry.set.index()] = true;
                }
            }
        }
        kept
    }

    /// The slot of the next set that is added.
    pub(crate) fn end(&self) -> Slot {
        Slot(self.sets.len() as u32)
    }

    /// Adds a set, which comes after all kept sets in precedence.
    pub(crate) fn add(&mut self, set: SetId, summary: G) {
        let slot = self.end();
        self.slot_of[set.index()] = slot;
        self.sets.push(set);
        self.summaries.push(summary);
        if self.in_long_list[set.index()] {
            for key in self.index.posts(set) {
                if let Some(slots) = self.long.get_mut(self.long_of[key.list.index()] as usize) {
                    slots.push(slot);
                }
            }
        }
    }

    /// Visits the kept sets from slot `from` on that have one of the keys, each once, in order of
    /// precedence, with their summaries, until `visit` breaks. The keys come in the element order.
    /// Entries of short lists are skipped where `may` returns false, without looking up anything of
    /// the set.
    pub(crate) fn visit(
        &self,
        keys: impl Iterator<Item = ListKey>,
        from: Slot,
        lookup: &mut Lookup,
        may: impl Fn(ListKey, &Entry) -> bool,
        mut visit: impl FnMut(Candidate, G) -> ControlFlow<()>,
    ) {
        let Lookup { short, cursors } = lookup;
        short.clear();
        cursors.clear();
        for key in keys {
            let long = self.long_of[key.list.index()];
            if let Some(slots) = self.long.get(long as usize) {
                let next = match from {
                    Slot::FIRST => 0,
                    from => slots.indices.partition_point(|&index| index < from.word()),
                };
                cursors.push(Cursor { long, next: next as u32 });
                continue;
            }
            let entries = &self.index.entries()[self.index.range(key.list)];
            let entries = entries.iter().filter(|entry| may(key, entry));
            short.extend(entries.filter_map(|entry| {
                let slot = self.slot_of[entry.set.index()];
                let found = FoundSlot { slot, own: key.position, other: entry.position };
                (slot != Slot::NONE && slot >= from).then_some(found)
            }));
        }
        // If there are only short lists, the least positions are those of the first common key.
        short.sort_unstable();
        short.dedup_by_key(|found| found.slot);
        let mut visit_slot = |FoundSlot { slot, own, other }| {
            let set = self.sets[slot.index()];
            visit(Candidate { set, own, other }, self.summaries[slot.index()])
        };
        if cursors.is_empty() {
            let _ = short.iter().copied().try_for_each(visit_slot);
            return;
        }
        // Positions are not known in long lists, so the first common key is not known either.
        let mut short = short.iter().map(|found| found.slot).peekable();
        let mut window = [0u64; WINDOW];
        let mut start = from.word();
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
            while let Some(slot) = short.next_if(|slot| slot.word() < end) {
                window[(slot.word() - start) as usize] |= slot.bit();
            }
            for (index, word) in (start..end).zip(&mut window) {
                let mut bits = std::mem::take(word);
                while bits != 0 {
                    let slot = Slot::of_bit(index, bits.trailing_zeros());
                    bits &= bits - 1;
                    let found = FoundSlot { slot, own: 0, other: 0 };
                    if slot >= from && visit_slot(found).is_break() {
                        return;
                    }
                }
            }
            start = self.next_window(end, cursors, short.peek().copied());
        }
    }

    /// Index of the first word from `at` on that is not zero in any of the sets of slots.
    fn next_window(&self, at: u32, cursors: &[Cursor], short: Option<Slot>) -> u32 {
        let next = |cursor: &Cursor| {
            self.long[cursor.long as usize].indices.get(cursor.next as usize).copied()
        };
        let first = cursors.iter().filter_map(next).chain(short.map(Slot::word)).min();
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
            kept_every in 1usize..5,
            from_share in 0usize..4,
        ) {
            let lists: Vec<Vec<u64>> = keys.iter().map(|set| set.iter().copied().collect()).collect();
            let budget = SpillBudget::unlimited();
            let index = InvertedIndex::of_keys(lists.len() as u32, None, &budget, &Silent, |set, emit| {
                lists[set.index()].iter().for_each(emit);
            })
            .unwrap();
            let mut kept = KeptSets::new(&index, lists.len() as u32);
            let chosen: Vec<SetId> = (0..lists.len() as u32).step_by(kept_every).map(SetId).collect();
            for &set in &chosen {
                kept.add(set, ());
            }
            let from = chosen.len() * from_share / 4;
            let mut lookup = Lookup::default();
            for set in (0..lists.len() as u32).map(SetId) {
                let mut found = Vec::new();
                let visit = |c: Candidate, ()| {
                    found.push(c.set);
                    ControlFlow::Continue(())
                };
                let probes = index.probes(set).iter().copied();
                kept.visit(probes, Slot(from as u32), &mut lookup, |_, _| true, visit);
                let truth: Vec<SetId> = chosen[from..]
                    .iter()
                    .copied()
                    .filter(|&other| !keys[other.index()].is_disjoint(&keys[set.index()]))
                    // Keys of a single set are left out.
                    .filter(|&other| other != set || index.has_keys(set))
                    .collect();
                prop_assert_eq!(found, truth);
            }
        }
    }
}
