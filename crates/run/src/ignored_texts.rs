//! Texts whose shingles are ignored: handouts, templates, licence headers, system prompts.
//!
//! They are read as inputs are, before documents are. Their shingles are removed from the sets of all
//! documents, as boilerplate is, but complete sets make no match.

use crate::approach::checksum_name;
use crate::reading::Documents;
use crate::settings::thread_count;
use crate::{LookalikeError, Settings};
use lookalike_core::CommonElements;
use lookalike_engine::{EngineError, IngestOptions, MatchSettings, Signer, Silent};
use lookalike_io::Inputs;
use std::sync::Arc;

/// The shingles of texts that are ignored.
#[derive(Debug, Clone)]
pub struct IgnoredTexts {
    /// The shingles of all texts.
    pub elements: Arc<CommonElements>,
    /// Number of texts.
    pub texts: u64,
}

impl IgnoredTexts {
    /// Reads the texts of [`Settings::ignore_text`]; `None` without any. The tokens of the settings are
    /// decided.
    ///
    /// # Errors
    /// A file that cannot be read as a whole, texts without a shingle.
    pub fn of(settings: &Settings) -> Result<Option<Self>, LookalikeError> {
        if settings.ignore_text.is_empty() {
            return Ok(None);
        }
        let mut reading = settings.reading(Vec::new(), None);
        reading.fields.given = Vec::new();
        let inputs = Inputs::discover(&settings.ignore_text, reading)?;
        let plain = MatchSettings { min_features: None, ..settings.matching()? };
        let signer = Signer::new(&plain).of_texts_alone();
        let options = IngestOptions { strict: true, ..IngestOptions::in_memory(thread_count(0)) };
        let read = Documents::of_files(&inputs).ingest(&signer, &options, &Silent);
        let collection = read.map_err(|error| match error {
            LookalikeError::Engine(EngineError::Strict(problem)) => LookalikeError::Settings(format!(
                "the setting ignore_text: {problem}; all of its records are read, or it is not clear what is ignored"
            )),
            error => error,
        })?;
        let mut places = Vec::new();
        // The shingle of a text without words is that of all such texts.
        collection.for_each(|_, document| {
            places.extend(document.set.ok().filter(|_| document.tokens > 0));
        })?;
        let (mut elements, mut words, mut set) = (Vec::new(), Vec::new(), Vec::new());
        for place in places {
            collection.sorted_set(place, &mut words, &mut set)?;
            elements.extend_from_slice(&set);
        }
        let named = settings.ignore_text.join(", ");
        if elements.is_empty() {
            return Err(LookalikeError::Settings(format!(
                "the setting ignore_text={named}: no text there has a shingle; name another file"
            )));
        }
        let elements = Arc::new(CommonElements::new(elements));
        let found = Self { elements, texts: collection.len().into() };
        Ok(Some(found))
    }

    /// The same for a finished run, whose texts had this checksum.
    ///
    /// # Errors
    /// As [`IgnoredTexts::of`]; texts that have changed.
    pub(crate) fn of_run(
        settings: &Settings,
        checksum: Option<&str>,
    ) -> Result<Option<Self>, LookalikeError> {
        let found = Self::of(settings)?;
        match found.as_ref().filter(|found| checksum.is_some_and(|known| known != found.checksum()))
        {
            None => Ok(found),
            Some(_) => Err(LookalikeError::Settings(format!(
                "the texts of the setting ignore_text={} have changed since the run; put the files back as \
                 they were, or run it again",
                settings.ignore_text.join(", ")
            ))),
        }
    }

    /// Checksum of the shingles, 32 hexadecimal digits.
    pub(crate) fn checksum(&self) -> String {
        checksum_name(self.elements.checksum())
    }
}
