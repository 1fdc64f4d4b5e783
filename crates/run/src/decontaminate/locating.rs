//! Where in a document the parts stand that it contains.

use super::items::Items;
use super::matching::{Decisions, Match};
use crate::words::WordReader;
use lookalike_core::Ngram;
use lookalike_core::spans::{Spans, union};
use lookalike_text::{NotCut, cut_words};
use std::ops::Range;

/// A part that a document contains, with its places there.
pub(super) struct LocatedPart {
    /// The part of the index.
    pub(super) part: usize,
    /// Number of its counted distinct n-grams that the document has.
    pub(super) shared: u32,
    /// Words of the part in n-grams that the document has, common ones among them.
    pub(super) covered: Vec<Range<usize>>,
    /// Runs of words of the document that n-grams of the part cover, at least one of which counts.
    pub(super) spans: Vec<Place>,
}

impl LocatedPart {
    /// Words of the longest span.
    pub(super) fn longest(&self) -> usize {
        self.spans.iter().map(|span| span.words.len()).max().unwrap_or_default()
    }
}

/// A run of words of a text.
pub(super) struct Place {
    pub(super) words: Range<usize>,
    /// From the first byte of its first word to the last byte of its last.
    pub(super) bytes: Range<usize>,
}

/// A document whose parts are located.
pub(super) struct Located {
    pub(super) parts: Vec<LocatedPart>,
    /// The places of its words in the text.
    words: Vec<Range<usize>>,
}

impl Located {
    /// The text without the parts.
    pub(super) fn cut(&self, text: &str) -> Result<String, NotCut> {
        let spans = self.parts.iter().flat_map(|part| &part.spans);
        cut_words(text, &self.words, &union(spans.map(|span| span.words.clone()).collect()))
    }
}

/// Finds the places of the parts that a document contains. `None` if it does not have the n-grams by
/// which that was decided: it has changed.
pub(super) fn locate(
    text: &str,
    matches: &[Match],
    items: &Items,
    decisions: &Decisions,
    reader: &WordReader,
) -> Option<Located> {
    let words = reader.located(text);
    // By n-gram, so that a part looks at its own only.
    let hits = words.ngrams(&items.index);
    let places = words.places;
    let hits_of = |ngram: Ngram| {
        let start = hits.partition_point(|hit| hit.0 < ngram);
        let length = hits[start..].partition_point(|hit| hit.0 == ngram);
        &hits[start..start + length]
    };
    let located = |one: &Match| {
        let part = one.part as usize;
        let mut own = items.index.distinct_of_part(part);
        own.retain(|&ngram| !hits_of(ngram).is_empty());
        let counted = own.iter().filter(|ngram| decisions.counted.counts[ngram.index()]).count();
        if counted != one.shared as usize {
            return None;
        }
        let is_own = |ngram: Ngram| own.binary_search(&ngram).is_ok();
        let mut spans = Spans::default();
        let mut of_part: Vec<(usize, Ngram)> = Vec::new();
        for &ngram in &own {
            of_part.extend(hits_of(ngram).iter().map(|&(ngram, place)| (place, ngram)));
        }
        of_part.sort_unstable();
        for (place, ngram) in of_part {
            let range = place..place + items.index.length(ngram);
            spans.add(range, decisions.counted.counts[ngram.index()]);
        }
        let mut covered = Spans::default();
        for &(place, ngram) in items.index.of_part(part) {
            if is_own(ngram) {
                let place = place as usize;
                covered.add(place..place + items.index.length(ngram), true);
            }
        }
        let spans = spans.finish().into_iter().map(|words| {
            let bytes = places[words.start].start..places[words.end - 1].end;
            Place { words, bytes }
        });
        Some(LocatedPart {
            part,
            shared: one.shared,
            covered: covered.finish(),
            spans: spans.collect(),
        })
    };
    let parts = matches.iter().map(located).collect::<Option<Vec<LocatedPart>>>()?;
    Some(Located { parts, words: places })
}
