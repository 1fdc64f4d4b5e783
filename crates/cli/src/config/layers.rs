//! What the environment and a file say.

use super::options::{Leaf, all_names, is_flag, like, name_of};
use crate::exit::WrongUsage;
use clap::Command;
use std::cell::LazyCell;
use std::path::Path;
use toml::{Table, Value};

/// Values from one place, in its order.
pub(super) struct Layer {
    /// Where they are from: `LOOKALIKE_THRESHOLD`, or the file.
    pub(super) values: Vec<Entry>,
}

/// An option and its values; a flag that is set has none, one that is not set is `off`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    /// Name of the option.
    pub(super) name: String,
    pub(super) values: Vec<String>,
    pub(super) off: bool,
    pub(super) origin: String,
}

const PREFIX: &str = "LOOKALIKE_";

/// The variable of an option, unless it is empty.
pub(super) fn variable(name: &str) -> Option<std::ffi::OsString> {
    let variable = format!("{PREFIX}{}", name.to_ascii_uppercase().replace('-', "_"));
    std::env::var_os(variable).filter(|value| !value.is_empty())
}

/// Options from `LOOKALIKE_*` variables. Those of other commands are not for this one; those of no
/// command belong to somebody else, unless they look like a misspelt option (one wrong character in
/// five; short names are too like others).
pub(super) fn environment(
    whole: &impl Fn() -> Command,
    leaf: &Leaf<'_>,
) -> Result<Layer, WrongUsage> {
    let names = LazyCell::new(|| all_names(&whole()));
    let mut values = Vec::new();
    let mut variables: Vec<_> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
        .filter(|(name, value)| name.starts_with(PREFIX) && !value.is_empty())
        .collect();
    variables.sort();
    for (variable, value) in variables {
        let key = variable[PREFIX.len()..].to_ascii_lowercase().replace('_', "-");
        let Some(argument) = leaf.find(&key) else {
            if key != "config"
                && !names.contains(&key)
                && let Some(meant) = like(&key, &names, key.len() / 5)
            {
                let meant = meant.to_ascii_uppercase().replace('-', "_");
                return Err(WrongUsage(format!(
                    "the variable {variable} is no option; is {PREFIX}{meant} meant?"
                )));
            }
            continue;
        };
        let Ok(value) = value.into_string() else {
            return Err(WrongUsage(format!("the variable {variable} is not UTF-8")));
        };
        let (mut entry_values, mut off) = (vec![value], false);
        if is_flag(argument) {
            off = match entry_values[0].to_ascii_lowercase().as_str() {
                "true" | "1" | "yes" | "on" => false,
                "false" | "0" | "no" | "off" => true,
                other => {
                    return Err(WrongUsage(format!(
                        "the variable {variable} is {other:?}; use true or false"
                    )));
                }
            };
            entry_values.clear();
        }
        let origin = format!("the variable {variable}");
        values.push(Entry { name: name_of(argument), values: entry_values, off, origin });
    }
    Ok(Layer { values })
}

/// Options from a TOML file: its keys, and over them those of the table of the command.
pub(super) fn file(command: &Command, leaf: &Leaf<'_>, path: &Path) -> Result<Layer, WrongUsage> {
    let shown = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| WrongUsage(format!("--config {shown}: {error}")))?;
    parse(command, leaf, &text, &shown.to_string())
}

fn parse(command: &Command, leaf: &Leaf<'_>, text: &str, shown: &str) -> Result<Layer, WrongUsage> {
    let table: Table = text
        .parse()
        .map_err(|error| WrongUsage(format!("{shown}: {}", format!("{error}").trim())))?;
    let file = File { leaf, shown };
    let mut values = Vec::new();
    file.table(command, &table, &mut Vec::new(), &mut values)?;
    Ok(Layer { values })
}

/// A file that is read.
struct File<'a> {
    leaf: &'a Leaf<'a>,
    shown: &'a str,
}

impl File<'_> {
    /// Reads a table at the path of a command: keys are options of it or of a command below it, and
    /// tables are commands below it. Values of inner tables replace those of outer ones.
    fn table(
        &self,
        command: &Command,
        table: &Table,
        path: &mut Vec<String>,
        values: &mut Vec<Entry>,
    ) -> Result<(), WrongUsage> {
        let names = all_names(command);
        let runs = self.leaf.path.starts_with(path);
        let place = if path.is_empty() { String::new() } else { format!("[{}] ", path.join(".")) };
        let mut own: Vec<Entry> = Vec::new();
        for (key, value) in table.iter().filter(|(_, value)| !value.is_table()) {
            let name = key.replace('_', "-");
            if name == "config" || !names.contains(&name) {
                let hint = like(&name, &names, 1 + name.len() / 5)
                    .map(|meant| format!("; is {meant} meant?"));
                let whose = match path.last() {
                    Some(_) => format!("`{}`", path.join(" ")),
                    None => "any command".to_owned(),
                };
                return Err(WrongUsage(format!(
                    "{}: {place}{key} is no option of {whose}{}",
                    self.shown,
                    hint.unwrap_or_default()
                )));
            }
            let Some(argument) = self.leaf.find(&name).filter(|_| runs) else {
                continue;
            };
            let wrong = |why: &str| WrongUsage(format!("{}: {place}{key}: {why}", self.shown));
            let name = name_of(argument);
            if own.iter().any(|entry| entry.name == name) {
                return Err(wrong(&format!("{name} is there twice, by two of its names")));
            }
            let mut off = false;
            let mut read = Vec::new();
            match (is_flag(argument), value) {
                (true, Value::Boolean(set)) => off = !set,
                (true, _) => return Err(wrong("use true or false")),
                (false, Value::Array(items)) => {
                    for item in items {
                        read.push(
                            scalar(item)
                                .ok_or_else(|| wrong("use an array of texts or numbers"))?,
                        );
                    }
                }
                (false, value) => {
                    read.push(scalar(value).ok_or_else(|| wrong("use a text or a number"))?)
                }
            }
            // An empty array is no value.
            off |= !is_flag(argument) && read.is_empty();
            own.push(Entry { name, values: read, off, origin: self.shown.to_owned() });
        }
        for entry in own {
            values.retain(|outer| outer.name != entry.name);
            values.push(entry);
        }
        for (key, value) in table {
            let Value::Table(inner) = value else { continue };
            let Some(below) = command.find_subcommand(key) else {
                let commands: Vec<_> = command
                    .get_subcommands()
                    .map(|command| command.get_name().to_owned())
                    .collect();
                let hint = like(key, &commands, 1 + key.len() / 5)
                    .map(|meant| format!("; is {meant} meant?"));
                return Err(WrongUsage(format!(
                    "{}: {place}[{key}] is no command{}",
                    self.shown,
                    hint.unwrap_or_default()
                )));
            };
            path.push(below.get_name().to_owned());
            self.table(below, inner, path, values)?;
            path.pop();
        }
        Ok(())
    }
}

/// A value as it would be typed.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::Boolean(truth) => Some(truth.to_string()),
        Value::Datetime(date) => Some(date.to_string()),
        Value::Array(_) | Value::Table(_) => None,
    }
}
