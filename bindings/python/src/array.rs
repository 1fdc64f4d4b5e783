//! Columns of results.

use crate::ipc;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type, UInt32Type, UInt64Type};
use arrow_array::{Array as _, ArrayRef, RecordBatch, new_empty_array};
use arrow_schema::{DataType, Field};
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyIterator, PyList, PySlice, PyTuple};
use pyo3_arrow::PyArray;
use pyo3_arrow::ffi::{to_array_pycapsules, to_schema_pycapsule};
use std::sync::Arc;

/// A column: row numbers, a mask, or one of a table. It holds Arrow memory: `pyarrow.array(a)`,
/// `polars.Series(a)` and `numpy.asarray(a)` take it.
#[pyclass(frozen, sequence, module = "lookalike")]
pub(crate) struct Array(ArrayRef);

impl Array {
    pub(crate) fn new(array: ArrayRef) -> Self {
        Self(array)
    }

    /// The parts of a column behind each other.
    pub(crate) fn of_parts(kind: &DataType, parts: &[ArrayRef]) -> PyResult<Self> {
        match parts {
            [] => Ok(Self(new_empty_array(kind))),
            [part] => Ok(Self(Arc::clone(part))),
            parts => {
                let parts: Vec<_> = parts.iter().map(AsRef::as_ref).collect();
                let whole = arrow_select::concat::concat(&parts);
                whole.map(Self).map_err(|error| PyValueError::new_err(error.to_string()))
            }
        }
    }

    pub(crate) fn array(&self) -> ArrayRef {
        Arc::clone(&self.0)
    }

    fn field(&self) -> Field {
        Field::new("", self.0.data_type().clone(), self.0.is_nullable())
    }
}

/// The number of a row of so many; negative ones count from the end.
///
/// # Errors
/// There is no such row.
pub(crate) fn row_number(at: isize, length: usize) -> PyResult<usize> {
    let row = if at < 0 { at.checked_add_unsigned(length) } else { Some(at) };
    let row = row.and_then(|row| usize::try_from(row).ok()).filter(|row| *row < length);
    row.ok_or_else(|| PyIndexError::new_err(format!("row {at} of {length}")))
}

#[pymethods]
impl Array {
    /// An array of anything that has `__arrow_c_array__`.
    #[staticmethod]
    fn from_arrow(array: PyArray) -> Self {
        Self(array.into_inner().0)
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        Ok(to_array_pycapsules(py, Arc::new(self.field()), &self.0, requested_schema)?)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, self.field())?)
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        at: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Ok(slice) = at.cast::<PySlice>() else {
            return value_at(py, &self.0, row_number(at.extract()?, self.0.len())?);
        };
        let range = slice.indices(self.0.len() as isize)?;
        if range.step != 1 {
            return self.to_pylist(py)?.into_any().get_item(at);
        }
        let part = self.0.slice(range.start as usize, range.slicelength);
        Ok(Bound::new(py, Self(part))?.into_any())
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.to_pylist(py)?.try_iter()
    }

    /// The values as Python objects.
    pub(crate) fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let values: Vec<_> =
            (0..self.0.len()).map(|row| value_at(py, &self.0, row)).collect::<PyResult<_>>()?;
        PyList::new(py, values)
    }

    /// The values as a NumPy array, which needs NumPy. Missing numbers are NaN.
    fn to_numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let numpy = py.import("numpy")?;
        let array = &self.0;
        let (bytes, kind): (Vec<u8>, &str) = match array.data_type() {
            DataType::Boolean => (
                array.as_boolean().iter().map(|value| value == Some(true)).map(u8::from).collect(),
                "bool",
            ),
            DataType::UInt64 if array.null_count() == 0 => {
                let values = array.as_primitive::<UInt64Type>().values();
                (values.iter().flat_map(|value| value.to_ne_bytes()).collect(), "uint64")
            }
            DataType::Int64 if array.null_count() == 0 => {
                let values = array.as_primitive::<Int64Type>().values();
                (values.iter().flat_map(|value| value.to_ne_bytes()).collect(), "int64")
            }
            DataType::Int64 => {
                let values = array.as_primitive::<Int64Type>().iter();
                let values = values.map(|value| value.map_or(f64::NAN, |value| value as f64));
                (values.flat_map(f64::to_ne_bytes).collect(), "float64")
            }
            DataType::Float64 => {
                let values = array.as_primitive::<Float64Type>().iter();
                let values = values.map(|value| value.unwrap_or(f64::NAN));
                (values.flat_map(f64::to_ne_bytes).collect(), "float64")
            }
            _ => return numpy.call_method1("array", (self.to_pylist(py)?, "object")),
        };
        let buffer = numpy.call_method1("frombuffer", (PyBytes::new(py, &bytes), kind))?;
        buffer.call_method0("copy")
    }

    #[pyo3(signature = (dtype = None, copy = None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = copy;
        let array = self.to_numpy(py)?;
        match dtype {
            Some(dtype) => array.call_method1("astype", (dtype,)),
            None => Ok(array),
        }
    }

    fn __repr__(&self) -> String {
        format!("<lookalike.Array: {} × {}>", self.0.len(), self.0.data_type())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        let batch =
            RecordBatch::try_from_iter_with_nullable([("values", slf.get().0.clone(), true)]);
        let batch = batch.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let bytes = ipc::to_bytes(&batch.schema(), &[batch])?;
        let make = slf.get_type().getattr("_from_ipc")?;
        (make, (PyBytes::new(py, &bytes),)).into_pyobject(py)
    }

    #[staticmethod]
    fn _from_ipc(bytes: &[u8]) -> PyResult<Self> {
        let (schema, batches) = ipc::of_bytes(bytes)?;
        let parts: Vec<_> = batches.iter().map(|batch| batch.column(0).clone()).collect();
        Self::of_parts(schema.field(0).data_type(), &parts)
    }
}

/// A value as a Python object.
///
/// # Errors
/// A type that no result has.
pub(crate) fn value_at<'py>(
    py: Python<'py>,
    array: &ArrayRef,
    row: usize,
) -> PyResult<Bound<'py, PyAny>> {
    if array.is_null(row) {
        return Ok(py.None().into_bound(py));
    }
    let value = match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().value(row).into_pyobject(py)?.into_any(),
        DataType::LargeUtf8 => array.as_string::<i64>().value(row).into_pyobject(py)?.into_any(),
        DataType::Utf8View => array.as_string_view().value(row).into_pyobject(py)?.into_any(),
        DataType::Int32 => {
            array.as_primitive::<Int32Type>().value(row).into_pyobject(py)?.into_any()
        }
        DataType::Int64 => {
            array.as_primitive::<Int64Type>().value(row).into_pyobject(py)?.into_any()
        }
        DataType::UInt64 => {
            array.as_primitive::<UInt64Type>().value(row).into_pyobject(py)?.into_any()
        }
        DataType::UInt32 => {
            array.as_primitive::<UInt32Type>().value(row).into_pyobject(py)?.into_any()
        }
        DataType::Float64 => {
            array.as_primitive::<Float64Type>().value(row).into_pyobject(py)?.into_any()
        }
        DataType::Boolean => array.as_boolean().value(row).into_pyobject(py)?.to_owned().into_any(),
        DataType::List(_) => Array(array.as_list::<i32>().value(row)).to_pylist(py)?.into_any(),
        DataType::LargeList(_) => {
            Array(array.as_list::<i64>().value(row)).to_pylist(py)?.into_any()
        }
        other => return Err(PyTypeError::new_err(format!("values of the type {other}"))),
    };
    Ok(value)
}
