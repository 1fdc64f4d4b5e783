//! `lookalike completions SHELL`

use crate::args::Cli;
use clap::CommandFactory;
use std::io::Write;
use std::process::ExitCode;

pub(super) fn run(shell: clap_complete::Shell) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "lookalike", &mut script);
    std::io::stdout().lock().write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}
