//! `lookalike plan INPUT`

use super::jobs::{command_line, settings_of};
use super::problems;
use crate::args::{FormatArg, Given, PlanArgs};
use crate::exit::Exit;
use crate::flags::with_flags;
use crate::interrupt;
use crate::log::{self, Log};
use crate::progress::with_progress;
use crate::terminal::{numbers_table, pairs_table, tell, write_table};
use crate::visible::{visible, write_json};
use lookalike::{
    Job,
    evaluation::LabelSource,
    planning::{Plan, PlanJob, plan},
};
use std::io::Write;

pub(super) fn run(args: &PlanArgs) -> anyhow::Result<Exit> {
    let cluster = args.command == "cluster";
    let more: [&Given; 4] = [&args.witness, &args.label, &args.across, &args.ignored];
    let settings = settings_of(&args.input, &args.matching, &[], args.linkage, &more)?;
    // A plan has no output directory that input discovery would have to skip.
    let job = Job {
        settings,
        strict: args.input.strict,
        skip_unreadable: args.input.skip_unreadable,
        threads: args.running.threads.unwrap_or(0),
        memory: args.memory.memory.map(|bytes| bytes as u64),
        scratch: args.running.scratch.clone(),
        command: command_line(),
        ..Job::new(args.input.inputs.clone(), "")
    };
    let (sample, seed, recall) = (args.sample.map(|bytes| bytes as u64), args.seed, args.recall);
    let labels = args.labels.clone().map(LabelSource::File);
    let job =
        PlanJob { cluster, sample, quick: args.quick, seed, recall, labels, ..PlanJob::new(job) };
    interrupt::listen()?;
    let planned = with_progress(args.quiet, |progress| plan(&job, progress))?;
    let plan = &planned.plan;
    if !args.quiet {
        let shown = if args.verbose { usize::MAX } else { problems::SHOWN };
        problems::print(&planned.problems, plan.sample.problems, shown, "");
    }
    if log::form() == Log::Json && !args.quiet {
        log::other_result(serde_json::json!({
            "command": "plan",
            "documents": plan.documents,
            "expected_removed": plan.removed.expected,
            "recommended": plan.run.as_ref().and_then(|run| run.recommended.as_ref()),
            "problems": plan.sample.problems,
            "seconds": plan.run.as_ref().map(|run| run.seconds),
        }));
    }
    let mut out = std::io::stdout().lock();
    if args.format == FormatArg::Json {
        write_json(&mut out, &plan.to_json()?)?;
    } else if !args.quiet {
        print(plan, &mut out)?;
    }
    if args.verbose {
        phases(plan);
    }
    Ok(Exit::after(plan.documents, plan.sample.problems))
}

pub(super) fn print(plan: &Plan, out: &mut impl Write) -> anyhow::Result<()> {
    let mut table = |table: comfy_table::Table| -> std::io::Result<()> {
        write_table(out, &table)?;
        writeln!(out)
    };
    table(pairs_table(plan.table()))?;
    let header = ["similarity", "pairs in sample", "expected in all", ""].map(str::to_owned);
    let mut steps =
        numbers_table(std::iter::once(header).chain(plan.similarity_rows()).map(Vec::from));
    if let Some(bars) = steps.column_mut(3) {
        bars.set_cell_alignment(comfy_table::CellAlignment::Left);
    }
    table(steps)?;
    table(numbers_table(plan.method_rows()))?;
    table(pairs_table(plan.machines()))?;
    if let Some(run) = &plan.run {
        let reason = with_flags(&run.reason);
        match (&run.recommended, &run.options) {
            (Some(method), Some(options)) if !options.is_empty() => {
                writeln!(out, "Recommended: {method} ({options}): {reason}.")?;
            }
            (Some(method), _) => writeln!(out, "Recommended: {method}: {reason}.")?,
            (None, _) => writeln!(out, "No method is recommended: {reason}.")?,
        }
    }
    for note in &plan.notes {
        writeln!(out, "Note: {}", visible(&with_flags(note)))?;
    }
    Ok(())
}

/// Prints measured and predicted seconds of each phase on standard error.
fn phases(plan: &Plan) {
    for cost in plan.run.iter().flat_map(|run| &run.costs) {
        tell(&cost.method);
        for phase in &cost.phases {
            tell(format_args!(
                "{:>16} {:.3} s on the sample, {:.3} s expected",
                phase.name, phase.in_sample, phase.seconds
            ));
        }
    }
}
