//! Inverted index: for each set the keys that it is looked up under and found under, for each key
//! its entry list.
//!
//! For resemblance and cosine both are the keys of its prefix ([`mod@crate::prefix`]). Containment
//! has a direction: a set is looked up under its prefix, and found under any of its elements that
//! some set is looked up under. All data lies in flat arrays: no hash table, no allocation for each
//! list.

use super::entry::{Entry, Key, UNKNOWN};
use super::key_buckets::{AllKeys, SETS_PER_TASK, emit, for_each_bucket};
use super::posting_lists::{BucketLists, DistinctLists, KeyCounts, PostingLists, retain_partners};
use super::prefix_keys::{PrefixKeys, element_order, prefix_keys};
use crate::bitmap_join::{BitmapJoin, MOST_PAIRS, Plan, Prefixes};
use crate::progress::stop_if_cancelled;
use crate::source::SetSource;
use crate::{CandidateSearch, Criterion, JoinError, ListId, Progress, SetId, SpillBudget, limits};
use lookalike_spill::{Checkpoint, Decoder, Encoder};
use rayon::prelude::*;
use std::io::{self, Read, Write};
use std::ops::Range;

/// A key of a set, by its posting list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListKey {
    /// The posting list.
    pub list: ListId,
    /// The key's position in the prefix of the set.
    pub position: u32,
}

/// The inverted index. SetKeys of a single set are left out, and of keys with equal entry lists all
/// but the first.
#[derive(Debug, Default)]
pub struct InvertedIndex {
    lists: PostingLists,
    /// Size of the smallest set in each list.
    least_sizes: Vec<u32>,
    /// The keys that each set is looked up under.
    probes: SetKeys,
    /// Those that it is found under; `None` if they are the same.
    posts: Option<SetKeys>,
    /// Whether keys are those of extended prefixes.
    extended: bool,
    shared: u64,
    written: u64,
    ignored: u64,
}

/// Entries or lists between two polls for cancellation.
const POLLED: usize = 1 << 14;

/// SetKeys by set.
#[derive(Debug, Default)]
struct SetKeys {
    starts: Vec<u32>,
    keys: Vec<ListKey>,
}

impl SetKeys {
    fn of(&self, set: SetId) -> &[ListKey] {
        let set = set.index();
        &self.keys[self.starts[set] as usize..self.starts[set + 1] as usize]
    }

    /// The keys of each set, by position.
    fn of_lists(
        sets: u32,
        lists: &PostingLists,
        progress: &dyn Progress,
    ) -> Result<Self, JoinError> {
        let mut starts = vec![0u32; sets as usize + 1];
        for entries in lists.entries.chunks(POLLED) {
            stop_if_cancelled(progress)?;
            for entry in entries {
                starts[entry.set.index() + 1] += 1;
            }
        }
        for set in 0..sets as usize {
            starts[set + 1] += starts[set];
        }
        let mut next = starts.clone();
        let mut keys = vec![ListKey { list: ListId(0), position: 0 }; lists.entries.len()];
        let mut polled_at = 0;
        for list in lists.ids() {
            let range = lists.range(list);
            if range.start >= polled_at {
                stop_if_cancelled(progress)?;
                polled_at = range.start + POLLED;
            }
            for entry in &lists.entries[range] {
                let next = &mut next[entry.set.index()];
                keys[*next as usize] = ListKey { list, position: entry.position };
                *next += 1;
            }
        }
        drop(next);
        // So far by value. By position, the first key that two sets share bounds what they share.
        let mut rest = keys.as_mut_slice();
        let mut tasks = Vec::new();
        for starts in starts.windows(2).collect::<Vec<_>>().chunks(SETS_PER_TASK as usize) {
            let (first, last) = (starts[0][0], starts[starts.len() - 1][1]);
            let (keys, after) = std::mem::take(&mut rest).split_at_mut((last - first) as usize);
            tasks.push((starts.to_vec(), keys));
            rest = after;
        }
        tasks.into_par_iter().try_for_each(|(starts, mut keys)| {
            stop_if_cancelled(progress)?;
            for bounds in starts {
                let (own, after) =
                    std::mem::take(&mut keys).split_at_mut((bounds[1] - bounds[0]) as usize);
                own.sort_unstable_by_key(|key| key.position);
                keys = after;
            }
            Ok::<_, JoinError>(())
        })?;
        Ok(Self { starts, keys })
    }
}

impl InvertedIndex {
    /// Index for the candidates of all sets of `least_size` or more elements: over their prefixes,
    /// over the pairs that a bitmap join leaves (`search`), or over all pairs of few large sets. Keys beyond the budget are spilled.
    ///
    /// # Errors
    /// Sets that cannot be read; more keys than 32 bits can number; a spill file that cannot be
    /// written; a cancellation, which is polled for on all threads.
    pub fn new(
        sets: &impl SetSource,
        criterion: Criterion,
        least_size: u32,
        search: CandidateSearch,
        budget: &SpillBudget,
        progress: &dyn Progress,
    ) -> Result<Self, JoinError> {
        if search == CandidateSearch::Cheapest
            && let Some(pairs) = pairs_of_few_large(sets, criterion, least_size)
        {
            sets.release_scanned();
            return Self::of_pairs(sets, &pairs, progress);
        }
        let scan = sets.scan();
        let (order, sampled) = element_order(sets, &scan, progress)?;
        let by_bitmaps = match search {
            CandidateSearch::Bitmaps => true,
            CandidateSearch::Cheapest => order.is_small_vocabulary(),
            CandidateSearch::Prefixes => false,
        };
        if by_bitmaps && let Some(plan) = Plan::new(sets, criterion, least_size) {
            let prefixes = Prefixes { order: &order, sampled };
            let join = BitmapJoin::new(sets, plan, criterion, &prefixes, progress)?;
            let is_wanted = search == CandidateSearch::Bitmaps || join.is_cheaper(MOST_PAIRS);
            if is_wanted && let Some(pairs) = join.pairs(MOST_PAIRS, progress)? {
                sets.release_scanned();
                return Self::of_pairs(sets, &pairs, progress);
            }
        }
        let PrefixKeys { probes, posts, extended } =
            prefix_keys(sets, &scan, &order, criterion, least_size, budget, progress)?;
        drop(scan);
        sets.release_scanned();
        let retain = |sizes: &[u32], list: &mut Vec<_>| {
            retain_partners(criterion, extended, sizes, list);
        };
        let mut index = match posts {
            None => Self::build(sets.len(), probes, None, progress, |set| sets.size(set), retain)?,
            Some(posts) => Self::build_both(sets.len(), probes, posts, progress)?,
        };
        index.extended = extended;
        let mut least_sizes = vec![0; index.lists() as usize];
        let blocks = least_sizes.par_chunks_mut(POLLED).enumerate();
        blocks.try_for_each(|(block, least_sizes)| {
            stop_if_cancelled(progress)?;
            for (list, least) in ((block * POLLED) as u32..).map(ListId).zip(least_sizes) {
                let entries = &index.lists.entries[index.lists.range(list)];
                *least = entries.iter().map(|entry| sets.size(entry.set)).min().unwrap_or(0);
            }
            Ok::<_, JoinError>(())
        })?;
        index.least_sizes = least_sizes;
        Ok(index)
    }

    /// Index with a list for each pair (later, earlier) of sets, which are in order. Nothing is
    /// known of the positions of what they share.
    fn of_pairs(
        sets: &impl SetSource,
        pairs: &[(SetId, SetId)],
        progress: &dyn Progress,
    ) -> Result<Self, JoinError> {
        let mut lists = PostingLists::default();
        for &(later, earlier) in pairs {
            lists.push([earlier, later].into_iter().map(|set| Entry { set, position: UNKNOWN }));
        }
        let probes = SetKeys::of_lists(sets.len(), &lists, progress)?;
        let least = |&(a, b): &(SetId, SetId)| sets.size(a).min(sets.size(b));
        let (shared, written) = (u64::from(lists.len()), lists.entries.len() as u64);
        let least_sizes = pairs.iter().map(least).collect();
        Ok(Self { lists, least_sizes, probes, shared, written, ..Self::default() })
    }

    /// Index over other keys: `each` emits the distinct keys of a set. Keys of more than `limit`
    /// sets are left out and counted.
    ///
    /// # Errors
    /// More keys than 32 bits can number; a spill file that cannot be written; a cancellation.
    pub fn of_keys(
        sets: u32,
        limit: Option<u32>,
        budget: &SpillBudget,
        progress: &dyn Progress,
        each: impl Fn(SetId, &mut dyn FnMut(&u64)) + Sync + Send,
    ) -> Result<Self, JoinError> {
        let emitted = emit(sets, budget, progress, |set, out| {
            each(set, &mut |&value| out.push(value, Entry { set, position: UNKNOWN }));
        })?;
        let mut index = Self::build(sets, emitted, limit, progress, |_| 0, |_, _| ())?;
        index.least_sizes = vec![0; index.lists() as usize];
        Ok(index)
    }

    /// Numbers the lists, bucket by bucket. `retain` is given what `size` returns for the sets of a
    /// list, and removes the entries that the list does not need.
    fn build(
        sets: u32,
        keys: AllKeys,
        most: Option<u32>,
        progress: &dyn Progress,
        size: impl Fn(SetId) -> u32 + Sync,
        retain: impl Fn(&[u32], &mut Vec<Entry>) + Sync,
    ) -> Result<Self, JoinError> {
        let mut distinct = DistinctLists::default();
        for_each_bucket(
            [keys],
            progress,
            |[bucket]| BucketLists::of(&bucket, most, &size, &retain),
            |sorted| distinct.take(sorted, limits::MOST),
        )?;
        let (lists, KeyCounts { shared, written, ignored }) = distinct.finish();
        let probes = SetKeys::of_lists(sets, &lists, progress)?;
        Ok(Self { lists, probes, shared, written, ignored, ..Self::default() })
    }

    /// As [`Self::build`], where sets are found under other keys than they are looked up under.
    fn build_both(
        sets: u32,
        probes: AllKeys,
        posts: AllKeys,
        progress: &dyn Progress,
    ) -> Result<Self, JoinError> {
        let mut lists = PostingLists::default();
        let entry = |&(_, entry): &Key| entry;
        // Both sides in step: the lists of what is posted, and for each list the sets that probe
        // it.
        let mut probing = PostingLists::default();
        for_each_bucket(
            [probes, posts],
            progress,
            |sides| sides,
            |[probes, posts]| {
                for (known, more) in [(&lists, &posts), (&probing, &probes)] {
                    limits::entries((known.entries.len() + more.len()) as u64, limits::MOST)?;
                }
                let mut rest = posts.as_slice();
                for list in probes.chunk_by(|a, b| a.0 == b.0) {
                    let value = list[0].0;
                    rest = &rest[rest.partition_point(|post| post.0 < value)..];
                    let found = &rest[..rest.partition_point(|post| post.0 == value)];
                    rest = &rest[found.len()..];
                    // A set that probes a value also posts it: a single entry is its own.
                    if found.len() > 1 {
                        lists.push(found.iter().map(entry));
                        probing.push(list.iter().map(entry));
                    }
                }
                Ok(())
            },
        )?;
        let probes = SetKeys::of_lists(sets, &probing, progress)?;
        let posts = SetKeys::of_lists(sets, &lists, progress)?;
        let shared = u64::from(lists.len());
        let written = (lists.entries.len() + probing.entries.len()) as u64;
        Ok(Self { lists, probes, posts: Some(posts), shared, written, ..Self::default() })
    }

    /// Number of posting lists.
    #[must_use]
    pub fn lists(&self) -> u32 {
        self.lists.len()
    }

    /// Number of keys of two or more sets.
    #[must_use]
    pub fn shared(&self) -> u64 {
        self.shared
    }

    /// Whether no two sets share a key.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lists.entries.is_empty()
    }

    /// How often sets have such a key.
    #[must_use]
    pub fn written(&self) -> u64 {
        self.written
    }

    /// The keys that a set is looked up under, by position.
    #[must_use]
    pub fn probes(&self, set: SetId) -> &[ListKey] {
        self.probes.of(set)
    }

    /// The keys that a set is found under, by position.
    #[must_use]
    pub fn posts(&self, set: SetId) -> &[ListKey] {
        self.posts.as_ref().unwrap_or(&self.probes).of(set)
    }

    /// The position at which the set of an entry is looked up under the key of this list, if it is.
    #[must_use]
    pub fn probe_position(&self, entry: Entry, list: ListId) -> Option<u32> {
        match self.posts {
            None => Some(entry.position),
            Some(_) => self.probes(entry.set).iter().find(|k| k.list == list).map(|k| k.position),
        }
    }

    /// Whether a set has keys. Sets without keys match no other set.
    #[must_use]
    pub fn has_keys(&self, set: SetId) -> bool {
        !self.probes(set).is_empty() || !self.posts(set).is_empty()
    }

    /// The range of a list in [`InvertedIndex::entries`].
    #[must_use]
    pub fn range(&self, list: ListId) -> Range<usize> {
        self.lists.range(list)
    }

    /// The entries of all lists, those of a list by set.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.lists.entries
    }

    /// Number of keys that were left out because too many sets have them.
    #[must_use]
    pub fn ignored(&self) -> u64 {
        self.ignored
    }

    /// Number of keys that the sets of a list have in common.
    #[must_use]
    pub fn keys_of_list(&self, list: ListId) -> u32 {
        self.lists.keys[list.index()]
    }

    /// Whether keys are those of extended prefixes, of which matching sets share several
    /// ([`Criterion::least_in_extended_prefix`]).
    #[must_use]
    pub fn is_extended(&self) -> bool {
        self.extended
    }

    /// Size of the smallest set in a list.
    #[must_use]
    pub fn least_size(&self, list: ListId) -> u32 {
        self.least_sizes[list.index()]
    }
}

/// Most sets of which all pairs are intersected: an index of their elements takes as long.
const FEW: usize = 16;

/// Fewest elements of a set, on average: an index of fewer takes no time that could be saved.
const LARGE: u64 = 1 << 16;

/// The pairs (later, earlier) of all sets of similar sizes, in order, if the sets are few and large
/// ([`FEW`], [`LARGE`]).
fn pairs_of_few_large(
    sets: &impl SetSource,
    criterion: Criterion,
    least_size: u32,
) -> Option<Vec<(SetId, SetId)>> {
    let ids = (0..sets.len()).map(SetId);
    let few: Vec<SetId> =
        ids.filter(|&set| sets.size(set) >= least_size.max(1)).take(FEW + 1).collect();
    let elements: u64 = few.iter().map(|&set| u64::from(sets.size(set))).sum();
    let is_few = few.len() <= FEW && elements >= LARGE * few.len() as u64;
    if !is_few || !criterion.measure.is_symmetric() {
        return None;
    }
    let pairs = few.iter().enumerate().flat_map(|(at, &later)| {
        let (smallest, largest) = criterion.size_bounds(sets.size(later));
        let earlier = few[..at].iter().copied();
        let similar = earlier.filter(move |&set| (smallest..=largest).contains(&sets.size(set)));
        similar.map(move |earlier| (later, earlier))
    });
    Some(pairs.collect())
}

impl Checkpoint for InvertedIndex {
    const NAME: &'static str = "postings";

    fn write(&self, out: &mut Encoder<&mut dyn Write>) -> io::Result<()> {
        let mut counts = vec![self.shared, self.written, self.ignored];
        if self.extended {
            counts.extend(self.lists.keys.iter().map(|&keys| u64::from(keys)));
        }
        out.array(&counts)?;
        out.array(&self.least_sizes)?;
        out.array(&self.lists.starts)?;
        out.array(&self.lists.entries.iter().map(|entry| entry.set).collect::<Vec<_>>())?;
        out.array(&self.lists.entries.iter().map(|entry| entry.position).collect::<Vec<_>>())?;
        for keys in std::iter::once(&self.probes).chain(&self.posts) {
            out.array(&keys.starts)?;
            out.array(&keys.keys.iter().map(|key| key.list).collect::<Vec<_>>())?;
            out.array(&keys.keys.iter().map(|key| key.position).collect::<Vec<_>>())?;
        }
        // An empty array ends the keys: there are one or two sides.
        out.array::<u32>(&[])
    }

    fn read(from: &mut Decoder<&mut dyn Read>, most: u64) -> io::Result<Self> {
        let counts = from.array::<u64>(most)?;
        let count = |at: usize| counts.get(at).copied().unwrap_or_default();
        let (shared, written, ignored) = (count(0), count(1), count(2));
        let least_sizes = from.array(most)?;
        let starts: Vec<u32> = from.array(most)?;
        // Numbers of keys are written for extended prefixes only: no others are read.
        let lists = starts.len().saturating_sub(1);
        let extended = counts.len() > 3;
        let keys_of = |list: usize| counts.get(3 + list).map_or(1, |&keys| keys as u32);
        let list_keys = (0..lists).map(keys_of).collect();
        let (sets, positions) = (from.array::<SetId>(most)?, from.array::<u32>(most)?);
        let entry = |(set, position)| Entry { set, position };
        let entries = sets.into_iter().zip(positions).map(entry).collect();
        let mut keys = || -> io::Result<Option<SetKeys>> {
            let starts = from.array::<u32>(most)?;
            if starts.is_empty() {
                return Ok(None);
            }
            let (lists, positions) = (from.array::<ListId>(most)?, from.array::<u32>(most)?);
            let key = |(list, position)| ListKey { list, position };
            Ok(Some(SetKeys { starts, keys: lists.into_iter().zip(positions).map(key).collect() }))
        };
        let probes = keys()?.unwrap_or_default();
        let posts = keys()?;
        let lists = PostingLists { starts, entries, keys: list_keys };
        Ok(Self { lists, least_sizes, probes, posts, extended, shared, written, ignored })
    }
}
