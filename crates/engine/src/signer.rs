//! One document's content in; its tokens counted, its digests and its feature set out.

use crate::{Approach, EngineError, MatchSettings, MinFeatures, SignatureBlock, original};
use lookalike_core::features::MANY;
use lookalike_core::{
    CommonElements, FeatureKind, FeatureScratch, SetDigest, ShortDocuments, TextDigest,
    TokenDigest, divide, features, fingerprint,
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

/// Turns content into features and signatures. A method sees the tokens that its own filter keeps; one
/// without a filter sees those that the features are made of. Immutable; one serves all threads, each with its own
/// [`Scratch`].
#[derive(Debug)]
pub struct Signer {
    analyzer: Analyzer,
    features: FeatureKind,
    terms: Terms,
    min_features: Option<MinFeatures>,
    keeps_sets: bool,
    /// What sets are arranged by, if anybody looks for prefixes in them.
    arranged: Option<u64>,
    method: Option<Arc<dyn Method>>,
    /// The filter that the method's tokens come through.
    filter: TermFilter,
    /// Elements removed from every feature set.
    common: Option<Arc<CommonElements>>,
    /// Shingles removed from every set that the method signs.
    common_of_method: Option<Arc<CommonElements>>,
}

/// Buffers of one thread.
#[derive(Debug, Default)]
pub struct Scratch {
    analysis: lookalike_text::Scratch,
    features: FeatureScratch,
    filter: FilterScratch,
    /// Token hashes for the method, where they are not those of the features.
    terms: Vec<u64>,
    marks: Vec<Marks>,
    fields: Vec<Field>,
    signing: lookalike_methods::Scratch,
    signature: Signature,
    /// What signing gave, where it was done before the document was known to have a place.
    signed: Option<Result<(), Unsigned>>,
    /// What is left of the feature set without common elements.
    left: Vec<u64>,
    /// Whether that is nothing, of a set that had elements.
    only_common: bool,
    /// Whether the document has too few features to be compared.
    few: bool,
}

impl Scratch {
    /// Whether common elements are all that the document last read has.
    #[must_use]
    pub fn only_common(&self) -> bool {
        self.only_common
    }
}

/// The feature set of a large document.
#[derive(Debug)]
pub(crate) struct LargeSet {
    /// Its elements, ascending.
    pub(crate) set: Vec<u64>,
    /// How many of them are up to the bound by which sets are arranged, if they are.
    pub(crate) low: Option<usize>,
    pub(crate) digest: SetDigest,
}

impl Scratch {
    /// Frees the buffers that a large document has filled.
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

/// What is known of a document once its tokens have been seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// Bytes of text (after markup is taken away).
    pub text_bytes: u64,
    /// Number of tokens, whatever a filter keeps.
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
        // Special characters are looked for between the tokens, where no mark can be matched to them.
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

    /// The bound that sets are [arranged](divide) by: that of an order for these settings, unless
    /// candidates come from a method.
    #[must_use]
    pub fn arranged(&self) -> Option<u64> {
        self.arranged
    }

    /// Fewest elements of a set that is compared; 0 if any number will do.
    pub(crate) fn least_size(&self) -> u32 {
        self.min_features.map_or(0, |least| least.count)
    }

    /// Whether a document with tokens lacks features only because none of them counts as a term.
    pub(crate) fn compares_terms(&self) -> bool {
        self.features == FeatureKind::Terms
    }

    /// Whether documents are signed.
    #[must_use]
    pub fn signs(&self) -> bool {
        self.method.is_some()
    }

    /// Tokenises a document into the scratch, and takes the content out of the record: what it owns is
    /// freed before features are made.
    pub fn read(&self, record: &mut RecordView<'_>, scratch: &mut Scratch) -> Seen {
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
                // What was decoded into memory of its own lives on, the original does not.
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
        let seen = Seen { text: original, ..seen };
        self.fields(record, scratch);
        // Few documents have the same tokens and other terms, marks or fields, but which of them comes
        // first must not matter.
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
        Seen { signed: TokenDigest::of(&signed), ..seen }
    }

    fn read_text(&self, text: &str, scratch: &mut Scratch) -> Seen {
        let Scratch { analysis, features, filter, terms, .. } = scratch;
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
        Seen {
            text_bytes: text.len() as u64,
            tokens: u32::try_from(features.token_count()).unwrap_or(u32::MAX),
            text: TextDigest(0),
            sequence,
            signed: sequence,
        }
    }

    /// The filter of the terms that are compared or counted, if there is one.
    fn kept_terms(&self) -> Option<Terms> {
        let compared = (self.features, self.terms);
        let counted = self.min_features.map(|least| (least.features, least.terms));
        std::iter::once(compared)
            .chain(counted)
            .filter(|&(features, _)| features == FeatureKind::Terms)
            .map(|(_, terms)| terms)
            .find(|&terms| terms != Terms::All)
    }

    /// Marks the tokens of a page, those that come through the method's filter.
    fn mark(&self, page: &Page, scratch: &mut Scratch) {
        let Scratch { filter, marks, .. } = scratch;
        marks.clear();
        let mut cursor = MarkCursor::new(page);
        self.analyzer.located_tokens(&page.text, |token, place| {
            let around = cursor.around(&place);
            if self.filter.term(token.as_bytes(), filter).is_some() {
                marks.push(around);
            }
        });
    }

    /// What is known of the document beside its text, as far as the method asks for it.
    fn fields(&self, record: &RecordView<'_>, scratch: &mut Scratch) {
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

    /// Appends the features of the document last read, in order of first occurrence: to `low` those up to the bound by
    /// which sets are arranged, to `high` the others. Where no sets are kept, nothing is appended.
    ///
    /// The digest is that of the set. Of a document with too few features to be compared it is that of its token
    /// sequence, so that only documents with the same words are one distinct set.
    pub fn features(
        &self,
        seen: &Seen,
        scratch: &mut Scratch,
        low: &mut Vec<u64>,
        high: &mut Vec<u64>,
    ) -> Option<SetDigest> {
        scratch.only_common = false;
        scratch.few = false;
        if !self.keeps_sets {
            if let Some(least) = self.min_features {
                let counted = scratch.features.features(least.features);
                scratch.few = least.excludes(counted.map_or(0, |(set, _)| set.len() as u32));
            }
            if scratch.few {
                return Some(SetDigest(seen.sequence.0));
            }
            if self.common_of_method.is_some() {
                let signed = self.signature(scratch);
                scratch.only_common = signed == Some(Err(Unsigned::OnlyCommon));
                scratch.signed = signed;
            }
            return (!scratch.only_common).then_some(SetDigest(seen.signed.0));
        }
        let (mut set, mut digest) = scratch.features.features(self.features)?;
        if let Some(common) = &self.common {
            scratch.left.clear();
            scratch.left.extend(set.iter().filter(|&&element| !common.contains(element)));
            set = &scratch.left;
            scratch.only_common = set.is_empty();
            digest = features::digest(set)?;
        }
        scratch.few = self.min_features.is_some_and(|least| least.excludes(set.len() as u32));
        match self.arranged {
            Some(bound) => divide(bound, set, low, high),
            None => high.extend_from_slice(set),
        }
        Some(if scratch.few { SetDigest(seen.sequence.0) } else { digest })
    }

    /// The same of a large document, in memory of its own: ascending, and how many of its elements are up to
    /// the bound. `None` where it is not large, or its tokens are still to be signed.
    pub(crate) fn large_features(
        &self,
        seen: &Seen,
        scratch: &mut Scratch,
    ) -> Option<Option<LargeSet>> {
        let large = scratch.features.token_count() > MANY && self.keeps_sets && !self.signs();
        large.then(|| {
            (scratch.only_common, scratch.few) = (false, false);
            let (mut set, mut digest) = scratch.features.into_sorted(self.features)?;
            if let Some(common) = &self.common {
                set.retain(|&element| !common.contains(element));
                scratch.only_common = set.is_empty();
                digest = features::digest(&set)?;
            }
            if self.min_features.is_some_and(|least| least.excludes(set.len() as u32)) {
                scratch.few = true;
                digest = SetDigest(seen.sequence.0);
            }
            let low = self.arranged.map(|bound| set.partition_point(|&value| value <= bound));
            Some(LargeSet { set, low, digest })
        })
    }

    /// Signs the document last read, if there is a method.
    pub fn sign(&self, scratch: &mut Scratch, out: &mut SignatureBlock) {
        let signed = scratch.signed.take().or_else(|| self.signature(scratch));
        if let Some(signed) = signed {
            out.push(&scratch.signature, signed);
        }
    }

    /// The method's signature of the document last read, into the scratch.
    fn signature(&self, scratch: &mut Scratch) -> Option<Result<(), Unsigned>> {
        let method = self.method.as_ref()?;
        let Scratch { features, terms, marks, fields, signing, signature, few, .. } = scratch;
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

    /// The least number of tokens from which on a document without a set has nothing but common elements.
    /// `None` where none are removed.
    #[must_use]
    pub fn tokens_of_common(&self) -> Option<u32> {
        match (self.keeps_sets, self.features) {
            (true, _) if self.common.is_none() => None,
            (false, _) if self.common_of_method.is_none() => None,
            (true, FeatureKind::Shingles { size, short: ShortDocuments::Ignore }) => {
                Some(u32::try_from(size).unwrap_or(u32::MAX))
            }
            _ => Some(1),
        }
    }

    /// The sorted feature set of a text: for comparisons outside a run.
    #[must_use]
    pub fn sorted_set(&self, text: &str) -> Vec<u64> {
        let mut scratch = Scratch::default();
        let (mut set, mut high) = (Vec::new(), Vec::new());
        let seen = self.read_text(text, &mut scratch);
        if let Some(large) = self.large_features(&seen, &mut scratch) {
            return large.map_or_else(Vec::new, |large| large.set);
        }
        self.features(&seen, &mut scratch, &mut set, &mut high);
        set.append(&mut high);
        set.sort_unstable();
        set
    }

    /// The digest of the token sequence of a text: for comparisons outside a run.
    #[must_use]
    pub fn sequence(&self, text: &str) -> TokenDigest {
        self.read_text(text, &mut Scratch::default()).sequence
    }
}

/// Marks of a page in, those around one token after the other out: each mark is looked at once.
struct MarkCursor<'p> {
    rest: &'p [lookalike_text::Mark],
    /// End of the last mark begun, of each kind.
    ends: [usize; 3],
}

impl<'p> MarkCursor<'p> {
    fn new(page: &'p Page) -> Self {
        Self { rest: &page.marks, ends: [0; 3] }
    }

    /// The marks around the token at `place`; places come in order.
    fn around(&mut self, place: &Range<usize>) -> Marks {
        while let Some((mark, rest)) = self.rest.split_first()
            && mark.start < place.end
        {
            // Those of one kind never overlap, so the last one begun is the one that matters.
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
