//! Units in; their sets, chunk by chunk in the order in which they lie, out.
//!
//! Who wants all sets reads them where they are: those in memory in place, those on disk a chunk at a time
//! from front to back. The order is the same every time, and nobody depends on it but the two passes of the
//! [`crate::census`].

use crate::block::Block;
use crate::buckets::TASKS_PER_THREAD;
use crate::chunk_sets::{ChunkBuffer, ChunkSets, Part, Set, for_each_run};
use crate::units::NO_UNIT;
use crate::{Collection, Units};
use lookalike_core::features::MANY;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Elements in a task, at least: whatever is written by value is written to many places, and to each a few.
const LEAST_IN_TASK: u64 = 1 << 18;

/// And at most, about: what they become is in memory until the task is done.
const MOST_IN_TASK: u64 = 1 << 24;

/// The way over the sets of all units.
#[derive(Debug)]
pub(crate) struct Passes<'a> {
    collection: &'a Collection,
    units: &'a Units,
    /// The units, by the chunk that stores their sets.
    order: Vec<u32>,
    /// Where those of each chunk begin in `order`.
    starts: Vec<u32>,
    /// The chunks of each task.
    tasks: Vec<Range<u32>>,
    /// Buffers that nobody uses just now, no more than there are threads: made anew for every chunk, they would
    /// leave holes of their size between what is kept of one chunk and of the next.
    spare: Mutex<Vec<ChunkBuffer>>,
    /// Held while a large chunk is read from disk, or what is made of it is in memory: one at a time, however many
    /// threads there are. What is called meanwhile must not wait for other tasks of the pool.
    large: Mutex<()>,
}

impl<'a> Passes<'a> {
    /// Sorts the units by their chunks. O(units).
    pub(crate) fn new(collection: &'a Collection, units: &'a Units) -> Self {
        // In the order in which the sets lie: in any other, each would be a walk to memory.
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
            order,
            starts,
            tasks,
            spare: Mutex::default(),
            large: Mutex::default(),
        }
    }

    /// Tasks, each with some chunks: what is read on one thread.
    pub(crate) fn tasks(&self) -> u32 {
        self.tasks.len() as u32
    }

    /// The chunks of a task.
    pub(crate) fn chunks(&self, task: u32) -> Range<u32> {
        self.tasks[task as usize].clone()
    }

    /// Passes over the sets of the units of a task.
    pub(crate) fn task(&self, task: u32, part: Part, mut each: impl FnMut(u32, Set<'_>)) {
        self.chunks(task).for_each(|chunk| self.chunk(chunk, part, |_| true, &mut each));
    }

    /// Passes over the elements up to the bound of the sets of the units of a task, of arranged sets, one set or
    /// several at a time, in the order in which [`Passes::task`] meets them.
    pub(crate) fn low(&self, task: u32, mut each: impl FnMut(&[u64])) {
        let Collection { blocks, store, .. } = self.collection;
        for chunk in self.chunks(task) {
            let block = &blocks[chunk as usize];
            if self.units(chunk).len() < block.ends.len() {
                self.chunk(chunk, Part::Front, |_| true, |_, set| each(set.low));
                continue;
            }
            self.with_buffer(block, |buffer| {
                if let Some(sets) = ChunkSets::open(block, store, Part::Front, buffer) {
                    each(sets.low());
                }
            });
        }
    }

    /// The units whose sets a chunk stores.
    pub(crate) fn units(&self, chunk: u32) -> &[u32] {
        let chunk = chunk as usize;
        &self.order[self.starts[chunk] as usize..self.starts[chunk + 1] as usize]
    }

    /// Passes over the sets of those units of a chunk that are wanted. A chunk that cannot be read gives
    /// none, and [`Collection::check`] says why.
    pub(crate) fn chunk(
        &self,
        chunk: u32,
        part: Part,
        wanted: impl Fn(u32) -> bool,
        mut each: impl FnMut(u32, Set<'_>),
    ) {
        let units = self.units(chunk);
        if !units.iter().any(|&unit| wanted(unit)) {
            return;
        }
        let Collection { blocks, store, .. } = self.collection;
        self.with_buffer(&blocks[chunk as usize], |buffer| {
            let sets = ChunkSets::open(&blocks[chunk as usize], store, part, buffer);
            let Some(mut sets) = sets else { return };
            for &unit in units.iter().filter(|&&unit| wanted(unit)) {
                each(unit, sets.set(self.units.place(unit).index));
            }
        });
    }

    /// Passes over the sets of a few units of a chunk, each in one piece or two, and reads no others.
    pub(crate) fn few(
        &self,
        chunk: u32,
        wanted: impl Fn(u32) -> bool,
        mut each: impl FnMut(&[u64]),
    ) {
        let wanted = self.units(chunk).iter().filter(|&&unit| wanted(unit));
        let indices: Vec<u32> = wanted.map(|&unit| self.units.place(unit).index).collect();
        let Collection { blocks, store, .. } = self.collection;
        self.with_buffer(&blocks[chunk as usize], |buffer| {
            for_each_run(&blocks[chunk as usize], store, &indices, buffer, |_, set| each(set));
        });
    }

    /// Elements of the chunks of a task.
    pub(crate) fn elements(&self, task: u32) -> usize {
        self.chunks(task).map(|chunk| self.collection.blocks[chunk as usize].elements()).sum()
    }

    /// Whether a task has chunks that are read one at a time.
    pub(crate) fn has_large(&self, task: u32) -> bool {
        self.chunks(task).any(|chunk| is_large(&self.collection.blocks[chunk as usize]))
    }

    fn with_buffer(&self, block: &Block, with: impl FnOnce(&mut ChunkBuffer)) {
        if is_large(block) {
            let _one = self.large.lock().unwrap_or_else(PoisonError::into_inner);
            return with(&mut ChunkBuffer::default());
        }
        let spare = || self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let mut buffer = spare().pop().unwrap_or_default();
        with(&mut buffer);
        spare().push(buffer);
    }
}

/// Whether a chunk is read from disk, and takes so much memory that one is at a time.
fn is_large(block: &Block) -> bool {
    !block.held && block.elements() > MANY
}
