//! Numbers of chunks by their positions.

use lookalike_engine::{ChunkId, Collection};
use lookalike_io::source::ChunkPosition;

/// The numbers of chunks, sorted by the position (file, record) at which each begins.
pub(super) struct ChunkNumbers(Vec<((u32, u32), ChunkId)>);

impl ChunkNumbers {
    pub(super) fn new(collection: &Collection) -> Self {
        let places = collection.chunk_ids().map(|chunk| (collection.chunk_place(chunk), chunk));
        // Problems in place of a chunk have no position; positions of chunks ascend.
        let chunks = places.filter(|(place, _)| place.record > 0);
        Self(chunks.map(|(place, chunk)| ((place.file, place.record), chunk)).collect())
    }

    /// The number of the chunk that begins at a position; `None` if the first pass had none there.
    pub(super) fn of(&self, place: ChunkPosition) -> Option<ChunkId> {
        let at = self.0.binary_search_by_key(&(place.file, place.record), |&(place, _)| place);
        at.ok().map(|at| self.0[at].1)
    }
}
