//! Columns of the result tables as items: name, type, description, when it is written, and value.

use crate::digest::row_hash;
use lookalike_core::Measure;
use lookalike_io::table::{Cell, Column};
use std::fmt;

/// Most columns of a table.
const MOST: usize = 28;

/// Which optional measures a run computes.
#[derive(Debug, Clone, Copy)]
pub struct Measures {
    /// Its measure is cosine, of complete sets.
    pub cosine: bool,
    /// It compares simhashes.
    pub distance: bool,
    /// It estimates the resemblance.
    pub interval: bool,
    /// It removes boilerplate from the sets.
    pub whole: bool,
    /// It compares the texts of removed documents with those of their witnesses.
    pub differences: bool,
}

impl Measures {
    /// All of them.
    pub const ALL: Self =
        Self { cosine: true, distance: true, interval: true, whole: true, differences: true };

    /// None of them.
    const NONE: Self =
        Self { cosine: false, distance: false, interval: false, whole: false, differences: false };

    /// The measures of a run that compares samples of sets.
    pub const OF_SAMPLES: Self = Self { interval: true, ..Self::NONE };

    /// The measures of a run that compares complete sets.
    #[must_use]
    pub fn of_sets(measure: Measure) -> Self {
        Self { cosine: measure == Measure::Cosine, ..Self::NONE }
    }
}

/// A kind of row: the data from which the cells of a table are made.
pub trait TableRow {
    /// A row that borrows its names.
    type Row<'r>;

    /// Whether the digest takes another form of the row: it names a protected document.
    fn is_protected(_: &Self::Row<'_>) -> bool {
        false
    }

    /// Calls `then` with the form of the row of which the digest is made.
    fn in_digest<'r, T>(
        row: &'r Self::Row<'r>,
        then: impl for<'d> FnOnce(&'d Self::Row<'d>) -> T,
    ) -> T {
        then(row)
    }
}

/// A column of a table.
pub struct Item<R: TableRow> {
    /// Its name and type.
    pub column: Column,
    /// Its description, in Markdown; the page of tables has it word for word.
    pub doc: &'static str,
    when: fn(Measures) -> bool,
    is_digested: bool,
    value: for<'r> fn(&'r R::Row<'r>) -> Cell<'r>,
}

impl<R: TableRow> Item<R> {
    /// A column that every table of its kind has.
    pub(crate) const fn new(
        column: Column,
        doc: &'static str,
        value: for<'r> fn(&'r R::Row<'r>) -> Cell<'r>,
    ) -> Self {
        Self { column, doc, when: |_| true, is_digested: true, value }
    }

    /// The column, without a part in the digest: not every way to the same decisions computes it.
    pub(crate) const fn undigested(self) -> Self {
        Self { is_digested: false, ..self }
    }

    /// The column, for runs with some measures only.
    pub(crate) const fn when(self, when: fn(Measures) -> bool) -> Self {
        Self { when, ..self }
    }
}

/// The columns of a table, in groups.
pub struct Layout<R: TableRow + 'static> {
    /// The name of the table, without extension.
    pub name: &'static str,
    /// Its columns.
    pub groups: &'static [&'static [Item<R>]],
}

impl<R: TableRow> Layout<R> {
    /// All columns of any run.
    #[must_use]
    pub fn all(&self) -> Vec<Column> {
        self.of(Measures::ALL).columns()
    }

    /// The columns that a run with these measures writes.
    #[must_use]
    pub fn of(&self, measures: Measures) -> Written<R> {
        let items = self.groups.iter().flat_map(|group| group.iter());
        Written { name: self.name, items: items.filter(|item| (item.when)(measures)).collect() }
    }

    /// The columns that a table has, which may be of another version.
    #[must_use]
    pub fn only(&self, columns: &[Column]) -> Written<R> {
        let items = self.groups.iter().flat_map(|group| group.iter());
        let has = |item: &&Item<R>| columns.iter().any(|own| own.name == item.column.name);
        Written { name: self.name, items: items.filter(has).collect() }
    }

    /// Index of a column that every table of this layout has.
    ///
    /// # Panics
    /// If the layout has no such column.
    #[must_use]
    pub fn place(&self, name: &str) -> usize {
        let mut items = self.groups.iter().flat_map(|group| group.iter());
        items.position(|item| item.column.name == name).expect("the layout has the column")
    }
}

/// The columns of a table that are written.
pub struct Written<R: TableRow + 'static> {
    /// The name of the table, without extension.
    pub name: &'static str,
    items: Vec<&'static Item<R>>,
}

impl<R: TableRow> fmt::Debug for Written<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.columns()).finish()
    }
}

impl<R: TableRow> Written<R> {
    /// Their names and types.
    #[must_use]
    pub fn columns(&self) -> Vec<Column> {
        self.items.iter().map(|item| item.column).collect()
    }

    /// The cells of a row.
    pub fn cells<'r>(&self, row: &'r R::Row<'r>) -> Cells<'r> {
        let mut cells = [Cell::Null; MOST];
        for (cell, item) in cells.iter_mut().zip(&self.items) {
            *cell = (item.value)(row);
        }
        Cells { cells, length: self.items.len() }
    }

    /// The hash of a row in the digest of the table.
    pub fn hash<'r>(&self, row: &'r R::Row<'r>, bytes: &mut Vec<u8>) -> u128 {
        R::in_digest(row, |row| self.hash_cells(&self.cells(row), bytes))
    }

    /// The hash of a row in the digest of the table, from its cells.
    pub fn hash_cells(&self, cells: &[Cell<'_>], bytes: &mut Vec<u8>) -> u128 {
        let digested = cells.iter().zip(&self.items).filter(|(_, item)| item.is_digested);
        row_hash(digested.map(|(cell, _)| *cell), bytes)
    }
}

/// The cells of a row. On the stack: there are millions of rows.
#[derive(Debug)]
pub struct Cells<'c> {
    cells: [Cell<'c>; MOST],
    length: usize,
}

impl<'c> std::ops::Deref for Cells<'c> {
    type Target = [Cell<'c>];

    fn deref(&self) -> &[Cell<'c>] {
        &self.cells[..self.length]
    }
}
