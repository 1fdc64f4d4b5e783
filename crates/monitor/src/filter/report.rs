//! Reporting messages as spam or legitimate, and taking that back.

use super::matching::{Matching, matching};
use super::options::{Report, ReportOptions, Way};
use super::report_group::NewPrototypes;
use super::rule::completed;
use super::verdict::ReportCounts;
use lookalike_engine::pipeline::PipelineLimits;
use lookalike_engine::{Problems, Progress, Silent};
use lookalike_index::{DocAt, DocNumber, DocumentBatch, DocumentView, Records, Snapshot};
use lookalike_io::Problem;
use lookalike_run::analysis::pool;
use lookalike_run::index::FilterRule;
use lookalike_run::index::edit::{IndexWriter, now};
use lookalike_run::index::open::{Analysis, Buffers};
use lookalike_run::index::prepare::{PrepareScratch, Prepared, Preparer};
use lookalike_run::index::reports::{
    self, Counts, PROTOTYPES, REPORTS, Reporter, Row, prototype_key, report_key,
};
use lookalike_run::opened::{Opened, admit};
use lookalike_run::panics::caught;
use lookalike_run::{LookalikeError, Record, Settings, Source};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Messages of a commit at most, unless one chunk of the input has more.
const GROUP: usize = 1000;

/// Bytes of messages of a commit at most, likewise.
const GROUP_BYTES: u64 = 64 << 20;

/// What became of a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reported {
    /// The id of the message.
    pub id: String,
    /// The id of the prototype for which the report counts; `None` if there was nothing to revoke,
    /// and for a message without words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prototype: Option<String>,
    /// Whether the message became this prototype.
    pub new: bool,
    /// Whether the counts changed: not if this reporter said the same before.
    pub counted: bool,
    /// What was reported about the prototype, this report included. A prototype without reports is
    /// deleted.
    pub reports: ReportCounts,
}

/// What was reported by one call.
#[derive(Debug, Default)]
pub struct ReportsDone {
    /// Messages that were read.
    pub messages: u64,
    /// Those that became prototypes.
    pub new: u64,
    /// Those that changed the counts of a prototype, or made one.
    pub counted: u64,
    /// Prototypes that were deleted because their last report was revoked.
    pub deleted: u64,
    /// The last commit.
    pub commit: u64,
    /// Records that could not be used.
    pub problems: u64,
    /// The first of them.
    pub listed: Vec<Problem>,
}

/// Reports a message, durably: it counts for the prototype that it matches best, once for each
/// reporter and as the reporter said last; a message that matches none becomes one, under its
/// own id or, if that is taken, ID#2, ID#3, ….
///
/// # Errors
/// Options that the index cannot have, files that cannot be written.
pub fn report(
    index: &mut IndexWriter,
    report: Report,
    reporter: &str,
    message: &Record,
    options: &ReportOptions,
) -> Result<Reported, LookalikeError> {
    let mut reported = None;
    let keep = |one: &Reported| reported = Some(one.clone());
    let (source, fields) = (Source::records([message.clone()]), Settings::default());
    report_all(index, report, reporter, source, &fields, options, &Silent, keep)?;
    reported.ok_or_else(|| LookalikeError::Internal { message: "no record was read".into() })
}

/// Reports the messages of a source, as if each were reported after the other; `each` is called
/// for each in order, once it is durable.
///
/// `fields` says how records are read: the field names and formats of these settings count.
///
/// # Errors
/// As [`report`]; a source that cannot be read: then nothing after the last commit
/// is reported.
#[allow(clippy::too_many_arguments)]
pub fn report_all(
    index: &mut IndexWriter,
    report: Report,
    reporter: &str,
    source: Source<'_>,
    fields: &Settings,
    options: &ReportOptions,
    progress: &dyn Progress,
    mut each: impl FnMut(&Reported) + Send,
) -> Result<ReportsDone, LookalikeError> {
    if reporter.is_empty() {
        return Err(LookalikeError::Settings("the setting reporter is empty".into()));
    }
    let analysis = Arc::clone(&index.analysis);
    let rule = FilterRule::read(&index.writer.records()?)?;
    let way = Way::new(&completed(&rule, &options.matching), &analysis)?;
    let time = options.time.unwrap_or_else(now);
    let reporter = Reporter::new(reporter);
    let reporting = Reporting { report, reporter, time, way, analysis: &analysis };
    let pool = pool(index.threads())?;
    caught(|| {
        pool.install(|| {
            let ended =
                report_source(index, &reporting, source, fields, options, progress, &mut each);
            if ended.is_err() {
                index.writer.abandon()?;
            }
            ended
        })
    })
}

fn report_source(
    index: &mut IndexWriter,
    reporting: &Reporting<'_>,
    source: Source<'_>,
    fields: &Settings,
    options: &ReportOptions,
    progress: &dyn Progress,
    each: &mut (dyn FnMut(&Reported) + Send),
) -> Result<ReportsDone, LookalikeError> {
    let opened = Opened::new(source, index.reading(fields)?, progress)?;
    let analysis = reporting.analysis;
    let preparer = Preparer::new(&opened.inputs, analysis);
    let limits = PipelineLimits { threads: index.threads(), in_flight: GROUP_BYTES };
    let (mut done, mut problems) = (ReportsDone::default(), Problems::default());
    let mut waiting: Vec<DocumentBatch> = Vec::new();
    let mut take = |prepared: Prepared| {
        if progress.cancelled() {
            return Err(LookalikeError::AddingCancelled);
        }
        progress.advance(prepared.consumed, prepared.documents.len() as u64);
        admit(&prepared.problems, options.strict, options.skip_unreadable)?;
        problems.append(prepared.problems);
        waiting.push(prepared.documents);
        let count: usize = waiting.iter().map(DocumentBatch::len).sum();
        let bytes: u64 = waiting.iter().map(DocumentBatch::bytes).sum();
        if count >= GROUP || bytes >= GROUP_BYTES {
            report_group(index, reporting, &std::mem::take(&mut waiting), &mut done, each)?;
        }
        Ok(())
    };
    let mut outcome = Ok(());
    let read = opened.ordered(
        limits,
        PrepareScratch::default,
        |scratch, piece| preparer.read_piece(piece, scratch),
        |prepared: &Prepared| prepared.documents.bytes(),
        |prepared| {
            outcome = take(prepared);
            outcome.is_ok()
        },
    );
    read.and(outcome)?;
    report_group(index, reporting, &waiting, &mut done, each)?;
    done.problems = problems.count();
    done.listed = problems.into_listed();
    Ok(done)
}

/// Reports messages in one commit.
fn report_group(
    index: &mut IndexWriter,
    reporting: &Reporting<'_>,
    batches: &[DocumentBatch],
    done: &mut ReportsDone,
    each: &mut (dyn FnMut(&Reported) + Send),
) -> Result<(), LookalikeError> {
    let snapshot = index.snapshot();
    let records = index.writer.records()?;
    let messages: Vec<(&DocumentBatch, usize)> =
        batches.iter().flat_map(|batch| (0..batch.len()).map(move |at| (batch, at))).collect();
    let zero = DocNumber(0);
    let matched: Vec<Vec<Matching>> = messages
        .par_iter()
        .map_init(
            || Buffers::new(reporting.analysis),
            |buffers, &(batch, at)| {
                let mut views = Vec::new();
                let message = batch.get(at, zero, zero, &mut views);
                let (analysis, way) = (reporting.analysis, reporting.way);
                matching(analysis, way, &snapshot, &message, &mut buffers.scratch)
            },
        )
        .collect::<Result<_, LookalikeError>>()?;
    let mut group = Group {
        reporting,
        snapshot: &snapshot,
        records: &records,
        new: NewPrototypes::default(),
        changes: BTreeMap::new(),
        deleted: BTreeSet::new(),
    };
    let mut reported = Vec::with_capacity(messages.len());
    for (&(batch, at), matched) in messages.iter().zip(&matched) {
        let mut views = Vec::new();
        reported.push(group.report(&batch.get(at, zero, zero, &mut views), matched)?);
    }
    let Group { new, changes, deleted, .. } = group;
    drop(records);
    done.new += new.len() as u64;
    done.deleted += deleted.len() as u64;
    let first = match new.len() {
        0 => zero,
        _ => index.writer.stage(std::slice::from_ref(&new.documents))?.first,
    };
    for (key, change) in changes {
        let number = match key {
            Key::Old(number) => number,
            Key::New(number) => DocNumber(first.0 + number as u32),
        };
        let counts = (!change.counts.is_empty()).then(|| change.counts.to_bytes());
        index.writer.put(PROTOTYPES, &prototype_key(number), counts.as_deref());
        let row = change.row.map(Row::to_bytes);
        let key = report_key(number, reporting.reporter);
        index.writer.put(REPORTS, &key, row.as_deref());
    }
    let deleted: Vec<DocAt> = deleted.into_iter().collect();
    index.delete(&deleted);
    done.commit = index.commit()?.commit;
    done.messages += reported.len() as u64;
    for one in &reported {
        done.counted += u64::from(one.counted);
        each(one);
    }
    Ok(())
}

/// What is reported, by whom.
struct Reporting<'a> {
    report: Report,
    reporter: Reporter,
    time: u64,
    way: Way,
    analysis: &'a Analysis,
}

/// A prototype of the last commit, or a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Old(DocNumber),
    New(usize),
}

/// What a group changes about a prototype: the row of its only reporter.
#[derive(Debug, Clone, Copy)]
struct Change {
    counts: Counts,
    row: Option<Row>,
}

/// Reports that are not committed yet.
struct Group<'a> {
    reporting: &'a Reporting<'a>,
    snapshot: &'a Snapshot,
    records: &'a Records,
    new: NewPrototypes,
    changes: BTreeMap<Key, Change>,
    deleted: BTreeSet<DocAt>,
}

impl Group<'_> {
    /// Reports a message that matches these prototypes of the last commit, the best first.
    fn report(
        &mut self,
        message: &DocumentView<'_>,
        matched: &[Matching],
    ) -> Result<Reported, LookalikeError> {
        let Reporting { report, reporter, time, way, analysis } = *self.reporting;
        let mut reported = Reported {
            id: message.id.to_owned(),
            prototype: None,
            new: false,
            counted: false,
            reports: ReportCounts::default(),
        };
        // A message without words cannot be found again.
        if message.set.is_empty() {
            return Ok(reported);
        }
        let old = matched.iter().find(|found| !self.deleted.contains(&found.at));
        let new = self.new.best(analysis, way, message);
        let (key, at, id) = match (old, new) {
            (Some(old), new) if new.is_none_or(|(_, new)| old.score.compare(new).is_ge()) => {
                let prototype = self.snapshot.document(old.at);
                (Key::Old(prototype.number()), Some(old.at), prototype.id().to_owned())
            }
            (_, Some((number, _))) => (Key::New(number), None, self.new.id(number)),
            (_, None) if report == Report::Revoke => return Ok(reported),
            (_, None) => {
                let taken = |id: &str| !self.snapshot.with_id(id).is_empty();
                let (number, id) = self.new.push(way, message, taken);
                reported.new = true;
                (Key::New(number), None, id)
            }
        };
        let before = self.known(key)?;
        let row = match report {
            Report::Revoke => None,
            Report::Spam | Report::Ham => Some(match before.row {
                None => Row { spam: report == Report::Spam, first: time, last: time },
                Some(Row { first, last, .. }) => Row {
                    spam: report == Report::Spam,
                    first: first.min(time),
                    last: last.max(time),
                },
            }),
        };
        reported.prototype = Some(id);
        reported.counted = row.map(|row| row.spam) != before.row.map(|row| row.spam);
        let counts = match (before.row, row) {
            (None, None) => before.counts,
            (_, Some(row)) => before.counts.with(before.row, row),
            (Some(_), None) => self.counts_without(key, reporter)?,
        };
        if let (true, Some(at)) = (counts.is_empty() && before.row.is_some(), at) {
            self.deleted.insert(at);
        }
        if before.row != row {
            self.changes.insert(key, Change { counts, row });
        }
        reported.reports = ReportCounts::of(counts);
        Ok(reported)
    }

    /// What is known about a prototype, with the changes of this group.
    fn known(&self, key: Key) -> Result<Change, LookalikeError> {
        match (self.changes.get(&key), key) {
            (Some(&change), _) => Ok(change),
            (None, Key::New(_)) => Ok(Change { counts: Counts::default(), row: None }),
            (None, Key::Old(number)) => Ok(Change {
                counts: reports::counts(self.records, number)?,
                row: reports::row(self.records, number, self.reporting.reporter)?,
            }),
        }
    }

    /// The counts of a prototype without those of a reporter, from all its reports.
    fn counts_without(&self, key: Key, reporter: Reporter) -> Result<Counts, LookalikeError> {
        let Key::Old(number) = key else { return Ok(Counts::default()) };
        let rows = reports::rows(self.records, number)?;
        Ok(Counts::of(rows.into_iter().filter(|(own, _)| *own != reporter).map(|(_, row)| row)))
    }
}
