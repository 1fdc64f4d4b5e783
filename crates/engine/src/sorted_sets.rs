//! The sets that a join compares, sorted.
//!
//! Only sets that have keys are ever compared, and most of a collection has none. Sets in memory
//! are sorted where they are. If chunks are on disk, one scan copies the sets that are compared,
//! and memory holds the copies instead of whole chunks: small sets first, as a comparison costs one
//! read whatever the size of the set. The others are read whenever they are compared.

use crate::block::{ELEMENT, HeldSets};
use crate::chunk_sets::Set;
use crate::collection::SetRef;
use crate::passes::Passes;
use crate::{Collection, Units};
use lookalike_core::features::MANY;
use lookalike_core::{Halves, SparseIndex, SpreadSort, overlap};
use lookalike_join::{ChunkId, HighElements, Part, SetId, SortedSets, SourceError};
use rayon::prelude::*;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// The compared sets of a collection.
#[derive(Debug)]
pub(crate) struct SortedUnits<'a> {
    collection: &'a Collection,
    units: &'a Units,
    stored: Stored,
    /// For reads: words, and two sets; one for each thread, so that none waits.
    buffers: Vec<Mutex<[Vec<u64>; 3]>>,
    /// Locked while two sets are in memory of which one is large: one pair at a time on any number
    /// of threads.
    large: Mutex<()>,
}

/// Where the sets are.
#[derive(Debug)]
enum Stored {
    /// The sets of each chunk: all of the collection is in memory.
    Held(Vec<Arc<HeldSets>>),
    /// Copies of the small ones; the others are on disk.
    Copied(Copies),
}

/// Copies of the compared sets, by chunk.
#[derive(Debug)]
struct Copies {
    compared: SparseIndex,
    /// Index of each set's first element in its chunk.
    starts: Vec<u32>,
    /// The elements, by chunk.
    values: Vec<Vec<u64>>,
    /// Larger sets were left on disk.
    largest: u32,
}

impl<'a> SortedUnits<'a> {
    /// Sorts the sets of the `compared` units, as [`lookalike_join::SetSource::sorted`]. Where
    /// chunks are on disk, the collection releases all of them.
    pub(crate) fn new<S: Send>(
        collection: &'a Collection,
        units: &'a Units,
        compared: &SparseIndex,
        limit: u64,
        states: Vec<S>,
        visit: impl Fn(&mut S, SetId, Halves<'_>) -> Result<(), SourceError> + Sync,
        done: impl FnMut(S),
    ) -> Result<Self, SourceError> {
        collection.release_scanned();
        let stored = match collection.is_held() {
            true => {
                let wanted = |unit: SetId| compared.place(unit.0).is_some();
                let (held, states) = units.sort_each(collection, wanted, states, visit)?;
                states.into_iter().for_each(done);
                Stored::Held(held)
            }
            false => {
                let copies = Copies::new(collection, units, compared, limit, states, visit, done)?;
                // Memory that threads hold from keys and scans is not needed for comparisons.
                collection.release_heap();
                Stored::Copied(copies)
            }
        };
        let threads = rayon::current_num_threads() + 1;
        let buffers = std::iter::repeat_with(Mutex::default).take(threads).collect();
        Ok(Self { collection, units, stored, buffers, large: Mutex::default() })
    }

    /// A set that is in memory.
    fn held(&self, unit: SetId) -> Option<Halves<'_>> {
        let place = self.units.place(unit);
        match &self.stored {
            Stored::Held(chunks) => {
                let block = &self.collection.blocks[place.chunk.index()];
                Some(block.get(&chunks[place.chunk.index()], place.index))
            }
            Stored::Copied(copies) => copies.get(unit, place, self.units.size(unit)),
        }
    }

    /// Reads a set, sorted.
    fn read<'s>(
        &self,
        unit: SetId,
        words: &mut Vec<u64>,
        set: &'s mut Vec<u64>,
    ) -> io::Result<Halves<'s>> {
        self.collection.read_sorted(self.units.place(unit), words, set)?;
        Ok(Halves::whole(set))
    }

    /// As [`SortedSets::overlap_at_least`], where at least one of both sets is on disk.
    fn overlap_on_disk(
        &self,
        (a, held_a): (SetId, Option<Halves<'_>>),
        (b, held_b): (SetId, Option<Halves<'_>>),
        needed: u32,
    ) -> io::Result<Option<u32>> {
        let (collection, units) = (self.collection, self.units);
        // Of two sets on disk, one that can be read in pieces is, if it is large: only the other
        // one is in memory.
        let in_pieces = |unit: SetId, held: Option<_>| {
            held.is_none()
                && units.size(unit) as usize > MANY
                && collection.is_alone_on_disk(units.place(unit))
        };
        let (whole, held, pieces) = match (in_pieces(a, held_a), in_pieces(b, held_b)) {
            (_, true) => (a, held_a, Some(b)),
            (true, false) => (b, held_b, Some(a)),
            (false, false) => (a, held_a, None),
        };
        let is_large = units.size(a).max(units.size(b)) as usize > MANY;
        let _one = is_large.then(|| self.large.lock().unwrap_or_else(PoisonError::into_inner));
        // Sets of the collection are cut at one bound, copies are not cut: both are in the same
        // form. Threads outside the pool take the last buffer.
        let thread = rayon::current_thread_index().unwrap_or(usize::MAX);
        let buffers = &self.buffers[thread.min(self.buffers.len() - 1)];
        let mut buffers = buffers.lock().unwrap_or_else(PoisonError::into_inner);
        let [words, x, y] = &mut *buffers;
        let first = match held {
            Some(held) => held,
            None => self.read(whole, words, x)?,
        };
        let shared = match pieces {
            None => {
                let (other, held) = if whole == a { (b, held_b) } else { (a, held_a) };
                let second = match held {
                    Some(held) => held,
                    None => self.read(other, words, y)?,
                };
                first.overlap_at_least(second, needed)
            }
            Some(other) => {
                let mut shared = 0;
                let mut rest = [first.low, first.high];
                collection.read_pieces(units.place(other), |piece| {
                    for rest in &mut rest {
                        let Some(&last) = piece.last() else { return };
                        let (upto, behind) = rest.split_at(rest.partition_point(|&v| v <= last));
                        shared += overlap(upto, piece);
                        *rest = behind;
                    }
                })?;
                (shared >= needed).then_some(shared)
            }
        };
        if is_large {
            *buffers = Default::default();
        }
        Ok(shared)
    }
}

impl SortedSets for SortedUnits<'_> {
    #[inline]
    fn overlap_at_least(
        &self,
        a: SetId,
        b: SetId,
        needed: u32,
    ) -> Result<Option<u32>, SourceError> {
        let (held_a, held_b) = (self.held(a), self.held(b));
        if let (Some(a), Some(b)) = (held_a, held_b) {
            return Ok(a.overlap_at_least(b, needed));
        }
        let shared = self.overlap_on_disk((a, held_a), (b, held_b), needed);
        shared.map_err(|error| self.collection.store.error(&error).into())
    }
}

impl Copies {
    /// Scans the compared sets once, and copies those that fit in `limit` bytes, small ones first.
    fn new<S: Send>(
        collection: &Collection,
        units: &Units,
        compared: &SparseIndex,
        limit: u64,
        states: Vec<S>,
        visit: impl Fn(&mut S, SetId, Halves<'_>) -> Result<(), SourceError> + Sync,
        mut done: impl FnMut(S),
    ) -> Result<Self, SourceError> {
        let passes = Passes::new(collection, units);
        let largest = largest_within(units, compared, limit);
        let mut starts = vec![0; compared.len() as usize];
        let mut values = Vec::with_capacity(collection.chunks() as usize);
        let copy = |sort: &mut SpreadSort, (chunk, mut state): (ChunkId, S)| {
            let wanted = |unit: SetId| compared.place(unit.0).is_some();
            // Allocated exactly: all of it stays.
            let sizes = passes.units(chunk).iter().filter(|&&unit| wanted(unit));
            let sizes = sizes.map(|&unit| units.size(unit)).filter(|&size| size <= largest);
            let mut values = Vec::with_capacity(sizes.map(|size| size as usize).sum());
            let mut places = Vec::new();
            passes.chunk(chunk, Part::Whole, wanted, |unit, Set { low, mut high }| {
                let Some(place) = compared.place(unit.0) else { return Ok(()) };
                let (high, start) = (high.read()?, values.len());
                visit(&mut state, unit, Halves { low, high })?;
                places.push((place, start as u32));
                if low.len() + high.len() <= largest as usize {
                    values.extend_from_slice(low);
                    values.extend_from_slice(high);
                    // Large sets are in order, and sorting takes as much memory again.
                    if !values[start..].is_sorted() {
                        sort.sort(&mut values[start..]);
                    }
                }
                Ok(())
            })?;
            Ok((places, values, state))
        };
        let mut chunks = collection.chunk_ids().zip(states);
        loop {
            let some = 8 * rayon::current_num_threads();
            let some: Vec<(ChunkId, S)> = chunks.by_ref().take(some).collect();
            if some.is_empty() {
                break;
            }
            let copied: Vec<Result<_, SourceError>> =
                some.into_par_iter().with_max_len(1).map_init(SpreadSort::default, copy).collect();
            for copied in copied {
                let (places, elements, state) = copied?;
                for (place, start) in places {
                    starts[place as usize] = start;
                }
                values.push(elements);
                done(state);
            }
        }
        Ok(Self { compared: compared.clone(), starts, values, largest })
    }

    fn get(&self, unit: SetId, place: SetRef, size: u32) -> Option<Halves<'_>> {
        if size > self.largest {
            return None;
        }
        let start = self.starts[self.compared.place(unit.0)? as usize] as usize;
        self.values[place.chunk.index()].get(start..start + size as usize).map(Halves::whole)
    }
}

/// The maximum size for which all compared sets up to it take at most `bytes` bytes.
fn largest_within(units: &Units, compared: &SparseIndex, limit: u64) -> u32 {
    let mut sizes: Vec<u32> = compared.iter().map(|unit| units.size(SetId(unit))).collect();
    sizes.par_sort_unstable();
    let (mut largest, mut bytes) = (u32::MAX, 0);
    for same in sizes.chunk_by(|a, b| a == b) {
        bytes += u64::from(same[0]) * same.len() as u64 * ELEMENT as u64;
        if bytes > limit {
            largest = same[0] - 1;
            break;
        }
    }
    largest
}
