//! Runs work without the interpreter's lock, while the calling thread handles signals and reports
//! progress.

use crate::errors;
use lookalike::{LookalikeError, Progress};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often the calling thread looks for signals.
const POLL: Duration = Duration::from_millis(50);

/// Least time between two reports of progress.
const REPORT: Duration = Duration::from_millis(100);

/// What a caller wants to know of a call, and how it ends one.
pub(crate) struct Watch {
    /// Called with (phase, done, total or None, documents), at most ten times a second and on the
    /// calling thread.
    progress: Option<Py<PyAny>>,
    /// Returns whether the call shall end.
    cancelled: Option<Py<PyAny>>,
}

impl Watch {
    pub(crate) fn new(progress: Option<Py<PyAny>>, cancelled: Option<Py<PyAny>>) -> Self {
        Self { progress, cancelled }
    }

    /// Runs the handlers of signals.
    ///
    /// # Errors
    /// An exception of a handler; the call was cancelled.
    fn check(&self, py: Python<'_>) -> PyResult<()> {
        py.check_signals()?;
        match &self.cancelled {
            Some(cancelled) if cancelled.bind(py).call0()?.is_truthy()? => {
                Err(errors::exception(py, LookalikeError::cancelled()))
            }
            _ => Ok(()),
        }
    }
}

/// The progress of a call, written by its threads.
#[derive(Default)]
struct Reporter {
    cancelled: AtomicBool,
    /// The phase, its number, and what is ahead in it.
    phase: Mutex<(&'static str, u64, Option<u64>)>,
    done: AtomicU64,
    documents: AtomicU64,
}

impl Progress for Reporter {
    fn phase(&self, name: &'static str, total: Option<u64>) {
        let mut phase = self.phase.lock().unwrap_or_else(PoisonError::into_inner);
        *phase = (name, phase.1 + 1, total);
        self.done.store(0, Ordering::Relaxed);
        self.documents.store(0, Ordering::Relaxed);
    }

    fn advance(&self, amount: u64, documents: u64) {
        self.done.fetch_add(amount, Ordering::Relaxed);
        self.documents.fetch_add(documents, Ordering::Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

/// Runs `work` on another thread and waits for it without the interpreter's lock.
///
/// # Errors
/// Those of `work`; an exception of a signal handler (`KeyboardInterrupt`) or of the callbacks,
/// after `work` was cancelled and has ended.
pub(crate) fn detached<T: Send>(
    py: Python<'_>,
    watch: &Watch,
    work: impl FnOnce(&dyn Progress) -> Result<T, LookalikeError> + Send,
) -> PyResult<T> {
    let reporter = Reporter::default();
    watch.check(py)?;
    let (result, raised) = py.detach(|| {
        std::thread::scope(|scope| {
            let (ended, end) = channel();
            let worker = scope.spawn(|| {
                // Sent when it is dropped, also by a panic.
                let _ended = ended;
                work(&reporter)
            });
            let mut raised = None;
            let mut reports = Reports::default();
            while end.recv_timeout(POLL) == Err::<(), _>(RecvTimeoutError::Timeout) {
                if raised.is_none()
                    && let Err(error) = Python::attach(|py| reports.poll(py, watch, &reporter))
                {
                    reporter.cancelled.store(true, Ordering::Relaxed);
                    raised = Some(error);
                }
            }
            (worker.join(), raised)
        })
    });
    let result = match result {
        Ok(result) => result,
        Err(panic) => std::panic::resume_unwind(panic),
    };
    match raised {
        Some(error) => Err(error),
        None => result.map_err(|error| errors::exception(py, error)),
    }
}

/// What was reported last.
#[derive(Default)]
struct Reports {
    last: Option<Instant>,
    phase: u64,
}

impl Reports {
    fn poll(&mut self, py: Python<'_>, watch: &Watch, reporter: &Reporter) -> PyResult<()> {
        watch.check(py)?;
        let Some(progress) = &watch.progress else { return Ok(()) };
        let (name, number, total) = *reporter.phase.lock().unwrap_or_else(PoisonError::into_inner);
        let recent = self.last.is_some_and(|last| last.elapsed() < REPORT);
        if number == 0 || (recent && number == self.phase) {
            return Ok(());
        }
        (self.last, self.phase) = (Some(Instant::now()), number);
        let done = reporter.done.load(Ordering::Relaxed);
        let documents = reporter.documents.load(Ordering::Relaxed);
        progress.bind(py).call1((name, done, total, documents))?;
        Ok(())
    }
}
