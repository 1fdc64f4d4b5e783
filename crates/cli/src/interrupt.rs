//! Ctrl-C in, a flag out: the run stops at the next chance and leaves no half-written result.

use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Listens for Ctrl-C and SIGTERM. A second one ends the process on the spot.
pub(crate) fn listen() -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    })
}

/// Whether the user asked to stop.
pub(crate) fn requested() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}
