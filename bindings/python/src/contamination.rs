//! `decontaminate`.

use crate::answer::Options;
use crate::array::Array;
use crate::call::{Watch, detached};
use crate::column_batch::Columns;
use crate::documents::Documents;
use crate::table::Table;
use crate::{errors, settings};
use arrow_array::{BooleanArray, UInt64Array};
use lookalike::contamination::{ContaminationSettings, contamination_preset};
use lookalike::{LookalikeError, Resources};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;

/// Which documents contain which items of benchmarks.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub(crate) struct Contamination(lookalike::contamination::Contamination);

impl Contamination {
    fn rows(&self) -> impl Iterator<Item = usize> {
        self.0.documents.iter().map(|place| place.index())
    }
}

#[pymethods]
impl Contamination {
    /// Numbers of the rows that contain an item, ascending.
    fn contaminated(&self) -> Array {
        Array::new(Arc::new(UInt64Array::from_iter_values(self.rows().map(|row| row as u64))))
    }

    /// For each row whether it contains none.
    fn mask(&self) -> Array {
        let mut clean = vec![true; self.0.records.map_or(0, |records| records as usize)];
        self.rows().for_each(|row| clean[row] = false);
        Array::new(Arc::new(BooleanArray::from(clean)))
    }

    /// The table `contamination`, `spans`, `items` or `benchmarks`.
    fn table(&self, name: &str) -> PyResult<Table> {
        Ok(Table::of(match name {
            "contamination" => &self.0.contamination,
            "spans" => &self.0.spans,
            "items" => &self.0.items,
            "benchmarks" => &self.0.benchmarks,
            _ => return Err(PyValueError::new_err(format!("no table {name:?}"))),
        }))
    }

    /// The summary as JSON.
    fn summary(&self, py: Python<'_>) -> PyResult<String> {
        self.0.summary.to_json().map_err(|error| errors::exception(py, error.into()))
    }

    /// The rows of the summary as the command prints it, and its warnings.
    fn summary_rows(&self) -> (Vec<(String, String)>, Vec<String>) {
        (self.0.summary.table(), self.0.summary.warnings.clone())
    }
}

/// Finds the documents that contain items of a benchmark.
#[pyfunction]
#[pyo3(signature = (documents, against, settings, contamination, options))]
pub(crate) fn decontaminate(
    py: Python<'_>,
    documents: Documents,
    against: Documents,
    settings: &str,
    contamination: &str,
    options: Options,
) -> PyResult<Contamination> {
    let settings = settings::parse(py, settings)?;
    let parsed = serde_json::from_str::<ContaminationSettings>(contamination);
    let contamination = parsed.map_err(|error| {
        let message = error.to_string();
        let what = message.split(" at line ").next().unwrap_or_default().to_owned();
        errors::exception(py, LookalikeError::Settings(what))
    })?;
    let Options { threads, memory, scratch, strict, max_pairs, progress, cancelled } = options;
    let resources = Resources { threads, memory, scratch, strict, max_pairs };
    let source = documents.source(Columns::of(&settings));
    let of_items = Columns::of(&contamination.of_items(&settings));
    let items = against.source(of_items.with_given(contamination.item_fields.clone()));
    let watch = Watch::new(progress, cancelled);
    let found = detached(py, &watch, |progress| {
        lookalike::contamination::decontaminate(
            source,
            items,
            &settings,
            &contamination,
            &resources,
            progress,
        )
    })?;
    Ok(Contamination(found))
}

/// The settings of a preset of `decontaminate`, as JSON.
#[pyfunction]
pub(crate) fn contamination_settings(py: Python<'_>, preset: Option<&str>) -> PyResult<String> {
    let settings = match preset {
        None => ContaminationSettings::default(),
        Some(name) => {
            let preset = contamination_preset(name);
            preset.map_err(|error| errors::exception(py, error))?.settings()
        }
    };
    serde_json::to_string(&settings).map_err(|error| PyValueError::new_err(error.to_string()))
}
