//! The document of a question, from a file.

use super::query::QuerySubject;
use crate::LookalikeError;
use std::path::Path;

/// The document of a file that holds one: text, Markdown, HTML or mail.
///
/// # Errors
/// A file that cannot be read, or that holds several documents.
pub fn read_document(path: &Path) -> Result<QuerySubject, LookalikeError> {
    let (text, beside) = crate::compare::text_of(&path.display().to_string())?;
    Ok(QuerySubject::Message { text, beside })
}
