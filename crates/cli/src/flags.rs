//! Turns the setting names of the library's messages into options of the command line.
//!
//! The library is also called from other languages, where settings are keyword arguments: its
//! messages say `the setting max_record` or `the setting keep=newest`. Printed here, they say
//! `--max-record` and `--keep=newest`, which can be typed.

use crate::args::Cli;
use clap::CommandFactory;
use std::sync::{LazyLock, OnceLock};

/// What the library writes before the name of a setting; a capital letter may begin it.
const PHRASES: [&str; 2] = ["the setting ", "The setting "];

/// The command line that runs, as the names of its subcommands: `["dedup"]`, `["lexicon",
/// "build"]`.
static RUNNING: OnceLock<Vec<String>> = OnceLock::new();

static COMMAND: LazyLock<clap::Command> = LazyLock::new(Cli::command);

/// Records which subcommand runs. Later calls have no effect.
pub(crate) fn remember(matches: &clap::ArgMatches) {
    let mut path = Vec::new();
    let mut matches = matches;
    while let Some((name, below)) = matches.subcommand() {
        path.push(name.to_owned());
        matches = below;
    }
    let _ = RUNNING.set(path);
}

/// The message with the options of the subcommand that runs; unchanged before [`remember`].
pub(crate) fn with_flags(message: &str) -> String {
    match RUNNING.get() {
        Some(running) => translate(message, &COMMAND, running),
        None => message.to_owned(),
    }
}

/// Replaces `the setting NAME` by `--name` where that is an option of the subcommand `running`, or
/// of a subcommand that the message names in backticks ("run `cluster` again with the setting
/// max_pairs"). Other names stay: what cannot be typed is not suggested.
fn translate(message: &str, command: &clap::Command, running: &[String]) -> String {
    if !PHRASES.iter().any(|phrase| message.contains(phrase)) {
        return message.to_owned();
    }
    let mut commands: Vec<&clap::Command> = subcommand(command, running).into_iter().collect();
    let quoted = message.split('`').skip(1).step_by(2);
    commands.extend(quoted.filter_map(|quoted| {
        let names: Vec<String> = quoted.split(' ').map(str::to_owned).collect();
        subcommand(command, &names)
    }));
    let is_option = |name: &str| {
        let mut arguments = commands.iter().flat_map(|command| command.get_arguments());
        arguments.any(|argument| argument.get_long() == Some(name))
    };
    let mut out = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(start) = PHRASES.iter().filter_map(|phrase| rest.find(phrase)).min() {
        let behind = &rest[start + PHRASES[0].len()..];
        let name = &behind[..behind.find(|c| !in_word(c)).unwrap_or(behind.len())];
        let option = name.replace('_', "-");
        // The first half of a word like "breathe" is no article.
        let before = rest[..start].chars().next_back().or(out.chars().next_back());
        let whole = !before.is_some_and(in_word);
        if whole && !name.contains('-') && is_option(&option) {
            out.push_str(&rest[..start]);
            out.push_str("--");
            out.push_str(&option);
            rest = &behind[name.len()..];
        } else {
            out.push_str(&rest[..start + PHRASES[0].len()]);
            rest = behind;
        }
    }
    out.push_str(rest);
    out
}

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

/// The subcommand at a path of names, which has at least one.
fn subcommand<'a>(command: &'a clap::Command, path: &[String]) -> Option<&'a clap::Command> {
    let (first, below) = path.split_first()?;
    let found = command.get_subcommands().find(|command| command.get_name() == first)?;
    if below.is_empty() { Some(found) } else { subcommand(found, below) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(running: &[&str], message: &str) -> String {
        let running: Vec<String> = running.iter().map(ToString::to_string).collect();
        translate(message, &Cli::command(), &running)
    }

    #[test]
    fn settings_become_options_of_the_subcommand() {
        for (message, wanted) in [
            ("raise the setting max_record to read it", "raise --max-record to read it"),
            ("name it with the setting text_field", "name it with --text-field"),
            ("The setting keep=max:score uses it", "--keep=max:score uses it"),
            ("(the setting min_features).", "(--min-features)."),
            (
                "another with the setting output, or replace it with the setting force",
                "another with --output, or replace it with --force",
            ),
            ("größer: the setting memory; the setting scratch", "größer: --memory; --scratch"),
        ] {
            assert_eq!(said(&["dedup"], message), wanted);
        }
    }

    #[test]
    fn what_is_no_option_stays() {
        for message in [
            "",
            "the setting",
            "the setting ",
            "the setting the setting ",
            "the setting nosuch",
            "the setting max_records",
            "the setting max_record_2",
            "the setting max-record",
            "the setting memoryé",
            "breathe setting memory",
            "the settings memory",
            "the setting of memory",
            "the setting `memory`",
            "the setting labels",
            "`nosuch` with the setting labels",
        ] {
            assert_eq!(said(&["dedup"], message), message);
        }
        assert_eq!(said(&["dedup"], "the setting the setting force"), "the setting --force");
        assert_eq!(said(&[], "the setting memory"), "the setting memory");
        assert_eq!(said(&["lexicon"], "the setting output"), "the setting output");
        assert_eq!(said(&["lexicon", "build"], "the setting output"), "--output");
        assert_eq!(said(&["lexicon", "show"], "the setting output"), "the setting output");
    }

    #[test]
    fn a_message_that_names_a_subcommand_means_its_options() {
        let message = "run `cluster` again with the setting max_pairs";
        assert_eq!(said(&["recluster"], message), "run `cluster` again with --max-pairs");
        let message = "its field `cluster` names the setting max_pairs, `x` the setting threshold";
        let wanted = "its field `cluster` names --max-pairs, `x` --threshold";
        assert_eq!(said(&["recluster"], message), wanted);
        let message = "made by `lexicon build` with the setting spam";
        assert_eq!(said(&["recluster"], message), message);
        let message = "an open ` before cluster and the setting max_pairs";
        assert_eq!(said(&["recluster"], message), message);
    }
}
