//! Options from a configuration file, the environment and presets.
//!
//! An option has the value of the first of these that gives one: the command line, a `LOOKALIKE_*`
//! variable, the file of `--config`, the preset, its default. Nothing here knows any option: names,
//! kinds and conflicts are those of the parser ([`options`]). Values become arguments in front of
//! those that were typed, and clap parses them together, so that they are checked and reported as
//! if they had been typed.
//!
//! [`layers`] reads the file and the environment, [`merge`] decides which values count,
//! [`effective`] writes what counted beside the results, [`expanded`] refuses patterns that the shell has
//! expanded behind an option with one value.

mod effective;
mod expanded;
mod layers;
mod merge;
mod options;

use crate::exit::WrongUsage;
use clap::{ArgMatches, Command};
use merge::Given;
use options::Leaf;
use std::ffi::OsString;
use std::path::Path;

pub(crate) use effective::{text, toml_string};

/// The command line with the values of all layers.
pub(crate) struct Complete {
    /// The words to parse.
    pub(crate) words: Vec<OsString>,
    given: Vec<Given>,
}

/// Adds the options that the environment, the file and the preset give. `command` is built, `whole`
/// makes it with the arguments of all subcommands: a file may set those of any.
///
/// # Errors
/// A file that cannot be read or is not valid; a key that is no option.
pub(crate) fn complete(
    command: &Command,
    whole: impl Fn() -> Command,
    words: Vec<OsString>,
) -> Result<Complete, WrongUsage> {
    let lenient = command.clone().ignore_errors(true);
    // Help and versions are no command that would need a configuration.
    let Ok(matches) = lenient.try_get_matches_from(&words) else {
        return Ok(Complete { words, given: Vec::new() });
    };
    let Some(leaf) = Leaf::of(command, &matches) else {
        return Ok(Complete { words, given: Vec::new() });
    };
    expanded::refuse(&leaf, &words[merge::behind_the_names(command, &leaf.path, &words)..])?;
    let mut layers = vec![layers::environment(&whole, &leaf)?];
    let file = leaf.typed("config").or_else(|| layers::variable("config"));
    if let Some(file) = &file {
        layers.push(layers::file(&whole(), &leaf, file.as_ref())?);
    }
    let given = merge::merge(&leaf, layers)?;
    if let Some(file) = &file {
        refuse_programs(file.as_ref(), &given)?;
    }
    let words = merge::insert(command, &leaf, words, &given);
    Ok(Complete { words, given })
}

/// Options whose values start programs.
const PROGRAMS: [&str; 1] = ["extract"];

/// Refuses to start programs because the configuration of a run names them, which somebody else may have
/// made.
fn refuse_programs(file: &Path, given: &[Given]) -> Result<(), WrongUsage> {
    let origin = file.display().to_string();
    let mut programs =
        given.iter().filter(|given| given.origin == origin && PROGRAMS.contains(&&*given.name));
    let Some(program) = programs.next().filter(|_| effective::is_of_a_run(file)) else {
        return Ok(());
    };
    Err(WrongUsage(format!(
        "{origin} is the configuration of a run and starts the commands of {}; they are not started only \
         because it names them: if you trust them, give the option again: {}",
        program.shown,
        program
            .values
            .iter()
            .map(|value| format!("{}={value:?}", program.shown))
            .collect::<Vec<_>>()
            .join(" ")
    )))
}

impl Complete {
    /// The sources of values from files and variables that a message names: by the option, or as the
    /// file that the message begins with.
    pub(crate) fn origins(&self, message: &str) -> String {
        let named = self.given.iter().filter(|given| names(message, given));
        named.map(|given| format!("{} is from {}\n", given.shown, given.origin)).collect()
    }

    /// Records what counts, for `config.toml`.
    pub(crate) fn remember(&self, command: &Command, matches: &ArgMatches) {
        if let Some(leaf) = Leaf::of(command, matches) {
            effective::remember(&leaf);
        }
    }
}

/// Whether a message names a value.
fn names(message: &str, given: &Given) -> bool {
    let is_option = message.match_indices(&given.shown).any(|(at, _)| {
        let behind = message[at + given.shown.len()..].chars().next();
        given.shown.starts_with("--") && !behind.is_some_and(|c| c.is_alphanumeric() || c == '-')
    });
    let is_file = |value: &String| {
        message.strip_prefix(value.as_str()).is_some_and(|rest| rest.starts_with(": "))
    };
    is_option || given.values.iter().any(is_file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_an_option_or_begins_with_its_file() {
        let given = |shown: &str, value: &str| Given {
            name: shown.trim_start_matches('-').to_owned(),
            values: vec![value.to_owned()],
            origin: "look.toml".to_owned(),
            shown: shown.to_owned(),
        };
        for (message, option, wanted) in [
            ("--max-loss: `30` is no share", given("--max-loss", "30"), true),
            ("raise --max-loss-of", given("--max-loss", "30"), false),
            ("raise --max-losses", given("--max-loss", "30"), false),
            ("a.jsonl: no such file", given("--against", "a.jsonl"), true),
            ("a.jsonl: no such file", given("inputs", "a.jsonl"), true),
            ("a.jsonl.gz: no such file", given("inputs", "a.jsonl"), false),
            ("the inputs hold no documents", given("inputs", "a.jsonl"), false),
        ] {
            assert_eq!(names(message, &option), wanted, "{message}");
        }
    }
}
