//! Scans over the sets of all units, chunk by chunk in storage order.
//!
//! Sets in memory are read in place, those on disk a chunk at a time from front to back. The order of sets
//! and elements is the same in every scan of one [`Passes`], on which the two scans of the
//! [`crate::census`] depend: a [`Passes`] shares the sets in memory, which no other join can edit then.

use crate::block::{Block, HeldSets};
use crate::buckets::TASKS_PER_THREAD;
use crate::chunk_sets::{ChunkBuffer, ChunkSets, Part, Set, for_each_run};
use crate::units::NO_UNIT;
use crate::{Collection, EngineError, Units};
use lookalike_core::features::MANY;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// Elements in a task, at least: whatever is written by value is written to many places, and to each a few.
const LEAST_IN_TASK: u64 = 1 << 18;

/// And at most, about: what they become is in memory until the task is done.
const MOST_IN_TASK: u64 = 1 << 24;

/// Scans over the sets of all units.
#[derive(Debug)]
pub(crate) struct Passes<'a> {
    collection: &'a Collection,
    units: &'a Units,
    /// The sets of each chunk, if they were in memory when the scans began.
    held: Vec<Option<Arc<HeldSets>>>,
    /// The units, by the chunk that stores their sets.
    order: Vec<u32>,
    /// Where those of each chunk begin in `order`.
    starts: Vec<u32>,
    /// The chunks of each task.
    tasks: Vec<Range<u32>>,
    /// Unused buffers, at most one for each thread. Allocated anew for every chunk, they would fragment the
    /// memory between what is kept of one chunk and of the next.
    spare: Mutex<Vec<ChunkBuffer>>,
    /// Locked while a large chunk is read from disk and visited: one at a time on any number of threads. The
    /// visitor must not wait for other tasks of the pool.
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
        for unit in 0..units.len() {
            let place = units.place(unit);
            order[(firsts[place.block as usize] + place.index) as usize] = unit;
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
        let elements = |chunk: u32| collection.blocks[chunk as usize].elements() as u64;
        let all: u64 = (0..chunks).map(elements).sum();
        let tasks = TASKS_PER_THREAD as usize * rayon::current_num_threads().max(1);
        let share = all.div_ceil(tasks as u64);
        let wanted = share.clamp(LEAST_IN_TASK, MOST_IN_TASK);
        let (mut tasks, mut first, mut gathered) = (Vec::new(), 0, 0);
        for chunk in 0..chunks {
            gathered += elements(chunk);
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

    /// Number of tasks; each is a range of chunks that one thread reads.
    pub(crate) fn tasks(&self) -> u32 {
        self.tasks.len() as u32
    }

    /// The chunks of a task.
    pub(crate) fn chunks(&self, task: u32) -> Range<u32> {
        self.tasks[task as usize].clone()
    }

    /// Visits the sets of the units of a task.
    ///
    /// # Errors
    /// A chunk that cannot be read, or the error of `each`.
    pub(crate) fn task(
        &self,
        task: u32,
        part: Part,
        mut each: impl FnMut(u32, Set<'_>) -> io::Result<()>,
    ) -> Result<(), EngineError> {
        self.chunks(task).try_for_each(|chunk| self.chunk(chunk, part, |_| true, &mut each))
    }

    /// Visits the elements up to the bound of the sets of the units of a task, of arranged sets, one set or
    /// several at a time, in the order of [`Passes::task`].
    ///
    /// # Errors
    /// A chunk that cannot be read.
    pub(crate) fn low(&self, task: u32, mut each: impl FnMut(&[u64])) -> Result<(), EngineError> {
        for chunk in self.chunks(task) {
            let (block, held) = self.block(chunk);
            if self.units(chunk).len() < block.ends.len() {
                let each = |_, set: Set<'_>| {
                    each(set.low);
                    Ok(())
                };
                self.chunk(chunk, Part::Front, |_| true, each)?;
                continue;
            }
            self.with_buffer(chunk, |buffer| {
                let store = &self.collection.store;
                each(ChunkSets::open(block, held, store, Part::Front, buffer)?.low());
                Ok(())
            })?;
        }
        Ok(())
    }

    /// The units whose sets a chunk stores.
    pub(crate) fn units(&self, chunk: u32) -> &[u32] {
        let chunk = chunk as usize;
        &self.order[self.starts[chunk] as usize..self.starts[chunk + 1] as usize]
    }

    /// Visits the sets of those units of a chunk that are wanted; does not read a chunk without any.
    ///
    /// # Errors
    /// A chunk that cannot be read, or the error of `each`.
    pub(crate) fn chunk(
        &self,
        chunk: u32,
        part: Part,
        wanted: impl Fn(u32) -> bool,
        mut each: impl FnMut(u32, Set<'_>) -> io::Result<()>,
    ) -> Result<(), EngineError> {
        let units = self.units(chunk);
        if !units.iter().any(|&unit| wanted(unit)) {
            return Ok(());
        }
        let (block, held) = self.block(chunk);
        self.with_buffer(chunk, |buffer| {
            let mut sets = ChunkSets::open(block, held, &self.collection.store, part, buffer)?;
            let mut wanted = units.iter().filter(|&&unit| wanted(unit));
            wanted.try_for_each(|&unit| each(unit, sets.set(self.units.place(unit).index)))
        })
    }

    /// Visits the sets of a few units of a chunk, each in one piece or two, and reads no others.
    ///
    /// # Errors
    /// Sets that cannot be read.
    pub(crate) fn few(
        &self,
        chunk: u32,
        wanted: impl Fn(u32) -> bool,
        mut each: impl FnMut(&[u64]),
    ) -> Result<(), EngineError> {
        let wanted = self.units(chunk).iter().filter(|&&unit| wanted(unit));
        let indices: Vec<u32> = wanted.map(|&unit| self.units.place(unit).index).collect();
        let (block, held) = self.block(chunk);
        self.with_buffer(chunk, |buffer| {
            let store = &self.collection.store;
            for_each_run(block, held, store, &indices, buffer, |_, set| each(set))
        })
    }

    /// Elements of the chunks of a task.
    pub(crate) fn elements(&self, task: u32) -> usize {
        self.chunks(task).map(|chunk| self.collection.blocks[chunk as usize].elements()).sum()
    }

    /// Whether a task has chunks that are read one at a time.
    pub(crate) fn has_large(&self, task: u32) -> bool {
        self.chunks(task).any(|chunk| self.is_large(chunk))
    }

    /// A chunk, and its sets if they are in memory.
    fn block(&self, chunk: u32) -> (&'a Block, Option<&HeldSets>) {
        let chunk = chunk as usize;
        (&self.collection.blocks[chunk], self.held[chunk].as_deref())
    }

    /// Whether a chunk is read from disk and is so large that only one is read at a time.
    fn is_large(&self, chunk: u32) -> bool {
        let (block, held) = self.block(chunk);
        held.is_none() && block.elements() > MANY
    }

    fn with_buffer(
        &self,
        chunk: u32,
        with: impl FnOnce(&mut ChunkBuffer) -> io::Result<()>,
    ) -> Result<(), EngineError> {
        let result = if self.is_large(chunk) {
            let _one = self.large.lock().unwrap_or_else(PoisonError::into_inner);
            with(&mut ChunkBuffer::default())
        } else {
            let spare = || self.spare.lock().unwrap_or_else(PoisonError::into_inner);
            let mut buffer = spare().pop().unwrap_or_default();
            let result = with(&mut buffer);
            spare().push(buffer);
            result
        };
        result.map_err(|error| self.collection.store.error(&error))
    }
}
