//! Which values of the layers count, and the command line with them.

use super::layers::{Entry, Layer};
use super::options::{Leaf, is_flag};
use crate::exit::WrongUsage;
use clap::{Arg, Command};
use lookalike::contamination::{ContaminationPreset, contamination_preset};
use lookalike::settings::preset;
use std::ffi::OsString;

/// An option that was not typed and has a value.
#[derive(Debug, PartialEq)]
pub(super) struct Given {
    /// Name of the option.
    pub(super) name: String,
    pub(super) values: Vec<String>,
    /// Where it is from.
    pub(super) origin: String,
    /// How messages name it: `--name`, or its name if it is an argument without one.
    pub(super) shown: String,
}

/// Parameters of a method: those of a lower layer than the method are of another method.
const OF_THE_METHOD: [&str; 4] = ["num-perm", "bands", "rows", "seed"];

/// The values that count, of layers in order of precedence and the preset that they or the command
/// line name. An option that excludes one of higher precedence is left out.
pub(super) fn merge(leaf: &Leaf<'_>, layers: Vec<Layer>) -> Result<Vec<Given>, WrongUsage> {
    let mut merged = Merged {
        leaf,
        taken: leaf.arguments().filter(|argument| leaf.is_typed(argument)).collect(),
        entries: Vec::new(),
    };
    for layer in layers {
        merged.add(layer);
    }
    if let Some(name) = merged.value("preset") {
        let (shingle, threshold) = (merged.value("shingle"), merged.value("threshold"));
        let options = match leaf.command.get_name() {
            "decontaminate" => contamination_preset(&name).map(ContaminationPreset::options),
            _ => preset(&name).map(|of| of.options(shingle.as_deref(), threshold.as_deref())),
        };
        let options = options.map_err(|error| {
            let entry = merged.entries.iter().find(|entry| entry.name == "preset");
            let origin = entry.map(|entry| format!("\n--preset is from {}", entry.origin));
            WrongUsage(format!("{error}{}", origin.unwrap_or_default()))
        })?;
        let entry = |(option, value): (&str, String)| Entry {
            name: option.to_owned(),
            values: vec![value],
            off: false,
            origin: format!("the preset {name}"),
        };
        merged.add(Layer { values: options.into_iter().map(entry).collect() });
    }
    let given = merged.entries.into_iter().filter(|entry| !entry.off && !is_default(leaf, entry));
    let given = given.map(|Entry { name, values, origin, .. }| {
        let is_place = leaf.find(&name).is_some_and(|argument| argument.get_index().is_some());
        let shown = if is_place { name.clone() } else { format!("--{name}") };
        Given { name, values, origin, shown }
    });
    Ok(given.collect())
}

struct Merged<'a> {
    leaf: &'a Leaf<'a>,
    /// Options that were typed, or that a layer has set.
    taken: Vec<&'a Arg>,
    entries: Vec<Entry>,
}

impl Merged<'_> {
    fn is_taken(&self, name: &str) -> bool {
        self.leaf.find(name).is_some_and(|argument| {
            self.taken.iter().any(|taken| taken.get_id() == argument.get_id())
        })
    }

    fn add(&mut self, layer: Layer) {
        let has_method = self.is_taken("method");
        let mut added = Vec::new();
        for entry in layer.values {
            let Some(argument) = self.leaf.find(&entry.name) else { continue };
            let excluded = self.taken.iter().any(|taken| {
                taken.get_id() == argument.get_id()
                    || (!entry.off && self.leaf.conflict(taken, argument))
            });
            let of_another = has_method && OF_THE_METHOD.contains(&entry.name.as_str());
            if !excluded && !of_another {
                added.push(argument);
                self.entries.push(entry);
            }
        }
        // Options of one layer may exclude each other: that is for the parser to report.
        self.taken.extend(added);
    }

    /// The value of an option with one value, by what was added so far.
    fn value(&self, name: &str) -> Option<String> {
        let argument = self.leaf.find(name)?;
        if self.leaf.is_typed(argument) {
            return self.leaf.values(argument).into_iter().next()?.into_string().ok();
        }
        let entry = self.entries.iter().find(|entry| entry.name == name)?;
        entry.values.first().cloned()
    }
}

/// Whether the option has this value anyway. Given as an argument, it could ask for others that it
/// requires.
fn is_default(leaf: &Leaf<'_>, entry: &Entry) -> bool {
    let defaults = leaf.find(&entry.name).map(Arg::get_default_values).unwrap_or_default();
    !defaults.is_empty()
        && defaults
            .iter()
            .map(|default| default.to_str())
            .eq(entry.values.iter().map(|value| Some(value.as_str())))
}

/// The words with options behind the name of the subcommand, and arguments without a name at the end.
pub(super) fn insert(
    command: &Command,
    leaf: &Leaf<'_>,
    mut words: Vec<OsString>,
    given: &[Given],
) -> Vec<OsString> {
    let mut options: Vec<OsString> = Vec::new();
    let mut places: Vec<(usize, &Given)> = Vec::new();
    for given in given {
        let Some(argument) = leaf.find(&given.name) else { continue };
        let name = &given.name;
        if let Some(index) = argument.get_index() {
            places.push((index, given));
        } else if is_flag(argument) {
            options.push(format!("--{name}").into());
        } else {
            // With `=` in one word, no other word is taken for a value.
            options.extend(given.values.iter().map(|value| format!("--{name}={value}").into()));
        }
    }
    let at = behind_the_names(command, &leaf.path, &words);
    let rest = words.split_off(at);
    let has_dashes = rest.iter().any(|word| word == "--");
    words.extend(options);
    words.extend(rest);
    if !places.is_empty() && !has_dashes {
        words.push("--".into());
    }
    places.sort_by_key(|(index, _)| *index);
    words.extend(places.iter().flat_map(|(_, given)| given.values.iter().map(OsString::from)));
    words
}

/// Where the names of the subcommands end.
pub(super) fn behind_the_names(command: &Command, path: &[String], words: &[OsString]) -> usize {
    let mut names = path.iter().peekable();
    let mut command = command;
    let mut at = 1;
    while let (Some(name), Some(word)) = (names.peek(), words.get(at)) {
        at += 1;
        let word = word.to_string_lossy();
        let takes_value = command.get_arguments().any(|argument| {
            let long = argument.get_long().is_some_and(|long| *word == *format!("--{long}"));
            let short = argument.get_short().is_some_and(|short| *word == *format!("-{short}"));
            (long || short) && argument.get_action().takes_values()
        });
        if takes_value {
            at += 1;
        } else if let Some(below) = command.find_subcommand(&*word)
            && below.get_name() == name.as_str()
        {
            command = below;
            names.next();
        }
    }
    at.min(words.len())
}
