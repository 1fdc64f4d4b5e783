//! A table that is written and digested at the same time.

use super::columns::{COLUMNS, Extra, count_cells, written};
use super::represented::RepresentedCells;
use super::row_digest::TableDigest;
use crate::LookalikeError;
use crate::document_columns::{DocumentName, WIDTH};
use lookalike_engine::{EngineError, Progress};
use lookalike_io::sink::Staging;
use lookalike_io::table::{Cell, Column, TableFormat, TableWriter, WrittenTable};
use lookalike_methods::Evidence;

/// A table that is written row by row, with a digest of its rows.
pub(crate) struct Table<'a> {
    writer: TableWriter,
    digest: &'a mut TableDigest,
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
        digest: &'a mut TableDigest,
        progress: &'a dyn Progress,
    ) -> Result<Self, LookalikeError> {
        let writer = TableWriter::create(&staging.path(name), format, columns)?;
        Ok(Self::new(writer, digest, progress))
    }

    /// A table with an open writer.
    pub(crate) fn new(
        writer: TableWriter,
        digest: &'a mut TableDigest,
        progress: &'a dyn Progress,
    ) -> Self {
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
        self.row_as(cells, cells)
    }

    /// Writes a row, and adds another form of it to the digest.
    fn row_as(&mut self, cells: &[Cell<'_>], in_digest: &[Cell<'_>]) -> Result<(), LookalikeError> {
        if self.rows.is_multiple_of(POLLED) && self.progress.cancelled() {
            return Err(EngineError::Cancelled.into());
        }
        self.rows += 1;
        self.digest.add(in_digest.iter().copied());
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
        self.compared_whole([a, b], rule, (evidence, None), extra)
    }

    /// As [`Table::compared`], with the resemblance of the complete documents.
    pub(crate) fn compared_whole(
        &mut self,
        [a, b]: [&DocumentName<'_>; 2],
        rule: Option<&str>,
        (evidence, whole): (Evidence, Option<f64>),
        extra: Extra,
    ) -> Result<(), LookalikeError> {
        let cells = compared_cells([a, b], rule, (evidence, whole), extra);
        match a.protected || b.protected {
            false => self.row(&cells),
            true => {
                let names = [&a.in_digest(), &b.in_digest()];
                self.row_as(&cells, &compared_cells(names, rule, (evidence, whole), extra))
            }
        }
    }

    /// Writes a row of `clusters`; `of_leader` is what the document represents, if it leads.
    pub(crate) fn member(
        &mut self,
        member: &DocumentName<'_>,
        cluster: u64,
        leader: &DocumentName<'_>,
        value: Option<f64>,
        of_leader: Option<&RepresentedCells>,
    ) -> Result<(), LookalikeError> {
        let cells = member_cells(member, cluster, leader, value, of_leader);
        match member.protected || leader.protected {
            false => self.row(&cells),
            true => {
                let (member, leader) = (&member.in_digest(), &leader.in_digest());
                self.row_as(&cells, &member_cells(member, cluster, leader, value, of_leader))
            }
        }
    }

    /// Ends the table.
    pub(crate) fn finish(self) -> Result<WrittenTable, LookalikeError> {
        Ok(self.writer.finish()?)
    }
}

/// The cells of a row of two documents. On the stack: there are millions of rows.
pub(crate) struct ComparedCells<'c> {
    cells: [Cell<'c>; 2 * WIDTH + 1 + COLUMNS],
    length: usize,
}

impl<'c> std::ops::Deref for ComparedCells<'c> {
    type Target = [Cell<'c>];

    fn deref(&self) -> &[Cell<'c>] {
        &self.cells[..self.length]
    }
}

/// Two documents, the rule if the table has it, the counts of the pair, and the resemblance of the
/// complete documents.
pub(crate) fn compared_cells<'c>(
    [a, b]: [&'c DocumentName<'_>; 2],
    rule: Option<&'c str>,
    (evidence, whole): (Evidence, Option<f64>),
    extra: Extra,
) -> ComparedCells<'c> {
    let named = a.cells().into_iter().chain(b.cells()).chain(rule.map(Cell::Text));
    let mut row = ComparedCells { cells: [Cell::Null; 2 * WIDTH + 1 + COLUMNS], length: 0 };
    for (place, cell) in
        row.cells.iter_mut().zip(named.chain(written(count_cells(evidence, whole), extra)))
    {
        *place = cell;
        row.length += 1;
    }
    row
}

/// The cells of a row of `clusters`.
pub(crate) fn member_cells<'c>(
    member: &'c DocumentName<'_>,
    cluster: u64,
    leader: &'c DocumentName<'_>,
    value: Option<f64>,
    of_leader: Option<&'c RepresentedCells>,
) -> [Cell<'c>; 2 * WIDTH + 4] {
    let ([id, file, record], [of_id, of_file, of_record]) = (member.cells(), leader.cells());
    let [size, duplicates] = RepresentedCells::cells(of_leader);
    let cluster = Cell::Count(cluster);
    [id, file, record, cluster, of_id, of_file, of_record, value.into(), size, duplicates]
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
            assert_eq!(error.kind(), ErrorKind::Cancelled);
            assert!(written.get() <= before + POLLED + 1);
        }
    }
}
