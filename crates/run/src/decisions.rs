//! Verdicts by record, for the writers.

use crate::analysis::Analysis;
use crate::duplicate_counts;
use lookalike_core::SparseIndex;
use lookalike_engine::collection::{Document, Rows};
use lookalike_engine::try_sort::par_sort_cancellable;
use lookalike_engine::{ChunkId, DocumentId, EngineError, Progress};
use lookalike_io::sink::{MarkKind, MarkNames};
use lookalike_io::{Fate, Fates, Mark, MarkValue};
use rayon::prelude::*;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The leaders, numbered as the clusters in the tables.
pub(crate) struct Clusters {
    which: SparseIndex,
    /// The cluster number of each leader, in the order of the collection.
    numbers: Vec<u32>,
    /// The leaders' names, by number.
    names: Vec<String>,
    /// The leaders, by number.
    in_order: Vec<DocumentId>,
    /// The leaders' record numbers, by number.
    records: Vec<u32>,
    /// The number of documents of each cluster, by number.
    sizes: Vec<u32>,
}

impl Clusters {
    /// Numbers the clusters in the order of their leaders' names.
    ///
    /// # Errors
    /// Names on disk that cannot be read, or a cancellation.
    pub(crate) fn new(analysis: &Analysis, progress: &dyn Progress) -> Result<Self, EngineError> {
        let collection = &analysis.collection;
        let mut kept: Vec<DocumentId> = analysis.removals().map(|(_, r)| r.kept).collect();
        kept.par_sort_unstable();
        let (leaders, members): (Vec<DocumentId>, Vec<u32>) =
            kept.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32)).unzip();
        let mut places: Vec<u32> = (0..leaders.len() as u32).collect();
        let leader = |place: u32| leaders[place as usize];
        par_sort_cancellable(&mut places, progress, |&a, &b| {
            collection.compare_names(leader(a), leader(b))
        })?;
        let in_order: Vec<DocumentId> = places.iter().map(|&place| leader(place)).collect();
        let sizes = places.iter().map(|&place| members[place as usize] + 1).collect();
        let mut numbers = vec![0; leaders.len()];
        for (number, place) in (0..).zip(places) {
            numbers[place as usize] = number;
        }
        let (mut names, mut records) = (Vec::new(), Vec::new());
        for &leader in &in_order {
            names.push(collection.name(leader)?.into_owned());
            records.push(collection.place(leader)?.1);
        }
        let mut leads = leaders.iter().peekable();
        let which = SparseIndex::new(collection.len(), |document| {
            leads.next_if_eq(&&DocumentId(document)).is_some()
        });
        Ok(Self { which, numbers, names, in_order, records, sizes })
    }

    /// The number of a leader's cluster.
    pub(crate) fn number(&self, leader: DocumentId) -> Option<u64> {
        let place = self.which.place(leader.0)?;
        Some(u64::from(self.numbers[place as usize]))
    }

    /// The number of documents of each cluster, in the order of their numbers.
    pub(crate) fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// The leaders, in the order of their numbers.
    pub(crate) fn in_order(&self) -> &[DocumentId] {
        &self.in_order
    }
}

/// Decisions about records, chunk by chunk.
pub(crate) struct Decisions<'a> {
    analysis: &'a Analysis,
    clusters: &'a Clusters,
    /// Of each kept document that others were removed for, by the file of these: how many. Ascending;
    /// `None` if they are not added.
    counts: Option<Vec<(DocumentId, u32, u64)>>,
}

impl<'a> Decisions<'a> {
    pub(crate) fn new(analysis: &'a Analysis, clusters: &'a Clusters) -> Self {
        Self { analysis, clusters, counts: None }
    }

    /// The names of the fields that are added to kept documents.
    pub(crate) fn count_names() -> MarkNames {
        let [all, by_source] = duplicate_counts::NAMES;
        MarkNames::of("", &[(all, MarkKind::Count), (by_source, MarkKind::Text)])
    }

    /// The same, with the number of documents that were removed for each kept one.
    #[must_use]
    pub(crate) fn with_counts(self) -> Self {
        let mut removed: Vec<(DocumentId, u32)> = Vec::new();
        self.analysis.for_each_removed(|document, removal| {
            removed.push((removal.kept, self.analysis.collection.file(document)));
        });
        removed.par_sort_unstable();
        let counts = removed.chunk_by(|a, b| a == b).map(|of| (of[0].0, of[0].1, of.len() as u64));
        Self { counts: Some(counts.collect()), ..self }
    }
}

/// Decisions about the records of one chunk.
pub(crate) struct ChunkDecisions<'d> {
    decisions: &'d Decisions<'d>,
    first: DocumentId,
    rows: Cow<'d, Rows>,
    /// By kept document of the chunk that others were removed for: how many, and by source as a JSON
    /// object.
    counts: BTreeMap<DocumentId, (u64, String)>,
}

impl<'d> Decisions<'d> {
    /// The decisions of a chunk, whose rows are in memory or on disk.
    ///
    /// # Errors
    /// A chunk on disk that cannot be read.
    pub(crate) fn of_chunk(&'d self, chunk: ChunkId) -> Result<ChunkDecisions<'d>, EngineError> {
        let collection = &self.analysis.collection;
        let first = collection.chunk_documents(chunk).start;
        let rows = match collection.chunk_documents(chunk).is_empty() {
            true => Cow::default(),
            false => collection.rows(chunk)?,
        };
        Ok(ChunkDecisions { decisions: self, first, rows, counts: self.counts_of(chunk) })
    }

    /// The counts of the documents of a chunk, if they are added.
    fn counts_of(&self, chunk: ChunkId) -> BTreeMap<DocumentId, (u64, String)> {
        let all = self.counts.as_deref().unwrap_or_default();
        let documents = self.analysis.collection.chunk_documents(chunk);
        let (start, end) = (documents.start, documents.start.0 + documents.len() as u32);
        let from = all.partition_point(|one| one.0 < start);
        let until = all.partition_point(|one| one.0.0 < end);
        let of_kept = all[from..until].chunk_by(|a, b| a.0 == b.0).map(|of| {
            let name = |file: u32| self.analysis.inputs.files[file as usize].name.clone();
            let by_source = of.iter().map(|&(_, file, count)| (name(file), count));
            (of[0].0, duplicate_counts::values(by_source))
        });
        of_kept.collect()
    }
}

impl ChunkDecisions<'_> {
    /// The document at (file, record), if that record is one.
    fn find(&self, file: u32, record: u32) -> Option<DocumentId> {
        let place = |row: &Document| (row.file, row.record);
        let found = self.rows.documents.binary_search_by_key(&(file, record), place).ok()?;
        Some(DocumentId(self.first.0 + found as u32))
    }

    /// Documents of the chunk in files before this one.
    pub(crate) fn before_file(&self, file: u32) -> u64 {
        self.rows.documents.partition_point(|row| row.file < file) as u64
    }
}

impl Fates for ChunkDecisions<'_> {
    fn fate(&self, file: u32, record: u32) -> Fate {
        match self.find(file, record) {
            None => Fate::Rejected,
            Some(document) if self.decisions.analysis.verdicts.is_removed(document) => {
                Fate::Removed
            }
            Some(_) => Fate::Kept,
        }
    }

    fn mark(&self, file: u32, record: u32) -> Vec<MarkValue<'_>> {
        if self.decisions.counts.is_none() {
            return self.of(file, record).values();
        }
        let found = self.find(file, record).and_then(|document| self.counts.get(&document));
        match found {
            None => vec![MarkValue::Count(0), MarkValue::Text("{}")],
            Some((count, by_source)) => {
                vec![MarkValue::Count(*count), MarkValue::Text(by_source)]
            }
        }
    }
}

impl ChunkDecisions<'_> {
    fn of(&self, file: u32, record: u32) -> Mark<'_> {
        let Decisions { analysis, clusters, .. } = self.decisions;
        let Some(document) = self.find(file, record) else { return Mark::default() };
        let removal = analysis.removal(document);
        let leader = removal.map_or(document, |removal| removal.kept);
        let Some(number) = clusters.number(leader) else {
            return Mark { duplicates: Some(0), ..Mark::default() };
        };
        let (cluster, number) = (number, number as usize);
        let protected = analysis.collection.is_protected(document);
        let file = removal.map(|removal| analysis.collection.file_name(removal.kept));
        let record = removal.map(|_| clusters.records[number]);
        Mark {
            duplicate_of: removal.map(|_| clusters.names[number].as_str()),
            duplicate_of_file: file,
            duplicate_of_record: record,
            resemblance: removal.and_then(|r| analysis.similarity(r.evidence)),
            cluster: Some(cluster),
            is_duplicate: analysis.verdicts.is_removed(document) && !protected,
            duplicates: removal.is_none().then(|| clusters.sizes[number] - 1),
        }
    }
}
