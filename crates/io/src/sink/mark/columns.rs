//! Marks in Arrow batches.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

use super::{MarkKind, MarkNames, Refusal};
use crate::MarkValue;

/// The schema with the columns at its end.
pub(crate) fn marked_schema(schema: &Schema, names: &MarkNames) -> Result<SchemaRef, Refusal> {
    let mut fields = schema.fields().to_vec();
    for (name, kind) in names.fields() {
        if schema.column_with_name(name).is_some() {
            return Err(Refusal::Taken(name.clone()));
        }
        let kind = match kind {
            MarkKind::Text => DataType::Utf8,
            MarkKind::Count => DataType::Int64,
            MarkKind::Ratio => DataType::Float64,
            MarkKind::Flag => DataType::Boolean,
        };
        fields.push(Arc::new(Field::new(name, kind, true)));
    }
    Ok(Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone())))
}

/// The batch with a mark beside each of its rows.
pub(crate) fn marked_batch(
    batch: &RecordBatch,
    schema: SchemaRef,
    names: &MarkNames,
    marks: &[Vec<MarkValue<'_>>],
) -> Result<RecordBatch, ArrowError> {
    let mut columns: Vec<ArrayRef> = batch.columns().to_vec();
    for (at, (_, kind)) in names.fields().iter().enumerate() {
        let values = marks.iter().map(|mark| mark.get(at).copied().unwrap_or(MarkValue::Missing));
        columns.push(column(*kind, values));
    }
    RecordBatch::try_new(schema, columns)
}

/// A column of values of one kind; others are null.
fn column<'a>(kind: MarkKind, values: impl Iterator<Item = MarkValue<'a>>) -> ArrayRef {
    match kind {
        MarkKind::Text => Arc::new(
            values
                .map(|value| match value {
                    MarkValue::Text(text) => Some(text),
                    _ => None,
                })
                .collect::<StringArray>(),
        ),
        MarkKind::Count => Arc::new(
            values
                .map(|value| match value {
                    MarkValue::Count(count) => Some(count.cast_signed()),
                    _ => None,
                })
                .collect::<Int64Array>(),
        ),
        MarkKind::Ratio => Arc::new(
            values
                .map(|value| match value {
                    MarkValue::Ratio(ratio) => Some(ratio),
                    _ => None,
                })
                .collect::<Float64Array>(),
        ),
        MarkKind::Flag => Arc::new(
            values
                .map(|value| match value {
                    MarkValue::Flag(flag) => Some(flag),
                    _ => None,
                })
                .collect::<BooleanArray>(),
        ),
    }
}
