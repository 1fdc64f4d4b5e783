//! The tables of a search for items, and the numbers of its summary.

use super::fates::LocatedDocument;
use super::items::Items;
use super::locating::LocatedPart;
use super::matching::{Counted, Decisions};
use crate::LookalikeError;
use crate::run_tables::filled;
use crate::table_store::TableStore;
use lookalike_decide::{
    BENCHMARKS, BenchmarkPart, BenchmarkRow, CONTAMINATION, Contaminated, ITEMS, Measures, SPANS,
    Span, Table, TableDigest, run_digest,
};
use lookalike_engine::Progress;
use lookalike_report::BenchmarkSummary;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;

/// The tables, in the order in which a summary lists them.
pub(super) struct Tables<T> {
    pub(super) contamination: T,
    pub(super) spans: T,
    pub(super) items: T,
    pub(super) benchmarks: T,
}

/// The numbers of all tables.
#[derive(Debug, Default)]
pub(super) struct Totals {
    pub(super) benchmarks: Vec<BenchmarkSummary>,
    /// Rows of `contamination`.
    pub(super) matches: u64,
    /// Rows of `spans`.
    pub(super) spans: u64,
    /// Digest of `contamination` and `spans`.
    pub(super) digest: String,
}

/// The tables of what documents contain.
pub(super) struct MatchTables<T> {
    pub(super) contamination: T,
    pub(super) spans: T,
    /// Of both.
    digest: String,
}

/// What documents contain of the items.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct FoundParts {
    /// By part; parts of no document are left out.
    parts: BTreeMap<usize, PartTotals>,
    /// Number of documents of each benchmark.
    documents: BTreeMap<u32, u64>,
    /// Rows of `contamination`.
    matches: u64,
    /// Rows of `spans`.
    spans: u64,
}

impl FoundParts {
    /// Adds what other documents contain.
    pub(super) fn append(&mut self, other: Self) {
        for (part, totals) in other.parts {
            self.parts.entry(part).or_default().append(totals);
        }
        for (benchmark, documents) in other.documents {
            *self.documents.entry(benchmark).or_default() += documents;
        }
        self.matches += other.matches;
        self.spans += other.spans;
    }
}

/// What is known of a part beside its n-grams.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct PartTotals {
    documents: u64,
    /// The most counted n-grams that a document has.
    shared: u32,
    longest: usize,
    /// Words that are covered in any document that contains the part.
    covered: Vec<bool>,
}

impl PartTotals {
    /// Adds other documents.
    fn append(&mut self, other: Self) {
        self.documents += other.documents;
        self.shared = self.shared.max(other.shared);
        self.longest = self.longest.max(other.longest);
        let words = self.covered.len().max(other.covered.len());
        self.covered.resize(words, false);
        for (word, covered) in self.covered.iter_mut().zip(other.covered) {
            *word |= covered;
        }
    }

    /// Adds a document that contains the part, which has this number of words.
    fn add(&mut self, located: &LocatedPart, words: usize) {
        self.documents += 1;
        self.shared = self.shared.max(located.shared);
        self.longest = self.longest.max(located.longest());
        self.covered.resize(words, false);
        for range in &located.covered {
            self.covered[range.clone()].fill(true);
        }
    }
}

impl<T> Tables<T> {
    /// Writes the tables, of documents that `read` gives in order. Returns what it returns.
    ///
    /// # Errors
    /// A table that cannot be written, a cancellation; those of `read`.
    pub(super) fn write<R>(
        store: &impl TableStore<Done = T>,
        items: &Items,
        decisions: &Decisions,
        read: impl FnOnce(
            &mut dyn FnMut(LocatedDocument) -> Result<(), LookalikeError>,
        ) -> Result<R, LookalikeError>,
        progress: &dyn Progress,
    ) -> Result<(Self, Totals, R), LookalikeError> {
        let (of_documents, found, returned) =
            MatchTables::write(store, items, decisions, read, progress)?;
        let (items, summaries) = write_items(store, items, &decisions.counted, &found, progress)?;
        let benchmarks = write_benchmarks(store, &summaries, progress)?;
        let FoundParts { matches, spans, .. } = found;
        let digest = of_documents.digest;
        let totals = Totals { benchmarks: summaries, matches, spans, digest };
        let MatchTables { contamination, spans, .. } = of_documents;
        Ok((Self { contamination, spans, items, benchmarks }, totals, returned))
    }
}

impl<T> MatchTables<T> {
    /// Writes the tables of documents, which `read` gives in order. Returns what it returns.
    ///
    /// # Errors
    /// As of [`Tables::write`].
    pub(super) fn write<R>(
        store: &impl TableStore<Done = T>,
        items: &Items,
        decisions: &Decisions,
        read: impl FnOnce(
            &mut dyn FnMut(LocatedDocument) -> Result<(), LookalikeError>,
        ) -> Result<R, LookalikeError>,
        progress: &dyn Progress,
    ) -> Result<(Self, FoundParts, R), LookalikeError> {
        let mut of_matches = TableDigest::new(CONTAMINATION.name);
        let mut of_spans = TableDigest::new(SPANS.name);
        let columns = (CONTAMINATION.of(Measures::ALL), SPANS.of(Measures::ALL));
        let names = (columns.0.columns(), columns.1.columns());
        let writer = store.begin(columns.0.name, &names.0)?;
        let mut contamination = Table::new(columns.0, writer, &mut of_matches, progress);
        let writer = store.begin(columns.1.name, &names.1)?;
        let mut spans = Table::new(columns.1, writer, &mut of_spans, progress);

        let mut totals = FoundParts::default();
        let returned = read(&mut |document| {
            let mut of_benchmarks: Vec<u32> = Vec::new();
            for located in &document.parts {
                let item = items.item(located.part);
                of_benchmarks.push(item.benchmark);
                let part = &items.fields[items.place(located.part).field];
                let longest = located.longest();
                let words = items.index.tokens(located.part);
                contamination.add(&Contaminated {
                    document: &document.name,
                    item: &item.name,
                    benchmark: &items.benchmarks[item.benchmark as usize],
                    part,
                    shared: located.shared.into(),
                    shingles: decisions.counted.sizes[located.part].into(),
                    words: words as u64,
                    covered: located.covered.iter().map(Range::len).sum::<usize>() as u64,
                    spans: located.spans.len() as u64,
                    longest: longest as u64,
                })?;
                let ends = |range: &Range<usize>| [range.start as u64, range.end as u64];
                for span in &located.spans {
                    let (words, bytes) = (ends(&span.words), ends(&span.bytes));
                    spans.add(&Span {
                        document: &document.name,
                        item: &item.name,
                        part,
                        words,
                        bytes,
                    })?;
                }
                totals.matches += 1;
                totals.spans += located.spans.len() as u64;
                totals.parts.entry(located.part).or_default().add(located, words);
            }
            of_benchmarks.sort_unstable();
            of_benchmarks.dedup();
            for number in of_benchmarks {
                *totals.documents.entry(number).or_default() += 1;
            }
            Ok(())
        })?;
        let contamination = store.finish(&names.0, contamination.into_writer())?;
        let spans = store.finish(&names.1, spans.into_writer())?;
        let digest = run_digest(&[&of_matches, &of_spans]);
        Ok((Self { contamination, spans, digest }, totals, returned))
    }
}

/// Writes the table `items`, and counts by benchmark.
///
/// # Errors
/// As of [`Tables::write`].
pub(super) fn write_items<S: TableStore>(
    store: &S,
    items: &Items,
    counted: &Counted,
    found: &FoundParts,
    progress: &dyn Progress,
) -> Result<(S::Done, Vec<BenchmarkSummary>), LookalikeError> {
    let none = PartTotals::default();
    let name = |name: &String| BenchmarkSummary { name: name.clone(), ..Default::default() };
    let mut benchmarks: Vec<BenchmarkSummary> = items.benchmarks.iter().map(name).collect();
    let fields = items.fields.len();
    let fill = |table: &mut Table<'_, _>| {
        for (number, item) in items.items.iter().enumerate() {
            let first = number * fields;
            let summary = &mut benchmarks[item.benchmark as usize];
            let mut outcomes = Vec::new();
            for field in 0..fields {
                let part = first + field;
                let of_part = found.parts.get(&part).unwrap_or(&none);
                let distinct = items.index.distinct_of_part(part).len() as u64;
                let words = items.index.tokens(part) as u64;
                let shingles = u64::from(counted.sizes[part]);
                let outcome = match (distinct, shingles, of_part.documents) {
                    (0, ..) => Outcome::Short,
                    (_, 0, _) => Outcome::Common,
                    (.., 0) => Outcome::Absent,
                    _ => Outcome::Found,
                };
                outcomes.push(outcome);
                table.add(&BenchmarkPart {
                    item: &item.name,
                    benchmark: &items.benchmarks[item.benchmark as usize],
                    part: &items.fields[field],
                    outcome: outcome.name(),
                    words,
                    shingles,
                    common: distinct - shingles,
                    documents: of_part.documents,
                    shared: of_part.shared.into(),
                    longest: of_part.longest as u64,
                })?;
                if outcome != Outcome::Short {
                    summary.words += words;
                }
                summary.covered +=
                    of_part.covered.iter().filter(|&&covered| covered).count() as u64;
                summary.longest = summary.longest.max(of_part.longest as u64);
            }
            summary.items += 1;
            let has = |outcome| outcomes.contains(&outcome);
            if has(Outcome::Found) {
                summary.found += 1;
            } else if has(Outcome::Common) {
                summary.common += 1;
            } else if !has(Outcome::Absent) {
                summary.short += 1;
            }
        }
        Ok(())
    };
    let mut digest = TableDigest::new(ITEMS.name);
    let table = filled(store, ITEMS.of(Measures::ALL), &mut digest, progress, fill)?;
    for (number, documents) in &found.documents {
        if let Some(benchmark) = benchmarks.get_mut(*number as usize) {
            benchmark.documents = *documents;
        }
    }
    Ok((table, benchmarks))
}

/// What became of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Found,
    Absent,
    /// All its n-grams are common.
    Common,
    /// It has no n-gram.
    Short,
}

impl Outcome {
    fn name(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::Absent => "absent",
            Self::Common => "common",
            Self::Short => "short",
        }
    }
}

/// Writes the table `benchmarks`.
///
/// # Errors
/// As of [`Tables::write`].
pub(super) fn write_benchmarks<S: TableStore>(
    store: &S,
    benchmarks: &[BenchmarkSummary],
    progress: &dyn Progress,
) -> Result<S::Done, LookalikeError> {
    let fill = |table: &mut Table<'_, _>| {
        for of in benchmarks {
            table.add(&BenchmarkRow {
                benchmark: &of.name,
                items: of.items,
                found: of.found,
                common: of.common,
                short: of.short,
                words: of.words,
                covered: of.covered,
                longest: of.longest,
                documents: of.documents,
            })?;
        }
        Ok(())
    };
    let mut digest = TableDigest::new(BENCHMARKS.name);
    filled(store, BENCHMARKS.of(Measures::ALL), &mut digest, progress, fill)
}
