//! The subcommands, one file each.

mod collapse;
mod compare;
mod compare_runs;
mod completions;
mod decontaminate;
mod dry_run;
mod evaluate;
mod explain;
mod filter;
mod index;
mod jobs;
mod lexicon;
mod man;
mod marked_mail;
mod methods;
#[cfg(feature = "service")]
mod milter;
mod passages;
mod plan;
mod presets;
mod problems;
mod query;
mod query_batch;
mod query_passages;
mod recluster;
mod run;
mod search;
#[cfg(feature = "service")]
mod serve;
mod settings;
mod show;
mod stream;
mod sweeps;
mod undo;
#[cfg(feature = "service")]
mod view;

use crate::args::{
    Cli, ClusterArgs, Command, DecontaminateArgs, EvaluateArgs, PassagesArgs, PlanArgs,
    ReclusterArgs, RunArgs, SearchArgs,
};
use crate::exit::Exit;
use crate::log;

/// Runs a subcommand.
pub(crate) fn run(cli: &Cli) -> anyhow::Result<Exit> {
    match &cli.command {
        Command::Dedup(args) => log::choose(args.run.log.log),
        Command::Cluster(ClusterArgs { run: RunArgs { log, .. }, .. })
        | Command::Decontaminate(DecontaminateArgs { search: SearchArgs { log, .. }, .. })
        | Command::Passages(PassagesArgs { search: SearchArgs { log, .. }, .. })
        | Command::Recluster(ReclusterArgs { log, .. })
        | Command::Evaluate(EvaluateArgs { log, .. })
        | Command::Plan(PlanArgs { log, .. }) => log::choose(log.log),
        #[cfg(feature = "service")]
        Command::Serve(crate::args::ServeArgs { log, .. })
        | Command::Front(crate::args::FrontArgs { log, .. })
        | Command::Milter(crate::args::MilterArgs { log, .. }) => log::choose(log.log),
        _ => {}
    }
    match &cli.command {
        Command::Dedup(args) => {
            stream::check(&args.run.output.output, &args.stream)?;
            match stream::is_stream(&args.run.output.output) && !args.run.dry_run {
                true => stream::dedup(args),
                false => run::dedup(args),
            }
        }
        Command::Cluster(args) => {
            stream::refuse(&args.run.output.output)?;
            run::cluster(args)
        }
        Command::Decontaminate(args) => decontaminate::run(args),
        Command::Passages(args) => passages::run(args),
        Command::Compare(args) => compare::run(args),
        Command::CompareRuns(args) => compare_runs::run(args),
        Command::Evaluate(args) => evaluate::run(args),
        Command::Explain(args) => explain::run(args),
        Command::Show(args) => show::run(args),
        Command::Undo(args) => undo::run(args),
        Command::Index(command) => index::run(command),
        Command::Query(args) => query::run(args),
        Command::Filter(args) => filter::run(args),
        Command::Collapse(args) => collapse::run(args),
        #[cfg(feature = "service")]
        Command::Serve(args) => serve::run(args),
        #[cfg(feature = "service")]
        Command::Front(args) => serve::run_front(args),
        #[cfg(feature = "service")]
        Command::Milter(args) => milter::run(args),
        #[cfg(feature = "service")]
        Command::View(args) => view::run(args),
        Command::Lexicon(command) => lexicon::run(command),
        Command::Methods(args) => methods::run(args),
        Command::Presets(args) => presets::run(args),
        Command::Man(args) => man::run(args),
        Command::Plan(args) => plan::run(args),
        Command::Recluster(args) => recluster::run(args),
        Command::Completions { shell } => completions::run(*shell),
    }
}
