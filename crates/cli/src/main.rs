//! The `lookalike` command: parses arguments, runs a job of the library, prints results and
//! messages.
//!
//! No algorithm lives here. [`args`] defines the arguments, [`command`] has one file for each
//! subcommand, [`progress`] shows progress, [`terminal`] prints messages and tables, [`log`] writes
//! them as JSON lines, [`flags`] names the options in messages of
//! the library, [`interrupt`] turns signals into a clean stop, [`exit`] defines the exit codes,
//! [`fault`] reports panics.

// These macros panic if standard error cannot be written; `terminal::tell` does not.
#![warn(clippy::print_stderr, clippy::print_stdout)]

mod args;
mod command;
mod exit;
mod fault;
mod flags;
mod interrupt;
mod log;
mod progress;
mod terminal;
mod visible;

use clap::{CommandFactory, FromArgMatches};
use exit::Exit;
use std::io::ErrorKind;
use std::process::ExitCode;
use terminal::tell;
use visible::visible;

fn main() -> ExitCode {
    fault::remember_panics();
    lookalike::quiet_decoder_panics();
    let cli = match parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let exit = match std::panic::catch_unwind(|| command::run(&cli)) {
        Ok(Ok(exit)) => exit,
        Ok(Err(error)) => failed(&error),
        // Outside the library, which returns an error for its own.
        Err(panic) => {
            let message = fault::message(panic.as_ref());
            tell(fault::report(&format!("lookalike: internal error: {message}")));
            Exit::Internal
        }
    };
    exit.into()
}

/// The arguments; [`flags`] learns which subcommand they name.
fn parse() -> clap::error::Result<args::Cli> {
    let matches = args::Cli::command().try_get_matches()?;
    flags::remember(&matches);
    args::Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut args::Cli::command()))
}

/// Prints an error and returns its exit code.
fn failed(error: &anyhow::Error) -> Exit {
    let exit = Exit::of(error);
    match exit {
        // A closed pipe (`lookalike … | head`) is not an error.
        Exit::Failed if is_broken_pipe(error) => return Exit::Done,
        Exit::Usage => {
            tell(format_args!("lookalike: {error}\n\nFor more information, try '--help'."));
        }
        // Messages of the library include their causes.
        Exit::Internal => tell(fault::report(&format!("lookalike: {error}"))),
        _ => tell(format_args!("lookalike: {error}")),
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
fn usage(error: &clap::Error) -> ExitCode {
    let plain = error.render().to_string();
    let seen = visible(&plain);
    if seen == plain {
        error.exit();
    }
    tell(seen.trim_end());
    Exit::Usage.into()
}
