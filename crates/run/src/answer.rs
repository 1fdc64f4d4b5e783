//! The result of a library call, in memory.

mod parts;
mod write;

pub use parts::AnswerParts;

use crate::LookalikeError;
use crate::memory_table::ResultTable;
use crate::table_store::{TablesInMemory, write_problems};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use lookalike_io::Problem;
use lookalike_report::Summary;

/// What became of the documents of a [`Source`](crate::Source), and why.
#[derive(Debug)]
pub struct Answer {
    /// The content of `summary.json`, without times and memory.
    pub summary: Summary,
    /// The records and files that could not be used; of very many the first, and the summary counts
    /// all.
    pub problems: Vec<Problem>,
    pub(crate) records: Option<u64>,
    pub(crate) kept: Vec<Place>,
    pub(crate) documents: ResultTable,
    pub(crate) ledger: ResultTable,
    pub(crate) pairs: ResultTable,
    pub(crate) clusters: ResultTable,
}

impl Answer {
    /// Number of records that a source of records or batches had, with those that could not be
    /// used; `None` for files. Records of a protected collection are not counted.
    #[must_use]
    pub fn records(&self) -> Option<u64> {
        self.records
    }

    /// The documents that are kept, in the order of the source. With [`cluster`](crate::cluster)
    /// nothing is removed, and these are the documents that [`dedup`](crate::dedup) would keep.
    #[must_use]
    pub fn kept(&self) -> &[Place] {
        &self.kept
    }

    /// The kept ones among the items of a source of records or batches, in their order: records,
    /// texts or anything else that has one item for each document. Of files, [`Answer::kept`] has
    /// the places.
    ///
    /// ```
    /// use lookalike::{Resources, Settings, Silent, Source, dedup};
    ///
    /// # fn main() -> Result<(), lookalike::LookalikeError> {
    /// let texts = ["a rose is a rose is a rose", "A rose is a rose is a rose!", "to be or not to be"];
    /// let answer = dedup(Source::records(texts), &Settings::default(), &Resources::default(), &Silent)?;
    /// let kept: Vec<&str> = answer.select_kept(texts).collect();
    /// assert_eq!(kept, [texts[0], texts[2]]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn select_kept<I: IntoIterator>(&self, items: I) -> impl Iterator<Item = I::Item> {
        let mut kept = self.kept.iter().map(|place| place.index()).peekable();
        let items = items.into_iter().enumerate();
        items.filter_map(move |(at, item)| kept.next_if_eq(&at).map(|_| item))
    }

    /// Every removed document with the kept one that is its evidence; empty after
    /// [`cluster`](crate::cluster).
    #[must_use]
    pub fn ledger(&self) -> &ResultTable {
        &self.ledger
    }

    /// The pairs that were listed.
    #[must_use]
    pub fn pairs(&self) -> &ResultTable {
        &self.pairs
    }

    /// Every document that is in a cluster with another one.
    #[must_use]
    pub fn clusters(&self) -> &ResultTable {
        &self.clusters
    }

    /// What [`recluster`](crate::recluster()) needs to know of every document; empty after
    /// [`dedup`](crate::dedup), and where not all pairs were listed.
    #[must_use]
    pub fn documents(&self) -> &ResultTable {
        &self.documents
    }

    /// [`Answer::problems`] as the table of that name: file, record, line, offset and message.
    ///
    /// # Errors
    /// More text than a table holds.
    pub fn problems_table(&self) -> Result<ResultTable, LookalikeError> {
        write_problems(&self.problems, &TablesInMemory)
    }

    /// The rows of the ledger.
    pub fn removals(&self) -> impl Iterator<Item = Removed<'_>> {
        rows(&self.ledger).map(|row| Removed {
            removed: row.document("removed_id", "removed_file", "removed_record"),
            kept: row.document("kept_id", "kept_file", "kept_record"),
            rule: row.text("rule").unwrap_or_default(),
            evidence: row.counts(),
        })
    }

    /// The rows of the pairs.
    pub fn listed_pairs(&self) -> impl Iterator<Item = Pair<'_>> {
        rows(&self.pairs).map(|row| Pair {
            a: row.document("a_id", "a_file", "a_record"),
            b: row.document("b_id", "b_file", "b_record"),
            evidence: row.counts(),
        })
    }

    /// The rows of the clusters.
    pub fn members(&self) -> impl Iterator<Item = Member<'_>> {
        rows(&self.clusters).map(|row| Member {
            document: row.document("id", "file", "record"),
            cluster: row.count("cluster").unwrap_or_default(),
            leader: row.document("leader_id", "leader_file", "leader_record"),
            resemblance: row.ratio("resemblance"),
        })
    }
}

/// Which document of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Number of the file in [`Summary::inputs`], from 0; records and batches are one.
    pub file: u32,
    /// Number of the record in it, from 1.
    pub record: u32,
}

impl Place {
    /// Number of the record in its file or source, from 0.
    #[must_use]
    pub fn index(self) -> usize {
        self.record as usize - 1
    }
}

/// A document, as the tables name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Named<'a> {
    /// Its id, or `FILE:RECORD`.
    pub id: &'a str,
    /// The name of its file or source.
    pub file: &'a str,
    /// Number of the record in it, from 1.
    pub record: u32,
}

/// How two documents compare; what the run did not find out is `None`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Counts {
    /// |A∩B| / |A∪B|, exact or estimated.
    pub resemblance: Option<f64>,
    /// |A∩B| / |A|.
    pub containment_a_in_b: Option<f64>,
    /// |A∩B| / |B|.
    pub containment_b_in_a: Option<f64>,
    /// Features that both have.
    pub shared: Option<u64>,
    /// Features of the first.
    pub size_a: Option<u64>,
    /// Features of the second.
    pub size_b: Option<u64>,
}

/// A removed document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Removed<'a> {
    /// It.
    pub removed: Named<'a>,
    /// The kept document that it duplicates.
    pub kept: Named<'a>,
    /// Why: `identical`, `near`, …
    pub rule: &'a str,
    /// How they compare; the removed one is first.
    pub evidence: Counts,
}

/// Two documents that reach the threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair<'a> {
    /// The first by name.
    pub a: Named<'a>,
    /// The other one.
    pub b: Named<'a>,
    /// How they compare.
    pub evidence: Counts,
}

/// A document in a cluster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Member<'a> {
    /// It.
    pub document: Named<'a>,
    /// Number of its cluster.
    pub cluster: u64,
    /// The kept document of the cluster.
    pub leader: Named<'a>,
    /// How similar the two are.
    pub resemblance: Option<f64>,
}

/// The rows of a table.
fn rows(table: &ResultTable) -> impl Iterator<Item = Row<'_>> {
    let rows = |batch| (0..RecordBatch::num_rows(batch)).map(move |at| Row { batch, at });
    table.batches().iter().flat_map(rows)
}

/// A row of a table.
struct Row<'a> {
    batch: &'a RecordBatch,
    at: usize,
}

impl<'a> Row<'a> {
    fn column(&self, name: &str) -> Option<&'a dyn Array> {
        let column = self.batch.column_by_name(name)?;
        column.is_valid(self.at).then_some(column.as_ref())
    }

    fn text(&self, name: &str) -> Option<&'a str> {
        Some(self.column(name)?.as_string::<i32>().value(self.at))
    }

    fn count(&self, name: &str) -> Option<u64> {
        u64::try_from(self.column(name)?.as_primitive::<Int64Type>().value(self.at)).ok()
    }

    fn ratio(&self, name: &str) -> Option<f64> {
        Some(self.column(name)?.as_primitive::<Float64Type>().value(self.at))
    }

    fn document(&self, id: &str, file: &str, record: &str) -> Named<'a> {
        Named {
            id: self.text(id).unwrap_or_default(),
            file: self.text(file).unwrap_or_default(),
            record: self.count(record).and_then(|record| record.try_into().ok()).unwrap_or(0),
        }
    }

    fn counts(&self) -> Counts {
        Counts {
            resemblance: self.ratio("resemblance"),
            containment_a_in_b: self.ratio("containment_a_in_b"),
            containment_b_in_a: self.ratio("containment_b_in_a"),
            shared: self.count("shared"),
            size_a: self.count("size_a"),
            size_b: self.count("size_b"),
        }
    }
}
