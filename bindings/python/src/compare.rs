//! Two documents side by side.

use crate::call::{Watch, detached};
use crate::column_batch::Columns;
use crate::documents::Documents;
use crate::{errors, settings};
use lookalike::results::{DocumentComparison, TextStyle};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Compares two texts.
#[pyfunction]
pub(crate) fn compare_texts(
    py: Python<'_>,
    a: &str,
    b: &str,
    settings: &str,
) -> PyResult<Compared> {
    let settings = settings::parse(py, settings)?;
    let compared = py.detach(|| lookalike::compare_texts(a, b, &settings));
    compared.map(Compared).map_err(|error| errors::exception(py, error))
}

/// Compares two documents of a collection, each named by its id or as `NAME:RECORD`.
#[pyfunction]
pub(crate) fn compare_rows(
    py: Python<'_>,
    documents: Documents,
    a: &str,
    b: &str,
    settings: &str,
) -> PyResult<Compared> {
    let settings = settings::parse(py, settings)?;
    let source = documents.source(Columns::of(&settings));
    let watch = Watch::new(None, None);
    detached(py, &watch, |_| lookalike::results::compare_in(source, a, b, &settings)).map(Compared)
}

/// A comparison of two documents.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub(crate) struct Compared(DocumentComparison);

impl Compared {
    pub(crate) fn new(comparison: DocumentComparison) -> Self {
        Self(comparison)
    }
}

#[pymethods]
impl Compared {
    /// The comparison as JSON.
    fn json(&self) -> PyResult<String> {
        let json = serde_json::to_string(&self.0.comparison());
        json.map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// The comparison as the command prints it.
    fn text(&self, width: usize, colour: bool) -> String {
        self.0.text(&TextStyle { colour, width, ..TextStyle::default() })
    }
}
