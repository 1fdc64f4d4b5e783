//! The fields of records that settings name beside those of the text: those that a method reads, and
//! the one that separates documents.

use crate::no_statistics::NoStatistics;
use crate::{LookalikeError, Settings};
use lookalike_engine::Signer;
use lookalike_methods::{MethodSpec, build};
use std::sync::Arc;

/// The names of the fields that methods read and that separate documents, each once.
///
/// # Errors
/// A method that does not exist.
pub fn given_fields<'s>(
    settings: &Settings,
    methods: impl IntoIterator<Item = &'s MethodSpec>,
) -> Result<Vec<String>, LookalikeError> {
    let mut names: Vec<String> = settings.separate_by.iter().cloned().collect();
    for spec in methods {
        let method = build(spec, Some(Arc::new(NoStatistics)))?;
        for name in method.fields().given() {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
    }
    Ok(names)
}

/// Refuses a field of which no document that was read had a value.
///
/// # Errors
/// The first such field.
pub(crate) fn check_read(signer: &Signer, settings: &Settings) -> Result<(), LookalikeError> {
    let Some(name) = signer.missing_field() else { return Ok(()) };
    let setting = match &settings.separate_by {
        Some(field) if field == name => "separate_by",
        _ => "method",
    };
    Err(LookalikeError::Settings(format!(
        "no document has the field `{name}` of the setting {setting}; name another one, or leave it out"
    )))
}

impl Settings {
    /// The fields that are read beside those of every record: that of [`Settings::separate_by`], and those
    /// that the parameters of the method name.
    ///
    /// # Errors
    /// A method that does not exist.
    pub fn given_fields(&self) -> Result<Vec<String>, LookalikeError> {
        let spec = self.method.as_ref().map(|method| method.spec.parse()).transpose()?;
        given_fields(self, &spec)
    }

    /// Refuses fields that are read beside those of the text in a call that does not read them.
    ///
    /// # Errors
    /// Such a field, or a method that does not exist.
    pub fn refuse_given_fields(&self, what: &str) -> Result<(), LookalikeError> {
        self.refuse(&["separate_by"], what)?;
        let spec = self.method.as_ref().map(|method| method.spec.parse()).transpose()?;
        spec.iter().try_for_each(|spec| refuse_fields_of(spec, what))
    }
}

/// Refuses a method that reads fields that not every record has.
///
/// # Errors
/// Such a method.
pub(crate) fn refuse_fields_of(spec: &MethodSpec, what: &str) -> Result<(), LookalikeError> {
    let method = build(spec, Some(Arc::new(NoStatistics)))?;
    match method.fields().given().next() {
        None => Ok(()),
        Some(name) => Err(LookalikeError::Settings(format!(
            "the setting method={spec} reads the field `{name}`, which is not read for {what}; leave it out"
        ))),
    }
}
