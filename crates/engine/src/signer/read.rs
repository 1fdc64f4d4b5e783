//! Tokenises documents: digests, counts, and the input of a method.

use super::content::{page, titled_text};
use super::marks::MarkCursor;
use super::{DocumentSummary, Signer, SignerScratch};
use crate::across::{key_of_hash, value_key, with_key};
use crate::distinctions::{Described, value_hash};
use crate::original;
use crate::{Across, Distinctions};
use lookalike_core::fingerprint::finalise;
use lookalike_core::{
    FeatureKind, FeatureScratch, MultisetDigest, TextDigest, TokenDigest, fingerprint,
};
use lookalike_io::{Beside, Content, FeatureList, RecordView, SECTION_BREAK};
use lookalike_text::{Batch, Page, TermFilter, Terms};
use std::borrow::Cow;

impl Signer {
    /// Tokenises a document into the scratch. Takes the content out of the record, so that what it
    /// owns is freed before features are made.
    pub fn read(
        &self,
        record: &mut RecordView<'_>,
        scratch: &mut SignerScratch,
    ) -> DocumentSummary {
        if let Some(stored) = self.read_stored(record.record, scratch) {
            scratch.given.value = self.value(record);
            return stored;
        }
        let seen = self.read_content(record, scratch);
        scratch.given.value = self.value(record);
        DocumentSummary {
            signed: TokenDigest(with_key(seen.signed.0, scratch.given.value)),
            ..seen
        }
    }

    fn read_content(
        &self,
        record: &mut RecordView<'_>,
        scratch: &mut SignerScratch,
    ) -> DocumentSummary {
        let marked = self.method.as_ref().is_some_and(|method| method.uses_marks());
        let original = original::digest(&record.content, record.beside);
        let content = std::mem::replace(&mut record.content, Content::Text(Cow::Borrowed("")));
        let seen = match content {
            Content::Features(list) => {
                self.set_label(record, Described::default(), scratch);
                self.read_features(list, scratch)
            }
            Content::Html(_) | Content::HtmlBytes(_) if marked => {
                let page = page(&content);
                drop(content);
                let title = record.title.as_deref().or(page.title.as_deref());
                self.set_label(record, Described { text: &page.text, title }, scratch);
                let seen = self.read_text(&page.text, scratch);
                self.mark(&page, scratch);
                seen
            }
            content => {
                scratch.marks.clear();
                let (text, title) = titled_text(&content, record.title.as_deref());
                self.set_label(record, Described { text: &text, title: title.as_deref() }, scratch);
                drop(title);
                // A decoded copy is kept; the original is freed.
                match text {
                    Cow::Owned(text) => {
                        drop(content);
                        self.read_text(&text, scratch)
                    }
                    Cow::Borrowed(text) => self.read_text(text, scratch),
                }
            }
        };
        let seen = DocumentSummary { text: original, ..seen };
        self.fields(record, scratch);
        // Few documents have the same tokens and different terms, marks or fields, but the result
        // must not depend on which comes first.
        let filtered = self.filter != TermFilter::ALL;
        let given = &scratch.given;
        if !filtered && scratch.marks.is_empty() && scratch.fields.is_empty() && given.is_empty() {
            return seen;
        }
        let mut signed = vec![(seen.sequence.0 >> 64) as u64, seen.sequence.0 as u64];
        if filtered {
            signed.extend_from_slice(&scratch.terms);
        }
        signed.extend(scratch.marks.iter().map(|marks| u64::from(marks.0)));
        signed.extend(scratch.fields.iter().map(|field| field.0));
        given.append_to(&mut signed);
        DocumentSummary { signed: TokenDigest::of(&signed), ..seen }
    }

    /// The text of a record, and what is compared beside its words, with a hash of what it needs to have
    /// in common with others. An index stores that, so that it need not have the fields.
    pub fn text_and_beside<'r>(
        &self,
        record: &'r RecordView<'_>,
        scratch: &mut SignerScratch,
    ) -> (Cow<'r, str>, Beside) {
        let (text, title) = titled_text(&record.content, record.title.as_deref());
        let document = Described { text: &text, title: title.as_deref() };
        let beside = self.beside(record, document, scratch);
        (text, beside)
    }

    fn beside(
        &self,
        record: &RecordView<'_>,
        document: Described<'_>,
        scratch: &mut SignerScratch,
    ) -> Beside {
        let value = |name: &str| self.given.value(name, record);
        self.beside_of(record.beside, document, value, scratch)
    }

    /// [`Signer::beside_of`] of a text without a title and fields.
    pub(super) fn beside_text(
        &self,
        beside: Beside,
        text: &str,
        scratch: &mut SignerScratch,
    ) -> Beside {
        let value = |_: &str| value_hash(std::iter::empty());
        self.beside_of(beside, Described { text, title: None }, value, scratch)
    }

    /// What is compared beside the words of a document, with its hash if that is not known. `value` is
    /// a hash of the values of a field ([`value_hash`]).
    pub fn beside_of(
        &self,
        beside: Beside,
        document: Described<'_>,
        value: impl Fn(&str) -> u64,
        scratch: &mut SignerScratch,
    ) -> Beside {
        let of = |distinct: &Distinctions| distinct.label(document, &value, &mut scratch.parts);
        let distinct = beside.distinct.or_else(|| self.distinct.as_deref().map(of));
        // An input is no value of the document: who reads it knows the key.
        let field = self.across.as_ref().and_then(Across::field);
        let across = beside.across.or_else(|| field.map(|name| key_of_hash(value(name))));
        Beside { distinct, across, ..beside }
    }

    /// The key of the value by which a document differs from those that it may match.
    fn value(&self, record: &RecordView<'_>) -> u64 {
        match (&self.across, record.beside.across) {
            (None, _) => 0,
            (Some(_), Some(stored)) => stored,
            (Some(Across::Inputs), None) => {
                self.file_keys.get(record.file as usize).copied().unwrap_or(0)
            }
            (Some(Across::Field(name)), None) => value_key(self.given.values(name, record)),
        }
    }

    /// The key of the value by which a document with this beside it differs from those that it may match:
    /// one without a value has the key that all of these have. 0 where values do not count.
    #[must_use]
    pub fn value_beside(&self, beside: Beside) -> u64 {
        let key = || beside.across.unwrap_or_else(|| value_key(std::iter::empty()));
        self.across.as_ref().map_or(0, |_| key())
    }

    /// By what documents have to differ to match, if by anything.
    #[must_use]
    pub fn across(&self) -> Option<&Across> {
        self.across.as_ref()
    }

    /// Sets the label of a document, and the digest of its words if they count.
    fn set_label(
        &self,
        record: &RecordView<'_>,
        document: Described<'_>,
        scratch: &mut SignerScratch,
    ) {
        scratch.given.label = self.label(self.beside(record, document, scratch));
        scratch.given.words = 0;
        if let Some(words) = &self.words {
            let SignerScratch { analysis, given, .. } = scratch;
            let mut digest = MultisetDigest::default();
            words.tokens(document.text, analysis, |word| digest.add(word));
            given.words = digest.0;
        }
    }

    /// The label of a document: of what it needs to have in common with others, and of its
    /// attachments. 0 without both.
    pub(super) fn label(&self, beside: Beside) -> u64 {
        let attachments = beside.attachments.filter(|_| self.compares_attachments);
        let distinct = beside.distinct.filter(|_| self.distinct.is_some());
        match (distinct.unwrap_or(0), attachments) {
            (value, None) => value,
            (0, Some(attachments)) => attachments.max(1),
            (value, Some(attachments)) => finalise(value ^ finalise(attachments)).max(1),
        }
    }

    /// Takes ready-made features for the tokens of a document.
    pub(super) fn read_features(
        &self,
        list: &FeatureList,
        scratch: &mut SignerScratch,
    ) -> DocumentSummary {
        scratch.marks.clear();
        scratch.terms.clear();
        let features = &mut scratch.features;
        features.clear();
        list.iter().for_each(|feature| features.push(feature.as_bytes()));
        of_tokens(list.bytes(), features)
    }

    /// Tokenises a text into the scratch.
    pub(super) fn read_text(&self, text: &str, scratch: &mut SignerScratch) -> DocumentSummary {
        let SignerScratch { analysis, features, filter, terms, .. } = scratch;
        match self.kept_terms() {
            None => {
                features.clear();
                self.batches(text, analysis, |batch| match batch {
                    Some(Batch::Ranges(bytes, places)) => features.push_all(bytes, places),
                    Some(Batch::Bytes(bytes)) => features.push_bytes(bytes),
                    None => features.end_section(),
                });
            }
            Some(kept) => {
                features.clear_filtered();
                let keeps = |token: &[u8]| kept.keeps(token);
                self.batches(text, analysis, |batch| match batch {
                    Some(Batch::Ranges(bytes, places)) => {
                        features.push_filtered(bytes, places, keeps);
                    }
                    // Filtered characters are rare enough to be listed.
                    Some(Batch::Bytes(bytes)) => {
                        let places: Vec<_> = (0..bytes.len()).map(|at| [at, at + 1]).collect();
                        features.push_filtered(bytes, &places, keeps);
                    }
                    None => features.end_section(),
                });
            }
        }
        if self.filter != TermFilter::ALL {
            terms.clear();
            self.filter.terms(&self.analyzer, text, filter, |term| {
                terms.push(fingerprint::token(term));
            });
        }
        if self.numbers_repeats {
            features.number_repeats();
        }
        let seen = of_tokens(text.len(), features);
        match seen.tokens == 0 {
            true => TokenDigest::without_words(text).map_or(seen, |sequence| DocumentSummary {
                sequence,
                signed: sequence,
                ..seen
            }),
            false => seen,
        }
    }

    /// Passes on the tokens of a text, section by section if it has sections.
    #[inline]
    fn batches(
        &self,
        text: &str,
        scratch: &mut lookalike_text::Scratch,
        mut emit: impl FnMut(Option<Batch<'_>>),
    ) {
        match self.sections {
            true => self.analyzer.sections(text.split(SECTION_BREAK), scratch, emit),
            false => self.analyzer.batches(text, scratch, |batch| emit(Some(batch))),
        }
    }

    /// The filter of the terms that are compared or counted, if any.
    fn kept_terms(&self) -> Option<Terms> {
        let compared = (self.features, self.terms);
        let counted = self.min_features.map(|least| (least.features, least.terms));
        std::iter::once(compared)
            .chain(counted)
            .filter(|&(features, _)| features == FeatureKind::Terms)
            .map(|(_, terms)| terms)
            .find(|&terms| terms != Terms::All)
    }

    /// Marks the tokens of a page that the method's filter keeps.
    fn mark(&self, page: &Page, scratch: &mut SignerScratch) {
        let SignerScratch { filter, marks, .. } = scratch;
        marks.clear();
        let mut cursor = MarkCursor::new(page);
        self.analyzer.located_tokens(&page.text, |token, place| {
            let around = cursor.around(&place);
            if self.filter.term(token.as_bytes(), filter).is_some() {
                marks.push(around);
            }
        });
    }

    /// Reads the values of the document that are used beside its text.
    fn fields(&self, record: &RecordView<'_>, scratch: &mut SignerScratch) {
        let SignerScratch { fields, given, filter, .. } = scratch;
        self.given.see(record);
        self.given.features(record, fields);
        self.given.numbers(record, &mut given.numbers);
        given.texts.clear();
        given.text_ends.clear();
        for &field in &self.given.texts {
            for text in record.given.of(field) {
                self.filter.terms(&self.analyzer, text, filter, |term| {
                    given.texts.push(fingerprint::token(term));
                });
                given.text_ends.push(u32::try_from(given.texts.len()).unwrap_or(u32::MAX));
            }
        }
    }
}

/// The summary of a document whose tokens were taken.
fn of_tokens(text_bytes: usize, features: &FeatureScratch) -> DocumentSummary {
    let sequence = features.token_digest();
    DocumentSummary {
        text_bytes: text_bytes as u64,
        tokens: u32::try_from(features.token_count()).unwrap_or(u32::MAX),
        text: TextDigest(0),
        sequence,
        signed: sequence,
    }
}
