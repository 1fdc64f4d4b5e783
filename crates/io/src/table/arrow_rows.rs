//! Rows of a table, collected as Arrow record batches.

use std::sync::Arc;

use arrow_array::builder::{Float64Builder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

use super::{Cell, Column, ColumnKind};

/// Rows in a full batch, and in a row group of a Parquet table.
pub(super) const BATCH_ROWS: usize = 1 << 16;

/// Bytes of text after which a batch is full with fewer rows: far below the 2 GiB that an Arrow
/// column of text can hold.
const BATCH_BYTES: usize = 1 << 24;

/// The rows of one unfinished batch.
pub(super) struct ArrowRows {
    schema: SchemaRef,
    builders: Vec<Builder>,
    rows: usize,
    bytes: usize,
}

enum Builder {
    Text(StringBuilder),
    Count(Int64Builder),
    Ratio(Float64Builder),
}

impl ArrowRows {
    pub(super) fn new(columns: &[Column]) -> Self {
        let field = |column: &Column| Field::new(column.name, data_type(column.kind), true);
        let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
        let builders = columns
            .iter()
            .map(|column| match column.kind {
                ColumnKind::Text => Builder::Text(StringBuilder::new()),
                ColumnKind::Count => Builder::Count(Int64Builder::new()),
                ColumnKind::Ratio => Builder::Ratio(Float64Builder::new()),
            })
            .collect();
        Self { schema, builders, rows: 0, bytes: 0 }
    }

    pub(super) fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Appends a row, whose cells fit their columns. Returns whether the batch is full.
    pub(super) fn push(&mut self, row: &[Cell<'_>]) -> bool {
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
        self.rows == BATCH_ROWS || self.bytes >= BATCH_BYTES
    }

    /// Takes the batch; the next one begins empty.
    pub(super) fn take(&mut self) -> Result<RecordBatch, ArrowError> {
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
    }
}

pub(super) fn data_type(kind: ColumnKind) -> DataType {
    match kind {
        ColumnKind::Text => DataType::Utf8,
        ColumnKind::Count => DataType::Int64,
        ColumnKind::Ratio => DataType::Float64,
    }
}
