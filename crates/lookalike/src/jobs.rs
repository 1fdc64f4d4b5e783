//! The runs of `dedup` and `cluster`, which write a result directory.

use crate::aligned_pairs::align_pairs;
use crate::analysis::{Analysis, analyse, discover, pool};
use crate::decisions::{Clusters, Decisions};
use crate::exhibits::{Choice, exhibits};
use crate::panics::caught;
use crate::plan::{method_name, read_plan};
use crate::result_tables::write_problems;
use crate::run_tables::RunTables;
use crate::second_pass::{Shown, second_pass};
use crate::summarise::summarise;
use crate::table_store::TableFiles;
use crate::{Job, LookalikeError, memory, state};
use lookalike_engine::{DocumentId, EngineError, Progress};
use lookalike_io::Problem;
use lookalike_io::sink::{MarkNames, RouteOptions, Staging};
use lookalike_io::table::WrittenTable;
use lookalike_report::{Action, Output, Phase, Report, Run, Summary};
use lookalike_text::Analyzer;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

/// What a finished job has to say.
#[derive(Debug)]
pub struct Outcome {
    /// The content of `summary.json`.
    pub summary: Summary,
    /// The first records and files that could not be used; the summary counts all.
    pub problems: Vec<Problem>,
    /// Skipped files of directories: unsupported formats, broken links, links to directories, and
    /// anything that is not a regular file.
    pub skipped: Vec<PathBuf>,
    /// Seconds by phase.
    pub phases: Vec<(&'static str, f64)>,
}

/// Removes near-duplicates: writes kept and removed documents, the ledger, clusters, pairs, summary
/// and report to [`Job::output`], whole or not at all.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let docs = folder.path().join("docs.jsonl");
/// let line = "one fish two fish red fish blue fish black fish old fish new fish";
/// std::fs::write(&docs, format!("{{\"id\":\"a\",\"text\":\"{line}\"}}\n{{\"id\":\"b\",\"text\":\"{line}!\"}}\n"))?;
///
/// let job = lookalike::Job::new(vec![docs.display().to_string()], folder.path().join("clean"));
/// let outcome = lookalike::run_dedup(&job, &lookalike::Silent)?;
/// assert_eq!(outcome.summary.kept, 1);
/// assert_eq!(outcome.summary.removed.lexically_equivalent, 1);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Settings that make no sense, inputs that cannot be read, outputs that cannot be written.
pub fn run_dedup(job: &Job, progress: &dyn Progress) -> Result<Outcome, LookalikeError> {
    let action = if job.mark.is_some() { Action::Mark } else { Action::Remove };
    run(job, action, progress)
}

/// Finds the same clusters and removes nothing: lists all pairs that reach the threshold.
///
/// # Errors
/// As [`run_dedup`].
pub fn run_cluster(job: &Job, progress: &dyn Progress) -> Result<Outcome, LookalikeError> {
    run(job, Action::List, progress)
}

fn run(job: &Job, action: Action, progress: &dyn Progress) -> Result<Outcome, LookalikeError> {
    // Whatever is done in parallel is done on so many threads.
    let pool = pool(job.thread_count())?;
    caught(|| pool.install(|| carry_out(job, action, progress)))
        .map_err(|error| state::stopped(job, error))
}

fn carry_out(
    job: &Job,
    action: Action,
    progress: &dyn Progress,
) -> Result<Outcome, LookalikeError> {
    let started = Instant::now();
    let plan = job.plan.as_deref().map(read_plan).transpose()?;
    // Components need all pairs anyway, so they may as well be listed.
    let list_pairs =
        action == Action::List || job.settings.linkage == lookalike_engine::Linkage::Components;
    if let Some(outcome) = finished(job, list_pairs)? {
        return Ok(outcome);
    }
    Staging::check(&job.output, job.force)?;
    let (mut analysis, staging) = analyse(job, list_pairs, progress)?;

    let writing = Instant::now();
    let clusters = Clusters::new(&analysis, progress)?;
    let choice = match job.report {
        true => Choice::new(&analysis, &clusters)?,
        false => Choice::default(),
    };
    let options = RouteOptions {
        mark: job.mark.as_deref().map(MarkNames::new),
        copy_files: job.copy_files,
        files: Some(analysis.collection.first_protected_file),
    };
    let decisions = Decisions::new(&analysis, &clusters);
    let routing = (action != Action::List).then_some((&staging, &options, &decisions));
    let wanted = choice.documents(&analysis);
    let store = TableFiles { staging: &staging, format: job.tables };
    // A table is written on one thread, row by row: meanwhile, the others write the documents, or
    // another table.
    let (tables, pass) = rayon::join(
        || RunTables::write(&store, job, action, &analysis, &clusters, progress),
        || second_pass(&analysis, &wanted, routing, progress),
    );
    let (tables, pass) = (tables?, pass?);
    poll(progress)?;
    analysis.phases.push(("writing", writing.elapsed().as_secs_f64()));

    let mut summary = summarise(job, action, &analysis, &clusters)?;
    summary.digest.clone_from(&tables.digest);
    summary.documents_digest.clone_from(&tables.documents_digest);
    summary.pairs.listed = tables.pairs.rows;
    let mut tables = tables.into_list();
    if analysis.collection.problems.count() > 0 {
        tables.push(write_problems(analysis.collection.problems.listed(), &store)?);
    }
    summary.outputs = outputs(&tables, pass.written.as_ref());
    summary.warnings = summary.find_warnings();
    let bytes = summary.inputs.iter().map(|input| input.bytes).sum::<u64>() as f64 / 1e6;
    let phase = |&(name, seconds): &(&str, f64)| Phase {
        name: name.to_owned(),
        seconds,
        megabytes_per_second: (seconds > 0.0).then(|| bytes / seconds),
        cpu_seconds: None,
    };
    let mut run = Run {
        command_line: job.command.clone(),
        threads: analysis.threads as u64,
        seconds: started.elapsed().as_secs_f64(),
        phases: analysis.phases.iter().map(phase).collect(),
        peak_memory_bytes: memory::peak(),
        scratch_bytes: Some(analysis.collection.stored()).filter(|&bytes| bytes > 0),
        intersected: analysis.matches.intersected,
        resumed: analysis.resumed.taken.iter().map(|&step| step.into()).collect(),
        redone: analysis.resumed.damaged.iter().map(|&step| step.into()).collect(),
        plan: None,
    };
    if let Some(plan) = plan {
        run.plan = Some(plan.accuracy(&method_name(&job.settings)?, &summary, &run));
    }
    summary.run = Some(run);
    if job.report {
        let html = report(&analysis, &clusters, &choice, pass.shown, &summary, progress)?;
        staging.write("report.html", html.as_bytes())?;
    }
    if let Some(run) = &mut summary.run {
        run.peak_memory_bytes = memory::peak();
    }
    if let Some(config) = &job.config {
        staging.write("config.toml", config.as_bytes())?;
    }
    let json = summary.to_json()?;
    staging.write("summary.json", json.as_bytes())?;
    poll(progress)?;
    if let Some(scratch) = &analysis.scratch_dir {
        state::note_finished(scratch, json.as_bytes())?;
    }
    staging.commit()?;
    if let Some(scratch) = analysis.scratch_dir.take() {
        scratch.finish()?;
    }
    Ok(Outcome {
        summary,
        problems: analysis.collection.problems.into_listed(),
        skipped: analysis.inputs.skipped,
        phases: analysis.phases,
    })
}

/// Draws the report.
fn report(
    analysis: &Analysis,
    clusters: &Clusters,
    choice: &Choice,
    shown: BTreeMap<DocumentId, Shown>,
    summary: &Summary,
    progress: &dyn Progress,
) -> Result<String, LookalikeError> {
    let ids_repeat = summary.duplicate_ids > 0;
    let (clusters, pairs) = exhibits(analysis, clusters, choice, &shown, ids_repeat, progress)?;
    drop(shown);
    poll(progress)?;
    let analyzer = Analyzer::new(&analysis.settings.analysis);
    let memory = analysis.memory.in_flight();
    let samples = align_pairs(&pairs, &summary.settings, &analyzer, memory, progress)?;
    Ok(Report { summary, clusters: &clusters, samples: &samples }.html()?)
}

/// An error if the job is not wanted any more.
fn poll(progress: &dyn Progress) -> Result<(), LookalikeError> {
    if progress.cancelled() { Err(EngineError::Cancelled.into()) } else { Ok(()) }
}

/// What is left to do of a run that was stopped after its result got its name: removes its scratch
/// directory.
fn finished(job: &Job, list_pairs: bool) -> Result<Option<Outcome>, LookalikeError> {
    let Some(summary) = state::finished(job)? else { return Ok(None) };
    let (inputs, first_protected_file) = discover(job, &job.settings.keep_rules()?)?;
    let memory = memory::Memory::of(job.memory);
    if let Some(scratch) = state::open(job, &inputs, first_protected_file, list_pairs, memory)? {
        scratch.finish()?;
    }
    let summary: Summary = serde_json::from_slice(&summary)?;
    let phases = Vec::new();
    Ok(Some(Outcome { summary, problems: Vec::new(), skipped: inputs.skipped, phases }))
}

/// A table, as summaries list it.
pub(crate) fn output(table: &WrittenTable) -> Output {
    let name = table.path.file_name().map(|name| name.to_string_lossy().into_owned());
    let (rows, bytes) = (Some(table.rows), Some(table.bytes));
    Output { name: name.unwrap_or_default(), rows, bytes }
}

/// What lies in the directory, besides the summary and the report.
fn outputs(
    tables: &[WrittenTable],
    written: Option<&lookalike_io::sink::WrittenFiles>,
) -> Vec<Output> {
    let tables = tables.iter().map(output);
    let documents = written.into_iter().flat_map(|written| &written.files).map(|file| Output {
        name: file.path.display().to_string(),
        rows: Some(file.records),
        bytes: Some(file.bytes),
    });
    documents.chain(tables).collect()
}
