//! Checks that the inputs have the fields that the settings name, before anything long is begun.

use crate::LookalikeError;
use lookalike_io::{Format, Inputs};

/// Checks the files of a collection.
///
/// # Errors
/// The content, or a field with another name than the default one, that no JSON object, message or
/// web page of the inputs has; ready-made features in a format without lists. Tables are checked when
/// they are opened.
pub(crate) fn check(inputs: &Inputs, cancelled: &dyn Fn() -> bool) -> Result<(), LookalikeError> {
    check_features(inputs)?;
    match inputs.missing_field(cancelled) {
        Some(field) => Err(LookalikeError::MissingField { field }),
        None => Ok(()),
    }
}

/// Checks files of documents that come bit by bit, to an index or a filter: as [`check`], but not the
/// header fields of mail and web archives. A few messages may lack any of them, such as a message id.
pub(crate) fn check_some(inputs: &Inputs) -> Result<(), LookalikeError> {
    check_features(inputs)?;
    let has_header =
        |format| matches!(format, Format::Mbox | Format::Maildir | Format::Eml | Format::Warc);
    let others = inputs.files.iter().filter(|file| !has_header(file.format));
    check(&Inputs::from_files(others.cloned().collect(), inputs.options.clone()), &|| false)
}

fn check_features(inputs: &Inputs) -> Result<(), LookalikeError> {
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
    Ok(())
}
