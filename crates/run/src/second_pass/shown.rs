//! Documents that the report shows: which texts are wanted, and how much of each is kept.

use super::recount::unreadable_again;
use crate::LookalikeError;
use crate::analysis::Analysis;
use crate::differences::{ComparedText, LONGEST, TextReader};
use crate::reading::Documents;
use crate::reread::read_some;
use crate::template_sample::{SampledPage, TemplateSample};
use lookalike_core::{SparseIndex, TextDigest};
use lookalike_engine::differences::DifferenceScratch;
use lookalike_engine::original;
use lookalike_engine::signer::plain_text;
use lookalike_engine::{ChunkId, DocumentId};
use lookalike_io::source::{Chunk, VisitScratch};
use lookalike_io::{Content, Item, RecordView};
use lookalike_report::TemplateSite;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// A document that the report shows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shown {
    pub(crate) title: Option<String>,
    pub(crate) url: Option<String>,
    pub(crate) text: String,
    /// Length of the whole text in bytes, if `text` is only its beginning.
    pub(crate) cut_from: Option<u64>,
    /// What the sample for templates needs, if the document is in it.
    pub(crate) page: Option<SampledPage>,
    /// What is compared of the document, if it is one of which it is found what differs.
    pub(crate) compared: Option<ComparedText>,
}

/// Maximum length in bytes of a text that the report compares (about two dozen documents).
const COMPARED: usize = 512 << 10;

/// Maximum length in bytes of a title or address.
const NAME: usize = 1000;

/// Bytes of a content with markup that are converted to text for an excerpt.
const MARKUP: usize = 64 << 10;

impl Shown {
    /// The beginning of the text, at most `most` bytes.
    pub(crate) fn excerpt(&self, most: usize) -> &str {
        &self.text[..self.text.floor_char_boundary(most)]
    }

    /// Length of the whole text in bytes, if an excerpt is only its beginning.
    pub(crate) fn whole(&self, most: usize) -> Option<u64> {
        self.cut_from.or_else(|| (self.text.len() > most).then_some(self.text.len() as u64))
    }
}

/// The documents that were read, by number.
#[derive(Debug, Default)]
pub(crate) struct ShownDocuments {
    which: SparseIndex,
    documents: Vec<Shown>,
}

impl ShownDocuments {
    /// These documents, ascending, of a collection of `all`.
    pub(super) fn new(all: u32, documents: Vec<(DocumentId, Shown)>) -> Self {
        let (numbers, documents): (Vec<DocumentId>, _) = documents.into_iter().unzip();
        let mut numbers = numbers.iter().peekable();
        let which =
            SparseIndex::new(all, |number| numbers.next_if_eq(&&DocumentId(number)).is_some());
        Self { which, documents }
    }

    /// A document, if it was read.
    pub(crate) fn get(&self, document: DocumentId) -> Option<&Shown> {
        self.documents.get(self.which.place(document.0)? as usize)
    }

    fn get_mut(&mut self, document: DocumentId) -> Option<&mut Shown> {
        self.documents.get_mut(self.which.place(document.0)? as usize)
    }
}

/// The documents that the report shows.
#[derive(Debug, Default)]
pub(crate) struct Wanted {
    /// All of them, ascending.
    pub(crate) documents: Vec<DocumentId>,
    /// Those whose texts are compared, ascending. Of the others only the beginning is quoted.
    pub(crate) compared: Vec<DocumentId>,
    /// Maximum length in bytes of what is quoted.
    pub(crate) excerpt: usize,
    /// The sample for templates, whose documents are in `documents`.
    sample: Option<(BTreeSet<DocumentId>, TemplateSample)>,
    /// The documents of which it is found what differs, which are in `documents`, ascending.
    differences: Option<(Vec<DocumentId>, TextReader)>,
    /// Documents of `differences` that the report does not show, ascending.
    unshown: Vec<DocumentId>,
}

impl Wanted {
    /// Those documents; of the ones that are compared the whole texts, of the others excerpts of so
    /// many bytes. Both ascending.
    pub(crate) fn new(
        documents: Vec<DocumentId>,
        compared: Vec<DocumentId>,
        excerpt: usize,
    ) -> Self {
        Self { documents, compared, excerpt, sample: None, differences: None, unshown: Vec::new() }
    }

    /// Adds the documents of a sample.
    pub(crate) fn add_sample(&mut self, sample: TemplateSample) {
        let documents = sample.documents();
        self.add(documents.iter().copied());
        self.sample = Some((documents, sample));
    }

    /// Adds documents that are compared with others: these, and those that the report compares.
    pub(crate) fn add_differences(&mut self, sample: &[DocumentId], reader: TextReader) {
        let mut documents = [sample, &self.compared].concat();
        documents.sort_unstable();
        documents.dedup();
        let is_shown = |document| self.documents.binary_search(document).is_ok();
        self.unshown = documents.iter().filter(|document| !is_shown(document)).copied().collect();
        self.add(documents.iter().copied());
        self.differences = Some((documents, reader));
    }

    fn add(&mut self, documents: impl Iterator<Item = DocumentId>) {
        self.documents.extend(documents);
        self.documents.sort_unstable();
        self.documents.dedup();
    }

    /// The sites that a sample found, once its documents were read.
    pub(crate) fn template_sites(&self, shown: &mut ShownDocuments) -> Vec<TemplateSite> {
        let Some((documents, sample)) = &self.sample else { return Vec::new() };
        let page =
            |document: &DocumentId| Some((*document, shown.get_mut(*document)?.page.take()?));
        sample.sites(&documents.iter().filter_map(page).collect())
    }

    /// What is shown of a document, whose text has so many bytes.
    fn shown(&self, document: DocumentId, record: &RecordView<'_>, bytes: u64) -> Shown {
        let (text, cut_from) = self.beginning(document, &record.content, bytes);
        let owned = |field: &Option<Cow<'_, str>>| {
            field.as_deref().map(|text| text[..text.floor_char_boundary(NAME)].to_owned())
        };
        let (title, url) = (owned(&record.title), owned(&record.url));
        Shown { title, url, text, cut_from, ..Shown::default() }
    }

    /// The part of a text to keep, and the length of the whole text (`bytes`) if that is longer.
    fn beginning(
        &self,
        document: DocumentId,
        content: &Content<'_>,
        bytes: u64,
    ) -> (String, Option<u64>) {
        if self.compared.binary_search(&document).is_ok() {
            let text = plain_text(content);
            let cut_from = (text.len() > COMPARED).then_some(text.len() as u64);
            return (text[..text.floor_char_boundary(COMPARED)].to_owned(), cut_from);
        }
        // What has to be converted is cut before, so that the cost of an excerpt is bounded.
        let (part, is_part) = beginning_of(content, self.excerpt);
        let text = plain_text(&part);
        let kept = &text[..text.floor_char_boundary(self.excerpt)];
        let cut_from = (is_part || kept.len() < text.len()).then_some(bytes.max(kept.len() as u64));
        (kept.to_owned(), cut_from)
    }
}

/// The beginning of a content, enough for an excerpt of `excerpt` bytes, and whether it is only a
/// part.
fn beginning_of<'c>(content: &'c Content<'_>, excerpt: usize) -> (Content<'c>, bool) {
    let text = |text: &'c str, most: usize| Cow::Borrowed(&text[..text.floor_char_boundary(most)]);
    let bytes = |bytes: &'c [u8]| Cow::Borrowed(&bytes[..bytes.len().min(MARKUP)]);
    match content {
        Content::Text(whole) => (Content::Text(text(whole, excerpt)), whole.len() > excerpt),
        Content::TextBytes(whole) => (Content::TextBytes(bytes(whole)), whole.len() > MARKUP),
        Content::Html(whole) => (Content::Html(text(whole, MARKUP)), whole.len() > MARKUP),
        Content::HtmlBytes(whole) => (Content::HtmlBytes(bytes(whole)), whole.len() > MARKUP),
        Content::Features(list) => (Content::Features(list), false),
    }
}

/// Reads the wanted documents again, which may be in memory.
///
/// # Errors
/// They have changed.
pub(crate) fn read_again(
    analysis: &Analysis,
    documents: Documents<'_>,
    wanted: &Wanted,
) -> Result<ShownDocuments, LookalikeError> {
    let collection = &analysis.collection;
    let numbers = &wanted.documents;
    let mut bytes = Vec::with_capacity(numbers.len());
    for of_chunk in numbers.chunk_by(|a, b| collection.chunk_of(*a) == collection.chunk_of(*b)) {
        let chunk = collection.chunk_of(of_chunk[0]);
        let (first, rows) = (collection.chunk_documents(chunk).start, collection.rows(chunk)?);
        let of_text =
            |document: &DocumentId| rows.documents[document.offset_from(first)].text_bytes;
        bytes.extend(of_chunk.iter().map(of_text));
    }
    let mut found = Vec::with_capacity(numbers.len());
    read_some(collection, documents, numbers, &mut |document, record| {
        if let Ok(at) = numbers.binary_search(&document) {
            found.push((document, wanted.shown(document, record, bytes[at])));
        }
    })?;
    if found.len() < numbers.len() {
        return Err(documents.changed());
    }
    Ok(ShownDocuments::new(collection.len(), found))
}

/// Buffers of a thread that picks documents.
pub(super) type PickScratch = (VisitScratch, DifferenceScratch);

/// Collects the wanted documents of a chunk.
pub(super) fn pick(
    chunk: &Chunk,
    index: ChunkId,
    analysis: &Analysis,
    all: &Wanted,
    (scratch, differing): &mut PickScratch,
) -> Result<Vec<(DocumentId, Shown)>, LookalikeError> {
    let documents = analysis.collection.chunk_documents(index);
    let from = all.documents.partition_point(|&document| document < documents.start);
    let until = all.documents.partition_point(|&document| document < documents.end);
    let wanted = &all.documents[from..until];
    let mut shown = Vec::new();
    if wanted.is_empty() {
        return Ok(shown);
    }
    let rows = analysis.collection.rows(index)?;
    let place = |&document: &DocumentId| {
        let row = &rows.documents[document.offset_from(documents.start)];
        (row.file, row.record)
    };
    let places: Vec<(u32, u32)> = wanted.iter().map(place).collect();
    let text = |&document: &DocumentId| {
        let row = &rows.documents[document.offset_from(documents.start)];
        (row.text, row.text_bytes)
    };
    let texts: Vec<(TextDigest, u64)> = wanted.iter().map(text).collect();
    let is_wanted = |file, record| places.binary_search(&(file, record)).is_ok();
    let mut unreadable = None;
    chunk.visit_some(&analysis.inputs, scratch, &is_wanted, &mut |item| {
        let record = match item {
            Item::Record(record) => record,
            Item::Bad(_) => return,
            Item::Failed(failure) => {
                unreadable.get_or_insert(failure.into_problem());
                return;
            }
        };
        let Ok(at) = places.binary_search(&(record.file, record.record)) else { return };
        // The text shown must be the one that was compared.
        if original::digest(&record.content, record.beside) != texts[at].0 {
            return;
        }
        let compared = all.differences.as_ref().and_then(|(documents, reader)| {
            documents.binary_search(&wanted[at]).ok().filter(|_| texts[at].1 <= LONGEST)?;
            Some(reader.read(&record, differing))
        });
        if all.unshown.binary_search(&wanted[at]).is_ok() {
            shown.push((wanted[at], Shown { compared, ..Shown::default() }));
            return;
        }
        let document = all.shown(wanted[at], &record, texts[at].1);
        let sample = all.sample.as_ref().filter(|(documents, _)| documents.contains(&wanted[at]));
        let page = sample.map(|(_, sample)| sample.page(&record, &analysis.inputs));
        shown.push((wanted[at], Shown { page, compared, ..document }));
    });
    unreadable.map_or(Ok(shown), |problem| Err(unreadable_again(&analysis.inputs, problem)))
}
