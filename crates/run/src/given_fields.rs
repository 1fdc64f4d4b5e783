//! The fields of records that settings name beside those of the text: those that a method reads, those of
//! which documents need to have the values in common, and that with labels.

use crate::no_statistics::NoStatistics;
use crate::{LookalikeError, Settings};
use lookalike_engine::{Across, Distinction, Distinctions, Signer};
use lookalike_methods::{MethodSpec, build};
use std::sync::Arc;

/// The names of the fields that methods read, of which documents need to have the values in common, and
/// that have labels.
///
/// # Errors
/// A method that does not exist, a distinction that makes no sense.
pub fn given_fields<'s>(
    settings: &Settings,
    methods: impl IntoIterator<Item = &'s MethodSpec>,
) -> Result<Vec<String>, LookalikeError> {
    let (distinct, across) = (settings.distinctions()?, settings.across());
    let fields = distinct.iter().flat_map(Distinctions::fields);
    let labels = settings.label_field.as_deref();
    let mut names: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    };
    let across = across.as_ref().and_then(Across::field);
    fields.chain(labels).chain(across).for_each(&mut add);
    for spec in methods {
        let method = build(spec, Some(Arc::new(NoStatistics)))?;
        method.fields().given().for_each(|name| add(name));
    }
    Ok(names)
}

/// Refuses a field of which no document that was read had a value.
///
/// # Errors
/// The first such field.
pub(crate) fn check_read(signer: &Signer, settings: &Settings) -> Result<(), LookalikeError> {
    match signer.missing_field() {
        Some(name) => Err(missing_field(name, settings)?),
        None => Ok(()),
    }
}

/// The error for a field of which no document has a value.
///
/// # Errors
/// Settings that make no sense.
pub fn missing_field(name: &str, settings: &Settings) -> Result<LookalikeError, LookalikeError> {
    let setting = match &settings.separate_by {
        Some(field) if field == name => "separate_by",
        _ if settings.across.as_deref() == Some(name) => "across",
        _ if settings.parsed_distinctions()?.contains(&Distinction::Field(name.into())) => {
            "distinct_by"
        }
        _ if settings.label_field.as_deref() == Some(name) => "label_field",
        _ => "method",
    };
    Ok(LookalikeError::Settings(format!(
        "no document has the field `{name}` of the setting {setting}; name another one, or leave it out"
    )))
}

impl Settings {
    /// By what documents have to differ to match ([`Settings::across`]).
    #[must_use]
    pub fn across(&self) -> Option<Across> {
        // Any text is a name.
        self.across.as_ref().and_then(|written| written.parse().ok())
    }

    /// Refuses to compare documents across values with a collection that is left as it is.
    ///
    /// # Errors
    /// There is one, and documents match only across values.
    pub fn refuse_across_against(&self, has_against: bool) -> Result<(), LookalikeError> {
        match self.across.as_ref().filter(|_| has_against) {
            None => Ok(()),
            Some(value) => Err(LookalikeError::Settings(format!(
                "the setting across={value} compares the inputs with each other by their values, and the \
                 setting against with another collection; leave one of them out (against_only \
                 removes only what is in the other collection; keep=prefer(FIELD=VALUE) says \
                 which side of across is kept)"
            ))),
        }
    }

    /// Refuses to compare documents across inputs where there is one: of `documents`.
    ///
    /// # Errors
    /// Documents match only across inputs.
    pub fn refuse_across_inputs(&self, documents: &str) -> Result<(), LookalikeError> {
        match self.across() {
            Some(Across::Inputs) => Err(LookalikeError::Settings(format!(
                "the setting across=inputs compares the documents of different files, and {documents} are \
                 of one source; name a field that tells them apart"
            ))),
            _ => Ok(()),
        }
    }

    /// The distinctions of [`Settings::distinct_by`].
    pub(crate) fn parsed_distinctions(&self) -> Result<Vec<Distinction>, LookalikeError> {
        let mut found = Vec::new();
        for written in &self.distinct_by {
            let list = Distinction::list(written).map_err(|reason| {
                LookalikeError::Settings(format!("the setting distinct_by={written}: {reason}"))
            })?;
            found.extend(list);
        }
        Ok(found)
    }

    /// What documents need to have in common, if they need anything.
    ///
    /// # Errors
    /// A distinction that makes no sense, or that has no meaning for ready-made features.
    pub fn distinctions(&self) -> Result<Option<Distinctions>, LookalikeError> {
        let mut list = self.parsed_distinctions()?;
        list.extend(self.separate_by.iter().cloned().map(Distinction::Field));
        if list.is_empty() {
            return Ok(None);
        }
        let found = Distinctions::new(list, &self.analysis);
        if self.fields.features.is_some() && found.reads_texts() {
            return Err(LookalikeError::Settings(
                "the setting features_field takes the place of texts, which the setting distinct_by \
                 reads; name fields only, or leave one of the settings out"
                    .into(),
            ));
        }
        Ok(Some(found))
    }

    /// The fields that are read beside those of every record: those of which documents need to have
    /// the values in common, and those that the parameters of the method name.
    ///
    /// # Errors
    /// A method that does not exist.
    pub fn given_fields(&self) -> Result<Vec<String>, LookalikeError> {
        let spec = self.method.as_ref().map(|method| method.spec.parse()).transpose()?;
        given_fields(self, &spec)
    }

    /// Refuses a method with fields in a call that does not read them.
    ///
    /// # Errors
    /// Such a method, or one that does not exist.
    pub fn refuse_fields_of_method(&self, what: &str) -> Result<(), LookalikeError> {
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
