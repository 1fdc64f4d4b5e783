//! `lookalike dedup` and `lookalike cluster`

use super::problems;
use crate::args::{
    ClusterArgs, DedupArgs, FormatArg, InputArgs, LinkageArg, MatchArgs, MemoryArgs, OutputArgs,
    SeedArgs, WitnessArgs,
};
use crate::exit::Exit;
use crate::flags::with_flags;
use crate::interrupt;
use crate::log::{self, Log};
use crate::progress::TerminalProgress;
use crate::terminal::{pairs_table, tell, write_table};
use crate::visible::{visible, write_json};
use anyhow::Context;
use lookalike::{Job, Outcome, Settings, Summary, TableFormat};
use std::collections::BTreeMap;
use std::io::Write;

pub(super) fn dedup(args: &DedupArgs) -> anyhow::Result<Exit> {
    run(&dedup_job(args)?, &args.output, lookalike::run_dedup)
}

/// The job of `dedup`.
pub(super) fn dedup_job(args: &DedupArgs) -> anyhow::Result<Job> {
    let mut job = Job {
        attributes: args.attributes.attributes,
        near_misses: args.near.near_misses.clone(),
        max_loss: args.guards.max_loss.clone(),
        max_cluster: args.guards.max_cluster.clone(),
        against: args.against.clone(),
        against_only: args.against_only,
        mark: args.mark.then(|| args.mark_prefix.clone()),
        copy_files: args.copy_files,
        report_size: args.report.report_size as u64,
        memory: bytes(&args.memory),
        resume: args.earlier.resume,
        plan: args.earlier.plan.clone(),
        ..job(&args.input, &args.matching, &args.seed, &args.output, (args.linkage, &args.witness))?
    };
    job.settings.keep_n = args.survivors.keep_n();
    job.settings.contained_only.clone_from(&args.contained.contained_only);
    Ok(job)
}

pub(super) fn cluster(args: &ClusterArgs) -> anyhow::Result<Exit> {
    let mut job = Job {
        report_size: args.report.report_size as u64,
        attributes: args.attributes.attributes,
        near_misses: args.near.near_misses.clone(),
        memory: bytes(&args.memory),
        resume: args.earlier.resume,
        plan: args.earlier.plan.clone(),
        ..job(&args.input, &args.matching, &args.seed, &args.output, (args.linkage, &args.witness))?
    };
    job.settings.contained_only.clone_from(&args.contained.contained_only);
    run(&job, &args.output, lookalike::run_cluster)
}

pub(super) fn bytes(args: &MemoryArgs) -> Option<u64> {
    args.memory.map(|bytes| bytes as u64)
}

fn job(
    input: &InputArgs,
    matching: &MatchArgs,
    seed: &SeedArgs,
    output: &OutputArgs,
    survivors: (LinkageArg, &WitnessArgs),
) -> anyhow::Result<Job> {
    Ok(with_output(input, output, settings_of(input, matching, seed.seed, survivors)?))
}

/// Converts the matching arguments to settings.
pub(super) fn settings_of(
    input: &InputArgs,
    matching: &MatchArgs,
    seed: Option<u64>,
    (linkage, witness): (LinkageArg, &WitnessArgs),
) -> anyhow::Result<Settings> {
    let mut settings =
        super::settings::settings(matching.criterion.measure, &matching.analysis, &input.fields)?;
    settings.threshold = matching.criterion.threshold.clone();
    settings.min_features = matching.least.min_features;
    settings.keep = crate::args::keep_rules(&matching.keep);
    settings.ignore_common = matching.common.ignore_common;
    settings.method = super::settings::method(&matching.method, seed)?;
    settings.linkage = linkage.into();
    settings.witness = witness.witness.map(Into::into).unwrap_or_default();
    Ok(settings)
}

/// A job with these settings and the output arguments.
pub(super) fn with_output(input: &InputArgs, output: &OutputArgs, settings: Settings) -> Job {
    Job {
        force: output.force,
        settings,
        tables: output.tables.into(),
        report: !output.no_report,
        strict: input.strict,
        skip_unreadable: input.skip_unreadable,
        max_pairs: output.max_pairs,
        threads: output.running.threads,
        scratch: output.running.scratch.clone(),
        trim_heap: true,
        command: command_line(),
        config: crate::config::text(),
        ..Job::new(input.inputs.clone(), &output.output)
    }
}

/// The command line.
pub(super) fn command_line() -> String {
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    words.collect::<Vec<_>>().join(" ")
}

type Run = fn(&Job, &dyn lookalike::Progress) -> Result<Outcome, lookalike::LookalikeError>;

fn run(job: &Job, output: &OutputArgs, run: Run) -> anyhow::Result<Exit> {
    interrupt::listen()?;
    let progress = TerminalProgress::new(output.quiet);
    let outcome = run(job, &progress);
    progress.finish();
    let outcome = outcome?;
    report_problems(&outcome, output);
    report_skipped(&outcome, output);
    report_skipped_records(&outcome, output);
    let json = output.format == FormatArg::Json;
    let report = job.report.then(|| job.output.join("report.html"));
    print_summary(&outcome.summary, json, output.quiet, report.as_deref()).with_context(|| {
        format!("the result is in {}, but cannot be printed", job.output.display())
    })?;
    Ok(exit_code(outcome.summary.documents, outcome.summary.problems))
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
    let urgent = summary.keep_warnings();
    if !quiet {
        urgent.iter().for_each(|warning| tell(format_args!("lookalike: warning: {warning}")));
    }
    if log::form() == Log::Json && !quiet {
        let others = summary.warnings.iter().filter(|warning| !urgent.contains(warning));
        others.for_each(|warning| log::warning(&with_flags(warning)));
        log::result(summary);
    }
    if json {
        write_json(out, &serde_json::to_string_pretty(summary)?)?;
        writeln!(out)?;
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

/// Failure, with the reason on standard error, if no document was read: a script must not continue
/// with an empty collection by accident. The results are written all the same, because they list
/// the reasons.
pub(super) fn exit_code(documents: u64, problems: u64) -> Exit {
    let reason = match (documents, problems) {
        (1.., _) => return Exit::Done,
        (0, 0) => "the inputs hold no documents".to_owned(),
        (0, 1) => "the only record or file could not be used".to_owned(),
        (0, problems) => format!("none of {problems} records or files could be used"),
    };
    tell(format_args!("lookalike: no document was read: {reason}"));
    Exit::Failed
}

/// Number of skipped files listed with `--verbose`.
const SHOWN_SKIPPED: usize = 10;

/// Lists the first skipped files of input directories, with `--verbose`.
fn report_skipped(outcome: &Outcome, output: &OutputArgs) {
    if !output.verbose {
        return;
    }
    for path in outcome.skipped.iter().take(SHOWN_SKIPPED) {
        tell(format_args!("{}: skipped: {}", path.display(), lookalike::why_skipped(path)));
    }
    if let Some(more @ 1..) = outcome.skipped.len().checked_sub(SHOWN_SKIPPED) {
        tell(format_args!("and {more} more skipped files"));
    }
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
    let shown = kinds.iter().take(SHOWN_SKIPPED);
    let mut shown: Vec<String> = shown.map(|(kind, n)| format!("{n} {kind}")).collect();
    if kinds.len() > SHOWN_SKIPPED {
        shown.push(format!("and {} more kinds", kinds.len() - SHOWN_SKIPPED));
    }
    tell(format_args!("records that are no documents: {all} ({})", shown.join(", ")));
}

/// Lists bad records on standard error: the first few, or all with `--verbose`.
fn report_problems(outcome: &Outcome, output: &OutputArgs) {
    let (listed, all) = (outcome.problems.len(), outcome.summary.problems);
    if !output.quiet {
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
    output.output.join("problems").with_extension(TableFormat::from(output.tables).extension())
}
