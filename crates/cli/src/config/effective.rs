//! `config.toml`: what a run was asked for, in the form that `--config` reads.

use super::options::{Leaf, is_flag, name_of};
use clap::Arg;
use lookalike::input::recorded_url;
use std::path::Path;
use std::sync::OnceLock;

static TEXT: OnceLock<String> = OnceLock::new();

/// Options of one call: where results go, what the machine gives, what is printed. The group
/// "Running" is left out as a whole.
const OF_THE_CALL: [&str; 5] = ["output", "force", "preset", "dry-run", "config"];

/// Records the configuration of the command that runs. Later calls have no effect.
pub(super) fn remember(leaf: &Leaf<'_>) {
    let _ = TEXT.set(describe(leaf));
}

/// The text of `config.toml`.
pub(crate) fn text() -> Option<String> {
    TEXT.get().cloned()
}

/// How `config.toml` begins.
const HEAD: &str = "# Options of `lookalike ";

/// Whether a configuration was written by a run: it begins as one, or lies in a result.
pub(super) fn is_of_a_run(file: &Path) -> bool {
    let begins = std::fs::read(file).is_ok_and(|text| text.starts_with(HEAD.as_bytes()));
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    begins || lookalike::input::is_result(folder.unwrap_or(Path::new(".")))
}

/// All options with their values, defaults included: another version may have others. URLs are without what
/// may be secret, and marked, so that they are refused when they are read again.
fn describe(leaf: &Leaf<'_>) -> String {
    let name = leaf.path.join(" ");
    let mut out = format!(
        "{HEAD}{name}` (version {}). To run it again:\n#   lookalike {name} --config FILE --output DIR\n",
        env!("CARGO_PKG_VERSION")
    );
    if let Some(preset) =
        leaf.find("preset").and_then(|preset| leaf.values(preset).into_iter().next())
    {
        out.push_str(&format!("# With the preset {}.\n", preset.to_string_lossy()));
    }
    for argument in leaf.arguments().filter(|argument| is_written(argument)) {
        if is_flag(argument) {
            if leaf.matches.get_flag(argument.get_id().as_str()) {
                out.push_str(&format!("{} = true\n", name_of(argument)));
            }
            continue;
        }
        let values = leaf.values(argument);
        let texts: Option<Vec<&str>> = values.iter().map(|value| value.to_str()).collect();
        let line = match texts.as_deref() {
            Some([]) => continue,
            None => format!("# {}: not UTF-8", name_of(argument)),
            Some([one]) if !is_list(argument) => {
                format!("{} = {}", name_of(argument), value(&recorded_url(one)))
            }
            Some(many) => {
                let many: Vec<String> =
                    many.iter().map(|text| value(&recorded_url(text))).collect();
                format!("{} = [{}]", name_of(argument), many.join(", "))
            }
        };
        out.push_str(&line);
        out.push('\n');
    }
    out
}

fn is_list(argument: &Arg) -> bool {
    matches!(argument.get_action(), clap::ArgAction::Append)
        || argument.get_num_args().is_some_and(|range| range.max_values() > 1)
}

/// Whether an option says what is done, and is no secret.
fn is_written(argument: &Arg) -> bool {
    let name = name_of(argument);
    let secret = ["secret", "password", "passphrase", "token", "credential", "access-key"];
    argument.get_help_heading() != Some("Running")
        && !OF_THE_CALL.contains(&name.as_str())
        && !secret.iter().any(|word| name.contains(word))
}

/// A value of TOML that reads back as this text: a number where that is certain, else a string.
fn value(text: &str) -> String {
    let is_number = text.parse::<i64>().is_ok_and(|number| number.to_string() == text)
        || (text.contains('.')
            && text.parse::<f64>().is_ok_and(|number| number.to_string() == text));
    if is_number { text.to_owned() } else { toml_string(text) }
}

/// A basic string of TOML.
pub(crate) fn toml_string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_read_back_as_they_were_typed() {
        for text in [
            "0.8",
            "0.80",
            "1.0",
            "1",
            "1e3",
            "5",
            "007",
            "-1",
            "256MiB",
            "a\"b\\c\n\t\u{7f}\u{1b}é",
            "",
            "inf",
            "nan",
            "true",
            "18446744073709551615",
        ] {
            let table: toml::Table = format!("x = {}", value(text)).parse().unwrap();
            let read = match &table["x"] {
                toml::Value::Integer(number) => number.to_string(),
                toml::Value::Float(number) => number.to_string(),
                toml::Value::String(text) => text.clone(),
                other => panic!("{other:?}"),
            };
            assert_eq!(read, text);
        }
    }
}
