//! The answer of `dedup` and `cluster`.

use crate::array::Array;
use crate::table::{Table, table_format};
use crate::{errors, pickle};
use arrow_array::{BooleanArray, UInt64Array};
use lookalike::Job;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};
use std::path::PathBuf;
use std::sync::Arc;

/// What a call may take, and what it is told.
#[derive(FromPyObject)]
pub(crate) struct Options {
    pub(crate) threads: usize,
    pub(crate) memory: Option<u64>,
    pub(crate) scratch: Option<PathBuf>,
    pub(crate) strict: bool,
    pub(crate) max_pairs: Option<u64>,
    pub(crate) progress: Option<Py<PyAny>>,
    pub(crate) cancelled: Option<Py<PyAny>>,
}

/// What became of the documents of a call, and why.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub(crate) struct Answer(lookalike::Answer);

impl Answer {
    pub(crate) fn new(answer: lookalike::Answer) -> Self {
        Self(answer)
    }

    fn rows(&self) -> usize {
        self.0.records().map_or(0, |records| records as usize)
    }

    fn removed_rows(&self) -> impl Iterator<Item = usize> {
        self.0.removals().map(|row| row.removed.record as usize - 1)
    }
}

#[pymethods]
impl Answer {
    /// Numbers of the rows that stay, ascending. Rows that could not be read are not among them.
    fn kept(&self) -> Array {
        let rows = self.0.kept().iter().map(|place| place.index() as u64);
        Array::new(Arc::new(UInt64Array::from_iter_values(rows)))
    }

    /// Numbers of the rows that are removed, ascending.
    fn removed(&self) -> Array {
        let mut rows: Vec<u64> = self.removed_rows().map(|row| row as u64).collect();
        rows.sort_unstable();
        Array::new(Arc::new(UInt64Array::from(rows)))
    }

    /// For each row whether it stays. Rows that could not be read stay, or go with `drop_problems`.
    fn mask(&self, drop_problems: bool) -> Array {
        let mut stays = vec![!drop_problems; self.rows()];
        match drop_problems {
            true => self.0.kept().iter().for_each(|place| stays[place.index()] = true),
            false => self.removed_rows().for_each(|row| stays[row] = false),
        }
        Array::new(Arc::new(BooleanArray::from(stays)))
    }

    /// The table `ledger`, `pairs`, `clusters`, `documents` or `problems`.
    fn table(&self, py: Python<'_>, name: &str) -> PyResult<Table> {
        let answer = &self.0;
        Ok(Table::of(match name {
            "ledger" => answer.ledger(),
            "pairs" => answer.pairs(),
            "clusters" => answer.clusters(),
            "documents" => answer.documents(),
            "problems" => {
                let table = answer.problems_table();
                return Ok(Table::of(&table.map_err(|error| errors::exception(py, error))?));
            }
            _ => return Err(PyValueError::new_err(format!("no table {name:?}"))),
        }))
    }

    /// The content of `summary.json`.
    fn summary(&self, py: Python<'_>) -> PyResult<String> {
        self.0.summary.to_json().map_err(|error| errors::exception(py, error.into()))
    }

    /// The rows of the summary as the command prints it, and its warnings.
    fn summary_rows(&self) -> (Vec<(String, String)>, Vec<String>) {
        (self.0.summary.table(), self.0.summary.warnings.clone())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        let parts = pickle::to_bytes(&slf.get().0)?;
        let parts = parts.iter().map(|part| PyBytes::new(py, part));
        (slf.get_type().getattr("_of_parts")?, (PyList::new(py, parts)?,)).into_pyobject(py)
    }

    #[staticmethod]
    fn _of_parts(py: Python<'_>, parts: Vec<Vec<u8>>) -> PyResult<Self> {
        pickle::of_bytes(py, &parts).map(Self)
    }

    /// Number of rows.
    fn __len__(&self) -> usize {
        self.rows()
    }

    /// Writes the tables and the summary to a directory, whole or not at all.
    fn write(&self, py: Python<'_>, output: PathBuf, force: bool, tables: &str) -> PyResult<()> {
        let tables = table_format(tables)?;
        let job = Job { force, tables, report: false, ..Job::new(Vec::new(), output) };
        let written = py.detach(|| self.0.write(&job));
        written.map(|_| ()).map_err(|error| errors::exception(py, error))
    }
}
