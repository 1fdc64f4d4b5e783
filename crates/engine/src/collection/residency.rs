//! Which chunks are in memory, and which are on disk only.

use super::scan::in_order;
use super::{Collection, Rows};
use crate::block::{Block, HeldSets, SharedSets};
use crate::heap;
use crate::{EngineError, SignatureBlock};
use lookalike_join::ChunkId;
use std::sync::Arc;

impl Collection {
    /// Returns freed memory to the system, if the process allows it.
    pub(crate) fn release_heap(&self) {
        if self.trim_heap {
            heap::give_back();
        }
    }

    /// Releases chunks, the last ones first, until rows and sets take at most `bytes` of memory.
    /// Chunks that are not on disk yet are spilled.
    ///
    /// # Errors
    /// A temporary file that cannot be written.
    pub fn hold_at_most(&mut self, bytes: u64) -> Result<(), EngineError> {
        let mut held = self.held_bytes();
        let Self { blocks, store, attributes, .. } = self;
        let mut released = false;
        for block in blocks.iter_mut().rev().filter(|block| block.sets.is_held()) {
            if held <= bytes {
                break;
            }
            held = held.saturating_sub(block.bytes());
            store.write_behind(block, attributes.len())?;
            block.release();
            released = true;
        }
        if released {
            self.release_heap();
        }
        Ok(())
    }

    /// Prepares a collection that is partly on disk for a join in bounded memory: spills the chunks
    /// in memory as well and releases all rows, so that the join can release the sets after its
    /// scans (`release_scanned`). Does nothing if the whole collection is in memory.
    ///
    /// # Errors
    /// A temporary file that cannot be written.
    pub fn spill_for_join(&mut self) -> Result<(), EngineError> {
        if self.is_held() {
            return Ok(());
        }
        let Self { blocks, store, attributes, .. } = self;
        for block in blocks {
            store.write_behind(block, attributes.len())?;
            block.release_rows();
        }
        self.release_heap();
        Ok(())
    }

    /// Releases the sets that are both in memory and on disk, unless the whole collection is in
    /// memory. A join calls this after its scans over all sets; a join that is still scanning holds
    /// its own references.
    pub(crate) fn release_scanned(&self) {
        if self.is_held() {
            return;
        }
        for block in self.blocks.iter().filter(|block| block.frame.is_some()) {
            drop(block.sets.release());
        }
        self.release_heap();
    }

    /// Takes the sets out of memory: freeing them is slow, and the caller may do it on another
    /// thread.
    pub(crate) fn take_sets(&mut self) -> Vec<Arc<HeldSets>> {
        self.blocks.iter().filter_map(|block| block.sets.release()).collect()
    }

    /// Loads the rows of chunks on disk, the first chunks first, while rows and sets take at most
    /// `bytes` of memory.
    ///
    /// # Errors
    /// A chunk on disk that cannot be read.
    pub fn hold_rows(&mut self, bytes: u64) -> Result<(), EngineError> {
        let mut left = bytes.saturating_sub(self.held_bytes());
        let missing: Vec<ChunkId> =
            self.chunk_ids().filter(|&chunk| !self.blocks[chunk.index()].rows_held).collect();
        let mut back = Vec::new();
        let read = |chunk| Ok(self.read_rows(chunk)?.0);
        in_order(&missing, read, |rows: Rows| {
            let Some(rest) = left.checked_sub(rows.bytes()) else { return false };
            left = rest;
            back.push(rows);
            true
        })?;
        for (chunk, rows) in missing.into_iter().zip(back) {
            let block = &mut self.blocks[chunk.index()];
            (block.rows, block.rows_held) = (rows, true);
        }
        Ok(())
    }

    /// Bytes of rows and sets in memory.
    pub(super) fn held_bytes(&self) -> u64 {
        self.blocks.iter().map(Block::bytes).sum()
    }

    /// Whether the sets of all chunks are in memory.
    pub(crate) fn is_held(&self) -> bool {
        self.blocks.iter().all(|block| block.sets.is_held())
    }

    /// Frees sets and signatures; rows are kept.
    pub fn drop_sets(&mut self) {
        for block in &mut self.blocks {
            block.sets = SharedSets::new(HeldSets::default());
            block.ends.fill(0);
            block.signatures = SignatureBlock::default();
        }
    }

    /// Bytes on disk.
    #[must_use]
    pub fn stored(&self) -> u64 {
        self.store.stored()
    }
}
