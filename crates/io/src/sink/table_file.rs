//! Outputs of tables of record batches: in the format of their input.

use std::path::PathBuf;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use super::OutputError;

/// What outputs take from an input.
pub(crate) trait TableModel {
    fn schema(&self) -> &SchemaRef;

    /// Starts an output. `schema` differs from the input's where columns are added.
    fn create(&self, path: PathBuf, schema: SchemaRef)
    -> Result<Box<dyn TableOutput>, OutputError>;
}

/// A table being written.
pub(crate) trait TableOutput {
    fn append(&mut self, batch: &RecordBatch) -> Result<(), OutputError>;

    /// Ends the file and returns its size.
    fn close(self: Box<Self>) -> Result<u64, OutputError>;
}
