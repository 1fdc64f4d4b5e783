//! The distinct candidates of one unit, from the posting lists of its keys.

use crate::judge::Candidate;
use crate::postings::{Key, Posting};

/// Collects the distinct candidates of one unit at a time.
#[derive(Debug, Default)]
pub(crate) struct Gatherer {
    found: Vec<Candidate>,
    /// Round in which each unit was found last, and the keys under which it was found in that round. Allocated once lists
    /// get long.
    met: Vec<(u32, u32)>,
    round: u32,
}

/// Candidates from which marking units beats sorting them.
const MANY: usize = 512;

impl Gatherer {
    /// The distinct candidates that `under` appends for the keys, of which there are `units` at most.
    ///
    /// The keys come rarest first, so that a unit is found first under the first key that it shares:
    /// the one whose positions bound what the two can share at most.
    pub(crate) fn gather(
        &mut self,
        keys: impl Iterator<Item = Key>,
        mut under: impl FnMut(Key, &mut Vec<Candidate>),
        units: u32,
    ) -> &[Candidate] {
        self.found.clear();
        let mut marking = false;
        for key in keys {
            let before = self.found.len();
            under(key, &mut self.found);
            if marking {
                self.mark(before);
            } else if self.found.len() > MANY {
                marking = true;
                self.begin_round(units);
                self.mark(0);
            }
        }
        if !marking {
            self.found.sort_unstable();
            self.found.dedup_by_key(|candidate| candidate.unit);
        }
        &self.found
    }

    /// The candidates that are found under at least as many keys as `least` says.
    ///
    /// `under` appends what it finds under a key as indices of `postings` in the place of units, and the number of
    /// keys that this one replaces in the place of the other's position: postings are loaded together for all keys,
    /// as each load is likely to miss the cache.
    pub(crate) fn gather_repeated(
        &mut self,
        keys: impl Iterator<Item = Key>,
        mut under: impl FnMut(Key, &mut Vec<Candidate>),
        postings: &[Posting],
        least: impl Fn(&Candidate) -> u32,
        units: u32,
    ) -> &[Candidate] {
        self.found.clear();
        self.begin_round(units);
        keys.for_each(|key| under(key, &mut self.found));
        let Self { found, met, round } = self;
        let mut end = 0;
        for at in 0..found.len() {
            let Candidate { unit: index, own, other: keys } = found[at];
            let Posting { unit, position: other } = postings[index as usize];
            found[end] = Candidate { unit, own, other };
            end += usize::from(mark(&mut met[unit as usize], *round, keys));
        }
        found.truncate(end);
        found.retain(|candidate| met[candidate.unit as usize].1 >= least(candidate));
        found
    }

    fn begin_round(&mut self, units: u32) {
        self.met.resize(units as usize, (0, 0));
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.met.fill((0, 0));
            self.round = 1;
        }
    }

    /// Removes candidates, of those from `start` on, that were found in this round before.
    fn mark(&mut self, start: usize) {
        let Self { found, met, round } = self;
        let mut end = start;
        for at in start..found.len() {
            let candidate = found[at];
            found[end] = candidate;
            end += usize::from(mark(&mut met[candidate.unit as usize], *round, 1));
        }
        found.truncate(end);
    }
}

/// Notes that a unit was found under some keys, and whether for the first time in a round. Branchless: that is
/// unpredictable.
#[inline]
fn mark(met: &mut (u32, u32), round: u32, keys: u32) -> bool {
    let is_new = met.0 != round;
    *met = (round, if is_new { keys } else { met.1.saturating_add(keys) });
    is_new
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// Each unit once, with the positions of the first key it is found under, whatever the lengths of
        /// the lists: below, around and far above the length at which marking starts. Those that are found
        /// under several keys, by counting.
        #[test]
        fn each_unit_once_under_its_first_key(
            lists in prop::collection::vec((0u32..3000, 0u32..1500, 1usize..4, 1u32..4), 1..8),
            least in 1u32..9,
        ) {
            let counts: Vec<u32> = lists.iter().map(|list| list.3).collect();
            let lists: Vec<Vec<Posting>> = (1u32..)
                .zip(lists)
                .map(|(position, (from, count, step, _))| {
                    (from..from + count)
                        .step_by(step)
                        .map(|unit| Posting { unit, position: unit % 7 + position * 8 })
                        .collect()
                })
                .collect();
            let keys: Vec<Key> =
                (0..lists.len() as u32).map(|n| Key { group: n, position: n * 2 + 1 }).collect();
            let mut truth = BTreeMap::new();
            let mut times: BTreeMap<u32, u32> = BTreeMap::new();
            for (key, list) in keys.iter().zip(&lists) {
                for p in list {
                    truth.entry(p.unit).or_insert((key.position, p.position));
                    *times.entry(p.unit).or_default() += counts[key.group as usize];
                }
            }
            let repeated: BTreeMap<u32, (u32, u32)> =
                truth.iter().filter(|(unit, _)| times[unit] >= least + *unit % 2).map(|(u, p)| (*u, *p)).collect();
            let under = |key: Key, found: &mut Vec<Candidate>| {
                let candidate = |p: &Posting| Candidate { unit: p.unit, own: key.position, other: p.position };
                found.extend(lists[key.group as usize].iter().map(candidate));
            };
            let seen = |found: &[Candidate]| -> BTreeMap<u32, (u32, u32)> {
                found.iter().map(|c| (c.unit, (c.own, c.other))).collect()
            };
            let starts: Vec<u32> =
                (0..lists.len()).map(|list| lists[..list].iter().map(Vec::len).sum::<usize>() as u32).collect();
            let mut gatherer = Gatherer::default();
            for _ in 0..2 {
                let found = gatherer.gather(keys.iter().copied(), under, 5000);
                prop_assert_eq!(found.len(), truth.len());
                prop_assert_eq!(&seen(found), &truth);
                let found = gatherer.gather_repeated(
                    keys.iter().copied(),
                    |key, found| {
                        let (start, count) = (starts[key.group as usize], counts[key.group as usize]);
                        let indices = start..start + lists[key.group as usize].len() as u32;
                        found.extend(indices.map(|unit| Candidate { unit, own: key.position, other: count }));
                    },
                    &lists.concat(),
                    |candidate| least + candidate.unit % 2,
                    5000,
                );
                prop_assert_eq!(found.len(), repeated.len());
                prop_assert_eq!(&seen(found), &repeated);
            }
        }
    }
}
