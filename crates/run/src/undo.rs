//! `undo`: restores removed documents into a copy of a result.
//!
//! The decision of a person takes precedence over that of the run: a restored document is kept, and
//! belongs to no cluster. Its records come from the inputs, byte for byte and in their order, and
//! everything else from the tables of the run. Nothing is compared again.

use crate::differences::{removal_of, summed};
use crate::lookup::only_named;
use crate::panics::caught;
use crate::recorded_run::{outputs, working_directory};
use crate::run_inputs::{InputsChanged, RunInputs};
use crate::summarise::{ADD_COUNTS, PASSAGES, count_clusters, count_of};
use crate::{LookalikeError, settings};
use lookalike_core::Threshold;
use lookalike_decide::name::{KEPT, REMOVED, WIDTH};
use lookalike_decide::{
    CLUSTERS, DifferenceColumns, DocumentName, LEDGER, Layout, Measures, PAIRS, PROBLEMS,
    ReadDifference, Rule, Table, TableDigest, TableRow, run_digest,
};
use lookalike_engine::files::{FilePart, piece_bytes};
use lookalike_engine::pipeline::PipelineLimits;
use lookalike_engine::poll::Poll;
use lookalike_engine::{DifferenceKinds, DifferenceProfile, EngineError, Progress, pipeline};
use lookalike_io::input::name::path_of;
use lookalike_io::sink::{DocumentsWriter, Role, RouteOptions, Routed, Staging, WrittenFiles};
use lookalike_io::table::{Cell, Column, TableFormat, TableReader, Value, WrittenTable};
use lookalike_io::{Fate, Fates, MarkValue};
use lookalike_report::{
    Action, CountedBy, DifferenceExample, DifferenceSummary, InputSummary, Output, Run,
    SimilarityHistogram, Summary,
};
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Documents of a finished run to restore, and an output.
#[derive(Debug, Clone)]
pub struct UndoJob {
    /// The directory of a finished [`run_dedup`](crate::run_dedup).
    pub run: PathBuf,
    /// Removed documents, by id or as `FILE:RECORD`.
    pub documents: Vec<String>,
    /// All removed documents of these clusters, by the number in the table `clusters`.
    pub clusters: Vec<u64>,
    /// The directory that the result is written to.
    pub output: PathBuf,
    /// Replace an earlier result.
    pub force: bool,
    /// The command line, for the record.
    pub command: String,
}

impl UndoJob {
    /// A job that restores nothing yet.
    pub fn new(run: impl Into<PathBuf>, output: impl Into<PathBuf>) -> Self {
        Self {
            run: run.into(),
            documents: Vec::new(),
            clusters: Vec::new(),
            output: output.into(),
            force: false,
            command: String::new(),
        }
    }
}

/// File and record of a document.
type Place = (String, u32);

/// Restores removed documents of a run into a copy of its result: the restored documents are among
/// the kept ones, and in neither the ledger nor the clusters. `pairs` and `problems` stay as they
/// are; there is no report, which would show the earlier decisions.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use lookalike::{Job, Silent, run_dedup};
/// use lookalike::results::{UndoJob, undo};
///
/// # let folder = tempfile::tempdir()?;
/// let docs = folder.path().join("docs.jsonl");
/// let line = "one fish two fish red fish blue fish black fish old fish new fish";
/// std::fs::write(&docs, format!("{{\"id\":\"a\",\"text\":\"{line}\"}}\n{{\"id\":\"b\",\"text\":\"{line}!\"}}\n"))?;
/// let job = Job::new(vec![docs.display().to_string()], folder.path().join("clean"));
/// assert_eq!(run_dedup(&job, &Silent)?.summary.kept, 1);
///
/// let mut again = UndoJob::new(&job.output, folder.path().join("again"));
/// again.documents.push("b".into());
/// let summary = undo(&again, &Silent)?;
/// assert_eq!((summary.kept, summary.clusters), (2, 0));
/// assert_eq!(std::fs::read(folder.path().join("again/kept.jsonl"))?, std::fs::read(&docs)?);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// A run that removed nothing, or whose files or inputs changed since; a name of no removed
/// document, or of several; results that cannot be written.
pub fn undo(job: &UndoJob, progress: &dyn Progress) -> Result<Summary, LookalikeError> {
    caught(|| carry_out(job, progress))
}

fn carry_out(job: &UndoJob, progress: &dyn Progress) -> Result<Summary, LookalikeError> {
    let started = Instant::now();
    let found = unchanged_inputs(&job.run)?;
    check_outputs(&job.run, &found.summary)?;
    let tables = Tables::read(&job.run, &found.summary)?;
    let restored = tables.restored(job)?;
    let rejected = rejected(&job.run, &found.summary)?;

    let staging = Staging::create(&job.output, job.force)?;
    staging.conflicts(&found.inputs)?;
    staging.conflicts_with([job.run.join("summary.json").as_path()])?;
    let summary = found.summary.clone();
    // What was counted of removals is no longer so.
    let across = summary.across.clone().filter(|found| found.counted == CountedBy::Matches);
    let mut after =
        Summary { outputs: Vec::new(), near_misses: None, across, run: None, ..summary };
    let written = tables.write(&restored, &mut after, &staging, progress)?;
    let removed = tables.ledger.iter().map(|row| &row.place).filter(|at| !restored.contains(*at));
    let fates = RestoredFates::new(&found, removed, &rejected);
    let threads = settings::thread_count(0);
    let documents = write_documents(&job.run, &found, &fates, threads, &staging, progress)?;

    after.outputs = outputs(&written, Some(&documents));
    after.warnings = after.find_warnings();
    after.run = Some(Run {
        command_line: job.command.clone(),
        directory: working_directory(),
        threads: threads as u64,
        seconds: started.elapsed().as_secs_f64(),
        ..Run::default()
    });
    staging.write("summary.json", after.to_json()?.as_bytes())?;
    staging.commit()?;
    Ok(after)
}

/// A run that removed documents, with its inputs as they were.
fn unchanged_inputs(run: &Path) -> Result<RunInputs, LookalikeError> {
    let found = RunInputs::find(run)?;
    let reason = match &found.changed {
        _ if found.summary.action != Action::Remove => {
            "this run removed no documents; only a run of dedup does".into()
        }
        _ if found.summary.settings.other.contains_key(ADD_COUNTS) => {
            "its kept documents have counts of the removed ones (add_counts), which would no longer be \
             right; run dedup again without the documents that should stay"
                .into()
        }
        _ if found.summary.settings.other.contains_key(PASSAGES) => {
            "passages were cut out of its kept documents for others, which may be restored ones; run dedup \
             again without the documents that should stay"
                .into()
        }
        Some(InputsChanged(change)) => format!(
            "its inputs have changed since, and records cannot be restored from others ({change})"
        ),
        None => return Ok(found),
    };
    Err(LookalikeError::Run { path: run.display().to_string(), reason })
}

/// Writes the records of the inputs again, each to its place.
fn write_documents(
    run: &Path,
    found: &RunInputs,
    fates: &RestoredFates,
    threads: usize,
    staging: &Staging,
    progress: &dyn Progress,
) -> Result<WrittenFiles, LookalikeError> {
    let (inputs, own, unreadable) = (&found.inputs, found.own, &found.unreadable());
    let options = RouteOptions {
        copy_files: run.join("kept-files").is_dir(),
        files: Some(own as u32),
        ..RouteOptions::default()
    };
    inputs.verify_unchanged()?;
    progress.phase("writing", Some(inputs.files[..own].iter().map(|file| file.size).sum()));
    let writer = DocumentsWriter::new(inputs, staging, &options).with_threads(threads);
    let mut writer = writer.with_unreadable(unreadable.iter().copied());
    let mut documents = vec![0; own];
    let files = inputs.chunks().into_files().take_while(|file| file.first_file() < own as u32);
    let in_flight = crate::memory::Memory::of(None).in_flight();
    pipeline::try_ordered_parts(
        PipelineLimits { threads, in_flight },
        files.map(FilePart),
        |piece| piece_bytes(piece, inputs),
        || (),
        |(), piece| -> Result<(u64, Option<(u32, Routed)>), LookalikeError> {
            let (chunk, problem) = piece.into_parts();
            // The rest of an input that the run could not read was in no output either.
            if let Some(problem) = problem
                && problem.unreadable
                && !unreadable.contains(&problem.file)
            {
                return Err(EngineError::Unreadable(problem).into());
            }
            let Some(chunk) = chunk else { return Ok((0, None)) };
            let mut routed = Routed::default();
            chunk.route(inputs, fates, &options, &mut routed)?;
            Ok((chunk.consumed, Some((chunk.file, routed))))
        },
        |(consumed, routed)| {
            if let Some((file, routed)) = routed {
                let usable = [Role::Kept, Role::Removed].map(|role| routed.records(role));
                documents[file as usize] += usable.iter().sum::<u64>();
                writer.write(&routed)?;
            }
            progress.advance(consumed, 0);
            Ok(Poll::new(progress).now()?)
        },
    )?;
    inputs.verify_unchanged()?;
    check_counts(found, &documents)?;
    Ok(writer.finish()?)
}

/// Compares the number of documents of each file with that of the run.
fn check_counts(found: &RunInputs, documents: &[u64]) -> Result<(), LookalikeError> {
    for (file, &documents) in found.inputs.files.iter().zip(documents) {
        // One-document files are listed, and a chunk has several.
        let counted = found.summary.inputs.iter().find(|one| one.name == file.name);
        let is_same = |one: &InputSummary| one.documents == documents;
        if !file.format.is_document() && !counted.is_some_and(is_same) {
            return Err(LookalikeError::Changed { input: file.name.clone() });
        }
    }
    Ok(())
}

/// Refuses a result whose files have other sizes than when they were written.
fn check_outputs(run: &Path, summary: &Summary) -> Result<(), LookalikeError> {
    for Output { name, bytes, .. } in &summary.outputs {
        let path = run.join(path_of(name));
        let size = std::fs::metadata(&path).map(|file| file.len()).ok();
        if size.is_none() || bytes.is_some_and(|bytes| size != Some(bytes)) {
            return Err(LookalikeError::Run {
                path: path.display().to_string(),
                reason: "the file was changed or removed after the run; run dedup again".into(),
            });
        }
    }
    Ok(())
}

/// The records of a run that are in `rejected`.
fn rejected(run: &Path, summary: &Summary) -> Result<Vec<Place>, LookalikeError> {
    if summary.problems == 0 {
        return Ok(Vec::new());
    }
    let (mut rejected, mut rows) = (Vec::new(), 0);
    for row in TableReader::open(run, PROBLEMS.name, &PROBLEMS.all())? {
        let row = row?;
        rows += 1;
        let record = row.get(1).and_then(Value::as_count).and_then(|n| u32::try_from(n).ok());
        if let (Some(file), Some(record)) = (row.first().and_then(Value::as_text), record) {
            rejected.push((file.to_owned(), record));
        }
    }
    if rows < summary.problems {
        return Err(LookalikeError::Run {
            path: run.display().to_string(),
            reason: format!(
                "only the first {rows} of {} problems are listed, so that it is not known which records were \
                 rejected; run dedup again",
                summary.problems
            ),
        });
    }
    Ok(rejected)
}

/// What becomes of the records of a run after some were restored, by (file, record).
struct RestoredFates {
    removed: BTreeSet<(u32, u32)>,
    rejected: BTreeSet<(u32, u32)>,
}

impl RestoredFates {
    fn new<'p>(
        found: &RunInputs,
        removed: impl Iterator<Item = &'p Place>,
        rejected: &[Place],
    ) -> Self {
        let files = found.inputs.files[..found.own].iter().map(|file| file.name.as_str());
        let numbers: BTreeMap<&str, u32> = files.zip(0..).collect();
        let place = |(file, record): &Place| Some((*numbers.get(file.as_str())?, *record));
        Self {
            removed: removed.filter_map(place).collect(),
            rejected: rejected.iter().filter_map(place).collect(),
        }
    }
}

impl Fates for RestoredFates {
    fn fate(&self, file: u32, record: u32) -> Fate {
        match (file, record) {
            place if self.rejected.contains(&place) => Fate::Rejected,
            place if self.removed.contains(&place) => Fate::Removed,
            _ => Fate::Kept,
        }
    }

    fn mark(&self, _file: u32, _record: u32) -> Vec<MarkValue<'_>> {
        Vec::new()
    }
}

/// A row of a table.
type Row = Vec<Value>;

/// A row of the ledger.
struct LedgerRow {
    place: Place,
    rule: Option<Rule>,
    row: Row,
}

/// The tables of a run that say what was removed.
struct Tables {
    run: PathBuf,
    format: TableFormat,
    ledger_columns: Vec<Column>,
    ledger: Vec<LedgerRow>,
    clusters: Vec<Row>,
}

impl Tables {
    /// Reads the tables.
    ///
    /// # Errors
    /// Tables that are not those of the summary.
    fn read(run: &Path, summary: &Summary) -> Result<Self, LookalikeError> {
        let mut digests = [LEDGER.name, CLUSTERS.name, PAIRS.name].map(TableDigest::new);
        let [of_ledger, of_clusters, of_pairs] = &mut digests;
        let damaged = |table: &str| LookalikeError::Run {
            path: run.join(table).display().to_string(),
            reason: "a row is damaged; run dedup again".into(),
        };
        let mut reader = TableReader::open(run, LEDGER.name, &LEDGER.all())?;
        let format = TableFormat::ALL
            .into_iter()
            .find(|format| reader.path().extension().is_some_and(|end| end == format.extension()))
            .unwrap_or_default();
        let known = LEDGER.all();
        let columns = if reader.columns().is_empty() { known } else { reader.columns().to_vec() };
        let (at, rule_at) = (reader.position(REMOVED[0].name), reader.position("rule"));
        let (written, mut bytes) = (LEDGER.only(&columns), Vec::new());
        let mut ledger = Vec::new();
        for row in &mut reader {
            let row = row?;
            let cells: Vec<Cell<'_>> = row.iter().map(Value::as_cell).collect();
            of_ledger.add_sum(1, written.hash_cells(&cells, &mut bytes));
            let name = at.and_then(|at| DocumentName::read(row.get(at..at + WIDTH)?));
            let name = name.ok_or_else(|| damaged(LEDGER.name))?;
            let rule = rule_at.and_then(|at| row[at].as_text());
            let rule = rule.and_then(Rule::named);
            ledger.push(LedgerRow { place: place_of(&name), rule, row });
        }
        let mut clusters = Vec::new();
        for row in TableReader::open(run, CLUSTERS.name, &CLUSTERS.all())? {
            let row = row?;
            of_clusters.add(row.iter().map(Value::as_cell));
            if row.len() < 2 * WIDTH + 2 {
                return Err(damaged(CLUSTERS.name));
            }
            clusters.push(row);
        }
        for row in TableReader::open(run, PAIRS.name, &PAIRS.all())? {
            of_pairs.add(row?.iter().map(Value::as_cell));
        }
        if run_digest(&digests.each_ref()) != summary.digest {
            return Err(LookalikeError::Run {
                path: run.display().to_string(),
                reason: "its tables are not those that its summary tells of: they were changed or mixed up \
                         with another run's; run dedup again"
                    .into(),
            });
        }
        Ok(Self { run: run.to_owned(), format, ledger_columns: columns, ledger, clusters })
    }

    /// The documents that a job restores.
    ///
    /// # Errors
    /// A name of no removed document or of several; a cluster that does not exist.
    fn restored(&self, job: &UndoJob) -> Result<BTreeSet<Place>, LookalikeError> {
        let mut restored = BTreeSet::new();
        for name in &job.documents {
            let named = self.ledger.iter().map(|row| {
                let (id, (file, record)) = (row.row[0].as_text().unwrap_or_default(), &row.place);
                let (id, file, record) = (id.into(), file.into(), *record);
                Ok((DocumentName { id, file, record, protected: false }, &row.place))
            });
            let (place, advice) = (
                "the removed documents of the run",
                "they are in the table `ledger`, by id or as FILE:RECORD",
            );
            restored.insert(only_named(name, named, place, advice)?.clone());
        }
        let removed: BTreeSet<&Place> = self.ledger.iter().map(|row| &row.place).collect();
        for &number in &job.clusters {
            let rows: Vec<&Row> =
                self.clusters.iter().filter(|row| row[WIDTH].as_count() == Some(number)).collect();
            if rows.is_empty() {
                return Err(LookalikeError::Settings(format!(
                    "there is no cluster {number} in this run; their numbers are in the table `clusters`"
                )));
            }
            let members = rows.iter().filter_map(|row| DocumentName::read(&row[..WIDTH]));
            restored.extend(members.map(|name| place_of(&name)).filter(|at| removed.contains(at)));
        }
        if restored.is_empty() {
            return Err(LookalikeError::Settings(
                "no document to restore; name removed documents, or a cluster".into(),
            ));
        }
        Ok(restored)
    }

    /// Writes the tables without the restored documents, and counts what is left.
    fn write(
        &self,
        restored: &BTreeSet<Place>,
        summary: &mut Summary,
        staging: &Staging,
        progress: &dyn Progress,
    ) -> Result<Vec<WrittenTable>, LookalikeError> {
        let mut digests = [LEDGER.name, CLUSTERS.name, PAIRS.name].map(TableDigest::new);
        let [of_ledger, of_clusters, of_pairs] = &mut digests;
        let columns = LEDGER.only(&self.ledger_columns);
        let mut table = Table::create(staging, self.format, columns, of_ledger, progress)?;
        // Leaders of dropped clusters, who stay in them.
        let mut leaders: BTreeSet<&Place> = BTreeSet::new();
        for LedgerRow { place, rule, row } in &self.ledger {
            if !restored.contains(place) {
                table.row(&row.iter().map(Value::as_cell).collect::<Vec<_>>())?;
                continue;
            }
            if *rule == Some(Rule::Dropped) {
                leaders.insert(place);
            }
            if let Some(rule) = rule {
                let count = count_of(&mut summary.removed, *rule);
                *count = count.saturating_sub(1);
            }
            summary.kept += 1;
            for input in summary.inputs.iter_mut().filter(|input| input.name == place.0) {
                input.kept += 1;
                input.removed = input.removed.saturating_sub(1);
            }
        }
        let ledger = table.finish()?;
        if summary.differences.take().is_some() {
            summary.differences = self.differences(
                restored,
                (summary.settings.removes_shingles(), summary.duplicate_ids > 0),
            );
        }
        let leaves = |place: &Place| restored.contains(place) && !leaders.contains(place);
        let clusters = self.write_clusters(leaves, summary, (staging, of_clusters), progress)?;
        let pairs = copy_table(&self.run, &PAIRS, self.format, (staging, of_pairs), progress)?;
        summary.digest = run_digest(&digests.each_ref());
        let names: Vec<String> =
            restored.iter().map(|(file, record)| format!("{file}:{record}")).collect();
        let earlier = summary.settings.other.remove("restored");
        let mut all: BTreeSet<String> =
            earlier.and_then(|names| serde_json::from_value(names).ok()).unwrap_or_default();
        all.extend(names);
        summary.settings.other.insert("restored".into(), serde_json::to_value(all)?);
        let mut written = vec![ledger, clusters, pairs];
        if self.run.join(PROBLEMS.name).with_extension(self.format.extension()).is_file() {
            let digest = &mut TableDigest::new("");
            written.push(copy_table(
                &self.run,
                &PROBLEMS,
                self.format,
                (staging, digest),
                progress,
            )?);
        }
        Ok(written)
    }

    /// What differs between the documents that stay removed and their witnesses.
    fn differences(
        &self,
        restored: &BTreeSet<Place>,
        (with_boilerplate, ids_repeat): (bool, bool),
    ) -> Option<DifferenceSummary> {
        let position = |name: &str| self.ledger_columns.iter().position(|own| own.name == name);
        let (columns, kept) = (DifferenceColumns::of(position)?, position(KEPT[0].name)?);
        let stay =
            |row: &&LedgerRow| row.rule != Some(Rule::Identical) && !restored.contains(&row.place);
        let mut rows: Vec<&LedgerRow> = self.ledger.iter().filter(stay).collect();
        // In the order of the collection, as the run counted them.
        rows.sort_by_key(|row| &row.place);
        let compared = rows.iter().filter_map(|row| {
            let ReadDifference { lost, added, kinds } = columns.read(&row.row)?;
            let profile = DifferenceProfile { lost, added, kinds: DifferenceKinds::named(&kinds) };
            // A ledger has no labels.
            Some((removal_of(row.rule?, profile, None), *row))
        });
        let name = |row: &LedgerRow, at: usize| {
            let name = row.row.get(at..at + WIDTH).and_then(DocumentName::read);
            name.map(|name| name.shown(ids_repeat).to_string()).unwrap_or_default()
        };
        let example = |row: &LedgerRow| {
            Ok::<_, Infallible>(DifferenceExample { removed: name(row, 0), kept: name(row, kept) })
        };
        let Ok(sum) = summed(compared, (rows.len() as u64, 0), with_boilerplate, example);
        sum
    }

    fn write_clusters(
        &self,
        leaves: impl Fn(&Place) -> bool,
        summary: &mut Summary,
        (staging, digest): (&Staging, &mut TableDigest),
        progress: &dyn Progress,
    ) -> Result<WrittenTable, LookalikeError> {
        let threshold: Threshold = summary.settings.threshold.parse()?;
        let (mut similarity, mut sizes) =
            (SimilarityHistogram::new(threshold.as_f64()), Vec::new());
        let columns = CLUSTERS.of(Measures::ALL);
        let mut table = Table::create(staging, self.format, columns, digest, progress)?;
        for cluster in self.clusters.chunk_by(|a, b| a[WIDTH] == b[WIDTH]) {
            let named = cluster.iter().filter_map(|row| {
                let value = row[2 * WIDTH + 1].as_ratio();
                Some((DocumentName::read(&row[..WIDTH])?, value))
            });
            let left: Vec<_> = named.filter(|(name, _)| !leaves(&place_of(name))).collect();
            // The first row is that of the leader.
            let [(leader, _), others @ ..] = left.as_slice() else { continue };
            if others.is_empty() {
                continue;
            }
            let files = others.iter().map(|(name, _)| &*name.file);
            let rows = left.iter().cloned().map(Ok::<_, LookalikeError>);
            table.add_cluster(sizes.len() as u64, leader, files, rows)?;
            others.iter().filter_map(|(_, value)| *value).for_each(|value| similarity.add(value));
            sizes.push(left.len() as u64);
        }
        summary.histogram_similarity = similarity;
        count_clusters(summary, sizes);
        Ok(table.finish()?)
    }
}

fn place_of(name: &DocumentName<'_>) -> Place {
    (name.file.clone().into_owned(), name.record)
}

/// Copies a table.
fn copy_table<R: TableRow>(
    run: &Path,
    layout: &Layout<R>,
    format: TableFormat,
    (staging, digest): (&Staging, &mut TableDigest),
    progress: &dyn Progress,
) -> Result<WrittenTable, LookalikeError> {
    let known = layout.all();
    let mut reader = TableReader::open(run, layout.name, &known)?;
    let columns = if reader.columns().is_empty() { &known } else { reader.columns() };
    let columns = layout.only(columns);
    let mut table = Table::create(staging, format, columns, digest, progress)?;
    for row in &mut reader {
        table.row(&row?.iter().map(Value::as_cell).collect::<Vec<_>>())?;
    }
    Ok(table.finish()?)
}
