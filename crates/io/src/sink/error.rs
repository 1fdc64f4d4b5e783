//! Errors of writing a result.

use std::io;
use std::path::{Path, PathBuf};

use arrow_schema::ArrowError;
use lookalike_store::StoreError;
use parquet::errors::ParquetError;

/// Why a result could not be written. The cause, if any, is the error's `source`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// The destination exists.
    #[error(
        "{}: already exists; name another directory with the setting output, or replace it with the \
         setting force",
        path.display()
    )]
    Exists {
        /// The result directory asked for.
        path: PathBuf,
    },
    /// The setting `force`, with a directory that is not a result of lookalike.
    #[error(
        "{}: holds files but no summary.json or evaluation.json, so it is not a lookalike result and \
         the setting force does not replace it; name another directory with the setting output, or remove it yourself",
        path.display()
    )]
    NotAResult {
        /// The result directory asked for.
        path: PathBuf,
    },
    /// The destination cannot be a result directory.
    #[error("{}: cannot become the result directory: {reason}", path.display())]
    Unusable {
        /// The result directory asked for.
        path: PathBuf,
        /// Why, and what to do.
        reason: &'static str,
    },
    /// Replacing the result directory would delete an input.
    #[error(
        "{}: the input {} lies inside it and would be deleted; name another directory with the setting output",
        path.display(),
        input.display()
    )]
    Conflict {
        /// The result directory asked for.
        path: PathBuf,
        /// The input inside it.
        input: PathBuf,
    },
    /// Writing a single file would replace an input.
    #[error(
        "{}: the input {} would be overwritten; name another file with the setting {setting}",
        path.display(),
        input.display()
    )]
    Overwrites {
        /// The file asked for.
        path: PathBuf,
        /// The input that it is, or that it lies in.
        input: PathBuf,
        /// The setting that names the file.
        setting: &'static str,
    },
    /// The result is whole but could not be given its name.
    #[error("{}: could not be created; the complete result is in {}, rename it yourself", path.display(), whole.display())]
    NotRenamed {
        /// The result directory asked for.
        path: PathBuf,
        /// The path of the result.
        whole: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The result is in place, but not known to survive a power failure.
    #[error(
        "{}: the result is complete, but its directory could not be synced to disk: {source}; check the disk",
        path.display()
    )]
    NotSynced {
        /// The result directory.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The result is in place; the one that it replaces could not be deleted.
    #[error("{}: the result is complete, but the old one could not be deleted; remove {} yourself", path.display(), old.display())]
    LeftBehind {
        /// The result directory.
        path: PathBuf,
        /// The rest of the earlier result.
        old: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The result is whole but could not be written into the store.
    #[error(
        "{source}; the complete result is in {}, copy it yourself or delete it and run again",
        whole.display()
    )]
    NotUploaded {
        /// The local copy of the result.
        whole: PathBuf,
        /// The object and what the store says.
        source: StoreError,
    },
    /// The destination in a store cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The disk is full.
    #[error(
        "{}: the disk is full; no incomplete result was left; \
         free some space or name a directory on another disk with the setting output, then run again",
        path.display()
    )]
    DiskFull {
        /// The file that was being written.
        path: PathBuf,
    },
    /// Any other failure to write.
    #[error("{}: cannot {action}; check the disk and the permissions, then run again", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The operation that failed.
        action: &'static str,
        /// What the system says.
        source: io::Error,
    },
    /// An input that was readable before is so no longer.
    #[error("{}: cannot be read a second time; do not change inputs during a run", path.display())]
    Input {
        /// The input.
        path: PathBuf,
        /// The error.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A Parquet file could not be written.
    #[error("{}: cannot be written as Parquet", path.display())]
    Parquet {
        /// The file.
        path: PathBuf,
        /// The error of the library.
        source: ParquetError,
    },
    /// Marking would add a field that the record has already.
    #[error(
        "{}: has a field `{name}` already; give the marks other names with the setting mark_prefix",
        Location(input, *line)
    )]
    FieldTaken {
        /// Name of the input.
        input: String,
        /// Line from 1; 0 for Parquet.
        line: u64,
        /// The field.
        name: String,
    },
    /// Marking cannot add fields to this record.
    #[error("{}: cannot be marked: {reason}; run without the setting mark", Location(input, *line))]
    Unmarkable {
        /// Name of the input.
        input: String,
        /// Line from 1; 0 for Parquet.
        line: u64,
        /// Why.
        reason: &'static str,
    },
    /// Chunks were written in another order than they were read: a bug of the caller.
    #[error(
        "{input}: its records came after those of a later file; this is a bug in lookalike, please report it"
    )]
    OutOfOrder {
        /// Name of the input.
        input: String,
    },
    /// A row does not fit the columns of its table: a bug of the caller.
    #[error("{}: {reason}; this is a bug in lookalike, please report it", path.display())]
    Row {
        /// The table.
        path: PathBuf,
        /// Why it cannot be marked.
        reason: String,
    },
}

impl OutputError {
    /// The error of a failed system call on an output path.
    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        match is_full(source.kind()) {
            true => Self::DiskFull { path },
            false => Self::Io { path, action, source },
        }
    }

    /// The error of the Parquet writer, which nests a full disk three levels deep.
    pub(crate) fn parquet(path: &Path, source: ParquetError) -> Self {
        let path = path.to_path_buf();
        let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&source);
        while let Some(error) = cause {
            if error.downcast_ref::<io::Error>().is_some_and(|e| is_full(e.kind())) {
                return Self::DiskFull { path };
            }
            cause = error.source();
        }
        Self::Parquet { path, source }
    }

    /// The error of the Arrow writer.
    pub(crate) fn arrow(path: &Path, error: ArrowError) -> Self {
        let source = match error {
            ArrowError::IoError(_, source) => source,
            error => io::Error::other(error),
        };
        Self::io("write the file", path, source)
    }

    /// The error for an input that cannot be read again.
    pub(crate) fn input(
        path: &Path,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::Input { path: path.to_path_buf(), source: source.into() }
    }
}

fn is_full(kind: io::ErrorKind) -> bool {
    matches!(
        kind,
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    )
}

/// `file:line`, or the file alone.
struct Location<'a>(&'a str, u64);

impl std::fmt::Display for Location<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.1 {
            0 => f.write_str(self.0),
            line => write!(f, "{}:{line}", self.0),
        }
    }
}
