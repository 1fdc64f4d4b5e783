//! Units in; their sets, chunk by chunk in the order in which they lie, out.
//!
//! Who wants all sets reads them where they are: those in memory in place, those on disk a chunk at a time
//! from front to back. The order is the same every time, and nobody depends on it but the two passes of the
//! [`crate::census`].

use crate::buckets::units_per_task;
use crate::{Collection, Units};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

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
}

/// Buffers for the sets of a chunk.
#[derive(Debug, Default)]
pub(crate) struct ChunkBuffer {
    pub(crate) values: Vec<u64>,
    pub(crate) body: Vec<u8>,
}

impl<'a> Passes<'a> {
    /// Sorts the units by their chunks. O(units).
    pub(crate) fn new(collection: &'a Collection, units: &'a Units) -> Self {
        let chunks = collection.chunks();
        let mut starts = vec![0u32; chunks as usize + 1];
        for unit in 0..units.len() {
            starts[units.place(unit).block as usize + 1] += 1;
        }
        for chunk in 0..chunks as usize {
            starts[chunk + 1] += starts[chunk];
        }
        let mut next = starts.clone();
        let mut order = vec![0; units.len() as usize];
        for unit in 0..units.len() {
            let next = &mut next[units.place(unit).block as usize];
            order[*next as usize] = unit;
            *next += 1;
        }
        let mut tasks = Vec::new();
        let (wanted, mut first) = (units_per_task(units.len()), 0);
        for chunk in 0..chunks {
            let end = starts[chunk as usize + 1];
            if end - starts[first as usize] >= wanted || chunk + 1 == chunks {
                tasks.push(first..chunk + 1);
                first = chunk + 1;
            }
        }
        Self { collection, units, order, starts, tasks, spare: Mutex::default() }
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
    pub(crate) fn task(&self, task: u32, mut each: impl FnMut(u32, &[u64])) {
        self.chunks(task).for_each(|chunk| self.chunk(chunk, |_| true, &mut each));
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
        wanted: impl Fn(u32) -> bool,
        mut each: impl FnMut(u32, &[u64]),
    ) {
        let units = self.units(chunk);
        if !units.iter().any(|&unit| wanted(unit)) {
            return;
        }
        let spare = || self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let mut buffer = spare().pop().unwrap_or_default();
        if let Some(sets) = self.collection.chunk_sets(chunk, &mut buffer) {
            for &unit in units.iter().filter(|&&unit| wanted(unit)) {
                each(unit, sets.get(self.units.place(unit).index));
            }
        }
        spare().push(buffer);
    }
}
