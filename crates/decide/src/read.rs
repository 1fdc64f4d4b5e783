//! The rows of the tables `clusters` and `ledger` of a finished run, as they are read.

use crate::name::{DOCUMENT, KEPT, LEADER, REMOVED, WIDTH};
use crate::{CLUSTERS, DocumentName, LEDGER};
use lookalike_io::table::{TableError, TableReader, Value};
use std::path::Path;

/// A row of `clusters`.
#[derive(Debug)]
pub struct ReadMember {
    /// The document.
    pub name: DocumentName<'static>,
    /// The number of its cluster.
    pub cluster: u64,
    /// The kept document of the cluster.
    pub leader: DocumentName<'static>,
    /// How similar the two are.
    pub value: Option<f64>,
    /// In the row of a leader, the documents that it represents by file.
    pub duplicates: Option<String>,
}

impl ReadMember {
    /// The rows of a run, cluster by cluster.
    ///
    /// # Errors
    /// There is no such table, it lacks a column, or it cannot be read.
    pub fn of(run: &Path) -> Result<impl Iterator<Item = Result<Self, TableError>>, TableError> {
        let table = TableReader::open(run, CLUSTERS.name, &CLUSTERS.all())?;
        let [about, cluster, leader, value] =
            columns(&table, [DOCUMENT[0].name, "cluster", LEADER[0].name, "resemblance"])?;
        // Tables of earlier versions lack it.
        let duplicates = table.position("duplicates");
        Ok(table.filter_map(move |row| {
            let made = row.map(|row| {
                let duplicates = duplicates.and_then(|at| row[at].as_text());
                Some(Self {
                    name: name(&row, about)?,
                    cluster: row[cluster].as_count()?,
                    leader: name(&row, leader)?,
                    value: row[value].as_ratio(),
                    duplicates: duplicates.map(str::to_owned),
                })
            });
            made.transpose()
        }))
    }
}

/// A row of `ledger`.
#[derive(Debug)]
pub struct ReadRemoval {
    /// The removed document.
    pub removed: DocumentName<'static>,
    /// Its witness.
    pub kept: DocumentName<'static>,
    /// The rule.
    pub rule: String,
    /// Resemblance of the two, or its estimate.
    pub resemblance: Option<f64>,
    /// What differs; `None` where the texts were not compared.
    pub difference: Option<ReadDifference>,
}

/// The cells of a row of `ledger` that say what differs.
#[derive(Debug)]
pub struct ReadDifference {
    /// Words of the removed document that its witness lacks.
    pub lost: u64,
    /// Words of the witness that the removed document lacks.
    pub added: u64,
    /// Names of the kinds of differences, separated by commas.
    pub kinds: String,
}

/// The columns of a `ledger` that say what differs.
#[derive(Debug)]
pub struct DifferenceColumns([usize; 3]);

impl DifferenceColumns {
    /// Finds them. Not every run has them.
    pub fn of(position: impl Fn(&str) -> Option<usize>) -> Option<Self> {
        Some(Self([position("lost")?, position("added")?, position("differs")?]))
    }

    /// What a row says; `None` where the texts were not compared.
    #[must_use]
    pub fn read(&self, row: &[Value]) -> Option<ReadDifference> {
        let [lost, added, kinds] = self.0.map(|at| row.get(at));
        let kinds = kinds?.as_text().unwrap_or_default().to_owned();
        Some(ReadDifference { lost: lost?.as_count()?, added: added?.as_count()?, kinds })
    }
}

impl ReadRemoval {
    /// The rows of a run that removed documents.
    ///
    /// # Errors
    /// As of [`ReadMember::of`].
    pub fn of(run: &Path) -> Result<impl Iterator<Item = Result<Self, TableError>>, TableError> {
        let table = TableReader::open(run, LEDGER.name, &LEDGER.all())?;
        let [removed, kept, rule] = columns(&table, [REMOVED[0].name, KEPT[0].name, "rule"])?;
        let resemblance = table.position("resemblance");
        let differences = DifferenceColumns::of(|name| table.position(name));
        Ok(table.filter_map(move |row| {
            let made = row.map(|row| {
                Some(Self {
                    difference: differences.as_ref().and_then(|columns| columns.read(&row)),
                    removed: name(&row, removed)?,
                    kept: name(&row, kept)?,
                    rule: row[rule].as_text().unwrap_or_default().to_owned(),
                    resemblance: resemblance.and_then(|at| row[at].as_ratio()),
                })
            });
            made.transpose()
        }))
    }
}

/// The name in a row from a column on.
pub(crate) fn name(row: &[Value], at: usize) -> Option<DocumentName<'static>> {
    DocumentName::read(row.get(at..at + WIDTH)?)
}

/// Indices of columns. A table of JSON lines without rows does not name its columns.
pub(crate) fn columns<const N: usize>(
    table: &TableReader,
    names: [&str; N],
) -> Result<[usize; N], TableError> {
    let found = names.map(|name| table.position(name));
    let missing = names.iter().zip(found).find(|(_, at)| at.is_none());
    match missing.filter(|_| !table.columns().is_empty()) {
        None => Ok(found.map(Option::unwrap_or_default)),
        Some((name, _)) => Err(TableError::Malformed {
            path: table.path().to_owned(),
            row: 0,
            reason: format!("it has no column `{name}`"),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike_io::table::{TableFormat, TableWriter};

    #[test]
    fn tables_without_rows_are_read_and_without_columns_refused() {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path();
        let write = |name: &str, format, columns: &[_]| {
            TableWriter::create(&run.join(name), format, columns).unwrap().finish().unwrap();
        };
        // It names no columns.
        write(LEDGER.name, TableFormat::Jsonl, &LEDGER.all());
        assert!(ReadRemoval::of(run).unwrap().next().is_none());
        write(CLUSTERS.name, TableFormat::Tsv, &CLUSTERS.all()[..4]);
        let error = ReadMember::of(run).err().unwrap().to_string();
        assert!(error.contains("it has no column `leader_id`"), "{error}");
    }
}
