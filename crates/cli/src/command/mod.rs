//! The subcommands, one file each.

mod collapse;
mod compare;
mod completions;
mod evaluate;
mod explain;
mod filter;
mod index;
mod lexicon;
mod man;
mod methods;
mod plan;
mod presets;
mod problems;
mod query;
mod recluster;
mod run;
mod settings;
mod sweeps;

use crate::args::{Cli, Command};
use crate::exit::Exit;

/// Runs a subcommand.
pub(crate) fn run(cli: &Cli) -> anyhow::Result<Exit> {
    match &cli.command {
        Command::Dedup(args) => run::dedup(args),
        Command::Cluster(args) => run::cluster(args),
        Command::Compare(args) => compare::run(args),
        Command::Evaluate(args) => evaluate::run(args),
        Command::Explain(args) => explain::run(args),
        Command::Index(command) => index::run(command),
        Command::Query(args) => query::run(args),
        Command::Filter(args) => filter::run(args),
        Command::Collapse(args) => collapse::run(args),
        Command::Lexicon(command) => lexicon::run(command),
        Command::Methods(args) => methods::run(args),
        Command::Presets(args) => presets::run(args),
        Command::Man(args) => man::run(args),
        Command::Plan(args) => plan::run(args),
        Command::Recluster(args) => recluster::run(args),
        Command::Completions { shell } => completions::run(*shell),
    }
}
