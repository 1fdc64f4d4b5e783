//! The tables of records at the time of a commit.

use super::database::{Failure, in_redb};
use super::load;
use super::tables::{RECORDS, checked_value, record_key, record_range};
use crate::IndexError;
use redb::{Range, ReadOnlyTable, ReadTransaction};
use std::ops::Bound;
use std::path::{Path, PathBuf};

/// All records at the time of one commit. As long as it exists, the file keeps what the records
/// were then, and grows by what changes: keep it for one answer.
pub struct Records {
    table: ReadOnlyTable<&'static [u8], &'static [u8]>,
    commit: u64,
    path: PathBuf,
    /// Keeps the pages of the table.
    _transaction: ReadTransaction,
}

impl std::fmt::Debug for Records {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Records").field("commit", &self.commit).finish_non_exhaustive()
    }
}

impl Records {
    pub(super) fn new(path: &Path, transaction: ReadTransaction) -> Result<Self, IndexError> {
        in_redb(path, || {
            Ok(Self {
                table: transaction.open_table(RECORDS)?,
                commit: load::state_row(&transaction)?.commit,
                path: path.to_owned(),
                _transaction: transaction,
            })
        })
    }

    /// Number of the commit.
    #[must_use]
    pub fn commit(&self) -> u64 {
        self.commit
    }

    /// The value of a key.
    ///
    /// # Errors
    ///
    /// Those of the disk and of redb.
    pub fn get(&self, table: u8, key: &[u8]) -> Result<Option<Vec<u8>>, IndexError> {
        in_redb(&self.path, || {
            let key = record_key(table, key);
            let stored = self.table.get(key.as_slice())?;
            stored.map(|stored| value(&key, stored.value())).transpose()
        })
    }

    /// The records of a table with keys in a range, in ascending order, or from both ends.
    ///
    /// # Errors
    ///
    /// Those of the disk and of redb, here and in the iterator.
    pub fn range(
        &self,
        table: u8,
        start: Bound<&[u8]>,
        end: Bound<&[u8]>,
    ) -> Result<RecordRange<'_>, IndexError> {
        let (start, end) = record_range(table, start, end);
        let bounds = (start.as_ref().map(Vec::as_slice), end.as_ref().map(Vec::as_slice));
        if is_empty(bounds) {
            return Ok(RecordRange { rows: None, path: &self.path });
        }
        let rows = in_redb(&self.path, || Ok(self.table.range::<&[u8]>(bounds)?))?;
        Ok(RecordRange { rows: Some(rows), path: &self.path })
    }
}

fn value(key: &[u8], stored: &[u8]) -> Result<Vec<u8>, Failure> {
    let value = checked_value(key, stored).ok_or_else(|| Failure::damaged("a record"))?;
    Ok(value.to_vec())
}

/// Whether the start of a range is behind its end.
fn is_empty((start, end): (Bound<&[u8]>, Bound<&[u8]>)) -> bool {
    match (start, end) {
        (Bound::Included(start), Bound::Included(end)) => start > end,
        (
            Bound::Included(start) | Bound::Excluded(start),
            Bound::Included(end) | Bound::Excluded(end),
        ) => start >= end,
        _ => false,
    }
}

/// Records of a range: key and value.
pub struct RecordRange<'a> {
    rows: Option<Range<'static, &'static [u8], &'static [u8]>>,
    path: &'a Path,
}

type Row = Result<(Vec<u8>, Vec<u8>), IndexError>;

impl RecordRange<'_> {
    fn step(&mut self, back: bool) -> Option<Row> {
        let rows = self.rows.as_mut()?;
        let row = in_redb(self.path, || {
            let row = if back { rows.next_back() } else { rows.next() };
            let Some((key, stored)) = row.transpose()? else {
                return Ok(None);
            };
            let value = value(key.value(), stored.value())?;
            let key = key.value().get(1..).ok_or_else(|| Failure::damaged("an empty key"))?;
            Ok(Some((key.to_vec(), value)))
        });
        if row.is_err() {
            self.rows = None;
        }
        row.transpose()
    }
}

impl Iterator for RecordRange<'_> {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        self.step(false)
    }
}

impl DoubleEndedIterator for RecordRange<'_> {
    fn next_back(&mut self) -> Option<Row> {
        self.step(true)
    }
}
