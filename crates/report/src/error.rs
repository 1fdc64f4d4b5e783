//! Errors of writing a page.

/// Why a page could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// The template failed.
    #[error("the report could not be written: {0}")]
    Template(#[from] askama::Error),
    /// The caller cancelled.
    #[error("interrupted")]
    Cancelled,
}
