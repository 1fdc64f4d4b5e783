//! Tables as Parquet.

use std::path::{Path, PathBuf};

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_schema::Field;
use parquet::arrow::arrow_writer::{ArrowWriter, ArrowWriterOptions};
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use super::arrow_rows::{ArrowRows, BATCH_ROWS, data_type};
use super::{Cell, Column, ColumnKind, Value};
use crate::sink::{OutputError, OutputFile};

pub(super) struct ParquetTable {
    path: PathBuf,
    rows: ArrowRows,
    writer: ArrowWriter<OutputFile>,
}

impl ParquetTable {
    pub(super) fn create(path: PathBuf, columns: &[Column]) -> Result<Self, OutputError> {
        let rows = ArrowRows::new(columns);
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_row_count(Some(BATCH_ROWS))
            .build();
        let options =
            ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
        let file = OutputFile::create(path.clone())?;
        let writer = ArrowWriter::try_new_with_options(file, rows.schema(), options)
            .map_err(|e| OutputError::parquet(&path, e))?;
        Ok(Self { path, rows, writer })
    }

    /// Appends a row; its cells fit their columns.
    pub(super) fn push(&mut self, row: &[Cell<'_>]) -> Result<(), OutputError> {
        match self.rows.push(row) {
            true => self.flush(),
            false => Ok(()),
        }
    }

    fn flush(&mut self) -> Result<(), OutputError> {
        self.rows
            .take()
            .map_err(Into::into)
            .and_then(|batch| self.writer.write(&batch))
            .map_err(|e| OutputError::parquet(&self.path, e))
    }

    /// Ends the file and returns its size.
    pub(super) fn close(mut self) -> Result<u64, OutputError> {
        if !self.rows.is_empty() {
            self.flush()?;
        }
        let path = self.path;
        self.writer.into_inner().map_err(|e| OutputError::parquet(&path, e))?.close()
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
