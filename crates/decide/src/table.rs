//! A table that is written and digested at the same time.

use crate::column::{TableRow, Written};
use crate::digest::{TableDigest, row_hash};
use lookalike_io::sink::{OutputError, Staging};
use lookalike_io::table::{Cell, Column, TableFormat, TableWriter, WrittenTable};
use lookalike_join::Progress;

/// Why a table could not be written.
#[derive(Debug, thiserror::Error)]
pub enum TableFailure {
    /// The user asked to stop.
    #[error("interrupted")]
    Cancelled,
    /// A file that cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// A table that is written row by row, with a digest of its rows.
pub struct Table<'a> {
    writer: TableWriter,
    digest: &'a mut TableDigest,
    progress: &'a dyn Progress,
    rows: u64,
}

/// Rows between two polls for cancellation.
const POLLED: u64 = 4096;

impl<'a> Table<'a> {
    /// Starts a table of a result directory.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn create(
        staging: &Staging,
        name: &str,
        format: TableFormat,
        columns: &[Column],
        digest: &'a mut TableDigest,
        progress: &'a dyn Progress,
    ) -> Result<Self, TableFailure> {
        let writer = TableWriter::create(&staging.path(name), format, columns)?;
        Ok(Self::new(writer, digest, progress))
    }

    /// A table with an open writer.
    pub fn new(
        writer: TableWriter,
        digest: &'a mut TableDigest,
        progress: &'a dyn Progress,
    ) -> Self {
        Self { writer, digest, progress, rows: 0 }
    }

    /// Whether to go on.
    #[must_use]
    pub fn progress(&self) -> &'a dyn Progress {
        self.progress
    }

    /// The writer, still open.
    #[must_use]
    pub fn into_writer(self) -> TableWriter {
        self.writer
    }

    /// Writes a row.
    ///
    /// # Errors
    /// A file that cannot be written, a cancellation.
    pub fn add<'r, R: TableRow>(
        &mut self,
        columns: &Written<R>,
        row: &'r R::Row<'r>,
    ) -> Result<(), TableFailure> {
        let cells = columns.cells(row);
        if !R::is_protected(row) {
            return self.row(&cells);
        }
        let hash = columns.hash(row, self.digest.bytes());
        self.write(&cells, hash)
    }

    /// Writes a row of cells.
    ///
    /// # Errors
    /// A file that cannot be written, a cancellation.
    pub fn row(&mut self, cells: &[Cell<'_>]) -> Result<(), TableFailure> {
        let hash = row_hash(cells.iter().copied(), self.digest.bytes());
        self.write(cells, hash)
    }

    fn write(&mut self, cells: &[Cell<'_>], hash: u128) -> Result<(), TableFailure> {
        if self.rows.is_multiple_of(POLLED) && self.progress.cancelled() {
            return Err(TableFailure::Cancelled);
        }
        self.rows += 1;
        self.digest.add_sum(1, hash);
        Ok(self.writer.row(cells)?)
    }

    /// Ends the table.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn finish(self) -> Result<WrittenTable, TableFailure> {
        Ok(self.writer.finish()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
            let (mut digest, flag) = (TableDigest::new("t"), Flag(AtomicBool::new(false)));
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
            assert!(matches!(error, TableFailure::Cancelled));
            assert!(written.get() <= before + POLLED + 1);
        }
    }
}
