//! Reads the boilerplate of each document, with which complete documents are compared.

use super::Boilerplate;
use crate::analysis::second_reading;
use crate::reading::Documents;
use crate::{Job, LookalikeError};
use lookalike_engine::{MatchSettings, Progress, Signer, Templates};
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
        let options = second_reading(job);
        let signer = Signer::of_boilerplate(settings, self.elements.clone());
        let collection = documents.ingest(&signer, &options, progress)?;
        self.check(&collection, documents)?;
        Ok(Arc::new(Templates::new(collection, options.memory)?))
    }
}
