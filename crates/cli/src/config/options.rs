//! The options of a command, as clap knows them.

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use std::ffi::OsString;

/// The subcommand that runs, and its arguments.
pub(super) struct Leaf<'a> {
    /// Its names: `["index", "add"]`.
    pub(super) path: Vec<String>,
    pub(super) command: &'a Command,
    pub(super) matches: &'a ArgMatches,
}

impl<'a> Leaf<'a> {
    /// The innermost subcommand of a parsed command line; `None` without one.
    pub(super) fn of(command: &'a Command, matches: &'a ArgMatches) -> Option<Self> {
        let mut leaf = Self { path: Vec::new(), command, matches };
        while let Some((name, below)) = leaf.matches.subcommand() {
            leaf.command = leaf.command.find_subcommand(name)?;
            leaf.path.push(name.to_owned());
            leaf.matches = below;
        }
        (!leaf.path.is_empty()).then_some(leaf)
    }

    /// Its arguments that a configuration can set.
    pub(super) fn arguments(&self) -> impl Iterator<Item = &'a Arg> {
        self.command.get_arguments().filter(|argument| settable(argument))
    }

    /// The argument of a key.
    pub(super) fn find(&self, key: &str) -> Option<&'a Arg> {
        self.arguments().find(|argument| is_called(argument, key))
    }

    /// Whether an argument was typed.
    pub(super) fn is_typed(&self, argument: &Arg) -> bool {
        let id = argument.get_id().as_str();
        let known = self.matches.try_contains_id(id).is_ok();
        known && self.matches.value_source(id) == Some(ValueSource::CommandLine)
    }

    /// The values of an argument, typed or not.
    pub(super) fn values(&self, argument: &Arg) -> Vec<OsString> {
        let raw = self.matches.try_get_raw(argument.get_id().as_str());
        raw.ok().flatten().map(|values| values.map(OsString::from).collect()).unwrap_or_default()
    }

    /// The value of an argument that was typed.
    pub(super) fn typed(&self, id: &str) -> Option<OsString> {
        let argument = self.command.get_arguments().find(|argument| argument.get_id() == id)?;
        self.is_typed(argument).then(|| self.values(argument).into_iter().next()).flatten()
    }

    /// Whether two arguments exclude each other.
    pub(super) fn conflict(&self, a: &Arg, b: &Arg) -> bool {
        let excludes = |a: &Arg, b: &Arg| {
            let excluded = self.command.get_arg_conflicts_with(a);
            excluded.iter().any(|other| other.get_id() == b.get_id())
        };
        excludes(a, b) || excludes(b, a)
    }
}

/// Whether a configuration can set an argument: not help, and not the configuration itself.
pub(super) fn settable(argument: &Arg) -> bool {
    !matches!(argument.get_id().as_str(), "help" | "version" | "config")
}

/// Whether an option takes no value.
pub(super) fn is_flag(argument: &Arg) -> bool {
    matches!(argument.get_action(), ArgAction::SetTrue)
}

/// The name of an argument in a configuration: its long option, or the name of its place.
pub(super) fn name_of(argument: &Arg) -> String {
    let long = argument.get_long().map(str::to_owned);
    long.unwrap_or_else(|| argument.get_id().as_str().replace('_', "-"))
}

fn is_called(argument: &Arg, key: &str) -> bool {
    let aliases = argument.get_all_aliases().unwrap_or_default();
    name_of(argument) == key || aliases.contains(&key)
}

/// All names of arguments of a command and of those below it.
pub(super) fn all_names(command: &Command) -> Vec<String> {
    let own = command.get_arguments().filter(|argument| settable(argument)).flat_map(|argument| {
        let aliases = argument.get_all_aliases().unwrap_or_default();
        std::iter::once(name_of(argument)).chain(aliases.into_iter().map(str::to_owned))
    });
    let below = command.get_subcommands().flat_map(all_names);
    let mut names: Vec<String> = own.chain(below).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The name that is most like a wrong one, if any is.
pub(super) fn like(wrong: &str, names: &[String]) -> Option<String> {
    let most = 1 + wrong.chars().count() / 5;
    let by_distance = names.iter().map(|name| (strsim::damerau_levenshtein(wrong, name), name));
    let (distance, name) = by_distance.min()?;
    (distance <= most).then(|| name.clone())
}
