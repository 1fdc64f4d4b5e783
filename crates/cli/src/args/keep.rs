//! Lists of keep rules.

/// The rules of one value of `--keep`: several are separated by commas, which values in quotes and
/// parentheses may contain.
#[derive(Debug, Clone)]
pub(crate) struct KeepList(Vec<String>);

/// Parses a list of rules.
pub(super) fn keep_list(text: &str) -> Result<KeepList, String> {
    let rules = lookalike::settings::keep_rules(text).map_err(|error| error.to_string())?;
    Ok(KeepList(rules.iter().map(ToString::to_string).collect()))
}

/// The rules of all values, in their order.
pub(crate) fn keep_rules(lists: &[KeepList]) -> Vec<String> {
    lists.iter().flat_map(|KeepList(rules)| rules).cloned().collect()
}
