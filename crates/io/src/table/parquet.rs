//! Tables as Parquet.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::builder::{Float64Builder, Int64Builder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::arrow_writer::{ArrowWriter, ArrowWriterOptions};
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use super::{Cell, Column, ColumnKind, Value};
use crate::sink::{OutputError, OutputFile};

/// Rows in a row group, which is in memory until it is full.
const ROW_GROUP_ROWS: usize = 1 << 16;
/// Bytes of text after which rows are passed to the encoder before the row group is full, far below
/// the 2 GiB limit of an Arrow column of text.
const BATCH_BYTES: usize = 1 << 24;

pub(super) struct ParquetTable {
    path: PathBuf,
    schema: SchemaRef,
    builders: Vec<Builder>,
    rows: usize,
    bytes: usize,
    writer: ArrowWriter<OutputFile>,
}

enum Builder {
    Text(StringBuilder),
    Count(Int64Builder),
    Ratio(Float64Builder),
}

impl ParquetTable {
    pub(super) fn create(path: PathBuf, columns: &[Column]) -> Result<Self, OutputError> {
        let fields: Vec<_> = columns
            .iter()
            .map(|column| Field::new(column.name, data_type(column.kind), true))
            .collect();
        let schema = Arc::new(Schema::new(fields));
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_row_count(Some(ROW_GROUP_ROWS))
            .build();
        let options =
            ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
        let file = OutputFile::create(path.clone())?;
        let writer = ArrowWriter::try_new_with_options(file, Arc::clone(&schema), options)
            .map_err(|e| OutputError::parquet(&path, e))?;
        let builders = columns
            .iter()
            .map(|column| match column.kind {
                ColumnKind::Text => Builder::Text(StringBuilder::new()),
                ColumnKind::Count => Builder::Count(Int64Builder::new()),
                ColumnKind::Ratio => Builder::Ratio(Float64Builder::new()),
            })
            .collect();
        Ok(Self { path, schema, builders, rows: 0, bytes: 0, writer })
    }

    /// Appends a row; its cells fit their columns.
    pub(super) fn push(&mut self, row: &[Cell<'_>]) -> Result<(), OutputError> {
        for (builder, cell) in self.builders.iter_mut().zip(row) {
            match (builder, *cell) {
                (Builder::Text(builder), Cell::Text(text)) => {
                    self.bytes += text.len();
                    builder.append_value(text);
                }
                (Builder::Text(builder), _) => builder.append_null(),
                (Builder::Count(builder), Cell::Count(count)) => {
                    builder.append_option(i64::try_from(count).ok());
                }
                (Builder::Count(builder), _) => builder.append_null(),
                (Builder::Ratio(builder), Cell::Ratio(ratio)) if ratio.is_finite() => {
                    builder.append_value(ratio);
                }
                (Builder::Ratio(builder), _) => builder.append_null(),
            }
        }
        self.rows += 1;
        match self.rows == ROW_GROUP_ROWS || self.bytes >= BATCH_BYTES {
            true => self.flush(),
            false => Ok(()),
        }
    }

    fn flush(&mut self) -> Result<(), OutputError> {
        let columns = self
            .builders
            .iter_mut()
            .map(|builder| match builder {
                Builder::Text(builder) => Arc::new(builder.finish()) as ArrayRef,
                Builder::Count(builder) => Arc::new(builder.finish()),
                Builder::Ratio(builder) => Arc::new(builder.finish()),
            })
            .collect();
        (self.rows, self.bytes) = (0, 0);
        RecordBatch::try_new(Arc::clone(&self.schema), columns)
            .map_err(Into::into)
            .and_then(|batch| self.writer.write(&batch))
            .map_err(|e| OutputError::parquet(&self.path, e))
    }

    /// Ends the file and returns its size.
    pub(super) fn close(mut self) -> Result<u64, OutputError> {
        if self.rows > 0 {
            self.flush()?;
        }
        let path = self.path;
        self.writer.into_inner().map_err(|e| OutputError::parquet(&path, e))?.close()
    }
}

fn data_type(kind: ColumnKind) -> DataType {
    match kind {
        ColumnKind::Text => DataType::Utf8,
        ColumnKind::Count => DataType::Int64,
        ColumnKind::Ratio => DataType::Float64,
    }
}

/// Whether a Parquet column can hold the values of a kind.
pub(super) fn fits(field: &Field, kind: ColumnKind) -> bool {
    *field.data_type() == data_type(kind)
}

/// A value of a batch whose columns fit their kinds.
pub(super) fn value(column: &dyn Array, row: usize, kind: ColumnKind) -> Result<Value, String> {
    if column.is_null(row) {
        return Ok(Value::Null);
    }
    match kind {
        ColumnKind::Text => Ok(Value::Text(column.as_string::<i32>().value(row).to_string())),
        ColumnKind::Count => u64::try_from(column.as_primitive::<Int64Type>().value(row))
            .map(Value::Count)
            .map_err(|_| "a count is negative".to_string()),
        ColumnKind::Ratio => Ok(Value::Ratio(column.as_primitive::<Float64Type>().value(row))),
    }
}

/// The path of a table: appends the extension of its format.
pub(super) fn with_extension(path: &Path, extension: &str) -> PathBuf {
    let mut path = path.as_os_str().to_os_string();
    path.push(".");
    path.push(extension);
    PathBuf::from(path)
}
