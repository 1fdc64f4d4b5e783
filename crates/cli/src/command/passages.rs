//! `lookalike passages INPUT…`

use super::search::{self, Printed};
use crate::args::PassagesArgs;
use crate::exit::Exit;
use crate::interrupt;
use crate::progress::with_progress;
use lookalike::passages::{PassageScope, PassageSettings, PassagesJob, run_passages};

pub(super) fn run(args: &PassagesArgs) -> anyhow::Result<Exit> {
    let PassagesArgs { input, search, .. } = args;
    let mut settings = super::settings::settings(&[&input.fields, &args.separate_by, &args.keep])?;
    settings.analysis = search.analysis();
    let passages = super::settings::of_group(PassageSettings::default(), &args.passages)?;
    let scope = match (args.within, args.across) {
        (true, _) => PassageScope::Within,
        (_, true) => PassageScope::Across,
        _ => PassageScope::All,
    };
    let job = PassagesJob {
        against: args.against.clone(),
        report: !args.no_report,
        resume: args.resume.resume,
        settings,
        passages: PassageSettings { scope, ..passages },
        run: search::search_run(search, input, args.max_loss.as_ref()),
        ..PassagesJob::new(input.inputs.clone(), &search.output)
    };
    interrupt::listen()?;
    let outcome = with_progress(search.quiet, |progress| run_passages(&job, progress))?;
    let summary = &outcome.summary;
    let printed = Printed {
        documents: summary.documents,
        problems: summary.problems,
        warnings: &summary.warnings,
        pairs: summary.table(),
        numbers: Vec::new(),
    };
    search::report(&outcome, printed, search)?;
    Ok(Exit::after(summary.documents, summary.problems))
}
