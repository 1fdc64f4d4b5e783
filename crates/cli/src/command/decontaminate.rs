//! `lookalike decontaminate TRAIN… --against BENCH…`

use super::problems;
use crate::args::{DecontaminateArgs, FormatArg};
use crate::exit::Exit;
use crate::flags::with_flags;
use crate::interrupt;
use crate::log::{self, Log};
use crate::progress::with_progress;
use crate::terminal::{numbers_table, pairs_table, write_table};
use crate::visible::{visible, write_pretty};
use anyhow::Context;
use lookalike::contamination::{
    ContaminationSettings, ContaminationSummary, DecontaminateJob, DecontaminateOutcome,
    run_decontaminate,
};
use lookalike::settings::AnalysisSettings;
use std::io::Write;

pub(super) fn run(args: &DecontaminateArgs) -> anyhow::Result<Exit> {
    let mut settings = super::settings::settings(&[&args.input.fields])?;
    settings.analysis = AnalysisSettings {
        normalize: args.normalize,
        tokens: args.tokens,
        case: args.case,
        ..AnalysisSettings::default()
    };
    let job = DecontaminateJob {
        force: args.force,
        settings,
        contamination: contamination(args)?,
        action: args.action,
        mark_prefix: args.mark_prefix.clone(),
        tables: args.tables,
        max_loss: args.max_loss.clone(),
        strict: args.input.strict,
        skip_unreadable: args.input.skip_unreadable,
        threads: args.threads.unwrap_or(0),
        memory: args.memory.map(|bytes| bytes as u64),
        scratch: args.scratch.clone(),
        command: super::jobs::command_line(),
        config: crate::config::text(),
        ..DecontaminateJob::new(args.input.inputs.clone(), args.against.clone(), &args.output)
    };
    interrupt::listen()?;
    let outcome = with_progress(args.quiet, |progress| run_decontaminate(&job, progress))?;
    report_problems(&outcome, args);
    let printed = print_summary(&outcome.summary, args);
    printed.with_context(|| {
        format!("the result is in {}, but cannot be printed", args.output.display())
    })?;
    Ok(Exit::after(outcome.summary.documents, outcome.summary.problems))
}

/// The settings of the group.
fn contamination(args: &DecontaminateArgs) -> anyhow::Result<ContaminationSettings> {
    let mut json = serde_json::to_value(ContaminationSettings::default())?;
    // The options of a preset are added to the command line.
    for (item, value) in args.contamination.iter().filter(|(item, _)| item.name != "preset") {
        json[item.path()] = value.clone();
    }
    Ok(serde_json::from_value(json)?)
}

fn report_problems(outcome: &DecontaminateOutcome, args: &DecontaminateArgs) {
    let all = outcome.summary.problems + outcome.summary.item_problems;
    if !args.quiet || outcome.summary.documents == 0 {
        let listed = outcome.problems.len();
        let shown = if args.verbose { listed } else { problems::SHOWN };
        let file = args.output.join("problems").with_extension(args.tables.extension());
        let advice = format!("; the first {listed} are in {}", file.display());
        problems::print(&outcome.problems, all, shown, &advice);
    }
    if args.verbose {
        problems::print_skipped(&outcome.skipped, problems::SHOWN_SKIPPED);
        problems::print_left_out(&outcome.left_out, problems::SHOWN_SKIPPED);
    }
}

/// Prints the summary as tables or as JSON.
fn print_summary(summary: &ContaminationSummary, args: &DecontaminateArgs) -> anyhow::Result<()> {
    let out = &mut std::io::stdout().lock();
    if log::form() == Log::Json && !args.quiet {
        summary.warnings.iter().for_each(|warning| log::warning(&with_flags(warning)));
    }
    if args.format == FormatArg::Json {
        write_pretty(out, summary)?;
    } else if !args.quiet {
        write_table(out, &pairs_table(summary.table()))?;
        writeln!(out)?;
        write_table(out, &numbers_table(summary.benchmark_table()))?;
        for warning in &summary.warnings {
            writeln!(out, "Warning: {}", visible(&with_flags(warning)))?;
        }
    }
    Ok(())
}
