//! The token hashes of a collection, for methods that are run without the engine.

use crate::corpus::Corpus;
use lookalike_core::fingerprint::token;
use lookalike_text::{AnalysisSettings, Analyzer, FilterScratch, TermFilter};
use std::collections::BTreeSet;

/// A collection's token hashes, one document after the other.
pub(crate) struct Tokens {
    hashes: Vec<u64>,
    ends: Vec<usize>,
}

impl Tokens {
    /// What a term filter leaves of the documents; the empty filter leaves every token.
    pub(crate) fn new(corpus: &Corpus, filter: &str) -> Self {
        Self::of_texts(corpus.texts.iter().map(|text| text.text.as_str()), filter)
    }

    /// The same, of texts that are in no collection.
    pub(crate) fn of_texts<'a>(texts: impl IntoIterator<Item = &'a str>, filter: &str) -> Self {
        let filter: TermFilter = filter.parse().unwrap_or(TermFilter::ALL);
        let analyzer = Analyzer::new(&AnalysisSettings::default());
        let mut scratch = FilterScratch::default();
        let (mut hashes, mut ends) = (Vec::new(), Vec::new());
        for text in texts {
            filter.terms(&analyzer, text, &mut scratch, |term| hashes.push(token(term)));
            ends.push(hashes.len());
        }
        Self { hashes, ends }
    }

    /// The distinct tokens of each document, in order of first occurrence.
    pub(crate) fn distinct(&self) -> Self {
        let (mut hashes, mut ends, mut seen) = (Vec::new(), Vec::new(), BTreeSet::new());
        for document in self.documents() {
            seen.clear();
            hashes.extend(document.iter().copied().filter(|&hash| seen.insert(hash)));
            ends.push(hashes.len());
        }
        Self { hashes, ends }
    }

    /// Number of tokens in all documents.
    pub(crate) fn total(&self) -> usize {
        self.hashes.len()
    }

    /// The tokens of each document, in text order.
    pub(crate) fn documents(&self) -> impl Iterator<Item = &[u64]> {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts.zip(&self.ends).map(|(&start, &end)| &self.hashes[start..end])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::tests::corpus;

    #[test]
    fn tokens_are_those_of_each_document() {
        let tokens = Tokens::new(&corpus(&["b a b", "", "c and/or b"]), "nosc");
        let hash = |word: &str| token(word.as_bytes());
        assert_eq!(tokens.ends, [3, 3, 5]);
        assert_eq!(tokens.hashes, ["b", "a", "b", "c", "b"].map(hash));
        let distinct = tokens.distinct();
        assert_eq!(
            (&distinct.ends[..], &distinct.hashes[..2]),
            (&[2, 2, 4][..], &tokens.hashes[..2])
        );
        let lengths: Vec<usize> = distinct.documents().map(<[u64]>::len).collect();
        assert_eq!(lengths, [2, 0, 2]);
    }
}
