//! How similar complete documents are, with their boilerplate.

use crate::memory::Memory;
use crate::reading::Documents;
use crate::{Job, LookalikeError, state};
use lookalike_core::{Overlap, overlap};
use lookalike_engine::collection::SetRef;
use lookalike_engine::{
    Collection, DocumentId, EngineError, IngestOptions, MatchSettings, Progress, Signer,
};

/// The complete feature sets of all documents.
#[derive(Debug)]
pub(crate) struct WholeSets {
    collection: Collection,
    /// Where the set of each document is stored; `None` for one without features. 12 bytes each.
    places: Vec<Option<SetRef>>,
}

/// Buffers of a comparison.
#[derive(Debug, Default)]
pub(crate) struct WholeScratch {
    words: Vec<u64>,
    a: (Option<DocumentId>, Vec<u64>),
    b: (Option<DocumentId>, Vec<u64>),
}

impl WholeSets {
    /// Reads all documents again. Sets beyond an eighth of the memory budget are spilled.
    ///
    /// # Errors
    /// Inputs that cannot be read, an interruption.
    pub(crate) fn read(
        job: &Job,
        documents: Documents<'_>,
        settings: &MatchSettings,
        progress: &dyn Progress,
    ) -> Result<Self, LookalikeError> {
        let memory = Memory::of(job.memory);
        let complete = MatchSettings { common: None, boilerplate: None, ..settings.clone() };
        let options = IngestOptions {
            memory: memory.counting(),
            sequences: memory.sequences(),
            scratch: state::folder(job),
            strict: job.strict,
            skip_unreadable: job.skip_unreadable,
            in_flight: memory.in_flight(),
            ..IngestOptions::in_memory(job.thread_count())
        };
        let collection = documents.ingest(&Signer::new(&complete), &options, progress)?;
        let mut places = Vec::with_capacity(collection.len() as usize);
        collection.for_each(|_, document| places.push(document.set.ok()))?;
        Ok(Self { collection, places })
    }

    /// The documents and their complete sets.
    pub(crate) fn collection(&self) -> &Collection {
        &self.collection
    }

    /// The resemblance of two complete documents; `None` if one has no features. O(size of the
    /// sets, sorted).
    ///
    /// # Errors
    /// A spilled set that cannot be read.
    pub(crate) fn resemblance(
        &self,
        a: DocumentId,
        b: DocumentId,
        scratch: &mut WholeScratch,
    ) -> Result<Option<f64>, EngineError> {
        let WholeScratch { words, a: set_a, b: set_b } = scratch;
        for (document, (held, set)) in [(a, set_a as &mut (_, _)), (b, set_b)] {
            // Rows are sorted by document, so one of the two is often that of the row before.
            if *held != Some(document) {
                *held = None;
                set.clear();
                if let Some(place) = self.places[document.index()] {
                    self.collection.sorted_set(place, words, set)?;
                }
                *held = Some(document);
            }
        }
        let (set_a, set_b) = (&scratch.a.1, &scratch.b.1);
        if set_a.is_empty() || set_b.is_empty() {
            return Ok(None);
        }
        let shared = overlap(set_a, set_b);
        Ok(Some(Overlap { shared, a: set_a.len() as u32, b: set_b.len() as u32 }.resemblance()))
    }
}
