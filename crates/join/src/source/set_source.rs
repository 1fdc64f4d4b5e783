//! Where the sets of a join come from.
//!
//! A [`SetSource`] gives the sets in two ways, both chosen so that a source on disk can read in
//! sequence: [scans](SetScan) over all sets in storage order, from which the index is built, and
//! [sorted sets](SortedSets), which are the few that can match another one, to be intersected.

use crate::{ChunkId, SetId, TaskId};
use lookalike_core::{Halves, SparseIndex};

/// Why a source could not read its sets. [`crate::JoinError::Source`] returns it unchanged.
pub type SourceError = Box<dyn std::error::Error + Send + Sync>;

/// The sets of a join, numbered from 0 in order of precedence: set 0 precedes all others.
///
/// A set has distinct elements, fewer than 2³² of them, which are hashes and therefore uniform;
/// other numbers give the same answer more slowly. Sets are stored in *chunks*, which are read and
/// released as a whole. Nothing that a source returns may depend on the number of threads.
pub trait SetSource: Sync {
    /// A scan over all sets.
    type Scan<'a>: SetScan
    where
        Self: 'a;
    /// Sets that are prepared to be intersected.
    type Sorted<'a>: SortedSets
    where
        Self: 'a;

    /// Number of sets.
    fn len(&self) -> u32;

    /// Whether there are no sets.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of elements of a set. Called in hot loops: O(1).
    fn size(&self, set: SetId) -> u32;

    /// How many records have this set. A pair of sets counts as the product of both towards
    /// [`crate::JoinOptions::list_pairs`].
    fn copies(&self, set: SetId) -> u64 {
        let _ = set;
        1
    }

    /// Number of pairs among the records that have this set, towards the same.
    fn pairs_within(&self, set: SetId) -> u64 {
        let copies = self.copies(set);
        copies * copies.saturating_sub(1) / 2
    }

    /// Whether two sets may match, whatever elements they share: a pair that may not is dropped before
    /// it is verified. Symmetric, and a function of the two sets. Called in hot loops: O(1).
    fn may_match(&self, a: SetId, b: SetId) -> bool {
        let _ = (a, b);
        true
    }

    /// A number for the sample of sets in which document frequencies are counted
    /// ([`crate::DfSketch::takes`]): adjacent for sets whose storage is adjacent.
    fn sample_number(&self, set: SetId) -> u64 {
        set.0.into()
    }

    /// Number of chunks.
    fn chunks(&self) -> u32;

    /// The chunk that stores a set.
    fn chunk_of(&self, set: SetId) -> ChunkId;

    /// Starts a scan. It stays valid, with its order of sets and elements, whatever other joins of
    /// the same source do.
    fn scan(&self) -> Self::Scan<'_>;

    /// Called when the scans of a join are over: a source may release memory that only scans need.
    fn release_scanned(&self) {}

    /// Sorts the `wanted` sets (by number), so that they can be intersected, in parallel. Sets on
    /// disk may be copied to at most `limit` bytes of memory; the others are read whenever they are
    /// compared.
    ///
    /// `states` has one state for each chunk. `visit` is called once for each wanted set, with the
    /// state of its chunk; the elements may not be in order yet. An error of `visit` ends the call.
    /// `done` is given the states, in any order, each when its chunk is finished.
    ///
    /// # Errors
    /// Sets that cannot be read, and the error of `visit`.
    fn sorted<S: Send>(
        &self,
        wanted: &SparseIndex,
        limit: u64,
        states: Vec<S>,
        visit: impl Fn(&mut S, SetId, Halves<'_>) -> Result<(), SourceError> + Sync,
        done: impl FnMut(S),
    ) -> Result<Self::Sorted<'_>, SourceError>;
}

/// Which elements of the sets a scan visits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Those up to [`SetScan::bound`]; the others of a few sets.
    Front,
    /// All.
    Whole,
}

/// Scans over all sets, split into tasks that threads take in parallel.
///
/// Every scan of a task visits the same sets in the same order, and the elements of a set in the
/// same order: singleton counting depends on it.
pub trait SetScan: Sync {
    /// The elements up to this value are stored before the others, and can be read alone; `None` if
    /// sets are not partitioned.
    fn bound(&self) -> Option<u64>;

    /// Number of tasks.
    fn tasks(&self) -> u32;

    /// Number of elements of a task, at least that of the sets that it visits.
    fn elements(&self, task: TaskId) -> usize;

    /// Whether the sets of a task are so large that no two such tasks should be in memory at once.
    fn is_large(&self, task: TaskId) -> bool;

    /// Visits the sets of a task: number, elements up to the bound, and the others, which are read
    /// when they are asked for unless `part` is [`Part::Whole`]. Without a bound all elements are
    /// among the others.
    ///
    /// # Errors
    /// Sets that cannot be read, and the error of `visit`.
    fn visit(
        &self,
        task: TaskId,
        part: Part,
        visit: impl FnMut(SetId, &[u64], &mut dyn HighElements) -> Result<(), SourceError>,
    ) -> Result<(), SourceError>;

    /// Visits the elements up to the bound of the sets of a task, of one set or several at a time,
    /// in the order of [`SetScan::visit`].
    ///
    /// # Errors
    /// Sets that cannot be read.
    fn visit_low(&self, task: TaskId, visit: impl FnMut(&[u64])) -> Result<(), SourceError>;

    /// Visits the sets of a task that are `wanted`, each in one piece or several, and reads no
    /// others.
    ///
    /// # Errors
    /// Sets that cannot be read.
    fn visit_some(
        &self,
        task: TaskId,
        wanted: impl Fn(SetId) -> bool,
        visit: impl FnMut(&[u64]),
    ) -> Result<(), SourceError>;
}

/// The elements of one set above the bound. A source on disk reads them only when they are asked
/// for.
pub trait HighElements {
    /// The elements, in storage order. Called at most once for each visit.
    ///
    /// # Errors
    /// Elements that cannot be read.
    fn read(&mut self) -> Result<&[u64], SourceError>;
}

impl HighElements for &[u64] {
    fn read(&mut self) -> Result<&[u64], SourceError> {
        Ok(self)
    }
}

/// Sets that are sorted, in memory as far as the budget allows.
pub trait SortedSets: Sync {
    /// Number of elements that two wanted sets share, if it is at least `needed`.
    ///
    /// # Errors
    /// A set that cannot be read.
    fn overlap_at_least(&self, a: SetId, b: SetId, needed: u32)
    -> Result<Option<u32>, SourceError>;
}
