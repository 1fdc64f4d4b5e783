//! The threads on which requests run.

use std::future::Future;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Mutex, PoisonError};

use tokio::runtime::{Builder, Runtime};

/// Requests wait for the network most of the time.
const THREADS: usize = 2;

/// The runtime and the process that started it: a forked process has none of its threads.
static RUNTIME: Mutex<Option<(u32, Runtime)>> = Mutex::new(None);

/// Starts some work; its result can be received once.
///
/// Callers wait on a channel and not on the runtime, so that they may themselves be threads of
/// another runtime. If the work ends without a result, receiving fails.
pub(super) fn start<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> Receiver<T> {
    let (sender, receiver) = sync_channel(1);
    let mut known = RUNTIME.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if known.as_ref().is_none_or(|(started, _)| *started != process) {
        // That of another process cannot be shut down: it has no threads here.
        std::mem::forget(known.take());
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(THREADS).thread_name("lookalike-store").enable_all();
        *known = builder.build().ok().map(|runtime| (process, runtime));
    }
    if let Some((_, runtime)) = &*known {
        runtime.spawn(async move {
            // Nobody waits for work that was given up.
            let _ = sender.send(work.await);
        });
    }
    receiver
}

/// Does some work and waits for it. `None` if it ended without a result.
pub(super) fn wait<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> Option<T> {
    start(work).recv().ok()
}
