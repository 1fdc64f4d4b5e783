//! Answers as bytes, for pickles.

use crate::{errors, ipc};
use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{RecordBatch, StringArray, UInt64Array};
use lookalike::{
    Answer,
    answer::{AnswerParts, Place},
    input::Problem,
    results::ResultTable,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;

/// The parts of an answer: summary, problems, rows, and the tables.
pub(crate) fn to_bytes(answer: &Answer) -> PyResult<Vec<Vec<u8>>> {
    let wrong = |error: &dyn std::fmt::Display| PyValueError::new_err(error.to_string());
    let summary = answer.summary.to_json().map_err(|error| wrong(&error))?;
    let problems = serde_json::to_vec(&answer.problems).map_err(|error| wrong(&error))?;
    let place = |place: &Place| u64::from(place.file) << 32 | u64::from(place.record);
    let places = UInt64Array::from_iter_values(answer.kept().iter().map(place));
    let records = StringArray::from(vec![answer.records().map(|records| records.to_string())]);
    let column = |name, array| RecordBatch::try_from_iter_with_nullable([(name, array, true)]);
    let places = column("kept", Arc::new(places) as _).map_err(|error| wrong(&error))?;
    let records = column("records", Arc::new(records) as _).map_err(|error| wrong(&error))?;
    let mut parts = vec![summary.into_bytes(), problems];
    for batch in [places, records] {
        parts.push(ipc::to_bytes(&batch.schema(), &[batch])?);
    }
    for table in [answer.ledger(), answer.pairs(), answer.clusters(), answer.documents()] {
        parts.push(table_bytes(table)?);
    }
    Ok(parts)
}

/// Nothing for a table that the call did not make.
fn table_bytes(table: &ResultTable) -> PyResult<Vec<u8>> {
    match table.batches() {
        [] => Ok(Vec::new()),
        batches => ipc::to_bytes(&table.schema(), batches),
    }
}

/// What [`to_bytes`] wrote.
pub(crate) fn of_bytes(py: Python<'_>, parts: &[Vec<u8>]) -> PyResult<Answer> {
    let [summary, problems, places, records, tables @ ..] = parts else { return Err(damaged()) };
    let summary = serde_json::from_slice(summary).map_err(|_| damaged())?;
    let problems: Vec<Problem> = serde_json::from_slice(problems).map_err(|_| damaged())?;
    let column = |bytes: &[u8]| {
        let batch = ipc::of_bytes(bytes)?.1.into_iter().next();
        batch.map(|batch| batch.column(0).clone()).ok_or_else(damaged)
    };
    let places = column(places)?;
    let places = places.as_primitive::<UInt64Type>().values().iter();
    let kept = places.map(|&place| Place { file: (place >> 32) as u32, record: place as u32 });
    let records = column(records)?;
    let records = records.as_string::<i32>().iter().next().flatten();
    let records = records.map(str::parse).transpose().map_err(|_| damaged())?;
    let table = |bytes: &Vec<u8>| match bytes.is_empty() {
        true => Ok(Vec::new()),
        false => ipc::of_bytes(bytes).map(|(_, batches)| batches),
    };
    let tables = tables.iter().map(table).collect::<PyResult<Vec<_>>>()?;
    let tables = <[_; 4]>::try_from(tables).map_err(|_| damaged())?;
    let parts = AnswerParts { summary, problems, records, kept: kept.collect(), tables };
    Answer::of_parts(parts).map_err(|error| errors::exception(py, error))
}

fn damaged() -> PyErr {
    PyValueError::new_err("this is no pickled result of this version of lookalike")
}
