//! Ctrl-C and SIGTERM set a flag: the run stops at the next poll and leaves no incomplete result.

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// A signal that asks the process to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    /// SIGINT.
    Interrupt,
    /// SIGTERM.
    Terminate,
}

/// The number of the signal that came last; 0 for none.
static RECEIVED: OnceLock<Arc<AtomicUsize>> = OnceLock::new();

/// Listens for SIGINT and SIGTERM. A second one ends the process at once. SIGHUP keeps what the
/// parent set, so that `nohup` works.
pub(crate) fn listen() -> io::Result<()> {
    let received = RECEIVED.get_or_init(Arc::default);
    let second = Arc::new(AtomicBool::new(false));
    for (number, exit) in [(SIGINT, 130), (SIGTERM, 143)] {
        // Actions run in the order of registration: the first signal only arms the exit.
        flag::register_conditional_shutdown(number, exit, Arc::clone(&second))?;
        flag::register(number, Arc::clone(&second))?;
        flag::register_usize(number, Arc::clone(received), number as usize)?;
    }
    Ok(())
}

/// The signal that asked the process to end.
pub(crate) fn signal() -> Option<Signal> {
    match RECEIVED.get()?.load(Ordering::Relaxed) {
        0 => None,
        number if number == SIGTERM as usize => Some(Signal::Terminate),
        _ => Some(Signal::Interrupt),
    }
}
