//! Errors of reading and writing lexicons.

use std::io;
use std::path::{Path, PathBuf};

/// Why a lexicon could not be made or opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LexiconError {
    /// An error of the operating system.
    #[error(
        "{}: {source}; check the path, its permissions and the space on its disk, then run again",
        path.display()
    )]
    Io {
        /// The file.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
    /// Not a lexicon.
    #[error("{} is not a lexicon; make one with lexicon build", path.display())]
    NotALexicon {
        /// The file.
        path: PathBuf,
    },
    /// A lexicon of another version of the format.
    #[error(
        "{} is a lexicon of format {found}, and this program reads format {known}: build it again, or \
         use the program that built it", path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The version of this program.
        known: u32,
    },
    /// Made with settings that differ from those it is used with.
    #[error(
        "{} was made with {what} {found:?}, and here it is {wanted:?}: build it again with the same \
         settings, or run with those it was made with", path.display()
    )]
    Differs {
        /// The file.
        path: PathBuf,
        /// What differs.
        what: &'static str,
        /// The value in the file.
        found: String,
        /// The required value.
        wanted: String,
    },
    /// The content differs from what was written.
    #[error("{} is damaged ({what}): build it again, or fetch an intact copy", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The check that failed.
        what: &'static str,
    },
    /// More than the format can represent.
    #[error("a lexicon can hold at most {most} {what}; build it from a part of the collection")]
    TooMany {
        /// The name of the quantity.
        what: &'static str,
        /// The maximum.
        most: u64,
    },
}

impl LexiconError {
    /// For `map_err`: an error of the system on this path.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        |source| Self::Io { path: path.to_owned(), source }
    }
}

/// Document frequencies are numbers of 32 bits.
pub(crate) const TOO_MANY_DOCUMENTS: LexiconError =
    LexiconError::TooMany { what: "documents", most: u32::MAX as u64 };
