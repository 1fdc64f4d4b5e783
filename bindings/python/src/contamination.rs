//! `decontaminate`.

use crate::answer::Options;
use crate::array::Array;
use crate::call::{Watch, detached};
use crate::column_batch::Columns;
use crate::documents::Documents;
use crate::table::Table;
use crate::{errors, settings};
use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, StringArray, UInt64Array};
use lookalike::contamination::{ContaminatedDocument, ContaminationSettings, contamination_preset};
use lookalike::{LookalikeError, Record, Resources, Settings, Source};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::borrow::Cow;
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
    let contamination = parse(py, contamination)?;
    let Options { threads, memory, scratch, strict, max_pairs, progress, cancelled } = options;
    let resources = Resources { threads, memory, scratch, strict, max_pairs };
    let source = documents.source(Columns::of(&settings));
    let items = against.source(columns_of_items(&settings, &contamination));
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

/// The items of benchmarks, to be looked for in portions of documents.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub(crate) struct PortionSearch {
    search: lookalike::contamination::PortionSearch,
    columns: Columns,
}

/// Which n-grams of items count.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub(crate) struct CountedNgrams(lookalike::contamination::CountedNgrams);

/// What was found in a portion.
#[pyclass(frozen, get_all, module = "lookalike._lookalike")]
pub(crate) struct Portion {
    contamination: Py<Table>,
    spans: Py<Table>,
    /// What is written about each document that contains a part.
    contaminated: Py<Table>,
    found: Vec<u8>,
    documents: u64,
    problems: u64,
}

#[pymethods]
impl PortionSearch {
    /// Reads the items.
    #[new]
    fn new(
        py: Python<'_>,
        against: Documents,
        settings: &str,
        contamination: &str,
    ) -> PyResult<Self> {
        let settings = settings::parse(py, settings)?;
        let contamination = parse(py, contamination)?;
        let items = against.source(columns_of_items(&settings, &contamination));
        let search = py.detach(|| {
            lookalike::contamination::PortionSearch::new(items, &settings, &contamination)
        });
        let search = search.map_err(|error| errors::exception(py, error))?;
        Ok(Self { search, columns: Columns::of(&settings) })
    }

    /// Numbers of the n-grams that are in any document of a portion, and of these documents.
    fn counts(&self, py: Python<'_>, documents: Documents) -> PyResult<(Array, Array)> {
        let source = documents.source(self.columns.clone());
        let counts = py.detach(|| self.search.counts(source));
        let counts = counts.map_err(|error| errors::exception(py, error))?;
        let column = |of: fn(&(u32, u32)) -> u32| {
            let values = counts.iter().map(|count| i64::from(of(count)));
            Array::new(Arc::new(Int64Array::from_iter_values(values)))
        };
        Ok((column(|count| count.0), column(|count| count.1)))
    }

    /// Which n-grams count, by pairs of the number of an n-gram and the number of documents that have it.
    fn counted(&self, py: Python<'_>, documents: Vec<(u32, u64)>) -> CountedNgrams {
        CountedNgrams(py.detach(|| self.search.counted(&documents)))
    }

    /// Finds the documents of a portion that contain items.
    fn find(
        &self,
        py: Python<'_>,
        documents: Documents,
        counted: &CountedNgrams,
    ) -> PyResult<Portion> {
        let source = documents.source(self.columns.clone());
        self.portion(py, source, counted)
    }

    /// What is found in a portion without documents: its tables have the columns of all.
    fn empty(&self, py: Python<'_>) -> PyResult<Portion> {
        let none = Source::repeatable_records(Vec::<Record>::new);
        self.portion(py, none, &CountedNgrams(self.search.counted(&[])))
    }

    /// The tables `items` and `benchmarks`, from what was found in all portions.
    fn items(
        &self,
        py: Python<'_>,
        found: &[u8],
        counted: &CountedNgrams,
    ) -> PyResult<(Table, Table)> {
        let made = self.search.items(found, &counted.0);
        let made = made.map_err(|error| errors::exception(py, error))?;
        Ok((Table::of(&made.items), Table::of(&made.benchmarks)))
    }
}

impl PortionSearch {
    fn portion(
        &self,
        py: Python<'_>,
        source: Source<'_>,
        counted: &CountedNgrams,
    ) -> PyResult<Portion> {
        let found = py.detach(|| self.search.find(source, &counted.0));
        let found = found.map_err(|error| errors::exception(py, error))?;
        Ok(Portion {
            contamination: Py::new(py, Table::of(&found.contamination))?,
            spans: Py::new(py, Table::of(&found.spans))?,
            contaminated: Py::new(py, table_of(&found.contaminated)?)?,
            found: found.found,
            documents: found.documents,
            problems: found.problems,
        })
    }
}

/// Rows about documents: the fields that the action `mark` adds but the first, and the text that `cut` leaves.
fn table_of(documents: &[ContaminatedDocument]) -> PyResult<Table> {
    let text = |of: fn(&ContaminatedDocument) -> Option<&str>| -> ArrayRef {
        Arc::new(documents.iter().map(of).collect::<StringArray>())
    };
    let number = |of: fn(&ContaminatedDocument) -> i64| -> ArrayRef {
        Arc::new(Int64Array::from_iter_values(documents.iter().map(of)))
    };
    let shares = Float64Array::from_iter_values(documents.iter().map(|document| document.share));
    Table::of_arrays([
        ("id", text(|document| Some(&document.id))),
        ("record", number(|document| document.record.into())),
        ("contaminated_items", number(|document| document.items as i64)),
        ("contaminated_item", text(|document| Some(&document.item))),
        ("contaminated_benchmark", text(|document| Some(&document.benchmark))),
        ("contaminated_share", Arc::new(shares) as ArrayRef),
        ("contaminated_left", text(|document| document.left.as_deref())),
    ])
}

/// What was found of the items in several portions.
#[pyfunction]
pub(crate) fn add_found(py: Python<'_>, portions: Vec<Vec<u8>>) -> PyResult<Cow<'static, [u8]>> {
    let found = lookalike::contamination::add_found(portions.iter().map(Vec::as_slice));
    found.map(Cow::Owned).map_err(|error| errors::exception(py, error))
}

fn parse(py: Python<'_>, contamination: &str) -> PyResult<ContaminationSettings> {
    serde_json::from_str::<ContaminationSettings>(contamination).map_err(|error| {
        let message = error.to_string();
        let what = message.split(" at line ").next().unwrap_or_default().to_owned();
        errors::exception(py, LookalikeError::Settings(what))
    })
}

fn columns_of_items(settings: &Settings, contamination: &ContaminationSettings) -> Columns {
    Columns::of(&contamination.of_items(settings)).with_given(contamination.item_fields.clone())
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
