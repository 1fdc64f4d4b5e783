//! Options from a configuration file, the environment and presets.
//!
//! An option has the value of the first of these that gives one: the command line, a `LOOKALIKE_*`
//! variable, the file of `--config`, the preset, its default. Nothing here knows any option: names,
//! kinds and conflicts are those of the parser ([`options`]). Values become arguments in front of
//! those that were typed, and clap parses them together, so that they are checked and reported as
//! if they had been typed.
//!
//! [`layers`] reads the file and the environment, [`merge`] decides which values count,
//! [`effective`] writes what counted beside the results.

mod effective;
mod layers;
mod merge;
mod options;

use crate::exit::WrongUsage;
use clap::{ArgMatches, Command};
use merge::Given;
use options::Leaf;
use std::ffi::OsString;

pub(crate) use effective::{has_password, text, toml_string};

/// The command line with the values of all layers.
pub(crate) struct Complete {
    /// The words to parse.
    pub(crate) words: Vec<OsString>,
    given: Vec<Given>,
}

/// Adds the options that the environment, the file and the preset give.
///
/// # Errors
/// A file that cannot be read or is not valid; a key that is no option.
pub(crate) fn complete(command: &Command, words: Vec<OsString>) -> Result<Complete, WrongUsage> {
    let mut command = command.clone();
    // Makes global options part of every subcommand.
    command.build();
    let lenient = command.clone().ignore_errors(true);
    // Help and versions are no command that would need a configuration.
    let Ok(matches) = lenient.try_get_matches_from(&words) else {
        return Ok(Complete { words, given: Vec::new() });
    };
    let Some(leaf) = Leaf::of(&command, &matches) else {
        return Ok(Complete { words, given: Vec::new() });
    };
    let mut layers = vec![layers::environment(&command, &leaf)?];
    let file = leaf.typed("config").or_else(|| layers::variable("config"));
    if let Some(file) = file {
        layers.push(layers::file(&command, &leaf, file.as_ref())?);
    }
    let given = merge::merge(&leaf, layers)?;
    let words = merge::insert(&command, &leaf, words, &given);
    Ok(Complete { words, given })
}

impl Complete {
    /// Where values come from that a message of the parser names and nobody typed.
    pub(crate) fn origins(&self, message: &str) -> String {
        let named = self.given.iter().filter(|given| {
            let flag = format!("--{}", given.name);
            message.match_indices(&flag).any(|(at, _)| {
                let behind = message[at + flag.len()..].chars().next();
                !behind.is_some_and(|c| c.is_alphanumeric() || c == '-')
            })
        });
        named.map(|given| format!("--{} is from {}\n", given.name, given.origin)).collect()
    }

    /// Records what counts, for `config.toml`.
    pub(crate) fn remember(&self, command: &Command, matches: &ArgMatches) {
        let mut command = command.clone();
        command.build();
        if let Some(leaf) = Leaf::of(&command, matches) {
            effective::remember(&leaf);
        }
    }
}
