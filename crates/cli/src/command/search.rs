//! How searches in documents run and what they print: `decontaminate` and `passages`.

use super::problems;
use crate::args::{FormatArg, InputArgs, SearchArgs};
use crate::flags::with_flags;
use crate::log::{self, Log};
use crate::terminal::{numbers_table, pairs_table, write_table};
use crate::visible::{visible, write_pretty};
use anyhow::Context;
use lookalike::passages::{SearchOutcome, SearchRun};
use serde::Serialize;
use std::io::Write;

/// A summary that is printed.
pub(super) struct Printed<'a> {
    pub(super) documents: u64,
    pub(super) problems: u64,
    pub(super) warnings: &'a [String],
    /// Names and values.
    pub(super) pairs: Vec<(String, String)>,
    /// A table of numbers; empty if there is none.
    pub(super) numbers: Vec<Vec<String>>,
}

/// How a search runs by its arguments.
pub(super) fn search_run(
    args: &SearchArgs,
    input: &InputArgs,
    max_loss: Option<&String>,
) -> SearchRun {
    SearchRun {
        force: args.force,
        tables: args.tables,
        max_loss: max_loss.cloned(),
        strict: input.strict,
        skip_unreadable: input.skip_unreadable,
        threads: args.threads.unwrap_or(0),
        memory: args.memory.map(|bytes| bytes as u64),
        scratch: args.scratch.clone(),
        command: super::jobs::command_line(),
        config: crate::config::text(),
    }
}

/// Prints problems and the summary.
pub(super) fn report<S: Serialize>(
    outcome: &SearchOutcome<S>,
    printed: Printed<'_>,
    args: &SearchArgs,
) -> anyhow::Result<()> {
    let listed = &outcome.problems;
    if !args.quiet || printed.documents == 0 {
        let shown = if args.verbose { listed.len() } else { problems::SHOWN };
        let file = args.output.join("problems").with_extension(args.tables.extension());
        let advice = format!("; the first {} are in {}", listed.len(), file.display());
        problems::print(listed, printed.problems, shown, &advice);
    }
    if args.verbose {
        problems::print_skipped(&outcome.skipped, problems::SHOWN_SKIPPED);
        problems::print_left_out(&outcome.left_out, problems::SHOWN_SKIPPED);
    }
    print_summary(&outcome.summary, printed, args).with_context(|| {
        format!("the result is in {}, but cannot be printed", args.output.display())
    })
}

/// Prints the summary as tables or as JSON.
fn print_summary(
    summary: &impl Serialize,
    printed: Printed<'_>,
    args: &SearchArgs,
) -> anyhow::Result<()> {
    let Printed { warnings, pairs, numbers, .. } = printed;
    let out = &mut std::io::stdout().lock();
    if log::form() == Log::Json && !args.quiet {
        warnings.iter().for_each(|warning| log::warning(&with_flags(warning)));
    }
    if args.format == FormatArg::Json {
        write_pretty(out, summary)?;
    } else if !args.quiet {
        write_table(out, &pairs_table(pairs))?;
        if !numbers.is_empty() {
            writeln!(out)?;
            write_table(out, &numbers_table(numbers))?;
        }
        for warning in warnings {
            writeln!(out, "Warning: {}", visible(&with_flags(warning)))?;
        }
    }
    Ok(())
}
