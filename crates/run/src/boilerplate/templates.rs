//! Reads the boilerplate of each document, with which complete documents are compared.

use super::Boilerplate;
use crate::memory::Memory;
use crate::reading::Documents;
use crate::{Job, LookalikeError, state};
use lookalike_engine::{IngestOptions, MatchSettings, Progress, Signer, Templates};
use std::sync::Arc;

impl Boilerplate {
    /// Reads all documents again. Their boilerplate takes up to an eighth of the memory budget; more
    /// is spilled.
    ///
    /// # Errors
    /// Inputs that cannot be read or that changed, an interruption.
    pub(crate) fn templates(
        &self,
        job: &Job,
        documents: Documents<'_>,
        settings: &MatchSettings,
        progress: &dyn Progress,
    ) -> Result<Arc<Templates>, LookalikeError> {
        let memory = Memory::of(job.memory);
        let options = IngestOptions {
            memory: memory.counting() / 2,
            sequences: memory.sequences(),
            scratch: state::folder(job),
            strict: job.strict,
            skip_unreadable: job.skip_unreadable,
            in_flight: memory.in_flight(),
            ..IngestOptions::in_memory(job.thread_count())
        };
        let signer = Signer::of_boilerplate(settings, self.elements.clone());
        let collection = documents.ingest(&signer, &options, progress)?;
        self.check(&collection, documents)?;
        Ok(Arc::new(Templates::new(collection, memory.counting() / 2)?))
    }
}
