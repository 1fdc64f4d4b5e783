//! Progress on a terminal, tables for people, JSON for machines.

use crate::flags::with_flags;
use crate::interrupt;
use crate::visible::visible;
use comfy_table::{CellAlignment, Table, presets};
use indicatif::{ProgressBar, ProgressStyle};
use lookalike::Progress;
use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Progress bar (on a terminal only); also passes Ctrl-C on to the run.
pub(crate) struct TerminalProgress {
    bar: Option<Mutex<ProgressBar>>,
    documents: AtomicU64,
}

impl TerminalProgress {
    /// A progress bar on standard error, if that is a terminal and `quiet` is not set.
    pub(crate) fn new(quiet: bool) -> Self {
        let shown = !quiet && std::io::stderr().is_terminal();
        Self { bar: shown.then(|| Mutex::new(ProgressBar::hidden())), documents: AtomicU64::new(0) }
    }

    fn with_bar(&self, act: impl FnOnce(&mut ProgressBar)) {
        if let Some(bar) = &self.bar {
            act(&mut bar.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
        }
    }

    /// Removes the progress bar.
    pub(crate) fn finish(&self) {
        self.with_bar(|bar| bar.finish_and_clear());
    }
}

/// Phases that count bytes of input.
const BYTES: [&str; 3] = ["reading", "writing", "picking samples"];

impl Progress for TerminalProgress {
    fn phase(&self, name: &'static str, total: Option<u64>) {
        self.with_bar(|bar| {
            bar.finish_and_clear();
            *bar = total.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
            let template = match (total.is_some(), BYTES.contains(&name)) {
                (true, true) => {
                    "{prefix:>16} {bar:30} {bytes}/{total_bytes} {msg}{bytes_per_sec}, {eta} left"
                }
                (true, false) => {
                    "{prefix:>16} {bar:30} {human_pos}/{human_len} units, {per_sec}, {eta} left"
                }
                _ => "{prefix:>16} {spinner} {elapsed}",
            };
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar.set_prefix(name);
            bar.enable_steady_tick(Duration::from_millis(200));
        });
        self.documents.store(0, Ordering::Relaxed);
    }

    fn advance(&self, amount: u64, documents: u64) {
        let seen = self.documents.fetch_add(documents, Ordering::Relaxed) + documents;
        self.with_bar(|bar| {
            bar.inc(amount);
            if documents > 0 {
                bar.set_message(format!("{seen} documents, "));
            }
        });
    }

    fn cancelled(&self) -> bool {
        interrupt::signal().is_some()
    }
}

/// Writes a line to standard error, settings named as options. Errors are ignored: a closed or full
/// standard error must not fail a run.
pub(crate) fn tell(message: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "{}", visible(&with_flags(&message.to_string())));
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
