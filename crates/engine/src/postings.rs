//! Units in; for every unit the keys it looks under and the keys it is found under out.
//!
//! For resemblance and cosine a unit *posts* and *probes* the same keys: the rarest-first prefix of
//! its set. Containment is directional: a unit probes its prefix, and is found under any of its
//! elements that somebody probes. Everything lies in flat arrays: no hash table, no list per key.

use crate::{Collection, EngineError, MatchSettings, Units};
use lookalike_core::RarityTable;
use lookalike_core::prefix::{PrefixScratch, prefix};
use rayon::prelude::*;

/// A unit found under a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Posting {
    /// The unit.
    pub unit: u32,
    /// The key's place in the unit's rarest-first order; [`ANYWHERE`] where it is not known.
    pub position: u32,
}

/// A position that says nothing.
pub const ANYWHERE: u32 = 0;

/// A key that a unit looks under, or is posted under.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// Number of the key's group.
    pub group: u32,
    /// The key's place in the unit's order.
    pub position: u32,
}

/// Keys of all units and the groups they form. Keys that only one unit has are gone.
#[derive(Debug, Default)]
pub struct Postings {
    group_starts: Vec<u32>,
    entries: Vec<Posting>,
    probes: Keys,
    /// `None` where units post what they probe.
    posts: Option<Keys>,
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

    /// Groups (unit, key) tuples by unit, in one counting pass; each unit's keys rarest first.
    fn by_unit(units: u32, tuples: &[(u32, Key)]) -> Self {
        let mut starts = vec![0u32; units as usize + 1];
        for (unit, _) in tuples {
            starts[*unit as usize + 1] += 1;
        }
        for unit in 0..units as usize {
            starts[unit + 1] += starts[unit];
        }
        let mut next = starts.clone();
        let mut keys = vec![Key { group: 0, position: 0 }; tuples.len()];
        for &(unit, key) in tuples {
            keys[next[unit as usize] as usize] = key;
            next[unit as usize] += 1;
        }
        // The tuples come by value; the first key that two units share is the one that bounds them.
        for unit in 0..units as usize {
            keys[starts[unit] as usize..starts[unit + 1] as usize]
                .sort_unstable_by_key(|key| key.position);
        }
        Self { starts, keys }
    }
}

/// A key before the groups are numbered: sorted by value, then unit.
type Emitted = (u64, Posting);

impl Postings {
    /// Counts rarity, chooses prefixes, sorts the keys.
    ///
    /// # Errors
    /// More keys than 32 bits can number.
    pub fn build(
        collection: &Collection,
        units: &Units,
        settings: &MatchSettings,
        threads: usize,
    ) -> Result<Self, EngineError> {
        let rarity = rarity(collection, units, threads);
        let mut probes = emit(units, |unit, out, scratch: &mut PrefixScratch| {
            let set = units.set(collection, unit);
            prefix(set, &rarity, settings.measure, settings.threshold, scratch, |element| {
                out.push((element.value, Posting { unit, position: element.position }));
            });
        });
        probes.par_sort_unstable();
        let posts = (!settings.measure.is_symmetric()).then(|| {
            let probed = KeyFilter::new(&probes);
            let mut posts = emit(units, |unit, out, _: &mut ()| {
                let set = units.set(collection, unit);
                out.extend(
                    set.iter()
                        .filter(|&&value| rarity.get(value) > 1 && probed.may_hold(value))
                        .map(|&value| (value, Posting { unit, position: ANYWHERE })),
                );
            });
            posts.par_sort_unstable();
            posts
        });
        drop(rarity);
        let limit = u64::from(u32::MAX);
        let entries = probes.len().max(posts.as_ref().map_or(0, Vec::len)) as u64;
        if entries > limit {
            return Err(EngineError::TooManyPostings { entries, limit });
        }
        Ok(match posts {
            None => Self::symmetric(units.len(), &probes),
            Some(posts) => Self::directional(units.len(), &probes, &posts),
        })
    }

    fn symmetric(units: u32, keys: &[Emitted]) -> Self {
        let mut postings = Self { group_starts: vec![0], ..Self::default() };
        let mut by_unit = Vec::new();
        for group in keys.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1) {
            let number = postings.group_starts.len() as u32 - 1;
            for &(_, posting) in group {
                postings.entries.push(posting);
                by_unit.push((posting.unit, Key { group: number, position: posting.position }));
            }
            postings.group_starts.push(postings.entries.len() as u32);
        }
        postings.probes = Keys::by_unit(units, &by_unit);
        postings
    }

    fn directional(units: u32, probes: &[Emitted], posts: &[Emitted]) -> Self {
        let mut postings = Self { group_starts: vec![0], ..Self::default() };
        let (mut probing, mut posted) = (Vec::new(), Vec::new());
        let mut rest = posts;
        for group in probes.chunk_by(|a, b| a.0 == b.0) {
            let value = group[0].0;
            rest = &rest[rest.partition_point(|post| post.0 < value)..];
            let found = &rest[..rest.partition_point(|post| post.0 == value)];
            rest = &rest[found.len()..];
            // A unit that probes a value also has it: a lone entry is its own.
            if found.len() < 2 {
                continue;
            }
            let number = postings.group_starts.len() as u32 - 1;
            for &(_, Posting { unit, position }) in group {
                probing.push((unit, Key { group: number, position }));
            }
            for &(_, posting) in found {
                postings.entries.push(posting);
                posted.push((posting.unit, Key { group: number, position: posting.position }));
            }
            postings.group_starts.push(postings.entries.len() as u32);
        }
        postings.probes = Keys::by_unit(units, &probing);
        postings.posts = Some(Keys::by_unit(units, &posted));
        postings
    }

    /// Number of groups.
    #[must_use]
    pub fn groups(&self) -> u32 {
        self.group_starts.len() as u32 - 1
    }

    /// Number of entries in all groups.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no two units share a key.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
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
    pub fn range(&self, group: u32) -> std::ops::Range<usize> {
        let group = group as usize;
        self.group_starts[group] as usize..self.group_starts[group + 1] as usize
    }

    /// The entries of all groups; within a group in the order of the units.
    #[must_use]
    pub fn entries(&self) -> &[Posting] {
        &self.entries
    }
}

/// Bits of the key filter for each probed key.
const FILTER_BITS: usize = 16;

/// Says of almost every value that nobody probes that nobody does.
struct KeyFilter {
    bits: Vec<u64>,
    mask: u64,
}

impl KeyFilter {
    fn new(probes: &[Emitted]) -> Self {
        let bits = (probes.len() * FILTER_BITS).next_power_of_two().max(64);
        let mut filter = Self { bits: vec![0; bits / 64], mask: bits as u64 - 1 };
        for &(value, _) in probes {
            let bit = value & filter.mask;
            filter.bits[(bit / 64) as usize] |= 1 << (bit % 64);
        }
        filter
    }

    fn may_hold(&self, value: u64) -> bool {
        let bit = value & self.mask;
        self.bits[(bit / 64) as usize] >> (bit % 64) & 1 == 1
    }
}

fn rarity(collection: &Collection, units: &Units, threads: usize) -> RarityTable {
    let elements = (0..units.len()).map(|unit| u64::from(units.size(unit))).sum();
    let mut table = RarityTable::for_values(elements);
    table.count((0..units.len()).map(|unit| units.set(collection, unit)), threads);
    table
}

/// Units handled by one task.
const UNITS_PER_TASK: u32 = 2048;

/// Collects what `each` emits for every unit, in the order of the units.
fn emit<S: Default + Send>(
    units: &Units,
    each: impl Fn(u32, &mut Vec<Emitted>, &mut S) + Sync,
) -> Vec<Emitted> {
    let tasks = units.len().div_ceil(UNITS_PER_TASK);
    let parts: Vec<Vec<Emitted>> = (0..tasks)
        .into_par_iter()
        .map_init(S::default, |scratch, task| {
            let mut out = Vec::new();
            let until = units.len().min((task + 1) * UNITS_PER_TASK);
            for unit in task * UNITS_PER_TASK..until {
                each(unit, &mut out, scratch);
            }
            out
        })
        .collect();
    let mut all = Vec::with_capacity(parts.iter().map(Vec::len).sum());
    parts.into_iter().for_each(|part| all.extend(part));
    all
}
