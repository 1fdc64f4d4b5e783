//! Steps of a run that another engine shuffles between.

use crate::table::Table;
use crate::{errors, passages, settings};
use arrow_array::RecordBatch;
use lookalike::LookalikeError;
use lookalike::distributed::steps::{self, StepContext, StepOptions, digest_of_sums, step};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3_arrow::{PyRecordBatch, PyRecordBatchReader};
use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

/// A step in one task.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub(crate) struct Step(Mutex<Box<dyn steps::Step>>);

#[pymethods]
impl Step {
    /// Makes a step of its description, for settings and what is asked, each as JSON; `data` is what
    /// some steps need besides.
    #[new]
    fn new(
        py: Python<'_>,
        settings: &str,
        options: &str,
        description: &str,
        data: &[u8],
    ) -> PyResult<Self> {
        let settings = settings::parse(py, settings)?;
        let options = serde_json::from_str::<StepOptions>(options)
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        let made = StepContext::new(&settings, options)
            .and_then(|context| step(&context, description, data));
        let made = made.map_err(|error| errors::exception(py, error))?;
        Ok(Self(Mutex::new(made)))
    }

    /// Names and types of the columns that it makes.
    fn columns(&self) -> Vec<(String, String)> {
        let schema = self.0.lock().unwrap_or_else(PoisonError::into_inner).schema();
        let fields = schema.fields().iter();
        fields.map(|field| (field.name().clone(), field.data_type().to_string())).collect()
    }

    /// Takes the next rows; returns those that are complete, if there are any.
    fn push(&self, py: Python<'_>, batch: PyRecordBatch) -> PyResult<Option<Table>> {
        let batch = batch.into_inner();
        self.call(py, |step| step.push(&batch))
    }

    /// Ends the task; returns the rows that are left, if there are any.
    fn finish(&self, py: Python<'_>) -> PyResult<Option<Table>> {
        self.call(py, |step| step.finish())
    }
}

impl Step {
    fn call(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut dyn steps::Step) -> Result<Vec<RecordBatch>, LookalikeError> + Send,
    ) -> PyResult<Option<Table>> {
        let made = py.detach(|| {
            let mut step = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            work(step.as_mut())
        });
        let batches = made.map_err(|error| errors::exception(py, error))?;
        Ok(Table::of_batches(batches))
    }
}

/// The shingles of the texts that settings ignore, which are read here, for the step `sign`.
#[pyfunction]
pub(crate) fn ignored_shingles(py: Python<'_>, settings: &str) -> PyResult<Cow<'static, [u8]>> {
    let settings = settings::parse(py, settings)?;
    let found = py.detach(|| steps::ignored_shingles(&settings));
    found.map(Cow::Owned).map_err(|error| errors::exception(py, error))
}

/// The columns of a result table of a run with these settings: each as rows of steps call it, and its name.
#[pyfunction]
pub(crate) fn result_columns(
    py: Python<'_>,
    table: &str,
    settings: &str,
) -> PyResult<Vec<(String, &'static str)>> {
    let settings = settings::parse(py, settings)?;
    steps::result_columns(table, &settings).map_err(|error| errors::exception(py, error))
}

/// The digest of a run from the sums of its rows.
#[pyfunction]
pub(crate) fn step_digest(
    py: Python<'_>,
    sums: PyRecordBatchReader,
    list: bool,
) -> PyResult<String> {
    digest_of_sums(&batches(sums)?, list).map_err(|error| errors::exception(py, error))
}

/// The columns of a table of passages: each as rows of steps call it, and its name.
#[pyfunction]
pub(crate) fn passage_columns(
    py: Python<'_>,
    table: &str,
) -> PyResult<Vec<(String, &'static str)>> {
    steps::passage_columns(table).map_err(|error| errors::exception(py, error))
}

/// The digest of a search for passages with these settings, from the sums of its rows.
#[pyfunction]
pub(crate) fn passage_digest(
    py: Python<'_>,
    sums: PyRecordBatchReader,
    passages: &str,
) -> PyResult<String> {
    let passages = passages::parse(py, passages)?;
    let digest = steps::passage_digest(&batches(sums)?, &passages);
    digest.map_err(|error| errors::exception(py, error))
}

/// The digest of near passages, from the sums of the rows of a search.
#[pyfunction]
pub(crate) fn near_digest(py: Python<'_>, sums: PyRecordBatchReader) -> PyResult<String> {
    steps::near_digest(&batches(sums)?).map_err(|error| errors::exception(py, error))
}

/// The settings of passages as JSON, with the length that they have, and the shortest window that
/// is looked for.
#[pyfunction]
pub(crate) fn passage_settings(py: Python<'_>, passages: &str) -> PyResult<(String, u32)> {
    let resolved = passages::parse(py, passages)?.resolved();
    let shortest = resolved.shortest_windows().map_err(|error| errors::exception(py, error))?;
    let json = serde_json::to_string(&resolved);
    Ok((json.map_err(|error| PyValueError::new_err(error.to_string()))?, shortest.window()))
}

/// Refuses a field that settings name and that no document has; `given` are the columns `given` of documents.
#[pyfunction]
pub(crate) fn check_given(py: Python<'_>, settings: &str, given: Vec<i64>) -> PyResult<()> {
    let settings = settings::parse(py, settings)?;
    steps::check_given(&settings, &given).map_err(|error| errors::exception(py, error))
}

/// The keys of the values that are named, from what the step `largest_values` made.
#[pyfunction]
pub(crate) fn value_keys(py: Python<'_>, values: PyRecordBatchReader) -> PyResult<Vec<u64>> {
    steps::value_keys(&batches(values)?).map_err(|error| errors::exception(py, error))
}

/// The numbers by pair of values as JSON, from what the steps `largest_values` and `value_pairs` made: of all
/// matches (`complete`), or of removals.
#[pyfunction]
pub(crate) fn across_summary(
    py: Python<'_>,
    settings: &str,
    complete: bool,
    values: PyRecordBatchReader,
    pairs: PyRecordBatchReader,
) -> PyResult<String> {
    let settings = settings::parse(py, settings)?;
    let (values, pairs) = (batches(values)?, batches(pairs)?);
    steps::across_summary(&settings, complete, &values, &pairs)
        .map_err(|error| errors::exception(py, error))
}

fn batches(rows: PyRecordBatchReader) -> PyResult<Vec<RecordBatch>> {
    let batches = rows.into_reader()?.collect::<Result<Vec<_>, _>>();
    batches.map_err(|error| PyValueError::new_err(error.to_string()))
}
