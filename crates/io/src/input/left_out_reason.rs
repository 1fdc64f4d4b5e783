//! Names that are no data, and why.

use std::path::PathBuf;

/// A file or directory that is no data, though it is in an input.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeftOut {
    /// Its path, its name in an archive (`ARCHIVE!MEMBER`) or its URL. What is below it is not named.
    pub path: PathBuf,
    /// Why it is no data.
    pub reason: LeftOutReason,
}

/// Why a name is no data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeftOutReason {
    /// It begins with `_` or `.`.
    Name,
    /// It describes a data set that `save_to_disk` has written, or is a copy of a part.
    DataSetInfo,
    /// It is the result of an earlier run.
    Result,
    /// A run that was killed has left it.
    Unfinished,
}

impl LeftOutReason {
    /// All reasons.
    pub const ALL: [Self; 4] = [Self::Result, Self::Unfinished, Self::Name, Self::DataSetInfo];

    /// What such names are.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Name => "names that begin with _ or .",
            Self::DataSetInfo => "descriptions and caches of a data set",
            Self::Result => "results of earlier runs",
            Self::Unfinished => "left by runs that did not end",
        }
    }

    /// Why one of them is not read, and how it would be.
    #[must_use]
    pub fn remedy(self) -> &'static str {
        match self {
            Self::Name => {
                "names that begin with _ or . are no data; give it as an input to read it"
            }
            Self::DataSetInfo => {
                "describes a data set beside it, or is a copy in its cache; give it as an input to read it"
            }
            Self::Result => {
                "is the result of an earlier run; give its documents as inputs (its kept.jsonl) to read them"
            }
            Self::Unfinished => {
                "was left by a run that did not end, and is no data; delete it, or give it as an input"
            }
        }
    }
}
