//! Entry lists: the sets that have the same key, each distinct list once.
//!
//! A list keeps only the sets that may match another one of it under this key, by size and
//! position; the others would be rejected as candidates again and again.
//!
//! Near-duplicates share most of their keys, which no other document has: the lists of those keys
//! hold the same sets and give the same candidates. To find equal lists, they are assigned to
//! *shards* by a hash of their sets. A shard is small enough for the cache, and threads work on
//! different shards.

use super::entry::{Entry, Key};
use crate::filter::CandidateFilter;
use crate::{JoinError, ListId, SetId, limits};
use lookalike_core::fingerprint::finalise;
use rayon::prelude::*;
use std::collections::HashMap;
use std::ops::Range;

/// Posting lists in two flat arrays.
#[derive(Debug)]
pub(crate) struct PostingLists {
    /// Where each list starts in `entries`, and the end of the last.
    pub(crate) starts: Vec<u32>,
    /// The entries of all lists, those of a list by set.
    pub(crate) entries: Vec<Entry>,
    /// Number of keys that the sets of each list have in common: a list replaces those with the
    /// same sets.
    pub(crate) keys: Vec<u32>,
}

impl Default for PostingLists {
    fn default() -> Self {
        Self { starts: vec![0], entries: Vec::new(), keys: Vec::new() }
    }
}

impl PostingLists {
    pub(crate) fn push(&mut self, list: impl Iterator<Item = Entry>) {
        self.entries.extend(list);
        self.starts.push(self.entries.len() as u32);
        self.keys.push(1);
    }

    pub(crate) fn len(&self) -> u32 {
        self.starts.len() as u32 - 1
    }

    /// All lists, in order.
    pub(crate) fn ids(&self) -> impl Iterator<Item = ListId> + use<> {
        (0..self.len()).map(ListId)
    }

    pub(crate) fn range(&self, list: ListId) -> Range<usize> {
        self.starts[list.index()] as usize..self.starts[list.index() + 1] as usize
    }

    fn append(&mut self, more: &Self) {
        let before = self.entries.len() as u32;
        self.entries.extend_from_slice(&more.entries);
        self.starts.extend(more.starts[1..].iter().map(|start| before + start));
        self.keys.extend_from_slice(&more.keys);
    }
}

/// Shards: enough that the table of one is small, few enough that a bucket has several lists for
/// each.
const SHARDS: usize = 64;

/// Buckets whose lists are assigned to shards together: shards are visited less often.
const TOGETHER: usize = 8;

/// The lists of one bucket, by shard.
#[derive(Debug)]
pub(crate) struct BucketLists {
    shards: Vec<InShard>,
    counts: KeyCounts,
}

/// Lists of one bucket and shard.
#[derive(Debug, Clone, Default)]
struct InShard {
    /// Hash of the sets of each list, and their number.
    heads: Vec<(u64, u32)>,
    entries: Vec<Entry>,
}

/// Numbers of keys.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct KeyCounts {
    /// Keys of two or more sets.
    pub(crate) shared: u64,
    /// Entries of those.
    pub(crate) written: u64,
    /// Keys of too many sets.
    pub(crate) ignored: u64,
}

impl BucketLists {
    /// Finds the lists of two or more sets in a sorted bucket. Lists of more than `most` are left
    /// out; `retain`, which is given the sizes of the sets of a list, removes the entries that it
    /// does not need.
    pub(crate) fn of(
        bucket: &[Key],
        most: Option<u32>,
        size: impl Fn(SetId) -> u32,
        retain: impl Fn(&[u32], &mut Vec<Entry>),
    ) -> Self {
        let mut sorted =
            Self { shards: vec![InShard::default(); SHARDS], counts: KeyCounts::default() };
        let counts = &mut sorted.counts;
        // Each lookup may miss the cache: they are issued together.
        let sizes: Vec<u32> = bucket.iter().map(|&(_, entry)| size(entry.set)).collect();
        let (mut left, mut rest) = (Vec::new(), &sizes[..]);
        for list in bucket.chunk_by(|a, b| a.0 == b.0) {
            let (sizes, behind) = rest.split_at(list.len());
            rest = behind;
            if list.len() < 2 {
                continue;
            }
            if most.is_some_and(|most| list.len() as u64 > u64::from(most)) {
                counts.ignored += 1;
                continue;
            }
            left.clear();
            left.extend(list.iter().map(|&(_, entry)| entry));
            retain(sizes, &mut left);
            if left.is_empty() {
                continue;
            }
            counts.shared += 1;
            counts.written += left.len() as u64;
            let mix = |hash, entry: &Entry| finalise(hash ^ u64::from(entry.set.0));
            // Starts with the length: the hash of set 0 alone would be 0.
            let hash = left.iter().fold(left.len() as u64, mix);
            let shard = &mut sorted.shards[hash as usize % SHARDS];
            shard.heads.push((hash, left.len() as u32));
            shard.entries.extend_from_slice(&left);
        }
        sorted
    }
}

/// Longer lists are not filtered: comparing all pairs of entries takes too long.
const MOST_FILTERED: usize = 32;

/// Retains the entries of a list, whose sets have these sizes, that may match another one of it
/// under this key.
///
/// Prefixes may be `extended` ([`CandidateFilter::least_position`]). Loses no match: under the
/// first key that two matching sets share, the filter passes both.
pub(crate) fn retain_partners(
    filter: impl CandidateFilter,
    extended: bool,
    sizes: &[u32],
    list: &mut Vec<Entry>,
) {
    let mut all = [(0, 0); MOST_FILTERED];
    let Some(all) = all.get_mut(..list.len()) else { return };
    for ((own, entry), &size) in all.iter_mut().zip(&*list).zip(sizes) {
        *own = (size, filter.least_position((size, entry.position), extended));
    }
    let mut partners = 0u64;
    for (at, &own) in all.iter().enumerate() {
        for (other_at, &other) in all[..at].iter().enumerate() {
            let both = 1 << at | 1 << other_at;
            if partners & both != both && filter.could_match(own, other) {
                partners |= both;
            }
        }
    }
    let mut at = 0..;
    list.retain(|_| at.next().is_some_and(|at| partners >> at & 1 == 1));
}

/// The distinct lists of one shard.
#[derive(Debug, Default)]
struct Shard {
    lists: PostingLists,
    list_of: HashMap<u64, ListId, foldhash::fast::FixedState>,
}

impl Shard {
    /// Adds a list, or, if there is one with the same sets, keeps that of both whose key comes
    /// first in the element order: the first common key of each pair of sets is kept.
    fn push(&mut self, hash: u64, list: &[Entry]) {
        let Self { lists, list_of } = self;
        let new = ListId(lists.len());
        let number = *list_of.entry(hash).or_insert(new);
        if number == new {
            return lists.push(list.iter().copied());
        }
        let range = lists.range(number);
        let known = &mut lists.entries[range];
        let same = known.len() == list.len()
            && known.iter().zip(list).all(|(known, entry)| known.set == entry.set);
        if !same {
            return lists.push(list.iter().copied());
        }
        lists.keys[number.index()] += 1;
        // All sets use the same order: a key that is earlier for one set is earlier for all.
        if list[0].position < known[0].position {
            known.copy_from_slice(list);
        }
    }
}

/// Collects the distinct lists.
#[derive(Debug, Default)]
pub(crate) struct DistinctLists {
    shards: Vec<Shard>,
    waiting: Vec<BucketLists>,
    counts: KeyCounts,
}

impl DistinctLists {
    /// Adds the lists of the next bucket.
    ///
    /// # Errors
    /// More than `limit` entries in all.
    pub(crate) fn take(&mut self, sorted: BucketLists, limit: u64) -> Result<(), JoinError> {
        let KeyCounts { shared, written, ignored } = sorted.counts;
        self.counts.shared += shared;
        self.counts.written += written;
        self.counts.ignored += ignored;
        self.waiting.push(sorted);
        // Checked before the lists are assigned to shards, whose offsets must not wrap either.
        limits::entries(self.entries(), limit)?;
        if self.waiting.len() == TOGETHER {
            self.assign();
        }
        Ok(())
    }

    /// Entries of all lists; equal lists that are not assigned to shards yet count twice.
    fn entries(&self) -> u64 {
        let waiting = self.waiting.iter().map(|sorted| sorted.counts.written);
        let assigned = self.shards.iter().map(|shard| shard.lists.entries.len() as u64);
        assigned.sum::<u64>() + waiting.sum::<u64>()
    }

    /// Assigns lists to shards in the order of the buckets, so that the result does not depend on
    /// threads.
    fn assign(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        self.shards.resize_with(SHARDS, Shard::default);
        self.shards.par_iter_mut().with_max_len(1).enumerate().for_each(|(number, shard)| {
            for InShard { heads, entries } in waiting.iter().map(|sorted| &sorted.shards[number]) {
                let mut rest = entries.as_slice();
                for &(hash, length) in heads {
                    let (list, behind) = rest.split_at(length as usize);
                    shard.push(hash, list);
                    rest = behind;
                }
            }
        });
    }

    /// The lists, shard by shard, and the numbers of keys.
    pub(crate) fn finish(mut self) -> (PostingLists, KeyCounts) {
        self.assign();
        let mut lists = PostingLists::default();
        let all =
            |of: fn(&PostingLists) -> usize| self.shards.iter().map(|shard| of(&shard.lists)).sum();
        lists.entries.reserve_exact(all(|lists| lists.entries.len()));
        lists.starts.reserve_exact(all(|lists| lists.keys.len()));
        lists.keys.reserve_exact(all(|lists| lists.keys.len()));
        for shard in std::mem::take(&mut self.shards) {
            lists.append(&shard.lists);
        }
        (lists, self.counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Criterion;
    use lookalike_core::Measure;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Distinct lists of two sets in one bucket after the other.
    #[test]
    fn more_entries_than_the_limit_are_an_error() {
        let bucket = |first: u32| {
            let entry = |set| (u64::from(first), Entry { set: SetId(set), position: 0 });
            BucketLists::of(&[entry(first), entry(first + 1)], None, |_| 0, |_, _| ())
        };
        // Before, at and after the bucket with which lists are assigned to shards.
        for limit in [2, 13, 14, 15, 16, 17, 31, 33] {
            let mut distinct = DistinctLists::default();
            let fits = (limit / 2) as u32;
            for number in 0..fits {
                distinct.take(bucket(2 * number), limit).unwrap();
            }
            let error = distinct.take(bucket(2 * fits), limit).unwrap_err();
            let entries = u64::from(2 * fits + 2);
            assert!(
                matches!(error, JoinError::TooManyEntries { entries: e, limit: l } if e == entries && l == limit)
            );
        }
    }

    proptest! {
        /// Against all pairs of sets.
        #[test]
        fn entries_without_a_possible_partner_are_removed(
            sets in prop::collection::vec((1u32..60, 0u32..60), 0..40),
            measure in prop::sample::select(vec![Measure::Resemblance, Measure::Cosine]),
        ) {
            let criterion = Criterion { measure, threshold: "0.8".parse().unwrap() };
            let list: Vec<Entry> = (0..)
                .map(SetId)
                .zip(&sets)
                .map(|(set, &(size, place))| Entry { set, position: place % size })
                .collect();
            let size = |set: SetId| sets[set.index()].0;
            let partner = |a: &Entry, b: &Entry| {
                let (a, b) = ((size(a.set), a.position), (size(b.set), b.position));
                let shared = (a.0 - a.1).min(b.0 - b.1);
                criterion.reaches(lookalike_core::Overlap { shared, a: a.0, b: b.0 })
            };
            let has_partner = |own: &Entry| list.iter().any(|other| other.set != own.set && partner(own, other));
            let truth: Vec<Entry> = match list.len() <= MOST_FILTERED {
                true => list.iter().copied().filter(has_partner).collect(),
                false => list.clone(),
            };
            let mut left = list.clone();
            let sizes: Vec<u32> = sets.iter().map(|set| set.0).collect();
            retain_partners(criterion, false, &sizes, &mut left);
            prop_assert_eq!(left, truth);
        }

        /// Against the definition.
        #[test]
        fn of_equal_lists_the_first_in_order_is_kept(
            buckets in prop::collection::vec(
                prop::collection::vec((prop::collection::btree_set(0u32..6, 1..5), 0u32..20), 0..12),
                0..30,
            ),
            most in prop::option::of(2u32..5),
        ) {
            let mut distinct = DistinctLists::default();
            let mut truth: BTreeMap<Vec<u32>, Vec<Entry>> = BTreeMap::new();
            let mut keys: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
            let (mut shared, mut written, mut ignored) = (0, 0, 0);
            for bucket in &buckets {
                let mut emitted = Vec::new();
                for (value, (sets, first)) in (0u64..).zip(bucket) {
                    // All sets use the same order.
                    let list: Vec<Entry> =
                        sets.iter().map(|&set| Entry { set: SetId(set), position: first + set }).collect();
                    emitted.extend(list.iter().map(|&entry| (value, entry)));
                    if sets.len() < 2 {
                        continue;
                    }
                    if most.is_some_and(|most| sets.len() > most as usize) {
                        ignored += 1;
                        continue;
                    }
                    shared += 1;
                    written += sets.len() as u64;
                    *keys.entry(sets.iter().copied().collect()).or_default() += 1;
                    let known = truth.entry(sets.iter().copied().collect()).or_insert_with(|| list.clone());
                    if list[0].position < known[0].position {
                        *known = list;
                    }
                }
                distinct.take(BucketLists::of(&emitted, most, |_| 0, |_, _| ()), limits::MOST).unwrap();
            }
            let (lists, found) = distinct.finish();
            prop_assert_eq!([found.shared, found.written, found.ignored], [shared, written, ignored]);
            for list in lists.ids() {
                let sets: Vec<u32> = lists.entries[lists.range(list)].iter().map(|entry| entry.set.0).collect();
                prop_assert_eq!(lists.keys[list.index()], keys[&sets]);
            }
            let mut found: Vec<&[Entry]> =
                lists.ids().map(|list| &lists.entries[lists.range(list)]).collect();
            found.sort_by_key(|list| list.iter().map(|entry| entry.set).collect::<Vec<_>>());
            let truth: Vec<&[Entry]> = truth.values().map(Vec::as_slice).collect();
            prop_assert_eq!(found, truth);
        }
    }
}
