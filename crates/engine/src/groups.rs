//! Keys in the order of their values in; the groups of units that have the same key, each group of units once, out.
//!
//! Documents of one origin share most of their keys, and nobody else has them: a group for each key would say the
//! same thing again and again. To find the group that has the same units as another, groups are shared out by
//! a hash of their units: what can be the same is in one *shard*, small enough to be looked up near the
//! processor, and all threads work, each on shards of its own.

use crate::buckets::Emitted;
use crate::postings::Posting;
use lookalike_core::fingerprint::finalise;
use rayon::prelude::*;
use std::collections::HashMap;
use std::ops::Range;

/// Units by key.
#[derive(Debug)]
pub(crate) struct Groups {
    pub(crate) starts: Vec<u32>,
    /// Within a group in the order of the units.
    pub(crate) entries: Vec<Posting>,
}

impl Default for Groups {
    fn default() -> Self {
        Self { starts: vec![0], entries: Vec::new() }
    }
}

impl Groups {
    pub(crate) fn push(&mut self, group: impl Iterator<Item = Posting>) {
        self.entries.extend(group);
        self.starts.push(self.entries.len() as u32);
    }

    pub(crate) fn len(&self) -> u32 {
        self.starts.len() as u32 - 1
    }

    pub(crate) fn range(&self, group: u32) -> Range<usize> {
        self.starts[group as usize] as usize..self.starts[group as usize + 1] as usize
    }

    fn append(&mut self, more: &Self) {
        let before = self.entries.len() as u32;
        self.entries.extend_from_slice(&more.entries);
        self.starts.extend(more.starts[1..].iter().map(|start| before + start));
    }
}

/// Shards: enough that a table of one is small, few enough that a bucket has some groups for each.
const SHARDS: usize = 64;

/// Buckets whose groups are shared out together: shards are visited less often.
const TAKEN: usize = 8;

/// The groups of a bucket, by shard.
#[derive(Debug)]
pub(crate) struct Sorted {
    shards: Vec<InShard>,
    counts: Counts,
}

/// Groups one behind the other.
#[derive(Debug, Clone, Default)]
struct InShard {
    /// Hash of the units, and how many they are.
    heads: Vec<(u64, u32)>,
    entries: Vec<Posting>,
}

/// How many keys there are.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    /// That two or more units have.
    pub(crate) shared: u64,
    /// How often units have one of those.
    pub(crate) written: u64,
    /// That are left out.
    pub(crate) ignored: u64,
}

impl Sorted {
    /// Finds the groups of two or more units in a sorted bucket; those of more than `most` are ignored.
    pub(crate) fn of(bucket: &[Emitted], most: Option<u32>) -> Self {
        let mut sorted =
            Self { shards: vec![InShard::default(); SHARDS], counts: Counts::default() };
        let counts = &mut sorted.counts;
        for group in bucket.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1) {
            if most.is_some_and(|most| group.len() as u64 > u64::from(most)) {
                counts.ignored += 1;
                continue;
            }
            counts.shared += 1;
            counts.written += group.len() as u64;
            let mix = |hash, (_, posting): &Emitted| finalise(hash ^ u64::from(posting.unit));
            // Begins with their number: unit 0 alone would be mixed to nothing.
            let hash = group.iter().fold(group.len() as u64, mix);
            let shard = &mut sorted.shards[hash as usize % SHARDS];
            shard.heads.push((hash, group.len() as u32));
            shard.entries.extend(group.iter().map(|&(_, posting)| posting));
        }
        sorted
    }
}

/// The groups of which no other has the same units.
#[derive(Debug, Default)]
struct Shard {
    groups: Groups,
    group_of: HashMap<u64, u32, foldhash::fast::FixedState>,
}

impl Shard {
    /// Adds a group, or, where one has its units already, keeps of the two the one that comes first in
    /// the order of keys: no pair of units has a common key before it that it had not before.
    fn push(&mut self, hash: u64, group: &[Posting]) {
        let Self { groups, group_of } = self;
        let number = *group_of.entry(hash).or_insert(groups.len());
        if number == groups.len() {
            return groups.push(group.iter().copied());
        }
        let range = groups.range(number);
        let known = &mut groups.entries[range];
        let same = known.len() == group.len()
            && known.iter().zip(group).all(|(known, posting)| known.unit == posting.unit);
        if !same {
            return groups.push(group.iter().copied());
        }
        // The order is the same for all units: earlier for one is earlier for each.
        if group[0].position < known[0].position {
            known.copy_from_slice(group);
        }
    }
}

/// Collects groups, each once.
#[derive(Debug, Default)]
pub(crate) struct DistinctGroups {
    shards: Vec<Shard>,
    waiting: Vec<Sorted>,
    counts: Counts,
}

impl DistinctGroups {
    /// Takes the groups of the next bucket; how many entries there are in all, or may be.
    pub(crate) fn take(&mut self, sorted: Sorted) -> usize {
        let Counts { shared, written, ignored } = sorted.counts;
        self.counts.shared += shared;
        self.counts.written += written;
        self.counts.ignored += ignored;
        self.waiting.push(sorted);
        if self.waiting.len() == TAKEN {
            self.share_out();
        }
        let waiting = self.waiting.iter().map(|sorted| sorted.counts.written as usize);
        self.shards.iter().map(|shard| shard.groups.entries.len()).sum::<usize>()
            + waiting.sum::<usize>()
    }

    /// In the order of the buckets: which of two groups comes first is the same on any number of threads.
    fn share_out(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        self.shards.resize_with(SHARDS, Shard::default);
        self.shards.par_iter_mut().with_max_len(1).enumerate().for_each(|(number, shard)| {
            for InShard { heads, entries } in waiting.iter().map(|sorted| &sorted.shards[number]) {
                let mut rest = entries.as_slice();
                for &(hash, length) in heads {
                    let (group, behind) = rest.split_at(length as usize);
                    shard.push(hash, group);
                    rest = behind;
                }
            }
        });
    }

    /// The groups, shard by shard, and how many keys there were.
    pub(crate) fn finish(mut self) -> (Groups, Counts) {
        self.share_out();
        let mut groups = Groups::default();
        let all =
            |of: fn(&Groups) -> usize| self.shards.iter().map(|shard| of(&shard.groups)).sum();
        groups.entries.reserve_exact(all(|groups| groups.entries.len()));
        groups.starts.reserve_exact(all(|groups| groups.starts.len() - 1));
        for shard in std::mem::take(&mut self.shards) {
            groups.append(&shard.groups);
        }
        (groups, self.counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// Against the definition: of the groups with the same units, the first in the order of keys.
        #[test]
        fn of_groups_with_the_same_units_the_first_in_order_is_left(
            buckets in prop::collection::vec(
                prop::collection::vec((prop::collection::btree_set(0u32..6, 1..5), 0u32..20), 0..12),
                0..30,
            ),
            most in prop::option::of(2u32..5),
        ) {
            let mut distinct = DistinctGroups::default();
            let mut truth: BTreeMap<Vec<u32>, Vec<Posting>> = BTreeMap::new();
            let (mut shared, mut written, mut ignored) = (0, 0, 0);
            for bucket in &buckets {
                let mut emitted = Vec::new();
                for (value, (units, first)) in (0u64..).zip(bucket) {
                    // The order is the same for all units.
                    let group: Vec<Posting> =
                        units.iter().map(|&unit| Posting { unit, position: first + unit }).collect();
                    emitted.extend(group.iter().map(|&posting| (value, posting)));
                    if units.len() < 2 {
                        continue;
                    }
                    if most.is_some_and(|most| units.len() > most as usize) {
                        ignored += 1;
                        continue;
                    }
                    shared += 1;
                    written += units.len() as u64;
                    let known = truth.entry(units.iter().copied().collect()).or_insert_with(|| group.clone());
                    if group[0].position < known[0].position {
                        *known = group;
                    }
                }
                distinct.take(Sorted::of(&emitted, most));
            }
            let (groups, found) = distinct.finish();
            prop_assert_eq!([found.shared, found.written, found.ignored], [shared, written, ignored]);
            let mut found: Vec<&[Posting]> =
                (0..groups.len()).map(|group| &groups.entries[groups.range(group)]).collect();
            found.sort_by_key(|group| group.iter().map(|posting| posting.unit).collect::<Vec<_>>());
            let truth: Vec<&[Posting]> = truth.values().map(Vec::as_slice).collect();
            prop_assert_eq!(found, truth);
        }
    }
}
