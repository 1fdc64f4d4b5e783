//! A search over files, to a result directory.

use super::fates::mark_names;
use super::search::{Search, check_items, item_reading, settings_of_run};
use super::second_reading::read_again;
use super::settings::{ContaminationAction, ContaminationSettings};
use super::tables::Tables;
use crate::analysis::pool;
use crate::guards::LossLimit;
use crate::job_steps::JobSteps;
use crate::jobs::{outputs, working_directory};
use crate::memory::{self, Memory};
use crate::panics::caught;
use crate::reading::Documents;
use crate::readings::first::Admitted;
use crate::readings::second::Routing;
use crate::settings::thread_count;
use crate::table_store::{TableFiles, write_problems};
use crate::{LookalikeError, Settings, feature_settings, input_fields, skipped_files};
use lookalike_engine::Progress;
use lookalike_engine::pipeline::PipelineLimits;
use lookalike_io::input::{InputError, LeftOut};
use lookalike_io::sink::{RouteOptions, Staging};
use lookalike_io::table::TableFormat;
use lookalike_io::{Inputs, Problem};
use lookalike_report::{ContaminationSummary, Phase, Run};
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
    /// Replace an earlier result.
    pub force: bool,
    /// Analysis of texts, names of fields, and options of formats.
    pub settings: Settings,
    /// When a document contains an item.
    pub contamination: ContaminationSettings,
    /// What becomes of the documents that do.
    pub action: ContaminationAction,
    /// Prefix of the names of the fields that [`ContaminationAction::Mark`] adds.
    pub mark_prefix: String,
    /// Form of the tables.
    pub tables: TableFormat,
    /// The most documents that may be removed or cut, `30%` or `0.3`; `None` for no limit.
    pub max_loss: Option<String>,
    /// Stop at the first bad record.
    pub strict: bool,
    /// Continue when an input cannot be read to its end.
    pub skip_unreadable: bool,
    /// Number of threads; 0 for as many as there are cores.
    pub threads: usize,
    /// Memory budget in bytes (approximate) for the texts that are read at a time.
    pub memory: Option<u64>,
    /// Directory for copies of standard input and of members of archives.
    pub scratch: Option<PathBuf>,
    /// The command line, for the record.
    pub command: String,
    /// The configuration of the run, written beside the results as `config.toml`.
    pub config: Option<String>,
}

impl DecontaminateJob {
    /// A job with default settings.
    pub fn new(inputs: Vec<String>, against: Vec<String>, output: impl Into<PathBuf>) -> Self {
        Self {
            inputs,
            against,
            output: output.into(),
            force: false,
            settings: Settings::default(),
            contamination: ContaminationSettings::default(),
            action: ContaminationAction::List,
            mark_prefix: String::new(),
            tables: TableFormat::default(),
            max_loss: None,
            strict: false,
            skip_unreadable: false,
            threads: 0,
            memory: None,
            scratch: None,
            command: String::new(),
            config: None,
        }
    }
}

/// What a finished search has to say.
#[derive(Debug)]
pub struct DecontaminateOutcome {
    /// The content of `summary.json`.
    pub summary: ContaminationSummary,
    /// The first records and files that could not be used, those of the benchmarks last.
    pub problems: Vec<Problem>,
    /// Skipped files of directories.
    pub skipped: Vec<PathBuf>,
    /// Files and directories in the inputs that are no data.
    pub left_out: Vec<LeftOut>,
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
) -> Result<DecontaminateOutcome, LookalikeError> {
    let pool = pool(thread_count(job.threads))?;
    caught(|| pool.install(|| carry_out(job, progress)))
}

fn carry_out(
    job: &DecontaminateJob,
    progress: &dyn Progress,
) -> Result<DecontaminateOutcome, LookalikeError> {
    let started = Instant::now();
    let is_list = job.action == ContaminationAction::List;
    let last = if is_list { "locating" } else { "writing" };
    let progress = &JobSteps::new(vec!["reading items", "reading", last], progress);
    job.contamination.check()?;
    feature_settings::refuse(&job.settings.fields, "decontaminate")?;
    let most: Option<LossLimit> = job.max_loss.as_deref().map(str::parse).transpose()?;
    Staging::check(&job.output, job.force)?;
    let (inputs, items) = discover(job)?;
    skipped_files::refuse(&inputs, job.strict)?;
    skipped_files::refuse(&items, job.strict)?;
    input_fields::check(&inputs, &|| progress.cancelled())?;
    check_items(&items, &job.contamination, progress)?;
    let folder = job.scratch.clone().unwrap_or_else(|| PathBuf::from("."));
    let staging = Staging::create_in(&job.output, &folder, job.force)?;
    staging.conflicts(&inputs)?;
    staging.conflicts(&items)?;

    let threads = thread_count(job.threads);
    let search = Search {
        documents: Documents::of_files(&inputs),
        items: Documents::of_files(&items),
        settings: &job.settings,
        contamination: &job.contamination,
        admitted: Admitted { strict: job.strict, skip_unreadable: job.skip_unreadable },
        limits: PipelineLimits { threads, in_flight: Memory::of(job.memory).in_flight() },
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
    let store = TableFiles { staging: &staging, format: job.tables };
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

    let settings = settings_of_run(&job.settings, &job.contamination, &job.against);
    let mut summary = found.summary(&inputs, settings, job.action, totals, &written);
    let Tables { contamination, spans, items: of_items, benchmarks } = tables;
    let mut tables = vec![contamination, spans, of_items, benchmarks];
    let skipped = skipped_files::rows(&inputs.skipped);
    if found.problems().next().is_some() || !skipped.is_empty() {
        tables.push(write_problems(found.problems().chain(&skipped), &store)?);
    }
    summary.outputs = outputs(&tables, written.files.as_ref());
    let seconds = started.elapsed().as_secs_f64();
    summary.run =
        Some(run_of(job, &summary, threads, &[("reading", reading), (last, seconds - reading)]));
    if let Some(config) = &job.config {
        staging.write("config.toml", config.as_bytes())?;
    }
    staging.write("summary.json", summary.to_json()?.as_bytes())?;
    staging.commit_unless(&|| progress.cancelled())?;
    let problems = found.problems().cloned().collect();
    let Inputs { skipped, left_out, .. } = inputs;
    Ok(DecontaminateOutcome { summary, problems, skipped, left_out })
}

/// Finds the training files and those of the benchmarks.
fn discover(job: &DecontaminateJob) -> Result<(Inputs, Inputs), LookalikeError> {
    let exclude = || vec![job.output.clone()];
    let stdin = |arguments: &[String]| arguments.iter().any(|argument| argument == "-");
    if stdin(&job.inputs) && stdin(&job.against) {
        return Err(InputError::Twice { path: PathBuf::from("-") }.into());
    }
    let reading = job.settings.reading(exclude(), job.scratch.clone());
    let inputs = Inputs::discover(&job.inputs, reading)?;
    let reading = item_reading(&job.settings, &job.contamination, exclude(), job.scratch.clone());
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

/// Time, memory and the steps of a run.
fn run_of(
    job: &DecontaminateJob,
    summary: &ContaminationSummary,
    threads: usize,
    phases: &[(&str, f64)],
) -> Run {
    let bytes = summary.inputs.iter().map(|input| input.bytes).sum::<u64>() as f64 / 1e6;
    let phase = |&(name, seconds): &(&str, f64)| Phase {
        name: name.to_owned(),
        seconds,
        megabytes_per_second: (seconds > 0.0).then(|| bytes / seconds),
        cpu_seconds: None,
    };
    Run {
        command_line: job.command.clone(),
        directory: working_directory(),
        threads: threads as u64,
        seconds: phases.iter().map(|(_, seconds)| seconds).sum(),
        phases: phases.iter().map(phase).collect(),
        peak_memory_bytes: memory::peak(),
        ..Run::default()
    }
}
