//! Crawls over time.

use super::reader::IndexReader;
use super::tables;
use crate::rows::json;
use crate::table::Table;
use lookalike::{Index, sweeps::DiffOptions};
use pyo3::prelude::*;
use std::collections::BTreeMap;

/// The sweeps, as JSON.
#[pyfunction]
pub(crate) fn index_sweeps(py: Python<'_>, index: &IndexReader) -> PyResult<String> {
    json(&index.detached(py, Index::sweeps)?)
}

/// What became of every page: the numbers of pages, and the pages.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub(crate) fn index_diff(
    py: Python<'_>,
    index: &IndexReader,
    earlier: &str,
    later: &str,
    slight: f64,
    threshold: String,
    site: Option<String>,
    threads: usize,
) -> PyResult<(BTreeMap<&'static str, u64>, Table)> {
    let options = DiffOptions { slight, moved: threshold, site, threads };
    let diff = index.stoppable(py, |index, watch| {
        lookalike::sweeps::diff(index, earlier, later, &options, watch)
    })?;
    Ok((diff.counts, tables::changes(&diff.pages)))
}

/// The versions of a page, as JSON.
#[pyfunction]
pub(crate) fn index_history(
    py: Python<'_>,
    index: &IndexReader,
    url: &str,
    slight: f64,
) -> PyResult<String> {
    json(
        &index
            .stoppable(py, |index, watch| lookalike::sweeps::history(index, url, slight, watch))?,
    )
}

/// How the pages of a site changed, as JSON.
#[pyfunction]
pub(crate) fn index_site_history(
    py: Python<'_>,
    index: &IndexReader,
    site: Option<&str>,
    slight: f64,
) -> PyResult<String> {
    json(&index.stoppable(py, |index, watch| {
        lookalike::sweeps::site_history(index, site, slight, watch)
    })?)
}

/// The sites that have the content of a page, as JSON.
#[pyfunction]
pub(crate) fn index_holders(
    py: Python<'_>,
    index: &IndexReader,
    url: &str,
    threshold: &str,
) -> PyResult<String> {
    json(
        &index.stoppable(py, |index, watch| {
            lookalike::sweeps::holders(index, url, threshold, watch)
        })?,
    )
}

/// Pages in the order in which to visit them.
#[pyfunction]
pub(crate) fn index_revisit(
    py: Python<'_>,
    index: &IndexReader,
    site: Option<&str>,
    threads: usize,
) -> PyResult<Table> {
    let pages = index
        .stoppable(py, |index, watch| lookalike::sweeps::revisit(index, site, threads, watch))?;
    Ok(tables::visits(&pages))
}
