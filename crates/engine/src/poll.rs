//! Asks now and then whether the user wants to stop.

use crate::{EngineError, Progress};
use std::cell::Cell;

/// Steps between two questions: some hundred microseconds of comparisons or of rows.
const STEPS: u32 = 4096;

thread_local! {
    /// Steps of this thread since it asked last.
    static TAKEN: Cell<u32> = const { Cell::new(0) };
}

/// Counts small steps on any thread, and asks once for some thousand of them.
#[derive(Clone, Copy)]
pub struct Poll<'a>(&'a dyn Progress);

impl<'a> Poll<'a> {
    /// Asks this progress.
    #[must_use]
    pub fn new(progress: &'a dyn Progress) -> Self {
        Self(progress)
    }

    /// Takes a step.
    ///
    /// # Errors
    /// The user asked to stop.
    #[inline]
    pub fn step(self) -> Result<(), EngineError> {
        let taken = TAKEN.get();
        if taken < STEPS {
            TAKEN.set(taken + 1);
            return Ok(());
        }
        TAKEN.set(0);
        self.now()
    }

    /// Asks at once.
    ///
    /// # Errors
    /// The user asked to stop.
    pub fn now(self) -> Result<(), EngineError> {
        if self.0.cancelled() { Err(EngineError::Cancelled) } else { Ok(()) }
    }
}

/// Was cancelled before it began.
#[cfg(test)]
pub(crate) struct Cancelled;

#[cfg(test)]
impl Progress for Cancelled {
    fn cancelled(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_thousand_steps_ask_once() {
        let poll = Poll::new(&Cancelled);
        let asked = (0..10 * STEPS).filter(|_| poll.step().is_err()).count();
        assert!((9..=10).contains(&asked), "{asked}");
        assert!(poll.now().is_err() && Poll::new(&crate::Silent).now().is_ok());
    }
}
