//! Arrow IPC outputs with the schema, layout and compression of their input.

use std::path::PathBuf;

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use arrow_select::concat::concat_batches;

use super::table_file::{TableModel, TableOutput};
use super::{OutputError, OutputFile};
use crate::InputFile;
use crate::guard::guarded;
use crate::source::ipc::IpcFile;

/// Rows and bytes at which a record batch is written: they are in memory until then. Rows come in
/// chunks, of which an output may take few.
const BATCH_ROWS: usize = 16 << 10;
const BATCH_BYTES: usize = 8 << 20;

/// What outputs take from an input.
#[derive(Debug)]
pub(crate) struct ArrowModel {
    schema: SchemaRef,
    is_stream: bool,
    compression: Option<CompressionType>,
}

impl ArrowModel {
    pub(crate) fn read(input: &InputFile) -> Result<Self, OutputError> {
        let file = IpcFile::open(input).map_err(|e| OutputError::input(&input.path, e))?;
        Ok(Self {
            schema: SchemaRef::clone(file.schema()),
            is_stream: file.is_stream(),
            compression: file.compression(),
        })
    }
}

impl TableModel for ArrowModel {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn create(
        &self,
        path: PathBuf,
        schema: SchemaRef,
    ) -> Result<Box<dyn TableOutput>, OutputError> {
        let file = OutputFile::create(path.clone())?;
        let writer =
            IpcWriteOptions::default().try_with_compression(self.compression).and_then(|options| {
                match self.is_stream {
                    true => StreamWriter::try_new_with_options(file, &schema, options)
                        .map(Writer::Stream),
                    false => {
                        FileWriter::try_new_with_options(file, &schema, options).map(Writer::File)
                    }
                }
            });
        let writer = writer.map_err(|e| OutputError::arrow(&path, e))?;
        Ok(Box::new(ArrowOutput { path, schema, writer, held: Vec::new(), rows: 0, bytes: 0 }))
    }
}

enum Writer {
    File(FileWriter<OutputFile>),
    Stream(StreamWriter<OutputFile>),
}

/// An Arrow file being written.
struct ArrowOutput {
    path: PathBuf,
    schema: SchemaRef,
    writer: Writer,
    /// The batch being filled.
    held: Vec<RecordBatch>,
    rows: usize,
    bytes: usize,
}

impl ArrowOutput {
    fn write(&mut self) -> Result<(), OutputError> {
        let held = std::mem::take(&mut self.held);
        (self.rows, self.bytes) = (0, 0);
        if held.is_empty() {
            return Ok(());
        }
        let batch = guarded(|| concat_batches(&self.schema, &held))
            .map_err(|e| OutputError::input(&self.path, e))?;
        let written = match &mut self.writer {
            Writer::File(writer) => writer.write(&batch),
            Writer::Stream(writer) => writer.write(&batch),
        };
        written.map_err(|e| OutputError::arrow(&self.path, e))
    }
}

impl TableOutput for ArrowOutput {
    fn append(&mut self, batch: &RecordBatch) -> Result<(), OutputError> {
        let batch = guarded(|| compact(batch)).map_err(|e| OutputError::input(&self.path, e))?;
        self.rows += batch.num_rows();
        self.bytes += batch.columns().iter().map(size).sum::<usize>();
        self.held.push(batch);
        if self.rows < BATCH_ROWS && self.bytes < BATCH_BYTES {
            return Ok(());
        }
        self.write()
    }

    fn close(mut self: Box<Self>) -> Result<u64, OutputError> {
        self.write()?;
        let path = self.path;
        let file = match self.writer {
            Writer::File(writer) => writer.into_inner(),
            Writer::Stream(writer) => writer.into_inner(),
        };
        file.map_err(|e| OutputError::arrow(&path, e))?.close()
    }
}

/// Bytes of the rows of a column.
fn size(column: &ArrayRef) -> usize {
    let all = column.get_array_memory_size();
    column.to_data().get_slice_memory_size().map_or(all, |slice| slice.min(all))
}

/// The batch without the parts of views that none of its rows has: the writer writes all of them.
fn compact(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    use arrow_array::cast::AsArray;
    let column = |column: &ArrayRef| -> ArrayRef {
        match column.data_type() {
            DataType::Utf8View => std::sync::Arc::new(column.as_string_view().gc()),
            DataType::BinaryView => std::sync::Arc::new(column.as_binary_view().gc()),
            _ => ArrayRef::clone(column),
        }
    };
    RecordBatch::try_new(batch.schema(), batch.columns().iter().map(column).collect())
}
