//! `passages`.

use crate::answer::Options;
use crate::array::Array;
use crate::call::{Watch, detached};
use crate::column_batch::Columns;
use crate::documents::Documents;
use crate::table::Table;
use crate::{errors, settings};
use arrow_array::{BooleanArray, UInt64Array};
use lookalike::passages::PassageSettings;
use lookalike::{LookalikeError, Resources};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;

/// The repeated passages of documents, and what of them is cut.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub(crate) struct Passages(lookalike::passages::Passages);

impl Passages {
    fn rows(&self) -> usize {
        self.0.records.map_or(0, |records| records as usize)
    }

    fn removed_rows(&self) -> impl Iterator<Item = usize> {
        self.0.removed.iter().map(|place| place.index())
    }
}

#[pymethods]
impl Passages {
    /// Numbers of the rows of which nothing is left, ascending.
    fn removed(&self) -> Array {
        let rows = self.removed_rows().map(|row| row as u64);
        Array::new(Arc::new(UInt64Array::from_iter_values(rows)))
    }

    /// For each row whether it stays.
    fn mask(&self) -> Array {
        let mut stays = vec![true; self.rows()];
        self.removed_rows().for_each(|row| stays[row] = false);
        Array::new(Arc::new(BooleanArray::from(stays)))
    }

    /// The table `passages`, `cuts`, `edits` or `near`; `None` if nothing was to be cut, or near passages were
    /// not asked for.
    fn table(&self, name: &str) -> PyResult<Option<Table>> {
        Ok(match name {
            "passages" => Some(Table::of(&self.0.passages)),
            "cuts" => self.0.cuts.as_ref().map(Table::of),
            "edits" => self.0.edits.as_ref().map(Table::of),
            "near" => self.0.near.as_ref().map(Table::of),
            _ => return Err(PyValueError::new_err(format!("no table {name:?}"))),
        })
    }

    /// The table `problems`.
    fn problems(&self, py: Python<'_>) -> PyResult<Table> {
        let problems = self.0.problems_table();
        Ok(Table::of(&problems.map_err(|error| errors::exception(py, error))?))
    }

    /// The summary as JSON.
    fn summary(&self, py: Python<'_>) -> PyResult<String> {
        self.0.summary.to_json().map_err(|error| errors::exception(py, error.into()))
    }

    /// The rows of the summary as the command prints it, and its warnings.
    fn summary_rows(&self) -> (Vec<(String, String)>, Vec<String>) {
        (self.0.summary.table(), self.0.summary.warnings.clone())
    }

    /// Number of rows.
    fn __len__(&self) -> usize {
        self.rows()
    }
}

/// Finds the passages that stand at several places of documents.
#[pyfunction]
#[pyo3(signature = (documents, settings, passages, options))]
pub(crate) fn passages(
    py: Python<'_>,
    documents: Documents,
    settings: &str,
    passages: &str,
    options: Options,
) -> PyResult<Passages> {
    let settings = settings::parse(py, settings)?;
    let passages = parse(py, passages)?;
    let Options { threads, memory, scratch, strict, max_pairs, progress, cancelled } = options;
    let resources = Resources { threads, memory, scratch, strict, max_pairs };
    let read =
        passages.of_documents(&settings, false).map_err(|error| errors::exception(py, error))?;
    let source = documents.source(Columns::of(&read));
    let watch = Watch::new(progress, cancelled);
    let found = detached(py, &watch, |progress| {
        lookalike::passages::passages(source, &settings, &passages, &resources, progress)
    })?;
    Ok(Passages(found))
}

/// Settings of passages from JSON.
///
/// # Errors
/// Unknown settings, or values of another type.
pub(crate) fn parse(py: Python<'_>, passages: &str) -> PyResult<PassageSettings> {
    serde_json::from_str::<PassageSettings>(passages).map_err(|error| {
        let message = error.to_string();
        let what = message.split(" at line ").next().unwrap_or_default().to_owned();
        errors::exception(py, LookalikeError::Settings(what))
    })
}
