//! A table that is written and digested at the same time.

use super::columns::{COLUMNS, Extra, count_cells, written};
use crate::LookalikeError;
use crate::document_columns::{DocumentName, WIDTH};
use lookalike_engine::{EngineError, Progress};
use lookalike_io::sink::Staging;
use lookalike_io::table::{Cell, Column, TableFormat, TableWriter, WrittenTable};
use lookalike_methods::Evidence;
use xxhash_rust::xxh3::Xxh3;

/// A table that is written row by row, with a digest of its rows.
pub(crate) struct Table<'a> {
    writer: TableWriter,
    digest: &'a mut Xxh3,
    progress: &'a dyn Progress,
    rows: u64,
}

/// Rows between two polls for cancellation.
const POLLED: u64 = 4096;

impl<'a> Table<'a> {
    pub(crate) fn create(
        staging: &Staging,
        name: &str,
        format: TableFormat,
        columns: &[Column],
        digest: &'a mut Xxh3,
        progress: &'a dyn Progress,
    ) -> Result<Self, LookalikeError> {
        let writer = TableWriter::create(&staging.path(name), format, columns)?;
        Ok(Self::new(writer, name, digest, progress))
    }

    /// A table with an open writer.
    pub(crate) fn new(
        writer: TableWriter,
        name: &str,
        digest: &'a mut Xxh3,
        progress: &'a dyn Progress,
    ) -> Self {
        digest.update(name.as_bytes());
        Self { writer, digest, progress, rows: 0 }
    }

    /// Whether to go on.
    pub(crate) fn progress(&self) -> &'a dyn Progress {
        self.progress
    }

    /// The writer, still open.
    pub(crate) fn into_writer(self) -> TableWriter {
        self.writer
    }

    pub(crate) fn row(&mut self, cells: &[Cell<'_>]) -> Result<(), LookalikeError> {
        if self.rows.is_multiple_of(POLLED) && self.progress.cancelled() {
            return Err(EngineError::Cancelled.into());
        }
        self.rows += 1;
        digest_row(self.digest, cells.iter().copied());
        Ok(self.writer.row(cells)?)
    }

    /// Writes a row of two documents, the rule if the table has it, and the counts of the pair.
    pub(crate) fn compared(
        &mut self,
        [a, b]: [&DocumentName<'_>; 2],
        rule: Option<&str>,
        evidence: Evidence,
        extra: Extra,
    ) -> Result<(), LookalikeError> {
        let names = a.cells().into_iter().chain(b.cells());
        let named = names.chain(rule.map(Cell::Text));
        // On the stack: there are millions of rows.
        let mut cells = [Cell::Null; 2 * WIDTH + 1 + COLUMNS];
        let mut length = 0;
        for (place, cell) in
            cells.iter_mut().zip(named.chain(written(count_cells(evidence), extra)))
        {
            *place = cell;
            length += 1;
        }
        self.row(&cells[..length])
    }

    /// Writes a row of `clusters`.
    pub(crate) fn member(
        &mut self,
        member: &DocumentName<'_>,
        cluster: u64,
        leader: &DocumentName<'_>,
        value: Option<f64>,
    ) -> Result<(), LookalikeError> {
        let ([id, file, record], [of_id, of_file, of_record]) = (member.cells(), leader.cells());
        self.row(&[id, file, record, Cell::Count(cluster), of_id, of_file, of_record, value.into()])
    }

    /// Ends the table.
    pub(crate) fn finish(self) -> Result<WrittenTable, LookalikeError> {
        Ok(self.writer.finish()?)
    }
}

/// The digest of a run: that of the digests of its tables, in order. Each table has its own digest,
/// because tables are written in parallel.
pub(crate) fn run_digest(tables: &[Xxh3]) -> u128 {
    let mut digest = Xxh3::new();
    tables.iter().for_each(|table| digest.update(&table.digest128().to_le_bytes()));
    digest.digest128()
}

/// Adds a row to the digest of a table.
pub(crate) fn digest_row<'c>(digest: &mut Xxh3, cells: impl Iterator<Item = Cell<'c>>) {
    for cell in cells {
        match cell {
            Cell::Text(text) => {
                digest.update(&(text.len() as u64).to_le_bytes());
                digest.update(text.as_bytes());
            }
            Cell::Count(count) => digest.update(&count.to_le_bytes()),
            // Ratios are functions of the counts; digests contain no floating-point numbers.
            Cell::Ratio(_) | Cell::Null => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;
    use lookalike_io::table::ColumnKind;
    use std::cell::Cell as Count;
    use std::sync::atomic::{AtomicBool, Ordering};

    struct Flag(AtomicBool);

    impl Progress for Flag {
        fn cancelled(&self) -> bool {
            self.0.load(Ordering::Relaxed)
        }
    }

    #[test]
    fn a_cancelled_table_is_not_written_to_its_end() {
        for before in [0, 1, POLLED - 1, POLLED, 3 * POLLED + 7] {
            let folder = tempfile::tempdir().unwrap();
            let staging = Staging::create(&folder.path().join("out"), false).unwrap();
            let (mut digest, flag) = (Xxh3::new(), Flag(AtomicBool::new(false)));
            let columns = [Column { name: "id", kind: ColumnKind::Text }];
            let format = TableFormat::Tsv;
            let mut table =
                Table::create(&staging, "t", format, &columns, &mut digest, &flag).unwrap();
            let written = Count::new(0);
            let mut row = || {
                written.set(written.get() + 1);
                table.row(&[super::Cell::Text("a")])
            };
            (0..before).for_each(|_| row().unwrap());
            flag.0.store(true, Ordering::Relaxed);
            let error = (0..=POLLED).find_map(|_| row().err()).expect("it goes on");
            assert_eq!(error.kind(), ErrorKind::Cancelled);
            assert!(written.get() <= before + POLLED + 1);
        }
    }
}
