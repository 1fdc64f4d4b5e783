//! The tables of a search for benchmark items in training documents.

use crate::column::{Item, Layout, TableRow};
use crate::name::{DOCUMENT, DocumentName, ITEM, name_items};
use lookalike_io::table::{Cell, Column};

/// Every training document that contains a part of an item, with that part.
pub const CONTAMINATION: Layout<Contaminated<'static>> = Layout {
    name: "contamination",
    groups: &[
        name_items!(DOCUMENT, document),
        name_items!(ITEM, item),
        &[
            Item::new(
                Column::text("benchmark"),
                "the benchmark of the item: its file, or the directory of a text file",
                |row| Cell::Text(row.benchmark),
            ),
            Item::new(Column::text("part"), "the field of the item that was found", |row| {
                Cell::Text(row.part)
            }),
            Item::new(
                Column::ratio("share"),
                "`shared` / `shingles`, which reached the threshold",
                |row| Cell::Ratio(share(row.shared, row.shingles)),
            ),
            Item::new(
                Column::count("shared"),
                "counted shingles of the part that the document has",
                |row| Cell::Count(row.shared),
            ),
            Item::new(
                Column::count("shingles"),
                "distinct shingles of the part, without common ones",
                |row| Cell::Count(row.shingles),
            ),
            Item::new(Column::count("words"), "words of the part", |row| Cell::Count(row.words)),
            Item::new(
                Column::count("covered"),
                "words of the part in shingles that the document has",
                |row| Cell::Count(row.covered),
            ),
            Item::new(
                Column::count("spans"),
                "number of places in the document, the rows of `spans`",
                |row| Cell::Count(row.spans),
            ),
            Item::new(Column::count("longest"), "words of the longest of them", |row| {
                Cell::Count(row.longest)
            }),
        ],
    ],
};

/// A row of `contamination`.
#[derive(Debug, Clone, Copy)]
pub struct Contaminated<'r> {
    /// The training document.
    pub document: &'r DocumentName<'r>,
    /// The item.
    pub item: &'r DocumentName<'r>,
    /// The benchmark of the item.
    pub benchmark: &'r str,
    /// The name of the part.
    pub part: &'r str,
    /// Counted shingles of the part that the document has.
    pub shared: u64,
    /// Distinct shingles of the part that count.
    pub shingles: u64,
    /// Words of the part.
    pub words: u64,
    /// Words of the part in shingles that the document has.
    pub covered: u64,
    /// Number of spans.
    pub spans: u64,
    /// Words of the longest span.
    pub longest: u64,
}

impl TableRow for Contaminated<'static> {
    type Row<'r> = Contaminated<'r>;
}

/// Where the parts of the rows of [`CONTAMINATION`] stand.
pub const SPANS: Layout<Span<'static>> = Layout {
    name: "spans",
    groups: &[
        name_items!(DOCUMENT, document),
        name_items!(ITEM, item),
        &[
            Item::new(Column::text("part"), "the field of the item", |row| Cell::Text(row.part)),
            Item::new(
                Column::count("first_word"),
                "number of its first word in the text, from 0",
                |row| Cell::Count(row.words[0]),
            ),
            Item::new(Column::count("end_word"), "number of the word behind it", |row| {
                Cell::Count(row.words[1])
            }),
            Item::new(
                Column::count("first_byte"),
                "its first byte in the text (UTF-8), from 0",
                |row| Cell::Count(row.bytes[0]),
            ),
            Item::new(Column::count("end_byte"), "the byte behind it", |row| {
                Cell::Count(row.bytes[1])
            }),
        ],
    ],
};

/// A row of `spans`: a run of words that shingles of the part cover.
#[derive(Debug, Clone, Copy)]
pub struct Span<'r> {
    /// The training document.
    pub document: &'r DocumentName<'r>,
    /// The item.
    pub item: &'r DocumentName<'r>,
    /// The name of the part.
    pub part: &'r str,
    /// Number of its first word, and of the word behind it.
    pub words: [u64; 2],
    /// Its first byte, and the byte behind it.
    pub bytes: [u64; 2],
}

impl TableRow for Span<'static> {
    type Row<'r> = Span<'r>;
}

/// Every part of every item, found or not.
pub const ITEMS: Layout<BenchmarkPart<'static>> = Layout {
    name: "items",
    groups: &[
        name_items!(ITEM, item),
        &[
            Item::new(Column::text("benchmark"), "its benchmark", |row| Cell::Text(row.benchmark)),
            Item::new(Column::text("part"), "the field of the item", |row| Cell::Text(row.part)),
            Item::new(
                Column::text("outcome"),
                "`found`, `absent`, `common` (all its shingles are) or `short` (too few words)",
                |row| Cell::Text(row.outcome),
            ),
            Item::new(Column::count("words"), "words of the part", |row| Cell::Count(row.words)),
            Item::new(
                Column::count("shingles"),
                "its distinct shingles, without common ones",
                |row| Cell::Count(row.shingles),
            ),
            Item::new(
                Column::count("common"),
                "its distinct shingles that are common and do not count",
                |row| Cell::Count(row.common),
            ),
            Item::new(
                Column::count("documents"),
                "training documents that contain the part",
                |row| Cell::Count(row.documents),
            ),
            Item::new(
                Column::ratio("share"),
                "largest share of its shingles in one of them",
                |row| {
                    if row.documents == 0 {
                        Cell::Null
                    } else {
                        Cell::Ratio(share(row.shared, row.shingles))
                    }
                },
            ),
            Item::new(Column::count("longest"), "words of the longest span", |row| {
                if row.documents == 0 { Cell::Null } else { Cell::Count(row.longest) }
            }),
        ],
    ],
};

/// A row of `items`.
#[derive(Debug, Clone, Copy)]
pub struct BenchmarkPart<'r> {
    /// The item.
    pub item: &'r DocumentName<'r>,
    /// Its benchmark.
    pub benchmark: &'r str,
    /// The name of the part.
    pub part: &'r str,
    /// What became of it.
    pub outcome: &'r str,
    /// Words of the part.
    pub words: u64,
    /// Its distinct shingles that count.
    pub shingles: u64,
    /// Its distinct shingles that do not.
    pub common: u64,
    /// Training documents that contain it.
    pub documents: u64,
    /// The most counted shingles that one of them has.
    pub shared: u64,
    /// Words of the longest span.
    pub longest: u64,
}

impl TableRow for BenchmarkPart<'static> {
    type Row<'r> = BenchmarkPart<'r>;
}

/// Every benchmark.
pub const BENCHMARKS: Layout<BenchmarkRow<'static>> = Layout {
    name: "benchmarks",
    groups: &[&[
        Item::new(
            Column::text("benchmark"),
            "the file of the items, or the directory of text files",
            |row| Cell::Text(row.benchmark),
        ),
        Item::new(Column::count("items"), "number of items", |row| Cell::Count(row.items)),
        Item::new(Column::count("found"), "items of which a part was found", |row| {
            Cell::Count(row.found)
        }),
        Item::new(
            Column::count("common"),
            "other items that have a part of common shingles only",
            |row| Cell::Count(row.common),
        ),
        Item::new(Column::count("short"), "items of which every part is too short", |row| {
            Cell::Count(row.short)
        }),
        Item::new(Column::count("words"), "words of the parts that are long enough", |row| {
            Cell::Count(row.words)
        }),
        Item::new(
            Column::count("covered"),
            "those of them that stand in shingles of training documents that contain the part",
            |row| Cell::Count(row.covered),
        ),
        Item::new(Column::count("longest"), "words of the longest span", |row| {
            Cell::Count(row.longest)
        }),
        Item::new(
            Column::count("documents"),
            "training documents that contain a part of an item",
            |row| Cell::Count(row.documents),
        ),
    ]],
};

/// A row of `benchmarks`.
#[derive(Debug, Clone, Copy, Default)]
pub struct BenchmarkRow<'r> {
    /// Its name.
    pub benchmark: &'r str,
    /// Number of items.
    pub items: u64,
    /// Items of which a part was found.
    pub found: u64,
    /// Other items that have a part of common shingles only.
    pub common: u64,
    /// Items of which every part is too short.
    pub short: u64,
    /// Words of the parts that are long enough.
    pub words: u64,
    /// Covered words of these parts.
    pub covered: u64,
    /// Words of the longest span.
    pub longest: u64,
    /// Training documents that contain a part of an item.
    pub documents: u64,
}

impl TableRow for BenchmarkRow<'static> {
    type Row<'r> = BenchmarkRow<'r>;
}

fn share(shared: u64, shingles: u64) -> f64 {
    shared as f64 / shingles.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described<R: TableRow>(layout: &Layout<R>) -> String {
        let own = layout.groups.last().copied().unwrap_or_default();
        let line = |item: &Item<R>| format!("| `{}` | {} |\n", item.column.name, item.doc);
        own.iter().map(line).collect()
    }

    #[test]
    fn the_page_of_tables_has_every_column() {
        let page = include_str!("../../../docs/reference/tables.md");
        let tables = [
            described(&CONTAMINATION),
            described(&SPANS),
            described(&ITEMS),
            described(&BENCHMARKS),
        ];
        for lines in tables {
            assert!(page.contains(&lines), "docs/reference/tables.md lacks the lines:\n{lines}");
        }
    }
}
