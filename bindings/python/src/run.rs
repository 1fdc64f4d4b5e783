//! Runs over files into a directory, and finished runs.

use crate::call::{Watch, detached};
use crate::compare::Compared;
use crate::table::{Table, table_format};
use crate::{errors, settings};
use lookalike::{
    Job, LookalikeError,
    evaluation::LabelSource,
    input::Extractor,
    planning::PlanJob,
    results::{ReclusterJob, UndoJob},
};
use pyo3::prelude::*;
use std::path::PathBuf;

/// What a run reads, writes and may take.
#[derive(FromPyObject)]
pub(crate) struct RunOptions {
    inputs: Vec<String>,
    against: Vec<String>,
    against_only: bool,
    output: PathBuf,
    force: bool,
    tables: String,
    report: bool,
    report_size: u64,
    mark: Option<String>,
    add_counts: bool,
    passages: Option<u32>,
    attributes: bool,
    copy_files: bool,
    strict: bool,
    skip_unreadable: bool,
    near_misses: Option<String>,
    max_loss: Option<String>,
    max_cluster: Option<String>,
    junit: Option<PathBuf>,
    max_pairs: u64,
    threads: usize,
    memory: Option<u64>,
    scratch: Option<PathBuf>,
    resume: bool,
}

impl RunOptions {
    fn job(self, py: Python<'_>, settings: &str) -> PyResult<Job> {
        Ok(Job {
            against: self.against,
            against_only: self.against_only,
            force: self.force,
            settings: settings::parse(py, settings)?,
            mark: self.mark,
            add_counts: self.add_counts,
            passages: self.passages,
            attributes: self.attributes,
            tables: table_format(&self.tables)?,
            report: self.report,
            report_size: self.report_size,
            copy_files: self.copy_files,
            strict: self.strict,
            skip_unreadable: self.skip_unreadable,
            near_misses: self.near_misses,
            max_loss: self.max_loss,
            max_cluster: self.max_cluster,
            junit: self.junit,
            max_pairs: self.max_pairs,
            threads: self.threads,
            memory: self.memory,
            scratch: self.scratch,
            resume: self.resume,
            ..Job::new(self.inputs, self.output)
        })
    }
}

/// Rows of a table that people read.
type Rows = Vec<(String, String)>;

/// A summary: as JSON, and its rows and warnings as the command prints them.
type Told = (String, Rows, Vec<String>);

fn told(summary: &lookalike::results::Summary) -> Result<Told, LookalikeError> {
    Ok((summary.to_json()?, summary.table(), summary.warnings.clone()))
}

/// Runs `dedup`, or with `list_pairs` `cluster`; returns the summary.
#[pyfunction]
#[pyo3(signature = (options, settings, *, list_pairs, progress = None, cancelled = None))]
pub(crate) fn run(
    py: Python<'_>,
    options: RunOptions,
    settings: &str,
    list_pairs: bool,
    progress: Option<Py<PyAny>>,
    cancelled: Option<Py<PyAny>>,
) -> PyResult<Told> {
    let job = options.job(py, settings)?;
    let call = if list_pairs { lookalike::run_cluster } else { lookalike::run_dedup };
    let watch = Watch::new(progress, cancelled);
    detached(py, &watch, |progress| told(&call(&job, progress)?.summary))
}

/// Predicts a run from a sample: as JSON, and as rows with notes.
#[pyfunction]
#[pyo3(signature = (options, settings, *, list_pairs, sample = None, quick = false, seed = 1, recall = 1.0, labels = None, progress = None, cancelled = None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn plan(
    py: Python<'_>,
    options: RunOptions,
    settings: &str,
    list_pairs: bool,
    sample: Option<u64>,
    quick: bool,
    seed: u64,
    recall: f64,
    labels: Option<PathBuf>,
    progress: Option<Py<PyAny>>,
    cancelled: Option<Py<PyAny>>,
) -> PyResult<Told> {
    let plan = PlanJob::new(options.job(py, settings)?);
    let labels = labels.map(LabelSource::File);
    let plan = PlanJob { cluster: list_pairs, sample, quick, seed, recall, labels, ..plan };
    let watch = Watch::new(progress, cancelled);
    detached(py, &watch, |progress| {
        let planned = lookalike::planning::plan(&plan, progress)?.plan;
        Ok((planned.to_json()?, planned.table(), planned.notes.clone()))
    })
}

/// A table of a finished run.
#[pyfunction]
pub(crate) fn read_table(py: Python<'_>, run: PathBuf, name: &str) -> PyResult<Table> {
    let table = py.detach(|| lookalike::results::read_table(&run, name));
    table.map(|table| Table::of(&table)).map_err(|error| errors::exception(py, error))
}

/// Why two documents of a finished run were matched, or were not.
#[pyfunction]
pub(crate) fn explain(
    py: Python<'_>,
    run: PathBuf,
    a: &str,
    b: &str,
    extract: Vec<String>,
) -> PyResult<Compared> {
    let commands = extract.iter().map(|command| command.parse());
    let commands: Vec<Extractor> = commands.collect::<Result<_, String>>().map_err(|reason| {
        errors::exception(py, LookalikeError::Settings(format!("the setting extract: {reason}")))
    })?;
    let watch = Watch::new(None, None);
    detached(py, &watch, |_| lookalike::results::explain(a, b, &run, &commands)).map(Compared::new)
}

/// Restores removed documents into a copy of a result.
#[pyfunction]
#[pyo3(signature = (run, output, documents, clusters, *, force, progress = None, cancelled = None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn undo(
    py: Python<'_>,
    run: PathBuf,
    output: PathBuf,
    documents: Vec<String>,
    clusters: Vec<u64>,
    force: bool,
    progress: Option<Py<PyAny>>,
    cancelled: Option<Py<PyAny>>,
) -> PyResult<Told> {
    let job = UndoJob { documents, clusters, force, ..UndoJob::new(run, output) };
    let watch = Watch::new(progress, cancelled);
    detached(py, &watch, |progress| told(&lookalike::results::undo(&job, progress)?))
}

/// The same pairs of a finished run of `cluster`, clustered anew.
#[pyfunction]
#[pyo3(signature = (run, settings, output, *, force, tables, report, report_size, progress = None, cancelled = None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn recluster(
    py: Python<'_>,
    run: PathBuf,
    settings: &str,
    output: PathBuf,
    force: bool,
    tables: &str,
    report: bool,
    report_size: u64,
    progress: Option<Py<PyAny>>,
    cancelled: Option<Py<PyAny>>,
) -> PyResult<Told> {
    let settings = settings::parse(py, settings)?;
    let job = ReclusterJob {
        measure: Some(settings.measure),
        linkage: settings.linkage,
        witness: Some(settings.witness),
        keep: Some(settings.keep),
        contained_only: settings.contained_only,
        force,
        tables: table_format(tables)?,
        report,
        report_size,
        ..ReclusterJob::new(run, settings.threshold, output)
    };
    let watch = Watch::new(progress, cancelled);
    detached(py, &watch, |progress| told(&lookalike::results::recluster(&job, progress)?))
}
