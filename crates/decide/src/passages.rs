//! The tables of a search for repeated passages.

use crate::column::{Item, Layout, TableRow};
use crate::name::{DOCUMENT, DocumentName, FIRST, KEPT, name_items};
use lookalike_io::table::{Cell, Column};

/// The items of the columns that name the place `$field` of a row.
macro_rules! place_items {
    ([$unit:literal, $first:literal, $end:literal], $field:ident) => {
        &[
            Item::new(
                Column::count($unit),
                "number of its first unit in the text (by default a word), from 0",
                |row| Cell::Count(row.$field.unit),
            ),
            Item::new(
                Column::count($first),
                "first byte of the passage in the text (UTF-8), from 0",
                |row| Cell::Count(row.$field.bytes[0]),
            ),
            Item::new(Column::count($end), "the byte behind it", |row| {
                Cell::Count(row.$field.bytes[1])
            }),
        ]
    };
}

/// Every passage that stands at an earlier place as well, in order of precedence.
pub const PASSAGES: Layout<Passage<'static>> = Layout {
    name: "passages",
    groups: &[
        name_items!(DOCUMENT, document),
        place_items!(["unit", "byte", "end_byte"], at),
        name_items!(FIRST, first_document),
        place_items!(["first_unit", "first_byte", "first_end_byte"], first),
        &[
            Item::new(Column::count("units"), "units of the passage (by default words)", |row| {
                Cell::Count(row.units)
            }),
            Item::new(
                Column::count("copies"),
                "places at which the rarest window of the passage stands, this one included",
                |row| Cell::Count(row.copies[0]),
            ),
            Item::new(
                Column::count("most_copies"),
                "places at which its most frequent window stands",
                |row| Cell::Count(row.copies[1]),
            ),
        ],
    ],
};

/// A row of `passages`.
#[derive(Debug, Clone, Copy)]
pub struct Passage<'r> {
    /// The document.
    pub document: &'r DocumentName<'r>,
    /// Where in it.
    pub at: PassagePlace,
    /// The document in which it stands first.
    pub first_document: &'r DocumentName<'r>,
    /// Where in it.
    pub first: PassagePlace,
    /// Its units.
    pub units: u64,
    /// The fewest and the most copies of its windows.
    pub copies: [u64; 2],
}

/// Consecutive units of a text.
#[derive(Debug, Clone, Copy)]
pub struct PassagePlace {
    /// Number of its first unit, from 0.
    pub unit: u64,
    /// Its first byte, and the byte behind it.
    pub bytes: [u64; 2],
}

impl TableRow for Passage<'static> {
    type Row<'r> = Passage<'r>;
}

/// Every cut, and the units that prove it: those that go and those of the witness are the same.
pub const CUTS: Layout<CutPassage<'static>> = Layout {
    name: "cuts",
    groups: &[
        name_items!(DOCUMENT, document),
        place_items!(["unit", "byte", "end_byte"], at),
        name_items!(KEPT, kept_document),
        place_items!(["kept_unit", "kept_byte", "kept_end_byte"], kept),
        &[
            Item::new(Column::count("units"), "units of the passage (by default words)", |row| {
                Cell::Count(row.units)
            }),
            Item::new(
                Column::text("digest"),
                "digest of these units on both sides: XXH3 of 128 bits of the units, each with a line end",
                |row| Cell::Text(row.digest),
            ),
        ],
    ],
};

/// A row of `cuts`.
#[derive(Debug, Clone, Copy)]
pub struct CutPassage<'r> {
    /// The document.
    pub document: &'r DocumentName<'r>,
    /// What goes.
    pub at: PassagePlace,
    /// The document that has the same units.
    pub kept_document: &'r DocumentName<'r>,
    /// Where in it.
    pub kept: PassagePlace,
    /// How many units.
    pub units: u64,
    /// Of the units, in hexadecimal digits.
    pub digest: &'r str,
}

impl TableRow for CutPassage<'static> {
    type Row<'r> = CutPassage<'r>;
}

/// Pairs of stretches of two documents that are nearly the same, by the later document.
pub const NEAR: Layout<NearStretches<'static>> = Layout {
    name: "near",
    groups: &[
        name_items!(DOCUMENT, document),
        place_items!(["unit", "byte", "end_byte"], at),
        &[Item::new(Column::count("units"), "units of the stretch (by default words)", |row| {
            Cell::Count(row.units[0])
        })],
        name_items!(FIRST, first_document),
        place_items!(["first_unit", "first_byte", "first_end_byte"], first),
        &[
            Item::new(Column::count("first_units"), "units of the other stretch", |row| {
                Cell::Count(row.units[1])
            }),
            Item::new(
                Column::count("same"),
                "units of equal runs in both stretches, in the same order: a lower bound of what they have in common",
                |row| Cell::Count(row.same),
            ),
        ],
    ],
};

/// A row of `near`.
#[derive(Debug, Clone, Copy)]
pub struct NearStretches<'r> {
    /// The later document.
    pub document: &'r DocumentName<'r>,
    /// Where in it.
    pub at: PassagePlace,
    /// The earlier document.
    pub first_document: &'r DocumentName<'r>,
    /// Where in it.
    pub first: PassagePlace,
    /// Units of both stretches.
    pub units: [u64; 2],
    /// Units of runs that both have.
    pub same: u64,
}

impl TableRow for NearStretches<'static> {
    type Row<'r> = NearStretches<'r>;
}

/// Every change of a text: with these, what is written gives the text that was read.
pub const EDITS: Layout<Edit<'static>> = Layout {
    name: "edits",
    groups: &[
        name_items!(DOCUMENT, document),
        &[
            Item::new(
                Column::count("byte"),
                "the first byte that goes, in the text that was read (UTF-8), from 0",
                |row| Cell::Count(row.bytes[0]),
            ),
            Item::new(Column::count("end_byte"), "the byte behind it", |row| {
                Cell::Count(row.bytes[1])
            }),
            Item::new(Column::text("put"), "what takes its place: nothing, or a space", |row| {
                Cell::Text(row.put)
            }),
            Item::new(Column::text("text"), "what goes", |row| Cell::Text(row.text)),
        ],
    ],
};

/// A row of `edits`.
#[derive(Debug, Clone, Copy)]
pub struct Edit<'r> {
    /// The document.
    pub document: &'r DocumentName<'r>,
    /// The first byte that goes, and the byte behind it.
    pub bytes: [u64; 2],
    /// What takes its place.
    pub put: &'r str,
    /// What goes.
    pub text: &'r str,
}

impl TableRow for Edit<'static> {
    type Row<'r> = Edit<'r>;
}
