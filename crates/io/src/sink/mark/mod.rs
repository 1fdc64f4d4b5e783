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

use crate::Mark;
use crate::source::Chunk;

/// Number of fields.
pub(crate) const FIELDS: usize = 7;

/// A raw record that gets a mark.
pub(crate) struct ToMark<'a> {
    pub(crate) chunk: &'a Chunk,
    pub(crate) raw: &'a [u8],
    pub(crate) names: &'a MarkNames,
    pub(crate) mark: &'a Mark<'a>,
}

/// The names of the fields.
///
/// ```
/// use lookalike_io::MarkNames;
///
/// assert_eq!(MarkNames::new("").duplicate_of, "duplicate_of");
/// assert_eq!(MarkNames::new("dedup_").cluster, "dedup_cluster");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkNames {
    /// Field of the witness's id.
    pub duplicate_of: String,
    /// Field of the witness's file.
    pub duplicate_of_file: String,
    /// Field of the witness's record number.
    pub duplicate_of_record: String,
    /// Field of the resemblance to the witness.
    pub resemblance: String,
    /// Field of the cluster.
    pub cluster: String,
    /// Field of whether the document would be removed.
    pub is_duplicate: String,
    /// Field of the number of documents that a kept one represents.
    pub duplicates: String,
}

impl MarkNames {
    /// The names with a prefix (the setting `mark_prefix`).
    pub fn new(prefix: &str) -> Self {
        Self {
            duplicate_of: format!("{prefix}duplicate_of"),
            duplicate_of_file: format!("{prefix}duplicate_of_file"),
            duplicate_of_record: format!("{prefix}duplicate_of_record"),
            resemblance: format!("{prefix}resemblance"),
            cluster: format!("{prefix}cluster"),
            is_duplicate: format!("{prefix}is_duplicate"),
            duplicates: format!("{prefix}duplicates"),
        }
    }

    /// The names in the order in which they are written.
    pub(crate) fn all(&self) -> [&str; FIELDS] {
        let [id, file, record] =
            [&self.duplicate_of, &self.duplicate_of_file, &self.duplicate_of_record];
        let (is_duplicate, duplicates) = (&self.is_duplicate, &self.duplicates);
        [id, file, record, &self.resemblance, &self.cluster, is_duplicate, duplicates]
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
