//! Marks in Arrow batches.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

use super::{FIELDS, MarkNames, Refusal};
use crate::Mark;

/// The schema with the columns at its end.
pub(crate) fn marked_schema(schema: &Schema, names: &MarkNames) -> Result<SchemaRef, Refusal> {
    for name in names.all() {
        if schema.column_with_name(name).is_some() {
            return Err(Refusal::Taken(name.to_string()));
        }
    }
    let types: [DataType; FIELDS] = [
        DataType::Utf8,
        DataType::Utf8,
        DataType::Int64,
        DataType::Float64,
        DataType::Int64,
        DataType::Boolean,
        DataType::Int64,
    ];
    let mut fields = schema.fields().to_vec();
    for (name, kind) in names.all().into_iter().zip(types) {
        fields.push(Arc::new(Field::new(name, kind, true)));
    }
    Ok(Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone())))
}

/// The batch with a mark beside each of its rows.
pub(crate) fn marked_batch(
    batch: &RecordBatch,
    schema: SchemaRef,
    marks: &[Mark<'_>],
) -> Result<RecordBatch, ArrowError> {
    let mut columns: Vec<ArrayRef> = batch.columns().to_vec();
    columns.push(Arc::new(marks.iter().map(|m| m.duplicate_of).collect::<StringArray>()));
    columns.push(Arc::new(marks.iter().map(|m| m.duplicate_of_file).collect::<StringArray>()));
    let records = marks.iter().map(|m| m.duplicate_of_record.map(i64::from));
    columns.push(Arc::new(records.collect::<Int64Array>()));
    columns.push(Arc::new(marks.iter().map(|m| m.resemblance).collect::<Float64Array>()));
    columns.push(Arc::new(
        marks.iter().map(|m| m.cluster.map(u64::cast_signed)).collect::<Int64Array>(),
    ));
    let removed: BooleanArray = marks.iter().map(|m| Some(m.is_duplicate)).collect();
    columns.push(Arc::new(removed));
    let represented = marks.iter().map(|m| m.duplicates.map(i64::from));
    columns.push(Arc::new(represented.collect::<Int64Array>()));
    RecordBatch::try_new(schema, columns)
}
