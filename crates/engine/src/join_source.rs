//! The sets of a collection as the source of a join: distinct sets, by chunk, in memory or on disk.

use crate::passes::Passes;
use crate::sorted_sets::SortedUnits;
use crate::{Collection, Units};
use lookalike_core::{Halves, SparseIndex};
use lookalike_join::{ChunkId, SetId, SetSource, SourceError};

/// The distinct sets of a collection, in order of precedence.
///
/// To save memory, sets that are compared are sorted where they are, and sets that are on disk as
/// well are released from memory when they were scanned. Both are invisible to other joins
/// ([`crate::block::SharedSets`]).
#[derive(Debug, Clone, Copy)]
pub(crate) struct UnitSource<'a> {
    pub(crate) collection: &'a Collection,
    pub(crate) units: &'a Units,
    /// The keys of the values of all units; none if units match whatever their values are.
    pub(crate) values: &'a [u64],
}

impl<'c> SetSource for UnitSource<'c> {
    type Scan<'a>
        = Passes<'c>
    where
        Self: 'a;
    type Sorted<'a>
        = SortedUnits<'c>
    where
        Self: 'a;

    #[inline]
    fn len(&self) -> u32 {
        self.units.len()
    }

    #[inline]
    fn size(&self, set: SetId) -> u32 {
        self.units.size(set)
    }

    fn copies(&self, set: SetId) -> u64 {
        self.units.members(set).len() as u64
    }

    /// None, if documents of one unit have a value that keeps them from matching.
    fn pairs_within(&self, set: SetId) -> u64 {
        let copies = self.copies(set);
        if self.values.is_empty() { copies * copies.saturating_sub(1) / 2 } else { 0 }
    }

    #[inline]
    fn may_match(&self, a: SetId, b: SetId) -> bool {
        self.values.is_empty() || self.values[a.index()] != self.values[b.index()]
    }

    /// The first document: neighbours are read together.
    fn sample_number(&self, set: SetId) -> u64 {
        self.units.members(set)[0].0.into()
    }

    fn chunks(&self) -> u32 {
        self.collection.chunks()
    }

    #[inline]
    fn chunk_of(&self, set: SetId) -> ChunkId {
        self.units.place(set).chunk
    }

    fn scan(&self) -> Passes<'c> {
        Passes::new(self.collection, self.units)
    }

    fn release_scanned(&self) {
        self.collection.release_scanned();
    }

    fn sorted<S: Send>(
        &self,
        wanted: &SparseIndex,
        limit: u64,
        states: Vec<S>,
        visit: impl Fn(&mut S, SetId, Halves<'_>) -> Result<(), SourceError> + Sync,
        done: impl FnMut(S),
    ) -> Result<SortedUnits<'c>, SourceError> {
        let Self { collection, units, .. } = *self;
        SortedUnits::new(collection, units, wanted, limit, states, visit, done)
    }
}
