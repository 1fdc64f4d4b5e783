//! Creating an index.

use crate::answer::Options;
use crate::call::{Watch, detached};
use crate::column_batch::Columns;
use crate::documents::Input;
use crate::{errors, settings};
use lookalike::{IndexWriter, LookalikeError, index::IndexSettings};
use pyo3::prelude::*;
use std::path::PathBuf;

/// Creates an empty index with settings in JSON; a lean one, perhaps with a sample of documents.
#[pyfunction]
#[pyo3(signature = (path, settings, options, sample = None, fields = None))]
pub(crate) fn create_index(
    py: Python<'_>,
    path: PathBuf,
    settings: &str,
    options: Options,
    sample: Option<Input>,
    fields: Option<&str>,
) -> PyResult<()> {
    let settings: IndexSettings = serde_json::from_str(settings)
        .map_err(|error| errors::exception(py, LookalikeError::Settings(error.to_string())))?;
    let fields = fields.map(|fields| settings::parse(py, fields)).transpose()?.unwrap_or_default();
    let sample = sample.map(|sample| sample.source(Columns::of(&fields)));
    let Options { threads, progress, cancelled, .. } = options;
    let watch = Watch::new(progress, cancelled);
    detached(py, &watch, |progress| {
        let created = match sample {
            None => IndexWriter::create(&path, settings, threads),
            Some(sample) => {
                IndexWriter::create_with_sample(&path, settings, sample, &fields, progress, threads)
            }
        };
        created.map(drop)
    })
}
