//! Settings, which Python holds as JSON.

use crate::errors;
use crate::methods::{Knobs, knobs};
use lookalike::input::FieldNames;
use lookalike::{LookalikeError, Settings};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Settings of JSON as `Settings.to_json` of the package writes them.
pub(crate) fn parse(py: Python<'_>, json: &str) -> PyResult<Settings> {
    let parsed = serde_json::from_str::<Settings>(json);
    let settings = parsed.map_err(|error| {
        // What follows says where in text that the caller has not written.
        let message = error.to_string();
        let what = message.split(" at line ").next().unwrap_or_default().to_owned();
        errors::exception(py, LookalikeError::Settings(what))
    })?;
    settings.check().map_err(|error| errors::exception(py, error))?;
    settings.with_single_rules().map_err(|error| errors::exception(py, error))
}

/// The settings with their defaults and what follows from others, as the library writes them.
#[pyfunction]
pub(crate) fn checked_settings(py: Python<'_>, json: &str) -> PyResult<String> {
    let given = parse(py, json)?;
    let (shingle, least) = (given.shingle_size().into(), given.least_features());
    let settings = Settings { shingle, min_features: Some(least), ..given };
    serde_json::to_string(&settings).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// The fields that are read beside those of every record.
#[pyfunction]
pub(crate) fn given_fields(py: Python<'_>, json: &str) -> PyResult<Vec<String>> {
    parse(py, json)?.given_fields().map_err(|error| errors::exception(py, error))
}

/// The fields that the text is read from.
#[pyfunction]
pub(crate) fn text_fields(py: Python<'_>, json: &str) -> PyResult<Vec<String>> {
    let settings = parse(py, json)?;
    Ok(settings.fields.text_fields().into_iter().map(str::to_owned).collect())
}

/// The text of a JSON object with the fields that `text` names; none if it has none, or one that is no text.
#[pyfunction]
pub(crate) fn joined_text(text: &str, record: &str) -> Option<String> {
    let names = FieldNames { text: text.to_owned(), ..FieldNames::default() };
    names.joined_text(record).unwrap_or(None)
}

/// The fields that the keep rules read.
#[pyfunction]
pub(crate) fn keep_fields(py: Python<'_>, json: &str) -> PyResult<Vec<String>> {
    parse(py, json)?.keep_fields().map_err(|error| errors::exception(py, error))
}

/// The settings of a preset, as the library writes them.
#[pyfunction]
pub(crate) fn preset_settings(
    py: Python<'_>,
    name: &str,
    shingle: Option<u32>,
    threshold: Option<&str>,
    given: Knobs,
) -> PyResult<String> {
    let settings = lookalike::settings::preset(name)
        .and_then(|preset| preset.settings_with(shingle, threshold, &knobs(given)))
        .map_err(|error| errors::exception(py, error))?;
    serde_json::to_string(&settings).map_err(|error| PyValueError::new_err(error.to_string()))
}
