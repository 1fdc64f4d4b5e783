//! The keys of one unit in; the distinct units met under them out.

use crate::judge::Candidate;
use crate::postings::{Key, Posting};

/// Collects the distinct candidates of one unit at a time.
#[derive(Debug, Default)]
pub(crate) struct Gatherer {
    found: Vec<Candidate>,
    /// Round in which each unit was last met; only made once lists get long.
    met: Vec<u32>,
    round: u32,
}

/// Candidates from which marking units beats sorting them.
const MANY: usize = 512;

impl Gatherer {
    /// The distinct candidates that `under` finds for the keys that are `in_reach`.
    ///
    /// The keys come rarest first, so that a unit is met first under the first key that it shares:
    /// the one whose places bound what the two can share at most.
    pub(crate) fn gather<'e, L>(
        &mut self,
        keys: &[Key],
        in_reach: impl Fn(Key) -> bool,
        under: impl Fn(Key) -> L,
        units: u32,
    ) -> &[Candidate]
    where
        L: Iterator<Item = &'e Posting>,
    {
        self.found.clear();
        let mut marking = false;
        for &key in keys.iter().filter(|&&key| in_reach(key)) {
            let new = under(key).map(|p| Candidate {
                unit: p.unit,
                own: key.position,
                other: p.position,
            });
            if marking {
                let (met, round) = (&mut self.met, self.round);
                self.found.extend(
                    new.filter(|c| std::mem::replace(&mut met[c.unit as usize], round) != round),
                );
            } else {
                self.found.extend(new);
                if self.found.len() > MANY {
                    marking = true;
                    self.start_marking(units);
                }
            }
        }
        if !marking {
            self.found.sort_unstable();
            self.found.dedup_by_key(|candidate| candidate.unit);
        }
        &self.found
    }

    /// Switches from sorting to marking: keeps what was found so far, each unit once.
    fn start_marking(&mut self, units: u32) {
        self.met.resize(units as usize, 0);
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.met.fill(0);
            self.round = 1;
        }
        let (met, round) = (&mut self.met, self.round);
        self.found.retain(|c| std::mem::replace(&mut met[c.unit as usize], round) != round);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// Each unit once, with the places of the first key it is met under, whatever the lengths of
        /// the lists: below, around and far above the length at which marking starts.
        #[test]
        fn each_unit_once_under_its_first_key(
            lists in prop::collection::vec((0u32..3000, 0u32..1500, 1usize..4), 1..8),
        ) {
            let lists: Vec<Vec<Posting>> = (1u32..)
                .zip(lists)
                .map(|(position, (from, count, step))| {
                    (from..from + count)
                        .step_by(step)
                        .map(|unit| Posting { unit, position: unit % 7 + position * 8 })
                        .collect()
                })
                .collect();
            let keys: Vec<Key> =
                (0..lists.len() as u32).map(|n| Key { group: n, position: n * 2 + 1 }).collect();
            let mut truth = BTreeMap::new();
            for (key, list) in keys.iter().zip(&lists) {
                for p in list {
                    truth.entry(p.unit).or_insert((key.position, p.position));
                }
            }
            let mut gatherer = Gatherer::default();
            for _ in 0..2 {
                let found =
                    gatherer.gather(&keys, |_| true, |key| lists[key.group as usize].iter(), 5000);
                let seen: BTreeMap<u32, (u32, u32)> =
                    found.iter().map(|c| (c.unit, (c.own, c.other))).collect();
                prop_assert_eq!(found.len(), seen.len());
                prop_assert_eq!(&seen, &truth);
            }
        }
    }
}
