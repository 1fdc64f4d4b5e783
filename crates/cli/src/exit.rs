//! Exit codes: the one place that defines them. `docs/exit-codes.md` explains them to users.

use crate::interrupt::{self, Signal};
use lookalike::{ErrorKind, LookalikeError};
use std::process::ExitCode;

/// How the process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Everything that was asked for was done.
    Done = 0,
    /// It failed: an input that cannot be read, an output that cannot be written, nothing to read.
    Failed = 1,
    /// The command line makes no sense.
    Usage = 2,
    /// A guard that the user set stopped the run before anything was written.
    Guard = 3,
    /// A panic: a fault of the program.
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
    /// The exit code of an error.
    pub(crate) fn of(error: &anyhow::Error) -> Self {
        if error.is::<WrongUsage>() {
            return Self::Usage;
        }
        match error.downcast_ref::<LookalikeError>().map(LookalikeError::kind) {
            Some(ErrorKind::Usage) => Self::Usage,
            Some(ErrorKind::Guard) => Self::Guard,
            Some(ErrorKind::Cancelled) => match interrupt::signal() {
                Some(Signal::Terminate) => Self::Terminated,
                _ => Self::Interrupted,
            },
            Some(_) | None => Self::Failed,
        }
    }
}

/// Arguments that exclude each other in a way that the parser cannot know.
#[derive(Debug)]
pub(crate) struct WrongUsage(pub(crate) String);

impl std::fmt::Display for WrongUsage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WrongUsage {}
