//! The document of a question, from a file.

use super::query::QuerySubject;
use crate::compare::only_document;
use crate::{Index, LookalikeError, Settings};
use lookalike_engine::distinctions::value_hash;
use lookalike_engine::{Described, SignerScratch};
use std::path::Path;

impl Index {
    /// The document of a file that holds one (text, Markdown, HTML or mail), read as those of the
    /// index: a message with the attachments that they have.
    ///
    /// # Errors
    /// A file that cannot be read, or that holds several documents.
    pub fn read_document(&self, path: &Path) -> Result<QuerySubject, LookalikeError> {
        let reading = self.settings().reading(&Settings::default(), Vec::new())?;
        let read = only_document(&path.display().to_string(), reading)?;
        let described = Described { text: &read.exhibit.text, title: read.title.as_deref() };
        let value = |name: &str| value_hash(read.values_of(name));
        let signer = &self.analysis.signer;
        let beside = signer.beside_of(read.beside, described, value, &mut SignerScratch::default());
        Ok(QuerySubject::Message { text: read.exhibit.text, beside })
    }
}
