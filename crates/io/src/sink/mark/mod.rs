//! Adds fields to records (the setting `mark`): which document each is a duplicate of, how similar
//! they are, its cluster, and how many documents a kept one represents.
//!
//! Every byte of the record stays; the fields are appended: as members before the last `}` of a
//! JSON object, as columns at the end of a CSV or TSV row or a Parquet table. All records get all
//! fields, null (CSV: empty) where a document has no value, so that the output has one schema. A
//! message of an mbox and a record of a WARC file get header fields, those that have a value, before
//! their own.

pub(crate) mod columns;
pub(crate) mod jsonl;
pub(crate) mod messages;
pub(crate) mod rows;

use crate::MarkValue;
use crate::source::Chunk;

/// A raw record that gets a mark.
pub(crate) struct ToMark<'a> {
    pub(crate) chunk: &'a Chunk,
    pub(crate) raw: &'a [u8],
    pub(crate) names: &'a MarkNames,
    pub(crate) mark: &'a [MarkValue<'a>],
}

/// The type of an added field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkKind {
    /// A text.
    Text,
    /// A whole number.
    Count,
    /// A number.
    Ratio,
    /// True or false.
    Flag,
}

/// The names of the fields, and their types.
///
/// ```
/// use lookalike_io::{MarkKind, MarkNames};
///
/// assert_eq!(MarkNames::new("dedup_").names().nth(4), Some("dedup_cluster"));
/// let names = MarkNames::of("x_", &[("checked", MarkKind::Flag)]);
/// assert_eq!(names.names().collect::<Vec<_>>(), ["x_checked"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkNames {
    fields: Vec<(String, MarkKind)>,
}

/// The fields of [`Mark`](crate::Mark), in its order.
const OF_DUPLICATES: [(&str, MarkKind); 7] = [
    ("duplicate_of", MarkKind::Text),
    ("duplicate_of_file", MarkKind::Text),
    ("duplicate_of_record", MarkKind::Count),
    ("resemblance", MarkKind::Ratio),
    ("cluster", MarkKind::Count),
    ("is_duplicate", MarkKind::Flag),
    ("duplicates", MarkKind::Count),
];

impl MarkNames {
    /// The fields that `dedup` adds, with a prefix (the setting `mark_prefix`).
    #[must_use]
    pub fn new(prefix: &str) -> Self {
        Self::of(prefix, &OF_DUPLICATES)
    }

    /// Fields in the order in which they are written, with a prefix.
    #[must_use]
    pub fn of(prefix: &str, fields: &[(&str, MarkKind)]) -> Self {
        let named = fields.iter().map(|(name, kind)| (format!("{prefix}{name}"), *kind));
        Self { fields: named.collect() }
    }

    /// The names in the order in which they are written.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|(name, _)| name.as_str())
    }

    /// The names and the types.
    pub(crate) fn fields(&self) -> &[(String, MarkKind)] {
        &self.fields
    }

    fn has(&self, name: &str) -> bool {
        self.names().any(|known| known == name)
    }
}

impl Default for MarkNames {
    fn default() -> Self {
        Self::new("")
    }
}

/// Why a record cannot be marked.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It has a field of this name.
    Taken(String),
    /// Fields cannot be appended to it.
    Shape(&'static str),
}
