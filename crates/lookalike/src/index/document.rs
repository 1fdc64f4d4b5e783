//! The document of a question, from a file.

use crate::LookalikeError;
use std::path::Path;

/// The text of a file that holds one document: text, Markdown, HTML or mail.
///
/// # Errors
/// A file that cannot be read, or that holds several documents.
pub fn read_document(path: &Path) -> Result<String, LookalikeError> {
    crate::compare::text_of(&path.display().to_string())
}
