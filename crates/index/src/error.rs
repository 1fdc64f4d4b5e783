//! Errors of an index.

use lookalike_core::Threshold;
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
        #[source]
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
    /// A directory without an index.
    #[error("{}: there is no index; create one with `index create`", path.display())]
    NoIndex {
        /// The directory.
        path: PathBuf,
    },
    /// A directory for a new index that has something else in it.
    #[error("{}: there is `{name}` already; an index needs a directory of its own", path.display())]
    Exists {
        /// The directory.
        path: PathBuf,
        /// What is there.
        name: String,
    },
    /// Another writer has the index open, in this process or in another one.
    #[error("{}: {}", path.display(), writer_of(*pid))]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// The number of that process, if it is known.
        pid: Option<u32>,
    },
    /// An earlier write or sync failed, so that it is unknown what the disk holds.
    #[error("{}: an earlier write failed ({reason}); nothing more is written before the index is \
        opened again", path.display())]
    Stopped {
        /// The file.
        path: PathBuf,
        /// Why the earlier write failed.
        reason: String,
    },
    /// A change contradicts the state that it is to change. Nothing was written.
    #[error("the change does not fit the index: {what}")]
    Inconsistent {
        /// The contradiction.
        what: String,
    },
    /// A question that a lean index cannot answer.
    #[error(
        "a lean index cannot answer `{ask}` at the threshold {threshold}: it posts only what \
         questions from its lowest threshold {lowest} on need. It answers `resembles` and \
         `contained-in` from {lowest} on, and `cosine` where the square of the threshold is {lowest} \
         or more; ask one of these, or add the documents to an index that is made by `index create` \
         without the setting lean"
    )]
    Lean {
        /// What was asked.
        ask: &'static str,
        /// The threshold of the question.
        threshold: Threshold,
        /// The lowest threshold of the index.
        lowest: Threshold,
    },
    /// A search was stopped by its caller before it had its answer.
    #[error("the search was interrupted before it was complete (deadline or cancellation)")]
    Interrupted,
}

impl IndexError {
    /// Adds the path to an error of reading or writing.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |reason| Self::Io { path: path.to_owned(), reason }
    }
}

/// Who writes to an index, and what to do about it.
fn writer_of(pid: Option<u32>) -> String {
    match pid {
        Some(pid) if pid == std::process::id() => {
            "this process has a writer of this index already; use it, or close it first".to_owned()
        }
        Some(pid) => {
            format!("another process ({pid}) writes to this index; try again when it has ended")
        }
        None => "another process writes to this index; try again when it has ended".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_names_its_owner() {
        let message = |pid| IndexError::Locked { path: "i/lock".into(), pid }.to_string();
        assert!(message(Some(std::process::id())).contains("this process has a writer"));
        assert!(message(Some(1)).contains("another process (1) writes"));
        assert!(message(None).starts_with("i/lock: another process writes"));
    }

    #[test]
    fn messages_have_single_spaces() {
        let threshold: Threshold = "0.8".parse().unwrap();
        let lean = IndexError::Lean { ask: "containing", threshold, lowest: threshold };
        assert!(!lean.to_string().contains("  "), "{lean}");
    }
}
