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
        let Self { collection, units } = *self;
        SortedUnits::new(collection, units, wanted, limit, states, visit, done)
    }
}
