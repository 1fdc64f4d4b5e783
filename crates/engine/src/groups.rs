//! Keys in the order of their values in; the groups of units that have the same key, each group of units once, out.
//!
//! Of a group only those are left that may match another of it under this key, by size and place: everybody else
//! would be met, and turned away, again and again.
//!
//! Documents of one origin share most of their keys, and nobody else has them: a group for each key would say the
//! same thing again and again. To find the group that has the same units as another, groups are shared out by
//! a hash of their units: what can be the same is in one *shard*, small enough to be looked up near the
//! processor, and all threads work, each on shards of its own.

use crate::buckets::Emitted;
use crate::postings::{ExtendedPrefix, Posting};
use crate::{EngineError, MatchSettings, limits};
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
    /// Number of keys that the units of each group have in common: a group replaces those with the same units.
    pub(crate) keys: Vec<u32>,
}

impl Default for Groups {
    fn default() -> Self {
        Self { starts: vec![0], entries: Vec::new(), keys: Vec::new() }
    }
}

impl Groups {
    pub(crate) fn push(&mut self, group: impl Iterator<Item = Posting>) {
        self.entries.extend(group);
        self.starts.push(self.entries.len() as u32);
        self.keys.push(1);
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
        self.keys.extend_from_slice(&more.keys);
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
    /// Finds the groups of two or more units in a sorted bucket. Groups of more than `most` are ignored; of the others
    /// `leave`, which is given the sizes of their units, takes out who need not be in them.
    pub(crate) fn of(
        bucket: &[Emitted],
        most: Option<u32>,
        size: impl Fn(u32) -> u32,
        leave: impl Fn(&[u32], &mut Vec<Posting>),
    ) -> Self {
        let mut sorted =
            Self { shards: vec![InShard::default(); SHARDS], counts: Counts::default() };
        let counts = &mut sorted.counts;
        // Each is a walk to memory of its own: all at once, many are on their way together.
        let sizes: Vec<u32> = bucket.iter().map(|&(_, posting)| size(posting.unit)).collect();
        let (mut left, mut rest) = (Vec::new(), &sizes[..]);
        for group in bucket.chunk_by(|a, b| a.0 == b.0) {
            let (sizes, behind) = rest.split_at(group.len());
            rest = behind;
            if group.len() < 2 {
                continue;
            }
            if most.is_some_and(|most| group.len() as u64 > u64::from(most)) {
                counts.ignored += 1;
                continue;
            }
            left.clear();
            left.extend(group.iter().map(|&(_, posting)| posting));
            leave(sizes, &mut left);
            if left.is_empty() {
                continue;
            }
            counts.shared += 1;
            counts.written += left.len() as u64;
            let mix = |hash, posting: &Posting| finalise(hash ^ u64::from(posting.unit));
            // Begins with their number: unit 0 alone would be mixed to nothing.
            let hash = left.iter().fold(left.len() as u64, mix);
            let shard = &mut sorted.shards[hash as usize % SHARDS];
            shard.heads.push((hash, left.len() as u32));
            shard.entries.extend_from_slice(&left);
        }
        sorted
    }
}

/// Groups of more units are left as they are: to see who of them may match whom takes too many comparisons.
const LOOKED_THROUGH: usize = 32;

/// Removes from a group the units that cannot match another unit of it under this key. `sizes` are those of their sets;
/// in an `extended` prefix they may share other elements before the key ([`ExtendedPrefix`]).
///
/// A match is never lost: under the first key that two matching units share, both can match the other.
pub(crate) fn leave_mates(
    settings: &MatchSettings,
    extended: ExtendedPrefix,
    sizes: &[u32],
    group: &mut Vec<Posting>,
) {
    let mut all = [(0, 0); LOOKED_THROUGH];
    let Some(all) = all.get_mut(..group.len()) else { return };
    for ((own, posting), &size) in all.iter_mut().zip(&*group).zip(sizes) {
        *own = (size, extended.least_position(settings.criterion(), size, posting.position));
    }
    let mut mates = 0u64;
    for (at, &own) in all.iter().enumerate() {
        for (other_at, &other) in all[..at].iter().enumerate() {
            let both = 1 << at | 1 << other_at;
            if mates & both != both && settings.could_match(own, other) {
                mates |= both;
            }
        }
    }
    let mut at = 0..;
    group.retain(|_| at.next().is_some_and(|at| mates >> at & 1 == 1));
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
        groups.keys[number as usize] += 1;
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
    pub(crate) fn take(&mut self, sorted: Sorted, limit: u64) -> Result<(), EngineError> {
        let Counts { shared, written, ignored } = sorted.counts;
        self.counts.shared += shared;
        self.counts.written += written;
        self.counts.ignored += ignored;
        self.waiting.push(sorted);
        // Before they are shared out: offsets in a shard must not wrap, either.
        limits::postings(self.entries(), limit)?;
        if self.waiting.len() == TAKEN {
            self.share_out();
        }
        Ok(())
    }

    /// Entries of all groups, those counted twice that are equal and not shared out yet.
    fn entries(&self) -> u64 {
        let waiting = self.waiting.iter().map(|sorted| sorted.counts.written);
        let shared_out = self.shards.iter().map(|shard| shard.groups.entries.len() as u64);
        shared_out.sum::<u64>() + waiting.sum::<u64>()
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
        groups.starts.reserve_exact(all(|groups| groups.keys.len()));
        groups.keys.reserve_exact(all(|groups| groups.keys.len()));
        for shard in std::mem::take(&mut self.shards) {
            groups.append(&shard.groups);
        }
        (groups, self.counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike_core::Measure;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Groups of two units in one bucket after the other, all different, so that nothing is left out.
    #[test]
    fn more_entries_than_fit_are_an_error_before_they_are_shared_out() {
        let bucket = |first: u32| {
            let posting = |unit| (u64::from(first), Posting { unit, position: 0 });
            Sorted::of(&[posting(first), posting(first + 1)], None, |_| 0, |_, _| ())
        };
        // Before, after and at the bucket with which as many are waiting as are shared out.
        for limit in [2, 13, 14, 15, 16, 17, 31, 33] {
            let mut distinct = DistinctGroups::default();
            let fits = (limit / 2) as u32;
            for number in 0..fits {
                distinct.take(bucket(2 * number), limit).unwrap();
            }
            let error = distinct.take(bucket(2 * fits), limit).unwrap_err();
            let entries = u64::from(2 * fits + 2);
            assert!(
                matches!(error, EngineError::TooManyPostings { entries: e, limit: l } if e == entries && l == limit)
            );
        }
    }

    proptest! {
        /// Against all pairs of sets, under each key that they share.
        #[test]
        fn who_may_match_nobody_is_left_out(
            sets in prop::collection::vec((1u32..60, 0u32..60), 0..40),
            measure in prop::sample::select(vec![Measure::Resemblance, Measure::Cosine]),
        ) {
            let settings = MatchSettings { measure, ..MatchSettings::resemblance("0.8".parse().unwrap()) };
            let group: Vec<Posting> = (0u32..)
                .zip(&sets)
                .map(|(unit, &(size, place))| Posting { unit, position: place % size })
                .collect();
            let size = |unit: u32| sets[unit as usize].0;
            let mate = |a: &Posting, b: &Posting| {
                let (a, b) = ((size(a.unit), a.position), (size(b.unit), b.position));
                let shared = (a.0 - a.1).min(b.0 - b.1);
                measure.reaches(settings.threshold, lookalike_core::Overlap { shared, a: a.0, b: b.0 })
            };
            let has_mate = |own: &Posting| group.iter().any(|other| other.unit != own.unit && mate(own, other));
            let extended = ExtendedPrefix(false);
            let truth: Vec<Posting> = match group.len() <= LOOKED_THROUGH {
                true => group.iter().copied().filter(has_mate).collect(),
                false => group.clone(),
            };
            let mut left = group.clone();
            let sizes: Vec<u32> = sets.iter().map(|set| set.0).collect();
            leave_mates(&settings, extended, &sizes, &mut left);
            prop_assert_eq!(left, truth);
        }

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
            let mut keys: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
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
                    *keys.entry(units.iter().copied().collect()).or_default() += 1;
                    let known = truth.entry(units.iter().copied().collect()).or_insert_with(|| group.clone());
                    if group[0].position < known[0].position {
                        *known = group;
                    }
                }
                distinct.take(Sorted::of(&emitted, most, |_| 0, |_, _| ()), limits::MOST).unwrap();
            }
            let (groups, found) = distinct.finish();
            prop_assert_eq!([found.shared, found.written, found.ignored], [shared, written, ignored]);
            for group in 0..groups.len() {
                let units: Vec<u32> = groups.entries[groups.range(group)].iter().map(|p| p.unit).collect();
                prop_assert_eq!(groups.keys[group as usize], keys[&units]);
            }
            let mut found: Vec<&[Posting]> =
                (0..groups.len()).map(|group| &groups.entries[groups.range(group)]).collect();
            found.sort_by_key(|group| group.iter().map(|posting| posting.unit).collect::<Vec<_>>());
            let truth: Vec<&[Posting]> = truth.values().map(Vec::as_slice).collect();
            prop_assert_eq!(found, truth);
        }
    }
}
