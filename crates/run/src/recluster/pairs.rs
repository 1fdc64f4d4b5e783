//! Reads the table of pairs into pairs of units with their counts.
//!
//! The table is read twice: once for the pairs of units, which represent all pairs of their
//! members, and once to write the rows that reach the threshold. Memory: 20 bytes per pair of
//! units.

use super::units::Units;
use crate::LookalikeError;
use crate::documents::Documents;
use lookalike_core::Overlap;
use lookalike_decide::name::{A, B, WIDTH};
use lookalike_decide::{PAIRS, TableDigest};
use lookalike_engine::{EngineError, Progress, SetId};
use lookalike_io::table::{TableError, TableReader, Value};
use std::path::{Path, PathBuf};

/// A row: documents by number, `a` before `b` by name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    pub(super) a: u32,
    pub(super) b: u32,
    /// `None` for documents of the same words that the method could not sign.
    pub(super) counts: Option<Overlap>,
}

/// The rows of the table, in sequence.
pub(super) struct Pairs<'a> {
    table: TableReader,
    path: PathBuf,
    documents: &'a Documents,
    /// Indices of the columns of `a`, `b`, `shared`, `size_a` and `size_b`; set at the first row.
    places: Option<[usize; 5]>,
    row: u64,
    /// Digest of all rows, if requested.
    digest: Option<&'a mut TableDigest>,
    /// Whether sizes are those of the documents, and not of samples.
    whole: bool,
}

impl<'a> Pairs<'a> {
    pub(super) fn open(
        run: &Path,
        documents: &'a Documents,
        digest: Option<&'a mut TableDigest>,
        whole: bool,
    ) -> Result<Self, LookalikeError> {
        let table = TableReader::open(run, PAIRS.name, &PAIRS.all())?;
        let path = table.path().to_path_buf();
        Ok(Self { table, path, documents, places: None, row: 0, digest, whole })
    }

    /// Calls `each` with every row.
    pub(super) fn for_each(
        mut self,
        progress: &dyn Progress,
        mut each: impl FnMut(Pair) -> Result<(), LookalikeError>,
    ) -> Result<u64, LookalikeError> {
        while let Some(cells) = self.table.next() {
            let cells = cells?;
            self.row += 1;
            if self.row.is_multiple_of(4096) && progress.cancelled() {
                return Err(EngineError::Cancelled.into());
            }
            if let Some(digest) = &mut self.digest {
                digest.add(cells.iter().map(Value::as_cell));
            }
            each(self.pair(&cells)?)?;
        }
        Ok(self.row)
    }

    fn wrong(&self, reason: String) -> LookalikeError {
        TableError::Malformed { path: self.path.clone(), row: self.row, reason }.into()
    }

    fn pair(&mut self, cells: &[Value]) -> Result<Pair, LookalikeError> {
        let places = match self.places {
            Some(places) => places,
            None => {
                let names = [A[0].name, B[0].name, "shared", "size_a", "size_b"];
                let found = names.map(|name| self.table.position(name));
                if let Some((name, _)) = names.iter().zip(found).find(|(_, place)| place.is_none())
                {
                    return Err(self.wrong(format!("it has no column `{name}`")));
                }
                *self.places.insert(found.map(Option::unwrap_or_default))
            }
        };
        let [a, b, shared, size_a, size_b] = places;
        let [shared, size_a, size_b] = [shared, size_a, size_b].map(|place| &cells[place]);
        let document = |from: usize| self.documents.find(cells.get(from..from + WIDTH)?);
        let count = |cell: &Value| u32::try_from(cell.as_count()?).ok();
        let (Some(a), Some(b)) = (document(a), document(b)) else {
            return Err(self.wrong("a document that is not in the table `documents`".into()));
        };
        let row = |document: u32| self.documents.rows[document as usize];
        let counts = match (count(shared), count(size_a), count(size_b)) {
            (Some(shared), Some(a), Some(b)) => Some(Overlap { shared, a, b }),
            (None, None, None)
                if !self.whole && row(a).feature_equivalent == row(b).feature_equivalent =>
            {
                None
            }
            _ => return Err(self.wrong("a count is missing".into())),
        };
        let cannot_be = |counts: Overlap| {
            counts.shared > counts.a.min(counts.b)
                || self.whole && (counts.a, counts.b) != (row(a).size, row(b).size)
        };
        if counts.is_some_and(cannot_be) || a >= b {
            return Err(self.wrong("its counts or its order cannot be".into()));
        }
        Ok(Pair { a, b, counts })
    }
}

/// Two units; `counts.a` is of `unit`, the later one in precedence.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    pub(super) unit: SetId,
    pub(super) with: SetId,
    pub(super) counts: Overlap,
}

/// Turns a pair of documents into one of their units; `None` within a unit.
pub(super) fn edge(units: &Units, pair: Pair) -> Option<Edge> {
    let (a, b) = (units.of_document(pair.a), units.of_document(pair.b));
    let counts = pair.counts?;
    match a.cmp(&b) {
        std::cmp::Ordering::Equal => None,
        std::cmp::Ordering::Greater => Some(Edge { unit: a, with: b, counts }),
        std::cmp::Ordering::Less => Some(Edge { unit: b, with: a, counts: counts.swapped() }),
    }
}

/// All pairs of units, and the size of each unit.
#[derive(Debug)]
pub(super) struct Edges {
    /// In the order of units.
    pub(super) all: Vec<Edge>,
    /// Size of each unit: of its set, or of the sample of it; `None` if there is no sample.
    pub(super) sizes: Vec<Option<u32>>,
    /// Rows read.
    pub(super) rows: u64,
}

impl Edges {
    pub(super) fn read(
        pairs: Pairs<'_>,
        documents: &Documents,
        units: &Units,
        progress: &dyn Progress,
    ) -> Result<Self, LookalikeError> {
        // All pairs of members are in the table, so the pair of the first members by name
        // represents them.
        let first: Vec<u32> = units
            .ids()
            .map(|unit| units.members(unit).iter().copied().min().unwrap_or_default())
            .collect();
        let mut sizes: Vec<Option<u32>> =
            first.iter().map(|&document| Some(documents.rows[document as usize].size)).collect();
        let mut all = Vec::new();
        let rows = pairs.for_each(progress, |pair| {
            match edge(units, pair) {
                None => {
                    sizes[units.of_document(pair.a).index()] = pair.counts.map(|counts| counts.a);
                }
                Some(edge) => {
                    let firsts = [pair.a, pair.b].map(|d| first[units.of_document(d).index()]);
                    if firsts == [pair.a, pair.b] {
                        all.push(edge);
                    }
                }
            }
            Ok(())
        })?;
        all.sort_unstable_by_key(|edge| (edge.unit, edge.with));
        Ok(Self { all, sizes, rows })
    }
}
