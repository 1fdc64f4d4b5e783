//! Errors of input discovery.

use std::io;
use std::path::{Path, PathBuf};

use super::foreign;

/// Why a run cannot start or continue. The cause, if any, is the error's `source`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// There is no such file.
    #[error("{}: no such file or directory; check the spelling", path.display())]
    NotFound {
        /// What was given.
        path: PathBuf,
    },
    /// A pattern that no file matches.
    #[error("{pattern}: no file matches this pattern; check the spelling")]
    NoMatch {
        /// What was given.
        pattern: String,
    },
    /// Something that is neither a file nor a pattern.
    #[error("{pattern}: no such file, and not a pattern either; check the brackets and stars")]
    Pattern {
        /// What was given.
        pattern: String,
        /// What is wrong with it.
        source: glob::PatternError,
    },
    /// The arguments led to no file.
    #[error(
        "{given}: nothing to read{}; known are .jsonl .ndjson .json .csv .tsv .parquet .txt .md .html, \
         also with .gz .zst .bz2 .xz; name any other form with --input-format",
        Skipped(*skipped, first.as_deref())
    )]
    Nothing {
        /// The arguments.
        given: String,
        /// Number of skipped files.
        skipped: usize,
        /// The first skipped file.
        first: Option<PathBuf>,
    },
    /// The name does not say the input format.
    #[error(
        "{}: its name does not say what form its records have; \
         name it with --input-format: jsonl, csv, tsv, parquet, text, markdown or html",
        path.display()
    )]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// The name says a format that is not supported.
    #[error(
        "{}: {remedy} (or name another form that it can be read as with --input-format)",
        path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// How to convert it.
        remedy: &'static str,
    },
    /// A pipe, a socket or a device.
    #[error(
        "{}: is not a regular file, and inputs are read twice; \
         copy it into a file, or give it on standard input and name that as -",
        path.display()
    )]
    NotAFile {
        /// What was given.
        path: PathBuf,
    },
    /// A file that is both an input and one of `--against`.
    #[error("{}: is among the inputs and among those to compare with; name it once", path.display())]
    Twice {
        /// The file.
        path: PathBuf,
    },
    /// The file changed during the run.
    #[error("{}: was changed while it was read; leave the inputs alone during a run and run again", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// More files than one run can number.
    #[error(
        "{files} files are more than one run can take; give parts of them, or pack them into JSONL"
    )]
    TooManyFiles {
        /// How many were found.
        files: usize,
    },
    /// Any other failure.
    #[error("{}: cannot {action}; check the permissions and the disk, then run again", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// What the system says.
        source: io::Error,
    },
}

impl InputError {
    /// The error for a failed system call.
    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        match source.kind() {
            io::ErrorKind::NotFound => Self::NotFound { path },
            _ => Self::Io { path, action, source },
        }
    }
}

/// The number of skipped files, if any, and the first of them.
struct Skipped<'a>(usize, Option<&'a Path>);

impl std::fmt::Display for Skipped<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            0 => return Ok(()),
            1 => f.write_str(" (1 name passed over"),
            count => write!(f, " ({count} names passed over"),
        }?;
        if let Some(first) = self.1 {
            write!(f, ", the first is {}", first.display())?;
            if let Some(remedy) = foreign::remedy(first) {
                write!(f, ": {remedy}")?;
            }
        }
        f.write_str(")")
    }
}
