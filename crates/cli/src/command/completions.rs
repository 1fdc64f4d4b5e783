//! `lookalike completions SHELL`

use crate::args::Cli;
use crate::exit::Exit;
use clap::CommandFactory;
use std::io::Write;

pub(super) fn run(shell: clap_complete::Shell) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "lookalike", &mut script);
    std::io::stdout().lock().write_all(&script)?;
    Ok(Exit::Done)
}
