//! `dedup` and `cluster`, and their report.

use crate::answer::{Answer, Options};
use crate::call::{Watch, detached};
use crate::column_batch::Columns;
use crate::documents::Documents;
use crate::index::IndexReader;
use crate::settings;
use lookalike::results::report_in;
use lookalike::{Index, Resources, Settings, Source};
use pyo3::prelude::*;

/// Finds the near-duplicates of documents: removes them, or with `list_pairs` lists all pairs.
#[pyfunction]
#[pyo3(signature = (documents, settings, options, *, list_pairs, against = None, index = None, only_against = false))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn find(
    py: Python<'_>,
    documents: Documents,
    settings: &str,
    options: Options,
    list_pairs: bool,
    against: Option<Documents>,
    index: Option<&IndexReader>,
    only_against: bool,
) -> PyResult<Answer> {
    let settings = settings::parse(py, settings)?;
    // Before the source, which borrows it.
    let index = index.map(|index| index.index(py)).transpose()?;
    let source = source(documents, against, index.as_deref(), only_against, &settings);
    let (resources, watch) = of_call(options);
    let call = if list_pairs { lookalike::cluster } else { lookalike::dedup };
    let answer = detached(py, &watch, |progress| call(source, &settings, &resources, progress))?;
    Ok(Answer::new(answer))
}

/// The digest of a result, its page, and the names and contents of the files that the page loads from
/// beside it.
type Drawn = (String, String, Vec<(String, String)>);

/// The report of the same call, which is made again.
#[pyfunction]
#[pyo3(signature = (documents, settings, options, report_size, *, list_pairs, against = None, index = None, only_against = false))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn report(
    py: Python<'_>,
    documents: Documents,
    settings: &str,
    options: Options,
    report_size: u64,
    list_pairs: bool,
    against: Option<Documents>,
    index: Option<&IndexReader>,
    only_against: bool,
) -> PyResult<Drawn> {
    let settings = settings::parse(py, settings)?;
    let index = index.map(|index| index.index(py)).transpose()?;
    let source = source(documents, against, index.as_deref(), only_against, &settings);
    let (resources, watch) = of_call(options);
    let (answer, page) = detached(py, &watch, |progress| {
        report_in(source, &settings, &resources, list_pairs, report_size, progress)
    })?;
    let files = page.files.into_iter().map(|file| (file.name, file.content)).collect();
    Ok((answer.summary.digest, page.html, files))
}

/// The documents, and those that they are compared with.
fn source<'a>(
    documents: Documents,
    against: Option<Documents>,
    index: Option<&'a Index>,
    only_against: bool,
    settings: &Settings,
) -> Source<'a> {
    let source = documents.source(Columns::of(settings));
    match (against, index) {
        (None, None) => source,
        (None, Some(index)) if only_against => source.only_against_index(index),
        (None, Some(index)) => source.against_index(index),
        (Some(against), _) => {
            let against = against.source(Columns::of(settings));
            if only_against { source.only_against(against) } else { source.against(against) }
        }
    }
}

/// What a call may take, and what it is told.
fn of_call(options: Options) -> (Resources, Watch) {
    let Options { threads, memory, scratch, strict, max_pairs, progress, cancelled } = options;
    (Resources { threads, memory, scratch, strict, max_pairs }, Watch::new(progress, cancelled))
}
