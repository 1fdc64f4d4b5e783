//! `lookalike dedup` and `lookalike cluster`

use super::jobs::{cluster_job, dedup_job};
use super::problems;
use crate::args::{ClusterArgs, DedupArgs, FormatArg, OutputArgs};
use crate::exit::Exit;
use crate::flags::with_flags;
use crate::interrupt;
use crate::log::{self, Log};
use crate::progress::with_progress;
use crate::terminal::{pairs_table, tell, write_table};
use crate::visible::{visible, write_pretty};
use anyhow::Context;
use lookalike::{Job, Outcome, results::Summary};
use std::collections::BTreeMap;
use std::io::Write;

pub(super) fn dedup(args: &DedupArgs) -> anyhow::Result<Exit> {
    let job = dedup_job(args)?;
    match args.run.dry_run {
        true => super::dry_run::run(&job, &args.run.output, false),
        false => run(&job, &args.run.output, lookalike::run_dedup),
    }
}

pub(super) fn cluster(args: &ClusterArgs) -> anyhow::Result<Exit> {
    let job = cluster_job(args)?;
    match args.run.dry_run {
        true => super::dry_run::run(&job, &args.run.output, true),
        false => run(&job, &args.run.output, lookalike::run_cluster),
    }
}

type Run = fn(&Job, &dyn lookalike::Progress) -> Result<Outcome, lookalike::LookalikeError>;

fn run(job: &Job, output: &OutputArgs, run: Run) -> anyhow::Result<Exit> {
    interrupt::listen()?;
    let outcome = with_progress(output.quiet, |progress| run(job, progress))?;
    report_problems(&outcome, output);
    if output.verbose {
        problems::print_skipped(&outcome.skipped, problems::SHOWN_SKIPPED);
        problems::print_left_out(&outcome.left_out, problems::SHOWN_SKIPPED);
    }
    report_skipped_records(&outcome, output);
    if output.verbose {
        outcome.summary.boilerplate_lines().iter().for_each(|line| tell(format_args!("{line}")));
    }
    let json = output.format == FormatArg::Json;
    let report = job.report.then(|| job.output.join("report.html"));
    print_summary(&outcome.summary, json, output.quiet, report.as_deref()).with_context(|| {
        format!("the result is in {}, but cannot be printed", job.output.display())
    })?;
    Ok(Exit::after(outcome.summary.documents, outcome.summary.problems))
}

/// Prints the summary as a table or as JSON, and the path of the report if there is one.
pub(super) fn print_summary(
    summary: &Summary,
    json: bool,
    quiet: bool,
    report: Option<&std::path::Path>,
) -> anyhow::Result<()> {
    write_summary(&mut std::io::stdout().lock(), summary, json, quiet, report)
}

/// Writes the summary as [`print_summary`] prints it.
pub(super) fn write_summary(
    out: &mut impl Write,
    summary: &Summary,
    json: bool,
    quiet: bool,
    report: Option<&std::path::Path>,
) -> anyhow::Result<()> {
    // Always on standard error: they affect which documents are kept.
    let urgent = summary.urgent_warnings();
    if !quiet {
        urgent.iter().for_each(|warning| tell(format_args!("lookalike: warning: {warning}")));
    }
    if log::form() == Log::Json && !quiet {
        let others = summary.warnings.iter().filter(|warning| !urgent.contains(warning));
        others.for_each(|warning| log::warning(&with_flags(warning)));
        log::result(summary);
    }
    if json {
        write_pretty(out, summary)?;
    } else if !quiet {
        write_table(out, &pairs_table(summary.table()))?;
        for warning in summary.warnings.iter().filter(|warning| !urgent.contains(warning)) {
            writeln!(out, "Warning: {}", visible(&with_flags(warning)))?;
        }
        if let Some(report) = report {
            writeln!(out, "\nReport: {}", visible(&report.display().to_string()))?;
        }
    }
    Ok(())
}

/// Counts the records of web archives that are no documents, by kind.
fn report_skipped_records(outcome: &Outcome, output: &OutputArgs) {
    let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
    let inputs = outcome.summary.inputs.iter();
    for (kind, records) in inputs.flat_map(|input| &input.skipped_records) {
        *kinds.entry(kind).or_default() += records;
    }
    if output.quiet || kinds.is_empty() {
        return;
    }
    let all: u64 = kinds.values().sum();
    let mut kinds: Vec<(&str, u64)> = kinds.into_iter().collect();
    kinds.sort_by_key(|&(kind, records)| (std::cmp::Reverse(records), kind));
    let shown = kinds.iter().take(problems::SHOWN_SKIPPED);
    let mut shown: Vec<String> = shown.map(|(kind, n)| format!("{n} {kind}")).collect();
    if let Some(more @ 1..) = kinds.len().checked_sub(problems::SHOWN_SKIPPED) {
        shown.push(format!("and {more} more kinds"));
    }
    tell(format_args!("records that are no documents: {all} ({})", shown.join(", ")));
}

/// Lists bad records on standard error: the first few, or all with `--verbose`. They are the error if
/// there is nothing else.
fn report_problems(outcome: &Outcome, output: &OutputArgs) {
    let (listed, all) = (outcome.problems.len(), outcome.summary.problems);
    if !output.quiet || outcome.summary.documents == 0 {
        let shown = if output.verbose { listed } else { problems::SHOWN };
        let which = match all == listed as u64 {
            true => "all of them".to_string(),
            false => format!("the first {listed}"),
        };
        let advice = format!("; {which} are in {}", job_problems(output).display());
        problems::print(&outcome.problems, all, shown, &advice);
    }
    if output.verbose {
        for (name, seconds) in &outcome.phases {
            tell(format_args!("{name:>16} {seconds:.3} s"));
        }
    }
}

fn job_problems(output: &OutputArgs) -> std::path::PathBuf {
    output.output.join("problems").with_extension(output.tables.extension())
}
