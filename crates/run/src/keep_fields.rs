//! Checks that the fields and values of keep rules exist: a rule that decides nothing is an error.

use crate::LookalikeError;
use lookalike_cluster::{KeepRule, Needs};
use lookalike_engine::{Collection, Valueless};
use lookalike_io::Inputs;
use lookalike_report::KeepValues;

/// The rules for which some documents of the inputs have no value, with their number. Without
/// `all_values`, preferred values that no document has are allowed.
///
/// # Errors
/// A rule for which no document has a value; a preferred value that no document has.
pub fn check(
    inputs: &Inputs,
    rules: &[KeepRule],
    collection: &Collection,
    all_values: bool,
) -> Result<Vec<KeepValues>, LookalikeError> {
    for (number, rule) in rules.iter().enumerate() {
        if let (Some(values), Some(field)) = (rule.values(), rule.field()) {
            let unused = collection.unused_preference(number, values.len());
            if let Some(value) = unused.map(|unused| &values[unused])
                && all_values
                && !collection.is_empty()
            {
                return Err(LookalikeError::KeepValue {
                    rule: rule.to_string(),
                    field: field.to_owned(),
                    value: value.clone(),
                    fields: inputs.field_names(),
                });
            }
        }
    }
    lacking(inputs, rules, |number| collection.valueless(number))
}

/// The rules for which some documents have no value, with their number.
///
/// # Errors
/// A rule for which no document has a value.
pub(crate) fn lacking(
    inputs: &Inputs,
    rules: &[KeepRule],
    valueless: impl Fn(usize) -> Valueless,
) -> Result<Vec<KeepValues>, LookalikeError> {
    let mut lacking = Vec::new();
    for (number, rule) in rules.iter().enumerate() {
        if rule.values().is_some() {
            // Documents without a preferred value tie; that is what the rule is for.
            continue;
        }
        let (field, kind) = match rule.needs() {
            Needs::Order | Needs::Text => continue,
            Needs::Date => (inputs.options.fields.date.as_str(), "date"),
            Needs::Field => (rule.field().unwrap_or_default(), "number"),
        };
        let counts = valueless(number);
        if counts.is_all() {
            return Err(LookalikeError::KeepField {
                rule: rule.to_string(),
                field: field.to_owned(),
                kind,
                documents: counts.documents,
                unreadable: counts.unreadable,
                fields: inputs.field_names(),
            });
        }
        if counts.is_any() {
            lacking.push(KeepValues {
                rule: rule.to_string(),
                field: field.to_owned(),
                missing: counts.missing,
                unreadable: counts.unreadable,
            });
        }
    }
    Ok(lacking)
}
