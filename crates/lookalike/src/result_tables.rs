//! The rows of the tables `pairs`, `clusters`, `ledger` and `problems`.
//!
//! Rows are ordered by the documents' ids, equal ids by their places in the collection (file, record), so the
//! bytes do not depend on the order in which anything was found.

use crate::LookalikeError;
use crate::analysis::Analysis;
use crate::decisions::Clusters;
use crate::document_columns::{A, B, DOCUMENT, DocumentName, KEPT, LEADER, REMOVED, WIDTH};
use crate::estimates;
use crate::table_store::{TableFiles, TableStore};
use lookalike_core::{Measure, Overlap};
use lookalike_engine::try_sort::try_par_sort_unstable_by;
use lookalike_engine::{Collection, Edge, EngineError, Progress};
use lookalike_io::Problem;
use lookalike_io::sink::Staging;
use lookalike_io::table::{Cell, Column, ColumnKind, TableFormat, TableWriter, WrittenTable};
use lookalike_methods::Evidence;
use std::cmp::Ordering;
use xxhash_rust::xxh3::Xxh3;

/// How many columns state how two documents compare.
const COLUMNS: usize = 10;

/// The columns that state how two documents compare; `a` is the first document of the row.
const COUNTS: [Column; COLUMNS] = [
    Column { name: "resemblance", kind: ColumnKind::Ratio },
    Column { name: "containment_a_in_b", kind: ColumnKind::Ratio },
    Column { name: "containment_b_in_a", kind: ColumnKind::Ratio },
    Column { name: "cosine", kind: ColumnKind::Ratio },
    Column { name: "shared", kind: ColumnKind::Count },
    Column { name: "size_a", kind: ColumnKind::Count },
    Column { name: "size_b", kind: ColumnKind::Count },
    Column { name: "distance", kind: ColumnKind::Count },
    Column { name: "resemblance_low", kind: ColumnKind::Ratio },
    Column { name: "resemblance_high", kind: ColumnKind::Ratio },
];

/// Place of `cosine` in [`COUNTS`]: only written where it was asked for.
const COSINE: usize = 3;

/// Place of `distance` in [`COUNTS`]: only written where simhashes were compared.
const DISTANCE: usize = 7;

/// Places of the 95 % interval of the resemblance in [`COUNTS`]: only written where it was estimated.
const INTERVAL: [usize; 2] = [8, 9];

/// Which of the columns that not every run has are written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extra {
    cosine: bool,
    distance: bool,
    interval: bool,
}

impl Extra {
    /// All of them.
    pub(crate) const ALL: Self = Self { cosine: true, distance: true, interval: true };

    /// Those of a run by samples of sets.
    pub(crate) const OF_SAMPLES: Self = Self { cosine: false, distance: false, interval: true };

    /// Those that a run has.
    pub(crate) fn of(analysis: &Analysis) -> Self {
        Self {
            cosine: analysis.settings.measure == Measure::Cosine && analysis.approach.keeps_sets(),
            distance: analysis.compares_words(),
            interval: estimates::are_made(&analysis.approach),
        }
    }

    /// Those of a run by sets, whose measure is known.
    pub(crate) fn of_sets(measure: Measure) -> Self {
        Self { cosine: measure == Measure::Cosine, distance: false, interval: false }
    }

    fn has(self, place: usize) -> bool {
        match place {
            COSINE => self.cosine,
            DISTANCE => self.distance,
            place if INTERVAL.contains(&place) => self.interval,
            _ => true,
        }
    }
}

/// Columns of `clusters`: the document, its cluster, the kept document of that, and how similar the two are.
pub(crate) fn cluster_columns() -> Vec<Column> {
    let (cluster, resemblance) = (Column::count("cluster"), Column::ratio("resemblance"));
    [&DOCUMENT[..], &[cluster], &LEADER, &[resemblance]].concat()
}

/// Columns of `problems`.
const PROBLEMS: [Column; 5] = [
    Column { name: "file", kind: ColumnKind::Text },
    Column { name: "record", kind: ColumnKind::Count },
    Column { name: "line", kind: ColumnKind::Count },
    Column { name: "offset", kind: ColumnKind::Count },
    Column { name: "message", kind: ColumnKind::Text },
];

/// Columns of `ledger`: the removed document, the kept one, why, and how the two compare.
pub(crate) fn ledger_columns(extra: Extra) -> Vec<Column> {
    let names = [&REMOVED[..], &KEPT, &[Column::text("rule")]].concat();
    names.into_iter().chain(written(COUNTS, extra)).collect()
}

/// Columns of `pairs`: both documents, and how they compare.
pub(crate) fn pair_columns(extra: Extra) -> Vec<Column> {
    [A, B].concat().into_iter().chain(written(COUNTS, extra)).collect()
}

/// Leaves out what the run does not have.
fn written<T>(cells: [T; COLUMNS], extra: Extra) -> impl Iterator<Item = T> {
    (0..).zip(cells).filter(move |(at, _)| extra.has(*at)).map(|(_, cell)| cell)
}

/// A table that is being written, and added to its digest.
pub(crate) struct Table<'a> {
    writer: TableWriter,
    digest: &'a mut Xxh3,
    progress: &'a dyn Progress,
    rows: u64,
}

/// Rows that are written between two polls for cancellation.
const POLLED: u64 = 4096;

impl<'a> Table<'a> {
    pub(crate) fn create(
        staging: &Staging,
        name: &str,
        format: TableFormat,
        columns: &[Column],
        digest: &'a mut Xxh3,
        progress: &'a dyn Progress,
    ) -> Result<Self, LookalikeError> {
        let writer = TableWriter::create(&staging.path(name), format, columns)?;
        Ok(Self::new(writer, name, digest, progress))
    }

    /// A table that a writer was opened for.
    pub(crate) fn new(
        writer: TableWriter,
        name: &str,
        digest: &'a mut Xxh3,
        progress: &'a dyn Progress,
    ) -> Self {
        digest.update(name.as_bytes());
        Self { writer, digest, progress, rows: 0 }
    }

    /// The writer, which is still to be finished.
    pub(crate) fn into_writer(self) -> TableWriter {
        self.writer
    }

    pub(crate) fn row(&mut self, cells: &[Cell<'_>]) -> Result<(), LookalikeError> {
        if self.rows.is_multiple_of(POLLED) && self.progress.cancelled() {
            return Err(EngineError::Cancelled.into());
        }
        self.rows += 1;
        digest_row(self.digest, cells.iter().copied());
        Ok(self.writer.row(cells)?)
    }

    /// A row of two documents, the rule that joined them where the table states one, and the counts of the pair.
    pub(crate) fn compared(
        &mut self,
        [a, b]: [&DocumentName<'_>; 2],
        rule: Option<&str>,
        evidence: Evidence,
        extra: Extra,
    ) -> Result<(), LookalikeError> {
        let names = a.cells().into_iter().chain(b.cells());
        let named = names.chain(rule.map(Cell::Text));
        // On the stack: there are millions of rows.
        let mut cells = [Cell::Null; 2 * WIDTH + 1 + COLUMNS];
        let mut length = 0;
        for (place, cell) in
            cells.iter_mut().zip(named.chain(written(count_cells(evidence), extra)))
        {
            *place = cell;
            length += 1;
        }
        self.row(&cells[..length])
    }

    /// A row of `clusters`.
    pub(crate) fn member(
        &mut self,
        member: &DocumentName<'_>,
        cluster: u64,
        leader: &DocumentName<'_>,
        value: Option<f64>,
    ) -> Result<(), LookalikeError> {
        let ([id, file, record], [of_id, of_file, of_record]) = (member.cells(), leader.cells());
        self.row(&[id, file, record, Cell::Count(cluster), of_id, of_file, of_record, value.into()])
    }

    /// Ends the table.
    pub(crate) fn finish(self) -> Result<WrittenTable, LookalikeError> {
        Ok(self.writer.finish()?)
    }
}

/// The digest of a run: of the digests of its tables, in their order. Each has its own, as they are written side by
/// side.
pub(crate) fn run_digest(tables: &[Xxh3]) -> u128 {
    let mut digest = Xxh3::new();
    tables.iter().for_each(|table| digest.update(&table.digest128().to_le_bytes()));
    digest.digest128()
}

/// Takes a row into the digest of a table.
pub(crate) fn digest_row<'c>(digest: &mut Xxh3, cells: impl Iterator<Item = Cell<'c>>) {
    for cell in cells {
        match cell {
            Cell::Text(text) => {
                digest.update(&(text.len() as u64).to_le_bytes());
                digest.update(text.as_bytes());
            }
            Cell::Count(count) => digest.update(&count.to_le_bytes()),
            // Ratios follow from the counts, and no float decides anything.
            Cell::Ratio(_) | Cell::Null => {}
        }
    }
}

/// Cells for the evidence of a pair; empty where it says nothing.
fn count_cells<'c>(evidence: Evidence) -> [Cell<'c>; COLUMNS] {
    let ratio = |value: Option<f64>| value.map_or(Cell::Null, Cell::Ratio);
    let count = |value: Option<u32>| value.map_or(Cell::Null, |n| Cell::Count(n.into()));
    let (counts, shared) = (evidence.counts(), evidence.shared());
    let (low, high) = estimates::interval(evidence).unzip();
    [
        ratio(evidence.resemblance()),
        ratio(counts.map(Overlap::containment_a_in_b)),
        ratio(counts.map(Overlap::containment_b_in_a)),
        ratio(counts.map(Overlap::cosine)),
        count(shared.map(|counts| counts.shared)),
        count(shared.map(|counts| counts.a)),
        count(shared.map(|counts| counts.b)),
        count(evidence.distance()),
        ratio(low),
        ratio(high),
    ]
}

/// Adds the rows of the ledger: every removed document with its witness and their measures.
pub(crate) fn fill_ledger(
    analysis: &Analysis,
    table: &mut Table<'_>,
) -> Result<(), LookalikeError> {
    let extra = Extra::of(analysis);
    let mut rows: Vec<_> = analysis
        .removals()
        .filter(|&(document, _)| !analysis.collection.is_protected(document))
        .map(|(document, removal)| (Named::of(analysis, document), removal))
        .collect();
    try_par_sort_unstable_by(&mut rows, |a, b| a.0.compare(b.0, &analysis.collection))?;
    let name = |document| DocumentName::of(&analysis.collection, document);
    for (Named { a: document, .. }, removal) in rows {
        let names = [&name(document)?, &name(removal.kept)?];
        table.compared(names, Some(removal.rule.name()), removal.evidence, extra)?;
    }
    Ok(())
}

/// One document or two with what orders them by their names: their ranks, where they have some. At hand for a sort,
/// where every look at a rank would be a walk to memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Named {
    ranks: Option<u64>,
    pub(crate) a: u32,
    pub(crate) b: u32,
}

impl Named {
    /// One document, which is both.
    pub(crate) fn of(analysis: &Analysis, document: u32) -> Self {
        Self::pair(analysis, document, document)
    }

    fn pair(analysis: &Analysis, a: u32, b: u32) -> Self {
        let rank = |document| analysis.collection.name_rank(document).map(u64::from);
        Self { ranks: rank(a).zip(rank(b)).map(|(a, b)| a << 32 | b), a, b }
    }

    /// Orders by the name of the first, then of the second.
    pub(crate) fn compare(
        self,
        other: Self,
        collection: &Collection,
    ) -> Result<Ordering, EngineError> {
        if let Some((own, its)) = self.ranks.zip(other.ranks) {
            return Ok(own.cmp(&its));
        }
        match collection.compare_names(self.a, other.a)? {
            Ordering::Equal => collection.compare_names(self.b, other.b),
            order => Ok(order),
        }
    }
}

/// Adds the rows of the clusters: every document that is in one with another, its leader first.
pub(crate) fn fill_clusters(
    analysis: &Analysis,
    clusters: &Clusters,
    table: &mut Table<'_>,
) -> Result<(), LookalikeError> {
    let named = |document| Named::of(analysis, document);
    let mut rows: Vec<(u64, bool, Named, Option<f64>)> = clusters
        .in_order()
        .iter()
        .map(|&leader| {
            let number = clusters.number(leader).unwrap_or_default();
            (number, false, named(leader), Some(1.0))
        })
        .chain(analysis.removals().map(|(document, removal)| {
            let number = clusters.number(removal.kept).unwrap_or_default();
            (number, true, named(document), analysis.similarity(removal.evidence))
        }))
        .collect();
    let name = |document| DocumentName::of(&analysis.collection, document);
    try_par_sort_unstable_by(&mut rows, |a, b| match (a.0, a.1).cmp(&(b.0, b.1)) {
        Ordering::Equal => a.2.compare(b.2, &analysis.collection),
        order => Ok(order),
    })?;
    let mut leader = DocumentName::default();
    for (number, removed, Named { a: document, .. }, value) in rows {
        let member = name(document)?;
        if !removed {
            leader = member.clone();
        }
        table.member(&member, number, &leader, value)?;
    }
    Ok(())
}

/// A pair of documents as a row.
#[derive(Clone, Copy)]
struct PairRow {
    documents: Named,
    evidence: Evidence,
}

/// Adds the rows of the pairs, a before b by name.
pub(crate) fn fill_pairs(analysis: &Analysis, table: &mut Table<'_>) -> Result<(), LookalikeError> {
    let extra = Extra::of(analysis);
    let mut rows = pair_rows(analysis)?;
    let compare = |x: &PairRow, y: &PairRow| x.documents.compare(y.documents, &analysis.collection);
    try_par_sort_unstable_by(&mut rows, compare)?;
    let name = |document| DocumentName::of(&analysis.collection, document);
    for PairRow { documents: Named { a, b, .. }, evidence } in rows {
        table.compared([&name(a)?, &name(b)?], None, evidence, extra)?;
    }
    Ok(())
}

/// Edges between units, spelled out as pairs of documents: all of them where the list is complete,
/// else each document with the one that leads its own or the other unit.
fn pair_rows(analysis: &Analysis) -> Result<Vec<PairRow>, EngineError> {
    let Analysis { collection, units, matches, approach, .. } = analysis;
    let complete = matches.pairs.complete;
    let mut rows = Vec::new();
    let mut add = |x: u32, y: u32, evidence: Evidence| {
        let (a, b, evidence) = match collection.compare_names(x, y)? {
            Ordering::Greater => (y, x, evidence.swapped()),
            _ => (x, y, evidence),
        };
        rows.push(PairRow { documents: Named::pair(analysis, a, b), evidence });
        Ok::<(), EngineError>(())
    };
    for unit in 0..units.len() {
        let members = units.members(unit);
        if members.len() == 1 {
            continue;
        }
        let itself = Edge { later: unit, earlier: unit, shared: units.size(unit) };
        let same = approach.evidence(collection, units, itself);
        for (at, &member) in members.iter().enumerate().skip(1) {
            let partners = if complete { &members[..at] } else { &members[..1] };
            partners.iter().try_for_each(|&partner| add(member, partner, same))?;
        }
    }
    for &edge in &matches.pairs.edges {
        let evidence = approach.evidence(collection, units, edge);
        let partners = units.members(edge.earlier);
        let partners = if complete { partners } else { &partners[..1] };
        for &member in units.members(edge.later) {
            partners.iter().try_for_each(|&partner| add(member, partner, evidence))?;
        }
    }
    Ok(rows)
}

/// Writes the problems: records and files that could not be used, and why. Of very many, the first.
pub(crate) fn write_problems(
    problems: &[Problem],
    store: &TableFiles<'_>,
) -> Result<WrittenTable, LookalikeError> {
    let mut table = store.begin("problems", &PROBLEMS)?;
    let known = |place: u64| if place == 0 { Cell::Null } else { Cell::Count(place) };
    for problem in problems {
        table.row(&[
            Cell::Text(&problem.path),
            known(problem.record.into()),
            known(problem.line),
            problem.offset.map_or(Cell::Null, Cell::Count),
            Cell::Text(&problem.message),
        ])?;
    }
    store.finish(&PROBLEMS, table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;
    use std::cell::Cell as Count;
    use std::sync::atomic::{AtomicBool, Ordering};

    struct Flag(AtomicBool);

    impl Progress for Flag {
        fn cancelled(&self) -> bool {
            self.0.load(Ordering::Relaxed)
        }
    }

    #[test]
    fn a_table_that_is_not_wanted_any_more_is_not_written_to_its_end() {
        for before in [0, 1, POLLED - 1, POLLED, 3 * POLLED + 7] {
            let folder = tempfile::tempdir().unwrap();
            let staging = Staging::create(&folder.path().join("out"), false).unwrap();
            let (mut digest, flag) = (Xxh3::new(), Flag(AtomicBool::new(false)));
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
