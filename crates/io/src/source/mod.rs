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
//! A record or a file that cannot be read never stops a run: it becomes a
//! [`Problem`](crate::Problem) with its location, and reading continues after it.

mod batches;
mod chunks;
mod columns;
mod csv;
mod csv_row;
mod decompress;
mod detach;
mod documents;
mod field_names;
mod fields;
mod files;
mod json;
mod lines;
pub(crate) mod open;
mod position;
mod raw;
mod row_scanner;
pub(crate) mod rows;
mod sample;
mod scratch;
mod stream;
mod visit;

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch};

use crate::{Compression, FieldNames, Inputs, Problem};

pub use chunks::{Chunks, ChunksAt};
pub use files::{FileChunks, Files};
pub use raw::RawRecords;
pub use sample::{Entry, Sample, SampleShare};
pub use scratch::VisitScratch;

/// The next item of a file.
#[derive(Debug)]
pub enum Next {
    /// A chunk, or the problem in its place.
    Chunk(Result<Chunk, Problem>),
    /// A record larger than a chunk, which was not allowed.
    Large,
    /// The end.
    End,
}

impl Next {
    /// The problem at the end of a file, if any.
    fn problem(problem: Option<Problem>) -> Self {
        problem.map_or(Self::End, |problem| Self::Chunk(Err(problem)))
    }

    /// The chunk, if any size was allowed.
    fn any(self) -> Option<Result<Chunk, Problem>> {
        match self {
            Self::Chunk(chunk) => Some(chunk),
            Self::Large | Self::End => None,
        }
    }
}

/// Whole records of one file (or a run of one-document files), to be parsed on any thread.
#[derive(Debug)]
pub struct Chunk {
    /// Index of the (first) file.
    pub file: u32,
    /// Number of the first record in it, from 1.
    pub first_record: u32,
    /// Line of the first byte, from 1; 0 for Parquet and one-document files.
    pub first_line: u64,
    /// Offset of the first byte in the decompressed file.
    pub offset: u64,
    /// Bytes of the input file consumed by this chunk (for progress).
    pub consumed: u64,
    /// The records.
    pub body: Body,
}

/// Position of a chunk: enough to read it again without what is before it
/// ([`crate::Inputs::chunks_at`]).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChunkPosition {
    /// Index of the (first) file.
    pub file: u32,
    /// Number of the first record in it, from 1.
    pub record: u32,
    /// Line of the first byte, from 1; 0 for Parquet and one-document files.
    pub line: u64,
    /// Offset of the first byte in the decompressed file.
    pub offset: u64,
    /// Decompressed bytes of a chunk of lines; otherwise 0.
    pub bytes: u64,
}

impl Chunk {
    /// Its position.
    #[must_use]
    pub fn place(&self) -> ChunkPosition {
        let Self { file, first_record: record, first_line: line, offset, .. } = *self;
        let bytes = if let Body::Lines(data) = &self.body { data.len() as u64 } else { 0 };
        ChunkPosition { file, record, line, offset, bytes }
    }
}

/// Bytes from which a record is large: alone in its chunk, and freed as early as possible.
pub const LARGE: usize = 8 << 20;

impl Chunk {
    /// Whether it holds a large record and no other. A single one-document file counts as large:
    /// its decompressed size is not known before it is read.
    #[must_use]
    pub fn is_large(&self) -> bool {
        match &self.body {
            Body::Lines(data) => data.len() > LARGE && self.raw_records().nth(1).is_none(),
            Body::Rows { data, starts, .. } => data.len() > LARGE && starts.len() == 1,
            Body::Batch(batch) => batch.num_rows() == 1 && batch_bytes(batch) > LARGE,
            Body::Files(count) => *count == 1,
        }
    }

    /// Size in memory: one-document files as opened one after the other, compressed ones
    /// approximately.
    #[must_use]
    pub fn bytes(&self, inputs: &Inputs) -> u64 {
        /// Assumed upper bound of the compression ratio.
        const COMPRESSED: u64 = 8;
        match &self.body {
            Body::Lines(data) | Body::Rows { data, .. } => data.len() as u64,
            Body::Batch(batch) => batch_bytes(batch) as u64,
            Body::Files(count) => {
                let files = inputs.files.iter().skip(self.file as usize).take(*count as usize);
                let bytes = files.map(|file| match file.compression {
                    Compression::None => file.size,
                    _ => file.size.saturating_mul(COMPRESSED),
                });
                bytes.max().unwrap_or(0)
            }
        }
    }
}

/// Bytes of the rows of a batch: of a slice its own, not those of the arrays that it is a slice of.
fn batch_bytes(batch: &RecordBatch) -> usize {
    let bytes = |column: &ArrayRef| {
        let whole = column.get_array_memory_size();
        column.to_data().get_slice_memory_size().map_or(whole, |slice| slice.min(whole))
    };
    batch.columns().iter().map(bytes).sum()
}

/// Refuses record batches that cannot be read as documents: that have no column of text under one of
/// the names of [`FieldNames`], or an id that is neither text nor a number.
///
/// # Errors
/// What is wrong with the columns, and what to do.
pub fn check_batch(batch: &RecordBatch, fields: &FieldNames) -> Result<(), String> {
    columns::check(batch.schema_ref(), &fields::Fields::new(fields))
}

/// The records of a chunk, by format.
#[derive(Debug)]
pub enum Body {
    /// JSONL: whole lines with line ends; the last line of a file may lack its end.
    Lines(Vec<u8>),
    /// CSV or TSV: whole raw records with line ends.
    Rows {
        /// The raw bytes of the records. Blank lines belong to the record before them.
        data: Vec<u8>,
        /// The start of each record in `data`.
        starts: Vec<usize>,
        /// The header of the file.
        header: Arc<CsvHeader>,
    },
    /// Parquet: all columns, or those with a field name ([`Chunks::only_fields`]).
    Batch(RecordBatch),
    /// One-document files: this many, starting at `Chunk::file`; opened by the thread that visits.
    Files(u32),
}

/// The header line of a CSV or TSV file.
#[derive(Debug)]
pub struct CsvHeader {
    /// Raw bytes, line end included, byte order mark excluded.
    pub raw: Vec<u8>,
    /// The column names.
    pub names: Vec<String>,
    /// `,` or a tab.
    pub delimiter: u8,
}

/// The message for a record that is too long.
fn too_long(limit: usize) -> String {
    format!(
        "the record is longer than {}; raise the setting max_record to read it",
        size_words(limit)
    )
}

/// The message for a too long record in a stream. By how much it may exceed the limit in memory
/// depends on the chunk size; the message does not.
fn too_long_in_stream(limit: usize) -> String {
    format!("{} (it may be too long to be copied to the rejected)", too_long(limit))
}

/// A limit in words.
fn size_words(limit: usize) -> String {
    match limit {
        bytes if bytes % (1 << 20) == 0 => format!("{} MiB", bytes >> 20),
        bytes => format!("{bytes} bytes"),
    }
}
