//! What the second pass does beside writing, for another reading that writes the records.

use super::chunk_numbers::ChunkNumbers;
use super::recount::changed;
use super::shown::{PickScratch, pick};
use super::{Shown, ShownDocuments, Wanted, shown_of};
use crate::LookalikeError;
use crate::analysis::Analysis;
use crate::decisions::{ChunkDecisions, Decisions};
use lookalike_engine::DocumentId;
use lookalike_io::source::Chunk;

/// Decides about the records of chunks, and picks the wanted documents.
pub(crate) struct ChunkPicker<'a> {
    analysis: &'a Analysis,
    wanted: &'a Wanted,
    decisions: &'a Decisions<'a>,
    numbers: ChunkNumbers,
}

impl<'a> ChunkPicker<'a> {
    pub(crate) fn new(
        analysis: &'a Analysis,
        wanted: &'a Wanted,
        decisions: &'a Decisions<'a>,
    ) -> Self {
        Self { analysis, wanted, decisions, numbers: ChunkNumbers::new(&analysis.collection) }
    }

    /// The decisions of a chunk, and its wanted documents.
    ///
    /// # Errors
    /// A chunk that the first pass did not read, or that cannot be read again.
    pub(crate) fn read(
        &self,
        chunk: &Chunk,
    ) -> Result<(ChunkDecisions<'a>, Vec<(DocumentId, Shown)>), LookalikeError> {
        let Self { analysis, wanted, decisions, numbers } = self;
        let index = numbers.of(chunk.place());
        let index = index.ok_or_else(|| changed(&analysis.inputs, chunk.file))?;
        let shown = pick(chunk, index, analysis, wanted, &mut PickScratch::default())?;
        Ok((decisions.of_chunk(index)?, shown))
    }

    /// All that was picked.
    ///
    /// # Errors
    /// A wanted document was not found.
    pub(crate) fn shown(
        &self,
        found: Vec<(DocumentId, Shown)>,
    ) -> Result<ShownDocuments, LookalikeError> {
        shown_of(self.analysis, self.wanted, found)
    }
}
