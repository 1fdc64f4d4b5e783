//! `undo`: restores removed documents into a copy of a result.
//!
//! The decision of a person takes precedence over that of the run: a restored document is kept, and
//! belongs to no cluster. Its records come from the inputs, byte for byte and in their order, and
//! everything else from the tables of the run. Nothing is compared again.

use crate::error::Unread;
use crate::jobs::{output, working_directory};
use crate::panics::caught;
use crate::run_inputs::{InputsChanged, RunInputs};
use crate::{LookalikeError, settings};
use lookalike_core::Threshold;
use lookalike_decide::name::{REMOVED, WIDTH};
use lookalike_decide::{
    CLUSTERS, DocumentName, LEDGER, Layout, Measures, Member, PAIRS, PROBLEMS, Represented, Rule,
    Table, TableDigest, TableRow, run_digest,
};
use lookalike_engine::files::{FilePart, piece_bytes};
use lookalike_engine::pipeline::PipelineLimits;
use lookalike_engine::{EngineError, Progress, pipeline};
use lookalike_io::input::name::path_of;
use lookalike_io::sink::{DocumentsWriter, Role, RouteOptions, Routed, Staging};
use lookalike_io::table::{Column, TableFormat, TableReader, Value, WrittenTable};
use lookalike_io::{Fate, Fates, InputFile, Mark};
use lookalike_report::{Action, Output, Run, SimilarityHistogram, SizeHistogram, Summary};
use std::collections::{BTreeMap, BTreeSet};
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
    let refuse =
        |reason: String| Err(LookalikeError::Run { path: job.run.display().to_string(), reason });
    let found = RunInputs::find(&job.run)?;
    let unreadable = found.unreadable();
    let RunInputs { summary, inputs, own, changed, .. } = found;
    if summary.action != Action::Remove {
        return refuse("this run removed no documents; only a run of dedup does".into());
    }
    if let Some(InputsChanged(change)) = changed {
        return refuse(format!(
            "its inputs have changed since, and records cannot be restored from others ({change})"
        ));
    }
    check_outputs(&job.run, &summary)?;
    let tables = Tables::read(&job.run, &summary)?;
    let restored = tables.restored(job)?;
    let rejected = rejected(&job.run, &summary)?;

    let staging = Staging::create(&job.output, job.force)?;
    staging.conflicts(&inputs)?;
    staging.conflicts_with([job.run.join("summary.json").as_path()])?;
    let format = tables.format;
    let mut after = Summary { outputs: Vec::new(), near_misses: None, run: None, ..summary };
    let mut written = tables.write(&restored, &mut after, &staging, progress)?;
    if job.run.join("problems").with_extension(format.extension()).is_file() {
        let digest = &mut TableDigest::new("");
        written.push(copy_table(&job.run, &PROBLEMS, format, (&staging, digest), progress)?);
    }

    let numbers: BTreeMap<&str, u32> =
        (0..own as u32).map(|file| (inputs.files[file as usize].name.as_str(), file)).collect();
    let place = |(file, record): &Place| Some((*numbers.get(file.as_str())?, *record));
    let removed = tables.ledger.iter().map(|row| &row.place).filter(|at| !restored.contains(*at));
    let fates = RestoredFates {
        removed: removed.filter_map(place).collect(),
        rejected: rejected.iter().filter_map(place).collect(),
    };
    let options = RouteOptions {
        copy_files: job.run.join("kept-files").is_dir(),
        files: Some(own as u32),
        ..RouteOptions::default()
    };
    inputs.verify_unchanged()?;
    let total = inputs.files[..own].iter().map(|file| file.size).sum();
    progress.phase("writing", Some(total));
    let threads = settings::thread_count(0);
    let writer = DocumentsWriter::new(&inputs, &staging, &options).with_threads(threads);
    let mut writer = writer.with_unreadable(unreadable.iter().copied());
    let mut documents = vec![0; own];
    let mut outcome: Result<(), LookalikeError> = Ok(());
    let files = inputs.chunks().into_files().take_while(|file| file.first_file() < own as u32);
    let in_flight = crate::memory::Memory::of(None).in_flight();
    pipeline::ordered_parts(
        PipelineLimits { threads, in_flight },
        files.map(FilePart),
        |piece| piece_bytes(piece, &inputs),
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
            chunk.route(&inputs, &fates, &options, &mut routed)?;
            Ok((chunk.consumed, Some((chunk.file, routed))))
        },
        |_| 0,
        |result| {
            outcome = result.and_then(|(consumed, routed)| {
                if let Some((file, routed)) = routed {
                    let usable = [Role::Kept, Role::Removed].map(|role| routed.records(role));
                    documents[file as usize] += usable.iter().sum::<u64>();
                    writer.write(&routed)?;
                }
                progress.advance(consumed, 0);
                if progress.cancelled() { Err(EngineError::Cancelled.into()) } else { Ok(()) }
            });
            outcome.is_ok()
        },
    );
    outcome?;
    inputs.verify_unchanged()?;
    let counted = |file: &InputFile| after.inputs.iter().find(|one| one.name == file.name);
    for (file, documents) in inputs.files[..own].iter().zip(documents) {
        // One-document files are listed, and a chunk has several.
        let is_same = file.format.is_document()
            || counted(file).is_some_and(|one| one.documents == documents);
        if !is_same {
            return Err(LookalikeError::Changed { input: file.name.clone() });
        }
    }
    let documents = writer.finish()?;
    let files = documents.files.iter().map(|file| Output {
        name: file.name(),
        rows: Some(file.records),
        bytes: Some(file.bytes),
    });
    after.outputs = files.chain(written.iter().map(output)).collect();
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

impl Fates for RestoredFates {
    fn fate(&self, file: u32, record: u32) -> Fate {
        match (file, record) {
            place if self.rejected.contains(&place) => Fate::Rejected,
            place if self.removed.contains(&place) => Fate::Removed,
            _ => Fate::Kept,
        }
    }

    fn mark(&self, _file: u32, _record: u32) -> Mark<'_> {
        Mark::default()
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
        let mut ledger = Vec::new();
        for row in &mut reader {
            let row = row?;
            of_ledger.add(row.iter().map(Value::as_cell));
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
            let id = |row: &&LedgerRow| row.row[0].as_text() == Some(name);
            let by_place = |row: &&LedgerRow| {
                let (file, record) = &row.place;
                *name == format!("{file}:{record}")
            };
            let mut found: Vec<&LedgerRow> = self.ledger.iter().filter(id).collect();
            if found.is_empty() {
                found = self.ledger.iter().filter(by_place).collect();
            }
            match found.as_slice() {
                [one] => _ = restored.insert(one.place.clone()),
                [] => {
                    return Err(LookalikeError::NoSuchDocument {
                        name: name.clone(),
                        place: "the removed documents of the run".into(),
                        advice: "they are in the table `ledger`, by id or as FILE:RECORD",
                        unread: Unread::default(),
                    });
                }
                several => {
                    let listed = several
                        .iter()
                        .take(10)
                        .map(|row| format!("{}:{}", row.place.0, row.place.1));
                    return Err(LookalikeError::RepeatedId {
                        id: name.clone(),
                        count: several.len() as u64,
                        listed: listed.collect(),
                        advice: "name one of them as FILE:RECORD",
                    });
                }
            }
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
                let count = crate::summarise::count_of(&mut summary.removed, *rule);
                *count = count.saturating_sub(1);
            }
            summary.kept += 1;
            for input in summary.inputs.iter_mut().filter(|input| input.name == place.0) {
                input.kept += 1;
                input.removed = input.removed.saturating_sub(1);
            }
        }
        let ledger = table.finish()?;
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
        Ok(vec![ledger, clusters, pairs])
    }

    fn write_clusters(
        &self,
        leaves: impl Fn(&Place) -> bool,
        summary: &mut Summary,
        (staging, digest): (&Staging, &mut TableDigest),
        progress: &dyn Progress,
    ) -> Result<WrittenTable, LookalikeError> {
        let threshold: Threshold = summary.settings.threshold.parse()?;
        let mut similarity = SimilarityHistogram::new(threshold.as_f64());
        let mut sizes = SizeHistogram::default();
        (summary.clusters, summary.documents_in_clusters, summary.largest_cluster) = (0, 0, 0);
        let columns = CLUSTERS.of(Measures::ALL);
        let mut table = Table::create(staging, self.format, columns, digest, progress)?;
        for cluster in self.clusters.chunk_by(|a, b| a[WIDTH] == b[WIDTH]) {
            let named = cluster.iter().filter_map(|row| {
                let value = row[2 * WIDTH + 1].as_ratio();
                Some((DocumentName::read(&row[..WIDTH])?, value))
            });
            let left: Vec<_> = named.filter(|(name, _)| !leaves(&place_of(name))).collect();
            // The first row is that of the leader.
            if left.len() < 2 {
                continue;
            }
            let mut represented = Represented::default();
            left[1..].iter().for_each(|(name, _)| represented.add(&name.file));
            let mut of_leader = Some(represented.finish());
            let leader = DocumentName::read(&cluster[0][WIDTH + 1..2 * WIDTH + 1]);
            let leader = leader.unwrap_or_else(|| left[0].0.clone());
            for (at, (name, value)) in left.iter().enumerate() {
                let of_leader = of_leader.take();
                table.add(&Member {
                    member: name,
                    cluster: summary.clusters,
                    leader: &leader,
                    value: *value,
                    represented: of_leader.as_ref(),
                })?;
                if let Some(value) = value.filter(|_| at > 0) {
                    similarity.add(value);
                }
            }
            let size = left.len() as u64;
            sizes.add(size);
            summary.clusters += 1;
            summary.documents_in_clusters += size;
            summary.largest_cluster = summary.largest_cluster.max(size);
        }
        (summary.histogram_similarity, summary.histogram_cluster_size) = (similarity, sizes);
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
