//! Checks that the fields of keep rules exist: a rule without any value is an error.

use crate::LookalikeError;
use lookalike_cluster::KeepRule;
use lookalike_engine::Collection;
use lookalike_io::Inputs;
use lookalike_report::KeepValues;

/// The rules for which some documents of the inputs have no value, with their number.
///
/// # Errors
/// A rule for which no document has a value.
pub(crate) fn check(
    inputs: &Inputs,
    rules: &[KeepRule],
    collection: &Collection,
) -> Result<Vec<KeepValues>, LookalikeError> {
    let mut lacking = Vec::new();
    for (number, rule) in rules.iter().enumerate() {
        let (field, kind) = match rule {
            KeepRule::First | KeepRule::Longest | KeepRule::Shortest => continue,
            KeepRule::Newest | KeepRule::Oldest => (&inputs.options.fields.date, "date"),
            KeepRule::Max(field) | KeepRule::Min(field) => (field, "number"),
        };
        let counts = collection.valueless(number);
        if counts.is_all() {
            return Err(LookalikeError::KeepField {
                rule: rule.to_string(),
                field: field.clone(),
                kind,
                documents: counts.documents,
                unreadable: counts.unreadable,
                fields: inputs.field_names(),
            });
        }
        if counts.is_any() {
            lacking.push(KeepValues {
                rule: rule.to_string(),
                field: field.clone(),
                missing: counts.missing,
                unreadable: counts.unreadable,
            });
        }
    }
    Ok(lacking)
}
