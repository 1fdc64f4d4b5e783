//! Words of texts as hashes.

use lookalike_core::ngrams::{Parts, TooManyTokens};
use lookalike_core::{FeatureScratch, Ngram, NgramIndex, fingerprint};
use lookalike_io::SECTION_BREAK;
use lookalike_text::{AnalysisSettings, Analyzer, Batch, Scratch};
use std::ops::Range;

/// Reads the words of texts; one for all threads.
#[derive(Debug)]
pub(crate) struct WordReader {
    analyzer: Analyzer,
    /// Whether texts have sections: no n-gram has words of two.
    sections: bool,
}

/// Working space of one thread.
#[derive(Default)]
pub(crate) struct WordScratch {
    analysis: Scratch,
    features: FeatureScratch,
    hashes: Vec<u64>,
}

/// The words of a text with their places.
#[derive(Default)]
pub(crate) struct LocatedWords {
    pub(crate) hashes: Vec<u64>,
    /// The byte range of each word.
    pub(crate) places: Vec<Range<usize>>,
    /// Where sections end in both.
    section_ends: Vec<usize>,
}

impl WordReader {
    pub(crate) fn new(settings: &AnalysisSettings, sections: bool) -> Self {
        Self { analyzer: Analyzer::new(settings), sections }
    }

    /// Reads the words of a text into the scratch.
    pub(crate) fn read(&self, text: &str, scratch: &mut WordScratch) {
        let WordScratch { analysis, features, .. } = scratch;
        features.clear();
        self.analyzer.sections(self.sections_of(text), analysis, |batch| match batch {
            Some(Batch::Ranges(bytes, places)) => features.push_all(bytes, places),
            Some(Batch::Bytes(bytes)) => features.push_bytes(bytes),
            None => features.end_section(),
        });
    }

    /// The words of a text and the byte range of each. Slower, and it takes memory for each word.
    pub(crate) fn located(&self, text: &str) -> LocatedWords {
        let mut words = LocatedWords::default();
        self.each_located(text, |word| match word {
            Some((word, place)) => {
                words.hashes.push(fingerprint::token(word.as_bytes()));
                words.places.push(place);
            }
            None => words.section_ends.push(words.hashes.len()),
        });
        words
    }

    /// Gives each word and its byte range to `each`, and `None` at the end of each section.
    pub(crate) fn each_located(
        &self,
        text: &str,
        mut each: impl FnMut(Option<(&str, Range<usize>)>),
    ) {
        let mut start = 0;
        for section in self.sections_of(text) {
            self.analyzer.located_tokens(section, |word, place| {
                each(Some((word, start + place.start..start + place.end)));
            });
            each(None);
            start += section.len() + SECTION_BREAK.len_utf8();
        }
    }

    fn sections_of<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> {
        let has_sections = self.sections;
        text.split(move |c| has_sections && c == SECTION_BREAK)
    }
}

impl WordScratch {
    /// Number of words that were read.
    pub(crate) fn count(&self) -> usize {
        self.features.token_count()
    }

    /// Adds the words to the part that is not yet ended; those of the next text follow them.
    pub(crate) fn append_to(&self, parts: &mut Parts) -> Result<(), TooManyTokens> {
        for (number, section) in self.features.sections().enumerate() {
            if number > 0 {
                parts.end_section();
            }
            parts.push(section)?;
        }
        Ok(())
    }

    /// The words of each section, as hashes.
    pub(crate) fn sections(&self) -> impl Iterator<Item = &[u64]> {
        self.features.sections()
    }

    /// The distinct n-grams of an index in the text, ascending.
    pub(crate) fn ngrams(&mut self, index: &NgramIndex) -> Vec<Ngram> {
        let Self { features, hashes, .. } = self;
        let mut found = Vec::new();
        for section in features.sections() {
            index.scan(section, hashes, |_, ngram| found.push(ngram));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Frees what a large document has taken.
    pub(crate) fn free_large(&mut self) {
        self.features.free_large();
    }
}

impl LocatedWords {
    /// From the first byte of the first of some words to the byte behind the last.
    pub(crate) fn bytes(&self, words: Range<usize>) -> [usize; 2] {
        [self.places[words.start].start, self.places[words.end - 1].end]
    }

    /// The n-grams of an index in the text with the numbers of their first words, ascending.
    pub(crate) fn ngrams(&self, index: &NgramIndex) -> Vec<(Ngram, usize)> {
        let (mut found, mut start) = (Vec::new(), 0);
        for &end in &self.section_ends {
            index.scan(&self.hashes[start..end], &mut Vec::new(), |place, ngram| {
                found.push((ngram, start + place));
            });
            start = end;
        }
        found.sort_unstable();
        found
    }
}
