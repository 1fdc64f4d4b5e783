//! Errors of an index.

use std::io;
use std::path::{Path, PathBuf};

/// Why an index could not be read or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// A file could not be read or written.
    #[error("{}: {reason}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: io::Error,
    },
    /// A file of the index is damaged.
    #[error("{}: damaged: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// A file was made with other settings, another version or another format.
    #[error("{}: {what}: it has {found}, and {wanted} is needed", path.display())]
    Differs {
        /// The file.
        path: PathBuf,
        /// What differs.
        what: String,
        /// What the file has.
        found: String,
        /// What is needed.
        wanted: String,
    },
    /// A search was stopped by its caller before it had its answer.
    #[error("the search was stopped before it was complete (deadline or cancellation)")]
    Stopped,
}

impl IndexError {
    /// Adds the path to an error of reading or writing.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |reason| Self::Io { path: path.to_owned(), reason }
    }
}
