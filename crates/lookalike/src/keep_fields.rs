//! Checks that the fields and values of keep rules exist: a rule that decides nothing is an error.

use crate::LookalikeError;
use lookalike_cluster::KeepRule;
use lookalike_engine::Collection;
use lookalike_io::Inputs;
use lookalike_report::KeepValues;

/// The rules for which some documents of the inputs have no value, with their number. Without
/// `all_values`, preferred values that no document has are allowed.
///
/// # Errors
/// A rule for which no document has a value; a preferred value that no document has.
pub(crate) fn check(
    inputs: &Inputs,
    rules: &[KeepRule],
    collection: &Collection,
    all_values: bool,
) -> Result<Vec<KeepValues>, LookalikeError> {
    let mut lacking = Vec::new();
    for (number, rule) in rules.iter().enumerate() {
        let (field, kind) = match rule {
            KeepRule::First | KeepRule::Longest | KeepRule::Shortest => continue,
            KeepRule::Newest | KeepRule::Oldest => (&inputs.options.fields.date, "date"),
            KeepRule::Max(field) | KeepRule::Min(field) => (field, "number"),
            KeepRule::Prefer { field, values } => {
                let unused = collection.unused_preference(number, values.len());
                if let Some(value) = unused.map(|unused| &values[unused])
                    && all_values
                    && !collection.is_empty()
                {
                    return Err(LookalikeError::KeepValue {
                        rule: rule.to_string(),
                        field: field.clone(),
                        value: value.clone(),
                        fields: inputs.field_names(),
                    });
                }
                // Documents without a preferred value tie; that is what the rule is for.
                continue;
            }
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
