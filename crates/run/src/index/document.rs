//! The document of a question, from a file.

use super::query::QuerySubject;
use crate::compare::only_document;
use crate::{Index, LookalikeError, Settings};
use std::path::Path;

impl Index {
    /// The document of a file that holds one (text, Markdown, HTML or mail), read as those of the
    /// index: a message with the attachments that they have.
    ///
    /// # Errors
    /// A file that cannot be read, or that holds several documents.
    pub fn read_document(&self, path: &Path) -> Result<QuerySubject, LookalikeError> {
        let reading = self.settings().reading(&Settings::default(), Vec::new())?;
        let (text, beside) = only_document(&path.display().to_string(), reading)?;
        Ok(QuerySubject::Message { text, beside })
    }
}
