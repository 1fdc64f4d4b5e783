//! The tables of a comparison of two runs, called a and b.

use crate::column::{Item, Layout, TableRow};
use crate::name::{DOCUMENT, DocumentName, name_items};
use lookalike_io::table::{Cell, Column};

/// The items of the columns that say why a run removed the document; null if it kept it.
macro_rules! removal_items {
    ($field:ident, [$rule:literal, $id:literal, $file:literal, $record:literal, $value:literal]) => {
        &[
            Item::new(Column::text($rule), "why this run removed it; null if it kept it", |row| {
                row.$field.map(|removal| removal.rule).into()
            }),
            Item::new(Column::text($id), "the id of its witness in this run", |row| {
                row.$field.map(|removal| &*removal.kept.id).into()
            }),
            Item::new(Column::text($file), "the file of the witness", |row| {
                row.$field.map(|removal| &*removal.kept.file).into()
            }),
            Item::new(Column::count($record), "the record number of the witness", |row| {
                count(row.$field.map(|removal| removal.kept.record.into()))
            }),
            Item::new(Column::ratio($value), "resemblance of the two, or its estimate", |row| {
                row.$field.and_then(|removal| removal.resemblance).into()
            }),
        ]
    };
}

/// Every document that one run removed and the other kept, or that both removed, but for another
/// witness or by another rule.
pub const CHANGED: Layout<Changed<'static>> = Layout {
    name: "changed",
    groups: &[
        name_items!(DOCUMENT, document),
        &[Item::new(
            Column::text("change"),
            "`only_a` or `only_b`: the run that removed it; `witness` or `rule`: what differs where both did",
            |row| Cell::Text(row.change),
        )],
        removal_items!(a, ["a_rule", "a_kept_id", "a_kept_file", "a_kept_record", "a_resemblance"]),
        removal_items!(b, ["b_rule", "b_kept_id", "b_kept_file", "b_kept_record", "b_resemblance"]),
    ],
};

/// A row of `changed`.
#[derive(Debug, Clone, Copy)]
pub struct Changed<'r> {
    /// The document.
    pub document: &'r DocumentName<'r>,
    /// What differs.
    pub change: &'static str,
    /// Its removal by the first run.
    pub a: Option<ChangedRemoval<'r>>,
    /// Its removal by the second run.
    pub b: Option<ChangedRemoval<'r>>,
}

/// The removal of a document by one of the runs.
#[derive(Debug, Clone, Copy)]
pub struct ChangedRemoval<'r> {
    /// Why.
    pub rule: &'r str,
    /// Its witness.
    pub kept: &'r DocumentName<'r>,
    /// Resemblance of the two, or its estimate.
    pub resemblance: Option<f64>,
}

impl TableRow for Changed<'static> {
    type Row<'r> = Changed<'r>;
}

/// Every document of a cluster that the other run does not have: with the same documents.
pub const REGROUPED: Layout<Regrouped<'static>> = Layout {
    name: "regrouped",
    groups: &[
        name_items!(DOCUMENT, document),
        &[
            Item::new(
                Column::count("a_cluster"),
                "its cluster in the first run; null if it is in none",
                |row| count(row.a.map(|(cluster, _)| cluster)),
            ),
            Item::new(Column::count("a_size"), "documents of that cluster", |row| {
                count(row.a.map(|(_, size)| size))
            }),
            Item::new(Column::count("b_cluster"), "its cluster in the second run", |row| {
                count(row.b.map(|(cluster, _)| cluster))
            }),
            Item::new(Column::count("b_size"), "documents of that cluster", |row| {
                count(row.b.map(|(_, size)| size))
            }),
        ],
    ],
};

/// A row of `regrouped`.
#[derive(Debug, Clone, Copy)]
pub struct Regrouped<'r> {
    /// The document.
    pub document: &'r DocumentName<'r>,
    /// Its cluster in the first run, and the number of documents of that.
    pub a: Option<(u64, u64)>,
    /// The same in the second run.
    pub b: Option<(u64, u64)>,
}

impl TableRow for Regrouped<'static> {
    type Row<'r> = Regrouped<'r>;
}

fn count<'c>(count: Option<u64>) -> Cell<'c> {
    count.map_or(Cell::Null, Cell::Count)
}
