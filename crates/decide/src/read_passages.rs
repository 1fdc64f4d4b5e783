//! The rows of the tables `passages` and `cuts` of a finished search, as they are read.

use crate::name::{DOCUMENT, FIRST, KEPT};
use crate::read::{columns, name};
use crate::{CUTS, DocumentName, PASSAGES, PassagePlace};
use lookalike_io::table::{TableError, TableReader, Value};
use std::path::Path;

/// A passage with the place at which the same stands.
#[derive(Debug, Clone)]
pub struct ReadPassage {
    /// The document.
    pub document: DocumentName<'static>,
    /// Where in it.
    pub at: PassagePlace,
    /// The document that has the same.
    pub other: DocumentName<'static>,
    /// Where in it.
    pub other_at: PassagePlace,
    /// How many units.
    pub units: u64,
    /// Places at which its most frequent window stands; not of cuts.
    pub copies: Option<u64>,
    /// Of the units, in hexadecimal digits; of cuts.
    pub digest: Option<String>,
}

impl ReadPassage {
    /// The rows of `cuts`.
    ///
    /// # Errors
    /// There is no such table, it lacks a column, or it cannot be read.
    pub fn cuts(run: &Path) -> Result<impl Iterator<Item = Result<Self, TableError>>, TableError> {
        let table = TableReader::open(run, CUTS.name, &CUTS.all())?;
        let at = columns(&table, [DOCUMENT[0].name, "unit", "byte", "end_byte"])?;
        let other = columns(&table, [KEPT[0].name, "kept_unit", "kept_byte", "kept_end_byte"])?;
        let [units, digest] = columns(&table, ["units", "digest"])?;
        Ok(rows(table, at, other, units, [None, Some(digest)]))
    }

    /// The rows of `passages`.
    ///
    /// # Errors
    /// As of [`ReadPassage::cuts`].
    pub fn passages(
        run: &Path,
    ) -> Result<impl Iterator<Item = Result<Self, TableError>>, TableError> {
        let table = TableReader::open(run, PASSAGES.name, &PASSAGES.all())?;
        let at = columns(&table, [DOCUMENT[0].name, "unit", "byte", "end_byte"])?;
        let first = [FIRST[0].name, "first_unit", "first_byte", "first_end_byte"];
        let other = columns(&table, first)?;
        let [units, copies] = columns(&table, ["units", "most_copies"])?;
        Ok(rows(table, at, other, units, [Some(copies), None]))
    }
}

/// The rows of a table with the columns of both sides: name, unit, first byte, end. Copies and digest are
/// of one table each.
fn rows(
    table: TableReader,
    at: [usize; 4],
    other: [usize; 4],
    units: usize,
    [copies, digest]: [Option<usize>; 2],
) -> impl Iterator<Item = Result<ReadPassage, TableError>> {
    let place = |row: &[Value], [_, unit, byte, end]: [usize; 4]| {
        Some(PassagePlace {
            unit: row[unit].as_count()?,
            bytes: [row[byte].as_count()?, row[end].as_count()?],
        })
    };
    table.filter_map(move |row| {
        let made = row.map(|row| {
            Some(ReadPassage {
                document: name(&row, at[0])?,
                at: place(&row, at)?,
                other: name(&row, other[0])?,
                other_at: place(&row, other)?,
                units: row[units].as_count()?,
                copies: copies.and_then(|at| row[at].as_count()),
                digest: digest.and_then(|at| row[at].as_text()).map(str::to_owned),
            })
        });
        made.transpose()
    })
}
