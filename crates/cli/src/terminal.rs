//! Messages and tables for people.

use crate::args::{FormatArg, IndexRunningArgs};
use crate::flags::with_flags;
use crate::log::{self, Log};
use crate::visible::visible;
use comfy_table::{CellAlignment, Table, presets};
use std::io::Write;

/// Writes a line to standard error, settings named as options. Errors are ignored: a closed or full
/// standard error must not fail a run.
pub(crate) fn tell(message: impl std::fmt::Display) {
    let text = with_flags(&message.to_string());
    match log::form() {
        Log::Json => log::message(&text),
        Log::Text => {
            let _ = writeln!(std::io::stderr(), "{}", visible(&text));
        }
    }
}

/// Writes a table without trailing blanks.
pub(crate) fn write_table(out: &mut impl Write, table: &Table) -> std::io::Result<()> {
    table.to_string().lines().try_for_each(|line| writeln!(out, "{}", line.trim_end()))
}

/// A table of two columns: names and values.
pub(crate) fn pairs_table(rows: impl IntoIterator<Item = (String, String)>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    for (name, value) in rows {
        table.add_row([visible(&name), visible(&value)]);
    }
    if let Some(column) = table.column_mut(1) {
        column.set_cell_alignment(CellAlignment::Left);
    }
    table
}

/// Prints names and numbers on standard output.
pub(crate) fn print_numbers(rows: &[(&str, u64)]) -> anyhow::Result<()> {
    let rows = rows.iter().map(|(name, value)| ((*name).to_owned(), value.to_string()));
    Ok(write_table(&mut std::io::stdout().lock(), &pairs_table(rows))?)
}

/// Prints a result: a line of JSON, or its numbers unless `quiet`.
pub(crate) fn print_result(
    running: &IndexRunningArgs,
    json: &serde_json::Value,
    numbers: &[(&str, u64)],
) -> anyhow::Result<()> {
    match running.format {
        FormatArg::Json => Ok(writeln!(std::io::stdout(), "{json}")?),
        FormatArg::Text if running.quiet => Ok(()),
        FormatArg::Text => print_numbers(numbers),
    }
}

/// A table of rows, the first one the header.
pub(crate) fn rows_table(rows: impl IntoIterator<Item = Vec<String>>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.add_rows(
        rows.into_iter().map(|row| row.iter().map(|cell| visible(cell)).collect::<Vec<_>>()),
    );
    table
}

/// A table with names in the first column and right-aligned numbers in the others.
pub(crate) fn numbers_table(rows: impl IntoIterator<Item = Vec<String>>) -> Table {
    let mut table = rows_table(rows);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}
