//! Distinct candidates of a set: the union of the posting lists of its keys.

use super::Candidate;
use crate::index::{Entry, ListKey};

/// Buffers of one thread for the candidates of one set at a time.
#[derive(Debug, Default)]
pub(crate) struct Gatherer {
    found: Vec<Candidate>,
    /// Round in which each set was last found; allocated when lists get long.
    last_found: Vec<u32>,
    round: u32,
}

/// Candidates from which marking sets is cheaper than sorting them.
const MANY: usize = 512;

impl Gatherer {
    /// The distinct candidates among the `entries` of the keys that are `wanted`; `sets` is the number of all sets.
    ///
    /// The keys come in the element order, so that a set is found first under the first common key, whose
    /// positions bound what both sets share.
    pub(crate) fn gather<'e, L>(
        &mut self,
        keys: &[ListKey],
        wanted: impl Fn(ListKey) -> bool,
        entries: impl Fn(ListKey) -> L,
        sets: u32,
    ) -> &[Candidate]
    where
        L: Iterator<Item = &'e Entry>,
    {
        self.found.clear();
        let mut marking = false;
        for &key in keys.iter().filter(|&&key| wanted(key)) {
            let new = entries(key).map(|p| Candidate {
                set: p.set,
                own: key.position,
                other: p.position,
            });
            if marking {
                let (last, round) = (&mut self.last_found, self.round);
                self.found.extend(
                    new.filter(|c| std::mem::replace(&mut last[c.set as usize], round) != round),
                );
            } else {
                self.found.extend(new);
                if self.found.len() > MANY {
                    marking = true;
                    self.start_marking(sets);
                }
            }
        }
        if !marking {
            self.found.sort_unstable();
            self.found.dedup_by_key(|candidate| candidate.set);
        }
        &self.found
    }

    /// Switches from sorting to marking: keeps what was found so far, each set once.
    fn start_marking(&mut self, sets: u32) {
        self.last_found.resize(sets as usize, 0);
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.last_found.fill(0);
            self.round = 1;
        }
        let (last, round) = (&mut self.last_found, self.round);
        self.found.retain(|c| std::mem::replace(&mut last[c.set as usize], round) != round);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// Each set once, with the positions of its first key, for lists of lengths below, around and far above
        /// that at which marking starts.
        #[test]
        fn each_set_once_under_its_first_key(
            lists in prop::collection::vec((0u32..3000, 0u32..1500, 1usize..4), 1..8),
        ) {
            let lists: Vec<Vec<Entry>> = (1u32..)
                .zip(lists)
                .map(|(position, (from, count, step))| {
                    (from..from + count)
                        .step_by(step)
                        .map(|set| Entry { set, position: set % 7 + position * 8 })
                        .collect()
                })
                .collect();
            let keys: Vec<ListKey> =
                (0..lists.len() as u32).map(|n| ListKey { list: n, position: n * 2 + 1 }).collect();
            let mut truth = BTreeMap::new();
            for (key, list) in keys.iter().zip(&lists) {
                for p in list {
                    truth.entry(p.set).or_insert((key.position, p.position));
                }
            }
            let mut gatherer = Gatherer::default();
            for _ in 0..2 {
                let found =
                    gatherer.gather(&keys, |_| true, |key| lists[key.list as usize].iter(), 5000);
                let seen: BTreeMap<u32, (u32, u32)> =
                    found.iter().map(|c| (c.set, (c.own, c.other))).collect();
                prop_assert_eq!(found.len(), seen.len());
                prop_assert_eq!(&seen, &truth);
            }
        }
    }
}
