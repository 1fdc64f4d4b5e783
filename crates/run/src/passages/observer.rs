//! The anchors of all documents, found while a run of `dedup` reads and tokenises them.

use super::anchor_store::SpillLimits;
use super::numbers::ReadDocuments;
use super::search::{AnchorReader, DocumentAnchors, FoundAnchors};
use super::settings::PassageSettings;
use super::units::add_salt;
use crate::{Job, LookalikeError, state};
use lookalike_core::FeatureScratch;
use lookalike_engine::{ChunkObserver, EngineError, TokenObserver};
use lookalike_io::{Inputs, RecordView};
use lookalike_passages::SectionUnits;
use lookalike_passages::anchors::AnchorScratch;
use lookalike_text::Unit;
use std::sync::{Mutex, PoisonError};

/// Finds anchors in tokens, which are the units.
#[derive(Debug)]
pub(crate) struct AnchorObserver<'a> {
    reader: AnchorReader<'a>,
    own_files: u32,
    found: Mutex<DocumentAnchors>,
}

impl<'a> AnchorObserver<'a> {
    /// An observer of the documents of a job, with the number of files that are not of another collection:
    /// the first ones. `None` if the job cuts no passages, or if its tokens are no words, so that passages
    /// need another reading.
    ///
    /// # Errors
    /// Settings that make no sense.
    pub(crate) fn of_job(
        job: &Job,
        inputs: &'a Inputs,
        own_files: u32,
    ) -> Result<Option<Self>, LookalikeError> {
        let Job { settings, .. } = job;
        let Some(length) = job.passages.filter(|_| settings.analysis.unit == Unit::Word) else {
            return Ok(None);
        };
        let passages = &PassageSettings::of_length(length);
        let (analysis, lengths) = (&settings.analysis, passages.check()?);
        let reader = AnchorReader::new(inputs, settings, analysis, passages, lengths)?;
        let spill = SpillLimits::new(job.memory, state::folder(job));
        let (documents, anchors) = (ReadDocuments::default(), spill.anchors_beside_sets());
        let found = Mutex::new(DocumentAnchors { documents, anchors });
        Ok(Some(Self { reader, own_files, found }))
    }

    /// What was found.
    pub(crate) fn into_found(self) -> DocumentAnchors {
        self.found.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TokenObserver for AnchorObserver<'_> {
    fn chunk(&self) -> Box<dyn ChunkObserver + '_> {
        Box::new(ChunkAnchors {
            all: self,
            is_fixed: false,
            units: SectionUnits::default(),
            scratch: AnchorScratch::default(),
            found: Vec::new(),
        })
    }
}

/// The anchors of the documents of a chunk.
struct ChunkAnchors<'a> {
    all: &'a AnchorObserver<'a>,
    /// Whether the present document cannot be cut.
    is_fixed: bool,
    units: SectionUnits,
    scratch: AnchorScratch,
    found: Vec<((u32, u32), FoundAnchors)>,
}

impl ChunkObserver for ChunkAnchors<'_> {
    fn begin(&mut self, record: &RecordView<'_>) {
        self.is_fixed = self.all.reader.is_fixed(record);
    }

    fn tokens(&mut self, record: &RecordView<'_>, tokens: &FeatureScratch, text_bytes: u64) {
        let Self { all: AnchorObserver { reader, .. }, is_fixed, units, scratch, found } = self;
        units.clear();
        tokens.sections().for_each(|section| units.push(section));
        add_salt(units, reader.salt(record));
        let of_document = reader.found(record, *is_fixed, units, text_bytes, scratch);
        found.extend(of_document.map(|found| ((record.file, record.record), found)));
    }

    fn append(self: Box<Self>) -> Result<(), EngineError> {
        let mut all = self.all.found.lock().unwrap_or_else(PoisonError::into_inner);
        let own = self.all.own_files;
        self.found.iter().try_for_each(|(place, found)| all.add(*place, place.0 < own, found))
    }
}
