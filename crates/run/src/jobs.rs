//! The runs of `dedup` and `cluster`, which write a result directory.

use crate::aligned_pairs::align_pairs;
use crate::analysis::{AcceptInputs, Analysis, analyse, find_inputs, pool};
use crate::attributes::write_attributes;
use crate::decisions::{Clusters, Decisions};
use crate::differences::{DifferenceSample, TextReader};
use crate::exhibits::{Choice, cluster_exhibits, pair_exhibits};
use crate::guards::Guards;
use crate::ignored_texts::IgnoredTexts;
use crate::job_steps::{JobSteps, REPORT};
use crate::page_files::write_page;
use crate::panics::caught;
use crate::passages::of_kept::{self, KeptWriting};
use crate::plan_file::{method_name, read_plan};
use crate::reading::Documents;
use crate::recorded_run::{outputs, recorded_run};
use crate::run_tables::RunTables;
use crate::second_pass::{ChunkPicker, ShownDocuments, second_pass};
use crate::source_losses::source_losses;
use crate::summarise::summarise;
use crate::table_store::{TableFiles, write_problems};
use crate::template_sample::TemplateSample;
use crate::{Job, LookalikeError, across, junit, memory, skipped_files, state, symbols};
use lookalike_engine::Progress;
use lookalike_engine::poll::Poll;
use lookalike_io::input::LeftOut;
use lookalike_io::sink::{MarkNames, RouteOptions, Staging};
use lookalike_io::table::WrittenTable;
use lookalike_io::{Inputs, Problem};
use lookalike_report::{Action, Output, Page, PassageSummary, Report, Run, Summary};
use lookalike_text::Analyzer;
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
    /// Files and directories in the inputs that are no data.
    pub left_out: Vec<LeftOut>,
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
    run(job, action, IN_FILES, progress)
}

/// Finds the same clusters and removes nothing: lists all pairs that reach the threshold.
///
/// # Errors
/// As [`run_dedup`].
pub fn run_cluster(job: &Job, progress: &dyn Progress) -> Result<Outcome, LookalikeError> {
    run(job, Action::List, IN_FILES, progress)
}

/// How the documents are written.
#[derive(Clone, Copy)]
pub(crate) struct Writing<'a> {
    /// Uncompressed, whatever the inputs are.
    pub(crate) uncompressed: bool,
    /// Why inputs cannot be written so.
    pub(crate) accept: AcceptInputs<'a>,
}

/// In files like the inputs.
const IN_FILES: Writing<'static> = Writing { uncompressed: false, accept: &|_, _| Ok(()) };

pub(crate) fn run(
    job: &Job,
    action: Action,
    writing: Writing<'_>,
    progress: &dyn Progress,
) -> Result<Outcome, LookalikeError> {
    // Whatever is done in parallel is done on so many threads.
    let pool = pool(job.thread_count())?;
    let settings = job.settings.resolved(action == Action::List);
    let job = &Job { settings, ..job.clone() };
    caught(|| pool.install(|| carry_out(job, action, writing, progress)))
        .map_err(|error| state::stopped(job.into(), error))
}

fn carry_out(
    job: &Job,
    action: Action,
    writing: Writing<'_>,
    progress: &dyn Progress,
) -> Result<Outcome, LookalikeError> {
    let started = Instant::now();
    let progress = &JobSteps::of(job, action, progress)?;
    let plan = job.plan.as_deref().map(read_plan).transpose()?;
    let list_pairs = job.settings.lists_pairs(action);
    let guards = Guards::of(job)?;
    if action == Action::List {
        job.settings.refuse_removals()?;
    }
    if job.add_counts && action != Action::Remove {
        return Err(LookalikeError::Settings(
            "the setting add_counts adds fields to the kept documents of dedup; leave it out, or the setting \
             mark, which adds them to all documents"
                .into(),
        ));
    }
    if let Some(length) = job.passages {
        of_kept::check(job, length, action)?;
    }
    if let Some(outcome) = finished(job, list_pairs)? {
        return Ok(outcome);
    }
    Staging::check(&job.output, job.force)?;
    let undecided = job.settings.analysis.tokens.is_none();
    let (job, inputs, first_protected) = find_inputs(job)?;
    let job = &job;
    junit::check(job, &inputs)?;
    let found = (inputs, first_protected);
    let (mut analysis, staging) = analyse(job, found, list_pairs, writing.accept, progress)?;

    let uncompressed = writing.uncompressed;
    let writing = Instant::now();
    let anchors = analysis.anchors.take();
    let clusters = Clusters::new(&analysis, progress)?;
    let guarded = guards.check(&analysis, &clusters, action == Action::Remove);
    if let Some(path) = &job.junit {
        match &guarded {
            Ok(()) => junit::write(path, &analysis, None, progress)?,
            Err(LookalikeError::Guard(why)) => junit::write(path, &analysis, Some(why), progress)?,
            Err(_) => {}
        }
    }
    guarded?;
    let choice = match job.report {
        true => Choice::new(&analysis, &clusters, progress)?,
        false => Choice::default(),
    };
    let options = RouteOptions {
        mark: match job.add_counts {
            true => Some(Decisions::count_names()),
            false => job.mark.as_deref().map(MarkNames::new),
        },
        separates: job.add_counts,
        copy_files: job.copy_files,
        files: Some(analysis.collection.first_protected_file),
        uncompressed,
    };
    let decisions = Decisions::new(&analysis, &clusters);
    let decisions = if job.add_counts { decisions.with_counts() } else { decisions };
    let routing = (action != Action::List).then_some((&staging, &options, &decisions));
    let mut wanted = choice.documents(&analysis);
    if let Some(sample) = TemplateSample::choose(job, action, &analysis) {
        wanted.add_sample(sample);
    }
    let store = TableFiles { staging: &staging, folder: "", format: job.tables };
    let sample = match action {
        Action::List => None,
        _ => Some(DifferenceSample::choose(&analysis)?),
    };
    if analysis.inputs.options.fields.features.is_none() {
        let documents = sample.as_ref().map_or(&[][..], DifferenceSample::documents);
        let label_field = job.settings.label_field.as_deref();
        let reader = TextReader::new(&analysis.settings.analysis, label_field, &analysis.inputs);
        wanted.add_differences(documents, reader);
    }
    // A table is written on one thread, row by row: meanwhile, the others write the documents, or
    // another table.
    let texts = || {
        let (pass, of_passages) = match job.passages {
            None => (second_pass(&analysis, &wanted, routing, progress)?, None),
            Some(length) => {
                let picker = &ChunkPicker::new(&analysis, &wanted, &decisions);
                let writing = KeptWriting { staging: &staging, options: &options, picker };
                let (pass, found) =
                    of_kept::write(job, length, &analysis, anchors, writing, progress)?;
                (pass, Some(found))
            }
        };
        let compared = |document| pass.shown.get(document)?.compared.as_ref();
        let differences = sample.map(|sample| sample.compare(compared));
        Ok(((pass, of_passages), differences))
    };
    let (tables, (mut pass, of_passages), differences) =
        RunTables::write(&store, job, action, &analysis, &clusters, texts, progress)?;
    Poll::new(progress).now()?;
    analysis.phases.push(("writing", writing.elapsed().as_secs_f64()));

    let mut summary = summarise(job, action, &analysis, &clusters)?;
    summary.template_sites = wanted.template_sites(&mut pass.shown);
    summary.passages = of_passages.as_ref().map(PassageSummary::counts);
    let tables = other_tables(action, &analysis, tables, &store, &mut summary, progress)?;
    summary.outputs = outputs(&tables, pass.written.as_ref());
    for table in of_passages.iter().flat_map(|found| &found.outputs) {
        let name = format!("{}{}", of_kept::FOLDER, table.name);
        summary.outputs.push(Output { name, ..table.clone() });
    }
    if job.attributes {
        summary.outputs.extend(write_attributes(&analysis, &clusters, &staging)?);
    }
    let documents = Documents::of_files(&analysis.inputs);
    summary.across = across::summary(&analysis, documents)?;
    let ids_repeat = summary.duplicate_ids > 0;
    summary.symbol_differences = symbols::count(&analysis, documents, ids_repeat)?;
    if let Some(differences) = differences {
        summary.differences = differences.summary(&analysis, ids_repeat)?;
    }
    if undecided && job.settings.analysis.tokens.is_none() {
        let own = &analysis.inputs.files[..analysis.collection.first_protected_file as usize];
        summary.source_code_inputs = own.iter().filter(|file| file.is_source_code()).count() as u64;
    }
    summary.warnings = summary.find_warnings();
    summary.warnings.extend(of_passages.into_iter().flat_map(|found| found.warnings));
    let mut run = run_of(job, &analysis, &summary, started);
    if let Some(plan) = plan {
        run.plan = Some(plan.accuracy(&method_name(&job.settings)?, &summary, &run));
    }
    summary.run = Some(run);
    if job.report {
        progress.phase(REPORT, None);
        let page = report(job, &analysis, &clusters, &choice, pass.shown, &summary, progress)?;
        write_page(&staging, &page)?;
    }
    finish(job, analysis, summary, staging, progress)
}

/// Writes the tables `problems` and `near_misses`, if there are any; returns all tables.
fn other_tables(
    action: Action,
    analysis: &Analysis,
    tables: RunTables<WrittenTable>,
    store: &TableFiles<'_>,
    summary: &mut Summary,
    progress: &dyn Progress,
) -> Result<Vec<WrittenTable>, LookalikeError> {
    let mut tables = tables.into_list(summary);
    let skipped = skipped_files::rows(&analysis.inputs.skipped);
    if analysis.collection.problems.count() > 0 || !skipped.is_empty() {
        let problems = analysis.collection.problems.listed().iter().chain(&skipped);
        tables.push(write_problems(problems, store)?);
    }
    if let Some(near_misses) = &analysis.near_misses {
        let (table, found) = near_misses.write(analysis, action, store, progress)?;
        tables.push(table);
        summary.near_misses = Some(found);
    }
    Ok(tables)
}

/// Time, memory and the steps of a run.
fn run_of(job: &Job, analysis: &Analysis, summary: &Summary, started: Instant) -> Run {
    Run {
        scratch_bytes: Some(analysis.collection.stored()).filter(|&bytes| bytes > 0),
        intersected: analysis.matches.intersected,
        resumed: analysis.resumed.taken.iter().map(|&step| step.into()).collect(),
        redone: analysis.resumed.damaged.iter().map(|&step| step.into()).collect(),
        ..recorded_run(&job.command, &summary.inputs, analysis.threads, &analysis.phases, started)
    }
}

/// Writes the summary, and gives the result its name.
fn finish(
    job: &Job,
    mut analysis: Analysis,
    mut summary: Summary,
    staging: Staging,
    progress: &dyn Progress,
) -> Result<Outcome, LookalikeError> {
    if let Some(run) = &mut summary.run {
        run.peak_memory_bytes = memory::peak();
    }
    if let Some(config) = &job.config {
        staging.write("config.toml", config.as_bytes())?;
    }
    let json = summary.to_json()?;
    staging.write("summary.json", json.as_bytes())?;
    Poll::new(progress).now()?;
    if let Some(scratch) = &analysis.scratch_dir {
        state::note_finished(scratch, json.as_bytes())?;
    }
    staging.commit_unless(&|| progress.cancelled())?;
    if let Some(scratch) = analysis.scratch_dir.take() {
        scratch.finish()?;
    }
    Ok(Outcome {
        summary,
        problems: analysis.collection.problems.into_listed(),
        skipped: analysis.inputs.skipped,
        left_out: analysis.inputs.left_out,
        phases: analysis.phases,
    })
}

/// Draws the report.
pub(crate) fn report(
    job: &Job,
    analysis: &Analysis,
    clusters: &Clusters,
    choice: &Choice,
    shown: ShownDocuments,
    summary: &Summary,
    progress: &dyn Progress,
) -> Result<Page, LookalikeError> {
    let ids_repeat = summary.duplicate_ids > 0;
    let (data, clusters) =
        cluster_exhibits(analysis, clusters, choice, &shown, ids_repeat, progress)?;
    let pairs = pair_exhibits(analysis, choice, &shown, ids_repeat, progress)?;
    drop(shown);
    Poll::new(progress).now()?;
    let analyzer = Analyzer::new(&analysis.settings.analysis);
    let analyzer = Some(&analyzer).filter(|_| job.settings.fields.features.is_none());
    let memory = analysis.memory.in_flight();
    let samples = align_pairs(&pairs, &summary.settings, analyzer, memory, progress)?;
    let collection = &analysis.collection;
    let files = analysis
        .removals()
        .map(|(document, removal)| (collection.file(document), collection.file(removal.kept)));
    let name = |file: u32| analysis.inputs.files[file as usize].name.as_str();
    let losses = source_losses(files, name);
    let report = Report { summary, clusters: &clusters, samples: &samples, losses: &losses };
    Ok(report.page(data, job.report_size)?)
}

/// What is left to do of a run that was stopped after its result got its name: removes its scratch
/// directory.
fn finished(job: &Job, list_pairs: bool) -> Result<Option<Outcome>, LookalikeError> {
    let Some(summary) = state::finished(job.into())? else { return Ok(None) };
    let (job, inputs, first_protected_file) = find_inputs(job)?;
    let memory = memory::Memory::of(job.memory);
    let ignored = IgnoredTexts::of(&job.settings)?.map(|found| found.checksum());
    let state = (first_protected_file, list_pairs, ignored);
    if let Some(scratch) = state::open(&job, &inputs, state, memory)? {
        scratch.finish()?;
    }
    let summary: Summary = serde_json::from_slice(&summary)?;
    let phases = Vec::new();
    let Inputs { skipped, left_out, .. } = inputs;
    Ok(Some(Outcome { summary, problems: Vec::new(), skipped, left_out, phases }))
}
