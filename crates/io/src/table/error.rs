//! Errors of reading a table.

use std::path::PathBuf;

/// Why a table could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The table does not exist.
    #[error(
        "{}: holds no {name}.parquet, {name}.tsv or {name}.jsonl; name the result directory of a finished run",
        directory.display()
    )]
    Missing {
        /// The directory that was searched.
        directory: PathBuf,
        /// Its name without extension.
        name: String,
    },
    /// It cannot be read.
    #[error("{}: cannot be read", path.display())]
    Unreadable {
        /// The table.
        path: PathBuf,
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// It is not as we write it.
    #[error("{}: row {row}: {reason}; the table was changed or truncated; run again", path.display())]
    Malformed {
        /// The table.
        path: PathBuf,
        /// The row, from 1; 0 for the header.
        row: u64,
        /// The reason.
        reason: String,
    },
}
