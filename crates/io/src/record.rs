//! What a reader hands over: one record, or the reason why there is none; and what a writer asks.

use std::fmt;

/// One record of the input, borrowed from the chunk that holds it.
#[derive(Debug, Clone)]
pub struct RecordView<'a> {
    /// Index of the file in [`crate::Inputs::files`].
    pub file: u32,
    /// Position among the file's records, from 1. Blank lines are not records; bad ones are.
    pub record: u32,
    /// Line on which the record starts, from 1 (0 where lines mean nothing: Parquet).
    pub line: u64,
    /// The record's own name, where it has one that is not empty. Numbers are given as written.
    pub id: Option<std::borrow::Cow<'a, str>>,
    /// The text to compare.
    pub content: Content<'a>,
    /// The address it was found at.
    pub url: Option<std::borrow::Cow<'a, str>>,
    /// The title.
    pub title: Option<std::borrow::Cow<'a, str>>,
    /// The date as written: ISO 8601 or anything that sorts like it.
    pub date: Option<std::borrow::Cow<'a, str>>,
    /// Values of [`crate::FieldNames::extra`] in their order; none of a file that is one document.
    pub extra: &'a [FieldNumber],
}

/// The value of a field that should hold a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FieldNumber {
    /// The record lacks the field, or it is null, empty or NaN.
    Missing,
    /// The field holds something other than a finite number.
    Unreadable,
    /// A finite number.
    Number(f64),
}

/// The text of a record, before any markup is taken away.
#[derive(Debug, Clone)]
pub enum Content<'a> {
    /// Plain text that is already Unicode (a JSON string, a CSV field, a Parquet string).
    Text(std::borrow::Cow<'a, str>),
    /// Plain text as found in a file: its byte order mark is still to be looked for.
    TextBytes(std::borrow::Cow<'a, [u8]>),
    /// HTML that is already Unicode (a JSON string, a Parquet string).
    Html(std::borrow::Cow<'a, str>),
    /// HTML as found in a file: its encoding is still to be sniffed.
    HtmlBytes(std::borrow::Cow<'a, [u8]>),
}

/// What [`crate::source::Chunk::visit`] gives for each record.
#[derive(Debug)]
pub enum Item<'a> {
    /// A usable record.
    Record(RecordView<'a>),
    /// A record that cannot be used; it is counted, named and written to the rejected ones.
    Bad(Problem),
}

impl Item<'_> {
    /// File and number of the record.
    pub(crate) fn place(&self) -> (u32, u32) {
        match self {
            Self::Record(record) => (record.file, record.record),
            Self::Bad(problem) => (problem.file, problem.record),
        }
    }
}

/// Why a record, or the rest of a file, could not be used. The message says where and what to do.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Problem {
    /// Index of the file in [`crate::Inputs::files`].
    pub file: u32,
    /// Name of the file as shown to people.
    pub path: String,
    /// Record number from 1; 0 when the whole rest of the file is concerned.
    pub record: u32,
    /// Line from 1; 0 where lines mean nothing.
    pub line: u64,
    /// Byte offset in the (decompressed) file, where known.
    pub offset: Option<u64>,
    /// What is wrong, in words that can be acted on.
    pub message: String,
    /// Whether this is an *unreadable input*: the file, or all of it from the offset on, is lost
    /// with an unknown number of records. Otherwise one record is concerned, or none.
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

/// Where a record goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Into the kept documents.
    Kept,
    /// Into the removed documents.
    Removed,
    /// It could not be used: written, untouched, to the rejected records.
    Rejected,
}

/// The columns that `--mark` adds to a record.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Mark<'a> {
    /// Id of the kept document that stands for this one.
    pub duplicate_of: Option<&'a str>,
    /// File of that document.
    pub duplicate_of_file: Option<&'a str>,
    /// Record number of that document in its file, from 1.
    pub duplicate_of_record: Option<u32>,
    /// Resemblance (or the measure in use) to that document.
    pub resemblance: Option<f64>,
    /// Cluster of the document, where it has one.
    pub cluster: Option<&'a str>,
}

/// The decisions of a run, asked for record by record when the outputs are written.
pub trait Fates: Sync {
    /// Where the record goes.
    fn fate(&self, file: u32, record: u32) -> Fate;
    /// What `--mark` writes beside the record; only asked for usable records.
    fn mark(&self, file: u32, record: u32) -> Mark<'_>;
}
