//! Errors of the library as exceptions of the package.

use lookalike::{ErrorKind, LookalikeError};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::path::{Path, PathBuf};

/// The exception for an error: `lookalike._errors.exception` chooses its class and puts its message
/// in the words of Python.
pub(crate) fn exception(py: Python<'_>, error: LookalikeError) -> PyErr {
    let kind = match error.kind() {
        ErrorKind::Usage => "usage",
        ErrorKind::Guard => "guard",
        ErrorKind::Internal => "internal",
        ErrorKind::Cancelled => "cancelled",
        _ => "failed",
    };
    let (code, message) = (error.code(), error.to_string());
    let kept = error.kept().map(Path::to_owned);
    let cause = cause(py, error);
    let made = made(py, kind, code, &message, kept);
    made.set_cause(py, cause);
    made
}

/// The exception for a failure of this package, with a code that `_errors.py` knows.
pub(crate) fn failure(py: Python<'_>, code: &str, message: &str) -> PyErr {
    made(py, "failed", code, message, None)
}

fn made(py: Python<'_>, kind: &str, code: &str, message: &str, kept: Option<PathBuf>) -> PyErr {
    let made = py
        .import("lookalike._errors")
        .and_then(|module| module.getattr("exception"))
        .and_then(|make| make.call1((kind, code, message, kept)));
    match made {
        Ok(exception) => PyErr::from_value(exception),
        Err(_) => PyRuntimeError::new_err(message.to_owned()),
    }
}

/// The exception of a caller's source, if it raised one.
fn cause(py: Python<'_>, error: LookalikeError) -> Option<PyErr> {
    let LookalikeError::Source { error, .. } = error else { return None };
    error.downcast_ref::<PyErr>().map(|raised| raised.clone_ref(py))
}
