//! Checks that the inputs have the fields that the settings name, before anything long is begun.

use crate::LookalikeError;
use lookalike_io::Inputs;

/// Checks the files of a collection.
///
/// # Errors
/// The content, or a field with another name than the default one, that no JSON object, message or
/// web page of the inputs has; ready-made features in a format without lists. Tables are checked when
/// they are opened.
pub fn check(inputs: &Inputs, cancelled: &dyn Fn() -> bool) -> Result<(), LookalikeError> {
    inputs.check_programs()?;
    check_features(inputs)?;
    check_missing(inputs, cancelled)
}

/// Checks files of documents that come bit by bit, to an index or a filter: as [`check`], but not the
/// header fields of mail and web archives. A few messages may lack any of them, such as a message id.
pub(crate) fn check_some(inputs: &Inputs) -> Result<(), LookalikeError> {
    inputs.check_programs()?;
    check_features(inputs)?;
    let others = inputs.files.iter().filter(|file| !file.format.has_header());
    let others = Inputs::from_files(others.cloned().collect(), inputs.options.clone());
    check_missing(&others, &|| false)
}

fn check_missing(inputs: &Inputs, cancelled: &dyn Fn() -> bool) -> Result<(), LookalikeError> {
    match inputs.missing_field(cancelled) {
        Some(field) => Err(LookalikeError::MissingField { field }),
        None => Ok(()),
    }
}

fn check_features(inputs: &Inputs) -> Result<(), LookalikeError> {
    let fields = &inputs.options.fields;
    if let Some(name) = &fields.features
        && let Some(file) = inputs.files.iter().find(|file| !file.format.has_lists())
    {
        let (setting, what) = match fields.tokens {
            true => ("unit=tokens:", "tokens"),
            false => ("features_field=", "features"),
        };
        return Err(LookalikeError::Settings(format!(
            "the setting {setting}{name}: {} has no lists; {what} are read from JSONL, Parquet and Arrow files",
            file.name
        )));
    }
    Ok(())
}
