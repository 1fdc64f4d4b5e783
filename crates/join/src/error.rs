//! What can stop a join.

use crate::source::SourceError;
use std::io;
use std::path::{Path, PathBuf};

/// Why a join stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JoinError {
    /// More index entries than 32 bits can number.
    #[error(
        "the join needs {entries} index entries, more than the {limit} that it can hold; raise the \
         threshold or split the collection"
    )]
    TooManyEntries {
        /// Entries needed.
        entries: u64,
        /// The most that one join can hold.
        limit: u64,
    },
    /// A spill file could not be written or read.
    #[error("spill file in {}: {error}", folder.display())]
    Spill {
        /// Where the file is.
        folder: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// The source could not read its sets.
    #[error("cannot read the sets: {0}")]
    Source(SourceError),
    /// [`Progress::cancelled`](crate::Progress::cancelled) returned true.
    #[error("the join was cancelled")]
    Cancelled,
}

/// A cancellation on its way through a source, whose visits return a [`SourceError`].
#[derive(Debug, thiserror::Error)]
#[error("the join was cancelled")]
pub(crate) struct CancelledVisit;

impl From<SourceError> for JoinError {
    fn from(error: SourceError) -> Self {
        if error.is::<CancelledVisit>() { Self::Cancelled } else { Self::Source(error) }
    }
}

impl JoinError {
    /// The error of a spill file in a folder.
    pub(crate) fn spill(folder: &Path, error: io::Error) -> Self {
        Self::Spill { folder: folder.to_owned(), error }
    }
}
