//! Reading of input files: chunks of whole records, and their records.
//!
//! The primary types are [`Chunks`] and [`Chunk`]. Splitting and parsing are two steps, because
//! only the first must follow the bytes of a file in order: it decompresses and finds the ends of
//! records, while [`Chunk::visit`] parses on any thread. Files can be split in parallel
//! ([`Chunks::into_files`]). Records are *pushed* into a closure instead of returned by an
//! iterator, so that all of them can be borrowed from the chunk and a few reused buffers.
//!
//! Chunk boundaries depend on the files only, so a second pass sees the same chunks.
//!
//! A record that cannot be used is a [`Problem`](crate::Problem) with its location, and reading
//! continues after it. A file that cannot be read, or only to some place, is a
//! [`ReadFailure`](crate::ReadFailure), a type that every caller has to handle: reading can continue
//! with the next file, but records are missing.

mod chunk;
mod chunks;
pub(crate) mod columns;
pub(crate) mod csv;
pub(crate) mod csv_row;
mod cut;
pub(crate) mod decompress;
mod detach;
mod documents;
mod field_names;
pub(crate) mod fields;
pub(crate) mod file_copy;
mod files;
pub(crate) mod ipc;
pub(crate) mod json;
pub(crate) mod lists;
mod missing;
pub(crate) mod nested;
pub(crate) mod open;
pub(crate) mod pages;
pub(crate) mod position;
pub(crate) mod raw;
pub(crate) mod record_limit;
pub(crate) mod row_scanner;
mod sample;
pub(crate) mod scratch;
mod section_columns;
pub(crate) mod sections;
mod skipped;
mod source_code;
pub(crate) mod stream;
pub(crate) mod suggest;
pub(crate) mod texts;
mod unpacking;
mod visit;

use arrow_array::RecordBatch;

use crate::{FieldNames, Partitions};

pub use chunk::{Body, Chunk, ChunkPosition, CsvHeader, LARGE, Next, Piece};
pub use chunks::{Chunks, ChunksAt};
pub use cut::cut_batch;
pub use files::{FileChunks, Files};
pub use missing::MissingField;
pub use raw::RawRecords;
pub use sample::{Entry, Sample, SampleShare};
pub use scratch::VisitScratch;
pub use skipped::SkippedRecords;

/// Refuses record batches that cannot be read as documents: that have no column of text under one
/// of the names of [`FieldNames`], two columns of a name that is used, or an id that the caller has named
/// and that has no text.
///
/// # Errors
/// Why the columns are invalid, and a remedy.
pub fn check_batch(batch: &RecordBatch, fields: &FieldNames) -> Result<(), String> {
    columns::check(batch.schema_ref(), &fields::Fields::new(fields), &Partitions::default())
}

/// Whether a table of these columns has the field: a column of that name, or a field in structs whose
/// names it lists, `doc.text`.
#[must_use]
pub fn has_field(schema: &arrow_schema::Schema, name: &str) -> bool {
    nested::find(schema.fields(), name).is_some()
}
