//! Kept units in, in order of precedence; the kept ones that share a key with another unit out.
//!
//! Documents of one origin share most of their keys, so each meets the same kept units again and
//! again, key after key. Under a key that many units have, the kept ones are therefore stored as bits,
//! 64 *slots* (places in the order of keeping) to a word: meeting them under the next key is an OR.

use crate::judge::Candidate;
use crate::postings::{Key, Postings};
use std::ops::Range;

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

    /// The words from an index on.
    fn from(&self, index: u32) -> (&[u32], &[u64]) {
        let start = match index {
            0 => 0,
            _ => self.indices.partition_point(|&at| at < index),
        };
        (&self.indices[start..], &self.words[start..])
    }
}

/// Buffers of one thread.
#[derive(Debug, Default)]
pub(crate) struct Meeting {
    found: Vec<Candidate>,
    met: Union,
}

/// The union of sets of slots.
#[derive(Debug, Default)]
struct Union {
    /// All zero between two units.
    words: Vec<u64>,
    /// Indices of words that are not zero, outside of `range`.
    touched: Vec<u32>,
    /// Words that sets without a gap were added to.
    range: Range<usize>,
}

impl Union {
    fn is_empty(&self) -> bool {
        self.touched.is_empty() && self.range.is_empty()
    }

    fn add(&mut self, indices: &[u32], words: &[u64]) {
        let (Some(&first), Some(&last)) = (indices.first(), indices.last()) else { return };
        let (first, end) = (first as usize, last as usize + 1);
        if end - first == words.len() {
            // No gap: whole vectors of words at a time.
            for (word, &bits) in self.words[first..end].iter_mut().zip(words) {
                *word |= bits;
            }
            self.range = match self.range.is_empty() {
                true => first..end,
                false => self.range.start.min(first)..self.range.end.max(end),
            };
            return;
        }
        for (&index, &bits) in indices.iter().zip(words) {
            self.add_word(index, bits);
        }
    }

    fn add_word(&mut self, index: u32, bits: u64) {
        let word = &mut self.words[index as usize];
        if *word == 0 {
            self.touched.push(index);
        }
        *word |= bits;
    }

    /// Gives every slot, and is empty again.
    fn drain(&mut self, mut each: impl FnMut(u32)) {
        let mut take = |index: usize, word: &mut u64| {
            let mut bits = std::mem::take(word);
            while bits != 0 {
                each(index as u32 * 64 + bits.trailing_zeros());
                bits &= bits - 1;
            }
        };
        for index in std::mem::take(&mut self.range) {
            take(index, &mut self.words[index]);
        }
        for index in self.touched.drain(..) {
            take(index as usize, &mut self.words[index as usize]);
        }
    }
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

    /// The kept units from slot `from` on that are posted under one of the keys and that `may_match`,
    /// each once. Keys come rarest first.
    pub(crate) fn meet<'m>(
        &self,
        keys: impl Iterator<Item = Key>,
        from: u32,
        may_match: impl Fn(G) -> bool,
        meeting: &'m mut Meeting,
    ) -> &'m [Candidate] {
        let Meeting { found, met } = meeting;
        found.clear();
        let words = self.units.len().div_ceil(64);
        if met.words.len() < words {
            met.words.resize(words.next_power_of_two(), 0);
        }
        for key in keys {
            if let Some(slots) = self.long.get(self.long_of[key.group as usize] as usize) {
                let (indices, words) = slots.from(from / 64);
                met.add(indices, words);
                continue;
            }
            let entries = &self.postings.entries()[self.postings.range(key.group)];
            found.extend(entries.iter().filter_map(|posting| {
                let slot = self.slot_of[posting.unit as usize];
                let candidate =
                    Candidate { unit: slot, own: key.position, other: posting.position };
                (slot != NONE && slot >= from).then_some(candidate)
            }));
        }
        if met.is_empty() {
            // Only short groups: the least places are those of the first common key.
            found.sort_unstable();
            found.dedup_by_key(|candidate| candidate.unit);
            found.retain(|candidate| may_match(self.glances[candidate.unit as usize]));
        } else {
            // Under a long group places are not known, so the first common key is not either.
            for candidate in found.drain(..) {
                met.add_word(candidate.unit / 64, 1 << (candidate.unit % 64));
            }
            met.drain(|slot| {
                if slot >= from && may_match(self.glances[slot as usize]) {
                    found.push(Candidate { unit: slot, own: 0, other: 0 });
                }
            });
        }
        for candidate in found.iter_mut() {
            candidate.unit = self.units[candidate.unit as usize];
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
            let postings = Postings::of_keys(lists.len() as u32, None, |unit, emit| {
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
                let found = kept.meet(postings.probes(unit).iter().copied(), from, |()| true, &mut meeting);
                let mut found: Vec<u32> = found.iter().map(|c| c.unit).collect();
                found.sort_unstable();
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
