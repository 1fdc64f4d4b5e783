//! The feature sets of a collection that is in memory as a whole, by unit.

use crate::block::HeldSets;
use crate::{Collection, Units};
use lookalike_core::Halves;
use lookalike_join::SetId;
use std::sync::Arc;

/// The sets of all units. Shares the memory of the collection.
#[derive(Debug)]
pub struct UnitSets<'a> {
    collection: &'a Collection,
    units: &'a Units,
    chunks: Vec<Arc<HeldSets>>,
}

impl<'a> UnitSets<'a> {
    /// The sets, with their elements in no particular order; `None` if some are only on disk.
    #[must_use]
    pub fn new(collection: &'a Collection, units: &'a Units) -> Option<Self> {
        let chunks: Option<_> = collection.blocks.iter().map(|block| block.sets.get()).collect();
        Some(Self { collection, units, chunks: chunks? })
    }

    /// The sets, with the elements of each in ascending order, as [`Halves::overlap`] requires;
    /// `None` if some are only on disk. Runs on the rayon pool it is called in. O(elements · log).
    #[must_use]
    pub fn sorted(collection: &'a Collection, units: &'a Units) -> Option<Self> {
        let states = vec![(); collection.chunks() as usize];
        let sort = || units.sort_each(collection, |_| true, states, |(), _, _| Ok(()));
        // Nothing is read, so nothing fails.
        let (chunks, _) = collection.is_held().then(sort)?.ok()?;
        Some(Self { collection, units, chunks })
    }

    /// The set of a unit.
    #[must_use]
    pub fn get(&self, unit: SetId) -> Halves<'_> {
        let place = self.units.place(unit);
        let chunk = place.chunk.index();
        self.collection.blocks[chunk].get(&self.chunks[chunk], place.index)
    }
}
