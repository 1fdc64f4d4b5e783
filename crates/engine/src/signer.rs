//! Turns a document's content into token counts, digests, a feature set and a signature.
//!
//! The steps are `read` (tokens, counts and digests), `features` (the feature set) and
//! [`Signer::sign`] (the signature of a method).

mod content;
mod features;
mod given;
mod marks;
mod read;
mod scratch;
mod stored;

pub use content::{plain_text, titled_text};
pub(crate) use features::LargeSet;
pub use features::TextSet;
pub use given::permuted;
pub use scratch::SignerScratch;
pub use stored::{StoredDocuments, StoredSummary};

use crate::across::input_key;
use crate::differences::words_of;
use crate::{
    Across, Approach, Distinctions, EngineError, MatchSettings, MinFeatures, SignatureBlock,
};
use given::{Given, GivenFields};
use lookalike_core::{
    CommonElements, FeatureKind, ShortDocuments, TextDigest, TokenDigest, fingerprint,
};
use lookalike_io::Inputs;
use lookalike_join::prefix;
use lookalike_methods::{CandidateSource, Document, Method, Unsigned};
use lookalike_text::{Analyzer, TermFilter, TermRule, Terms};
use std::sync::Arc;

/// Which elements of a set are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SetPart {
    /// Those that are no boilerplate.
    Remaining,
    /// The boilerplate.
    Boilerplate,
}

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
    /// The bound by which sets are partitioned ([`lookalike_core::divide`]); `None` if no prefixes
    /// are needed.
    arranged: Option<u64>,
    method: Option<Arc<dyn Method>>,
    /// The term filter of the method.
    filter: TermFilter,
    /// The values of a record that are used beside its text.
    given: GivenFields,
    /// Common elements, removed from every feature set.
    common: Option<Arc<CommonElements>>,
    /// Boilerplate, and which part of every feature set is taken.
    boilerplate: Option<(Arc<CommonElements>, SetPart)>,
    /// Common shingles, removed from every set that the method signs.
    common_of_method: Option<Arc<CommonElements>>,
    /// Whether messages with different attachments have no elements and keys in common.
    compares_attachments: bool,
    /// What documents need to have in common to have any elements and keys in common.
    distinct: Option<Arc<Distinctions>>,
    /// By what documents have to differ to match.
    across: Option<Across>,
    /// The key of the value of each file, where that is by what they have to differ.
    file_keys: Vec<u64>,
    /// Finds the words that documents of a unit have in common, if these count.
    words: Option<Analyzer>,
    /// Whether each occurrence of a token is an element.
    numbers_repeats: bool,
    /// Whether texts have sections.
    sections: bool,
    /// Where documents come from whose texts are not stored.
    stored: Option<Arc<dyn StoredDocuments>>,
}

/// Counts and digests of a document, known once it is tokenised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocumentSummary {
    /// Bytes of text, without markup.
    pub text_bytes: u64,
    /// Number of tokens before the term filter.
    pub tokens: u32,
    /// Digest of the original content.
    pub text: TextDigest,
    /// Digest of the sequence of all tokens; of a text without any, of its characters without white
    /// space.
    pub sequence: TokenDigest,
    /// Digest of everything that features and signature depend on.
    pub signed: TokenDigest,
}

impl DocumentSummary {
    /// Whether the text is empty or white space: such documents match nothing.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.tokens == 0 && self.sequence == TokenDigest::of(&[])
    }
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
            arranged: Some(prefix::bound(settings.join_criterion())),
            method: None,
            filter: TermFilter::ALL,
            given: GivenFields::default(),
            common: settings.common.clone(),
            boilerplate: settings.boilerplate.clone().map(|found| (found, SetPart::Remaining)),
            common_of_method: None,
            compares_attachments: true,
            distinct: settings.distinct.clone(),
            across: settings.across.clone(),
            file_keys: Vec::new(),
            words: settings.words_count.then(|| Analyzer::new(&words_of(&settings.analysis))),
            numbers_repeats: false,
            sections: settings.sections,
            stored: None,
        }
    }

    /// The same, for counting elements: whatever is compared beside texts does not matter.
    #[must_use]
    pub fn of_texts_alone(self) -> Self {
        Self { compares_attachments: false, distinct: None, across: None, words: None, ..self }
    }

    /// A signer of the elements of each document that are removed as boilerplate, with these
    /// settings otherwise. A document without them has no features.
    #[must_use]
    pub fn of_boilerplate(settings: &MatchSettings, boilerplate: Arc<CommonElements>) -> Self {
        Self {
            boilerplate: Some((boilerplate, SetPart::Boilerplate)),
            min_features: None,
            ..Self::new(settings).of_texts_alone()
        }
    }

    /// A signer of the words of each document, each as often as it occurs: words as in
    /// [`DifferenceReader`](crate::DifferenceReader), numbered by occurrence.
    #[must_use]
    pub fn of_words(settings: &MatchSettings) -> Self {
        let words = MatchSettings {
            analysis: words_of(&settings.analysis),
            features: FeatureKind::Terms,
            terms: Terms::All,
            common: None,
            boilerplate: None,
            min_features: None,
            sections: false,
            ..settings.clone()
        };
        Self { numbers_repeats: true, ..Self::new(&words).of_texts_alone() }
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
        let uses = approach.method.as_ref().map(|method| method.fields()).unwrap_or_default();
        Ok(Self {
            given: GivenFields::new(uses, &[]),
            keeps_sets: approach.keeps_sets(),
            arranged: alone.arranged.filter(|_| approach.method.is_none()),
            method: approach.method.clone(),
            filter,
            common_of_method: approach.common.clone(),
            ..alone
        })
    }

    /// The same, of records whose values of these fields are read ([`lookalike_io::FieldNames::given`]).
    #[must_use]
    pub fn with_given(self, names: &[String]) -> Self {
        let uses = self.method.as_ref().map(|method| method.fields()).unwrap_or_default();
        let given = GivenFields::new(uses, names);
        Self { given, ..self }
    }

    /// A signer of the records of these inputs: with their given fields, and a key for each file.
    #[must_use]
    pub fn of_inputs(self, inputs: &Inputs) -> Self {
        let file_keys = match &self.across {
            Some(Across::Inputs) => {
                let files = inputs.files.iter();
                files.map(|file| input_key(&file.argument)).collect()
            }
            _ => Vec::new(),
        };
        Self { file_keys, ..self.with_given(&inputs.options.fields.given) }
    }

    /// Whether documents match only across the values of something.
    #[must_use]
    pub fn matches_across(&self) -> bool {
        self.across.is_some()
    }

    /// A field that is read and of which no document read so far had a value.
    #[must_use]
    pub fn missing_field(&self) -> Option<&str> {
        // What is stored of documents takes the place of fields.
        self.given.missing().filter(|_| self.stored.is_none())
    }

    /// The bound by which sets are partitioned ([`lookalike_core::divide`]): that of the element
    /// order for these settings, unless candidates come from a method.
    #[must_use]
    pub fn arranged(&self) -> Option<u64> {
        self.arranged
    }

    /// Minimum number of elements of a set that is compared; 0 without a minimum.
    pub(crate) fn least_size(&self) -> u32 {
        self.min_features.map_or(0, |least| least.count)
    }

    /// Number of tokens below which a document has no shingle, and so no features.
    pub(crate) fn least_tokens(&self) -> u32 {
        match self.features {
            FeatureKind::Shingles { size, short: ShortDocuments::Ignore } => size as u32,
            _ => 1,
        }
    }

    /// Whether documents of equal sets may be of several units, so that only the low half of the digest
    /// of a unit is that of its set.
    pub(crate) fn digests_halves(&self) -> bool {
        self.words.is_some()
            || self.across.is_some()
            || matches!(self.boilerplate, Some((_, SetPart::Remaining)))
    }

    /// Whether characters are replaced by the ASCII characters that they look like.
    #[must_use]
    pub fn replaces_confusables(&self) -> bool {
        self.analyzer.replaces_confusables()
    }

    /// Whether documents are signed.
    #[must_use]
    pub fn signs(&self) -> bool {
        self.method.is_some()
    }

    /// Signs the last document read, if there is a method.
    pub fn sign(&self, scratch: &mut SignerScratch, out: &mut SignatureBlock) {
        let signed = scratch.signed.take().or_else(|| self.signature(scratch));
        if let Some(signed) = signed {
            out.push(&scratch.signature, signed);
        }
    }

    /// The distinct words of a text that its signature number `signature` is made of, the rarest
    /// first, at most `most`; none if there is no method, or if its signatures are not made of
    /// terms. As written in the canonical text.
    #[must_use]
    pub fn signature_words(
        &self,
        text: &str,
        signature: u32,
        most: usize,
        scratch: &mut SignerScratch,
    ) -> Vec<String> {
        let Some(method) = &self.method else { return Vec::new() };
        let SignerScratch { filter, terms: tokens, signing, .. } = scratch;
        tokens.clear();
        // A method without a filter of its own signs the terms that are compared.
        let compared = self.filter == TermFilter::ALL && self.features == FeatureKind::Terms;
        self.filter.terms(&self.analyzer, text, filter, |term| {
            if !compared || self.terms.keeps(term) {
                tokens.push(fingerprint::token(term));
            }
        });
        let mut terms = Vec::new();
        let document = Document { tokens, ..Document::default() };
        method.signature_terms(&document, signature, signing, &mut terms);
        terms.truncate(most);
        let mut words = vec![String::new(); terms.len()];
        self.filter.terms(&self.analyzer, text, filter, |word| {
            let term = fingerprint::finalise(fingerprint::token(word));
            if let Some(at) = terms.iter().position(|&known| known == term)
                && words[at].is_empty()
            {
                words[at] = String::from_utf8_lossy(word).into_owned();
            }
        });
        words
    }

    /// Computes the method's signature of the last document read, into the scratch.
    fn signature(&self, scratch: &mut SignerScratch) -> Option<Result<(), Unsigned>> {
        let method = self.method.as_ref()?;
        let SignerScratch {
            features, terms, marks, fields, given, signing, signature, few, ..
        } = scratch;
        let Given { texts, text_ends, numbers, label, .. } = &*given;
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
        let document = Document { tokens, marks, fields, common, texts, text_ends, numbers };
        let signed = method.sign(&document, signing, signature);
        let separated = given.permute(&mut signature.keys);
        if separated && matches!(method.candidates(), CandidateSource::Hamming { .. }) {
            signature.sketch.push(*label);
        }
        Some(signed)
    }

    /// The digest of the token sequence of a text, for comparisons outside a run.
    #[must_use]
    pub fn sequence(&self, text: &str) -> TokenDigest {
        self.read_text(text, &mut SignerScratch::default()).sequence
    }
}
