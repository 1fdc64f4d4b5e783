//! Progress reports of a long step, and its cancellation.

use crate::JoinError;

/// Receives progress; called from any thread, at most a few thousand times a second.
pub trait Progress: Sync {
    /// A step of the whole job begins: its number, from 1, and how many there are.
    fn step(&self, _number: u32, _of: u32) {}

    /// A phase begins; `total` bytes of input or units of work are ahead, where that is known.
    fn phase(&self, _name: &'static str, _total: Option<u64>) {}

    /// This much of the phase is done: amounts, not totals.
    fn advance(&self, _amount: u64, _documents: u64) {}

    /// Whether the user asked to stop. Called on any thread, once for a block of some thousand sets
    /// or keys.
    fn cancelled(&self) -> bool {
        false
    }
}

/// Ignores progress and never cancels.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {}

/// An error if the user asked to stop. Called once for a block of sets or keys, never for each.
pub(crate) fn stop_if_cancelled(progress: &dyn Progress) -> Result<(), JoinError> {
    if progress.cancelled() { Err(JoinError::Cancelled) } else { Ok(()) }
}
