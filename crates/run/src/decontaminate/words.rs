//! Words of texts as hashes.

use lookalike_core::FeatureScratch;
use lookalike_core::fingerprint;
use lookalike_text::{AnalysisSettings, Analyzer, Batch, Scratch};
use std::ops::Range;

/// Reads the words of texts; one for all threads.
pub(super) struct WordReader(Analyzer);

/// Working space of one thread.
#[derive(Default)]
pub(super) struct WordScratch {
    analysis: Scratch,
    features: FeatureScratch,
}

impl WordReader {
    pub(super) fn new(settings: &AnalysisSettings) -> Self {
        Self(Analyzer::new(settings))
    }

    /// Hashes of the words of a text.
    pub(super) fn words<'s>(&self, text: &str, scratch: &'s mut WordScratch) -> &'s [u64] {
        let WordScratch { analysis, features } = scratch;
        features.clear();
        self.0.batches(text, analysis, |batch| match batch {
            Batch::Ranges(bytes, places) => features.push_all(bytes, places),
            Batch::Bytes(bytes) => features.push_bytes(bytes),
        });
        features.tokens()
    }

    /// The same hashes, and the byte range of each word. Slower, and it takes memory for each word.
    pub(super) fn located(&self, text: &str) -> (Vec<u64>, Vec<Range<usize>>) {
        let (mut words, mut places) = (Vec::new(), Vec::new());
        self.0.located_tokens(text, |word, place| {
            words.push(fingerprint::token(word.as_bytes()));
            places.push(place);
        });
        (words, places)
    }
}

impl WordScratch {
    /// Frees what a large document has taken.
    pub(super) fn free_large(&mut self) {
        self.features.free_large();
    }
}
