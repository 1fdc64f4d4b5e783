//! The `lookalike` command: parses arguments, runs a job of the library, prints results and
//! messages.
//!
//! No algorithm lives here. [`args`] defines the arguments, [`config`] adds those of files and the
//! environment, [`command`] has one file for each subcommand, [`progress`] shows progress,
//! [`terminal`] prints messages and tables, [`log`] writes them as JSON lines, [`flags`] names the
//! options in messages of
//! the library, [`interrupt`] turns signals into a clean stop, [`exit`] defines the exit codes,
//! [`fault`] reports panics.

// These macros panic if standard error cannot be written; `terminal::tell` does not.
#![warn(clippy::print_stderr, clippy::print_stdout)]

mod args;
mod command;
mod config;
mod exit;
mod fault;
mod flags;
mod interrupt;
mod log;
mod progress;
mod terminal;
mod visible;

use clap::{CommandFactory, FromArgMatches};
use exit::{Exit, WrongUsage};
use flags::with_flags;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::process::ExitCode;
use terminal::tell;
use visible::visible;

fn main() -> ExitCode {
    fault::remember_panics();
    lookalike::quiet_decoder_panics();
    let (cli, configured) = match parse() {
        Ok(parsed) => parsed,
        Err(Wrong::Config(wrong)) => return failed(&wrong.into(), None).into(),
        Err(Wrong::Words(error, origins)) => return usage(&error, &origins),
    };
    let exit = match std::panic::catch_unwind(|| command::run(&cli)) {
        Ok(Ok(exit)) => exit,
        Ok(Err(error)) => failed(&error, Some(&configured)),
        // Outside the library, which returns an error for its own.
        Err(panic) => {
            let message = fault::message(panic.as_ref());
            tell(fault::report(&format!("lookalike: internal error: {message}")));
            Exit::Internal
        }
    };
    exit.into()
}

/// Arguments that cannot be used.
enum Wrong {
    /// A configuration file or variable.
    Config(WrongUsage),
    /// The command line; the text says which options come from elsewhere.
    Words(clap::Error, String),
}

/// The arguments, with those of the configuration; [`flags`] learns which subcommand they name.
fn parse() -> Result<(args::Cli, config::Complete), Wrong> {
    let words: Vec<OsString> = std::env::args_os().collect();
    let mut command = only_the_first(args::Cli::command(), &words);
    // Makes global options part of every subcommand.
    command.build();
    let complete = config::complete(&command, args::Cli::command, words).map_err(Wrong::Config)?;
    let wrong = |error: clap::Error| {
        let origins = complete.origins(&error.render().to_string());
        Wrong::Words(error, origins)
    };
    let matches = command.try_get_matches_from_mut(&complete.words).map_err(wrong)?;
    flags::remember(&matches);
    complete.remember(&command, &matches);
    match args::Cli::from_arg_matches(&matches) {
        Ok(cli) => Ok((cli, complete)),
        Err(error) => Err(wrong(error.format(&mut args::Cli::command()))),
    }
}

/// The command without the arguments of subcommands other than the first word: they would take
/// longer to make than `compare` takes. All of them if the first word is none (`help`, an option).
fn only_the_first(command: clap::Command, words: &[OsString]) -> clap::Command {
    let first = words.get(1).and_then(|word| command.find_subcommand(word));
    let Some(first) = first.map(|first| first.get_name().to_owned()) else { return command };
    command.mut_subcommands(|below| match below.get_name() == first {
        true => below,
        false => clap::Command::new(below.get_name().to_owned()),
    })
}

/// Prints an error, with the source of those options in it that are not from the command line, and
/// returns its exit code.
fn failed(error: &anyhow::Error, configured: Option<&config::Complete>) -> Exit {
    let exit = Exit::of(error);
    let origins = configured.map(|configured| configured.origins(&with_flags(&error.to_string())));
    let origins = match origins.as_deref() {
        None | Some("") => String::new(),
        Some(origins) => format!("\n{}", origins.trim_end()),
    };
    match exit {
        // A closed pipe (`lookalike … | head`) is not an error.
        Exit::Failed if is_broken_pipe(error) => return Exit::Done,
        Exit::Usage => {
            tell(format_args!(
                "lookalike: {error}{origins}\n\nFor more information, try '--help'."
            ));
        }
        // Messages of the library include their causes.
        Exit::Internal => tell(fault::report(&format!("lookalike: {error}"))),
        _ => tell(format_args!("lookalike: {error}{origins}")),
    }
    exit
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = match error.downcast_ref::<serde_json::Error>() {
        Some(json) => json.io_error_kind(),
        None => {
            let mut causes =
                error.chain().filter_map(|cause| cause.downcast_ref::<std::io::Error>());
            causes.next().map(std::io::Error::kind)
        }
    };
    kind == Some(ErrorKind::BrokenPipe)
}

/// Prints an error about the arguments, or the requested help. The message may quote arguments with
/// escape sequences; then it is printed without colours and with the sequences made visible.
fn usage(error: &clap::Error, origins: &str) -> ExitCode {
    let plain = error.render().to_string();
    let seen = visible(&plain);
    if seen == plain && origins.is_empty() {
        error.exit();
    }
    tell(format_args!("{}\n{}", seen.trim_end(), origins).to_string().trim_end());
    Exit::Usage.into()
}
