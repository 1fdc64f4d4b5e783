//! Appends the results of chunks to the collection, in input order.

use super::chunk::{ChunkResult, OWN, Reader};
use super::options::IngestOptions;
use crate::block::Block;
use crate::collection::Collection;
use crate::store::{ChunkMetadata, ChunkStore};
use crate::stored_sets::{StoredSets, retain};
use crate::{EngineError, Problems, Progress};
use lookalike_io::Inputs;
use lookalike_io::source::{Chunk, Piece};
use lookalike_join::ChunkId;

/// Appends the results of chunks in order.
pub(super) struct Appender<'a> {
    pub(super) collection: Collection,
    /// Number of documents of each file.
    pub(super) of_files: Vec<u32>,
    pub(super) left: Vec<lookalike_spill::Frame>,
    /// Chunks before this one that are in memory are also in the store.
    pub(super) behind: usize,
    pub(super) options: &'a IngestOptions<'a>,
}

impl<'a> Appender<'a> {
    pub(super) fn new(
        inputs: &Inputs,
        options: &'a IngestOptions<'_>,
        columns: usize,
    ) -> Result<Self, EngineError> {
        let mut collection = Collection::for_inputs(inputs, options.first_protected_file);
        collection.attributes = vec![Vec::new(); columns];
        collection.trim_heap = options.trim_heap;
        let mut left = Vec::new();
        collection.store = match &options.kept {
            None => ChunkStore::new(options.memory, options.scratch.clone()),
            Some(path) => {
                let (store, found) = ChunkStore::kept(options.memory, path)?;
                left = found.frames;
                collection.restored = left.len() as u32;
                collection.restored_whole = found.ended;
                collection.dropped = found.dropped;
                store
            }
        };
        let of_files = vec![0; inputs.files.len()];
        Ok(Self { collection, of_files, left, behind: 0, options })
    }

    /// Restores the chunks of an interrupted run. Unless they are all chunks there are, they are
    /// compared with `pieces`, as which they are read again: what an earlier run could not read may
    /// be readable now. The first chunk that differs, or that has references that cannot be resolved,
    /// is dropped with all later ones, which are read again; the piece in its place is returned if it
    /// was taken from `pieces`.
    ///
    /// # Errors
    /// An input that the earlier run could read and that is unreadable now, unless these are skipped.
    pub(super) fn restore(
        &mut self,
        reader: &Reader<'_>,
        pieces: &mut dyn Iterator<Item = Piece>,
        progress: &dyn Progress,
    ) -> Result<Option<Piece>, EngineError> {
        let frames = std::mem::take(&mut self.left);
        let whole = self.collection.restored_whole;
        for (chunk, &frame) in frames.iter().enumerate() {
            let rules = self.collection.attributes.len();
            let restored = self.collection.store.restore(frame, rules)?;
            let restored = restored.filter(|restored| self.collection.fits(restored));
            let damaged = restored.is_none();
            let (same, piece) = match restored {
                Some(restored) if whole => (Some(restored), None),
                restored => {
                    if whole {
                        skip(chunk, pieces)?;
                    }
                    let piece = pieces.next();
                    let same = restored.filter(|(_, metadata)| {
                        piece.as_ref().is_some_and(|piece| is_same(piece, metadata))
                    });
                    (same, piece)
                }
            };
            let Some((mut block, metadata)) = same else {
                if let Some(Piece::Failed { failure, .. }) = &piece
                    && !self.options.skip_unreadable
                {
                    return Err(EngineError::Unreadable(failure.problem().clone()));
                }
                let dropped = self.collection.store.drop_from(frame)?;
                self.collection.dropped += if damaged { dropped } else { 0 };
                self.collection.restored = chunk as u32;
                self.collection.restored_whole = false;
                return Ok(piece);
            };
            self.refuse_unreadable(&metadata.problems)?;
            let rows = &block.rows.documents;
            let documents = rows.len();
            progress.advance(metadata.consumed, documents as u64);
            rows.iter().for_each(|row| self.of_files[row.file as usize] += 1);
            reader.sets.commit(ChunkId(chunk as u32), &metadata.sequences);
            self.collection.store.settle(&mut block)?;
            self.count(block, metadata, documents)?;
            if progress.cancelled() {
                return Err(EngineError::Cancelled);
            }
        }
        Ok(None)
    }

    pub(super) fn append(
        &mut self,
        mut result: ChunkResult<'_>,
        sets: &StoredSets,
    ) -> Result<(), EngineError> {
        if self.options.strict
            && let Some(problem) = result.metadata.problems.listed().first()
        {
            return Err(EngineError::Strict(problem.clone()));
        }
        if let Some(error) = result.failed.take() {
            return Err(error);
        }
        self.refuse_unreadable(&result.metadata.problems)?;
        result.observer.take().map_or(Ok(()), |observer| observer.append())?;
        let number = ChunkId(self.collection.chunks());
        let places = result.block.rows.documents.iter_mut().filter_map(|row| row.set.as_mut().ok());
        places.filter(|place| place.chunk == OWN).for_each(|place| place.chunk = number);
        let repeated = sets.commit(number, &result.metadata.sequences);
        if !repeated.is_empty() {
            result.block.drop_repeated(number, &repeated);
            retain(&mut result.metadata.sequences, &repeated);
        }
        let rows = &result.block.rows.documents;
        rows.iter().for_each(|row| self.of_files[row.file as usize] += 1);
        let documents = rows.len();
        self.collection.store.take(&mut result.block, &result.metadata)?;
        // The join releases all sets, so those in memory are spilled as well.
        if !result.block.sets.is_held() && self.collection.store.arranged().is_some() {
            self.write_behind()?;
        }
        self.count(result.block, result.metadata, documents)
    }

    /// Fails if an input is unreadable and unreadable inputs are not skipped.
    pub(super) fn refuse_unreadable(&self, problems: &Problems) -> Result<(), EngineError> {
        match problems.first_unreadable() {
            Some(problem) if !self.options.skip_unreadable => {
                Err(EngineError::Unreadable(problem.clone()))
            }
            _ => Ok(()),
        }
    }

    /// Spills the next chunk that is in memory only, in parallel to reading.
    pub(super) fn write_behind(&mut self) -> Result<(), EngineError> {
        let Collection { blocks, store, attributes, .. } = &mut self.collection;
        for block in &mut blocks[self.behind..] {
            self.behind += 1;
            if store.write_behind(block, attributes.len())? {
                break;
            }
        }
        Ok(())
    }

    pub(super) fn count(
        &mut self,
        block: Block,
        metadata: ChunkMetadata,
        documents: usize,
    ) -> Result<(), EngineError> {
        let collection = &mut self.collection;
        let limit = u64::from(u32::MAX) - 1;
        let end = u64::from(collection.len()) + documents as u64;
        if end > limit {
            return Err(EngineError::TooManyDocuments { limit });
        }
        collection.problems.append(metadata.problems);
        if !metadata.skipped.is_empty() {
            collection.skipped.entry(metadata.place.file).or_default().append(&metadata.skipped);
        }
        collection.chunk_places.push(metadata.place);
        for (column, values) in collection.attributes.iter_mut().zip(metadata.attributes) {
            column.extend(values);
        }
        collection.sites.extend(metadata.sites);
        collection.blocks.push(block);
        collection.chunk_starts.push(end as u32);
        Ok(())
    }

    pub(super) fn finish(self) -> Collection {
        let mut collection = self.collection;
        let mut start = 0;
        collection.file_starts = vec![0];
        for documents in self.of_files {
            start += documents;
            collection.file_starts.push(start);
        }
        collection
    }
}

/// Skips pieces whose chunks were restored.
fn skip(chunks: usize, pieces: &mut dyn Iterator<Item = Piece>) -> Result<(), EngineError> {
    for piece in pieces.take(chunks) {
        if let Piece::Failed { failure, .. } = piece {
            return Err(EngineError::Unreadable(failure.into_problem()));
        }
    }
    Ok(())
}

/// Whether a piece is the one that an earlier run stored: its records begin and end at the same places,
/// and the input ends or fails there as it did.
fn is_same(piece: &Piece, stored: &ChunkMetadata) -> bool {
    let place = piece.records().map(Chunk::place).unwrap_or_default();
    let problem = match piece {
        Piece::Chunk(_) => None,
        Piece::Bad(problem) => Some(problem),
        Piece::Failed { failure, .. } => Some(failure.problem()),
    };
    let failed = stored.problems.unreadable().next().is_some();
    place == stored.place
        && problem.is_none_or(|problem| stored.problems.listed().contains(problem))
        && failed == matches!(piece, Piece::Failed { .. })
}
