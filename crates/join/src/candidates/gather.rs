//! Distinct candidates of a set: the union of the posting lists of its keys.

use super::Candidate;
use crate::index::{Entry, ListKey};

/// Buffers of one thread for the candidates of one set at a time.
#[derive(Debug, Default)]
pub(crate) struct Gatherer {
    found: Vec<Candidate>,
    /// Round in which each set was found last, and the keys under which it was found in that round. Allocated once lists
    /// get long.
    marks: Vec<(u32, u32)>,
    round: u32,
}

/// Candidates from which marking sets is cheaper than sorting them.
const MANY: usize = 512;

impl Gatherer {
    /// The distinct candidates that `entries_of` appends for the keys, of which there are `sets` at most.
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

    /// The candidates that are found under enough keys: `enough` is given the number of keys of each.
    ///
    /// `entries_of` appends what it finds under a key as indices of `entries` in the place of sets, and the number of
    /// keys that this one replaces in the place of the other's position: entries are loaded together for all keys,
    /// as each load is likely to miss the cache.
    pub(crate) fn gather_repeated(
        &mut self,
        keys: impl Iterator<Item = ListKey>,
        mut entries_of: impl FnMut(ListKey, &mut Vec<Candidate>),
        entries: &[Entry],
        enough: impl Fn(&Candidate, u32) -> bool,
        sets: u32,
    ) -> &[Candidate] {
        self.found.clear();
        self.begin_round(sets);
        keys.for_each(|key| entries_of(key, &mut self.found));
        let Self { found, marks, round } = self;
        let mut end = 0;
        for at in 0..found.len() {
            let Candidate { set: index, own, other: keys } = found[at];
            let Entry { set, position: other } = entries[index as usize];
            found[end] = Candidate { set, own, other };
            end += usize::from(mark(&mut marks[set as usize], *round, keys));
        }
        found.truncate(end);
        found.retain(|candidate| enough(candidate, marks[candidate.set as usize].1));
        found
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
        let Self { found, marks, round } = self;
        let mut end = start;
        for at in start..found.len() {
            let candidate = found[at];
            found[end] = candidate;
            end += usize::from(mark(&mut marks[candidate.set as usize], *round, 1));
        }
        found.truncate(end);
    }
}

/// Notes that a set was found under some keys, and whether for the first time in a round. Branchless: that is
/// unpredictable.
#[inline]
fn mark(marks: &mut (u32, u32), round: u32, keys: u32) -> bool {
    let is_new = marks.0 != round;
    *marks = (round, if is_new { keys } else { marks.1.saturating_add(keys) });
    is_new
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// Each set once, with the positions of the first key it is found under, whatever the lengths of
        /// the lists: below, around and far above the length at which marking starts. Those that are found
        /// under several keys, by counting.
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
                        .map(|set| Entry { set, position: set % 7 + position * 8 })
                        .collect()
                })
                .collect();
            let keys: Vec<ListKey> =
                (0..lists.len() as u32).map(|n| ListKey { list: n, position: n * 2 + 1 }).collect();
            let mut truth = BTreeMap::new();
            let mut times: BTreeMap<u32, u32> = BTreeMap::new();
            for (key, list) in keys.iter().zip(&lists) {
                for p in list {
                    truth.entry(p.set).or_insert((key.position, p.position));
                    *times.entry(p.set).or_default() += counts[key.list as usize];
                }
            }
            let repeated: BTreeMap<u32, (u32, u32)> =
                truth.iter().filter(|(set, _)| times[set] >= least + *set % 2).map(|(u, p)| (*u, *p)).collect();
            let entries_of = |key: ListKey, found: &mut Vec<Candidate>| {
                let candidate = |p: &Entry| Candidate { set: p.set, own: key.position, other: p.position };
                found.extend(lists[key.list as usize].iter().map(candidate));
            };
            let seen = |found: &[Candidate]| -> BTreeMap<u32, (u32, u32)> {
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
                        let (start, count) = (starts[key.list as usize], counts[key.list as usize]);
                        let indices = start..start + lists[key.list as usize].len() as u32;
                        found.extend(indices.map(|set| Candidate { set, own: key.position, other: count }));
                    },
                    &lists.concat(),
                    |candidate, keys| keys >= least + candidate.set % 2,
                    5000,
                );
                prop_assert_eq!(found.len(), repeated.len());
                prop_assert_eq!(&seen(found), &repeated);
            }
        }
    }
}
