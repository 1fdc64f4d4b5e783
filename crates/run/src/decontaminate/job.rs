//! A search over files, to a result directory.

use super::fates::mark_names;
use super::search::{Search, check_items, item_reading};
use super::second_reading::read_again;
use super::settings::{ContaminationAction, ContaminationSettings};
use super::tables::Tables;
use crate::analysis::pool;
use crate::guards::LossLimit;
use crate::job_steps::JobSteps;
use crate::panics::caught;
use crate::reading::Documents;
use crate::readings::second::Routing;
use crate::recorded_run::{outputs, recorded_run};
use crate::search_job::{SearchOutcome, SearchRun, limits, search_settings};
use crate::settings::thread_count;
use crate::table_store::{TableFiles, write_problems};
use crate::{LookalikeError, Settings, feature_settings, input_fields, skipped_files};
use lookalike_engine::Progress;
use lookalike_io::Inputs;
use lookalike_io::input::InputError;
use lookalike_io::sink::{RouteOptions, Staging};
use lookalike_report::ContaminationSummary;
use std::path::PathBuf;
use std::time::Instant;

/// A search for items of benchmarks in training files.
#[derive(Debug, Clone)]
pub struct DecontaminateJob {
    /// Training documents: files, directories, globs, or `-` for JSONL on standard input.
    pub inputs: Vec<String>,
    /// Items of benchmarks, named likewise.
    pub against: Vec<String>,
    /// The directory that the results are written to.
    pub output: PathBuf,
    /// Analysis of texts, names of fields, and options of formats.
    pub settings: Settings,
    /// When a document contains an item.
    pub contamination: ContaminationSettings,
    /// What becomes of the documents that do.
    pub action: ContaminationAction,
    /// Prefix of the names of the fields that [`ContaminationAction::Mark`] adds.
    pub mark_prefix: String,
    /// How it runs. `max_loss` is of documents.
    pub run: SearchRun,
}

impl DecontaminateJob {
    /// A job with default settings.
    pub fn new(inputs: Vec<String>, against: Vec<String>, output: impl Into<PathBuf>) -> Self {
        Self {
            inputs,
            against,
            output: output.into(),
            settings: Settings::default(),
            contamination: ContaminationSettings::default(),
            action: ContaminationAction::List,
            mark_prefix: String::new(),
            run: SearchRun::default(),
        }
    }
}

/// Searches training files for the items of benchmarks, and writes what was found to
/// [`DecontaminateJob::output`], whole or not at all.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use lookalike::contamination::{ContaminationAction, DecontaminateJob, run_decontaminate};
///
/// let folder = tempfile::tempdir()?;
/// let file = |name: &str, text: &str| {
///     let path = folder.path().join(name);
///     std::fs::write(&path, format!("{{\"id\":\"{name}\",\"text\":\"{text}\"}}\n"))?;
///     Ok::<_, std::io::Error>(path.display().to_string())
/// };
/// let question = "If a rose is a rose is a rose then what is a flower?";
/// let train = file("train.jsonl", &format!("Quiz of the day. {question} Send us your answer."))?;
/// let bench = file("bench.jsonl", question)?;
///
/// let mut job = DecontaminateJob::new(vec![train], vec![bench], folder.path().join("clean"));
/// job.action = ContaminationAction::Remove;
/// let outcome = run_decontaminate(&job, &lookalike::Silent)?;
/// assert_eq!((outcome.summary.removed, outcome.summary.benchmarks[0].found), (1, 1));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Settings that make no sense, inputs that cannot be read, outputs that cannot be written.
pub fn run_decontaminate(
    job: &DecontaminateJob,
    progress: &dyn Progress,
) -> Result<SearchOutcome<ContaminationSummary>, LookalikeError> {
    let pool = pool(thread_count(job.run.threads))?;
    caught(|| pool.install(|| carry_out(job, progress)))
}

fn carry_out(
    job: &DecontaminateJob,
    progress: &dyn Progress,
) -> Result<SearchOutcome<ContaminationSummary>, LookalikeError> {
    let started = Instant::now();
    let is_list = job.action == ContaminationAction::List;
    let last = if is_list { "locating" } else { "writing" };
    let progress = &JobSteps::new(vec!["reading items", "reading", last], progress);
    job.contamination.check()?;
    feature_settings::refuse(&job.settings.fields, "decontaminate")?;
    let most = job.run.most()?;
    Staging::check(&job.output, job.run.force)?;
    let (inputs, items) = discover(job)?;
    skipped_files::refuse(&inputs, job.run.strict)?;
    skipped_files::refuse(&items, job.run.strict)?;
    input_fields::check(&inputs, &|| progress.cancelled())?;
    check_items(&items, &job.contamination, progress)?;
    let staging = job.run.staging(&job.output)?;
    staging.conflicts(&inputs)?;
    staging.conflicts(&items)?;

    let search = Search {
        documents: Documents::of_files(&inputs),
        items: Documents::of_files(&items),
        settings: &job.settings,
        contamination: &job.contamination,
        admitted: job.run.admitted(),
        limits: limits(job.run.threads, job.run.memory),
    };
    let found = search.find(progress)?;
    let reading = started.elapsed().as_secs_f64();
    if matches!(job.action, ContaminationAction::Remove | ContaminationAction::Cut) {
        check_loss(
            most.as_ref(),
            found.decisions.documents().len() as u64,
            found.scan.reading.counts().documents,
        )?;
    }
    let store = TableFiles { staging: &staging, folder: "", format: job.run.tables };
    let marks = job.action == ContaminationAction::Mark;
    let options = RouteOptions {
        mark: marks.then(|| mark_names(&job.mark_prefix)),
        ..RouteOptions::default()
    };
    let routing = (!is_list).then_some(Routing { staging: &staging, options: &options });
    let read = |each: &mut dyn FnMut(_) -> _| {
        read_again(
            found.searched(),
            search.documents,
            search.limits,
            job.action,
            routing,
            each,
            progress,
        )
    };
    let (tables, totals, written) =
        Tables::write(&store, &found.items, &found.decisions, read, progress)?;

    let settings = search_settings(&job.settings, &job.contamination, Some(&job.against));
    let mut summary = found.summary(&inputs, settings, job.action, totals, &written);
    let Tables { contamination, spans, items: of_items, benchmarks } = tables;
    let mut tables = vec![contamination, spans, of_items, benchmarks];
    let skipped = skipped_files::rows(&inputs.skipped);
    if found.problems().next().is_some() || !skipped.is_empty() {
        tables.push(write_problems(found.problems().chain(&skipped), &store)?);
    }
    summary.outputs = outputs(&tables, written.files.as_ref());
    let phases = [("reading", reading), (last, started.elapsed().as_secs_f64() - reading)];
    let (command, threads) = (&job.run.command, search.limits.threads);
    summary.run = Some(recorded_run(command, &summary.inputs, threads, &phases, started));
    if let Some(config) = &job.run.config {
        staging.write("config.toml", config.as_bytes())?;
    }
    staging.write("summary.json", summary.to_json()?.as_bytes())?;
    staging.commit_unless(&|| progress.cancelled())?;
    let problems = found.problems().cloned().collect();
    let Inputs { skipped, left_out, .. } = inputs;
    Ok(SearchOutcome { summary, problems, skipped, left_out })
}

/// Finds the training files and those of the benchmarks.
fn discover(job: &DecontaminateJob) -> Result<(Inputs, Inputs), LookalikeError> {
    let exclude = || vec![job.output.clone()];
    let stdin = |arguments: &[String]| arguments.iter().any(|argument| argument == "-");
    if stdin(&job.inputs) && stdin(&job.against) {
        return Err(InputError::Twice { path: PathBuf::from("-") }.into());
    }
    let reading = job.settings.reading(exclude(), job.run.scratch.clone());
    let inputs = Inputs::discover(&job.inputs, reading)?;
    let reading =
        item_reading(&job.settings, &job.contamination, exclude(), job.run.scratch.clone());
    let items = Inputs::discover(&job.against, reading)?;
    // Refuses a file that is among both: every item would be found in itself.
    inputs.clone().append(items.clone())?;
    Ok((inputs, items))
}

/// Stops a run that would remove more than it may.
fn check_loss(most: Option<&LossLimit>, removed: u64, all: u64) -> Result<(), LookalikeError> {
    match most.filter(|most| most.is_exceeded(removed, all)) {
        None => Ok(()),
        Some(most) => Err(LookalikeError::Guard(format!(
            "{removed} of {all} documents contain items of the benchmarks, more than the setting \
             max_loss={most}. Nothing was removed. Look at them with the setting action=list; if they have a \
             template in common with the items, lower the settings common and common_items. Or raise the \
             setting max_loss"
        ))),
    }
}
