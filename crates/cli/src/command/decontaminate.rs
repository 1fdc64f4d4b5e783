//! `lookalike decontaminate TRAIN… --against BENCH…`

use super::search::{self, Printed};
use crate::args::DecontaminateArgs;
use crate::exit::Exit;
use crate::interrupt;
use crate::progress::with_progress;
use lookalike::contamination::{ContaminationSettings, DecontaminateJob, run_decontaminate};

pub(super) fn run(args: &DecontaminateArgs) -> anyhow::Result<Exit> {
    let DecontaminateArgs { input, search, .. } = args;
    let mut settings = super::settings::settings(&[&input.fields])?;
    settings.analysis = search.analysis();
    let job = DecontaminateJob {
        settings,
        contamination: super::settings::of_group(
            ContaminationSettings::default(),
            &args.contamination,
        )?,
        action: args.action,
        mark_prefix: args.mark_prefix.clone(),
        run: search::search_run(search, input, args.max_loss.as_ref()),
        ..DecontaminateJob::new(input.inputs.clone(), args.against.clone(), &search.output)
    };
    interrupt::listen()?;
    let outcome = with_progress(search.quiet, |progress| run_decontaminate(&job, progress))?;
    let summary = &outcome.summary;
    let printed = Printed {
        documents: summary.documents,
        problems: summary.problems + summary.item_problems,
        warnings: &summary.warnings,
        pairs: summary.table(),
        numbers: summary.benchmark_table(),
    };
    search::report(&outcome, printed, search)?;
    Ok(Exit::after(summary.documents, summary.problems))
}
