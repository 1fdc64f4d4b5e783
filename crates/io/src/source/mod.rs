//! Input files in, chunks of whole records out.

use std::sync::Arc;

/// A run of whole records of one file (or a run of one-document files), parsed by whoever takes it.
pub struct Chunk {
    /// Index of the (first) file.
    pub file: u32,
    /// Number of the first record in it, from 1.
    pub first_record: u32,
    /// Line of the first record, from 1; 0 for Parquet.
    pub first_line: u64,
    /// Decompressed offset of the first byte.
    pub offset: u64,
    /// Bytes of input file that reading this chunk used up (for progress).
    pub consumed: u64,
    /// The records.
    pub body: Body,
}

/// The records of a chunk in the form of their file.
pub enum Body {
    /// JSONL: whole lines, line ends included; the very last line of a file may lack its end.
    Lines(Vec<u8>),
    /// CSV or TSV: whole raw records, line ends included.
    Rows {
        /// The raw bytes of the records.
        data: Vec<u8>,
        /// Where each record starts in `data`.
        starts: Vec<usize>,
        /// The header they stand under.
        header: Arc<CsvHeader>,
    },
    /// Parquet: all columns.
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
