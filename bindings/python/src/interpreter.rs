//! The interpreter that the extension module belongs to.

use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Address of the module `sys` of the first interpreter, each of which has its own; 0 before.
static FIRST: AtomicUsize = AtomicUsize::new(0);

/// Refuses interpreters of the process other than the first. Python copies a module that is loaded
/// into them, and its objects would be shared.
#[pyfunction]
pub(crate) fn refuse_subinterpreters(py: Python<'_>) -> PyResult<()> {
    let own = py.import("sys")?.as_ptr() as usize;
    match FIRST.compare_exchange(0, own, Ordering::SeqCst, Ordering::SeqCst) {
        Err(first) if first != own => Err(PyImportError::new_err(
            "lookalike does not support subinterpreters; use processes or threads",
        )),
        _ => Ok(()),
    }
}
