//! The documents of a call: Arrow streams, or batches that Python code makes.

use crate::column_batch::{Columns, batch_of};
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::Schema;
use lookalike::{Source, SourceError};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator};
use pyo3_arrow::PyRecordBatchReader;
use std::sync::Arc;

/// Documents, as the package's Python code describes them.
#[derive(FromPyObject)]
pub(crate) struct Documents {
    /// Makes an Arrow stream (an object with `__arrow_c_stream__`), or an iterator over batches:
    /// objects with `__arrow_c_stream__` or `__arrow_c_array__`, or dictionaries of lists by name
    /// of the column.
    open: Py<PyAny>,
    /// Whether `open` can be called several times, for the same documents.
    repeatable: bool,
    /// What tables call the documents.
    name: String,
    /// Columns that have to be there.
    required: Vec<String>,
}

impl Documents {
    /// The documents as a source that is read without the interpreter's lock.
    pub(crate) fn source<'a>(self, columns: Columns) -> Source<'a> {
        let Self { open, repeatable, name, required } = self;
        let opener = Arc::new(Opener { open, required, columns });
        let source = match repeatable {
            true => Source::try_repeatable_batches(move || Batches::begin(&opener)),
            false => Source::try_batches(Batches::begin(&opener)),
        };
        source.named(name)
    }
}

/// Documents in memory, or in files.
#[derive(FromPyObject)]
pub(crate) enum Input {
    Documents(Documents),
    Files(Vec<String>),
}

impl Input {
    pub(crate) fn source<'a>(self, columns: Columns) -> Source<'a> {
        match self {
            Self::Documents(documents) => documents.source(columns),
            Self::Files(paths) => Source::files(paths),
        }
    }
}

struct Opener {
    open: Py<PyAny>,
    required: Vec<String>,
    columns: Columns,
}

impl Opener {
    /// Calls `open`.
    fn open(&self) -> PyResult<Items> {
        Python::attach(|py| {
            let opened = self.open.bind(py).call0()?;
            if opened.hasattr(intern!(py, "__arrow_c_stream__"))? {
                let reader = opened.extract::<PyRecordBatchReader>()?.into_reader()?;
                return Ok(Items::Stream(reader));
            }
            Ok(Items::Python(opened.try_iter()?.unbind()))
        })
    }

    fn check(&self, schema: &Schema) -> Result<(), SourceError> {
        let names = || schema.fields().iter().map(|field| format!("`{}`", field.name()));
        let missing = |name: &&String| !lookalike::input::has_field(schema, name);
        match self.required.iter().find(missing) {
            None => Ok(()),
            Some(name) => {
                let there = names().collect::<Vec<_>>().join(", ");
                Err(format!("there is no column `{name}`; the columns are {there}").into())
            }
        }
    }
}

/// Where batches come from.
enum Items {
    Stream(Box<dyn RecordBatchReader + Send>),
    Python(Py<PyIterator>),
}

/// The batches of one reading. It is opened when the first batch is asked for.
struct Batches {
    opener: Arc<Opener>,
    items: Option<Items>,
    /// Batches of a Python object that has several, the next one last.
    waiting: Vec<RecordBatch>,
    over: bool,
}

impl Batches {
    fn begin(opener: &Arc<Opener>) -> Self {
        Self { opener: Arc::clone(opener), items: None, waiting: Vec::new(), over: false }
    }

    fn next_batch(&mut self) -> Result<Option<RecordBatch>, SourceError> {
        let items = match &mut self.items {
            Some(items) => items,
            items => items.insert(self.opener.open()?),
        };
        loop {
            if let Some(batch) = self.waiting.pop() {
                return Ok(Some(batch));
            }
            match items {
                Items::Stream(reader) => return Ok(reader.next().transpose()?),
                Items::Python(iterator) => {
                    let taken = Python::attach(|py| {
                        let Some(item) = iterator.bind(py).clone().next().transpose()? else {
                            return Ok(false);
                        };
                        self.waiting = batches_of(&item, &self.opener.columns)?;
                        self.waiting.reverse();
                        Ok::<bool, SourceError>(true)
                    })?;
                    if !taken {
                        return Ok(None);
                    }
                }
            }
        }
    }
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, SourceError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        let batch = self.next_batch().and_then(|batch| {
            if let Some(batch) = &batch {
                self.opener.check(batch.schema_ref())?;
            }
            Ok(batch)
        });
        self.over = !matches!(batch, Ok(Some(_)));
        batch.transpose()
    }
}

/// The record batches of an item that Python code made.
fn batches_of(item: &Bound<'_, PyAny>, columns: &Columns) -> Result<Vec<RecordBatch>, SourceError> {
    if let Ok(lists) = item.cast::<PyDict>() {
        return Ok(vec![batch_of(lists, columns)?]);
    }
    let py = item.py();
    for name in [intern!(py, "__arrow_c_stream__"), intern!(py, "__arrow_c_array__")] {
        if item.hasattr(name)? {
            let reader = match name == "__arrow_c_stream__" {
                true => item.extract::<PyRecordBatchReader>()?.into_reader()?,
                false => {
                    let batch = item.extract::<pyo3_arrow::PyRecordBatch>()?.into_inner();
                    return Ok(vec![batch]);
                }
            };
            return Ok(reader.collect::<Result<_, _>>()?);
        }
    }
    let kind = item.get_type().name()?;
    Err(PyTypeError::new_err(format!("a batch of documents is a {kind}")).into())
}
