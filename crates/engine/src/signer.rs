//! One document's content in; its tokens counted, its digests and its feature set out.

use crate::MatchSettings;
use lookalike_core::{FeatureKind, FeatureScratch, SetDigest, TextDigest, TokenDigest};
use lookalike_io::Content;
use lookalike_text::{Analyzer, Terms, decode_html, extract};
use std::borrow::Cow;

/// Turns content into features. Immutable; one serves all threads, each with its own [`Scratch`].
#[derive(Debug)]
pub struct Signer {
    analyzer: Analyzer,
    features: FeatureKind,
    terms: Terms,
}

/// Buffers of one thread.
#[derive(Debug, Default)]
pub struct Scratch {
    analysis: lookalike_text::Scratch,
    features: FeatureScratch,
}

/// What is known of a document once its tokens have been seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// Bytes of text (after markup is taken away).
    pub text_bytes: u64,
    /// Number of tokens.
    pub tokens: u32,
    /// Digest of the text.
    pub text: TextDigest,
    /// Digest of the token sequence.
    pub sequence: TokenDigest,
}

impl Signer {
    /// A signer for these settings.
    #[must_use]
    pub fn new(settings: &MatchSettings) -> Self {
        Self {
            analyzer: Analyzer::new(&settings.analysis),
            features: settings.features,
            terms: settings.terms,
        }
    }

    /// Tokenises a document into the scratch.
    pub fn read(&self, content: &Content<'_>, scratch: &mut Scratch) -> Seen {
        let text = plain_text(content);
        scratch.features.clear();
        let features = &mut scratch.features;
        let filter =
            (self.features == FeatureKind::Terms && self.terms != Terms::All).then_some(self.terms);
        self.analyzer.tokens(&text, &mut scratch.analysis, |token| {
            if filter.is_none_or(|terms| terms.keeps(token)) {
                features.push(token);
            }
        });
        Seen {
            text_bytes: text.len() as u64,
            tokens: u32::try_from(features.token_count()).unwrap_or(u32::MAX),
            text: TextDigest::of(text.as_bytes()),
            sequence: features.token_digest(),
        }
    }

    /// Appends the features of the document last read, in order of first occurrence.
    pub fn features(&self, scratch: &mut Scratch, out: &mut Vec<u64>) -> Option<SetDigest> {
        scratch.features.features(self.features, out)
    }

    /// The sorted feature set of a document: for comparisons outside a run.
    #[must_use]
    pub fn sorted_set(&self, content: &Content<'_>) -> Vec<u64> {
        let mut scratch = Scratch::default();
        let mut set = Vec::new();
        self.read(content, &mut scratch);
        self.features(&mut scratch, &mut set);
        set.sort_unstable();
        set
    }
}

/// The text of a document without its markup.
#[must_use]
pub fn plain_text<'a>(content: &'a Content<'_>) -> Cow<'a, str> {
    match content {
        Content::Text(text) => Cow::Borrowed(text),
        Content::Html(html) => Cow::Owned(extract(html).text),
        Content::HtmlBytes(bytes) => Cow::Owned(extract(&decode_html(bytes).text).text),
    }
}
