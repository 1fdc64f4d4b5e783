//! `lookalike recluster RUN --threshold T`

use super::run::print_summary;
use crate::args::{FormatArg, ReclusterArgs};
use crate::exit::Exit;
use crate::interrupt;
use crate::progress::with_progress;
use anyhow::Context;
use lookalike::results::{ReclusterJob, recluster};

pub(super) fn run(args: &ReclusterArgs) -> anyhow::Result<Exit> {
    let job = ReclusterJob {
        measure: args.measure,
        linkage: args.linkage,
        witness: args.witness,
        keep: args.keep.as_ref().map(|rules| rules.concat()),
        contained_only: super::settings::settings(&[&args.contained])?.contained_only,
        force: args.force,
        tables: args.tables,
        report: !args.no_report,
        report_size: args.report.report_size as u64,
        command: super::jobs::command_line(),
        config: crate::config::text(),
        ..ReclusterJob::new(&args.run, &args.threshold, &args.output)
    };
    interrupt::listen()?;
    let summary = with_progress(args.quiet, |progress| recluster(&job, progress))?;
    let json = args.format == FormatArg::Json;
    let report = (!args.no_report).then(|| args.output.join("report.html"));
    print_summary(&summary, json, args.quiet, report.as_deref()).with_context(|| {
        format!("the result is in {}, but cannot be printed", args.output.display())
    })?;
    Ok(Exit::Done)
}
