//! Buffers of a signing thread.

use super::given::Given;
use lookalike_core::features::MANY;
use lookalike_core::{FeatureScratch, SetDigest, SpreadSort};
use lookalike_methods::{Field, Marks, Signature, Unsigned};
use lookalike_text::{FilterScratch, PartScratch, Replaced};

/// Buffers of one thread.
#[derive(Debug, Default)]
pub struct SignerScratch {
    pub(super) analysis: lookalike_text::Scratch,
    pub(super) features: FeatureScratch,
    pub(super) filter: FilterScratch,
    /// Token hashes for the method, if they differ from those of the features.
    pub(super) terms: Vec<u64>,
    pub(super) marks: Vec<Marks>,
    pub(super) fields: Vec<Field>,
    pub(super) given: Given,
    pub(super) parts: PartScratch,
    pub(super) signing: lookalike_methods::MethodScratch,
    pub(super) signature: Signature,
    /// The result of signing, if the document was signed before its features were made.
    pub(super) signed: Option<Result<(), Unsigned>>,
    /// The feature set without common elements.
    pub(super) left: Vec<u64>,
    /// Elements above the bound, and the buffers of sorting a set.
    pub(super) high: Vec<u64>,
    pub(super) sort: SpreadSort,
    /// Whether the document has too few features to be compared.
    pub(super) few: bool,
    /// The unit of the last document, and whether it has too few features, if it is stored.
    pub(super) stored: Option<(Result<SetDigest, Unsigned>, bool)>,
}

impl SignerScratch {
    /// The tokens of the last document read.
    pub(crate) fn tokens(&self) -> &FeatureScratch {
        &self.features
    }

    /// Whether characters of the last document were replaced by ASCII characters that they look
    /// like: 0 for none, 1 for some, 2 for some that stand beside ASCII letters.
    pub(crate) fn replaced_value(&self) -> f64 {
        let Replaced { characters, mixed_words } = self.analysis.replaced();
        match (characters, mixed_words) {
            (0, _) => 0.0,
            (_, 0) => 1.0,
            _ => 2.0,
        }
    }

    /// The key of the value across which the last document matches others; 0 where values do not count.
    pub(crate) fn value_key(&self) -> u64 {
        self.given.value
    }

    /// Frees buffers that a large document has grown.
    pub(crate) fn free_large(&mut self) {
        self.features.free_large();
        if self.terms.capacity() > MANY {
            self.terms = Vec::new();
        }
        if self.given.texts.capacity() > MANY {
            self.given.texts = Vec::new();
        }
        if self.marks.capacity() > MANY {
            self.marks = Vec::new();
        }
    }
}
