//! The distinct feature sets of a collection, in order of precedence.
//!
//! Documents with the same set form *one* unit in all later steps: identical, lexically equivalent
//! and shingle-equivalent documents (Broder 1997, "Identical documents") are grouped here and
//! separated again in the verdicts. Document frequencies are counted over units, so a million
//! copies do not make their shingles common.
//!
//! It is the *stored* sets that are sorted, by their digests, and not the documents: of a million
//! copies one set is stored.

use crate::block::{Block, HeldSets};
use crate::collection::{Collection, Document, DocumentId, SetRef};
use crate::poll::Poll;
use crate::try_sort::par_sort_cancellable;
use crate::{EngineError, Progress};
use lookalike_cluster::KeepRule;
use lookalike_core::{Halves, Measure, SetDigest, SpreadSort};
use lookalike_join::{ChunkId, JoinResult, SetId, SourceError};
use lookalike_spill::{Checkpoint, Decoder, Encoder};
use rayon::prelude::*;
use std::cmp::Ordering;
use std::io::{self, Read, Write};
use std::sync::Arc;

/// The distinct sets of a collection. Unit 0 takes precedence over all others.
#[derive(Debug, Default)]
pub struct Units {
    places: Vec<SetRef>,
    sizes: Vec<u32>,
    members: Vec<DocumentId>,
    member_starts: Vec<u32>,
    of_document: Vec<SetId>,
    protected: u32,
}

/// The unit of a document or a set without one.
pub(crate) const NO_UNIT: SetId = SetId(u32::MAX);

/// Number of a stored set, in the order of the chunks; equal sets have the number of the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
struct StoredSet(u32);

impl StoredSet {
    /// The set of a document without one.
    const NONE: Self = Self(u32::MAX);

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// A document that is none.
const NO_DOCUMENT: DocumentId = DocumentId(u32::MAX);

impl Units {
    /// Collapses the collection and puts the units in order.
    ///
    /// Order: units with a protected member first; then, for containment, larger sets first (a
    /// document is only ever contained in one at least as large); then the best member by `keep`,
    /// ties by name, then by place in the collection.
    ///
    /// # Errors
    /// Rows on disk that cannot be read, or a cancellation.
    pub fn new(
        collection: &Collection,
        keep: &[KeepRule],
        measure: Measure,
        progress: &dyn Progress,
    ) -> Result<Self, EngineError> {
        Self::of(collection, keep, measure, progress, |_| true)
    }

    /// The same, of some of the documents: the others have no unit.
    ///
    /// # Errors
    /// As [`Units::new`].
    pub fn of(
        collection: &Collection,
        keep: &[KeepRule],
        measure: Measure,
        progress: &dyn Progress,
        takes: impl Fn(DocumentId) -> bool + Sync,
    ) -> Result<Self, EngineError> {
        let poll = Poll::new(progress);
        let Sets { places, of_document } = Sets::of(collection, takes)?;
        poll.now()?;
        let compare = |a: DocumentId, b: DocumentId| document_order(collection, keep, a, b);
        // The best document with each set, where the set is the first of those that are equal.
        let mut best = vec![NO_DOCUMENT; places.len()];
        for (document, &set) in (0..).map(DocumentId).zip(&of_document) {
            if set != StoredSet::NONE {
                poll.step()?;
                let best = &mut best[set.index()];
                if *best == NO_DOCUMENT || compare(document, *best)? == Ordering::Less {
                    *best = document;
                }
            }
        }
        let size = |set: StoredSet| size_at(collection, places[set.index()]);
        let has_documents = |set: &StoredSet| best[set.index()] != NO_DOCUMENT;
        let sets = (0..places.len() as u32).map(StoredSet);
        let mut order: Vec<StoredSet> = sets.filter(has_documents).collect();
        par_sort_cancellable(&mut order, progress, |&a, &b| {
            let (x, y) = (best[a.index()], best[b.index()]);
            let protected = collection.is_protected(y).cmp(&collection.is_protected(x));
            let by_size = match measure {
                Measure::Containment => size(b).cmp(&size(a)),
                _ => Ordering::Equal,
            };
            match protected.then(by_size) {
                Ordering::Equal => compare(x, y),
                order => Ok(order),
            }
        })?;
        let protected = |set: &&StoredSet| collection.is_protected(best[set.index()]);
        let protected = order.iter().take_while(protected).count() as u32;
        drop(best);
        let mut unit_of_set = vec![NO_UNIT; places.len()];
        for (unit, &set) in (0..).map(SetId).zip(&order) {
            unit_of_set[set.index()] = unit;
        }
        // In place: a number of 32 bits replaces another one.
        let unit = |set: StoredSet| unit_of_set.get(set.index()).copied().unwrap_or(NO_UNIT);
        let of_document = of_document.into_iter().map(unit).collect();
        drop(unit_of_set);
        let mut units = Self {
            sizes: order.iter().map(|&set| size(set)).collect(),
            places: order.iter().map(|&set| places[set.index()]).collect(),
            members: Vec::new(),
            member_starts: Vec::new(),
            of_document,
            protected,
        };
        drop((places, order));
        units.gather(collection, keep, progress)?;
        Ok(units)
    }

    /// Lists the members of each unit in order of precedence.
    fn gather(
        &mut self,
        collection: &Collection,
        keep: &[KeepRule],
        progress: &dyn Progress,
    ) -> Result<(), EngineError> {
        let units = self.places.len();
        let mut starts = vec![0u32; units + 1];
        for &unit in self.of_document.iter().filter(|&&unit| unit != NO_UNIT) {
            starts[unit.index() + 1] += 1;
        }
        for unit in 0..units {
            starts[unit + 1] += starts[unit];
        }
        let mut members = vec![DocumentId(0); starts[units] as usize];
        // Filled in descending order, so that each start ends as that of its own unit.
        let mut next = starts.clone();
        next.rotate_left(1);
        for (document, &unit) in self.of_document.iter().enumerate().rev() {
            if unit != NO_UNIT {
                let next = &mut next[unit.index()];
                *next -= 1;
                members[*next as usize] = DocumentId(document as u32);
            }
        }
        drop(next);
        let mut rest = members.as_mut_slice();
        let mut several = Vec::new();
        for bounds in starts.windows(2) {
            let (own, after) =
                std::mem::take(&mut rest).split_at_mut((bounds[1] - bounds[0]) as usize);
            if own.len() > 1 {
                several.push(own);
            }
            rest = after;
        }
        several.into_par_iter().try_for_each(|members| {
            par_sort_cancellable(members, progress, |&a, &b| document_order(collection, keep, a, b))
        })?;
        (self.members, self.member_starts) = (members, starts);
        Ok(())
    }

    /// Number of units.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.places.len() as u32
    }

    /// All units, in order of precedence.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = SetId> + use<> {
        (0..self.len()).map(SetId)
    }

    /// Whether no document has features.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Number of elements of a unit's set.
    #[must_use]
    pub fn size(&self, unit: SetId) -> u32 {
        self.sizes[unit.index()]
    }

    /// Number of units with a protected document: they precede all others.
    #[must_use]
    pub fn protected(&self) -> u32 {
        self.protected
    }

    /// The documents of a unit, in order of precedence; the first leads.
    #[must_use]
    pub fn members(&self, unit: SetId) -> &[DocumentId] {
        let unit = unit.index();
        &self.members[self.member_starts[unit] as usize..self.member_starts[unit + 1] as usize]
    }

    /// The unit of a document; `None` for one without features.
    #[must_use]
    pub fn of_document(&self, document: DocumentId) -> Option<SetId> {
        Some(self.of_document[document.index()]).filter(|&unit| unit != NO_UNIT)
    }

    /// Whether each unit is in a pair of documents: in a match, or with several documents that match
    /// each other.
    #[must_use]
    pub fn in_pairs(&self, collection: &Collection, matches: &JoinResult) -> Vec<bool> {
        let across = collection.matches_across();
        let within = |unit| !across && self.members(unit).len() > 1;
        let mut listed: Vec<bool> = self.ids().map(within).collect();
        for edge in &matches.pairs.edges {
            listed[edge.later.index()] = true;
            listed[edge.earlier.index()] = true;
        }
        listed
    }

    /// The keys of all units; none if documents match whatever their values are.
    pub(crate) fn value_keys(&self, collection: &Collection) -> Vec<u64> {
        match collection.matches_across() {
            true => self.ids().map(|unit| collection.value_key(self.members(unit)[0])).collect(),
            false => Vec::new(),
        }
    }

    /// Position of the set and the signature of a unit.
    pub(crate) fn place(&self, unit: SetId) -> SetRef {
        self.places[unit.index()]
    }

    /// Sorts the sets of the wanted units, in parallel, of a collection that is in memory as a
    /// whole: in place, or in copies of chunks that another join uses. `visit` is called with each
    /// sorted set while it is in the cache, and with the state of its chunk. Returns the sets of
    /// each chunk, and the states.
    pub(crate) fn sort_each<S: Send>(
        &self,
        collection: &Collection,
        wanted: impl Fn(SetId) -> bool + Sync,
        states: Vec<S>,
        visit: impl Fn(&mut S, SetId, Halves<'_>) -> Result<(), SourceError> + Sync,
    ) -> Result<(Vec<Arc<HeldSets>>, Vec<S>), SourceError> {
        let mut by_block: Vec<Vec<SetId>> = vec![Vec::new(); collection.blocks.len()];
        for (unit, place) in self.ids().zip(&self.places) {
            if wanted(unit) {
                by_block[place.chunk.index()].push(unit);
            }
        }
        type Chunk<'a, S> = ((&'a Block, Vec<SetId>), S);
        let each = |sort: &mut SpreadSort, ((block, units), mut state): Chunk<'_, S>| {
            let (sets, visited) = block.edited_sets(|sets| {
                units.iter().try_for_each(|&unit| {
                    let index = self.place(unit).index;
                    block.for_both(sets, index, |part| sort.sort(part));
                    visit(&mut state, unit, block.get(sets, index))
                })
            });
            visited.map(|()| (sets, state))
        };
        let blocks = collection.blocks.par_iter().zip(by_block).zip(states).with_max_len(1);
        let sorted = blocks.map_init(SpreadSort::default, each);
        Ok(sorted.collect::<Result<Vec<_>, SourceError>>()?.into_iter().unzip())
    }
}

impl Checkpoint for Units {
    const NAME: &'static str = "units";

    fn write(&self, out: &mut Encoder<&mut dyn Write>) -> io::Result<()> {
        out.array(&self.places.iter().map(|place| place.chunk).collect::<Vec<_>>())?;
        out.array(&self.places.iter().map(|place| place.index).collect::<Vec<_>>())?;
        out.array(&self.sizes)?;
        out.array(&self.members)?;
        out.array(&self.member_starts)?;
        out.array(&self.of_document)?;
        out.array(&[self.protected])
    }

    fn read(from: &mut Decoder<&mut dyn Read>, most: u64) -> io::Result<Self> {
        let (chunks, indices) = (from.array::<ChunkId>(most)?, from.array::<u32>(most)?);
        let place = |(chunk, index)| SetRef { chunk, index };
        Ok(Self {
            places: chunks.into_iter().zip(indices).map(place).collect(),
            sizes: from.array(most)?,
            members: from.array(most)?,
            member_starts: from.array(most)?,
            of_document: from.array(most)?,
            protected: from.array(most)?.first().copied().unwrap_or_default(),
        })
    }
}

/// The stored sets of a collection.
struct Sets {
    /// Position of each unit, in the order of the chunks.
    places: Vec<SetRef>,
    /// The set of each document, of equal ones the first; [`StoredSet::NONE`] for one without.
    of_document: Vec<StoredSet>,
}

impl Sets {
    /// Reads all rows and digests, once.
    fn of(
        collection: &Collection,
        takes: impl Fn(DocumentId) -> bool + Sync,
    ) -> Result<Self, EngineError> {
        let (mut starts, mut places) = (Vec::new(), Vec::new());
        for (chunk, block) in collection.chunk_ids().zip(&collection.blocks) {
            starts.push(places.len() as u32);
            let sets = 0..block.ends.len() as u32;
            places.extend(sets.map(|index| SetRef { chunk, index }));
        }
        let mut of_document = Vec::with_capacity(collection.len() as usize);
        let mut digests = Vec::with_capacity(places.len());
        collection.pass_with_digests(
            |documents, rows, digests| {
                let set = |(document, row): (DocumentId, &Document)| match row.set {
                    Ok(place) if takes(document) => {
                        StoredSet(starts[place.chunk.index()] + place.index)
                    }
                    _ => StoredSet::NONE,
                };
                let of_document: Vec<StoredSet> = documents.zip(&rows.documents).map(set).collect();
                (of_document, digests.to_vec())
            },
            |(sets, more)| {
                of_document.extend(sets);
                digests.extend(more);
            },
        )?;
        let firsts = first_of_equal(&digests);
        drop(digests);
        for set in of_document.iter_mut().filter(|set| **set != StoredSet::NONE) {
            *set = StoredSet(firsts[set.index()]);
        }
        Ok(Self { places, of_document })
    }
}

/// Approximate number of digests that are sorted at a time.
const PART: usize = 1 << 14;

/// Rounds in which that is done: only what a round sorts is there twice.
const ROUNDS: usize = 4;

/// For each digest the number of the first that is equal. Digests are spread evenly: the top bits
/// of one choose its part, and a part is sorted near the processor.
fn first_of_equal(digests: &[SetDigest]) -> Vec<u32> {
    let parts = (digests.len() / PART).next_power_of_two().max(ROUNDS);
    let shift = u64::BITS - parts.trailing_zeros();
    let (high, low) =
        (|digest: SetDigest| (digest.0 >> 64) as u64, |n: u32| digests[n as usize].0 as u64);
    let in_task = digests.len().div_ceil(4 * rayon::current_num_threads()).max(PART);
    let mut firsts: Vec<u32> = (0..digests.len() as u32).collect();
    for round in 0..ROUNDS {
        let split = |(task, digests): (usize, &[SetDigest])| {
            let mut split = vec![Vec::new(); parts / ROUNDS];
            for (number, &digest) in ((task * in_task) as u32..).zip(digests) {
                let part = (high(digest) >> shift) as usize;
                if part % ROUNDS == round {
                    split[part / ROUNDS].push((high(digest), number));
                }
            }
            split
        };
        let tasks: Vec<Vec<Vec<(u64, u32)>>> =
            digests.par_chunks(in_task).enumerate().map(split).collect();
        let equal = |part: usize| {
            let pieces: Vec<&[(u64, u32)]> = tasks.iter().map(|task| &*task[part]).collect();
            let mut sorted = pieces.concat();
            sorted.sort_unstable();
            let mut equal: Vec<(u32, u32)> = Vec::new();
            for alike in sorted.chunk_by_mut(|a, b| a.0 == b.0).filter(|alike| alike.len() > 1) {
                alike.sort_unstable_by_key(|&(_, number)| (low(number), number));
                for same in alike.chunk_by(|a, b| low(a.1) == low(b.1)) {
                    equal.extend(same[1..].iter().map(|&(_, number)| (number, same[0].1)));
                }
            }
            equal
        };
        let equal: Vec<_> = (0..parts / ROUNDS).into_par_iter().map(equal).collect();
        for (number, first) in equal.into_iter().flatten() {
            firsts[number as usize] = first;
        }
    }
    firsts
}

/// Number of elements of a stored set.
pub(crate) fn size_at(collection: &Collection, place: SetRef) -> u32 {
    collection.blocks[place.chunk.index()].size(place.index)
}

/// Orders two documents: protected ones first, then by the rules, then by name, then by place.
fn document_order(
    collection: &Collection,
    keep: &[KeepRule],
    a: DocumentId,
    b: DocumentId,
) -> Result<Ordering, EngineError> {
    match rules_order(collection, keep, a, b) {
        Ordering::Equal => collection.compare_names(a, b),
        order => Ok(order),
    }
}

/// The same, with names and positions given by the caller.
#[must_use]
pub fn rules_order(
    collection: &Collection,
    keep: &[KeepRule],
    a: DocumentId,
    b: DocumentId,
) -> Ordering {
    let protected = collection.is_protected(b).cmp(&collection.is_protected(a));
    let by_rule = |(rule, column): (&KeepRule, &Vec<_>)| match rule.is_by_order() {
        true => rule.compare(a.0.into(), b.0.into()),
        false => rule.compare(column[a.index()], column[b.index()]),
    };
    let by_rules =
        || keep.iter().zip(&collection.attributes).map(by_rule).find(|order| order.is_ne());
    protected.then_with(|| by_rules().unwrap_or(Ordering::Equal))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn equal_digests_are_found(digests in prop::collection::vec((0u64..9, 0u64..4), 0..200), spread in any::<bool>()) {
            let high = |n: u64| if spread { lookalike_core::fingerprint::finalise(n) } else { n };
            let digests: Vec<SetDigest> = digests
                .into_iter()
                .map(|(x, y)| SetDigest(u128::from(high(x)) << 64 | u128::from(y)))
                .collect();
            let mut first: HashMap<SetDigest, u32> = HashMap::new();
            let truth: Vec<u32> =
                (0..).zip(&digests).map(|(n, digest)| *first.entry(*digest).or_insert(n)).collect();
            prop_assert_eq!(first_of_equal(&digests), truth);
        }
    }
}
