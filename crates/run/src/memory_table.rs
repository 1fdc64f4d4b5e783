//! A result table in memory.

use crate::LookalikeError;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use lookalike_decide::tables::all_tables;
use lookalike_io::table::{Cell, Column, ColumnKind, TableWriter};
use std::sync::Arc;

/// A result table, with the columns of the table of that name in a result directory.
#[derive(Debug, Clone, Default)]
pub struct ResultTable {
    pub(crate) columns: Vec<Column>,
    pub(crate) batches: Vec<RecordBatch>,
}

impl ResultTable {
    /// The columns, also of a table that the call did not make: then there are none.
    #[must_use]
    pub fn schema(&self) -> SchemaRef {
        self.batches.first().map_or_else(|| Schema::empty().into(), RecordBatch::schema)
    }

    /// The rows as Arrow record batches.
    #[must_use]
    pub fn batches(&self) -> &[RecordBatch] {
        &self.batches
    }

    /// The table with these rows.
    ///
    /// # Errors
    /// A column that no result table has.
    pub(crate) fn of_batches(batches: Vec<RecordBatch>) -> Result<Self, LookalikeError> {
        let known: Vec<Column> = all_tables().into_iter().flat_map(|(_, all)| all).collect();
        let schema = batches.first().map(RecordBatch::schema);
        let fields = schema.iter().flat_map(|schema| schema.fields());
        let column = |field: &Arc<Field>| {
            let found = known.iter().find(|column| {
                let kind = match column.kind {
                    ColumnKind::Text => DataType::Utf8,
                    ColumnKind::Count => DataType::Int64,
                    ColumnKind::Ratio => DataType::Float64,
                };
                column.name == field.name() && kind == *field.data_type()
            });
            found.copied().ok_or_else(|| {
                let name = field.name();
                LookalikeError::Settings(format!("no result table has a column `{name}`"))
            })
        };
        Ok(Self { columns: fields.map(column).collect::<Result<_, _>>()?, batches })
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes the rows.
    pub(crate) fn rows_into(&self, writer: &mut TableWriter) -> Result<(), LookalikeError> {
        let mut cells = Vec::with_capacity(self.columns.len());
        for batch in &self.batches {
            for at in 0..batch.num_rows() {
                cells.clear();
                cells.extend((0..self.columns.len()).map(|column| self.cell(batch, column, at)));
                writer.row(&cells)?;
            }
        }
        Ok(())
    }

    fn cell<'b>(&self, batch: &'b RecordBatch, column: usize, at: usize) -> Cell<'b> {
        let values = batch.column(column);
        if values.is_null(at) {
            return Cell::Null;
        }
        match self.columns[column].kind {
            ColumnKind::Text => Cell::Text(values.as_string::<i32>().value(at)),
            // Made of a count, so never negative.
            ColumnKind::Count => Cell::Count(values.as_primitive::<Int64Type>().value(at) as u64),
            ColumnKind::Ratio => Cell::Ratio(values.as_primitive::<Float64Type>().value(at)),
        }
    }
}
