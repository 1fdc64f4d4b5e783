//! `lookalike decontaminate TRAIN… --against BENCH…`

use super::search::{self, Search};
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
        force: search.force,
        settings,
        contamination: super::settings::of_group(
            ContaminationSettings::default(),
            &args.contamination,
        )?,
        action: args.action,
        mark_prefix: args.mark_prefix.clone(),
        tables: search.tables,
        max_loss: args.max_loss.clone(),
        strict: input.strict,
        skip_unreadable: input.skip_unreadable,
        threads: search.threads.unwrap_or(0),
        memory: search.memory.map(|bytes| bytes as u64),
        scratch: search.scratch.clone(),
        command: super::jobs::command_line(),
        config: crate::config::text(),
        ..DecontaminateJob::new(input.inputs.clone(), args.against.clone(), &search.output)
    };
    interrupt::listen()?;
    let outcome = with_progress(search.quiet, |progress| run_decontaminate(&job, progress))?;
    let summary = &outcome.summary;
    search::report(
        &Search {
            summary,
            documents: summary.documents,
            problems: (summary.problems + summary.item_problems, &outcome.problems),
            skipped: &outcome.skipped,
            left_out: &outcome.left_out,
            warnings: &summary.warnings,
            tables: || (summary.table(), summary.benchmark_table()),
        },
        search,
    )?;
    Ok(Exit::after(summary.documents, summary.problems))
}
