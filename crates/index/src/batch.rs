//! Documents on their way into an index, in flat columns.

use crate::{DocNumber, DocumentView, SignatureView};
use lookalike_core::{SetDigest, TextDigest, TokenDigest};
use std::ops::Range;

/// Documents with their sets and signatures, one after the other. Their numbers and places are
/// given by the index; what [`DocumentBatch::push`] is told about those is ignored.
#[derive(Debug, Clone, Default)]
pub struct DocumentBatch {
    rows: Vec<BatchRow>,
    /// Ids, addresses, dates and texts.
    strings: String,
    extra: Vec<u8>,
    keep: Vec<f64>,
    sets: Vec<u64>,
    signatures: Vec<SignatureRow>,
    /// Keys and sketches.
    words: Vec<u64>,
}

#[derive(Debug, Clone)]
struct BatchRow {
    sweep: u32,
    expires: u64,
    id: Range<usize>,
    url: Range<usize>,
    date: Range<usize>,
    content: Range<usize>,
    extra: Range<usize>,
    keep: Range<usize>,
    set: Range<usize>,
    signatures: Range<usize>,
    tokens: u32,
    text_bytes: u64,
    text: TextDigest,
    sequence: TokenDigest,
    unit: Option<SetDigest>,
    reason: u8,
    few: bool,
}

#[derive(Debug, Clone)]
struct SignatureRow {
    keys: Range<usize>,
    sketch: Range<usize>,
    size: u32,
    level: u32,
    unsigned: u8,
}

/// Appends, and returns where.
fn append<T: Copy>(all: &mut Vec<T>, more: &[T]) -> Range<usize> {
    let start = all.len();
    all.extend_from_slice(more);
    start..all.len()
}

impl DocumentBatch {
    /// No documents, with room for those of `bytes` of text: about as many bytes of elements again.
    #[must_use]
    pub fn with_text_capacity(bytes: usize) -> Self {
        Self {
            strings: String::with_capacity(bytes),
            sets: Vec::with_capacity(bytes / 6),
            ..Self::default()
        }
    }

    /// Adds a copy of a document.
    pub fn push(&mut self, document: &DocumentView<'_>) {
        let mut string = |text: &str| {
            let start = self.strings.len();
            self.strings.push_str(text);
            start..self.strings.len()
        };
        let (id, url) = (string(document.id), string(document.url));
        let (date, content) = (string(document.date), string(document.content));
        let first = self.signatures.len();
        for signature in document.signatures {
            let SignatureView { keys, sketch, size, level, unsigned } = *signature;
            let (keys, sketch) = (append(&mut self.words, keys), append(&mut self.words, sketch));
            self.signatures.push(SignatureRow { keys, sketch, size, level, unsigned });
        }
        self.rows.push(BatchRow {
            sweep: document.sweep,
            expires: document.expires,
            id,
            url,
            date,
            content,
            extra: append(&mut self.extra, document.extra),
            keep: append(&mut self.keep, document.keep),
            set: append(&mut self.sets, document.set),
            signatures: first..self.signatures.len(),
            tokens: document.tokens,
            text_bytes: document.text_bytes,
            text: document.text,
            sequence: document.sequence,
            unit: document.unit,
            reason: document.reason,
            few: document.few,
        });
    }

    /// Number of documents.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Bytes of memory.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let rows = size_of::<BatchRow>() * self.rows.len();
        let signatures = size_of::<SignatureRow>() * self.signatures.len();
        let words = 8 * (self.keep.len() + self.sets.len() + self.words.len());
        (rows + signatures + words + self.strings.len() + self.extra.len()) as u64
    }

    /// A document, with a number and a place. `views` is a buffer for its signatures.
    ///
    /// # Panics
    /// If there are not so many.
    #[must_use]
    pub fn get<'a>(
        &'a self,
        index: usize,
        number: DocNumber,
        first: DocNumber,
        views: &'a mut Vec<SignatureView<'a>>,
    ) -> DocumentView<'a> {
        let row = &self.rows[index];
        views.clear();
        views.extend(self.signatures[row.signatures.clone()].iter().map(|signature| {
            SignatureView {
                keys: &self.words[signature.keys.clone()],
                sketch: &self.words[signature.sketch.clone()],
                size: signature.size,
                level: signature.level,
                unsigned: signature.unsigned,
            }
        }));
        DocumentView { signatures: views, ..self.get_plain(index, number, first) }
    }

    /// A document without its signatures.
    pub(crate) fn get_plain(
        &self,
        index: usize,
        number: DocNumber,
        first: DocNumber,
    ) -> DocumentView<'_> {
        let row = &self.rows[index];
        DocumentView {
            id: &self.strings[row.id.clone()],
            url: &self.strings[row.url.clone()],
            date: &self.strings[row.date.clone()],
            extra: &self.extra[row.extra.clone()],
            keep: &self.keep[row.keep.clone()],
            set: self.set(index),
            content: &self.strings[row.content.clone()],
            ..self.get_numbers(index, number, first)
        }
    }

    /// The numbers and digests of a document, without strings, set and signatures. Reads its row
    /// only: a string that is not in the cache costs more than the rest.
    pub(crate) fn get_numbers(
        &self,
        index: usize,
        number: DocNumber,
        first: DocNumber,
    ) -> DocumentView<'_> {
        let row = &self.rows[index];
        DocumentView {
            number,
            first,
            sweep: row.sweep,
            expires: row.expires,
            id: "",
            url: "",
            date: "",
            extra: &[],
            tokens: row.tokens,
            text_bytes: row.text_bytes,
            text: row.text,
            sequence: row.sequence,
            keep: &[],
            unit: row.unit,
            reason: row.reason,
            few: row.few,
            set: &[],
            content: "",
            signatures: &[],
        }
    }

    /// A copy of some of the documents.
    ///
    /// # Panics
    /// If there are not so many.
    #[must_use]
    pub fn range(&self, range: Range<usize>) -> Self {
        let mut part = Self::default();
        for index in range {
            let mut views = Vec::new();
            part.push(&self.get(index, DocNumber(0), DocNumber(0), &mut views));
        }
        part
    }

    /// The set of a document.
    pub(crate) fn set(&self, index: usize) -> &[u64] {
        &self.sets[self.rows[index].set.clone()]
    }

    /// Id, address and date of a document, and what the caller stores.
    pub(crate) fn strings(&self, index: usize) -> [&[u8]; 4] {
        let (row, strings) = (&self.rows[index], self.strings.as_bytes());
        let string = |range: &Range<usize>| &strings[range.clone()];
        [string(&row.id), string(&row.url), string(&row.date), &self.extra[row.extra.clone()]]
    }

    /// Id and sweep of a document.
    pub(crate) fn key(&self, index: usize) -> (&str, u32) {
        let row = &self.rows[index];
        (&self.strings[row.id.clone()], row.sweep)
    }
}
