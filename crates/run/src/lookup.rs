//! Finds documents by name; reads the inputs until all names are resolved.

use crate::LookalikeError;
use crate::error::Unread;
use crate::reading::{DocumentChunks, Documents};
use lookalike_decide::DocumentName;
use lookalike_engine::signer::titled_text;
use lookalike_engine::{EngineError, pipeline};
use lookalike_io::source::VisitScratch;
use lookalike_io::table::TableError;
use lookalike_io::{Beside, Inputs, Item, Problem, RecordView};
use lookalike_report::DocExhibit;
use std::collections::BTreeSet;

/// The name of a document.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Name<'n> {
    /// The document with this id, or if there is none, the one named `FILE:RECORD`.
    Id(&'n str),
    /// The document with this id, or if there is none, the one with this record number.
    IdOrRecord(&'n str),
    /// The only document.
    Only,
}

/// How a document matches a name: an id takes precedence over a record number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Match {
    Id,
    Place,
}

impl Name<'_> {
    fn matches(self, record: &RecordView<'_>, inputs: &Inputs) -> Option<Match> {
        let file = &inputs.files[record.file as usize];
        let (name, place_only) = match self {
            Self::Only => return Some(Match::Id),
            Self::Id(name) => (name, false),
            Self::IdOrRecord(name) => (name, true),
        };
        if record.id.as_deref() == Some(name) {
            return Some(Match::Id);
        }
        let is_place = if place_only {
            name.parse() == Ok(record.record)
        } else if file.format.is_document() {
            name == file.name
        } else {
            name.strip_prefix(&file.name)
                .and_then(|rest| rest.strip_prefix(':'))
                .is_some_and(|number| number.parse() == Ok(record.record))
        };
        is_place.then_some(Match::Place)
    }
}

/// Whether ids may repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ids {
    /// They may: all inputs are read, to find all documents of an id.
    MayRepeat,
    /// They do not, by the summary of a run: reading ends when all names are found.
    AreUnique,
}

/// A document that was found.
#[derive(Debug, Clone)]
pub(crate) struct FoundDocument {
    /// Its name in the tables.
    pub(crate) name: DocumentName<'static>,
    pub(crate) read: ReadDocument,
}

/// What is read of a document that is looked up.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReadDocument {
    pub(crate) exhibit: DocExhibit,
    /// What is compared beside its text.
    pub(crate) beside: Beside,
    /// The title of its record, or else of its page.
    pub(crate) title: Option<String>,
    /// Values of the fields that settings name.
    pub(crate) values: Vec<(String, String)>,
    /// The input argument that led to it.
    pub(crate) argument: String,
}

/// The documents that fit one name equally well.
#[derive(Debug, Clone, Default)]
pub(crate) struct Candidates {
    /// The first of them.
    pub(crate) first: Option<FoundDocument>,
    /// The names of the first few.
    pub(crate) listed: Vec<DocumentName<'static>>,
    /// Number of documents.
    pub(crate) count: u64,
}

impl Candidates {
    /// Maximum number of listed names.
    pub(crate) const LISTED: usize = 10;

    /// The error for a name of several documents.
    pub(crate) fn repeated(self, id: &str, advice: &'static str) -> LookalikeError {
        let place = |name: DocumentName<'_>| format!("{}:{}", name.file, name.record);
        let listed = self.listed.into_iter().map(place).collect();
        LookalikeError::RepeatedId { id: id.to_owned(), count: self.count, listed, advice }
    }

    fn add(&mut self, name: DocumentName<'static>, read: Option<ReadDocument>) {
        if let (None, Some(read)) = (&self.first, read) {
            self.first = Some(FoundDocument { name: name.clone(), read });
        }
        if self.listed.len() < Self::LISTED {
            self.listed.push(name);
        }
        self.count += 1;
    }
}

/// Result of a lookup.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The documents of each name, in the order of the names.
    pub(crate) candidates: Vec<Candidates>,
    /// Problems in the inputs that were read.
    pub(crate) unread: Unread,
}

/// A document that matches a name: index of the name, how it matches, and the document. Only the
/// first of a chunk has its text, so that a file of a million records is not copied.
type Hit = (usize, Match, DocumentName<'static>, Option<ReadDocument>);

/// Finds documents; reads no further than necessary. The files of `unreadable` had no document
/// where they cannot be read.
///
/// # Errors
/// Those of the caller's documents; another file that cannot be read, if all names were found: it may
/// hold a document that fits a name better, or as well.
pub(crate) fn find(
    documents: Documents<'_>,
    names: &[Name<'_>],
    ids: Ids,
    unreadable: &BTreeSet<u32>,
    threads: usize,
) -> Result<Found, LookalikeError> {
    let inputs = documents.inputs;
    documents.with_chunks(|chunks| {
        let (found, failed) = find_in(inputs, chunks, names, ids, unreadable, threads);
        let are_found = found.candidates.iter().all(|candidates| candidates.count > 0);
        match failed.filter(|_| are_found) {
            Some(problem) => Err(EngineError::Unreadable(problem).into()),
            None => Ok(found),
        }
    })
}

fn find_in(
    inputs: &Inputs,
    chunks: DocumentChunks<'_>,
    names: &[Name<'_>],
    ids: Ids,
    unreadable: &BTreeSet<u32>,
    threads: usize,
) -> (Found, Option<Problem>) {
    let mut best: Vec<Option<(Match, Candidates)>> = vec![None; names.len()];
    let (mut unread, mut failed, mut is_done) = (Unread::default(), None, false);
    let fails = |problem: &Problem| problem.unreadable && !unreadable.contains(&problem.file);
    pipeline::ordered(
        threads,
        chunks,
        VisitScratch::default,
        |scratch, piece| {
            let (mut hits, mut unread) = (Vec::<Hit>::new(), Unread::default());
            let (chunk, problem) = piece.into_parts();
            let mut failed = problem.clone().filter(&fails);
            problem.into_iter().for_each(|problem| unread.add(problem));
            let Some(chunk) = chunk else { return (hits, unread, failed) };
            chunk.visit(inputs, scratch, &mut |item| {
                let record = match item {
                    Item::Record(record) => record,
                    Item::Bad(problem) => return unread.add(problem),
                    Item::Failed(failure) => {
                        failed = failed.take().or(Some(failure.problem().clone()).filter(&fails));
                        return unread.add(failure.into_problem());
                    }
                };
                for (at, name) in names.iter().enumerate() {
                    if let Some(fit) = name.matches(&record, inputs) {
                        let is_first = !hits.iter().any(|hit| (hit.0, hit.1) == (at, fit));
                        let exhibit = is_first.then(|| ReadDocument::of(&record, inputs));
                        hits.push((at, fit, name_of(&record, inputs), exhibit));
                    }
                }
            });
            (hits, unread, failed)
        },
        |(hits, more, failure)| {
            failed = failed.take().or(failure);
            unread.count += more.count;
            unread.first = unread.first.take().or(more.first);
            for (at, fit, name, exhibit) in hits {
                match &mut best[at] {
                    Some((known, candidates)) if fit == *known => candidates.add(name, exhibit),
                    Some((known, _)) if fit > *known => {}
                    better => {
                        let (_, candidates) = better.insert((fit, Candidates::default()));
                        candidates.add(name, exhibit);
                    }
                }
            }
            let done = |(name, best): (&Name<'_>, &Option<(Match, Candidates)>)| match (name, best)
            {
                // A second document is enough for the error.
                (Name::Only, best) => best.as_ref().is_some_and(|(_, found)| found.count > 1),
                // For a match by record number, a document with that id may still follow.
                (_, best) => ids == Ids::AreUnique && matches!(best, Some((Match::Id, _))),
            };
            is_done = names.iter().zip(&best).all(done);
            !is_done
        },
    );
    let candidates = best.into_iter().map(|best| best.map(|(_, found)| found).unwrap_or_default());
    // An id that does not repeat was found, whatever is in the rest.
    (Found { candidates: candidates.collect(), unread }, failed.filter(|_| !is_done))
}

/// What is said about the only document of a name: of an id, or if there is none, `FILE:RECORD`.
/// `place` and `advice` are those of the error for a name of no document.
pub(crate) fn only_named<'d, T>(
    name: &str,
    documents: impl Iterator<Item = Result<(DocumentName<'d>, T), TableError>>,
    place: &str,
    advice: &'static str,
) -> Result<T, LookalikeError> {
    let (mut by_id, mut by_place) = (Vec::new(), Vec::new());
    for document in documents {
        let (DocumentName { id, file, record, .. }, said) = document?;
        let number = || name.strip_prefix(&*file)?.strip_prefix(':');
        if id == name {
            by_id.push((format!("{file}:{record}"), said));
        } else if number().is_some_and(|number| number == record.to_string()) {
            by_place.push((name.to_owned(), said));
        }
    }
    let mut found = if by_id.is_empty() { by_place } else { by_id };
    match (found.len(), name.to_owned()) {
        (1, _) => Ok(found.remove(0).1),
        (0, name) => {
            let (place, unread) = (place.to_owned(), Unread::default());
            Err(LookalikeError::NoSuchDocument { name, place, advice, unread })
        }
        (count, id) => Err(LookalikeError::RepeatedId {
            id,
            count: count as u64,
            listed: found.into_iter().take(Candidates::LISTED).map(|(place, _)| place).collect(),
            advice: "name one of them as FILE:RECORD",
        }),
    }
}

/// The name in the tables of a record's document.
pub(crate) fn name_of(record: &RecordView<'_>, inputs: &Inputs) -> DocumentName<'static> {
    let file = inputs.files[record.file as usize].name.clone();
    let id = id_of(record, inputs);
    DocumentName { id: id.into(), file: file.into(), record: record.record, protected: false }
}

/// The id of a record, as tables name it.
pub(crate) fn id_of(record: &RecordView<'_>, inputs: &Inputs) -> String {
    let file = &inputs.files[record.file as usize];
    match &record.id {
        Some(id) => id.to_string(),
        None if file.format.is_document() => file.name.clone(),
        None => format!("{}:{}", file.name, record.record),
    }
}

impl ReadDocument {
    /// A document that is held in memory. As in a file, a byte order mark is not part of its text.
    pub(crate) fn in_memory(mut exhibit: DocExhibit) -> Self {
        if let Some(rest) = exhibit.text.strip_prefix('\u{feff}') {
            exhibit.text = rest.to_owned();
        }
        Self { argument: exhibit.id.clone(), exhibit, ..Self::default() }
    }

    /// Its values of a field.
    pub(crate) fn values_of(&self, name: &str) -> impl Iterator<Item = &str> {
        let of_field = self.values.iter().filter(move |(known, _)| known == name);
        of_field.map(|(_, value)| value.as_str())
    }

    fn of(record: &RecordView<'_>, inputs: &Inputs) -> Self {
        let owned = |field: &Option<std::borrow::Cow<'_, str>>| field.as_deref().map(str::to_owned);
        let (text, title) = titled_text(&record.content, record.title.as_deref());
        let fields = inputs.options.fields.given.iter().enumerate();
        let values = fields.flat_map(|(field, name)| {
            record.given.of(field).map(|value| (name.clone(), value.to_owned()))
        });
        Self {
            beside: record.beside,
            title: title.map(std::borrow::Cow::into_owned),
            values: values.collect(),
            argument: inputs.files[record.file as usize].argument.clone(),
            exhibit: DocExhibit {
                id: id_of(record, inputs),
                title: owned(&record.title),
                url: owned(&record.url),
                text: text.into_owned(),
                cut_from: None,
            },
        }
    }
}
