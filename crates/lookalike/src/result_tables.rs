//! Verdicts and pairs in; the tables `pairs`, `clusters` and `ledger` out.
//!
//! Rows are ordered by the documents' names, so the bytes do not depend on the order in which
//! anything was found.

use crate::LookalikeError;
use crate::analysis::Analysis;
use crate::decisions::Clusters;
use lookalike_core::{Measure, Overlap};
use lookalike_engine::Edge;
use lookalike_io::sink::Staging;
use lookalike_io::table::{Cell, Column, Kind, TableFormat, TableWriter, WrittenTable};
use rayon::prelude::*;
use xxhash_rust::xxh3::Xxh3;

/// The columns that state how much two documents share; `a` is the first document of the row.
const COUNTS: [Column; 7] = [
    Column { name: "resemblance", kind: Kind::Ratio },
    Column { name: "containment_a_in_b", kind: Kind::Ratio },
    Column { name: "containment_b_in_a", kind: Kind::Ratio },
    Column { name: "cosine", kind: Kind::Ratio },
    Column { name: "shared", kind: Kind::Count },
    Column { name: "size_a", kind: Kind::Count },
    Column { name: "size_b", kind: Kind::Count },
];

/// Place of `cosine` in [`COUNTS`]: only written where it was asked for.
const COSINE: usize = 3;

/// Columns of `pairs`.
pub(crate) const PAIRS: [&str; 2] = ["a", "b"];

/// Columns of `ledger` before the counts.
pub(crate) const LEDGER: [&str; 3] = ["id", "kept", "rule"];

/// Columns of `clusters`.
pub(crate) const CLUSTERS: [Column; 4] = [
    Column { name: "id", kind: Kind::Text },
    Column { name: "cluster", kind: Kind::Count },
    Column { name: "leader", kind: Kind::Text },
    Column { name: "resemblance", kind: Kind::Ratio },
];

/// Columns of `problems`.
const PROBLEMS: [Column; 5] = [
    Column { name: "file", kind: Kind::Text },
    Column { name: "record", kind: Kind::Count },
    Column { name: "line", kind: Kind::Count },
    Column { name: "offset", kind: Kind::Count },
    Column { name: "message", kind: Kind::Text },
];

/// All columns that a ledger may have.
pub(crate) fn ledger_columns() -> Vec<Column> {
    columns(&LEDGER, Measure::Cosine)
}

/// The columns of a table that begins with text and goes on with counts.
pub(crate) fn columns(texts: &[&'static str], measure: Measure) -> Vec<Column> {
    let texts = texts.iter().map(|&name| Column { name, kind: Kind::Text });
    texts.chain(counted(&COUNTS, measure).copied()).collect()
}

/// Leaves out the cosine where nobody asked for it.
fn counted<T>(cells: &[T; 7], measure: Measure) -> impl Iterator<Item = &T> {
    (0..)
        .zip(cells)
        .filter(move |(at, _)| *at != COSINE || measure == Measure::Cosine)
        .map(|(_, c)| c)
}

/// A table on its way to disk, and into the digest of the run.
struct Table<'a> {
    writer: TableWriter,
    digest: &'a mut Xxh3,
}

impl<'a> Table<'a> {
    fn create(
        staging: &Staging,
        name: &str,
        format: TableFormat,
        columns: &[Column],
        digest: &'a mut Xxh3,
    ) -> Result<Self, LookalikeError> {
        digest.update(name.as_bytes());
        Ok(Self { writer: TableWriter::create(&staging.path(name), format, columns)?, digest })
    }

    fn row(&mut self, cells: &[Cell<'_>]) -> Result<(), LookalikeError> {
        for cell in cells {
            match cell {
                Cell::Text(text) => {
                    self.digest.update(&(text.len() as u64).to_le_bytes());
                    self.digest.update(text.as_bytes());
                }
                Cell::Count(count) => self.digest.update(&count.to_le_bytes()),
                // Ratios follow from the counts, and no float decides anything.
                Cell::Ratio(_) | Cell::Null => {}
            }
        }
        Ok(self.writer.row(cells)?)
    }

    /// A row of text and the counts of a pair.
    fn compared(
        &mut self,
        texts: &[&str],
        counts: Overlap,
        measure: Measure,
    ) -> Result<(), LookalikeError> {
        let texts = texts.iter().map(|text| Cell::Text(text));
        let mut cells = [Cell::Null; LEDGER.len() + COUNTS.len()];
        let mut length = 0;
        for (place, cell) in cells.iter_mut().zip(texts.chain(count_cells(counts, measure))) {
            *place = cell;
            length += 1;
        }
        self.row(&cells[..length])
    }
}

/// Cells for the counts of a pair.
fn count_cells<'c>(counts: Overlap, measure: Measure) -> impl Iterator<Item = Cell<'c>> {
    let cells = [
        Cell::Ratio(counts.resemblance()),
        Cell::Ratio(counts.containment_a_in_b()),
        Cell::Ratio(counts.containment_b_in_a()),
        Cell::Ratio(counts.cosine()),
        Cell::Count(counts.shared.into()),
        Cell::Count(counts.a.into()),
        Cell::Count(counts.b.into()),
    ];
    (0..)
        .zip(cells)
        .filter(move |(at, _)| *at != COSINE || measure == Measure::Cosine)
        .map(|(_, c)| c)
}

/// Writes the ledger: every removed document, the one that stands for it, and how they compare.
pub(crate) fn write_ledger(
    analysis: &Analysis,
    staging: &Staging,
    format: TableFormat,
    digest: &mut Xxh3,
) -> Result<WrittenTable, LookalikeError> {
    let measure = analysis.settings.measure;
    let mut rows: Vec<_> = analysis
        .verdicts
        .removals()
        .filter(|&(document, _)| !analysis.collection.is_protected(document))
        .collect();
    rows.par_sort_unstable_by(|a, b| analysis.collection.compare_names(a.0, b.0));
    let mut table = Table::create(staging, "ledger", format, &columns(&LEDGER, measure), digest)?;
    for (document, removal) in rows {
        let (id, kept) =
            (analysis.collection.name(document), analysis.collection.name(removal.kept));
        table.compared(&[&id, &kept, removal.rule.name()], removal.counts, measure)?;
    }
    Ok(table.writer.finish()?)
}

/// Writes the clusters: every document that is in one with another, its leader first.
pub(crate) fn write_clusters(
    analysis: &Analysis,
    clusters: &Clusters,
    staging: &Staging,
    format: TableFormat,
    digest: &mut Xxh3,
) -> Result<WrittenTable, LookalikeError> {
    let measure = analysis.settings.measure;
    let mut rows: Vec<(u64, bool, u32, f64)> = clusters
        .in_order()
        .into_iter()
        .map(|leader| (clusters.number(leader).unwrap_or_default(), false, leader, 1.0))
        .chain(analysis.verdicts.removals().map(|(document, removal)| {
            let number = clusters.number(removal.kept).unwrap_or_default();
            (number, true, document, measure.value(removal.counts))
        }))
        .collect();
    let name = |document: u32| analysis.collection.name(document);
    rows.par_sort_unstable_by(|a, b| {
        (a.0, a.1).cmp(&(b.0, b.1)).then_with(|| analysis.collection.compare_names(a.2, b.2))
    });
    let mut table = Table::create(staging, "clusters", format, &CLUSTERS, digest)?;
    let mut leader = std::borrow::Cow::Borrowed("");
    for (number, removed, document, value) in rows {
        let id = name(document);
        if !removed {
            leader = id.clone();
        }
        table.row(&[
            Cell::Text(&id),
            Cell::Count(number),
            Cell::Text(&leader),
            Cell::Ratio(value),
        ])?;
    }
    Ok(table.writer.finish()?)
}

/// A pair of documents as a row.
#[derive(Clone, Copy)]
struct PairRow {
    a: u32,
    b: u32,
    counts: Overlap,
}

/// Writes the pairs, a before b by name.
pub(crate) fn write_pairs(
    analysis: &Analysis,
    staging: &Staging,
    format: TableFormat,
    digest: &mut Xxh3,
) -> Result<WrittenTable, LookalikeError> {
    let measure = analysis.settings.measure;
    let mut rows = pair_rows(analysis);
    let by_name = |a, b| analysis.collection.compare_names(a, b);
    rows.par_sort_unstable_by(|x, y| by_name(x.a, y.a).then_with(|| by_name(x.b, y.b)));
    let mut table = Table::create(staging, "pairs", format, &columns(&PAIRS, measure), digest)?;
    for PairRow { a, b, counts } in rows {
        let (a, b) = (analysis.collection.name(a), analysis.collection.name(b));
        table.compared(&[&a, &b], counts, measure)?;
    }
    Ok(table.writer.finish()?)
}

/// Edges between units, spelled out as pairs of documents: all of them where the list is complete,
/// else each document with the one that leads its own or the other unit.
fn pair_rows(analysis: &Analysis) -> Vec<PairRow> {
    let Analysis { collection, units, matches, .. } = analysis;
    let complete = matches.pairs.complete;
    let mut rows = Vec::new();
    let mut add = |x: u32, y: u32, counts: Overlap| {
        rows.push(match collection.compare_names(x, y) {
            std::cmp::Ordering::Greater => PairRow { a: y, b: x, counts: counts.swapped() },
            _ => PairRow { a: x, b: y, counts },
        });
    };
    for unit in 0..units.len() {
        let size = units.size(unit);
        let same = Overlap { shared: size, a: size, b: size };
        let members = units.members(unit);
        for (at, &member) in members.iter().enumerate().skip(1) {
            let partners = if complete { &members[..at] } else { &members[..1] };
            partners.iter().for_each(|&partner| add(member, partner, same));
        }
    }
    for &Edge { unit, with, shared } in &matches.pairs.edges {
        let counts = Overlap { shared, a: units.size(unit), b: units.size(with) };
        let partners = units.members(with);
        let partners = if complete { partners } else { &partners[..1] };
        for &member in units.members(unit) {
            partners.iter().for_each(|&partner| add(member, partner, counts));
        }
    }
    rows
}

/// Writes the problems: records and files that could not be used, and why. Of very many, the first.
pub(crate) fn write_problems(
    analysis: &Analysis,
    staging: &Staging,
    format: TableFormat,
) -> Result<WrittenTable, LookalikeError> {
    let mut table = TableWriter::create(&staging.path("problems"), format, &PROBLEMS)?;
    let known = |place: u64| if place == 0 { Cell::Null } else { Cell::Count(place) };
    for problem in analysis.collection.problems.listed() {
        table.row(&[
            Cell::Text(&problem.path),
            known(problem.record.into()),
            known(problem.line),
            problem.offset.map_or(Cell::Null, Cell::Count),
            Cell::Text(&problem.message),
        ])?;
    }
    Ok(table.finish()?)
}
