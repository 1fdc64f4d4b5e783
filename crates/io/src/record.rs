//! Records and problems of the inputs, and the decisions that a writer needs.

use std::fmt;
use std::hash::{DefaultHasher, Hasher};

/// One record of the input, borrowed from the chunk that holds it.
#[derive(Debug, Clone)]
pub struct RecordView<'a> {
    /// Index of the file in [`crate::Inputs::files`].
    pub file: u32,
    /// Record number in the file, from 1. Blank lines are not counted; bad records are.
    pub record: u32,
    /// Line on which the record starts, from 1 (0 for Parquet).
    pub line: u64,
    /// The record's id, unless empty. Numbers are given as written.
    pub id: Option<std::borrow::Cow<'a, str>>,
    /// The text to compare.
    pub content: Content<'a>,
    /// The URL.
    pub url: Option<std::borrow::Cow<'a, str>>,
    /// The title.
    pub title: Option<std::borrow::Cow<'a, str>>,
    /// The date as written: ISO 8601 or anything that sorts like it.
    pub date: Option<std::borrow::Cow<'a, str>>,
    /// Values of [`crate::FieldNames::extra`] in their order; none for one-document files.
    pub extra: &'a [FieldNumber],
    /// Values of [`crate::FieldNames::given`]; none for one-document files.
    pub given: &'a crate::FieldTexts,
    /// What is compared beside the text, of messages.
    pub beside: crate::Beside,
}

/// The value of a field of a keep rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FieldNumber {
    /// The record lacks the field, or it is null, empty or NaN.
    Missing,
    /// The field holds neither a finite number nor text: a list, an object, an infinity.
    Unreadable,
    /// A finite number, also one that is written as text.
    Number(f64),
    /// Another text, without white space at its ends, or true or false: a 64-bit digest of it, which
    /// is compared within one process only.
    Text(u64),
}

impl FieldNumber {
    /// The value of a field that holds this text.
    #[must_use]
    pub fn of(written: &str) -> Self {
        match written.trim() {
            "" => Self::Missing,
            written => written.parse().map_or_else(|_| Self::digest(written), Self::float),
        }
    }

    /// A floating-point value. Tables write NaN for missing values; infinities cannot be ordered
    /// usefully.
    pub(crate) fn float(value: f64) -> Self {
        match value {
            value if value.is_finite() => Self::Number(value),
            value if value.is_nan() => Self::Missing,
            _ => Self::Unreadable,
        }
    }

    fn digest(text: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        hasher.write(text.as_bytes());
        Self::Text(hasher.finish())
    }
}

/// The text of a record, before markup is removed.
#[derive(Debug, Clone)]
pub enum Content<'a> {
    /// Plain text that is already Unicode (a JSON string, a CSV field, a Parquet string).
    Text(std::borrow::Cow<'a, str>),
    /// Plain text of a file, with an undetected byte order mark.
    TextBytes(std::borrow::Cow<'a, [u8]>),
    /// HTML that is already Unicode (a JSON string, a Parquet string).
    Html(std::borrow::Cow<'a, str>),
    /// HTML of a file, with an undetected encoding.
    HtmlBytes(std::borrow::Cow<'a, [u8]>),
    /// A ready-made feature set in place of a text (the setting `features_field`).
    Features(&'a crate::FeatureList),
}

/// A record as given by [`crate::source::Chunk::visit`].
#[derive(Debug)]
pub enum Item<'a> {
    /// A usable record.
    Record(RecordView<'a>),
    /// A record that cannot be used; it is counted, named and written to the rejected ones.
    Bad(Problem),
    /// A one-document file that cannot be read.
    Failed(ReadFailure),
}

impl Item<'_> {
    /// Index of the file and number of the record.
    #[must_use]
    pub fn place(&self) -> (u32, u32) {
        match self {
            Self::Record(record) => (record.file, record.record),
            Self::Bad(problem) | Self::Failed(ReadFailure { problem, .. }) => {
                (problem.file, problem.record)
            }
        }
    }
}

/// Why an input could not be read to its end: what follows, an unknown number of records, is missing.
///
/// A type of its own, so that it is taken neither for the end of a file nor for a bad record. Whoever
/// pulls records stops with it as an error, or counts its problem where unreadable inputs are skipped.
/// The same input may be readable the next time.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "records are missing: stop, or report that the input is unreadable"]
pub struct ReadFailure {
    problem: Problem,
    is_of_columns: bool,
}

impl ReadFailure {
    /// The failure of a file, from an offset on if it is known.
    pub(crate) fn of_file(file: u32, name: &str, offset: Option<u64>, message: String) -> Self {
        Self::from(Problem::of_file(file, name, offset, message))
    }

    /// A table that was read, and whose columns are not those that are needed.
    pub(crate) fn of_columns(file: u32, name: &str, message: String) -> Self {
        Self { is_of_columns: true, ..Self::of_file(file, name, None, message) }
    }

    /// Whether the columns of a table are the reason: they were read.
    pub(crate) fn is_of_columns(&self) -> bool {
        self.is_of_columns
    }

    /// The problem to report.
    #[must_use]
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The problem to report.
    #[must_use]
    pub fn into_problem(self) -> Problem {
        self.problem
    }
}

impl From<Problem> for ReadFailure {
    fn from(problem: Problem) -> Self {
        Self { problem: Problem { unreadable: true, ..problem }, is_of_columns: false }
    }
}

impl std::error::Error for ReadFailure {}

impl fmt::Display for ReadFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.problem.fmt(f)
    }
}

/// A record, or the rest of a file, that could not be used. The message names the location and a
/// remedy.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Problem {
    /// Index of the file in [`crate::Inputs::files`].
    pub file: u32,
    /// Name of the file in messages.
    pub path: String,
    /// Record number from 1; 0 if the rest of the file is concerned.
    pub record: u32,
    /// Line from 1; 0 for Parquet.
    pub line: u64,
    /// Byte offset in the (decompressed) file, if known.
    pub offset: Option<u64>,
    /// The reason and a remedy.
    pub message: String,
    /// Whether this is an *unreadable input*: the file, or all of it from the offset on, is lost
    /// with an unknown number of records. Otherwise at most one record is concerned.
    pub unreadable: bool,
}

impl Problem {
    /// An unreadable input: a whole file, or its rest from an offset on.
    pub(crate) fn of_file(file: u32, name: &str, offset: Option<u64>, message: String) -> Self {
        let path = name.to_string();
        Self { file, path, record: 0, line: 0, offset, message, unreadable: true }
    }
}

impl std::error::Error for Problem {}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        match (self.line, self.record, self.offset) {
            (0, 0, Some(offset)) => write!(f, ": byte {offset}")?,
            (0, 0, None) => {}
            (0, record, _) => write!(f, ": record {record}")?,
            (line, _, _) => write!(f, ":{line}")?,
        }
        write!(f, ": {}", self.message)
    }
}

/// Fate of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Written to the kept documents.
    Kept,
    /// Written to the removed documents.
    Removed,
    /// It could not be used, and is written unchanged to the rejected records.
    Rejected,
}

/// Values of the fields that `dedup` adds to a record ([`MarkNames::new`](crate::MarkNames::new)).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Mark<'a> {
    /// Id of the kept document that this one duplicates (the witness).
    pub duplicate_of: Option<&'a str>,
    /// File of the witness.
    pub duplicate_of_file: Option<&'a str>,
    /// Record number of the witness in its file, from 1.
    pub duplicate_of_record: Option<u32>,
    /// Resemblance (or the measure in use) to the witness.
    pub resemblance: Option<f64>,
    /// Cluster of the document, if any.
    pub cluster: Option<u64>,
    /// Whether the document would be removed.
    pub is_duplicate: bool,
    /// Number of documents that it represents, if it has no witness itself.
    pub duplicates: Option<u32>,
}

impl<'a> Mark<'a> {
    /// The values in the order of the names.
    #[must_use]
    pub fn values(&self) -> Vec<MarkValue<'a>> {
        let text = |text: Option<&'a str>| text.map_or(MarkValue::Missing, MarkValue::Text);
        let count = |count: Option<u64>| count.map_or(MarkValue::Missing, MarkValue::Count);
        vec![
            text(self.duplicate_of),
            text(self.duplicate_of_file),
            count(self.duplicate_of_record.map(u64::from)),
            self.resemblance.map_or(MarkValue::Missing, MarkValue::Ratio),
            count(self.cluster),
            MarkValue::Flag(self.is_duplicate),
            count(self.duplicates.map(u64::from)),
        ]
    }
}

/// The value of a field that marking adds to a record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MarkValue<'a> {
    /// None: null, or an empty text.
    Missing,
    /// A text.
    Text(&'a str),
    /// A whole number.
    Count(u64),
    /// A number.
    Ratio(f64),
    /// True or false.
    Flag(bool),
}

/// Another text for a record.
#[derive(Debug, Clone, Copy)]
pub struct Replacement<'a> {
    /// The text that it has.
    pub old: &'a str,
    /// The text that is written.
    pub new: &'a str,
}

/// The decisions of a run by record.
pub trait Fates: Sync {
    /// The fate of a record.
    fn fate(&self, file: u32, record: u32) -> Fate;
    /// The values that marking adds to a usable record: one for each of the names.
    fn mark(&self, _file: u32, _record: u32) -> Vec<MarkValue<'_>> {
        Vec::new()
    }
    /// The text that a kept record is written with, if it is another one than it has. What becomes of a
    /// record that cannot have it says [`Fates::of_refused`].
    fn replacement(&self, _file: u32, _record: u32) -> Option<Replacement<'_>> {
        None
    }
    /// The fate of records that cannot have another text: removed, or kept as they are.
    fn of_refused(&self) -> Fate {
        Fate::Removed
    }
}
