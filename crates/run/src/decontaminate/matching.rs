//! Decides which documents contain which parts: from n-grams alone, without texts.

use super::items::Items;
use super::scan::Scan;
use super::settings::ContaminationSettings;
use lookalike_core::{Ngram, NgramIndex, Threshold};
use lookalike_engine::poll::Poll;
use lookalike_engine::{EngineError, Progress};

/// Which n-grams count.
#[derive(Debug, Clone)]
pub(super) struct Counted {
    /// Whether each n-gram counts: it is common neither in the documents nor in the items.
    pub(super) counts: Vec<bool>,
    /// Number of counted distinct n-grams of each part.
    pub(super) sizes: Vec<u32>,
}

impl Counted {
    /// By the number of documents that have each n-gram.
    pub(super) fn new(
        frequencies: &[u32],
        items: &Items,
        settings: &ContaminationSettings,
    ) -> Self {
        let counts: Vec<bool> = (0..)
            .map(Ngram)
            .zip(frequencies)
            .map(|(ngram, &documents)| {
                documents <= settings.common
                    && holding_items(items, ngram) <= settings.common_items as usize
            })
            .collect();
        Self { sizes: sizes(&items.index, &counts), counts }
    }
}

/// What was decided.
pub(super) struct Decisions {
    pub(super) counted: Counted,
    /// Matches in the order of the documents, then of the parts.
    pub(super) matches: Vec<Match>,
}

/// A part that a document contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Match {
    /// File and record of the document.
    pub(super) place: (u32, u32),
    /// The part of the index.
    pub(super) part: u32,
    /// Number of its counted distinct n-grams that the document has.
    pub(super) shared: u32,
}

impl Decisions {
    /// Decides about all documents.
    ///
    /// # Errors
    /// A cancellation.
    pub(super) fn new(
        scan: &Scan,
        items: &Items,
        counted: Counted,
        threshold: Threshold,
        progress: &dyn Progress,
    ) -> Result<Self, EngineError> {
        let Items { index, .. } = items;
        let Counted { counts, sizes } = &counted;
        let mut shared = SharedCounts::new(index.parts());
        let mut matches = Vec::new();
        for (number, document) in scan.documents.iter().enumerate() {
            Poll::new(progress).step()?;
            let ngrams = scan.of_document(number).iter().filter(|ngram| counts[ngram.index()]);
            for (part, shared) in shared.of(index, ngrams.copied()) {
                if reaches(threshold, shared, sizes[part as usize]) {
                    matches.push(Match { place: document.place, part, shared });
                }
            }
        }
        Ok(Self { counted, matches })
    }

    /// Files and numbers of the documents that contain a part, ascending.
    pub(super) fn documents(&self) -> Vec<(u32, u32)> {
        let mut places: Vec<(u32, u32)> = self.matches.iter().map(|one| one.place).collect();
        places.dedup();
        places
    }
}

/// The matches of one document.
pub(super) fn matches_of(matches: &[Match], place: (u32, u32)) -> &[Match] {
    let start = matches.partition_point(|one| one.place < place);
    let length = matches[start..].partition_point(|one| one.place == place);
    &matches[start..start + length]
}

/// Number of items that have an n-gram in one of their parts.
fn holding_items(items: &Items, ngram: Ngram) -> usize {
    let item = |part: &u32| items.place(*part as usize).item;
    let holders = items.index.holders(ngram);
    holders.chunk_by(|a, b| item(a) == item(b)).count()
}

/// Number of distinct n-grams of each part that count.
fn sizes(index: &NgramIndex, counts: &[bool]) -> Vec<u32> {
    let mut sizes = vec![0; index.parts()];
    for ngram in (0..index.len() as u32).map(Ngram).filter(|ngram| counts[ngram.index()]) {
        index.holders(ngram).iter().for_each(|&part| sizes[part as usize] += 1);
    }
    sizes
}

/// Whether a share of n-grams reaches a threshold. A part of which none counts is in no document.
fn reaches(threshold: Threshold, shared: u32, size: u32) -> bool {
    let product = |a: u32, b: u64| u128::from(a) * u128::from(b);
    size > 0 && product(shared, threshold.denominator()) >= product(size, threshold.numerator())
}

/// Counts the n-grams that a document shares with each part. Reused for all documents.
struct SharedCounts {
    counts: Vec<u32>,
    touched: Vec<u32>,
}

impl SharedCounts {
    fn new(parts: usize) -> Self {
        Self { counts: vec![0; parts], touched: Vec::new() }
    }

    /// The parts that have some of these n-grams, which are distinct, and how many. Ascending.
    fn of(
        &mut self,
        index: &NgramIndex,
        ngrams: impl Iterator<Item = Ngram>,
    ) -> impl Iterator<Item = (u32, u32)> {
        for ngram in ngrams {
            for &part in index.holders(ngram) {
                let count = &mut self.counts[part as usize];
                if *count == 0 {
                    self.touched.push(part);
                }
                *count += 1;
            }
        }
        self.touched.sort_unstable();
        let Self { counts, touched } = self;
        touched.drain(..).map(|part| (part, std::mem::take(&mut counts[part as usize])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike_core::ngrams::Parts;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn shares_are_those_of_sets(
            parts in prop::collection::vec(prop::collection::vec(0u64..4, 0..12), 1..6),
            text in prop::collection::vec(0u64..4, 0..40),
        ) {
            let mut read = Parts::default();
            for part in &parts {
                read.push(part).unwrap();
                read.end_part();
            }
            let index = NgramIndex::new(3, 2, read);
            let mut found = BTreeSet::new();
            index.scan(&text, &mut Vec::new(), |_, ngram| _ = found.insert(ngram));
            let mut counts = SharedCounts::new(parts.len());
            for _ in 0..2 {
                let shared: Vec<(u32, u32)> = counts.of(&index, found.iter().copied()).collect();
                let expected: Vec<(u32, u32)> = (0..parts.len())
                    .filter_map(|part| {
                        let size = parts[part].len();
                        if size < 2 {
                            return None;
                        }
                        let of_part: BTreeSet<&[u64]> = parts[part].windows(size.min(3)).collect();
                        let of_text: BTreeSet<&[u64]> = text.windows(size.min(3)).collect();
                        let both = of_part.intersection(&of_text).count() as u32;
                        (both > 0).then_some((part as u32, both))
                    })
                    .collect();
                prop_assert_eq!(shared, expected);
            }
        }
    }

    #[test]
    fn a_threshold_is_reached_exactly() {
        let threshold: Threshold = "0.7".parse().unwrap();
        assert!(reaches(threshold, 7, 10) && !reaches(threshold, 6, 9) && reaches(threshold, 1, 1));
        assert!(!reaches(threshold, 0, 0));
    }
}
