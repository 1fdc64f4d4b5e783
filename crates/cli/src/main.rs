//! The `lookalike` command: what was typed in, results and messages out.
//!
//! No algorithm lives here. [`args`] says what can be typed, [`command`] has one file for each
//! subcommand, [`terminal`] draws progress and tables, [`interrupt`] turns Ctrl-C into a clean stop.
//!
//! Exit codes: 0 done, 1 failed or nothing to read, 2 wrong usage, 130 interrupted.

mod args;
mod command;
mod interrupt;
mod terminal;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = args::Cli::parse();
    match command::run(&cli) {
        Ok(code) => code,
        Err(error) => {
            if let Some(interrupted) = error.downcast_ref::<lookalike::LookalikeError>()
                && interrupted.is_interrupt()
            {
                eprintln!("lookalike: interrupted; nothing was written");
                return ExitCode::from(130);
            }
            // A reader that has had enough (`lookalike … | head`) is not a failure worth words.
            let kind = match error.downcast_ref::<serde_json::Error>() {
                Some(json) => json.io_error_kind(),
                None => error.downcast_ref::<std::io::Error>().map(std::io::Error::kind),
            };
            if kind == Some(std::io::ErrorKind::BrokenPipe) {
                return ExitCode::SUCCESS;
            }
            eprintln!("lookalike: {error:#}");
            ExitCode::FAILURE
        }
    }
}
