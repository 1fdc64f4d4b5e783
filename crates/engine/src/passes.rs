//! Scans over the sets of all units, chunk by chunk in storage order.
//!
//! Sets in memory are read in place, those on disk a chunk at a time from front to back. The order
//! of sets and elements is the same in every scan of one [`Passes`], as a join requires
//! ([`SetScan`]): a [`Passes`] shares the sets in memory, which no other join can edit then.

use crate::block::{Block, HeldSets};
use crate::chunk_sets::{ChunkBuffer, ChunkSets, Set, for_each_run};
use crate::units::NO_UNIT;
use crate::{Collection, Units};
use lookalike_core::features::MANY;
use lookalike_join::{ChunkId, HighElements, Part, SetId, SetScan, SourceError, TaskId};
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// Tasks for each thread, as some take longer than others.
const TASKS_PER_THREAD: u32 = 16;

/// The fewest elements in a task: a task writes to many buckets, and should write more than a few
/// to each.
const LEAST_IN_TASK: u64 = 1 << 18;

/// Approximate maximum: the results of a task are in memory until it ends.
const MOST_IN_TASK: u64 = 1 << 24;

/// Scans over the sets of all units.
#[derive(Debug)]
pub(crate) struct Passes<'a> {
    collection: &'a Collection,
    units: &'a Units,
    /// The sets of each chunk, if they were in memory when the scans began.
    held: Vec<Option<Arc<HeldSets>>>,
    /// The units, by the chunk that stores their sets.
    order: Vec<SetId>,
    /// Index in `order` of the first unit of each chunk.
    starts: Vec<u32>,
    /// The chunks of each task.
    tasks: Vec<Range<u32>>,
    /// Unused buffers, at most one for each thread. Allocated anew for every chunk, they would
    /// fragment the memory between what is kept of one chunk and of the next.
    spare: Mutex<Vec<ChunkBuffer>>,
    /// Locked while a large chunk is read from disk and visited: one at a time on any number of
    /// threads. The visitor must not wait for other tasks of the pool.
    large: Mutex<()>,
}

impl<'a> Passes<'a> {
    /// Sorts the units by their chunks. O(units).
    pub(crate) fn new(collection: &'a Collection, units: &'a Units) -> Self {
        // In storage order; any other order would miss the cache for each set.
        let chunks = collection.chunks();
        let mut firsts = vec![0u32];
        for block in &collection.blocks {
            firsts.push(firsts[firsts.len() - 1] + block.ends.len() as u32);
        }
        let mut order = vec![NO_UNIT; firsts[firsts.len() - 1] as usize];
        for unit in units.ids() {
            let place = units.place(unit);
            order[(firsts[place.chunk.index()] + place.index) as usize] = unit;
        }
        let (mut starts, mut end) = (vec![0u32], 0);
        for sets in firsts.windows(2) {
            for at in sets[0] as usize..sets[1] as usize {
                order[end] = order[at];
                end += usize::from(order[at] != NO_UNIT);
            }
            starts.push(end as u32);
        }
        order.truncate(end);
        let elements = |chunk: ChunkId| collection.blocks[chunk.index()].elements() as u64;
        let all: u64 = (0..chunks).map(ChunkId).map(elements).sum();
        let tasks = TASKS_PER_THREAD as usize * rayon::current_num_threads().max(1);
        let share = all.div_ceil(tasks as u64);
        let wanted = share.clamp(LEAST_IN_TASK, MOST_IN_TASK);
        let (mut tasks, mut first, mut gathered) = (Vec::new(), 0, 0);
        for chunk in 0..chunks {
            gathered += elements(ChunkId(chunk));
            if gathered >= wanted || chunk + 1 == chunks {
                tasks.push(first..chunk + 1);
                (first, gathered) = (chunk + 1, 0);
            }
        }
        Self {
            collection,
            units,
            held: collection.blocks.iter().map(|block| block.sets.get()).collect(),
            order,
            starts,
            tasks,
            spare: Mutex::default(),
            large: Mutex::default(),
        }
    }

    /// The chunks of a task.
    fn chunks(&self, task: TaskId) -> impl Iterator<Item = ChunkId> + use<> {
        self.tasks[task.index()].clone().map(ChunkId)
    }

    /// The units whose sets a chunk stores.
    pub(crate) fn units(&self, chunk: ChunkId) -> &[SetId] {
        let chunk = chunk.index();
        &self.order[self.starts[chunk] as usize..self.starts[chunk + 1] as usize]
    }

    /// Visits the sets of the wanted units of a chunk; does not read a chunk without any.
    ///
    /// # Errors
    /// A chunk that cannot be read, or the error of `each`.
    pub(crate) fn chunk(
        &self,
        chunk: ChunkId,
        part: Part,
        wanted: impl Fn(SetId) -> bool,
        mut each: impl FnMut(SetId, Set<'_>) -> Result<(), SourceError>,
    ) -> Result<(), SourceError> {
        let units = self.units(chunk);
        if !units.iter().any(|&unit| wanted(unit)) {
            return Ok(());
        }
        let (block, held) = self.block(chunk);
        self.with_buffer(chunk, |buffer| {
            let mut sets = self.open(block, held, part, buffer)?;
            let mut wanted = units.iter().filter(|&&unit| wanted(unit));
            wanted.try_for_each(|&unit| each(unit, sets.set(self.units.place(unit).index)))
        })
    }

    fn open<'b>(
        &'b self,
        block: &'b Block,
        held: Option<&'b HeldSets>,
        part: Part,
        buffer: &'b mut ChunkBuffer,
    ) -> Result<ChunkSets<'b>, SourceError> {
        let store = &self.collection.store;
        ChunkSets::open(block, held, store, part, buffer).map_err(|error| self.error(&error))
    }

    fn error(&self, error: &io::Error) -> SourceError {
        self.collection.store.error(error).into()
    }

    /// A chunk, and its sets if they are in memory.
    fn block(&self, chunk: ChunkId) -> (&'a Block, Option<&HeldSets>) {
        let chunk = chunk.index();
        (&self.collection.blocks[chunk], self.held[chunk].as_deref())
    }

    /// Whether a chunk is read from disk and is so large that only one is read at a time.
    fn is_large(&self, chunk: ChunkId) -> bool {
        let (block, held) = self.block(chunk);
        held.is_none() && block.elements() > MANY
    }

    fn with_buffer(
        &self,
        chunk: ChunkId,
        with: impl FnOnce(&mut ChunkBuffer) -> Result<(), SourceError>,
    ) -> Result<(), SourceError> {
        if self.is_large(chunk) {
            let _one = self.large.lock().unwrap_or_else(PoisonError::into_inner);
            return with(&mut ChunkBuffer::default());
        }
        let spare = || self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let mut buffer = spare().pop().unwrap_or_default();
        let result = with(&mut buffer);
        spare().push(buffer);
        result
    }
}

impl SetScan for Passes<'_> {
    fn bound(&self) -> Option<u64> {
        self.collection.store.arranged()
    }

    fn tasks(&self) -> u32 {
        self.tasks.len() as u32
    }

    fn elements(&self, task: TaskId) -> usize {
        self.chunks(task).map(|chunk| self.collection.blocks[chunk.index()].elements()).sum()
    }

    fn is_large(&self, task: TaskId) -> bool {
        self.chunks(task).any(|chunk| self.is_large(chunk))
    }

    fn visit(
        &self,
        task: TaskId,
        part: Part,
        mut visit: impl FnMut(SetId, &[u64], &mut dyn HighElements) -> Result<(), SourceError>,
    ) -> Result<(), SourceError> {
        let mut each = |unit, Set { low, mut high }: Set<'_>| visit(unit, low, &mut high);
        self.chunks(task).try_for_each(|chunk| self.chunk(chunk, part, |_| true, &mut each))
    }

    fn visit_low(&self, task: TaskId, mut visit: impl FnMut(&[u64])) -> Result<(), SourceError> {
        for chunk in self.chunks(task) {
            let (block, held) = self.block(chunk);
            if self.units(chunk).len() < block.ends.len() {
                let each = |_, set: Set<'_>| {
                    visit(set.low);
                    Ok(())
                };
                self.chunk(chunk, Part::Front, |_| true, each)?;
                continue;
            }
            self.with_buffer(chunk, |buffer| {
                visit(self.open(block, held, Part::Front, buffer)?.low());
                Ok(())
            })?;
        }
        Ok(())
    }

    fn visit_some(
        &self,
        task: TaskId,
        wanted: impl Fn(SetId) -> bool,
        mut visit: impl FnMut(&[u64]),
    ) -> Result<(), SourceError> {
        for chunk in self.chunks(task) {
            let wanted = self.units(chunk).iter().filter(|&&unit| wanted(unit));
            let indices: Vec<u32> = wanted.map(|&unit| self.units.place(unit).index).collect();
            let (block, held) = self.block(chunk);
            self.with_buffer(chunk, |buffer| {
                let store = &self.collection.store;
                let visited =
                    for_each_run(block, held, store, &indices, buffer, |_, set| visit(set));
                visited.map_err(|error| self.error(&error))
            })?;
        }
        Ok(())
    }
}
