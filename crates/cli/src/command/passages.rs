//! `lookalike passages INPUT…`

use super::search::{self, Search};
use crate::args::PassagesArgs;
use crate::exit::Exit;
use crate::interrupt;
use crate::progress::with_progress;
use lookalike::passages::{PassageSettings, PassagesJob, run_passages};

pub(super) fn run(args: &PassagesArgs) -> anyhow::Result<Exit> {
    let PassagesArgs { input, search, .. } = args;
    let mut settings = super::settings::settings(&[&input.fields])?;
    settings.analysis = search.analysis();
    let job = PassagesJob {
        against: args.against.clone(),
        force: search.force,
        settings,
        passages: super::settings::of_group(PassageSettings::default(), &args.passages)?,
        tables: search.tables,
        max_loss: args.max_loss.clone(),
        strict: input.strict,
        skip_unreadable: input.skip_unreadable,
        threads: search.threads.unwrap_or(0),
        memory: search.memory.map(|bytes| bytes as u64),
        scratch: search.scratch.clone(),
        command: super::jobs::command_line(),
        config: crate::config::text(),
        ..PassagesJob::new(input.inputs.clone(), &search.output)
    };
    interrupt::listen()?;
    let outcome = with_progress(search.quiet, |progress| run_passages(&job, progress))?;
    let summary = &outcome.summary;
    search::report(
        &Search {
            summary,
            documents: summary.documents,
            problems: (summary.problems, &outcome.problems),
            skipped: &outcome.skipped,
            left_out: &outcome.left_out,
            warnings: &summary.warnings,
            tables: || (summary.table(), Vec::new()),
        },
        search,
    )?;
    Ok(Exit::after(summary.documents, summary.problems))
}
