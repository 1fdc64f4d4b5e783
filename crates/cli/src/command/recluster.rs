//! `lookalike recluster RUN --threshold T`

use super::run::print_summary;
use crate::args::{FormatArg, LinkageArg, MeasureArg, ReclusterArgs, TablesArg};
use crate::interrupt;
use crate::terminal::TerminalProgress;
use lookalike::{Linkage, Measure, ReclusterJob, TableFormat, recluster};
use std::process::ExitCode;

pub(super) fn run(args: &ReclusterArgs) -> anyhow::Result<ExitCode> {
    let job = ReclusterJob {
        measure: args.measure.map(|measure| match measure {
            MeasureArg::Resemblance => Measure::Resemblance,
            MeasureArg::Containment => Measure::Containment,
            MeasureArg::Cosine => Measure::Cosine,
        }),
        linkage: args.linkage.map(|linkage| match linkage {
            LinkageArg::Leaders => Linkage::Leaders,
            LinkageArg::Components => Linkage::Components,
        }),
        keep: args.keep.clone(),
        force: args.force,
        tables: match args.tables {
            TablesArg::Parquet => TableFormat::Parquet,
            TablesArg::Tsv => TableFormat::Tsv,
            TablesArg::Jsonl => TableFormat::Jsonl,
        },
        command: super::run::command_line(),
        ..ReclusterJob::new(&args.run, &args.threshold, &args.output)
    };
    interrupt::listen()?;
    let progress = TerminalProgress::new(args.quiet);
    let summary = recluster(&job, &progress);
    progress.finish();
    print_summary(&summary?, args.format == FormatArg::Json, args.quiet, &args.output)?;
    Ok(ExitCode::SUCCESS)
}
