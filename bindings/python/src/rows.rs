//! Tables of rows that a call gives one after the other.

use crate::table::Table;
use arrow_array::builder::{BooleanBuilder, Float64Builder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;

/// Rows of a record batch at most.
const ROWS: usize = 1 << 16;

/// What a column holds.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Text,
    Count,
    Ratio,
    Flag,
}

/// A value of the kind of its column.
pub(crate) enum Value<'a> {
    Text(Option<&'a str>),
    Count(Option<u64>),
    Ratio(Option<f64>),
    Flag(bool),
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(Some(text))
    }
}

impl<'a> From<&'a Option<String>> for Value<'a> {
    fn from(text: &'a Option<String>) -> Self {
        Self::Text(text.as_deref())
    }
}

impl From<u64> for Value<'_> {
    fn from(count: u64) -> Self {
        Self::Count(Some(count))
    }
}

impl From<u32> for Value<'_> {
    fn from(count: u32) -> Self {
        Self::Count(Some(count.into()))
    }
}

impl From<Option<u32>> for Value<'_> {
    fn from(count: Option<u32>) -> Self {
        Self::Count(count.map(u64::from))
    }
}

impl From<f64> for Value<'_> {
    fn from(ratio: f64) -> Self {
        Self::Ratio(Some(ratio))
    }
}

impl From<Option<f64>> for Value<'_> {
    fn from(ratio: Option<f64>) -> Self {
        Self::Ratio(ratio)
    }
}

impl From<bool> for Value<'_> {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

enum Builder {
    Text(StringBuilder),
    Count(Int64Builder),
    Ratio(Float64Builder),
    Flag(BooleanBuilder),
}

/// Rows of a table.
pub(crate) struct Rows {
    schema: SchemaRef,
    builders: Vec<Builder>,
    waiting: usize,
    batches: Vec<RecordBatch>,
}

impl Rows {
    /// No rows yet.
    pub(crate) fn new(columns: &[(&str, Kind)]) -> Self {
        let kind = |kind: Kind| match kind {
            Kind::Text => (DataType::Utf8, Builder::Text(StringBuilder::new())),
            Kind::Count => (DataType::Int64, Builder::Count(Int64Builder::new())),
            Kind::Ratio => (DataType::Float64, Builder::Ratio(Float64Builder::new())),
            Kind::Flag => (DataType::Boolean, Builder::Flag(BooleanBuilder::new())),
        };
        let mut fields = Vec::with_capacity(columns.len());
        let mut builders = Vec::with_capacity(columns.len());
        for &(name, of) in columns {
            let (data_type, builder) = kind(of);
            fields.push(Field::new(name, data_type, true));
            builders.push(builder);
        }
        Self { schema: Arc::new(Schema::new(fields)), builders, waiting: 0, batches: Vec::new() }
    }

    /// Adds a row.
    pub(crate) fn push<const N: usize>(&mut self, values: [Value<'_>; N]) {
        assert_eq!(N, self.builders.len(), "as many values as columns");
        for (builder, value) in self.builders.iter_mut().zip(values) {
            match (builder, value) {
                (Builder::Text(builder), Value::Text(text)) => builder.append_option(text),
                (Builder::Count(builder), Value::Count(count)) => {
                    builder.append_option(count.map(|count| count as i64));
                }
                (Builder::Ratio(builder), Value::Ratio(ratio)) => builder.append_option(ratio),
                (Builder::Flag(builder), Value::Flag(flag)) => builder.append_value(flag),
                _ => unreachable!("values of the kinds of their columns"),
            }
        }
        self.waiting += 1;
        if self.waiting == ROWS {
            self.end_batch();
        }
    }

    fn end_batch(&mut self) {
        let finish = |builder: &mut Builder| -> ArrayRef {
            match builder {
                Builder::Text(builder) => Arc::new(builder.finish()),
                Builder::Count(builder) => Arc::new(builder.finish()),
                Builder::Ratio(builder) => Arc::new(builder.finish()),
                Builder::Flag(builder) => Arc::new(builder.finish()),
            }
        };
        let columns = self.builders.iter_mut().map(finish).collect();
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns);
        self.batches.push(batch.expect("columns of the schema, of one length"));
        self.waiting = 0;
    }

    /// The table of all rows.
    pub(crate) fn into_table(mut self) -> Table {
        if self.waiting > 0 {
            self.end_batch();
        }
        Table::new(self.schema, self.batches)
    }
}

/// JSON for the package's Python code.
pub(crate) fn json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyValueError::new_err(error.to_string()))
}
