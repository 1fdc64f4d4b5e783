//! Checks that the inputs have the fields that the settings name, before anything long is begun.

use crate::LookalikeError;
use lookalike_io::{Format, Inputs};

/// # Errors
/// The content, or a field with another name than the default one, that no record of the JSONL inputs
/// has; ready-made features in a format without lists. Tables are checked when they are opened.
pub(crate) fn check(inputs: &Inputs, cancelled: &dyn Fn() -> bool) -> Result<(), LookalikeError> {
    let has_lists = |format| matches!(format, Format::Jsonl | Format::Parquet | Format::Arrow);
    if let Some(name) = &inputs.options.fields.features
        && let Some(file) = inputs.files.iter().find(|file| !has_lists(file.format))
    {
        return Err(LookalikeError::Settings(format!(
            "the setting features_field={name}: {} has no lists; features are read from JSONL, Parquet \
             and Arrow files",
            file.name
        )));
    }
    match inputs.missing_field(cancelled) {
        Some(field) => Err(LookalikeError::MissingField { field }),
        None => Ok(()),
    }
}
