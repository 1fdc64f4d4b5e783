//! A search over files, to a result directory.

use super::anchor_store::SpillLimits;
use super::excerpts::ShownPassages;
use super::exhibits::{Choice, Collected};
use super::kept_chunks::{CuttingKept, OfChunk};
use super::placing::{PlacedDocument, Placing};
use super::search::{Found, ReadAnchors, Search};
use super::settings::PassageSettings;
use super::spans::{Said, SpanFiles, Spanning, all_documents};
use super::stretches::Stretches;
use super::tables::{Tables, Totals};
use crate::analysis::pool;
use crate::guards::{InputLoss, LossLimit};
use crate::job_steps::JobSteps;
use crate::memory::Memory;
use crate::panics::caught;
use crate::reading::Documents;
use crate::readings::first::ReadCounts;
use crate::readings::second::{Routing, SecondReading, Written};
use crate::recorded_run::{outputs, recorded_run};
use crate::scratch_dir::ScratchDir;
use crate::search_job::{SearchOutcome, SearchRun, limits, search_settings};
use crate::second_pass::{ChunkPicker, Shown};
use crate::settings::thread_count;
use crate::state::{self, Resumable};
use crate::table_store::{TableFiles, TableStore, write_problems};
use crate::{LookalikeError, Settings, index, input_fields, skipped_files, summarise, tokens};
use lookalike_engine::{Checkpoints, DocumentId, Progress};
use lookalike_io::sink::{RouteOptions, Staging, WrittenFiles};
use lookalike_io::table::TableFormat;
use lookalike_io::{Inputs, Problem};
use lookalike_report::{PassageReport, PassageSummary, Run, SpanCounts, Tool};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A search for repeated passages in files.
#[derive(Debug, Clone)]
pub struct PassagesJob {
    /// Documents: files, directories, globs, or `-` for JSONL on standard input. Earlier ones take
    /// precedence, files in the order of their names.
    pub inputs: Vec<String>,
    /// Documents of another collection, named likewise, or the directory of an index: they take precedence,
    /// are not cut and not written, and what stands in them alone is not listed. The documents of indexes
    /// come after those of files.
    pub against: Vec<String>,
    /// The directory that the results are written to.
    pub output: PathBuf,
    /// Analysis of texts, names of fields, and options of formats.
    pub settings: Settings,
    /// What a passage is, and what of it is cut.
    pub passages: PassageSettings,
    /// Whether to write `report.html`.
    pub report: bool,
    /// How it runs. `max_loss` is of units.
    pub run: SearchRun,
    /// Write checkpoints, and continue from those of an earlier run of the same job.
    pub resume: bool,
}

impl PassagesJob {
    /// A job with default settings.
    pub fn new(inputs: Vec<String>, output: impl Into<PathBuf>) -> Self {
        Self {
            inputs,
            against: Vec::new(),
            output: output.into(),
            settings: Settings::default(),
            passages: PassageSettings::default(),
            report: true,
            run: SearchRun::default(),
            resume: false,
        }
    }

    fn resumable(&self) -> Resumable<'_> {
        let SearchRun { scratch, force, .. } = &self.run;
        let (output, scratch) = (&*self.output, scratch.as_deref());
        Resumable { output, scratch, force: *force, resume: self.resume }
    }
}

/// Searches files for repeated passages, and writes what was found, and the documents without what is
/// cut, to [`PassagesJob::output`], whole or not at all.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use lookalike::passages::{PassagesJob, run_passages};
///
/// let folder = tempfile::tempdir()?;
/// let notice = "All rights reserved. No part of this page may be reproduced in any form.";
/// let lines = format!("{{\"text\":\"On roses. {notice}\"}}\n{{\"text\":\"{notice} On tulips.\"}}\n");
/// std::fs::write(folder.path().join("pages.jsonl"), lines)?;
///
/// let input = folder.path().join("pages.jsonl").display().to_string();
/// let mut job = PassagesJob::new(vec![input], folder.path().join("clean"));
/// job.passages.length = Some(10);
/// let outcome = run_passages(&job, &lookalike::Silent)?;
/// assert_eq!((outcome.summary.passages, outcome.summary.cut_units), (1, 14));
/// let kept = std::fs::read_to_string(folder.path().join("clean/kept.jsonl"))?;
/// assert!(kept.ends_with("{\"text\":\"On tulips.\"}\n"));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Settings that make no sense, inputs that cannot be read, outputs that cannot be written, more words
/// cut than [`SearchRun::max_loss`].
pub fn run_passages(
    job: &PassagesJob,
    progress: &dyn Progress,
) -> Result<SearchOutcome<PassageSummary>, LookalikeError> {
    let pool = pool(thread_count(job.run.threads))?;
    caught(|| pool.install(|| carry_out(job, progress)))
        .map_err(|error| state::stopped(job.resumable(), error))
}

/// The files of a job, those of another collection last, and the number of the others.
fn discover(job: &PassagesJob, settings: &Settings) -> Result<(Inputs, u32), LookalikeError> {
    let mut reading = settings.reading(vec![job.output.clone()], job.run.scratch.clone());
    reading.fields.extra = settings.keep_fields()?;
    let mut inputs = Inputs::discover(&job.inputs, reading.clone())?;
    let own_files = inputs.files.len() as u32;
    let against = index::files(&job.against);
    if !against.is_empty() {
        inputs.append(Inputs::discover(&against, reading)?)?;
    }
    Ok((inputs, own_files))
}

/// Opens the scratch directory, if there are checkpoints.
fn open(
    job: &PassagesJob,
    settings: &Settings,
    inputs: &Inputs,
    own_files: u32,
) -> Result<Option<ScratchDir>, LookalikeError> {
    if let Some(path) = index::indexes(&job.against).next() {
        return match job.resume {
            false => Ok(None),
            true => Err(index::no_resume(path)),
        };
    }
    let describe = || {
        let of_command = json!({
            // Version of the layout of checkpoints.
            "layout": "passages/1",
            "passages": job.passages,
            "first_file_of_against": own_files,
            "strict": job.run.strict,
            "skip_unreadable": job.run.skip_unreadable,
        });
        state::described(&job.output, settings, inputs, of_command)
    };
    job.resumable().open(inputs, Memory::of(job.run.memory), describe)
}

/// What is left to do of a run that was stopped after its result got its name: removes its scratch
/// directory.
fn finished(
    job: &PassagesJob,
    settings: &Settings,
) -> Result<Option<SearchOutcome<PassageSummary>>, LookalikeError> {
    let Some(summary) = state::finished(job.resumable())? else { return Ok(None) };
    let (inputs, own_files) = discover(job, settings)?;
    if let Some(scratch) = open(job, settings, &inputs, own_files)? {
        scratch.finish()?;
    }
    let summary = serde_json::from_slice(&summary)?;
    let Inputs { skipped, left_out, .. } = inputs;
    Ok(Some(SearchOutcome { summary, problems: Vec::new(), skipped, left_out }))
}

fn carry_out(
    job: &PassagesJob,
    progress: &dyn Progress,
) -> Result<SearchOutcome<PassageSummary>, LookalikeError> {
    let started = Instant::now();
    let writes_documents = job.passages.writes_documents();
    let progress = &JobSteps::new(job.passages.steps(), progress);
    job.passages.check()?;
    let mut of_documents = job.passages.of_documents(&job.settings, !job.against.is_empty())?;
    if let Some(analysis) = tokens::of_index(&of_documents, &job.against)? {
        of_documents.to_mut().analysis = analysis;
    }
    let most = job.run.most()?;
    if let Some(most) = most.as_ref().filter(|_| !writes_documents) {
        let setting = if job.passages.cuts() { "write=spans" } else { "cut=none" };
        return Err(LookalikeError::Settings(format!(
            "the setting max_loss={most} says how much may be cut, and the setting {setting} cuts nothing"
        )));
    }
    if let Some(outcome) = finished(job, &of_documents)? {
        return Ok(outcome);
    }
    Staging::check(&job.output, job.run.force)?;
    let (mut inputs, own_files) = discover(job, &of_documents)?;
    skipped_files::refuse(&inputs, job.run.strict)?;
    input_fields::check(&inputs, &|| progress.cancelled())?;
    let admitted = job.run.admitted();
    admitted.refuse_damaged(&inputs)?;
    let mut scratch_dir = open(job, &of_documents, &inputs, own_files)?;
    let staging = state::begin(job.resumable(), scratch_dir.as_ref())?;
    staging.conflicts(&inputs)?;
    staging.conflicts_with(index::indexes(&job.against).map(Path::new))?;
    let checkpoints = match &mut scratch_dir {
        Some(dir) => {
            dir.keep();
            Checkpoints::in_folder(&dir.path(""), true)?
        }
        None => Checkpoints::none(),
    };
    let spilled = job.run.spill_folder(&job.output);
    index::append_all(&of_documents, &job.against, &mut inputs, &spilled, progress)?;

    let search = Search {
        documents: Documents::of_files(&inputs),
        own_files,
        settings: &of_documents,
        analysis: &admitted.analysis(&of_documents, &inputs)?,
        passages: &job.passages,
        admitted,
        limits: limits(job.run.threads, job.run.memory),
        spill: SpillLimits::new(job.run.memory, spilled),
        without: &[],
        checkpoints: &checkpoints,
    };
    let against = Some(&job.against[..]).filter(|against| !against.is_empty());
    let mut settings = recorded(&of_documents, &job.passages, against);
    settings.insert("job".into(), recorded_job(&of_documents, &job.inputs, &job.against));
    let results = Results {
        staging: &staging,
        folder: "",
        tables: job.run.tables,
        report: job.report,
        options: &RouteOptions { files: Some(own_files), ..RouteOptions::default() },
        kept: None,
        most,
        settings,
        command: &job.run.command,
        started,
    };
    let written = results.write(&search, None, progress);
    use LookalikeError::{KeepField, KeepValue, Settings as Wrong};
    if let Err(KeepField { .. } | KeepValue { .. } | Wrong(_)) = &written
        && let Some(scratch) = scratch_dir.take()
    {
        // Other settings make another job, which cannot be resumed from here.
        scratch.abandon()?;
    }
    let (summary, problems, _) = written?;
    if let Some(config) = &job.run.config {
        staging.write("config.toml", config.as_bytes())?;
    }
    if !writes_documents {
        // Where records are written, that reading has looked.
        inputs.verify_unchanged()?;
    }
    if let Some(scratch) = &scratch_dir {
        state::note_finished(scratch, summary.to_json()?.as_bytes())?;
    }
    staging.commit_unless(&|| progress.cancelled())?;
    if let Some(scratch) = scratch_dir {
        scratch.finish()?;
    }
    let Inputs { skipped, left_out, .. } = inputs;
    Ok(SearchOutcome { summary, problems, skipped, left_out })
}

/// Where the results of a search go.
pub(super) struct Results<'a> {
    pub(super) staging: &'a Staging,
    /// The folder of its summary, its tables and its report, with a slash behind it; empty for the directory
    /// itself, where documents are.
    pub(super) folder: &'static str,
    pub(super) tables: TableFormat,
    /// Whether to write `report.html`.
    pub(super) report: bool,
    /// How documents are written.
    pub(super) options: &'a RouteOptions,
    /// What else the last reading of a run of `dedup` does, and the documents that it picks.
    pub(super) kept: Option<(&'a ChunkPicker<'a>, &'a mut Vec<(DocumentId, Shown)>)>,
    /// The most that may be cut.
    pub(super) most: Option<LossLimit>,
    /// What the summary says of the settings.
    pub(super) settings: Map<String, Value>,
    pub(super) command: &'a str,
    pub(super) started: Instant,
}

impl Results<'_> {
    /// Searches, and writes what was found; the summary, the first problems, and the documents. With `read`,
    /// the first reading is done.
    ///
    /// # Errors
    /// Documents that cannot be read, or have changed; outputs that cannot be written; more cut than may be.
    pub(super) fn write(
        self,
        search: &Search<'_>,
        read: Option<ReadAnchors>,
        progress: &dyn Progress,
    ) -> Result<(PassageSummary, Vec<Problem>, Option<WrittenFiles>), LookalikeError> {
        let Self { staging, folder, options, .. } = self;
        let Search { documents, passages, .. } = *search;
        let inputs = documents.inputs;
        let store = TableFiles { staging, folder, format: self.tables };
        // First: the last reading is the one that sees whether inputs have changed.
        let near = search.near(&store, progress)?;
        let found = search.find(read, progress)?;
        let reading = self.started.elapsed().as_secs_f64();
        let mut files =
            passages.writes_spans().then(|| SpanFiles::new(search, &found.first, staging));
        let routing = Routing { staging, options };
        let writing = match (&mut files, self.kept) {
            (Some(files), _) => Writing::Spans(files),
            (None, Some((picker, picked))) => Writing::Kept(routing, picker, picked),
            (None, None) if passages.writes_documents() => Writing::Documents(routing),
            (None, None) => Writing::Nothing,
        };
        let choice = self.report.then(|| Choice::new(&found));
        let mut shown = choice.as_ref().map(Collected::new);
        let (tables, totals, written) =
            search.place(&found, &store, writing, shown.as_mut(), progress)?;
        let files = files.map(SpanFiles::finish).transpose()?;
        let (spans, files) =
            files.map_or((None, Vec::new()), |(spans, files)| (Some(spans), files));
        if let Some(most) = &self.most {
            check_loss(most, search, &found, &totals)?;
        }

        let mut summary = search.summary(&found, self.settings, totals, &written, spans);
        let Tables { passages: listed, cuts, edits } = tables;
        let mut tables: Vec<_> = std::iter::once(listed).chain(cuts).chain(edits).collect();
        if let Some((table, counts)) = near {
            tables.push(table);
            summary.near = Some(counts);
        }
        let skipped = skipped_files::rows(&inputs.skipped);
        let problems = found.first.problems.listed();
        if !problems.is_empty() || !skipped.is_empty() {
            tables.push(write_problems(problems.iter().chain(&skipped), &store)?);
        }
        // Documents are in the directory itself.
        summary.outputs = outputs(&tables, written.files.as_ref().filter(|_| folder.is_empty()));
        summary.outputs.extend(files);
        let last = passages.last_step();
        let seconds = self.started.elapsed().as_secs_f64() - reading;
        let phases = [("searching", reading), (last, seconds)];
        let threads = search.limits.threads;
        summary.run = Some(Run {
            scratch_bytes: Some(found.spilled).filter(|&bytes| bytes > 0),
            resumed: search.checkpoints.reused().into_iter().map(Into::into).collect(),
            redone: search.checkpoints.damaged().into_iter().map(Into::into).collect(),
            ..recorded_run(self.command, &summary.inputs, threads, &phases, self.started)
        });
        if let Some(shown) = shown {
            let report = PassageReport { summary: &summary, exhibits: &shown.finish() };
            let html = report.html()?;
            staging.write(&format!("{folder}report.html"), html.as_bytes())?;
        }
        staging.write(&format!("{folder}summary.json"), summary.to_json()?.as_bytes())?;
        Ok((summary, problems.to_vec(), written.files))
    }
}

impl Search<'_> {
    /// Reads the documents with passages again, and writes the tables, and what else is to be written: all
    /// records or spans.
    ///
    /// # Errors
    /// Documents that have changed; outputs that cannot be written; a cancellation.
    pub(super) fn place<S: TableStore>(
        &self,
        found: &Found,
        store: &S,
        writing: Writing<'_, '_>,
        mut shown: Option<&mut Collected<'_>>,
        progress: &dyn Progress,
    ) -> Result<(Tables<S::Done>, Totals, Written), LookalikeError> {
        let Self { documents, passages, limits, .. } = *self;
        let stretches = Stretches::new(&found.runs, &found.cuts, found.lengths);
        let mut wanted = found.numbers.places_of(stretches.documents().into_iter());
        if let Writing::Spans(_) = &writing {
            // Each has a line. Those of another collection are in later files.
            let beside = wanted.partition_point(|&(file, _)| file < self.own_files);
            let own = all_documents(&found.first, self.own_files);
            wanted = own.into_iter().chain(wanted.drain(beside..)).collect();
        }
        let second = SecondReading { documents, first: &found.first, wanted: &wanted, limits };
        let inputs = documents.inputs;
        let none = ShownPassages::default();
        let excerpts = shown.as_ref().map_or(&none, |shown| shown.passages());
        let placing = || Placing::new(inputs, found, &stretches, passages, excerpts);
        let cut = |_: &[(u32, u32)]| placing();
        let say = |_: &[(u32, u32)]| Spanning::new(self, found, placing());
        let read = |each: &mut dyn FnMut(_) -> _| {
            let each = &mut |mut placed: PlacedDocument| {
                if let Some(shown) = &mut shown {
                    shown.take(&mut placed);
                }
                each(placed)
            };
            match writing {
                Writing::Nothing => second.run("locating", None, &cut, each, progress),
                Writing::Documents(routing) => {
                    second.run("writing", Some(routing), &cut, each, progress)
                }
                Writing::Kept(routing, picker, picked) => {
                    let kept = |_: &[(u32, u32)]| CuttingKept::new(placing(), picker);
                    let each = &mut |of_chunk| {
                        match of_chunk {
                            OfChunk::Placed(placed) => each(placed)?,
                            OfChunk::Shown(document, shown) => picked.push((document, shown)),
                        }
                        Ok(())
                    };
                    second.run("writing", Some(routing), &kept, each, progress)
                }
                Writing::Spans(files) => {
                    let each = &mut |said| match said {
                        Said::Placed(placed) => each(placed),
                        Said::Line(line) => files.add(&line),
                    };
                    second.run("locating", None, &say, each, progress)
                }
            }
        };
        Tables::write(store, found, &stretches, passages, read, progress)
    }

    /// The summary, without outputs.
    pub(super) fn summary(
        &self,
        found: &Found,
        settings: Map<String, Value>,
        totals: Totals,
        written: &Written,
        spans: Option<SpanCounts>,
    ) -> PassageSummary {
        // Nothing is cut where spans are written.
        let cut = |number| if spans.is_some() { 0 } else { number };
        let of_runs = totals.of_runs;
        let (first, removed) = (&found.first, written.removed.as_slice());
        let (inputs, own_files) = (self.documents.inputs, self.own_files as usize);
        let ReadCounts { documents, words, text_bytes } = first.of_first(own_files);
        let mut of_inputs = first.input_summaries(inputs, removed);
        of_inputs.truncate(own_files);
        let mut summary = PassageSummary {
            tool: Tool::lookalike(),
            command: "passages".into(),
            settings,
            inputs: of_inputs,
            documents,
            with_passages: of_runs.with_passages,
            passages: of_runs.passages,
            later_units: of_runs.later_units,
            repeated_units: of_runs.repeated_units,
            longest: of_runs.longest,
            most_copies: of_runs.most_copies,
            kept: documents - removed.len() as u64,
            removed: removed.len() as u64,
            cut: cut(totals.cut_documents),
            uncut: of_runs.uncut + written.uncut,
            cut_units: cut(totals.cut_units),
            rest_units: cut(totals.rest_units),
            spans,
            keep_values: found.keep_values.clone(),
            cuts: totals.cuts,
            problems: first.problems.count(),
            unreadable_inputs: first.problems.unreadable().count() as u64,
            skipped_files: inputs.skipped.len() as u64,
            left_out: skipped_files::left_out(&inputs.left_out),
            units: words,
            text_bytes,
            digest: totals.digest,
            ..PassageSummary::default()
        };
        summary.warnings = summary.find_warnings();
        summary
    }
}

/// The settings as a summary states them.
pub(super) fn recorded(
    settings: &Settings,
    passages: &PassageSettings,
    against: Option<&[String]>,
) -> Map<String, Value> {
    let mut recorded = search_settings(settings, &passages.resolved(), against);
    recorded.insert("keep".into(), json!(settings.keep));
    if let Some(field) = &settings.separate_by {
        recorded.insert("separate_by".into(), json!(field));
    }
    recorded
}

/// What `explain` reads back.
pub(super) fn recorded_job(settings: &Settings, inputs: &[String], against: &[String]) -> Value {
    let mut settings = settings.clone();
    settings.formats = settings.formats.recorded();
    let arguments = summarise::recorded;
    json!({ "settings": settings, "inputs": arguments(inputs), "against": arguments(against) })
}

/// What a search writes beside its tables.
pub(super) enum Writing<'w, 'a> {
    Nothing,
    Documents(Routing<'w>),
    /// Of a run of `dedup`, with the documents that are picked for its report.
    Kept(Routing<'w>, &'w ChunkPicker<'w>, &'w mut Vec<(DocumentId, Shown)>),
    Spans(&'w mut SpanFiles<'a>),
}

/// Stops a run that would cut more than it may, of all documents or of an input.
fn check_loss(
    most: &LossLimit,
    search: &Search<'_>,
    found: &Found,
    totals: &Totals,
) -> Result<(), LookalikeError> {
    let Search { documents, passages, own_files, .. } = *search;
    let exceeded = |cut: u64, all: u64, of: &str, advice: &str| {
        let unit = passages.unit.name();
        LookalikeError::Guard(format!(
            "{cut} of {all} {unit}s{of} are of passages that would be cut, more than the setting max_loss={most}. \
             Nothing was written. Look at them with the setting cut=none; {advice}, raise the setting length, or \
             raise the setting max_loss"
        ))
    };
    let cut = totals.cut_units + totals.rest_units;
    let all = found.first.of_first(own_files as usize).words;
    if most.is_exceeded(cut, all) {
        return Err(exceeded(cut, all, "", "remove copies of whole documents first (dedup)"));
    }
    let losses = (0..own_files).zip(&found.first.of_files).map(|(file, of)| InputLoss {
        documents: of.documents,
        gone: totals.of_files.get(&file).copied().unwrap_or_default(),
        all: of.words,
    });
    match most.exceeding(losses) {
        None => Ok(()),
        Some((file, InputLoss { gone, all, .. })) => {
            let of = format!(" of {}", documents.inputs.files[file].name);
            let advice = "if its passages should stay before those of other sources, say so with prefer() in the \
                          setting keep";
            Err(exceeded(gone, all, &of, advice))
        }
    }
}
