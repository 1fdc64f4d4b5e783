//! Units in; for every unit the keys it looks under and the keys it is found under out.
//!
//! For resemblance and cosine a unit *posts* and *probes* the same keys: the prefix of its set
//! ([`lookalike_join::prefix`]). Containment is directional: a unit probes its prefix, and is found under
//! any of its elements that somebody probes. Keys that only one unit has are known before any is written
//! down, but for a few. Everything lies in flat arrays: no hash table, no list per key.

use crate::buckets::{AllKeys, Emitted, Room, UNITS_PER_TASK, emit, for_each_bucket};
use crate::groups::{Counts, DistinctGroups, Groups, Sorted, leave_mates};
use crate::near_words::NearWords;
use crate::prefixes::prefix_keys;
use crate::{Collection, EngineError, MatchSettings, SketchJudge, Units, limits};
use lookalike_methods::{CandidateSource, Method};
use lookalike_spill::{Checkpoint, Decoder, Encoder};
use rayon::prelude::*;
use std::io::{self, Read, Write};
use std::ops::Range;

/// A unit found under a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Posting {
    /// The unit.
    pub unit: u32,
    /// The key's place in the unit's prefix; [`ANYWHERE`] where it is not known.
    pub position: u32,
}

/// A position that says nothing.
pub const ANYWHERE: u32 = 0;

/// A key that a unit looks under, or is posted under.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// Number of the key's group.
    pub group: u32,
    /// The key's place in the unit's prefix.
    pub position: u32,
}

/// Keys of all units and the groups they form. Keys that only one unit has are gone, and of those that
/// the same units have the first is left.
#[derive(Debug, Default)]
pub struct Postings {
    groups: Groups,
    /// Size of the smallest set in each group.
    least_sizes: Vec<u32>,
    probes: Keys,
    /// `None` where units post what they probe.
    posts: Option<Keys>,
    shared: u64,
    written: u64,
    ignored: u64,
}

/// Keys by unit.
#[derive(Debug, Default)]
struct Keys {
    starts: Vec<u32>,
    keys: Vec<Key>,
}

impl Keys {
    fn of(&self, unit: u32) -> &[Key] {
        let unit = unit as usize;
        &self.keys[self.starts[unit] as usize..self.starts[unit + 1] as usize]
    }

    /// Turns groups of units into the keys of each unit, in the order of their places.
    fn of_groups(units: u32, groups: &Groups) -> Self {
        let mut starts = vec![0u32; units as usize + 1];
        for entry in &groups.entries {
            starts[entry.unit as usize + 1] += 1;
        }
        for unit in 0..units as usize {
            starts[unit + 1] += starts[unit];
        }
        let mut next = starts.clone();
        let mut keys = vec![Key { group: 0, position: 0 }; groups.entries.len()];
        for group in 0..groups.len() {
            for entry in &groups.entries[groups.range(group)] {
                let next = &mut next[entry.unit as usize];
                keys[*next as usize] = Key { group, position: entry.position };
                *next += 1;
            }
        }
        drop(next);
        // They stand in the order of their values; the first one that two units share bounds them.
        let mut rest = keys.as_mut_slice();
        let mut tasks = Vec::new();
        for starts in starts.windows(2).collect::<Vec<_>>().chunks(UNITS_PER_TASK as usize) {
            let (first, last) = (starts[0][0], starts[starts.len() - 1][1]);
            let (keys, after) = std::mem::take(&mut rest).split_at_mut((last - first) as usize);
            tasks.push((starts.to_vec(), keys));
            rest = after;
        }
        tasks.into_par_iter().for_each(|(starts, mut keys)| {
            for bounds in starts {
                let (own, after) =
                    std::mem::take(&mut keys).split_at_mut((bounds[1] - bounds[0]) as usize);
                own.sort_unstable_by_key(|key| key.position);
                keys = after;
            }
        });
        Self { starts, keys }
    }
}

impl Postings {
    /// Counts elements, chooses prefixes, sorts the keys; with more than `memory` bytes of keys, or of
    /// elements to count, in a temporary file and in several passes. Where chunks are on disk, all of them
    /// leave memory before the keys are sorted: of their sets only those that have keys will be asked for.
    ///
    /// # Errors
    /// More keys than 32 bits can number; a temporary file that cannot be written.
    pub fn build(
        collection: &Collection,
        units: &Units,
        settings: &MatchSettings,
        memory: u64,
    ) -> Result<Self, EngineError> {
        let (probes, posts) = prefix_keys(collection, units, settings, memory)?;
        collection.release_scanned();
        let leave = |sizes: &[u32], group: &mut Vec<_>| leave_mates(settings, sizes, group);
        let mut postings = match posts {
            None => Self::group(units.len(), probes, None, |unit| units.size(unit), leave)?,
            Some(posts) => Self::group_both(units.len(), probes, posts)?,
        };
        let groups = &postings.groups;
        let least = |group: u32| {
            let sizes = groups.entries[groups.range(group)].iter().map(|p| units.size(p.unit));
            sizes.min().unwrap_or(0)
        };
        postings.least_sizes = (0..postings.groups()).into_par_iter().map(least).collect();
        Ok(postings)
    }

    /// Postings of units by the keys of their signatures. Keys of more than `limit` units are left
    /// out.
    ///
    /// # Errors
    /// More keys than 32 bits can number.
    pub fn of_signatures(
        collection: &Collection,
        units: &Units,
        method: &dyn Method,
        limit: Option<u32>,
        memory: u64,
    ) -> Result<Self, EngineError> {
        let room = Room { bytes: memory, folder: collection.scratch_folder() };
        let keys = |unit: u32| {
            let place = units.place(unit);
            collection.signatures(place.block).keys(place.index)
        };
        match method.candidates() {
            CandidateSource::Keys => Self::of_keys(units.len(), limit, &room, |unit, emit| {
                keys(unit).iter().for_each(emit)
            }),
            CandidateSource::Hamming { distance, search } => {
                let words: Vec<Option<u64>> = (0..units.len())
                    .map(|unit| SketchJudge::sketch(collection, units, unit).words.first().copied())
                    .collect();
                let near = NearWords::new(&words, distance, search, limits::MOST)?;
                Self::of_keys(units.len(), limit, &room, |unit, emit| {
                    near.keys(words[unit as usize], |key| emit(&key));
                })
            }
        }
    }

    /// Postings of units that are found under the keys that `each` gives for them, distinct ones.
    pub(crate) fn of_keys(
        units: u32,
        limit: Option<u32>,
        room: &Room,
        each: impl Fn(u32, &mut dyn FnMut(&u64)) + Sync + Send,
    ) -> Result<Self, EngineError> {
        let emitted = emit(units, room, |unit, out| {
            each(unit, &mut |&value| out.push(value, Posting { unit, position: ANYWHERE }));
        })?;
        let mut postings = Self::group(units, emitted, limit, |_| 0, |_, _| ())?;
        postings.least_sizes = vec![0; postings.groups() as usize];
        Ok(postings)
    }

    /// Numbers the groups, bucket by bucket; each bucket is sorted and gone before the next. `leave` is given what `size`
    /// says of the units of a group, and takes out who need not be in it.
    fn group(
        units: u32,
        keys: AllKeys,
        most_units: Option<u32>,
        size: impl Fn(u32) -> u32 + Sync,
        leave: impl Fn(&[u32], &mut Vec<Posting>) + Sync,
    ) -> Result<Self, EngineError> {
        let mut distinct = DistinctGroups::default();
        for_each_bucket(
            [keys],
            |[bucket]| Sorted::of(&bucket, most_units, &size, &leave),
            |sorted| distinct.take(sorted, limits::MOST),
        )?;
        let (groups, Counts { shared, written, ignored }) = distinct.finish();
        let probes = Keys::of_groups(units, &groups);
        Ok(Self { groups, probes, shared, written, ignored, ..Self::default() })
    }

    /// The same where units are found under other keys than they look under.
    fn group_both(units: u32, probes: AllKeys, posts: AllKeys) -> Result<Self, EngineError> {
        let mut groups = Groups::default();
        let posting = |&(_, posting): &Emitted| posting;
        // Both sides in step: the groups of what is posted, and for each who probes it.
        let mut probing = Groups::default();
        for_each_bucket(
            [probes, posts],
            |sides| sides,
            |[probes, posts]| {
                for (known, more) in [(&groups, &posts), (&probing, &probes)] {
                    limits::postings((known.entries.len() + more.len()) as u64, limits::MOST)?;
                }
                let mut rest = posts.as_slice();
                for group in probes.chunk_by(|a, b| a.0 == b.0) {
                    let value = group[0].0;
                    rest = &rest[rest.partition_point(|post| post.0 < value)..];
                    let found = &rest[..rest.partition_point(|post| post.0 == value)];
                    rest = &rest[found.len()..];
                    // A unit that probes a value also has it: a lone entry is its own.
                    if found.len() > 1 {
                        groups.push(found.iter().map(posting));
                        probing.push(group.iter().map(posting));
                    }
                }
                Ok(())
            },
        )?;
        let (probes, posts) = (Keys::of_groups(units, &probing), Keys::of_groups(units, &groups));
        let shared = u64::from(groups.len());
        let written = (groups.entries.len() + probing.entries.len()) as u64;
        Ok(Self { groups, probes, posts: Some(posts), shared, written, ..Self::default() })
    }

    /// Number of groups.
    #[must_use]
    pub fn groups(&self) -> u32 {
        self.groups.len()
    }

    /// Number of keys that two or more units have.
    #[must_use]
    pub fn shared(&self) -> u64 {
        self.shared
    }

    /// Whether no two units share a key.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.groups.entries.is_empty()
    }

    /// How often units have such a key: what was written down of them.
    #[must_use]
    pub fn written(&self) -> u64 {
        self.written
    }

    /// The keys that a unit looks under.
    #[must_use]
    pub fn probes(&self, unit: u32) -> &[Key] {
        self.probes.of(unit)
    }

    /// The keys that a unit is found under.
    #[must_use]
    pub fn posts(&self, unit: u32) -> &[Key] {
        self.posts.as_ref().unwrap_or(&self.probes).of(unit)
    }

    /// The place in its own order of the key under which a unit was found, if it probes that key.
    #[must_use]
    pub fn probe_position(&self, entry: Posting, group: u32) -> Option<u32> {
        match self.posts {
            None => Some(entry.position),
            Some(_) => {
                self.probes(entry.unit).iter().find(|k| k.group == group).map(|k| k.position)
            }
        }
    }

    /// Whether the unit can take part in any match.
    #[must_use]
    pub fn takes_part(&self, unit: u32) -> bool {
        !self.probes(unit).is_empty() || !self.posts(unit).is_empty()
    }

    /// Where a group's entries lie in [`Postings::entries`].
    #[must_use]
    pub fn range(&self, group: u32) -> Range<usize> {
        self.groups.range(group)
    }

    /// The entries of all groups; within a group in the order of the units.
    #[must_use]
    pub fn entries(&self) -> &[Posting] {
        &self.groups.entries
    }

    /// Keys left out because too many units have them.
    #[must_use]
    pub fn ignored(&self) -> u64 {
        self.ignored
    }

    /// Size of the smallest set in a group.
    #[must_use]
    pub fn least_size(&self, group: u32) -> u32 {
        self.least_sizes[group as usize]
    }
}

impl Checkpoint for Postings {
    const NAME: &'static str = "postings";

    fn write(&self, out: &mut Encoder<&mut dyn Write>) -> io::Result<()> {
        out.array(&[self.shared, self.written, self.ignored])?;
        out.array(&self.least_sizes)?;
        out.array(&self.groups.starts)?;
        out.array(&self.groups.entries.iter().map(|entry| entry.unit).collect::<Vec<_>>())?;
        out.array(&self.groups.entries.iter().map(|entry| entry.position).collect::<Vec<_>>())?;
        for keys in std::iter::once(&self.probes).chain(&self.posts) {
            out.array(&keys.starts)?;
            out.array(&keys.keys.iter().map(|key| key.group).collect::<Vec<_>>())?;
            out.array(&keys.keys.iter().map(|key| key.position).collect::<Vec<_>>())?;
        }
        // Where nothing more is posted than probed, there is nothing more.
        out.array::<u32>(&[])
    }

    fn read(from: &mut Decoder<&mut dyn Read>, most: u64) -> io::Result<Self> {
        let counts = from.array::<u64>(most)?;
        let count = |at: usize| counts.get(at).copied().unwrap_or_default();
        let (shared, written, ignored) = (count(0), count(1), count(2));
        let least_sizes = from.array(most)?;
        let starts = from.array(most)?;
        let (units, positions) = (from.array::<u32>(most)?, from.array::<u32>(most)?);
        let entry = |(unit, position)| Posting { unit, position };
        let entries = units.into_iter().zip(positions).map(entry).collect();
        let mut keys = || -> io::Result<Option<Keys>> {
            let starts = from.array::<u32>(most)?;
            if starts.is_empty() {
                return Ok(None);
            }
            let (groups, positions) = (from.array::<u32>(most)?, from.array::<u32>(most)?);
            let key = |(group, position)| Key { group, position };
            Ok(Some(Keys { starts, keys: groups.into_iter().zip(positions).map(key).collect() }))
        };
        let probes = keys()?.unwrap_or_default();
        let posts = keys()?;
        let groups = Groups { starts, entries };
        Ok(Self { groups, least_sizes, probes, posts, shared, written, ignored })
    }
}
