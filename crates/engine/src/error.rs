//! Errors of a run.

use lookalike_io::{Problem, input::InputError};
use lookalike_join::{JoinError, SourceError};

/// Why a run stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// An input could not be found or opened.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A bad record in strict mode.
    #[error("{0} (stopped by the setting strict; without it bad records are counted and left out)")]
    Strict(Problem),
    /// An input, or the rest of one, cannot be read, and the job does not allow to skip it.
    #[error(
        "{0}; documents that cannot be read would be neither kept nor removed, so nothing was written; \
         the setting skip_unreadable continues without them"
    )]
    Unreadable(Problem),
    /// More documents than one run can number.
    #[error(
        "the collection holds more than {limit} documents, the most that one run can take; split it"
    )]
    TooManyDocuments {
        /// The most that one run can take.
        limit: u64,
    },
    /// More postings than the in-memory join can number.
    #[error(
        "the collection needs {entries} index entries, more than the {limit} that one run can hold; \
             raise the setting threshold or split the collection"
    )]
    TooManyPostings {
        /// Entries needed.
        entries: u64,
        /// The most that one run can take.
        limit: u64,
    },
    /// More pairs of near simhashes than the join can number.
    #[error(
        "{pairs} pairs of distinct simhashes are within the distance, more than the {limit} that one run can \
             hold; lower the method's d, or split the collection"
    )]
    TooManyNearPairs {
        /// Pairs found.
        pairs: u64,
        /// The most that one run can take.
        limit: u64,
    },
    /// More of something in one chunk of an input than the chunk's offsets can address.
    #[error(
        "one chunk of an input has {count} {what}, more than the {limit} that a chunk can hold; \
             leave its largest records out with the setting max_record, or split them"
    )]
    TooLargeChunk {
        /// The quantity that exceeds its limit.
        what: &'static str,
        /// How much there is.
        count: u64,
        /// The most that a chunk can hold.
        limit: u64,
    },
    /// A method's term filter that does not exist, or does not fit the method.
    #[error(
        "the method cannot use the term filter {0:?}; rules are joined by +, as in stop+tg5+stem, and \
         nosc does not go with methods that look at markup"
    )]
    TermFilter(String),
    /// A temporary file could not be written or read.
    #[error(
        "spill file in {folder}: {reason}; name a directory with more free space with the setting scratch, or \
         raise the setting memory"
    )]
    Scratch {
        /// The folder of the file.
        folder: String,
        /// What the system said.
        reason: String,
    },
    /// The worker threads could not be started.
    #[error("cannot start {threads} threads: {reason}; try a smaller value of the setting threads")]
    Threads {
        /// The requested number.
        threads: usize,
        /// What the system said.
        reason: String,
    },
    /// Another error of the join.
    #[error(transparent)]
    Join(JoinError),
    /// The user interrupted the run.
    #[error("interrupted; no result was written")]
    Cancelled,
}

/// The errors of a join, with the options of the command that cure them.
impl From<JoinError> for EngineError {
    fn from(error: JoinError) -> Self {
        match error {
            JoinError::TooManyEntries { entries, limit } => {
                Self::TooManyPostings { entries, limit }
            }
            JoinError::Spill { folder, error } => Self::scratch(&folder, &error),
            JoinError::Source(error) => error.into(),
            JoinError::Cancelled => Self::Cancelled,
            error => Self::Join(error),
        }
    }
}

/// The join's source of sets (`join_source`) returns errors of this type.
impl From<SourceError> for EngineError {
    fn from(error: SourceError) -> Self {
        match error.downcast() {
            Ok(error) => *error,
            Err(error) => Self::Join(JoinError::Source(error)),
        }
    }
}

impl EngineError {
    /// The error for a temporary file in a folder.
    pub fn scratch(folder: &std::path::Path, error: &std::io::Error) -> Self {
        Self::Scratch { folder: folder.display().to_string(), reason: error.to_string() }
    }
}
