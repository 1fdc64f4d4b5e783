//! Errors of input discovery; each message names the remedy.

use std::io;
use std::path::{Path, PathBuf};

use super::LeftOut;

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
        /// Why it is invalid.
        source: glob::PatternError,
    },
    /// No supported file was found.
    #[error(
        "{given}: nothing to read{}{}; supported are {supported} and Maildirs, \
         also with .gz .zst .bz2 .xz, and in .tar archives; for other file names give the setting input_format",
        Skipped(*skipped, first.as_deref()),
        Left(left_out.as_ref())
    )]
    Nothing {
        /// The arguments.
        given: String,
        /// How many files were skipped.
        skipped: usize,
        /// The first skipped file, and what to do about it.
        first: Option<Box<str>>,
        /// Extensions of supported formats.
        supported: Box<str>,
        /// The number of names that are no data, and the first of them.
        left_out: Option<(usize, LeftOut)>,
    },
    /// The format cannot be derived from the name.
    #[error(
        "{}: unknown format; name it with the setting input_format: {supported}",
        path.display()
    )]
    UnknownFormat {
        /// The file.
        path: PathBuf,
        /// Names of supported formats.
        supported: String,
    },
    /// An unsupported format.
    #[error(
        "{}: {remedy} (or name a format that it can be read as with the setting input_format)",
        path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// How to convert it.
        remedy: &'static str,
    },
    /// A socket or a device.
    #[error(
        "{}: is not a regular file or a pipe; copy it to a file, or pass it on standard input and name \
         that -",
        path.display()
    )]
    NotAFile {
        /// What was given.
        path: PathBuf,
    },
    /// A file that is given in two roles.
    #[error("{}: is given both as an input and in the setting against; give it once", path.display())]
    Twice {
        /// The file.
        path: PathBuf,
    },
    /// The file changed.
    #[error("{}: changed while it was read; do not change inputs during a run, and run again", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// More files than one run can number.
    #[error(
        "{files} files are more than one run can read; split them into several runs, or convert them to JSONL"
    )]
    TooManyFiles {
        /// How many were found.
        files: usize,
    },
    /// The result of a run.
    #[error(
        "{}: is the result of a run of lookalike and holds its tables too; {}",
        path.display(),
        Documents(documents)
    )]
    Result {
        /// The directory.
        path: PathBuf,
        /// Files and directories of documents in it.
        documents: Vec<String>,
    },
    /// Two commands for the files with one extension.
    #[error(
        "the setting extract has two commands for the extension `{extension}`; leave one of them out"
    )]
    TwoCommands {
        /// The extension.
        extension: String,
    },
    /// A command whose program does not exist.
    #[error(
        "the setting extract={command}: there is no program `{program}` for {}; install it, or correct the \
         setting",
        path.display()
    )]
    NoProgram {
        /// The command as written.
        command: String,
        /// Its program.
        program: String,
        /// The first file that it is for.
        path: PathBuf,
    },
    /// One character with two meanings in CSV or TSV files.
    #[error(
        "the character `{character}` has two meanings in CSV or TSV files; give the settings \
         csv_delimiter, csv_quote and csv_escape different ones"
    )]
    CsvCharacters {
        /// The character.
        character: String,
    },
    /// An object that cannot be found or read.
    #[error(transparent)]
    Store(#[from] lookalike_store::StoreError),
    /// Any other failure.
    #[error("{}: cannot {action}; check the permissions and the disk, then run again", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The operation that failed.
        action: &'static str,
        /// The error of the operating system.
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

/// The documents of a result, which can be inputs.
struct Documents<'a>(&'a [String]);

impl std::fmt::Display for Documents<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            [] => f.write_str("it has no documents, name those that it was made from"),
            names => write!(f, "name its documents instead: {}", names.join(" ")),
        }
    }
}

/// The number of skipped files, if any, and the first of them.
struct Skipped<'a>(usize, Option<&'a str>);

impl std::fmt::Display for Skipped<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            0 => return Ok(()),
            1 => f.write_str(" (1 file skipped"),
            count => write!(f, " ({count} files skipped"),
        }?;
        if let Some(first) = self.1 {
            write!(f, ", the first is {first}")?;
        }
        f.write_str(")")
    }
}

/// The number of names that are no data, if any, and the first of them.
struct Left<'a>(Option<&'a (usize, LeftOut)>);

impl std::fmt::Display for Left<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Some((count, first)) = self.0 else { return Ok(()) };
        let names = if *count == 1 { "name" } else { "names" };
        let path = first.path.display();
        write!(f, " ({count} {names} left out, the first is {path}: {})", first.reason.remedy())
    }
}
