//! What is open in a process, and is opened again in a process that was forked from it.

use crate::errors;
use lookalike::LookalikeError;
use pyo3::prelude::*;
use std::process;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Opens something.
type Open<T> = Box<dyn Fn() -> Result<T, LookalikeError> + Send + Sync>;

/// Files that are open for reading. A forked process opens them itself: what it inherits shares
/// locks and offsets with the process that opened it, so it is left alone there.
pub(crate) struct PerProcess<T> {
    open: Open<T>,
    /// With the process that opened it; `None` once it is closed.
    current: Mutex<Option<(u32, Arc<T>)>>,
}

impl<T: Send + Sync> PerProcess<T> {
    /// # Errors
    /// Those of `open`.
    pub(crate) fn new(
        py: Python<'_>,
        open: impl Fn() -> Result<T, LookalikeError> + Send + Sync + 'static,
    ) -> PyResult<Self> {
        let opened = py.detach(&open).map_err(|error| errors::exception(py, error))?;
        let current = Mutex::new(Some((process::id(), Arc::new(opened))));
        Ok(Self { open: Box::new(open), current })
    }

    /// # Errors
    /// It was closed; it cannot be opened in this process.
    pub(crate) fn get(&self, py: Python<'_>) -> PyResult<Arc<T>> {
        let mut current = self.lock();
        match &*current {
            None => Err(errors::failure(py, "closed", "the index is closed; open it again")),
            Some((pid, opened)) if *pid == process::id() => Ok(Arc::clone(opened)),
            Some(_) => {
                let opened = (self.open)().map_err(|error| errors::exception(py, error))?;
                let opened = Arc::new(opened);
                std::mem::forget(current.replace((process::id(), Arc::clone(&opened))));
                Ok(opened)
            }
        }
    }

    /// Closes it; calls that use it go on.
    pub(crate) fn close(&self) {
        leave_alone_if_forked(self.lock().take());
    }

    fn lock(&self) -> MutexGuard<'_, Option<(u32, Arc<T>)>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Drop for PerProcess<T> {
    fn drop(&mut self) {
        let current = self.current.get_mut().unwrap_or_else(PoisonError::into_inner);
        leave_alone_if_forked(current.take());
    }
}

/// Drops what this process has opened, and nothing that it has inherited.
pub(crate) fn leave_alone_if_forked<T>(opened: Option<(u32, T)>) {
    match opened {
        Some((pid, opened)) if pid != process::id() => std::mem::forget(opened),
        _ => {}
    }
}
