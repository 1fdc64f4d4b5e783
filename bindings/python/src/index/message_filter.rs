//! Verdicts on messages, and reports about them.

use super::reader::IndexReader;
use super::writer::IndexWriter;
use crate::answer::Options;
use crate::call::{Watch, detached};
use crate::column_batch::Columns;
use crate::documents::Input;
use crate::per_process::PerProcess;
use crate::rows::json;
use crate::{errors, settings};
use lookalike::{
    Index, Record,
    filter::{FilterOptions, FilterRule, MatchRule, Report, ReportOptions, Reported, Verdict},
    index::ReadOptions,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::PathBuf;

/// Which prototypes a message matches, as the package's Python code describes it.
#[derive(FromPyObject)]
pub(crate) struct Rule {
    ask: Option<String>,
    threshold: Option<String>,
    min_words: Option<u32>,
}

impl Rule {
    fn matching(self) -> MatchRule {
        let Self { ask, threshold, min_words } = self;
        let ask = ask.map(|ask| {
            let Ok(ask) = ask.parse();
            ask
        });
        MatchRule { ask, threshold, min_words }
    }
}

/// Gives verdicts on messages, each by the prototypes of the last commit.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub(crate) struct MessageFilter(PerProcess<lookalike::filter::MessageFilter>);

#[pymethods]
impl MessageFilter {
    #[new]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        rule: Rule,
        reports: Option<u32>,
        reasons: usize,
    ) -> PyResult<Self> {
        let options = FilterOptions { matching: rule.matching(), reports, reasons };
        PerProcess::new(py, move || lookalike::filter::MessageFilter::open(&path, options.clone()))
            .map(Self)
    }

    /// Releases the files.
    fn close(&self) {
        self.0.close();
    }

    /// The verdict on a message, as JSON.
    fn verdict(
        &self,
        py: Python<'_>,
        text: String,
        id: Option<String>,
        title: Option<String>,
    ) -> PyResult<String> {
        let message = Record { text, id, title, ..Record::default() };
        let filter = self.0.get(py)?;
        let verdict = py.detach(|| filter.verdict(&message));
        json(&verdict.map_err(|error| errors::exception(py, error))?)
    }

    /// The verdicts on messages, as JSON.
    fn verdicts(
        &self,
        py: Python<'_>,
        messages: Input,
        fields: &str,
        options: Options,
    ) -> PyResult<String> {
        let fields = settings::parse(py, fields)?;
        let source = messages.source(Columns::of(&fields));
        let Options { threads, strict, progress, cancelled, .. } = options;
        let options = ReadOptions { threads, strict, ..ReadOptions::default() };
        let watch = Watch::new(progress, cancelled);
        let filter = self.0.get(py)?;
        let mut verdicts: Vec<Verdict> = Vec::new();
        detached(py, &watch, |progress| {
            filter.verdicts(source, &fields, options, progress, |some| {
                verdicts.extend_from_slice(some);
                Ok(())
            })
        })?;
        json(&verdicts)
    }
}

/// Reports messages: what became of each, as JSON.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub(crate) fn index_report(
    py: Python<'_>,
    writer: &IndexWriter,
    report: &str,
    reporter: &str,
    messages: Input,
    fields: &str,
    rule: Rule,
    time: Option<u64>,
    options: Options,
) -> PyResult<String> {
    let report = match report {
        "spam" => Report::Spam,
        "ham" => Report::Ham,
        "revoke" => Report::Revoke,
        other => return Err(PyValueError::new_err(format!("{other:?}: spam, ham or revoke"))),
    };
    let fields = settings::parse(py, fields)?;
    let source = messages.source(Columns::of(&fields));
    let Options { strict, progress, cancelled, .. } = options;
    let options =
        ReportOptions { matching: rule.matching(), time, strict, ..ReportOptions::default() };
    let watch = Watch::new(progress, cancelled);
    let mut reported: Vec<Reported> = Vec::new();
    writer.with(py, &watch, |writer, progress| {
        let each = |one: &Reported| reported.push(one.clone());
        lookalike::filter::report_all(
            writer, report, reporter, source, &fields, &options, progress, each,
        )
    })?;
    json(&reported)
}

/// The rule of a filter that an index keeps, as JSON.
#[pyfunction]
pub(crate) fn index_filter_rule(py: Python<'_>, index: &IndexReader) -> PyResult<String> {
    json(&index.detached(py, Index::filter_rule)?)
}

/// Changes the rule of a filter that an index keeps; returns it as JSON.
#[pyfunction]
pub(crate) fn index_set_filter_rule(
    py: Python<'_>,
    writer: &IndexWriter,
    rule: Rule,
    reports: Option<u32>,
    options: Options,
) -> PyResult<String> {
    let Rule { ask, threshold, min_words } = rule;
    let change = FilterRule { ask, threshold, min_words, reports };
    let watch = Watch::new(options.progress, options.cancelled);
    json(
        &writer
            .with(py, &watch, |writer, _| lookalike::filter::set_filter_rule(writer, &change))?,
    )
}

/// The prototypes of an index, as JSON.
#[pyfunction]
pub(crate) fn index_prototypes(py: Python<'_>, index: &IndexReader) -> PyResult<String> {
    json(&index.detached(py, lookalike::filter::prototypes)?)
}
