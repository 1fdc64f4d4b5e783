//! The last reading of a run of `dedup` that cuts passages: cuts the documents that are kept, and picks those
//! that the report of the run shows.

use super::placing::{PlacedDocument, Placing};
use crate::LookalikeError;
use crate::decisions::ChunkDecisions;
use crate::readings::second::{ChunkVisitor, Visited};
use crate::second_pass::{ChunkPicker, Shown};
use lookalike_engine::DocumentId;
use lookalike_io::source::Chunk;
use lookalike_io::{Fate, Fates, RecordView, Replacement};

/// What is found in a chunk of a run that cuts passages.
pub(super) enum OfChunk {
    /// A document with passages.
    Placed(PlacedDocument),
    /// A document that the report of the run shows.
    Shown(DocumentId, Shown),
}

/// Cuts the documents of a chunk that a run keeps.
pub(super) struct CuttingKept<'a> {
    placing: Placing<'a>,
    picker: &'a ChunkPicker<'a>,
    decisions: Option<ChunkDecisions<'a>>,
    shown: Vec<(DocumentId, Shown)>,
}

impl<'a> CuttingKept<'a> {
    pub(super) fn new(placing: Placing<'a>, picker: &'a ChunkPicker<'a>) -> Self {
        Self { placing, picker, decisions: None, shown: Vec::new() }
    }
}

impl ChunkVisitor for CuttingKept<'_> {
    type Found = OfChunk;

    fn begin(&mut self, chunk: &Chunk) -> Result<(), LookalikeError> {
        let (decisions, shown) = self.picker.read(chunk)?;
        (self.decisions, self.shown) = (Some(decisions), shown);
        Ok(())
    }

    fn visit(&mut self, record: &RecordView<'_>, text: &str) -> bool {
        self.placing.visit(record, text)
    }

    fn finish(self, refused: &[(u32, u32)]) -> Visited<OfChunk> {
        let Visited { found, removed, uncut } = self.placing.finish(refused);
        let placed = found.into_iter().map(OfChunk::Placed);
        let shown = self.shown.into_iter().map(|(document, shown)| OfChunk::Shown(document, shown));
        Visited { found: placed.chain(shown).collect(), removed, uncut }
    }
}

impl Fates for CuttingKept<'_> {
    fn fate(&self, file: u32, record: u32) -> Fate {
        let decided = self.decisions.as_ref().map_or(Fate::Rejected, |of| of.fate(file, record));
        match decided {
            Fate::Kept => self.placing.fate(file, record),
            other => other,
        }
    }

    fn replacement(&self, file: u32, record: u32) -> Option<Replacement<'_>> {
        self.placing.replacement(file, record)
    }

    fn of_refused(&self) -> Fate {
        self.placing.of_refused()
    }
}
