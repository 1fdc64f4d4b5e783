//! Record batches of Python lists.

use arrow_array::builder::{Float64Builder, ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, NullArray, RecordBatch};
use arrow_schema::{Field, Schema};
use lookalike::{Settings, SourceError};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};
use std::sync::Arc;

/// Which columns hold what. Others are not read: only their names are kept, for messages.
#[derive(Clone)]
pub(crate) struct Columns {
    /// Numbers of keep rules.
    numbers: Vec<String>,
    /// Values of keep rules that may be texts too.
    values: Vec<String>,
    /// Texts of documents.
    texts: [String; 2],
    /// Ids, dates and other short texts.
    labels: [String; 4],
    /// The title, which may be a list of strings as texts may.
    title: String,
    /// Separator of lists of strings that are joined to a text.
    join_lists: Option<String>,
    /// Values that are read as texts.
    given: Vec<String>,
    /// Lists of features.
    features: Option<String>,
}

impl Columns {
    /// Those of the fields that settings name.
    pub(crate) fn of(settings: &Settings) -> Self {
        let rules = settings.keep_rules().unwrap_or_default();
        let fields = |prefers| {
            let rules = rules.iter().filter(move |rule| rule.values().is_some() == prefers);
            rules.filter_map(|rule| rule.field()).map(str::to_owned).collect()
        };
        let (numbers, values) = (fields(false), fields(true));
        let fields = &settings.fields;
        let texts = [&fields.text, &fields.html].map(Clone::clone);
        let labels = [&fields.id, &fields.url, &fields.title, &fields.date].map(Clone::clone);
        let (title, join_lists, features) =
            (fields.title.clone(), fields.join_lists.clone(), fields.features.clone());
        let given = settings.given_fields().unwrap_or_default();
        Self { numbers, values, given, texts, labels, title, join_lists, features }
    }

    /// The same, with other values that are read as texts.
    pub(crate) fn with_given(self, given: Vec<String>) -> Self {
        Self { given, ..self }
    }
}

/// A batch of lists by column. Lists are of equal length.
///
/// # Errors
/// A value of a type that the column cannot have, with its row in the batch.
pub(crate) fn batch_of(
    lists: &Bound<'_, PyDict>,
    columns: &Columns,
) -> Result<RecordBatch, SourceError> {
    let mut arrays: Vec<(String, ArrayRef)> = Vec::with_capacity(lists.len());
    for (name, values) in lists {
        let name: String = name.extract()?;
        let values = values.cast_into::<PyList>().map_err(PyErr::from)?;
        let join = columns.join_lists.as_deref();
        let array = if columns.features.as_ref() == Some(&name) {
            features(&name, &values)?
        } else if columns.texts.contains(&name) {
            texts(&name, &values, true, join)?
        } else if columns.labels.contains(&name) {
            texts(&name, &values, false, join.filter(|_| name == columns.title))?
        } else if columns.given.contains(&name) {
            lists_of_written(&name, &values)?
        } else if columns.values.contains(&name) {
            written(&name, &values)?
        } else if columns.numbers.contains(&name) {
            numbers(&name, &values)?
        } else {
            Arc::new(NullArray::new(values.len()))
        };
        arrays.push((name, array));
    }
    let field =
        |(name, array): &(String, ArrayRef)| Field::new(name, array.data_type().clone(), true);
    let schema = Schema::new(arrays.iter().map(field).collect::<Vec<_>>());
    let arrays = arrays.into_iter().map(|(_, array)| array).collect();
    Ok(RecordBatch::try_new(Arc::new(schema), arrays)?)
}

/// Texts; of columns that are no documents, whole numbers and dates too, as they are written.
fn texts(
    name: &str,
    values: &Bound<'_, PyList>,
    document: bool,
    join: Option<&str>,
) -> PyResult<ArrayRef> {
    let py = values.py();
    let mut builder = StringBuilder::new();
    for (row, value) in values.iter().enumerate() {
        if value.is_none() {
            builder.append_null();
        } else if let Ok(text) = value.cast::<PyString>() {
            append(&mut builder, text).map_err(|error| {
                let message = format!("row {row} of this batch, column `{name}`: {error}");
                PyValueError::new_err(message)
            })?;
        } else if let (Ok(list), Some(separator)) = (value.cast::<PyList>(), join) {
            let strings: PyResult<Vec<Option<String>>> =
                list.iter().map(|string| string.extract()).collect();
            let strings = strings.map_err(|_| wrong(name, row, &value, "a list of strings"))?;
            let strings: Vec<String> = strings.into_iter().flatten().collect();
            builder.append_value(strings.join(separator));
        } else if !document && value.is_instance_of::<PyInt>() && !value.is_instance_of::<PyBool>()
        {
            builder.append_value(value.str()?.to_cow()?);
        } else if !document && value.hasattr(intern!(py, "isoformat"))? {
            builder
                .append_value(value.call_method0(intern!(py, "isoformat"))?.extract::<String>()?);
        } else {
            return Err(wrong(name, row, &value, "text"));
        }
    }
    Ok(Arc::new(builder.finish()))
}

/// Appends a text. Of one that is not ASCII, Python would keep the UTF-8 in the string for as long
/// as that lives, so that a list of documents grew by their bytes: it is asked for a copy instead.
fn append(builder: &mut StringBuilder, text: &Bound<'_, PyString>) -> PyResult<()> {
    if text.call_method0(intern!(text.py(), "isascii"))?.is_truthy()? {
        builder.append_value(text.to_cow()?);
    } else {
        let bytes = text.encode_utf8()?;
        let text = std::str::from_utf8(bytes.as_bytes());
        builder.append_value(text.map_err(|error| PyValueError::new_err(error.to_string()))?);
    }
    Ok(())
}

/// Texts, numbers, true and false, as JSON writes them.
fn written(name: &str, values: &Bound<'_, PyList>) -> PyResult<ArrayRef> {
    let mut builder = StringBuilder::new();
    for (row, value) in values.iter().enumerate() {
        if value.is_none() {
            builder.append_null();
        } else if let Ok(text) = value.cast::<PyString>() {
            append(&mut builder, text)?;
        } else if let Ok(logical) = value.cast::<PyBool>() {
            builder.append_value(if logical.is_true() { "true" } else { "false" });
        } else if value.is_instance_of::<PyFloat>() || value.is_instance_of::<PyInt>() {
            builder.append_value(value.str()?.to_cow()?);
        } else {
            return Err(wrong(name, row, &value, "text or a number"));
        }
    }
    Ok(Arc::new(builder.finish()))
}

/// Lists of texts, numbers, true and false, as JSON writes them; a value that is no list is a list of
/// itself.
fn lists_of_written(name: &str, values: &Bound<'_, PyList>) -> PyResult<ArrayRef> {
    let mut builder = ListBuilder::new(StringBuilder::new());
    for (row, value) in values.iter().enumerate() {
        let list = value.try_iter().ok().filter(|_| !value.is_instance_of::<PyString>());
        let elements = match list {
            Some(list) => list.collect::<PyResult<Vec<_>>>()?,
            None if value.is_none() => Vec::new(),
            None => vec![value],
        };
        for value in elements {
            if let Ok(text) = value.cast::<PyString>() {
                append(builder.values(), text)?;
            } else if let Ok(logical) = value.cast::<PyBool>() {
                builder.values().append_value(if logical.is_true() { "true" } else { "false" });
            } else if value.is_instance_of::<PyFloat>() || value.is_instance_of::<PyInt>() {
                builder.values().append_value(value.str()?.to_cow()?);
            } else {
                return Err(wrong(name, row, &value, "text, a number or a list of these"));
            }
        }
        builder.append(true);
    }
    Ok(Arc::new(builder.finish()))
}

/// Lists of features: strings, and integers as their digits.
fn features(name: &str, values: &Bound<'_, PyList>) -> PyResult<ArrayRef> {
    let mut builder = ListBuilder::new(StringBuilder::new());
    for (row, value) in values.iter().enumerate() {
        if value.is_none() {
            builder.append_null();
            continue;
        }
        // Python iterates over the letters of a string; a string is no list of features.
        let list = value.try_iter().ok().filter(|_| !value.is_instance_of::<PyString>());
        let Some(list) = list else {
            return Err(wrong(name, row, &value, "a list of integers or strings"));
        };
        for feature in list {
            let feature = feature?;
            let is_integer =
                feature.is_instance_of::<PyInt>() && !feature.is_instance_of::<PyBool>();
            if let Ok(text) = feature.cast::<PyString>() {
                append(builder.values(), text)?;
            } else if is_integer {
                builder.values().append_value(feature.str()?.to_cow()?);
            } else {
                return Err(wrong(name, row, &feature, "an integer or a string in a list"));
            }
        }
        builder.append(true);
    }
    Ok(Arc::new(builder.finish()))
}

fn numbers(name: &str, values: &Bound<'_, PyList>) -> PyResult<ArrayRef> {
    let mut builder = Float64Builder::new();
    for (row, value) in values.iter().enumerate() {
        if value.is_none() {
            builder.append_null();
        } else if value.is_instance_of::<PyFloat>() || value.is_instance_of::<PyInt>() {
            builder.append_value(value.extract()?);
        } else {
            return Err(wrong(name, row, &value, "a number"));
        }
    }
    Ok(Arc::new(builder.finish()))
}

fn wrong(name: &str, row: usize, value: &Bound<'_, PyAny>, wanted: &str) -> PyErr {
    let kind = value.get_type().name().map(|name| name.to_string()).unwrap_or_default();
    PyTypeError::new_err(format!(
        "row {row} of this batch, column `{name}`: a value of the type {kind} is not {wanted}"
    ))
}
