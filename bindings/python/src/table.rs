//! Result tables, which every library that speaks Arrow can take.

use crate::array::{Array, row_number, value_at};
use crate::ipc;
use arrow_array::{ArrayRef, RecordBatch, StructArray, UInt64Array};
use arrow_schema::{Field, SchemaRef};
use arrow_select::concat::concat_batches;
use arrow_select::take::take_record_batch;
use lookalike::results::{ResultTable, TableFormat};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::slice::PySliceIndices;
use pyo3::types::{PyCapsule, PyDict, PyList, PySlice, PyString, PyTuple};
use pyo3_arrow::PyRecordBatchReader;
use pyo3_arrow::ffi::{ArrayIterator, to_schema_pycapsule, to_stream_pycapsule};
use std::sync::Arc;

/// The table format of this name.
pub(crate) fn table_format(name: &str) -> PyResult<TableFormat> {
    let found = TableFormat::ALL.into_iter().find(|format| format.extension() == name);
    found.ok_or_else(|| PyValueError::new_err(format!("tables={name:?}: parquet, tsv or jsonl")))
}

/// What a function of `lookalike._table` makes of a table.
fn in_python<'py>(table: &Bound<'py, Table>, function: &str) -> PyResult<Bound<'py, PyAny>> {
    table.py().import("lookalike._table")?.call_method1(function, (table,))
}

/// A table of a result. It holds Arrow memory: `pyarrow.table(t)`, `polars.DataFrame(t)` and others
/// take it without a copy.
#[pyclass(frozen, module = "lookalike")]
pub(crate) struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Table {
    pub(crate) fn of(table: &ResultTable) -> Self {
        Self { schema: table.schema(), batches: table.batches().to_vec() }
    }

    pub(crate) fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        Self { schema, batches }
    }

    /// A table of batches with the same columns; none of no batches.
    pub(crate) fn of_batches(batches: Vec<RecordBatch>) -> Option<Self> {
        Some(Self::new(batches.first()?.schema(), batches))
    }

    /// A table of columns of equal lengths, whose values may be null.
    pub(crate) fn of_arrays<N: AsRef<str>>(
        columns: impl IntoIterator<Item = (N, ArrayRef)>,
    ) -> PyResult<Self> {
        let columns = columns.into_iter().map(|(name, column)| (name, column, true));
        let batch = RecordBatch::try_from_iter_with_nullable(columns);
        let batch = batch.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self { schema: batch.schema(), batches: vec![batch] })
    }

    fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// Some of the rows; without a copy if they follow each other.
    fn slice(&self, range: &PySliceIndices) -> PyResult<Self> {
        let schema = Arc::clone(&self.schema);
        let error = |error: arrow_schema::ArrowError| PyValueError::new_err(error.to_string());
        if range.step != 1 {
            let rows = (0..range.slicelength as isize).map(|at| range.start + at * range.step);
            let rows = UInt64Array::from_iter_values(rows.map(|row| row as u64));
            let whole = concat_batches(&schema, &self.batches).map_err(error)?;
            let taken = take_record_batch(&whole, &rows).map_err(error)?;
            return Ok(Self { schema, batches: vec![taken] });
        }
        let (mut before, mut left, mut batches) = (range.start as usize, range.slicelength, vec![]);
        for batch in &self.batches {
            let start = before.min(batch.num_rows());
            let rows = left.min(batch.num_rows() - start);
            (before, left) = (before - start, left - rows);
            if rows > 0 {
                batches.push(batch.slice(start, rows));
            }
        }
        Ok(Self { schema, batches })
    }

    fn index(&self, name: &str) -> PyResult<usize> {
        self.schema.index_of(name).map_err(|_| {
            let names = self.schema.fields().iter().map(|field| field.name().as_str());
            let names = names.collect::<Vec<_>>().join(", ");
            PyKeyError::new_err(format!("no column {name:?}; the columns are {names}"))
        })
    }
}

#[pymethods]
impl Table {
    /// A table of anything that has `__arrow_c_stream__`.
    #[staticmethod]
    fn from_arrow(stream: PyRecordBatchReader) -> PyResult<Self> {
        let reader = stream.into_reader()?;
        let schema = reader.schema();
        let batches = reader.collect::<Result<_, _>>();
        let batches = batches.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self { schema, batches })
    }

    /// A table of columns of equal lengths.
    #[staticmethod]
    fn of_columns(names: Vec<String>, columns: Vec<PyRef<'_, Array>>) -> PyResult<Self> {
        let columns = columns.iter().map(|column| column.array());
        Self::of_arrays(names.into_iter().zip(columns))
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let field = Field::new_struct("", self.schema.fields().clone(), false);
        let rows = self.batches.clone().into_iter();
        let rows = rows.map(|batch| Ok(Arc::new(StructArray::from(batch)) as ArrayRef));
        let reader = ArrayIterator::new(rows, Arc::new(field));
        Ok(to_stream_pycapsule(py, Box::new(reader), requested_schema)?)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, self.schema.as_ref())?)
    }

    fn __len__(&self) -> usize {
        self.rows()
    }

    /// Number of rows.
    #[getter]
    fn num_rows(&self) -> usize {
        self.rows()
    }

    /// Names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// A column by name.
    pub(crate) fn column(&self, name: &str) -> PyResult<Array> {
        let at = self.index(name)?;
        let parts: Vec<_> = self.batches.iter().map(|batch| batch.column(at).clone()).collect();
        Array::of_parts(self.schema.field(at).data_type(), &parts)
    }

    /// A column by its name, a row by its number, or some rows.
    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        at: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(name) = at.cast::<PyString>() {
            return Ok(Bound::new(py, self.column(name.to_str()?)?)?.into_any());
        }
        if let Ok(slice) = at.cast::<PySlice>() {
            let range = slice.indices(self.rows() as isize)?;
            return Ok(Bound::new(py, self.slice(&range)?)?.into_any());
        }
        let row = row_number(at.extract()?, self.rows())?;
        self.to_pylist(py, row, Some(row + 1))?.get_item(0)
    }

    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        in_python(slf, "rows")
    }

    /// The table as one of pandas.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        in_python(slf, "to_pandas")
    }

    /// The table as one of Polars, without a copy.
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        in_python(slf, "to_polars")
    }

    /// The table as one of pyarrow, without a copy.
    fn to_arrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        in_python(slf, "to_arrow")
    }

    /// The rows as dictionaries.
    #[pyo3(signature = (start = 0, stop = None))]
    fn to_pylist<'py>(
        &self,
        py: Python<'py>,
        start: usize,
        stop: Option<usize>,
    ) -> PyResult<Bound<'py, PyList>> {
        let rows = PyList::empty(py);
        let mut before = 0;
        for batch in &self.batches {
            let end = stop
                .map_or(batch.num_rows(), |stop| stop.saturating_sub(before).min(batch.num_rows()));
            for row in start.saturating_sub(before)..end {
                let values = PyDict::new(py);
                for (field, column) in self.schema.fields().iter().zip(batch.columns()) {
                    values.set_item(field.name(), value_at(py, column, row)?)?;
                }
                rows.append(values)?;
            }
            before += batch.num_rows();
        }
        Ok(rows)
    }

    /// The columns as lists by name.
    fn to_pydict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        for name in self.column_names() {
            columns.set_item(&name, self.column(&name)?.to_pylist(py)?)?;
        }
        Ok(columns)
    }

    fn __repr__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        in_python(slf, "as_text")
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        in_python(slf, "as_html")
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        let bytes = ipc::to_bytes(&slf.get().schema, &slf.get().batches)?;
        let make = slf.get_type().getattr("_from_ipc")?;
        let arguments = (pyo3::types::PyBytes::new(py, &bytes),).into_pyobject(py)?;
        (make, arguments).into_pyobject(py)
    }

    #[staticmethod]
    fn _from_ipc(bytes: &[u8]) -> PyResult<Self> {
        let (schema, batches) = ipc::of_bytes(bytes)?;
        Ok(Self { schema, batches })
    }
}
