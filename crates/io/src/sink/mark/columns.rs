//! Marks in Arrow batches.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

use super::{MarkNames, Refusal};
use crate::Mark;

/// The schema with the three columns at its end.
pub(in crate::sink) fn marked_schema(
    schema: &Schema,
    names: &MarkNames,
) -> Result<SchemaRef, Refusal> {
    let [duplicate_of, resemblance, cluster] = names.all();
    for name in names.all() {
        if schema.column_with_name(name).is_some() {
            return Err(Refusal::Taken(name.to_string()));
        }
    }
    let mut fields = schema.fields().to_vec();
    fields.push(Arc::new(Field::new(duplicate_of, DataType::Utf8, true)));
    fields.push(Arc::new(Field::new(resemblance, DataType::Float64, true)));
    fields.push(Arc::new(Field::new(cluster, DataType::Utf8, true)));
    Ok(Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone())))
}

/// The batch with a mark beside each of its rows.
pub(in crate::sink) fn marked_batch(
    batch: &RecordBatch,
    schema: SchemaRef,
    marks: &[Mark<'_>],
) -> Result<RecordBatch, ArrowError> {
    let mut columns: Vec<ArrayRef> = batch.columns().to_vec();
    columns.push(Arc::new(marks.iter().map(|m| m.duplicate_of).collect::<StringArray>()));
    columns.push(Arc::new(marks.iter().map(|m| m.resemblance).collect::<Float64Array>()));
    columns.push(Arc::new(marks.iter().map(|m| m.cluster).collect::<StringArray>()));
    RecordBatch::try_new(schema, columns)
}
