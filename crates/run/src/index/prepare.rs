//! Records to documents of an index: text, feature set, digests and signatures.

use super::extra::Extra;
use super::open::Analysis;
use super::passage_keys::{PassageKeyScratch, PassageKeys};
use crate::Record;
use crate::method_signer::MethodSigner;
use lookalike_cluster::KeepRule;
use lookalike_engine::across::input_key;
use lookalike_engine::{
    Across, Problems, Signer, SignerScratch, keep_value, original, reason_codes,
};
use lookalike_index::{DocNumber, DocumentBatch, DocumentView, StoredSignature};
use lookalike_io::source::{Chunk, Piece, VisitScratch};
use lookalike_io::{
    Beside, Content, FieldTexts, Inputs, Item, MailAttachments, Problem, RecordView,
};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Prepares documents. Shared by all threads, each with its own [`PrepareScratch`].
#[derive(Clone, Copy)]
pub struct Preparer<'a> {
    /// Where the records come from.
    pub inputs: &'a Inputs,
    /// Makes the sets.
    pub signer: &'a Signer,
    /// Make the signatures.
    pub methods: &'a [MethodSigner],
    /// Makes the keys of passages.
    pub passages: Option<&'a PassageKeys>,
    /// Which duplicate to keep.
    pub keep: &'a [KeepRule],
    /// The sweep of the documents; 0 for none.
    pub sweep: u32,
    /// When they are deleted, in seconds since 1970; 0 for never.
    pub expires: u64,
}

/// Buffers of a thread.
#[derive(Default)]
pub struct PrepareScratch {
    visit: VisitScratch,
    record: RecordScratch,
}

/// Buffers for one record.
#[derive(Default)]
struct RecordScratch {
    signer: SignerScratch,
    passages: PassageKeyScratch,
    set: Vec<u64>,
    keep: Vec<f64>,
}

/// The documents of a chunk.
#[derive(Default)]
pub struct Prepared {
    /// The documents of the piece.
    pub documents: DocumentBatch,
    /// Values by which they have to differ to match, by key, as they are shown.
    pub(crate) values: BTreeMap<u64, String>,
    /// Documents without an id, which are named by their place.
    pub(crate) unnamed: u64,
    /// What could not be read.
    pub problems: Problems,
    /// Bytes of the input.
    pub consumed: u64,
}

/// What is compared beside a document, with the key of the input that it came from if that is by what
/// documents have to differ.
pub(crate) fn of_input(
    signer: &Signer,
    beside: Beside,
    record: &RecordView<'_>,
    inputs: &Inputs,
) -> Beside {
    let key = || inputs.files.get(record.file as usize).map(|file| input_key(&file.argument));
    match signer.across() {
        Some(Across::Inputs) => Beside { across: beside.across.or_else(key), ..beside },
        _ => beside,
    }
}

impl<'a> Preparer<'a> {
    /// Prepares documents as an index stores them, without a sweep and for ever.
    pub fn new(inputs: &'a Inputs, analysis: &'a Analysis) -> Self {
        Self {
            inputs,
            signer: &analysis.signer,
            methods: &analysis.methods,
            passages: analysis.passages.as_ref(),
            keep: &analysis.keep,
            sweep: 0,
            expires: 0,
        }
    }

    /// Prepares the documents of a chunk, in order.
    pub(crate) fn chunk(&self, chunk: Chunk, scratch: &mut PrepareScratch) -> Prepared {
        self.chunk_with(chunk, scratch, &mut |_| {})
    }

    /// The documents that were read, and the problem of what was not.
    pub fn read_piece(&self, piece: Piece, scratch: &mut PrepareScratch) -> Prepared {
        let (chunk, problem) = piece.into_parts();
        let prepared = chunk.map(|chunk| self.chunk(chunk, scratch));
        let mut prepared = prepared.unwrap_or_default();
        problem.into_iter().for_each(|problem| prepared.problems.push(problem));
        prepared
    }

    /// As `Preparer::chunk`, and tells `each` about every record in order: `None` for a document, the problem
    /// for a record that cannot be used.
    pub fn chunk_with(
        &self,
        chunk: Chunk,
        scratch: &mut PrepareScratch,
        each: &mut dyn FnMut(Option<&Problem>),
    ) -> Prepared {
        let documents = DocumentBatch::with_text_capacity(chunk.consumed as usize);
        let mut prepared = Prepared { documents, consumed: chunk.consumed, ..Prepared::default() };
        let PrepareScratch { visit, record: scratch } = scratch;
        chunk.visit_once(self.inputs, visit, &mut |item| match item {
            Item::Record(record) => {
                each(None);
                prepared.unnamed += u64::from(record.id.as_deref().is_none_or(str::is_empty));
                let Prepared { documents, values, .. } = &mut prepared;
                self.document(record, scratch, documents, values);
            }
            Item::Bad(problem) => {
                each(Some(&problem));
                prepared.problems.push(problem);
            }
            Item::Failed(failure) => {
                each(Some(failure.problem()));
                prepared.problems.push(failure.into_problem());
            }
        });
        prepared
    }

    /// Prepares a document of the caller.
    pub fn record(&self, record: &Record, scratch: &mut PrepareScratch) -> DocumentBatch {
        let text = |text: &'_ Option<String>| text.clone().map(Cow::Owned);
        let mut given = FieldTexts::default();
        for (field, name) in self.inputs.options.fields.given.iter().enumerate() {
            let is_of = |known: &String| known == name;
            let labels = record.labels.iter().filter(|(known, _)| is_of(known));
            labels.for_each(|(_, value)| given.push(field, value));
            let numbers = record.numbers.iter().filter(|(known, _)| is_of(known));
            numbers.for_each(|(_, number)| given.push(field, &number.to_string()));
        }
        let view = RecordView {
            file: 0,
            record: 1,
            line: 1,
            id: text(&record.id),
            content: Content::Text(Cow::Borrowed(&record.text)),
            url: text(&record.url),
            title: text(&record.title),
            date: text(&record.date),
            extra: &[],
            given: &given,
            beside: self.beside(record),
        };
        let mut documents = DocumentBatch::default();
        self.document(view, &mut scratch.record, &mut documents, &mut BTreeMap::new());
        documents
    }

    /// What is compared beside the text of a message of the caller.
    fn beside(&self, record: &Record) -> Beside {
        let written = record.labels.iter().find(|(name, _)| name == Beside::FIELD);
        let found = written.and_then(|(_, written)| Beside::read(written)).unwrap_or_default();
        match self.inputs.options.formats.mail_attachments {
            Some(MailAttachments::Ignore) => Beside { attachments: None, ..found },
            _ => found,
        }
    }

    fn document(
        &self,
        record: RecordView<'_>,
        scratch: &mut RecordScratch,
        documents: &mut DocumentBatch,
        values: &mut BTreeMap<u64, String>,
    ) {
        let RecordScratch { signer: scratch, passages, set, keep } = scratch;
        let id = match &record.id {
            Some(id) => Cow::Borrowed(id.as_ref()),
            None => self.place(&record),
        };
        let (text, beside) = self.signer.text_and_beside(&record, scratch);
        let beside = of_input(self.signer, beside, &record, self.inputs);
        let found = self.signer.message_set(&text, beside, scratch, set);
        keep.clear();
        let fields: Vec<&str> =
            self.inputs.options.fields.extra.iter().map(String::as_str).collect();
        let value = |rule| keep_value(rule, &record, &fields, found.summary.text_bytes);
        keep.extend(self.keep.iter().map(value));
        if let Some(across) = self.signer.across() {
            let key = self.signer.value_beside(beside);
            // Exact: below 2⁵².
            keep.push(key as f64);
            // Of a document that was exported, the key alone is known.
            if record.beside.across.is_none() {
                values.entry(key).or_insert_with(|| across.shown(&record, self.inputs));
            }
        }
        let title = record.title.as_deref().map(Cow::Borrowed);
        let extra = Extra { title, message: beside.written().map(Cow::Owned) };
        let extra = match (&extra.title, &extra.message) {
            (None, None) => Vec::new(),
            _ => serde_json::to_vec(&extra).unwrap_or_default(),
        };
        let of_methods = self.methods.iter();
        let of_methods = of_methods.map(|method| method.sign(&record, &text, beside, scratch));
        let of_passages = self.passages.iter().map(|keys| keys.sign(&text, passages));
        let signatures: Vec<_> = of_methods.chain(of_passages).collect();
        let signatures: Vec<_> = signatures.iter().map(StoredSignature::view).collect();
        documents.push(&DocumentView {
            number: DocNumber(0),
            first: DocNumber(0),
            sweep: self.sweep,
            expires: self.expires,
            id: &id,
            url: record.url.as_deref().unwrap_or_default(),
            date: record.date.as_deref().unwrap_or_default(),
            extra: &extra,
            tokens: found.summary.tokens,
            text_bytes: found.summary.text_bytes,
            // Of the stored text alone, which is checked by it; `extra` has the rest.
            text: original::digest(&Content::Text(Cow::Borrowed(&text)), Beside::default()),
            sequence: found.summary.sequence,
            keep,
            unit: found.unit.ok(),
            reason: reason_codes::code(found.unit.err()),
            few: found.few,
            set,
            content: &text,
            signatures: &signatures,
        });
    }

    /// The name of a record without an id, as in a run: that of its file, with the number of the
    /// record where a file has many.
    fn place(&self, record: &RecordView<'_>) -> Cow<'_, str> {
        let Some(file) = self.inputs.files.get(record.file as usize) else { return Cow::default() };
        match file.format.is_document() {
            true => Cow::Borrowed(&file.name),
            false => Cow::Owned(format!("{}:{}", file.name, record.record)),
        }
    }
}
