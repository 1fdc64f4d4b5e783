//! Arrow IPC: a file (Feather version 2), or a stream, read in record batches.
//!
//! A batch of the file, or the next rows of a large one, is decoded and then cut into chunks by its
//! texts, so chunks are the same in every reading.

use std::collections::VecDeque;

use arrow_array::RecordBatch;

use crate::guard::guarded;
use crate::input::format::{About, Packing, Structure};
use crate::sink::arrow_file::ArrowModel;
use crate::source::ipc::IpcFile;
use crate::source::{Chunk, LARGE, Next, columns, cut_batch};
use crate::{FieldNames, Format, ReadFailure};

use super::columns::Columns;
use super::item::{ChunkReader, FormatItem, OpenedReader, Opening, Reading};

static ARROW: About = About {
    name: "arrow",
    extensions: &["arrow", "feather"],
    aliases: &["arrows", "ipc"],
    structure: Structure::Columns,
    packing: Packing::Own("Arrow files compress their own buffers; unpack it"),
    unit: "a row",
    ..About::DOCUMENT
};

pub(super) const FORMATS: &[FormatItem] =
    &[FormatItem { about: &ARROW, reading: Reading::Records(&COLUMNS) }];

static COLUMNS: Columns = Columns {
    open: ArrowReader::open,
    model: |input| match input.size {
        // An empty file has no schema.
        0 => Ok(None),
        _ => Ok(Some(Box::new(ArrowModel::read(input)?))),
    },
};

impl Format {
    /// Arrow IPC: a file (Feather version 2), or a stream.
    pub const ARROW: Self = Self(&ARROW);
}

/// Most rows of a chunk.
const ROWS: usize = 1024;

/// Reads one file.
struct ArrowReader {
    file: u32,
    name: String,
    messages: IpcFile,
    fields: FieldNames,
    chunk_bytes: usize,
    /// The rest of the batch that was read last, cut into chunks.
    cut: VecDeque<RecordBatch>,
    /// Bytes in the file per row of that batch.
    row_bytes: u64,
    /// Number of the next record.
    record: u32,
}

impl ChunkReader for ArrowReader {
    fn next(&mut self, any_size: bool) -> Next {
        loop {
            if let Some(batch) = self.cut.pop_front() {
                return Next::Piece(self.chunk(batch).into());
            }
            let Some(bytes) = self.messages.next_bytes() else { return Next::End };
            if !any_size && bytes > LARGE as u64 {
                return Next::Large;
            }
            let read = self.messages.read().and_then(|batch| {
                let Some(batch) = batch else { return Ok(VecDeque::new()) };
                self.row_bytes = bytes / (batch.num_rows() as u64).max(1);
                let cut =
                    || Ok::<_, String>(cut_batch(&batch, &self.fields, self.chunk_bytes, ROWS));
                guarded(cut).map(VecDeque::from)
            });
            match read {
                Ok(cut) => self.cut = cut,
                Err(message) => return Next::Piece(self.give_up(message).into()),
            }
        }
    }
}

impl ArrowReader {
    /// Reads the schema. `None` if the file is empty.
    fn open(opening: &Opening<'_>) -> OpenedReader {
        let &Opening { file, input, fields, options, chunk_bytes, .. } = opening;
        if input.size == 0 {
            return Ok(None);
        }
        let messages = IpcFile::open(input).map_err(|message| opening.refuse(message))?;
        columns::check(messages.schema(), fields, &input.partitions)
            .map_err(|fault| ReadFailure::of_columns(file, &input.name, fault))?;
        Ok(Some(Box::new(Self {
            file,
            name: input.name.clone(),
            messages,
            fields: options.fields.clone(),
            chunk_bytes,
            cut: VecDeque::new(),
            row_bytes: 0,
            record: 1,
        })))
    }

    fn chunk(&mut self, batch: RecordBatch) -> Result<Chunk, ReadFailure> {
        Chunk::of_rows(self.file, &mut self.record, self.row_bytes, batch)
            .map_err(|message| self.give_up(message))
    }

    fn give_up(&mut self, message: String) -> ReadFailure {
        self.cut.clear();
        self.messages.end();
        ReadFailure::of_file(self.file, &self.name, None, message)
    }
}
