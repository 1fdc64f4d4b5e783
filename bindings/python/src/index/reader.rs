//! An index that is read.

use super::question::{About, Question};
use super::tables;
use crate::answer::{Answer, Options};
use crate::call::{Watch, detached};
use crate::column_batch::Columns;
use crate::documents::Input;
use crate::per_process::PerProcess;
use crate::rows::{Rows, json};
use crate::table::{Table, table_format};
use crate::{errors, settings};
use lookalike::{
    Index, LookalikeError, Progress, Record, Settings, Source,
    index::{CollapseItem, CollapseOptions, ExportOptions, PassageQuery, ReadOptions, check_index},
    settings::Measure,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// Rows of a record batch of documents.
const ROWS: usize = 1024;

/// An index that is read. Every call is about the last commit when it begins.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub(crate) struct IndexReader {
    path: PathBuf,
    index: PerProcess<Index>,
}

/// Rows of a table that people read.
type Told = (String, Vec<(String, String)>);

#[pymethods]
impl IndexReader {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let of = path.clone();
        Ok(Self { path, index: PerProcess::new(py, move || Index::open(&of))? })
    }

    /// Releases the files.
    fn close(&self) {
        self.index.close();
    }

    /// The settings that it was created with, as JSON.
    fn settings(&self, py: Python<'_>) -> PyResult<String> {
        json(self.index(py)?.settings())
    }

    /// Number of documents, and of the last commit.
    fn size(&self, py: Python<'_>) -> PyResult<(u64, u64)> {
        let snapshot = self.read(py, |index| index.snapshot())?;
        Ok((snapshot.len(), snapshot.commit()))
    }

    /// Figures: as JSON, and as rows.
    fn stats(&self, py: Python<'_>) -> PyResult<Told> {
        let stats = self.read(py, Index::stats)?;
        Ok((json(&stats)?, stats.table()))
    }

    /// Whether a document has an id.
    fn has(&self, py: Python<'_>, id: &str) -> PyResult<bool> {
        self.read(py, |index| Ok(!index.snapshot()?.with_id(id).is_empty()))
    }

    /// The document with an id, as a table of one row or none.
    fn document(&self, py: Python<'_>, id: &str) -> PyResult<Table> {
        let table = self.read(py, |index| {
            let found = index.document(id)?;
            documents_table(found.into_iter().collect(), &index.settings().documents)
        })?;
        Ok(table)
    }

    /// All documents, in the order in which their ids were first added.
    fn documents(&self, py: Python<'_>) -> PyResult<Table> {
        self.detached(py, |index| {
            let mut records = Vec::new();
            index.for_each_document(|record| records.push(record))?;
            documents_table(records, &index.settings().documents)
        })
    }

    /// The answer to a question, as JSON.
    fn ask(&self, py: Python<'_>, about: About, question: Question) -> PyResult<String> {
        let query = question.about(about.subject());
        let answer = self.read(py, |index| index.ask(&query))?;
        json(&answer)
    }

    /// The documents that have passages of a text, as JSON.
    fn find_passages(&self, py: Python<'_>, about: About, question: Question) -> PyResult<String> {
        let query = question.of_passages(about.subject());
        let answer = self.detached(py, |index| index.find_passages(&query))?;
        json(&answer)
    }

    /// The answers to a question about each document.
    fn ask_all(
        &self,
        py: Python<'_>,
        documents: Input,
        fields: &str,
        question: Question,
        options: Options,
    ) -> PyResult<Table> {
        let query = question.of_each();
        self.of_each(py, documents, fields, options, |index, source, fields, options, progress| {
            let mut rows = tables::matches();
            let each = |asked| tables::push_matches(&mut rows, &asked);
            index.ask_all(source, fields, &query, options, progress, each)?;
            Ok(rows)
        })
    }

    /// The documents that have passages of each document, as rows of passages.
    fn find_passages_of_all(
        &self,
        py: Python<'_>,
        documents: Input,
        fields: &str,
        question: Question,
        options: Options,
    ) -> PyResult<Table> {
        let query = question.of_passages(PassageQuery::of_each().about);
        self.of_each(py, documents, fields, options, |index, source, fields, options, progress| {
            let mut rows = tables::common_passages();
            let each = |asked| tables::push_passages(&mut rows, &asked);
            index.find_passages_of_all(source, fields, &query, options, progress, each)?;
            Ok(rows)
        })
    }

    /// What a run over the documents would find.
    fn answer(&self, py: Python<'_>, export: Export, options: Options) -> PyResult<Answer> {
        let (export, watch) = export.options(PathBuf::new(), options)?;
        let index = self.index(py)?;
        detached(py, &watch, |progress| lookalike::index::export_answer(&index, &export, progress))
            .map(Answer::new)
    }

    /// Writes the tables of a run over the documents: the summary, its rows and warnings.
    #[allow(clippy::type_complexity)]
    fn export(
        &self,
        py: Python<'_>,
        output: PathBuf,
        export: Export,
        options: Options,
    ) -> PyResult<(String, Vec<(String, String)>, Vec<String>)> {
        let (export, watch) = export.options(output, options)?;
        let index = self.index(py)?;
        detached(py, &watch, |progress| {
            let summary = lookalike::index::export_tables(&index, &export, progress)?;
            Ok((summary.to_json()?, summary.table(), summary.warnings.clone()))
        })
    }

    /// Writes the documents as JSONL, and returns their number.
    fn export_documents(
        &self,
        py: Python<'_>,
        output: PathBuf,
        force: bool,
        add_counts: bool,
        options: Options,
    ) -> PyResult<u64> {
        let Options { progress, cancelled, .. } = options;
        let export = ExportOptions { force, add_counts, ..ExportOptions::new(output) };
        let watch = Watch::new(progress, cancelled);
        let index = self.index(py)?;
        detached(py, &watch, |progress| {
            lookalike::index::export_documents(&index, &export, progress)
        })
    }

    /// What is wrong with the files.
    fn check(&self, py: Python<'_>, deep: bool, threads: usize) -> PyResult<Vec<String>> {
        self.index(py)?;
        detached(py, &Watch::new(None, None), |_| check_index(&self.path, deep, threads))
    }
}

impl IndexReader {
    /// The index in this process.
    pub(crate) fn index(&self, py: Python<'_>) -> PyResult<Arc<Index>> {
        self.index.get(py)
    }

    /// Asks about each document: a table of the rows that `ask` makes.
    fn of_each(
        &self,
        py: Python<'_>,
        documents: Input,
        fields: &str,
        options: Options,
        ask: impl FnOnce(
            &Index,
            Source<'_>,
            &Settings,
            ReadOptions,
            &dyn Progress,
        ) -> Result<Rows, LookalikeError>
        + Send,
    ) -> PyResult<Table> {
        let fields = settings::parse(py, fields)?;
        let source = documents.source(Columns::of(&fields));
        let Options { threads, strict, progress, cancelled, .. } = options;
        let options = ReadOptions { threads, strict, ..ReadOptions::default() };
        let watch = Watch::new(progress, cancelled);
        let index = self.index(py)?;
        let rows =
            detached(py, &watch, |progress| ask(&index, source, &fields, options, progress))?;
        Ok(rows.into_table())
    }

    /// Reads without the interpreter's lock. For what takes little time.
    fn read<T: Send>(
        &self,
        py: Python<'_>,
        read: impl FnOnce(&Index) -> Result<T, LookalikeError> + Send,
    ) -> PyResult<T> {
        let index = self.index(py)?;
        py.detach(|| read(&index)).map_err(|error| errors::exception(py, error))
    }

    /// Reads on another thread, while this one handles signals.
    pub(super) fn detached<T: Send>(
        &self,
        py: Python<'_>,
        read: impl FnOnce(&Index) -> Result<T, LookalikeError> + Send,
    ) -> PyResult<T> {
        self.stoppable(py, |index, _| read(index))
    }

    /// As `detached`, for a step that takes long and asks whether to stop.
    pub(super) fn stoppable<T: Send>(
        &self,
        py: Python<'_>,
        read: impl FnOnce(&Index, &dyn Progress) -> Result<T, LookalikeError> + Send,
    ) -> PyResult<T> {
        let index = self.index(py)?;
        detached(py, &Watch::new(None, None), |progress| read(&index, progress))
    }
}

fn documents_table(records: Vec<Record>, settings: &Settings) -> Result<Table, LookalikeError> {
    let empty = lookalike::record_batches([Record::default()], settings, 1)?;
    let schema = empty[0].schema();
    Ok(Table::new(schema, lookalike::record_batches(records, settings, ROWS)?))
}

/// How an index is exported, as the package's Python code describes it.
#[derive(FromPyObject)]
pub(crate) struct Export {
    list: bool,
    linkage: Option<String>,
    witness: String,
    tables: String,
    force: bool,
}

impl Export {
    fn options(self, output: PathBuf, options: Options) -> PyResult<(ExportOptions, Watch)> {
        let Self { list, linkage, witness, tables, force } = self;
        let Options { threads, max_pairs, progress, cancelled, .. } = options;
        let new = ExportOptions::new(output);
        let export = ExportOptions {
            list,
            force,
            linkage: linkage.map(|name| named("linkage", &name)).transpose()?,
            witness: named("witness", &witness)?,
            tables: table_format(&tables)?,
            max_pairs: max_pairs.unwrap_or(new.max_pairs),
            threads,
            ..new
        };
        Ok((export, Watch::new(progress, cancelled)))
    }
}

/// A value by the name that it has in settings.
fn named<T: serde::de::DeserializeOwned>(what: &str, name: &str) -> PyResult<T> {
    let value = serde_json::from_value(serde_json::Value::from(name));
    value.map_err(|error| PyValueError::new_err(format!("{what}={name:?}: {error}")))
}

/// Makes a new index of a damaged one: what was found and lost, as JSON.
#[pyfunction]
pub(crate) fn repair_index(
    py: Python<'_>,
    path: PathBuf,
    output: Option<PathBuf>,
    threads: usize,
) -> PyResult<String> {
    let done = detached(py, &Watch::new(None, None), |_| {
        lookalike::index::repair_index(&path, output.as_deref(), threads)
    })?;
    json(&done)
}

/// Copies an index as it is after its last commit. Returns the number of documents.
#[pyfunction]
pub(crate) fn copy_index(py: Python<'_>, path: PathBuf, to: PathBuf) -> PyResult<u64> {
    let copied =
        detached(py, &Watch::new(None, None), |_| lookalike::index::copy_index(&path, &to));
    Ok(copied?.documents)
}

/// Groups a ranked list of texts, or of documents of an index: as JSON.
#[pyfunction]
#[pyo3(signature = (items, index, measure, threshold, shingle, threads))]
pub(crate) fn collapse(
    py: Python<'_>,
    items: Vec<(String, Option<String>)>,
    index: Option<&IndexReader>,
    measure: Option<&str>,
    threshold: Option<String>,
    shingle: Option<u32>,
    threads: usize,
) -> PyResult<String> {
    let item = |(id, text)| CollapseItem { id, text };
    let items: Vec<CollapseItem> = items.into_iter().map(item).collect();
    let measure: Option<Measure> = measure.map(|name| named("measure", name)).transpose()?;
    let index = index.map(|index| index.index(py)).transpose()?;
    let options = CollapseOptions { threshold, measure, shingle, threads };
    let groups = py.detach(|| lookalike::index::collapse(&items, index.as_deref(), &options));
    json(&groups.map_err(|error| errors::exception(py, error))?)
}
