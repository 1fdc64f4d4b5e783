//! A finished run: its summary, and its inputs, found again from any directory.

use crate::passages::of_kept::FOLDER;
use crate::{LookalikeError, Settings, index};
use lookalike_io::{Extractor, Format, InputFile, Inputs};
use lookalike_report::{InputSummary, PassageSummary, Run, Summary};
use lookalike_spill::regular_file;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The part of a summary that is needed to repeat the run.
#[derive(Deserialize)]
pub(crate) struct RunJob {
    pub(crate) settings: Settings,
    pub(crate) inputs: Vec<String>,
    pub(crate) against: Vec<String>,
    /// Checksum of the shingles of ignored texts.
    #[serde(default)]
    pub(crate) ignored_texts: Option<String>,
}

/// The command that wrote a summary.
#[derive(Deserialize)]
struct RunCommand {
    command: String,
}

impl RunJob {
    /// Looks up relative names of other files than inputs in a directory; empty for the current one.
    fn look_in(&mut self, place: &Path) {
        for name in &mut self.settings.ignore_text {
            if !lookalike_io::is_url(name) {
                *name = place.join(&*name).to_string_lossy().into_owned();
            }
        }
    }
}

/// What a summary says of the inputs of its run.
pub(crate) trait RunSummary {
    /// The inputs, but for those of another collection.
    fn inputs(&self) -> &[InputSummary];
    /// The run.
    fn run(&self) -> Option<&Run>;
}

impl RunSummary for Summary {
    fn inputs(&self) -> &[InputSummary] {
        &self.inputs
    }

    fn run(&self) -> Option<&Run> {
        self.run.as_ref()
    }
}

impl RunSummary for PassageSummary {
    fn inputs(&self) -> &[InputSummary] {
        &self.inputs
    }

    fn run(&self) -> Option<&Run> {
        self.run.as_ref()
    }
}

/// A finished run with its inputs.
pub(crate) struct RunInputs<S = Summary> {
    pub(crate) summary: S,
    pub(crate) job: RunJob,
    /// The files; documents of indexes are not among them.
    pub(crate) inputs: Inputs,
    /// The directory in which relative names were looked up.
    pub(crate) place: PathBuf,
    /// Number of inputs that are not protected: the first ones.
    pub(crate) own: usize,
    /// The first change of the inputs after the run.
    pub(crate) changed: Option<InputsChanged>,
}

/// How inputs differ from those of the run; displayed, a sentence for its explanations.
pub(crate) struct InputsChanged(pub(crate) String);

impl std::fmt::Display for InputsChanged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self(change) = self;
        write!(f, "The inputs have changed since the run: {change}; it may have seen other texts.")
    }
}

impl RunInputs {
    /// The inputs of a run of `dedup` or `cluster`.
    ///
    /// # Errors
    /// As of [`RunInputs::of`], and a directory without such a run.
    pub(crate) fn find(run: &Path) -> Result<Self, LookalikeError> {
        let (summary, job) = read_summary(run)?;
        Self::of(run, summary, job)
    }
}

impl<S: RunSummary> RunInputs<S> {
    /// Finds the inputs of a run. Relative names are those of the working directory of the run;
    /// they are looked up there, in the current directory, in the directory of the run and in the one
    /// that holds it. The first of these with the inputs as they were is taken, else the first
    /// with inputs.
    ///
    /// # Errors
    /// Standard input, inputs that are in none of these.
    pub(crate) fn of(run: &Path, summary: S, mut job: RunJob) -> Result<Self, LookalikeError> {
        if job.inputs.iter().chain(&job.against).any(|input| input == "-") {
            return Err(LookalikeError::StandardInput);
        }
        let recorded = summary.run().and_then(|run| run.directory.as_deref());
        let holds = std::path::absolute(run).ok().and_then(|run| Some(run.parent()?.to_owned()));
        let places =
            [recorded.map(PathBuf::from), Some(PathBuf::new()), Some(run.to_owned()), holds];
        let mut tried: Vec<PathBuf> = Vec::new();
        let (mut first_error, mut first_changed) = (None, None);
        for place in places.into_iter().flatten() {
            if tried.contains(&place) {
                continue;
            }
            match discover(run, &job, &place) {
                Ok((inputs, own)) => {
                    let changed = changed_inputs(&inputs.files[..own], summary.inputs());
                    if changed.is_none() {
                        job.look_in(&place);
                        return Ok(Self { summary, job, inputs, place, own, changed });
                    }
                    first_changed.get_or_insert((inputs, own, changed, place.clone()));
                }
                Err(error) => _ = first_error.get_or_insert(error),
            }
            tried.push(place);
        }
        if let Some((inputs, own, changed, place)) = first_changed {
            job.look_in(&place);
            return Ok(Self { summary, job, inputs, place, own, changed });
        }
        let tried: Vec<String> = tried
            .iter()
            .map(|place| match place.as_os_str().is_empty() {
                true => "the current directory".to_owned(),
                false => place.display().to_string(),
            })
            .collect();
        let reason = first_error.map(|error| error.to_string()).unwrap_or_default();
        Err(LookalikeError::Run {
            path: run.display().to_string(),
            reason: format!("its inputs are not found: {reason} (tried in {})", tried.join(", ")),
        })
    }
}

impl<S: RunSummary> RunInputs<S> {
    /// The indexes that the run compared with: the name that is the file of their documents, and the directory.
    pub(crate) fn indexes(&self) -> impl Iterator<Item = (&str, PathBuf)> {
        let against = self.job.against.iter().map(|name| (&**name, self.place.join(name)));
        against.filter(|(_, dir)| index::is_index(dir))
    }

    /// The inputs that the run could not read, or not to their ends, and skipped.
    pub(crate) fn unreadable(&self) -> BTreeSet<u32> {
        let of_summary = |name: &str| self.summary.inputs().iter().find(|one| one.name == name);
        let was_unreadable =
            |file: &InputFile| of_summary(&file.name).is_some_and(|one| one.unreadable);
        let files = (0..).zip(&self.inputs.files);
        files.filter(|(_, file)| was_unreadable(file)).map(|(number, _)| number).collect()
    }

    /// Takes the commands of the caller that extract texts of the inputs, if they are those of the run: a
    /// result directory may come from somebody else, and its summary must not start programs.
    ///
    /// # Errors
    /// A command of the run that is not among the given ones.
    pub(crate) fn take_commands(&mut self, given: &[Extractor]) -> Result<(), LookalikeError> {
        let recorded = &self.job.settings.formats.extract;
        let is_given =
            |recorded: &Extractor| given.iter().any(|given| given.recorded() == *recorded);
        let is_run = self.inputs.files.iter().any(|file| file.format == Format::EXTRACTED);
        match recorded.iter().find(|recorded| is_run && !is_given(recorded)) {
            None => {
                // Results record commands without what may be secret in them.
                self.inputs.options.formats.extract = given.to_vec();
                Ok(())
            }
            Some(missing) => Err(LookalikeError::Settings(format!(
                "the run extracted texts with the command `{missing}`, which is not started again \
                 only because the result directory names it; if you trust it, give the setting extract \
                 with the same value"
            ))),
        }
    }
}

/// The inputs of a run whose working directory was `place`; empty for the current one.
fn discover(run: &Path, job: &RunJob, place: &Path) -> Result<(Inputs, usize), LookalikeError> {
    let options = job.settings.reading(vec![run.to_path_buf()], None);
    let mut inputs = Inputs::discover_in(place, &job.inputs, options.clone())?;
    // The summary states the sizes of these only.
    let own = inputs.files.len();
    let is_index = |path: &&String| index::is_index(place.join(path));
    let against: Vec<String> = job.against.iter().filter(|path| !is_index(path)).cloned().collect();
    if !against.is_empty() {
        inputs.append(Inputs::discover_in(place, &against, options)?)?;
    }
    Ok((inputs, own))
}

/// The first difference of inputs from those that a summary names.
fn changed_inputs(files: &[InputFile], of_run: &[InputSummary]) -> Option<InputsChanged> {
    let sizes = |name: &str| of_run.iter().find(|input| input.name == name);
    let change = files.iter().find_map(|file| match sizes(&file.name) {
        None => Some(format!("{} was not there", file.name)),
        Some(known) if known.bytes != file.size => {
            Some(format!("{} had {} bytes and now has {}", file.name, known.bytes, file.size))
        }
        Some(_) => None,
    });
    change.map(InputsChanged)
}

/// The file of the summary, and what is wrong with it.
fn wrong_summary(run: &Path, reason: String) -> LookalikeError {
    let reason = format!("{reason}; is it the directory of a finished run?");
    LookalikeError::Run { path: run.join("summary.json").display().to_string(), reason }
}

/// The text of a summary.
fn read_text(run: &Path) -> Result<String, LookalikeError> {
    if run.to_str().is_some_and(lookalike_io::is_url) {
        let reason = "runs are read from local directories only; copy it to one first";
        return Err(wrong_summary(run, reason.to_string()));
    }
    let (path, mut text) = (run.join("summary.json"), String::new());
    let read = regular_file::open_named(&path).and_then(|mut file| file.read_to_string(&mut text));
    read.map_err(|e| wrong_summary(run, e.to_string()))?;
    Ok(text)
}

/// The name of the command that wrote a result.
///
/// # Errors
/// A directory without a finished run.
fn command_of(run: &Path) -> Result<String, LookalikeError> {
    let text = read_text(run)?;
    serde_json::from_str(&text)
        .map(|RunCommand { command }| command)
        .map_err(|e| wrong_summary(run, format!("not written by this version of lookalike ({e})")))
}

/// The result of `passages` in a directory: the directory itself, or its folder where `dedup` has put one.
///
/// # Errors
/// A directory without a finished run.
pub fn passages_of(run: &Path) -> Result<Option<PathBuf>, LookalikeError> {
    if command_of(run)? == "passages" {
        return Ok(Some(run.to_owned()));
    }
    let folder = run.join(FOLDER);
    Ok(Some(folder.join("summary.json")).filter(|summary| summary.is_file()).map(|_| folder))
}

/// Refuses results of other words and hashes than those of this program.
fn check_analysis(run: &Path, analysis: &str, hash: &str) -> Result<(), LookalikeError> {
    match (analysis, hash) == (lookalike_text::ANALYSIS_NAME, lookalike_core::HASH_NAME) {
        true => Ok(()),
        false => Err(wrong_summary(
            run,
            format!(
                "made with analysis {analysis} and hash {hash}, this program has {} and {}",
                lookalike_text::ANALYSIS_NAME,
                lookalike_core::HASH_NAME
            ),
        )),
    }
}

/// What is wrong with a summary that could not be read as one of these commands: results of other commands
/// have other summaries.
fn foreign(run: &Path, text: &str, commands: &[&str], error: &serde_json::Error) -> LookalikeError {
    let command = serde_json::from_str(text).map(|RunCommand { command }| command);
    let is_other = |command: &&str| !commands.contains(command) && COMMANDS.contains(command);
    let reason = match command.as_deref().ok().filter(is_other) {
        Some(command) => format!(
            "a result of `{command}`; what is asked for is a result of `{}`",
            commands.join("` or `")
        ),
        None => format!("not written by this version of lookalike, or changed since ({error})"),
    };
    wrong_summary(run, reason)
}

/// The commands whose results have a summary.
const COMMANDS: [&str; 5] = ["dedup", "cluster", "decontaminate", "passages", "compare-runs"];

/// Those of them whose results are of a run.
const OF_RUNS: [&str; 2] = ["dedup", "cluster"];

/// The summary of a finished run, whatever analysis it had: for questions that its tables answer.
///
/// # Errors
/// A directory without a finished run.
pub(crate) fn read_any_summary(run: &Path) -> Result<Summary, LookalikeError> {
    let text = read_text(run)?;
    serde_json::from_str(&text).map_err(|e| foreign(run, &text, &OF_RUNS, &e))
}

/// The summary of a search for repeated passages, and what its job was.
///
/// # Errors
/// A directory without a finished search, or of another version.
pub(crate) fn read_passage_summary(run: &Path) -> Result<(PassageSummary, RunJob), LookalikeError> {
    let written = read_text(run)?;
    let foreign = |e: serde_json::Error| foreign(run, &written, &["passages"], &e);
    let summary: PassageSummary = serde_json::from_str(&written).map_err(foreign)?;
    let text = |name: &str| summary.settings.get(name).and_then(Value::as_str).unwrap_or_default();
    check_analysis(run, text("analysis"), text("hash"))?;
    let job = summary.settings.get("job").cloned().unwrap_or_default();
    Ok((summary, serde_json::from_value(job).map_err(foreign)?))
}

/// The summary of a run, and what its job was.
///
/// # Errors
/// A directory without a finished run, or of another version.
pub(crate) fn read_summary(run: &Path) -> Result<(Summary, RunJob), LookalikeError> {
    let text = read_text(run)?;
    let foreign = |e: serde_json::Error| foreign(run, &text, &OF_RUNS, &e);
    let summary: Summary = serde_json::from_str(&text).map_err(foreign)?;
    check_analysis(run, &summary.settings.analysis, &summary.settings.hash)?;
    let job = summary.settings.other.get("job").cloned().unwrap_or_default();
    let job = serde_json::from_value(job).map_err(foreign)?;
    Ok((summary, job))
}
