//! A table that is written and digested at the same time.

use crate::column::{TableRow, Written};
use crate::digest::TableDigest;
use crate::{DocumentName, Member, Represented};
use lookalike_io::sink::{OutputError, Staging};
use lookalike_io::table::{Cell, TableFormat, TableWriter, WrittenTable};
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

impl Table<'_, Member<'static>> {
    /// Writes the rows of a cluster: its leader comes first, and its row says of which `files` the
    /// other documents are.
    ///
    /// # Errors
    /// A file that cannot be written, a cancellation; those of the rows.
    pub fn add_cluster<'d, E: From<TableFailure>>(
        &mut self,
        number: u64,
        leader: &DocumentName<'_>,
        files: impl Iterator<Item = &'d str>,
        rows: impl Iterator<Item = Result<(DocumentName<'d>, Option<f64>), E>>,
    ) -> Result<(), E> {
        let mut represented = Represented::default();
        files.for_each(|file| represented.add(file));
        let mut of_leader = Some(represented.finish());
        for row in rows {
            let ((name, value), of_leader) = (row?, of_leader.take());
            let represented = of_leader.as_ref();
            self.add(&Member { member: &name, cluster: number, leader, value, represented })?;
        }
        Ok(())
    }
}

/// A table that is written row by row, with a digest of its rows.
pub struct Table<'a, R: TableRow + 'static> {
    columns: Written<R>,
    writer: TableWriter,
    digest: &'a mut TableDigest,
    progress: &'a dyn Progress,
    rows: u64,
}

/// Rows between two polls for cancellation.
const POLLED: u64 = 4096;

impl<'a, R: TableRow> Table<'a, R> {
    /// Starts a table of a result directory.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn create(
        staging: &Staging,
        format: TableFormat,
        columns: Written<R>,
        digest: &'a mut TableDigest,
        progress: &'a dyn Progress,
    ) -> Result<Self, TableFailure> {
        let path = staging.path(columns.name);
        let writer = TableWriter::create(&path, format, &columns.columns())?;
        Ok(Self::new(columns, writer, digest, progress))
    }

    /// A table with an open writer.
    pub fn new(
        columns: Written<R>,
        writer: TableWriter,
        digest: &'a mut TableDigest,
        progress: &'a dyn Progress,
    ) -> Self {
        Self { columns, writer, digest, progress, rows: 0 }
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
    pub fn add<'r>(&mut self, row: &'r R::Row<'r>) -> Result<(), TableFailure> {
        let cells = self.columns.cells(row);
        if !R::is_protected(row) {
            return self.row(&cells);
        }
        let hash = self.columns.hash(row, self.digest.bytes());
        self.write(&cells, hash)
    }

    /// Writes a row of cells, of which there is one for each column.
    ///
    /// # Errors
    /// A file that cannot be written, a cancellation.
    pub fn row(&mut self, cells: &[Cell<'_>]) -> Result<(), TableFailure> {
        let hash = self.columns.hash_cells(cells, self.digest.bytes());
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
    use crate::{Measures, PROBLEMS};
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
            let columns = PROBLEMS.of(Measures::ALL);
            let cells = vec![super::Cell::Null; columns.columns().len()];
            let format = TableFormat::Tsv;
            let mut table = Table::create(&staging, format, columns, &mut digest, &flag).unwrap();
            let written = Count::new(0);
            let mut row = || {
                written.set(written.get() + 1);
                table.row(&cells)
            };
            (0..before).for_each(|_| row().unwrap());
            flag.0.store(true, Ordering::Relaxed);
            let error = (0..=POLLED).find_map(|_| row().err()).expect("it goes on");
            assert!(matches!(error, TableFailure::Cancelled));
            assert!(written.get() <= before + POLLED + 1);
        }
    }
}
