//! `dedup` and `cluster`.

use crate::answer::{Answer, Options};
use crate::call::{Watch, detached};
use crate::column_batch::Columns;
use crate::documents::Documents;
use crate::index::IndexReader;
use crate::settings;
use lookalike::Resources;
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
    let Options { threads, memory, scratch, strict, max_pairs, progress, cancelled } = options;
    let resources = Resources { threads, memory, scratch, strict, max_pairs };
    // Before the source, which borrows it.
    let index = index.map(|index| index.index(py)).transpose()?;
    let source = documents.source(Columns::of(&settings));
    let source = match (against, &index) {
        (None, None) => source,
        (None, Some(index)) if only_against => source.only_against_index(index),
        (None, Some(index)) => source.against_index(index),
        (Some(against), _) => {
            let against = against.source(Columns::of(&settings));
            if only_against { source.only_against(against) } else { source.against(against) }
        }
    };
    let call = if list_pairs { lookalike::cluster } else { lookalike::dedup };
    let watch = Watch::new(progress, cancelled);
    let answer = detached(py, &watch, |progress| call(source, &settings, &resources, progress))?;
    Ok(Answer::new(answer))
}
