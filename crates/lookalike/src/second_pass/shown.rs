//! Documents that the report shows: which texts are wanted, and how much of each is kept.

use super::recount::unreadable_again;
use crate::LookalikeError;
use crate::analysis::Analysis;
use lookalike_core::TextDigest;
use lookalike_engine::original;
use lookalike_engine::signer::plain_text;
use lookalike_engine::{ChunkId, DocumentId};
use lookalike_io::Item;
use lookalike_io::source::{Chunk, VisitScratch};

/// A document that the report shows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shown {
    pub(crate) title: Option<String>,
    pub(crate) url: Option<String>,
    pub(crate) text: String,
    /// Length of the whole text in bytes, if `text` is only its beginning.
    pub(crate) cut_from: Option<u64>,
}

/// Maximum length in bytes of a text that the report compares (about two dozen documents).
const COMPARED: usize = 512 << 10;

/// Maximum length in bytes of a text that the report quotes (some hundreds of documents).
const QUOTED: usize = 4 << 10;

/// The documents that the report shows.
#[derive(Debug, Default)]
pub(crate) struct Wanted {
    /// All of them, ascending.
    pub(crate) documents: Vec<DocumentId>,
    /// Those whose texts are compared, ascending. Of the others only the beginning is quoted.
    pub(crate) compared: Vec<DocumentId>,
}

impl Wanted {
    /// The part of a text to keep, and the length of the whole text if that is longer.
    fn beginning(&self, document: DocumentId, text: &str) -> (String, Option<u64>) {
        let is_compared = self.compared.binary_search(&document).is_ok();
        let most = if is_compared { COMPARED } else { QUOTED };
        let cut_from = (text.len() > most).then_some(text.len() as u64);
        (text[..text.floor_char_boundary(most)].to_owned(), cut_from)
    }
}

/// Collects the wanted documents of a chunk.
pub(super) fn pick(
    chunk: &Chunk,
    index: ChunkId,
    analysis: &Analysis,
    all: &Wanted,
    scratch: &mut VisitScratch,
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
    let text = |&document: &DocumentId| rows.documents[document.offset_from(documents.start)].text;
    let texts: Vec<TextDigest> = wanted.iter().map(text).collect();
    let is_wanted = |file, record| places.binary_search(&(file, record)).is_ok();
    let mut unreadable = None;
    chunk.visit_some(&analysis.inputs, scratch, &is_wanted, &mut |item| {
        let record = match item {
            Item::Record(record) => record,
            Item::Bad(problem) => {
                if problem.unreadable {
                    unreadable.get_or_insert(problem);
                }
                return;
            }
        };
        let Ok(at) = places.binary_search(&(record.file, record.record)) else { return };
        // The text shown must be the one that was compared.
        if original::digest(&record.content) != texts[at] {
            return;
        }
        let (text, cut_from) = all.beginning(wanted[at], &plain_text(&record.content));
        let owned = |field: &Option<std::borrow::Cow<'_, str>>| field.as_deref().map(str::to_owned);
        let (title, url) = (owned(&record.title), owned(&record.url));
        shown.push((wanted[at], Shown { title, url, text, cut_from }));
    });
    unreadable.map_or(Ok(shown), |problem| Err(unreadable_again(&analysis.inputs, problem)))
}
