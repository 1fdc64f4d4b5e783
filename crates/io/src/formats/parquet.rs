//! Apache Parquet, read in record batches.
//!
//! Row groups are read sequentially, in batches whose number of rows follows from the row group's
//! size with all its columns: the batches are the same whether or not all columns are read.
//!
//! The decoder, and code that reads its arrays, runs inside [`guarded`]. A page's checksum is
//! verified if it has one.

use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::file::metadata::RowGroupMetaData;

use arrow_array::RecordBatch;

use crate::guard::guarded;
use crate::input::format::{About, Packing, Structure};
use crate::sink::parquet_file::Model;
use crate::source::open::{self, Opened};
use crate::source::pages::{Pages, longest_row};
use crate::source::{Chunk, LARGE, Next, columns};
use crate::{Format, ReadFailure};

use super::columns::Columns;
use super::item::{ChunkReader, FormatItem, OpenedReader, Opening, Reading};

static PARQUET: About = About {
    name: "parquet",
    extensions: &["parquet"],
    kept_extensions: &["pq"],
    structure: Structure::Columns,
    packing: Packing::Own("Parquet files compress their own pages; unpack it"),
    unit: "a row",
    ..About::DOCUMENT
};

pub(super) const FORMATS: &[FormatItem] =
    &[FormatItem { about: &PARQUET, reading: Reading::Records(&COLUMNS) }];

static COLUMNS: Columns =
    Columns { open: BatchReader::open, model: |input| Ok(Some(Box::new(Model::read(input)?))) };

impl Format {
    /// Apache Parquet.
    pub const PARQUET: Self = Self(&PARQUET);
}

/// Most rows of a batch.
const ROWS: u64 = 1024;

/// Reads one file.
struct BatchReader {
    file: u32,
    name: String,
    handle: Opened,
    metadata: ArrowReaderMetadata,
    projection: ProjectionMask,
    chunk_bytes: usize,
    /// The next row group.
    group: usize,
    batches: Option<ParquetRecordBatchReader>,
    /// Bytes of the row group per row, in the file.
    row_bytes: u64,
    /// Whether the batches of the row group have one row each, which may be large.
    large: bool,
    /// Number of the next record.
    record: u32,
}

impl ChunkReader for BatchReader {
    fn next(&mut self, any_size: bool) -> Next {
        loop {
            if !any_size && self.large {
                return Next::Large;
            }
            let next = match &mut self.batches {
                Some(batches) => guarded(|| batches.next().transpose()),
                None if self.group == self.metadata.metadata().num_row_groups() => {
                    return Next::End;
                }
                None => match self.open_group() {
                    Ok(()) => continue,
                    Err(e) => Err(e),
                },
            };
            match next {
                Ok(Some(batch)) if batch.num_rows() == 0 => {}
                Ok(Some(batch)) => return Next::Piece(self.chunk(batch).into()),
                Ok(None) => (self.batches, self.large) = (None, false),
                Err(e) => {
                    let group = self.group;
                    let words = self.handle.failure().unwrap_or_else(|| {
                        let meaning = meaning(&e);
                        format!("row group {group} of the Parquet file cannot be read: {meaning}")
                    });
                    return Next::Piece(self.give_up(words).into());
                }
            }
        }
    }
}

impl BatchReader {
    /// Reads the footer. `None` if the file is empty.
    fn open(opening: &Opening<'_>) -> OpenedReader {
        let &Opening { file, input, fields, chunk_bytes, only_fields, .. } = opening;
        let refuse = |message: String| opening.refuse(message);
        if input.size == 0 {
            return Ok(None);
        }
        let handle = open::open(input).map_err(|e| refuse(open::explain(&e)))?;
        let metadata = guarded(|| ArrowReaderMetadata::load(&handle, ArrowReaderOptions::new()))
            .map_err(|e| refuse(footer(&handle, &e)))?;
        columns::check(metadata.schema(), fields, &input.partitions)
            .map_err(|fault| ReadFailure::of_columns(file, &input.name, fault))?;
        let wanted: Vec<usize> = columns::used(metadata.schema(), fields);
        let projection = guarded(|| {
            Ok::<_, String>(match only_fields {
                true => ProjectionMask::roots(metadata.parquet_schema(), wanted),
                false => ProjectionMask::all(),
            })
        })
        .map_err(|e| refuse(footer(&handle, &e)))?;
        let columns = (0..metadata.parquet_schema().num_columns())
            .filter(|&column| projection.leaf_included(column))
            .count();
        let handle = open::open_columns(input, columns).map_err(|e| refuse(open::explain(&e)))?;
        Ok(Some(Box::new(Self {
            file,
            name: input.name.clone(),
            handle,
            metadata,
            projection,
            chunk_bytes,
            group: 0,
            batches: None,
            row_bytes: 0,
            large: false,
            record: 1,
        })))
    }

    fn open_group(&mut self) -> Result<(), String> {
        let group = self.group;
        self.group += 1;
        let of_group = self.metadata.metadata().row_group(group);
        let longest = guarded(|| Ok::<_, String>(longest_row(&self.handle, of_group)))?;
        let rows = rows_of_batch(of_group, self.chunk_bytes, longest);
        self.large = rows == 1;
        let count = u64::try_from(of_group.num_rows()).unwrap_or(0).max(1);
        let sizes = of_group.columns().iter().map(|column| column.compressed_size().max(0));
        let bytes = sizes.fold(0, i64::saturating_add);
        self.row_bytes = u64::try_from(bytes).unwrap_or(0) / count;
        let handle = self.handle.try_clone().map_err(|e| e.to_string())?;
        let (metadata, projection) = (self.metadata.clone(), self.projection.clone());
        let batches = guarded(|| {
            let pages = Pages::new(handle, of_group);
            ParquetRecordBatchReaderBuilder::new_with_metadata(pages, metadata)
                .with_row_groups(vec![group])
                .with_batch_size(rows)
                .with_projection(projection)
                .build()
        })?;
        self.batches = Some(batches);
        Ok(())
    }

    fn chunk(&mut self, batch: RecordBatch) -> Result<Chunk, ReadFailure> {
        Chunk::of_rows(self.file, &mut self.record, self.row_bytes, batch)
            .map_err(|message| self.give_up(message))
    }

    fn give_up(&mut self, message: String) -> ReadFailure {
        (self.batches, self.large) = (None, false);
        self.group = self.metadata.metadata().num_row_groups();
        ReadFailure::of_file(self.file, &self.name, None, message)
    }
}

/// The message for a footer that cannot be read.
fn footer(handle: &Opened, error: &str) -> String {
    let words = || format!("the Parquet footer cannot be read: {}", meaning(error));
    handle.failure().unwrap_or_else(words)
}

/// As many rows as fit in a chunk if all were of the same size, and in that of a large record if all had
/// the longest values of the dictionaries, which take `longest_row` bytes.
fn rows_of_batch(group: &RowGroupMetaData, chunk_bytes: usize, longest_row: u64) -> usize {
    // Dictionaries make the encoded size smaller than that of a batch; some writers record the
    // latter.
    let unencoded: i64 = group
        .columns()
        .iter()
        .map(|column| column.unencoded_byte_array_data_bytes().unwrap_or(0).max(0))
        .fold(0, i64::saturating_add);
    let bytes = u64::try_from(group.total_byte_size().max(unencoded)).unwrap_or(0);
    let rows = u64::try_from(group.num_rows()).unwrap_or(0).max(1);
    let row_bytes = (bytes / rows).max(1);
    let most = (LARGE as u64 / longest_row.max(1)).clamp(1, ROWS);
    (chunk_bytes as u64 / row_bytes).clamp(1, most) as usize
}

/// The decoder's message in plain words, and what to do.
fn meaning(words: &str) -> String {
    // Each layer prefixes its name.
    const LAYERS: &[&str] =
        &["Parquet error: ", "Parquet argument error: ", "Arrow: ", "External: ", "EOF: "];
    let mut inner = words;
    while let Some(rest) = LAYERS.iter().find_map(|layer| inner.strip_prefix(layer)) {
        inner = rest;
    }
    let says = |part: &str| inner.contains(part);
    if says("Corrupt footer") || says("file too small") {
        "the end of the file is not that of a Parquet file: cut off, or of another form; get the \
         whole file"
            .to_string()
    } else if says("a page") && says("unpacks to") {
        inner.to_string()
    } else if says("encrypt") {
        "it is encrypted; give it decrypted".to_string()
    } else if words.starts_with("NYI") || says("Disabled feature") || says("not supported") {
        format!("it uses what is not read yet ({inner}); write it again with zstd or snappy")
    } else {
        format!("damaged ({inner}); get a good copy of the file")
    }
}

#[cfg(test)]
mod tests {
    use super::meaning;

    #[test]
    fn what_the_decoder_says_is_put_in_plain_words() {
        for (words, expected) in [
            ("Parquet error: Invalid Parquet file. Corrupt footer", "cut off"),
            ("EOF: Parquet file too small. Size is 9 but need 2147483655", "cut off"),
            ("Parquet error: Parquet file has an encrypted footer but", "is encrypted"),
            ("NYI: Encoding BIT_PACKED is not supported", "not read yet (NYI: Encoding BIT_PACKED"),
            ("External: Disabled feature at compile time: lzo", "not read yet (Disabled feature"),
            ("Parquet argument error: External: snappy: corrupt", "damaged (snappy: corrupt)"),
            ("the decoder failed on it", "damaged (the decoder failed on it)"),
        ] {
            let said = meaning(words);
            assert!(said.contains(expected), "{words}: {said}");
            assert!(said.contains("; "), "what to do: {said}");
        }
    }
}
