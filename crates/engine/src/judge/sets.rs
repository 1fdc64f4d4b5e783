//! The units that take part in; their sets, sorted and at hand, out.
//!
//! Only they are ever compared, and most of a collection is not among them. What is in memory is sorted where
//! it lies. If chunks are on disk, one pass over them takes out the sets that take part, and memory holds
//! those instead of whole chunks: the small ones first, as a comparison costs one read whatever the size of
//! the set. The others are read whenever they are compared.

use super::counts::{ChunkCounts, CountsAt, SetCounts};
use crate::block::{ELEMENT, HeldSets};
use crate::chunk_sets::Part;
use crate::collection::SetRef;
use crate::passes::Passes;
use crate::sparse::SparseIndex;
use crate::{Collection, EngineError, MatchSettings, Units, heap};
use lookalike_core::features::MANY;
use lookalike_core::{BitmapSignature, Halves, SpreadSort, overlap};
use rayon::prelude::*;
use std::io;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The sets of the units that take part, and their data for the filters.
#[derive(Debug)]
pub struct ComparedSets {
    taking_part: SparseIndex,
    parities: Vec<BitmapSignature>,
    /// The bucket counts of those that are large.
    counts: SetCounts,
    /// The sets of each chunk, if all of the collection is in memory.
    held: Vec<Arc<HeldSets>>,
    /// Otherwise, where each of those that were copied begins in the elements of its chunk.
    starts: Vec<u32>,
    /// The elements of those that were taken out, by chunk.
    values: Vec<Vec<u64>>,
    /// Sets of more elements were left on disk.
    largest: u32,
    /// For what is read, and two sets; one for each thread, so that nobody waits.
    buffers: Vec<Mutex<[Vec<u64>; 3]>>,
    /// Held while two sets are in memory of which one is large: one pair at a time, however many threads there are.
    large: Mutex<()>,
    /// The first error of a read while sets are compared; the join returns it ([`ComparedSets::check`]).
    failed: OnceLock<io::Error>,
}

impl ComparedSets {
    /// Sorts the sets of the units that take part. Where chunks are on disk, the collection releases all of
    /// them, and up to `limit` bytes of those sets, with their bucket counts, are copied.
    ///
    /// # Errors
    /// Sets that cannot be read.
    pub fn new(
        collection: &Collection,
        units: &Units,
        settings: &MatchSettings,
        takes_part: impl Fn(u32) -> bool + Sync,
        limit: u64,
    ) -> Result<Self, EngineError> {
        let taking_part = SparseIndex::new(units.len(), &takes_part);
        let chunks = collection.chunks();
        let mut counts = SetCounts::new(units, &taking_part, chunks, settings, limit);
        let threads = rayon::current_num_threads() + 1;
        let mut sets = Self {
            parities: vec![BitmapSignature::default(); taking_part.len() as usize],
            taking_part,
            counts: SetCounts::default(),
            held: Vec::new(),
            starts: Vec::new(),
            values: Vec::new(),
            largest: u32::MAX,
            buffers: std::iter::repeat_with(Mutex::default).take(threads).collect(),
            large: Mutex::default(),
            failed: OnceLock::new(),
        };
        collection.release_scanned();
        if collection.is_held() {
            let (at, parts) = counts.by_chunk(chunks);
            let summarise = |counts: &mut ChunkCounts<'_>, unit, set: Halves<'_>| {
                let place = sets.taking_part.place(unit);
                if let Some(&at) = place.and_then(|place| at.get(place as usize)) {
                    counts.add(at, set.low);
                    counts.add(at, set.high);
                }
                (place, BitmapSignature::of(set.low).with(BitmapSignature::of(set.high)))
            };
            let (held, summaries) = units.sort_each(collection, &takes_part, parts, summarise);
            sets.held = held;
            for (place, parity) in summaries.concat() {
                if let Some(place) = place {
                    sets.parities[place as usize] = parity;
                }
            }
        } else {
            sets.largest = sets.largest_within(units, limit.saturating_sub(counts.bytes()));
            sets.starts = vec![0; sets.parities.len()];
            sets.take_out(collection, units, &mut counts)?;
            // What threads keep of keys and of the passes over all sets is not needed for comparisons.
            heap::give_back();
        }
        sets.counts = counts;
        Ok(sets)
    }

    /// The size up to which all sets together take no more than so many bytes.
    fn largest_within(&self, units: &Units, limit: u64) -> u32 {
        let mut sizes: Vec<u32> = self.taking_part.iter().map(|unit| units.size(unit)).collect();
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

    /// Reads the sets that take part, once: fills in parities and counts, and copies the sets that are to
    /// be in memory.
    fn take_out(
        &mut self,
        collection: &Collection,
        units: &Units,
        counts: &mut SetCounts,
    ) -> Result<(), EngineError> {
        let passes = Passes::new(collection, units);
        let (at, parts) = counts.by_chunk(collection.chunks());
        let mut chunks: Vec<(u32, ChunkCounts<'_>)> = (0u32..).zip(parts).collect();
        for chunks in chunks.chunks_mut(8 * rayon::current_num_threads()) {
            let (taking_part, largest) = (&self.taking_part, self.largest);
            let take = |sort: &mut SpreadSort, (chunk, counts): &mut (u32, ChunkCounts<'_>)| {
                let chunk = *chunk;
                let wanted = |unit| taking_part.place(unit).is_some();
                // Exactly as much as it takes: all of it stays.
                let sizes = passes.units(chunk).iter().filter(|&&unit| wanted(unit));
                let sizes = sizes.map(|&unit| units.size(unit)).filter(|&size| size <= largest);
                let mut values = Vec::with_capacity(sizes.map(|size| size as usize).sum());
                let mut places = Vec::new();
                passes.chunk(chunk, Part::Whole, wanted, |unit, set| {
                    let Some(place) = taking_part.place(unit) else { return Ok(()) };
                    let (low, high, start) = (set.low, set.high.get()?, values.len());
                    let parity = BitmapSignature::of(low).with(BitmapSignature::of(high));
                    places.push((place, parity, start as u32));
                    if let Some(&at) = at.get(place as usize) {
                        counts.add(at, low);
                        counts.add(at, high);
                    }
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
                Ok((places, values))
            };
            let taken: Vec<Result<_, EngineError>> =
                chunks.par_iter_mut().with_max_len(1).map_init(SpreadSort::default, take).collect();
            for taken in taken {
                let (places, values) = taken?;
                for (place, parity, start) in places {
                    self.parities[place as usize] = parity;
                    self.starts[place as usize] = start;
                }
                self.values.push(values);
            }
        }
        Ok(())
    }

    /// Whether a set could not be read.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed.get().is_some()
    }

    /// Whether all sets that were compared could be read.
    ///
    /// # Errors
    /// The first that could not.
    pub(crate) fn check(&self, collection: &Collection) -> Result<(), EngineError> {
        self.failed.get().map_or(Ok(()), |error| Err(collection.store.error(error)))
    }

    /// Reads a set, sorted; on failure records the error and returns an empty set.
    fn sorted_set<'a>(
        &self,
        collection: &Collection,
        place: SetRef,
        words: &mut Vec<u64>,
        set: &'a mut Vec<u64>,
    ) -> &'a [u64] {
        if let Err(error) = collection.read_sorted(place, words, set) {
            self.failed.get_or_init(|| error);
            set.clear();
        }
        set
    }

    /// The parity of a unit, and where its counts are; those of nothing for one that does not take part.
    pub(super) fn summary(&self, unit: u32) -> (BitmapSignature, CountsAt) {
        let summary = |place: u32| (self.parities[place as usize], self.counts.at(place));
        self.taking_part.place(unit).map(summary).unwrap_or_default()
    }

    /// Whether two sets can differ by as few as `most` elements, as far as their counts tell.
    #[inline]
    pub(super) fn may_differ_by(&self, a: CountsAt, b: CountsAt, most: u64) -> bool {
        self.counts.may_differ_by(a, b, most)
    }

    /// Number of elements that the sets of two units that take part share, if that is at least `needed`.
    pub(super) fn shared(
        &self,
        collection: &Collection,
        units: &Units,
        (a, b): (u32, u32),
        needed: u32,
    ) -> Option<u32> {
        let held = |unit| self.held(collection, units, unit);
        let (held_a, held_b) = (held(a), held(b));
        if let (Some(a), Some(b)) = (held_a, held_b) {
            return a.overlap_at_least(b, needed);
        }
        // Of two sets that are not at hand, the one that can be read piece by piece is, if it is large: the other
        // one alone is in memory.
        let pieces = |unit: u32, held: Option<_>| {
            held.is_none()
                && units.size(unit) as usize > MANY
                && collection.is_alone_on_disk(units.place(unit))
        };
        let (whole, held, pieces) = match (pieces(a, held_a), pieces(b, held_b)) {
            (_, true) => (a, held_a, Some(b)),
            (true, false) => (b, held_b, Some(a)),
            (false, false) => (a, held_a, None),
        };
        let is_large = units.size(a).max(units.size(b)) as usize > MANY;
        let _one = is_large.then(|| self.large.lock().unwrap_or_else(PoisonError::into_inner));
        // Of sets in the collection both are there, cut at the same bound; these are not cut.
        // Whoever is not of the pool takes the last one.
        let thread = rayon::current_thread_index().unwrap_or(usize::MAX);
        let buffers = &self.buffers[thread.min(self.buffers.len() - 1)];
        let mut buffers = buffers.lock().unwrap_or_else(PoisonError::into_inner);
        let [words, x, y] = &mut *buffers;
        let first = match held {
            Some(held) => held,
            None => Halves::whole(self.sorted_set(collection, units.place(whole), words, x)),
        };
        let shared = match pieces {
            None => {
                let (other, held) = if whole == a { (b, held_b) } else { (a, held_a) };
                let second = match held {
                    Some(held) => held,
                    None => {
                        Halves::whole(self.sorted_set(collection, units.place(other), words, y))
                    }
                };
                first.overlap_at_least(second, needed)
            }
            Some(other) => {
                let mut shared = 0;
                let mut rest = [first.low, first.high];
                let read = collection.read_pieces(units.place(other), |piece| {
                    for rest in &mut rest {
                        let Some(&last) = piece.last() else { return };
                        let (upto, behind) = rest.split_at(rest.partition_point(|&v| v <= last));
                        shared += overlap(upto, piece);
                        *rest = behind;
                    }
                });
                if let Err(error) = read {
                    self.failed.get_or_init(|| error);
                }
                (shared >= needed).then_some(shared)
            }
        };
        if is_large {
            *buffers = Default::default();
        }
        shared
    }

    /// A set that is in memory.
    fn held<'s>(
        &'s self,
        collection: &'s Collection,
        units: &Units,
        unit: u32,
    ) -> Option<Halves<'s>> {
        let (place, size) = (units.place(unit), units.size(unit));
        if let Some(sets) = self.held.get(place.block as usize) {
            return Some(collection.blocks[place.block as usize].get(sets, place.index));
        }
        if size > self.largest {
            return None;
        }
        let start = self.starts[self.taking_part.place(unit)? as usize] as usize;
        self.values[place.block as usize].get(start..start + size as usize).map(Halves::whole)
    }
}
