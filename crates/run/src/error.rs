//! The error type of all jobs.

use lookalike_cluster::KeepRuleError;
use lookalike_core::ThresholdError;
use lookalike_engine::EngineError;
use lookalike_index::IndexError;
use lookalike_io::input::InputError;
use lookalike_io::sink::OutputError;
use lookalike_io::table::TableError;
use lookalike_io::{Problem, ReadFailure};
use std::fmt;

/// An error of the caller's records or batches.
pub type SourceError = Box<dyn std::error::Error + Send + Sync>;

/// Why a job failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LookalikeError {
    /// An invalid threshold.
    #[error("the setting threshold: {0}")]
    Threshold(#[from] ThresholdError),
    /// An invalid keep rule.
    #[error(transparent)]
    Keep(#[from] KeepRuleError),
    /// A keep rule whose field no document has.
    #[error(
        "the setting keep={rule}: none of {documents} documents has a {kind} in the field `{field}`{}; {}",
        Unusable(*unreadable, kind),
        Fields(fields, kind)
    )]
    KeepField {
        /// The rule.
        rule: String,
        /// The field of the rule.
        field: String,
        /// What the field should hold: `date` or `number`.
        kind: &'static str,
        /// How many documents there are.
        documents: u64,
        /// How many of them have another type of value in the field.
        unreadable: u64,
        /// The fields that the first records have.
        fields: Vec<String>,
    },
    /// Skipped files, which a strict job does not accept.
    #[error(
        "{first}: skipped: {reason} ({} skipped in all; leave them out, or run without the setting strict)",
        Files(*files)
    )]
    Skipped {
        /// How many there are.
        files: u64,
        /// The first of them.
        first: String,
        /// Why it is skipped.
        reason: &'static str,
    },
    /// A field that no JSON object, message or web page of the inputs has.
    #[error(
        "no record has the field {}: {} {}; name it with the setting {}{}",
        Quoted(&field.names),
        Records(field.records),
        field.found,
        field.setting,
        OrUnread(field.unread.as_deref())
    )]
    MissingField {
        /// The field, and those that there are.
        field: lookalike_io::source::MissingField,
    },
    /// A keep rule that prefers a value that no document has.
    #[error(
        "the setting keep={rule}: no document has the value `{value}` in the field `{field}`; {}",
        Fields(fields, "value")
    )]
    KeepValue {
        /// The rule.
        rule: String,
        /// The field of the rule.
        field: String,
        /// The value.
        value: String,
        /// The fields that the first records have.
        fields: Vec<String>,
    },
    /// A limit of what a run may remove was exceeded; nothing was removed.
    #[error("{0}")]
    Guard(String),
    /// An invalid shingle size.
    #[error("the setting shingle={0}: use 1 to 1000 tokens (5 is usual)")]
    ShingleSize(u32),
    /// Settings that exclude each other.
    #[error("{0}")]
    Settings(String),
    /// A limit of the job was reached: [`Job::max_pairs`](crate::Job::max_pairs).
    #[error("{0}")]
    Limit(String),
    /// A file of labels or classes that cannot be used.
    #[error("{0}")]
    Labels(String),
    /// An invalid method description.
    #[error(transparent)]
    Method(#[from] lookalike_methods::SpecError),
    /// An invalid method description in the setting `method`.
    #[error("the setting method: {0}")]
    MethodSetting(#[source] lookalike_methods::SpecError),
    /// A lexicon could not be made or used.
    #[error(transparent)]
    Lexicon(#[from] lookalike_lexicon::LexiconError),
    /// Document frequencies with another checksum than required.
    #[error(
        "the lexicon {lexicon} has the checksum {found}, and not {wanted}; use the right file, or omit \
         the setting lexicon_checksum"
    )]
    LexiconChecksum {
        /// The file, or the source of the frequencies.
        lexicon: String,
        /// Its checksum.
        found: String,
        /// The required checksum.
        wanted: String,
    },
    /// The analysis failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// An input could not be used.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Stopped by another error, with checkpoints to resume from.
    #[error(
        "{source}\nCheckpoints are in {}: run the same job with the setting resume to continue, or \
         delete that directory to start again",
        kept.display()
    )]
    Stopped {
        /// The error.
        source: Box<LookalikeError>,
        /// Directory of the checkpoints.
        kept: std::path::PathBuf,
    },
    /// The caller's records or batches ended with an error.
    #[error(
        "{name}: ended after {records} records: {error}; there is no result for a part of them"
    )]
    Source {
        /// The source.
        name: String,
        /// Records read before the error.
        records: u64,
        /// The caller's error.
        error: SourceError,
    },
    /// A source in memory that is read several times gave other documents the second time.
    #[error(
        "{name}: the second reading gave other documents than the first; give a source that has the same \
         documents in the same order every time it is read"
    )]
    SourceChanged {
        /// The source.
        name: String,
    },
    /// The scratch directory cannot be used.
    #[error(transparent)]
    ScratchDir(#[from] crate::scratch_dir::ScratchDirError),
    /// A result could not be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The stream of kept documents could not be written to its end.
    #[error("the kept documents cannot be written: {0}")]
    Stream(#[source] std::io::Error),
    /// A result of an earlier run could not be read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The summary of an earlier run could not be read.
    #[error("{path}: {reason}")]
    Run {
        /// The file.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The file of a plan could not be read.
    #[error("{path}: {reason}; the setting plan takes the file that `plan` wrote as JSON")]
    Plan {
        /// The file.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Settings that the tables of an earlier run do not support.
    #[error("{run}: {reason}")]
    Recluster {
        /// The directory of the run.
        run: String,
        /// Why not, and what to do.
        reason: String,
    },
    /// An option that the tables of an earlier run do not support.
    #[error("{run}: {reason}")]
    Unanswerable {
        /// The directory of the run.
        run: String,
        /// Why not, and what to do.
        reason: String,
    },
    /// A document that is not in the run.
    #[error("no document `{name}` in {place}; {advice}{unread}")]
    NoSuchDocument {
        /// The name that was looked up.
        name: String,
        /// The inputs that were searched.
        place: String,
        /// How to name a document.
        advice: &'static str,
        /// Unreadable records, which may be the reason.
        unread: Unread,
    },
    /// An id that several documents have.
    #[error("{count} documents have the id `{id}`: {}; {advice}", Listed(listed, *count))]
    RepeatedId {
        /// The id.
        id: String,
        /// How many have it.
        count: u64,
        /// The first of them, as FILE:RECORD.
        listed: Vec<String>,
        /// How to name a document.
        advice: &'static str,
    },
    /// A file without any document that could be read.
    #[error("no document in {place}{unread}")]
    NoDocument {
        /// The file.
        place: String,
        /// Unreadable records, which may be the reason.
        unread: Unread,
    },
    /// A file with several documents, where one is required.
    #[error(
        "{place} holds several documents; say which one: {place}#ID, or {place}#RECORD counted from 1"
    )]
    SeveralDocuments {
        /// The file.
        place: String,
    },
    /// A run whose texts cannot be read again.
    #[error(
        "the run read standard input, which cannot be read again; run it on a file to explain its decisions"
    )]
    StandardInput,
    /// An index that could not be read or changed.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// Adding to an index was cancelled.
    #[error("interrupted; what was committed before is in the index, and nothing else")]
    AddingCancelled,
    /// A question to an index was cancelled.
    #[error("the question was stopped before its answer was complete")]
    QuestionCancelled,
    /// A filter of messages was cancelled.
    #[error("interrupted; the verdicts before that are given, and no others")]
    FilterCancelled,
    /// A document that is not in an index.
    #[error("{}: no {what} `{name}` in the index", index.display())]
    NotInIndex {
        /// The index.
        index: std::path::PathBuf,
        /// What was looked up: `document with the id`, `document with the URL` or `sweep`.
        what: String,
        /// The id or URL.
        name: String,
    },
    /// The report could not be drawn.
    #[error(transparent)]
    Report(#[from] lookalike_report::ReportError),
    /// The summary could not be written as JSON.
    #[error("the summary could not be written: {0}")]
    Summary(#[from] serde_json::Error),
    /// A panic on any thread: a bug in this program.
    #[error("internal error: {message}; no result was written")]
    Internal {
        /// The message of the panic.
        message: String,
    },
    /// An input had other records in the second pass, although its size and time are the same.
    #[error(
        "{input}: changed during the run; nothing was written; do not change inputs during a run, check \
         their disk, and run again"
    )]
    Changed {
        /// The displayed name of the input.
        input: String,
    },
    /// An input could be read in the first pass and not in the second, although its size and time
    /// are the same.
    #[error(
        "{0}, although it could be read before; nothing was written; do not change inputs during a \
         run, check their disk, and run again"
    )]
    UnreadableAgain(Box<Problem>),
}

/// Number of values of the wrong kind.
struct Unusable<'a>(u64, &'a str);

impl fmt::Display for Unusable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self(0, _) => Ok(()),
            Self(count, kind) => write!(f, " ({count} have a value that is not a {kind})"),
        }
    }
}

/// A number of files.
struct Files(u64);

impl fmt::Display for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => f.write_str("1 file"),
            files => write!(f, "{files} files"),
        }
    }
}

/// The names of fields one of which is needed.
struct Quoted<'a>(&'a [String]);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, name) in self.0.iter().enumerate() {
            let or = if number > 0 { " or " } else { "" };
            write!(f, "{or}`{name}`")?;
        }
        Ok(())
    }
}

/// Records in which a field was looked for.
struct Records(u64);

impl fmt::Display for Records {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => f.write_str("the only record has"),
            records => write!(f, "of {records} records, the first have"),
        }
    }
}

/// That the field may be where it could not be looked for.
struct OrUnread<'a>(Option<&'a Problem>);

impl fmt::Display for OrUnread<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(problem) => write!(f, "; or run again, as not all was read: {problem}"),
            None => Ok(()),
        }
    }
}

/// The available fields.
struct Fields<'a>(&'a [String], &'a str);

impl fmt::Display for Fields<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 30;
        let Self(fields, kind) = self;
        let shown = fields.iter().take(SHOWN).map(|name| name.escape_debug().take(40).collect());
        let shown = shown.collect::<Vec<String>>();
        match fields.is_empty() {
            true => f.write_str("no fields were found; use another rule")?,
            false => write!(f, "available fields: {}", Listed(&shown, fields.len() as u64))?,
        }
        match (*kind, fields.is_empty()) {
            ("date", false) => f.write_str("; name the date field with the setting date_field"),
            _ => Ok(()),
        }
    }
}

/// The stable name of a failure of an index.
fn index_code(error: &IndexError) -> &'static str {
    match error {
        IndexError::NoIndex { .. } => "no_index",
        IndexError::Exists { .. } => "index_exists",
        IndexError::Locked { .. } => "index_locked",
        IndexError::Differs { .. } => "index_differs",
        IndexError::Damaged { .. } => "index_damaged",
        IndexError::Lean { .. } => "index_lean",
        _ => "index",
    }
}

/// A list of the first items, and the number of further ones.
struct Listed<'a>(&'a [String], u64);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(", "))?;
        match self.1.saturating_sub(self.0.len() as u64) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// Records and files that could not be read while documents were looked up.
#[derive(Debug, Default)]
pub struct Unread {
    /// How many.
    pub count: u64,
    /// The first of them.
    pub first: Option<Box<Problem>>,
}

impl Unread {
    /// Counts a problem.
    pub(crate) fn add(&mut self, problem: Problem) {
        self.count += 1;
        self.first.get_or_insert_with(|| Box::new(problem));
    }
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.first, self.count) {
            (None, _) => Ok(()),
            (Some(first), 1) => write!(f, " (some could not be read: {first})"),
            (Some(first), count) => {
                write!(f, " (some could not be read, {count} problems: {first})")
            }
        }
    }
}

/// The kind of a failure, for callers that handle kinds differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Invalid settings.
    Usage,
    /// A guard stopped the job: [`Job::strict`](crate::Job::strict), or a limit was reached.
    Guard,
    /// A panic: a fault of this program.
    Internal,
    /// Cancelled by [`Progress::cancelled`](lookalike_engine::Progress::cancelled).
    Cancelled,
    /// An input, an output or the system failed.
    Failed,
}

impl From<lookalike_decide::TableFailure> for LookalikeError {
    fn from(failure: lookalike_decide::TableFailure) -> Self {
        match failure {
            lookalike_decide::TableFailure::Cancelled => EngineError::Cancelled.into(),
            lookalike_decide::TableFailure::Output(error) => error.into(),
        }
    }
}

impl LookalikeError {
    /// That an input cannot be read, and the job goes on without none, or that it is `strict`.
    pub(crate) fn unreadable(failure: ReadFailure, strict: bool) -> Self {
        let stopped = if strict { EngineError::Strict } else { EngineError::Unreadable };
        stopped(failure.into_problem()).into()
    }

    /// The kind of this failure.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Threshold(_)
            | Self::Keep(_)
            | Self::KeepField { .. }
            | Self::KeepValue { .. }
            | Self::ShingleSize(_)
            | Self::Settings(_)
            | Self::Method(_)
            | Self::MethodSetting(_)
            | Self::Unanswerable { .. }
            | Self::Input(
                InputError::TwoCommands { .. }
                | InputError::NoProgram { .. }
                | InputError::CsvCharacters { .. },
            )
            | Self::Output(OutputError::Conflict { .. } | OutputError::Overwrites { .. })
            | Self::Index(IndexError::Lean { .. })
            | Self::Engine(EngineError::TermFilter(_)) => ErrorKind::Usage,
            Self::Limit(_)
            | Self::Guard(_)
            | Self::Skipped { .. }
            | Self::Engine(EngineError::Strict(_))
            | Self::Changed { .. }
            | Self::SourceChanged { .. }
            | Self::Input(InputError::Changed { .. })
            | Self::LexiconChecksum { .. } => ErrorKind::Guard,
            Self::Internal { .. } => ErrorKind::Internal,
            Self::Engine(EngineError::Cancelled)
            | Self::AddingCancelled
            | Self::QuestionCancelled
            | Self::FilterCancelled
            | Self::Report(lookalike_report::ReportError::Cancelled) => ErrorKind::Cancelled,
            Self::Output(OutputError::Store(lookalike_io::StoreError::Cancelled)) => {
                ErrorKind::Cancelled
            }
            Self::Stopped { source, .. } => source.kind(),
            // A run may find it once all can be read.
            Self::MissingField { field } if field.unread.is_none() => ErrorKind::Usage,
            _ => ErrorKind::Failed,
        }
    }

    /// A stable name of this failure for programs, in snake case: `threshold`, `input`, …
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Threshold(_) => "threshold",
            Self::Keep(_) => "keep_rule",
            Self::KeepField { .. } | Self::KeepValue { .. } => "keep_field",
            Self::MissingField { .. } => "missing_field",
            Self::Skipped { .. } => "skipped_files",
            Self::ShingleSize(_) => "shingle_size",
            Self::Settings(_)
            | Self::Input(
                InputError::TwoCommands { .. }
                | InputError::NoProgram { .. }
                | InputError::CsvCharacters { .. },
            ) => "settings",
            Self::Limit(_) => "limit",
            Self::Guard(_) => "guard",
            Self::Labels(_) => "labels",
            Self::Method(_) | Self::MethodSetting(_) => "method",
            Self::Lexicon(_) => "lexicon",
            Self::LexiconChecksum { .. } => "lexicon_checksum",
            Self::Engine(EngineError::Strict(_)) => "bad_record",
            Self::Engine(EngineError::Cancelled)
            | Self::AddingCancelled
            | Self::QuestionCancelled
            | Self::FilterCancelled => "cancelled",
            Self::Engine(EngineError::TermFilter(_)) => "term_filter",
            Self::Engine(EngineError::Threads { .. }) => "threads",
            Self::Engine(EngineError::Scratch { .. }) | Self::ScratchDir(_) => "scratch",
            Self::Engine(EngineError::Input(_) | EngineError::Unreadable(_)) | Self::Input(_) => {
                "input"
            }
            Self::Engine(_) => "engine",
            Self::Stopped { source, .. } => source.code(),
            Self::Source { .. } => "source",
            Self::SourceChanged { .. } | Self::Changed { .. } | Self::UnreadableAgain(_) => {
                "input_changed"
            }
            Self::Output(_) | Self::Stream(_) => "output",
            Self::Table(_) => "table",
            Self::Run { .. } => "run",
            Self::Plan { .. } => "plan",
            Self::Recluster { .. } => "recluster",
            Self::Unanswerable { .. } => "unanswerable",
            Self::NoSuchDocument { .. } | Self::NoDocument { .. } | Self::NotInIndex { .. } => {
                "no_such_document"
            }
            Self::RepeatedId { .. } | Self::SeveralDocuments { .. } => "ambiguous_document",
            Self::StandardInput => "standard_input",
            Self::Index(error) => index_code(error),
            Self::Report(_) | Self::Summary(_) => "report",
            Self::Internal { .. } => "internal",
        }
    }

    /// The error of a call that its caller ended.
    #[must_use]
    pub fn cancelled() -> Self {
        Self::Engine(EngineError::Cancelled)
    }

    /// The error of a question, of which one that was stopped has its own.
    #[must_use]
    pub fn of_question(self) -> Self {
        match self {
            Self::Index(IndexError::Interrupted) => Self::QuestionCancelled,
            other => other,
        }
    }

    /// The directory of the checkpoints of the job, if there are any.
    #[must_use]
    pub fn kept(&self) -> Option<&std::path::Path> {
        match self {
            Self::Stopped { kept, .. } => Some(kept),
            _ => None,
        }
    }
}
