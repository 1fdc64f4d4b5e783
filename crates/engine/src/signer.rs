//! Turns a document's content into token counts, digests, a feature set and a signature.

use crate::{Approach, EngineError, MatchSettings, MinFeatures, SignatureBlock, original};
use lookalike_core::features::MANY;
use lookalike_core::{
    CommonElements, FeatureKind, FeatureScratch, SetDigest, TextDigest, TokenDigest, divide,
    features, fingerprint,
};
use lookalike_io::{Content, RecordView};
use lookalike_join::prefix;
use lookalike_methods::{Document, Field, Marks, Method, Signature, Unsigned};
use lookalike_text::{
    Analyzer, FilterScratch, MarkKind, Page, TermFilter, TermRule, Terms, decode_html, decode_text,
    extract,
};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// Computes features and signatures. A method receives the tokens that its own term filter keeps;
/// without a filter, those that features are made of. Immutable and shared by all threads, each
/// with its own [`SignerScratch`].
#[derive(Debug)]
pub struct Signer {
    analyzer: Analyzer,
    features: FeatureKind,
    terms: Terms,
    min_features: Option<MinFeatures>,
    keeps_sets: bool,
    /// The bound by which sets are partitioned ([`divide`]); `None` if no prefixes are needed.
    arranged: Option<u64>,
    method: Option<Arc<dyn Method>>,
    /// The term filter of the method.
    filter: TermFilter,
    /// Common elements, removed from every feature set.
    common: Option<Arc<CommonElements>>,
    /// Common shingles, removed from every set that the method signs.
    common_of_method: Option<Arc<CommonElements>>,
}

/// Buffers of one thread.
#[derive(Debug, Default)]
pub struct SignerScratch {
    analysis: lookalike_text::Scratch,
    features: FeatureScratch,
    filter: FilterScratch,
    /// Token hashes for the method, if they differ from those of the features.
    terms: Vec<u64>,
    marks: Vec<Marks>,
    fields: Vec<Field>,
    signing: lookalike_methods::MethodScratch,
    signature: Signature,
    /// The result of signing, if the document was signed before its features were made.
    signed: Option<Result<(), Unsigned>>,
    /// The feature set without common elements.
    left: Vec<u64>,
    /// Whether the document has too few features to be compared.
    few: bool,
}

/// The feature set of a large document.
#[derive(Debug)]
pub(crate) struct LargeSet {
    /// Its elements, ascending.
    pub(crate) set: Vec<u64>,
    /// How many of them are up to the bound; `None` if sets are not partitioned.
    pub(crate) low: Option<usize>,
    pub(crate) digest: SetDigest,
}

impl SignerScratch {
    /// Frees buffers that a large document has grown.
    pub(crate) fn free_large(&mut self) {
        self.features.free_large();
        if self.terms.capacity() > MANY {
            self.terms = Vec::new();
        }
        if self.marks.capacity() > MANY {
            self.marks = Vec::new();
        }
    }
}

/// Counts and digests of a document, known once it is tokenised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocumentSummary {
    /// Bytes of text (after markup is taken away).
    pub text_bytes: u64,
    /// Number of tokens before the term filter.
    pub tokens: u32,
    /// Digest of the original content.
    pub text: TextDigest,
    /// Digest of the sequence of all tokens.
    pub sequence: TokenDigest,
    /// Digest of everything that features and signature depend on.
    pub signed: TokenDigest,
}

impl Signer {
    /// A signer for these settings, without a method.
    #[must_use]
    pub fn new(settings: &MatchSettings) -> Self {
        Self {
            analyzer: Analyzer::new(&settings.analysis),
            features: settings.features,
            terms: settings.terms,
            min_features: settings.min_features,
            keeps_sets: true,
            arranged: Some(prefix::bound(settings.criterion())),
            method: None,
            filter: TermFilter::ALL,
            common: settings.common.clone(),
            common_of_method: None,
        }
    }

    /// A signer for these settings and the approach's method.
    ///
    /// # Errors
    /// A term filter that does not exist.
    pub fn for_approach(
        settings: &MatchSettings,
        approach: &Approach,
    ) -> Result<Self, EngineError> {
        let filter = approach.method.as_ref().map_or("", |method| method.term_filter());
        let refused = || EngineError::TermFilter(filter.to_owned());
        let filter: TermFilter = filter.parse().map_err(|_| refused())?;
        // Special characters are found between tokens, where no mark can be assigned to them.
        if filter.has(TermRule::Nosc) && approach.method.as_ref().is_some_and(|m| m.uses_marks()) {
            return Err(refused());
        }
        let alone = Self::new(settings);
        Ok(Self {
            keeps_sets: approach.keeps_sets(),
            arranged: alone.arranged.filter(|_| approach.method.is_none()),
            method: approach.method.clone(),
            filter,
            common_of_method: approach.common.clone(),
            ..alone
        })
    }

    /// The bound by which sets are partitioned ([`divide`]): that of the element order for these
    /// settings, unless candidates come from a method.
    #[must_use]
    pub fn arranged(&self) -> Option<u64> {
        self.arranged
    }

    /// Fewest elements of a set that is compared; 0 without a minimum.
    pub(crate) fn least_size(&self) -> u32 {
        self.min_features.map_or(0, |least| least.count)
    }

    /// Why a document with tokens has no features, before common elements are removed.
    fn without_features(&self) -> Unsigned {
        match self.features {
            FeatureKind::Terms => Unsigned::NothingSelected,
            FeatureKind::Shingles { .. } => Unsigned::TooShort,
        }
    }

    /// Whether documents are signed.
    #[must_use]
    pub fn signs(&self) -> bool {
        self.method.is_some()
    }

    /// Tokenises a document into the scratch. Takes the content out of the record, so that what it
    /// owns is freed before features are made.
    pub fn read(
        &self,
        record: &mut RecordView<'_>,
        scratch: &mut SignerScratch,
    ) -> DocumentSummary {
        let marked = self.method.as_ref().is_some_and(|method| method.uses_marks());
        let original = original::digest(&record.content);
        let content = std::mem::replace(&mut record.content, Content::Text(Cow::Borrowed("")));
        let seen = match content {
            Content::Html(_) | Content::HtmlBytes(_) if marked => {
                let page = page(&content);
                drop(content);
                let seen = self.read_text(&page.text, scratch);
                self.mark(&page, scratch);
                seen
            }
            content => {
                scratch.marks.clear();
                // A decoded copy is kept; the original is freed.
                let decoded = match plain_text(&content) {
                    Cow::Owned(text) => Some(text),
                    Cow::Borrowed(_) => None,
                };
                match decoded {
                    Some(text) => {
                        drop(content);
                        self.read_text(&text, scratch)
                    }
                    None => self.read_text(&plain_text(&content), scratch),
                }
            }
        };
        let seen = DocumentSummary { text: original, ..seen };
        self.fields(record, scratch);
        // Few documents have the same tokens and different terms, marks or fields, but the result
        // must not depend on which comes first.
        let filtered = self.filter != TermFilter::ALL;
        if !filtered && scratch.marks.is_empty() && scratch.fields.is_empty() {
            return seen;
        }
        let mut signed = vec![(seen.sequence.0 >> 64) as u64, seen.sequence.0 as u64];
        if filtered {
            signed.extend_from_slice(&scratch.terms);
        }
        signed.extend(scratch.marks.iter().map(|marks| u64::from(marks.0)));
        signed.extend(scratch.fields.iter().map(|field| field.0));
        DocumentSummary { signed: TokenDigest::of(&signed), ..seen }
    }

    fn read_text(&self, text: &str, scratch: &mut SignerScratch) -> DocumentSummary {
        let SignerScratch { analysis, features, filter, terms, .. } = scratch;
        match self.kept_terms() {
            None => {
                features.clear();
                self.analyzer.batches(text, analysis, |bytes, places| {
                    features.push_all(bytes, places);
                });
            }
            Some(kept) => {
                features.clear_filtered();
                self.analyzer.batches(text, analysis, |bytes, places| {
                    features.push_filtered(bytes, places, |token| kept.keeps(token));
                });
            }
        }
        if self.filter != TermFilter::ALL {
            terms.clear();
            self.filter.terms(&self.analyzer, text, filter, |term| {
                terms.push(fingerprint::token(term));
            });
        }
        let sequence = features.token_digest();
        DocumentSummary {
            text_bytes: text.len() as u64,
            tokens: u32::try_from(features.token_count()).unwrap_or(u32::MAX),
            text: TextDigest(0),
            sequence,
            signed: sequence,
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

    /// Document fields that the method asks for.
    fn fields(&self, record: &RecordView<'_>, scratch: &mut SignerScratch) {
        scratch.fields.clear();
        if !self.method.as_ref().is_some_and(|method| method.uses_fields()) {
            return;
        }
        let known = [("url", &record.url), ("title", &record.title), ("date", &record.date)];
        for (name, value) in known {
            if let Some(value) = value {
                scratch
                    .fields
                    .push(Field(fingerprint::token(format!("{name}={value}").as_bytes())));
            }
        }
    }

    /// Appends the features of the last document read, in order of first occurrence: those up to
    /// the bound to `low`, the others to `high`. If sets are not stored, nothing is appended.
    ///
    /// Returns the digest of the set. A document with too few features to be compared has the
    /// digest of its token sequence, so that only documents with the same words form one distinct
    /// set.
    ///
    /// # Errors
    /// The document has no features, or none but common ones.
    pub fn features(
        &self,
        seen: &DocumentSummary,
        scratch: &mut SignerScratch,
        low: &mut Vec<u64>,
        high: &mut Vec<u64>,
    ) -> Result<SetDigest, Unsigned> {
        scratch.few = false;
        if !self.keeps_sets {
            if let Some(least) = self.min_features {
                let counted = scratch.features.features(least.features);
                scratch.few = least.excludes(counted.map_or(0, |(set, _)| set.len() as u32));
            }
            if scratch.few {
                return Ok(SetDigest(seen.sequence.0));
            }
            if self.common_of_method.is_some() {
                scratch.signed = self.signature(scratch);
                if scratch.signed == Some(Err(Unsigned::OnlyCommon)) {
                    return Err(Unsigned::OnlyCommon);
                }
            }
            return Ok(SetDigest(seen.signed.0));
        }
        let found = scratch.features.features(self.features);
        let (mut set, mut digest) = found.ok_or_else(|| self.without_features())?;
        if let Some(common) = &self.common {
            scratch.left.clear();
            scratch.left.extend(set.iter().filter(|&&element| !common.contains(element)));
            set = &scratch.left;
            digest = features::digest(set).ok_or(Unsigned::OnlyCommon)?;
        }
        scratch.few = self.min_features.is_some_and(|least| least.excludes(set.len() as u32));
        match self.arranged {
            Some(bound) => divide(bound, set, low, high),
            None => high.extend_from_slice(set),
        }
        Ok(if scratch.few { SetDigest(seen.sequence.0) } else { digest })
    }

    /// As [`Signer::features`] for a large document, in its own allocation, ascending, with the
    /// number of elements up to the bound. `None` if it is not large, or its tokens are still to be
    /// signed.
    pub(crate) fn large_features(
        &self,
        seen: &DocumentSummary,
        scratch: &mut SignerScratch,
    ) -> Option<Result<LargeSet, Unsigned>> {
        let large = scratch.features.token_count() > MANY && self.keeps_sets && !self.signs();
        large.then(|| {
            scratch.few = false;
            let found = scratch.features.into_sorted(self.features);
            let (mut set, mut digest) = found.ok_or_else(|| self.without_features())?;
            if let Some(common) = &self.common {
                set.retain(|&element| !common.contains(element));
                digest = features::digest(&set).ok_or(Unsigned::OnlyCommon)?;
            }
            if self.min_features.is_some_and(|least| least.excludes(set.len() as u32)) {
                scratch.few = true;
                digest = SetDigest(seen.sequence.0);
            }
            let low = self.arranged.map(|bound| set.partition_point(|&value| value <= bound));
            Ok(LargeSet { set, low, digest })
        })
    }

    /// Signs the last document read, if there is a method.
    pub fn sign(&self, scratch: &mut SignerScratch, out: &mut SignatureBlock) {
        let signed = scratch.signed.take().or_else(|| self.signature(scratch));
        if let Some(signed) = signed {
            out.push(&scratch.signature, signed);
        }
    }

    /// Computes the method's signature of the last document read, into the scratch.
    fn signature(&self, scratch: &mut SignerScratch) -> Option<Result<(), Unsigned>> {
        let method = self.method.as_ref()?;
        let SignerScratch { features, terms, marks, fields, signing, signature, few, .. } = scratch;
        let tokens = match (self.filter == TermFilter::ALL, self.features) {
            (false, _) => terms,
            (true, FeatureKind::Terms) => features.terms(),
            (true, FeatureKind::Shingles { .. }) => features.tokens(),
        };
        let common = self.common_of_method.as_deref();
        signature.clear();
        if *few {
            return Some(Err(Unsigned::FewFeatures));
        }
        Some(method.sign(&Document { tokens, marks, fields, common }, signing, signature))
    }

    /// The sorted feature set of a text, for comparisons outside a run.
    #[must_use]
    pub fn sorted_set(&self, text: &str) -> Vec<u64> {
        let mut scratch = SignerScratch::default();
        let (mut set, mut high) = (Vec::new(), Vec::new());
        let seen = self.read_text(text, &mut scratch);
        if let Some(large) = self.large_features(&seen, &mut scratch) {
            return large.map_or_else(|_| Vec::new(), |large| large.set);
        }
        // Without features, nothing is appended.
        let _ = self.features(&seen, &mut scratch, &mut set, &mut high);
        set.append(&mut high);
        set.sort_unstable();
        set
    }

    /// The digest of the token sequence of a text, for comparisons outside a run.
    #[must_use]
    pub fn sequence(&self, text: &str) -> TokenDigest {
        self.read_text(text, &mut SignerScratch::default()).sequence
    }
}

/// Cursor over the marks of a page: each mark is visited once.
struct MarkCursor<'p> {
    rest: &'p [lookalike_text::Mark],
    /// End of the last mark begun, by kind.
    ends: [usize; 3],
}

impl<'p> MarkCursor<'p> {
    fn new(page: &'p Page) -> Self {
        Self { rest: &page.marks, ends: [0; 3] }
    }

    /// The marks around the token at `place`; calls must have ascending places.
    fn around(&mut self, place: &Range<usize>) -> Marks {
        while let Some((mark, rest)) = self.rest.split_first()
            && mark.start < place.end
        {
            // Marks of one kind never overlap, so only the last one begun is needed.
            self.ends[mark.kind as usize] = mark.end;
            self.rest = rest;
        }
        let kinds = [
            (MarkKind::Heading, Marks::HEADING),
            (MarkKind::Emphasis, Marks::EMPHASIS),
            (MarkKind::Link, Marks::LINK),
        ];
        let open = kinds.iter().filter(|(kind, _)| self.ends[*kind as usize] > place.start);
        Marks(open.fold(0, |bits, (_, marks)| bits | marks.0))
    }
}

fn page(content: &Content<'_>) -> Page {
    match content {
        Content::Text(_) | Content::TextBytes(_) => {
            Page { text: plain_text(content).into_owned(), ..Page::default() }
        }
        Content::Html(html) => extract(html),
        Content::HtmlBytes(bytes) => extract(&decode_html(bytes).text),
    }
}

/// The text of a document without its markup.
#[must_use]
pub fn plain_text<'a>(content: &'a Content<'_>) -> Cow<'a, str> {
    match content {
        Content::Text(text) => Cow::Borrowed(text),
        Content::TextBytes(bytes) => decode_text(bytes).text,
        Content::Html(html) => Cow::Owned(extract(html).text),
        Content::HtmlBytes(bytes) => Cow::Owned(extract(&decode_html(bytes).text).text),
    }
}
