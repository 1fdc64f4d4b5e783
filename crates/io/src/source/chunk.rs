//! A chunk of records, and what reading one returns.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch};

use crate::input::CsvDialect;
use crate::{Compression, Inputs, Problem, ReadFailure};

/// What is read of the inputs at a time.
///
/// Not a `Result`, so that no adapter of iterators drops a failure.
#[derive(Debug)]
#[must_use = "it may be a failure, after which records are missing"]
pub enum Piece {
    /// Whole records.
    Chunk(Chunk),
    /// A record that cannot be used and is in no chunk; of record 0, bytes after the records of a
    /// file that belong to none.
    Bad(Problem),
    /// The rest of a file cannot be read.
    Failed {
        /// The whole records read before the failure, which in an undisturbed reading are a part of
        /// a chunk: its end is not the end of a chunk or of the file.
        before: Option<Chunk>,
        /// Why.
        failure: ReadFailure,
    },
}

impl Piece {
    /// The records, if any, and the problem to report, if any.
    pub fn into_parts(self) -> (Option<Chunk>, Option<Problem>) {
        match self {
            Self::Chunk(chunk) => (Some(chunk), None),
            Self::Bad(problem) => (None, Some(problem)),
            Self::Failed { before, failure } => (before, Some(failure.into_problem())),
        }
    }

    /// The chunk, for callers that stop at the first problem: records before a failure are dropped.
    ///
    /// # Errors
    /// A bad record; a file that cannot be read.
    pub fn whole(self) -> Result<Chunk, Problem> {
        match self {
            Self::Chunk(chunk) => Ok(chunk),
            Self::Bad(problem) => Err(problem),
            Self::Failed { failure, .. } => Err(failure.into_problem()),
        }
    }

    /// The records, if any.
    #[must_use]
    pub fn records(&self) -> Option<&Chunk> {
        match self {
            Self::Chunk(chunk) => Some(chunk),
            Self::Bad(_) => None,
            Self::Failed { before, .. } => before.as_ref(),
        }
    }

    /// Index of its (first) file.
    #[must_use]
    pub fn file(&self) -> u32 {
        match self {
            Self::Chunk(chunk) => chunk.file,
            Self::Bad(problem) => problem.file,
            Self::Failed { failure, .. } => failure.problem().file,
        }
    }
}

impl From<Result<Chunk, ReadFailure>> for Piece {
    fn from(read: Result<Chunk, ReadFailure>) -> Self {
        match read {
            Ok(chunk) => Self::Chunk(chunk),
            Err(failure) => Self::from(failure),
        }
    }
}

impl From<ReadFailure> for Piece {
    fn from(failure: ReadFailure) -> Self {
        Self::Failed { before: None, failure }
    }
}

/// What a file gives next.
#[derive(Debug)]
#[must_use = "it may be a failure, after which records are missing"]
pub enum Next {
    /// Records, or what is in their place.
    Piece(Piece),
    /// A record larger than a chunk, which was not allowed.
    Large,
    /// The end: all records were read, or a [failure](Piece::Failed) told which were not.
    End,
}

impl Next {
    /// The piece, if any size was allowed.
    pub(crate) fn any(self) -> Option<Piece> {
        match self {
            Self::Piece(piece) => Some(piece),
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
    /// Line of the first byte, from 1; 0 for Parquet, WARC and one-document files.
    pub first_line: u64,
    /// Offset of the first byte in the decompressed file.
    pub offset: u64,
    /// Bytes of the input file consumed by this chunk (for progress).
    pub consumed: u64,
    /// The records.
    pub body: Body,
}

impl Chunk {
    /// The next rows of a table, of `row_bytes` bytes each in its file. `record` is the number of the
    /// first one, and becomes that of the row after them.
    ///
    /// # Errors
    /// More rows than have numbers.
    pub(crate) fn of_rows(
        file: u32,
        record: &mut u32,
        row_bytes: u64,
        rows: RecordBatch,
    ) -> Result<Self, String> {
        let first_record = *record;
        let count = u32::try_from(rows.num_rows()).ok();
        *record = count
            .and_then(|count| first_record.checked_add(count))
            .ok_or_else(|| format!("holds more than {} rows; split it", u32::MAX))?;
        Ok(Self {
            file,
            first_record,
            first_line: 0,
            offset: 0,
            consumed: rows.num_rows() as u64 * row_bytes,
            body: Body::Batch(rows),
        })
    }
}

impl Chunk {
    /// A problem with a record of this chunk.
    pub(crate) fn problem(
        &self,
        inputs: &Inputs,
        record: u32,
        line: u64,
        offset: Option<u64>,
        message: String,
    ) -> Problem {
        let path = inputs.files.get(self.file as usize).map(|file| file.name.clone());
        let (file, path) = (self.file, path.unwrap_or_default());
        Problem { file, path, record, line, offset, message, unreadable: false }
    }
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
    /// Decompressed bytes of a chunk of lines, mbox messages or WARC records; otherwise 0.
    pub bytes: u64,
}

impl Chunk {
    /// Its position.
    #[must_use]
    pub fn place(&self) -> ChunkPosition {
        let Self { file, first_record: record, first_line: line, offset, .. } = *self;
        let bytes = match &self.body {
            Body::Lines(data) | Body::Records { data, .. } => data.len() as u64,
            Body::Rows { .. } | Body::Batch(_) | Body::Files(_) => 0,
        };
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
            Body::Rows { data, starts, .. } | Body::Records { data, starts } => {
                data.len() > LARGE && starts.len() == 1
            }
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
            Body::Lines(data) | Body::Rows { data, .. } | Body::Records { data, .. } => {
                data.len() as u64
            }
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

/// The records of a chunk, by their arrangement.
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
    /// Whole records with headers: mbox messages with their separator lines, WARC records of all kinds.
    Records {
        /// The raw bytes of the records. Line ends after a record belong to it.
        data: Vec<u8>,
        /// The start of each record in `data`.
        starts: Vec<usize>,
    },
    /// Parquet and Arrow: all columns, or those with a field name
    /// ([`only_fields`](super::Chunks::only_fields)).
    Batch(RecordBatch),
    /// One-document files: this many, starting at `Chunk::file`; opened by the thread that visits.
    Files(u32),
}

/// The header line of a CSV or TSV file.
#[derive(Debug)]
pub struct CsvHeader {
    /// Raw bytes, line end included, byte order mark excluded; with the line `sep=;` before it if there
    /// is one.
    pub raw: Vec<u8>,
    /// The column names.
    pub names: Vec<String>,
    /// How the rows are written.
    pub dialect: CsvDialect,
}
