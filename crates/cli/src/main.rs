//! The `lookalike` command: parses arguments, runs a job of the library, prints results and messages.
//!
//! No algorithm lives here. [`args`] says what can be typed, [`command`] has one file for each
//! subcommand, [`terminal`] draws progress and tables, [`interrupt`] turns signals into a clean stop,
//! [`exit`] defines the exit codes.

mod args;
mod command;
mod exit;
mod interrupt;
mod terminal;

use clap::Parser;
use exit::Exit;
use lookalike::LookalikeError;
use std::io::ErrorKind;
use std::process::ExitCode;
use terminal::tell;

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(report_panic));
    let cli = args::Cli::parse();
    let exit = match std::panic::catch_unwind(|| command::run(&cli)) {
        Ok(Ok(exit)) => exit,
        Ok(Err(error)) => failed(&error),
        // Reported where it happened.
        Err(_) => Exit::Internal,
    };
    exit.into()
}

/// Says what failed and returns its exit code.
fn failed(error: &anyhow::Error) -> Exit {
    let exit = Exit::of(error);
    let kept = error.downcast_ref::<LookalikeError>().and_then(LookalikeError::kept);
    match exit {
        Exit::Interrupted | Exit::Terminated => match kept {
            Some(kept) => tell(format_args!(
                "lookalike: interrupted; no result was written. What was done is kept in {}: run the same \
                 command with --resume to continue, or delete that directory to start again",
                kept.display()
            )),
            None => tell("lookalike: interrupted; nothing was written"),
        },
        // A reader that has had enough (`lookalike … | head`) is not a failure worth words.
        Exit::Failed if is_broken_pipe(error) => return Exit::Done,
        Exit::Usage => {
            tell(format_args!("lookalike: {error}\n\nFor more information, try '--help'."));
        }
        // Messages of the library name their causes themselves.
        _ => tell(format_args!("lookalike: {error}")),
    }
    exit
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = match error.downcast_ref::<serde_json::Error>() {
        Some(json) => json.io_error_kind(),
        None => error.downcast_ref::<std::io::Error>().map(std::io::Error::kind),
    };
    kind == Some(ErrorKind::BrokenPipe)
}

/// Names a panic as what it is: a fault of the program.
fn report_panic(panic: &std::panic::PanicHookInfo<'_>) {
    let message = panic.payload_as_str().unwrap_or("no message");
    let place = panic.location().map(|place| format!(" ({place})")).unwrap_or_default();
    tell(format_args!(
        "lookalike: internal error: {message}{place}\nThis is a fault of lookalike {}: please report it \
         with the command line. No result was written; a run that keeps what is done (--resume, \
         --scratch) can be resumed.",
        env!("CARGO_PKG_VERSION")
    ));
}
