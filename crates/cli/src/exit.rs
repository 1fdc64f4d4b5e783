//! Exit codes. `docs/reference/exit-codes.md` documents them for users.

use crate::interrupt::{self, Signal};
use crate::terminal::tell;
use lookalike::{ErrorKind, LookalikeError};
use std::process::ExitCode;

/// How the process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Success.
    Done = 0,
    /// Failure: an input that cannot be read, an output that cannot be written, no document read.
    Failed = 1,
    /// An argument that does not exist, or a value that cannot be used.
    Usage = 2,
    /// A guard stopped the run: a condition under which no result is written.
    Guard = 3,
    /// `filter --exit-code`: a message is spam.
    Spam = 10,
    /// `filter --exit-code`: a message matches prototypes without enough reports, and none is spam.
    Unsure = 11,
    /// `filter --exit-code`: a message could not be read, and none is spam or unsure.
    Unreadable = 12,
    /// A panic: a bug in the program.
    Internal = 101,
    /// SIGINT (Ctrl-C).
    Interrupted = 130,
    /// SIGTERM.
    Terminated = 143,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

impl Exit {
    /// Failure, with the reason on standard error, if no document was read: a script must not continue
    /// with an empty collection by accident. The results are written all the same, because they list
    /// the reasons.
    pub(crate) fn after(documents: u64, problems: u64) -> Self {
        let reason = match (documents, problems) {
            (1.., _) => return Self::Done,
            (0, 0) => "the inputs hold no documents".to_owned(),
            (0, 1) => "the only record or file could not be used".to_owned(),
            (0, problems) => format!("none of {problems} records or files could be used"),
        };
        tell(format_args!("lookalike: no document was read: {reason}"));
        Self::Failed
    }

    /// The exit code of an error.
    pub(crate) fn of(error: &anyhow::Error) -> Self {
        if error.is::<WrongUsage>() {
            return Self::Usage;
        }
        if error.is::<Strict>() {
            return Self::Guard;
        }
        match error.downcast_ref::<LookalikeError>().map(LookalikeError::kind) {
            Some(ErrorKind::Usage) => Self::Usage,
            Some(ErrorKind::Guard) => Self::Guard,
            Some(ErrorKind::Internal) => Self::Internal,
            Some(ErrorKind::Cancelled) => match interrupt::signal() {
                Some(Signal::Terminate) => Self::Terminated,
                _ => Self::Interrupted,
            },
            Some(_) | None => Self::Failed,
        }
    }
}

/// A bad record with `--strict`.
#[derive(Debug)]
pub(crate) struct Strict(pub(crate) String);

impl std::fmt::Display for Strict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Strict {}

/// Invalid values or conflicting arguments that the argument parser cannot detect.
#[derive(Debug)]
pub(crate) struct WrongUsage(pub(crate) String);

impl std::fmt::Display for WrongUsage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WrongUsage {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_the_codes_of_their_kinds() {
        let settings = || LookalikeError::Settings("invalid".into());
        let kept = std::path::PathBuf::from("out.scratch");
        let internal = LookalikeError::Internal { message: "index out of bounds".into() };
        let stopped = LookalikeError::Stopped { source: Box::new(internal), kept };
        let changed = LookalikeError::Changed { input: "docs.jsonl".into() };
        let several = LookalikeError::SeveralDocuments { place: "docs.jsonl".into() };
        for (error, exit) in [
            (anyhow::Error::new(settings()), Exit::Usage),
            (anyhow::Error::new(settings()).context("more words"), Exit::Usage),
            (WrongUsage("invalid".into()).into(), Exit::Usage),
            (changed.into(), Exit::Guard),
            (stopped.into(), Exit::Internal),
            (several.into(), Exit::Failed),
            (std::io::Error::other("the disk").into(), Exit::Failed),
        ] {
            assert_eq!(Exit::of(&error), exit, "{error:#}");
        }
    }
}
