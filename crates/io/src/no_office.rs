//! A build without documents of word processors and books: reading one is an error that says so.

/// The kind of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Office {
    Docx,
    Odt,
}

/// Refuses to read a document.
///
/// # Errors
/// Always.
pub(crate) fn text(_: &[u8], _: Office, _: usize) -> Result<String, String> {
    Err("is of a format that this build does not read; build lookalike with the \
         cargo feature office, or convert the document to text"
        .to_owned())
}

pub(crate) mod epub {
    /// Refuses to read a book.
    ///
    /// # Errors
    /// Always.
    pub(crate) fn text(file: &[u8], limit: usize) -> Result<String, String> {
        super::text(file, super::Office::Docx, limit)
    }
}
