//! Distinct candidates of a set: the union of the posting lists of its keys.

use super::Candidate;
use crate::SetId;
use crate::index::{Entry, ListKey};

/// Buffers of one thread for the candidates of one set at a time.
#[derive(Debug, Default)]
pub(crate) struct Gatherer {
    found: Vec<Candidate>,
    repeated: Vec<FoundEntry>,
    /// Round in which each set was found last, and the keys under which it was found in that
    /// round. Allocated once lists get long.
    marks: Vec<(u32, u32)>,
    round: u32,
}

/// Index of an entry in [`InvertedIndex::entries`](crate::InvertedIndex::entries).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct EntryId(pub(crate) u32);

/// An entry that was found under a key, before its set is known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FoundEntry {
    pub(crate) entry: EntryId,
    /// Position of the key in the prefix of the set that is looked up.
    pub(crate) own: u32,
    /// Number of keys that this one replaces ([`crate::InvertedIndex::keys_of_list`]).
    pub(crate) keys: u32,
}

/// Candidates from which marking sets is cheaper than sorting them.
const MANY: usize = 512;

impl Gatherer {
    /// The distinct candidates that `entries_of` appends for the keys, of which there are `sets` at
    /// most.
    ///
    /// The keys come rarest first, so that a set is found first under the first key that it shares:
    /// the one whose positions bound what the two can share at most.
    pub(crate) fn gather(
        &mut self,
        keys: impl Iterator<Item = ListKey>,
        mut entries_of: impl FnMut(ListKey, &mut Vec<Candidate>),
        sets: u32,
    ) -> &[Candidate] {
        self.found.clear();
        let mut marking = false;
        for key in keys {
            let before = self.found.len();
            entries_of(key, &mut self.found);
            if marking {
                self.mark(before);
            } else if self.found.len() > MANY {
                marking = true;
                self.begin_round(sets);
                self.mark(0);
            }
        }
        if !marking {
            self.found.sort_unstable();
            self.found.dedup_by_key(|candidate| candidate.set);
        }
        &self.found
    }

    /// The candidates that are found under enough keys: `enough` is given the number of keys of
    /// each.
    ///
    /// `entries_of` appends which of the `entries` it finds under a key: they are loaded together
    /// for all keys, as each load is likely to miss the cache.
    pub(crate) fn gather_repeated(
        &mut self,
        keys: impl Iterator<Item = ListKey>,
        mut entries_of: impl FnMut(ListKey, &mut Vec<FoundEntry>),
        entries: &[Entry],
        enough: impl Fn(&Candidate, u32) -> bool,
        sets: u32,
    ) -> &[Candidate] {
        self.repeated.clear();
        self.begin_round(sets);
        keys.for_each(|key| entries_of(key, &mut self.repeated));
        let Self { found, repeated, marks, round } = self;
        // Never shortened: what lies behind the candidates is not written again. A set that was
        // found before is written behind all distinct ones.
        let most = repeated.len().min(sets as usize + 1);
        if found.len() < most {
            found.resize(most, Candidate { set: SetId(0), own: 0, other: 0 });
        }
        let mut distinct = 0;
        for &FoundEntry { entry, own, keys } in &*repeated {
            let Entry { set, position: other } = entries[entry.0 as usize];
            found[distinct] = Candidate { set, own, other };
            distinct += usize::from(mark(&mut marks[set.index()], *round, keys));
        }
        let mut end = 0;
        for at in 0..distinct {
            let candidate = found[at];
            if enough(&candidate, marks[candidate.set.index()].1) {
                found[end] = candidate;
                end += 1;
            }
        }
        &found[..end]
    }

    fn begin_round(&mut self, sets: u32) {
        self.marks.resize(sets as usize, (0, 0));
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.marks.fill((0, 0));
            self.round = 1;
        }
    }

    /// Removes candidates, of those from `start` on, that were found in this round before.
    fn mark(&mut self, start: usize) {
        let Self { found, marks, round, .. } = self;
        let mut end = start;
        for at in start..found.len() {
            let candidate = found[at];
            found[end] = candidate;
            end += usize::from(mark(&mut marks[candidate.set.index()], *round, 1));
        }
        found.truncate(end);
    }
}

/// Notes that a set was found under some keys, and whether for the first time in a round.
/// Branchless: that is unpredictable.
#[inline]
fn mark(marks: &mut (u32, u32), round: u32, keys: u32) -> bool {
    let is_new = marks.0 != round;
    *marks = (round, if is_new { keys } else { marks.1.saturating_add(keys) });
    is_new
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ListId;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// Each set once, with the positions of the first key it is found under, whatever the
        /// lengths of the lists: below, around and far above the length at which marking starts.
        /// Those that are found under several keys, by counting.
        #[test]
        fn each_set_once_under_its_first_key(
            lists in prop::collection::vec((0u32..3000, 0u32..1500, 1usize..4, 1u32..4), 1..8),
            least in 1u32..9,
        ) {
            let counts: Vec<u32> = lists.iter().map(|list| list.3).collect();
            let lists: Vec<Vec<Entry>> = (1u32..)
                .zip(lists)
                .map(|(position, (from, count, step, _))| {
                    (from..from + count)
                        .step_by(step)
                        .map(|set| Entry { set: SetId(set), position: set % 7 + position * 8 })
                        .collect()
                })
                .collect();
            let keys: Vec<ListKey> =
                (0..lists.len() as u32)
                    .map(|n| ListKey { list: ListId(n), position: n * 2 + 1 })
                    .collect();
            let mut truth = BTreeMap::new();
            let mut times: BTreeMap<SetId, u32> = BTreeMap::new();
            for (key, list) in keys.iter().zip(&lists) {
                for p in list {
                    truth.entry(p.set).or_insert((key.position, p.position));
                    *times.entry(p.set).or_default() += counts[key.list.index()];
                }
            }
            let is_enough = |set: SetId, keys: u32| keys >= least + set.0 % 2;
            let repeated: BTreeMap<SetId, (u32, u32)> =
                truth.clone().into_iter().filter(|(set, _)| is_enough(*set, times[set])).collect();
            let entries_of = |key: ListKey, found: &mut Vec<Candidate>| {
                let candidate = |p: &Entry| Candidate { set: p.set, own: key.position, other: p.position };
                found.extend(lists[key.list.index()].iter().map(candidate));
            };
            let seen = |found: &[Candidate]| -> BTreeMap<SetId, (u32, u32)> {
                found.iter().map(|c| (c.set, (c.own, c.other))).collect()
            };
            let starts: Vec<u32> =
                (0..lists.len()).map(|list| lists[..list].iter().map(Vec::len).sum::<usize>() as u32).collect();
            let mut gatherer = Gatherer::default();
            for _ in 0..2 {
                let found = gatherer.gather(keys.iter().copied(), entries_of, 5000);
                prop_assert_eq!(found.len(), truth.len());
                prop_assert_eq!(&seen(found), &truth);
                let found = gatherer.gather_repeated(
                    keys.iter().copied(),
                    |key, found| {
                        let (start, count) = (starts[key.list.index()], counts[key.list.index()]);
                        let indices = start..start + lists[key.list.index()].len() as u32;
                        let found_entry = |entry| FoundEntry {
                            entry: EntryId(entry),
                            own: key.position,
                            keys: count,
                        };
                        found.extend(indices.map(found_entry));
                    },
                    &lists.concat(),
                    |candidate, keys| is_enough(candidate.set, keys),
                    5000,
                );
                prop_assert_eq!(found.len(), repeated.len());
                prop_assert_eq!(&seen(found), &repeated);
            }
        }
    }
}
