//! Reading of input files: chunks of whole records, and their records.
//!
//! The primary types are [`Chunks`] and [`Chunk`]. Cutting and parsing are two steps, because only
//! the first must follow the bytes of a file in order: it decompresses and finds the ends of
//! records, while [`Chunk::visit`] parses on any thread. Files can be cut side by side
//! ([`Chunks::into_files`]). Records are *pushed* into a closure instead of returned by an
//! iterator, so that all of them can be borrowed from the chunk and a few reused buffers.
//!
//! Where chunks begin and end depends on the files alone, so a second pass sees the same chunks.
//!
//! A record or a file that cannot be read never stops a run: it becomes a
//! [`Problem`](crate::Problem) that names its place, and reading goes on behind it.

mod batches;
mod chunks;
mod columns;
mod csv;
mod decompress;
mod detach;
mod documents;
mod field_names;
mod fields;
mod files;
mod json;
mod lines;
pub(crate) mod open;
mod raw;
pub(crate) mod rows;
mod sample;
mod stream;
mod visit;

use std::sync::Arc;

use crate::{Compression, Inputs, Problem};

pub use chunks::{Chunks, ChunksAt};
pub use files::{FileChunks, Files};
pub use raw::RawRecords;
pub use sample::{Entry, Sample, SampleShare};
pub use visit::VisitScratch;

/// What follows in a file.
#[derive(Debug)]
pub enum Next {
    /// A chunk, or what is wrong in its place.
    Chunk(Result<Chunk, Problem>),
    /// A record that is larger than a chunk, which was not asked for.
    Large,
    /// Nothing.
    End,
}

impl Next {
    /// What is wrong at the end of a file, if anything is.
    fn problem(problem: Option<Problem>) -> Self {
        problem.map_or(Self::End, |problem| Self::Chunk(Err(problem)))
    }

    /// The chunk, of a file that was asked for chunks of any size.
    fn any(self) -> Option<Result<Chunk, Problem>> {
        match self {
            Self::Chunk(chunk) => Some(chunk),
            Self::Large | Self::End => None,
        }
    }
}

/// A run of whole records of one file (or a run of one-document files), parsed by whoever takes it.
#[derive(Debug)]
pub struct Chunk {
    /// Index of the (first) file.
    pub file: u32,
    /// Number of the first record in it, from 1.
    pub first_record: u32,
    /// Line of the first byte, from 1; 0 for Parquet and one-document files.
    pub first_line: u64,
    /// Decompressed offset of the first byte.
    pub offset: u64,
    /// Bytes of input file that reading this chunk used up (for progress).
    pub consumed: u64,
    /// The records.
    pub body: Body,
}

/// Where a chunk lies: enough to read it again without all that is before it
/// ([`crate::Inputs::chunks_at`]).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChunkPosition {
    /// Index of the (first) file.
    pub file: u32,
    /// Number of the first record in it, from 1.
    pub record: u32,
    /// Line of the first byte, from 1; 0 for Parquet and one-document files.
    pub line: u64,
    /// Decompressed offset of the first byte.
    pub offset: u64,
    /// Decompressed bytes, of lines; otherwise 0.
    pub bytes: u64,
}

impl Chunk {
    /// Where it lies.
    #[must_use]
    pub fn place(&self) -> ChunkPosition {
        let Self { file, first_record: record, first_line: line, offset, .. } = *self;
        let bytes = if let Body::Lines(data) = &self.body { data.len() as u64 } else { 0 };
        ChunkPosition { file, record, line, offset, bytes }
    }
}

/// Bytes from which a record is large: alone in its chunk, and freed as early as can be.
pub const LARGE: usize = 8 << 20;

impl Chunk {
    /// Whether it holds a large record, and no other. A one-document file that is alone counts as
    /// one: what it holds, perhaps compressed, is not known before it is read.
    #[must_use]
    pub fn is_large(&self) -> bool {
        match &self.body {
            Body::Lines(data) => data.len() > LARGE && self.raw_records().nth(1).is_none(),
            Body::Rows { data, starts, .. } => data.len() > LARGE && starts.len() == 1,
            Body::Batch(batch) => batch.num_rows() == 1 && batch.get_array_memory_size() > LARGE,
            Body::Files(count) => *count == 1,
        }
    }

    /// Bytes that it takes in memory: those of one-document files once they are opened, one after
    /// the other, and of compressed ones about.
    #[must_use]
    pub fn bytes(&self, inputs: &Inputs) -> u64 {
        /// Bytes of text in a byte of a compressed file, seldom more.
        const COMPRESSED: u64 = 8;
        match &self.body {
            Body::Lines(data) | Body::Rows { data, .. } => data.len() as u64,
            Body::Batch(batch) => batch.get_array_memory_size() as u64,
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

/// The records of a chunk in the form of their file.
#[derive(Debug)]
pub enum Body {
    /// JSONL: whole lines, line ends included; the very last line of a file may lack its end.
    Lines(Vec<u8>),
    /// CSV or TSV: whole raw records, line ends included.
    Rows {
        /// The raw bytes of the records. Blank lines stay behind the record that they follow.
        data: Vec<u8>,
        /// Where each record starts in `data`.
        starts: Vec<usize>,
        /// The header they stand under.
        header: Arc<CsvHeader>,
    },
    /// Parquet: all columns, or those with a field name ([`Chunks::only_fields`]).
    Batch(arrow_array::RecordBatch),
    /// One-document files: this many, starting at `Chunk::file`; opened by the thread that visits.
    Files(u32),
}

/// The header line of a CSV or TSV file.
#[derive(Debug)]
pub struct CsvHeader {
    /// Raw bytes, line end included, byte order mark excluded.
    pub raw: Vec<u8>,
    /// The names.
    pub names: Vec<String>,
    /// `,` or a tab.
    pub delimiter: u8,
}

/// What is said of a record that is too long, wherever that is noticed.
fn too_long(limit: usize) -> String {
    format!("the record is longer than {}; raise --max-record to read it", size_words(limit))
}

/// The same of a record in a stream. How far a record may be over the limit and is still held, and
/// so copied, depends on the size of chunks; what is said of it does not.
fn too_long_in_stream(limit: usize) -> String {
    format!("{} (it may be too long to be copied to the rejected)", too_long(limit))
}

/// A limit as people would say it.
fn size_words(limit: usize) -> String {
    match limit {
        bytes if bytes % (1 << 20) == 0 => format!("{} MiB", bytes >> 20),
        bytes => format!("{bytes} bytes"),
    }
}
