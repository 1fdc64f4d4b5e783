//! Tables as bytes, for pickles.

use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Record batches as an Arrow IPC stream.
pub(crate) fn to_bytes(schema: &SchemaRef, batches: &[RecordBatch]) -> PyResult<Vec<u8>> {
    let write = || {
        let mut writer = StreamWriter::try_new(Vec::new(), schema)?;
        batches.iter().try_for_each(|batch| writer.write(batch))?;
        writer.into_inner()
    };
    write().map_err(|error| exception(&error))
}

/// What [`to_bytes`] wrote.
pub(crate) fn of_bytes(bytes: &[u8]) -> PyResult<(SchemaRef, Vec<RecordBatch>)> {
    let reader = StreamReader::try_new(bytes, None).map_err(|error| exception(&error))?;
    let schema = reader.schema();
    let batches = reader.collect::<Result<_, _>>().map_err(|error| exception(&error))?;
    Ok((schema, batches))
}

fn exception(error: &ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}
