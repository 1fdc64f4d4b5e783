//! What searches in documents print: `decontaminate` and `passages`.

use super::problems;
use crate::args::{FormatArg, SearchArgs};
use crate::flags::with_flags;
use crate::log::{self, Log};
use crate::terminal::{numbers_table, pairs_table, write_table};
use crate::visible::{visible, write_pretty};
use anyhow::Context;
use lookalike::input::{LeftOut, Problem};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

/// What a search has to say.
pub(super) struct Search<'a, S, T> {
    /// The content of `summary.json`.
    pub(super) summary: &'a S,
    pub(super) documents: u64,
    /// Their number, and the first of them.
    pub(super) problems: (u64, &'a [Problem]),
    pub(super) skipped: &'a [PathBuf],
    pub(super) left_out: &'a [LeftOut],
    pub(super) warnings: &'a [String],
    /// Names and values, and a table of numbers, if there is one.
    pub(super) tables: T,
}

type SummaryTables = (Vec<(String, String)>, Vec<Vec<String>>);

/// Prints problems and the summary.
pub(super) fn report<S: Serialize>(
    search: &Search<'_, S, impl Fn() -> SummaryTables>,
    args: &SearchArgs,
) -> anyhow::Result<()> {
    let (all, listed) = search.problems;
    if !args.quiet || search.documents == 0 {
        let shown = if args.verbose { listed.len() } else { problems::SHOWN };
        let file = args.output.join("problems").with_extension(args.tables.extension());
        let advice = format!("; the first {} are in {}", listed.len(), file.display());
        problems::print(listed, all, shown, &advice);
    }
    if args.verbose {
        problems::print_skipped(search.skipped, problems::SHOWN_SKIPPED);
        problems::print_left_out(search.left_out, problems::SHOWN_SKIPPED);
    }
    print_summary(search, args).with_context(|| {
        format!("the result is in {}, but cannot be printed", args.output.display())
    })
}

/// Prints the summary as tables or as JSON.
fn print_summary<S: Serialize>(
    search: &Search<'_, S, impl Fn() -> SummaryTables>,
    args: &SearchArgs,
) -> anyhow::Result<()> {
    let out = &mut std::io::stdout().lock();
    if log::form() == Log::Json && !args.quiet {
        search.warnings.iter().for_each(|warning| log::warning(&with_flags(warning)));
    }
    if args.format == FormatArg::Json {
        write_pretty(out, search.summary)?;
    } else if !args.quiet {
        let (pairs, numbers) = (search.tables)();
        write_table(out, &pairs_table(pairs))?;
        if !numbers.is_empty() {
            writeln!(out)?;
            write_table(out, &numbers_table(numbers))?;
        }
        for warning in search.warnings {
            writeln!(out, "Warning: {}", visible(&with_flags(warning)))?;
        }
    }
    Ok(())
}
