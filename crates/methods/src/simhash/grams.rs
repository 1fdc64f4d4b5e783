//! Features beyond the words of the text: bigrams and trigrams (Seshasai 2009, section 3.1), and the
//! words of given texts such as anchors (section 5.4).
//!
//! A feature weighs the sum over its occurrences, as a word does: idf times the factor of position and
//! markup. The position of an n-gram is that of its first word; it is marked if all its words are. The
//! thesis does not define the idf of an n-gram. It is in at most as many documents as its rarest word,
//! whose idf is taken: a lower bound that needs no other table.

use super::distinct::collect;
use super::fixed::{FRACTION, ONE};
use super::idf::{Idf, times};
use super::settings::{ANCHOR_BOOST, SimhashSettings};
use crate::{Document, MethodScratch, Statistics};
use lookalike_core::fingerprint::{finalise, shingles};

/// Fills `scratch.features` with the distinct features in order of first occurrence and
/// `scratch.values` with their weights. `factor` is that of the n-gram of so many words of the text
/// that begins at a position. No n-gram extends beyond one text. O(tokens · sizes).
pub(super) fn weigh(
    document: &Document<'_>,
    settings: &SimhashSettings,
    statistics: Option<&dyn Statistics>,
    factor: impl Fn(usize, usize) -> u64,
    scratch: &mut MethodScratch,
) {
    let statistics = statistics
        .map(|statistics| (statistics, Idf::new(settings.weights, statistics.documents())));
    scratch.grams.clear();
    scratch.gram_weights.clear();
    passage(document.tokens, settings, statistics.as_ref(), factor, scratch);
    let boosted = settings.tagged.unwrap_or(ANCHOR_BOOST).of(ONE);
    let mut start = 0;
    for &end in document.text_ends {
        let words = document.texts.get(start..end as usize).unwrap_or_default();
        passage(words, settings, statistics.as_ref(), |_, _| boosted, scratch);
        start = end as usize;
    }
    let grams = std::mem::take(&mut scratch.grams);
    let weights = std::mem::take(&mut scratch.gram_weights);
    collect(&grams, scratch, |at| weights[at]);
    (scratch.grams, scratch.gram_weights) = (grams, weights);
}

/// Appends the n-grams of one text, and what each occurrence weighs.
fn passage(
    tokens: &[u64],
    settings: &SimhashSettings,
    statistics: Option<&(&dyn Statistics, Idf)>,
    factor: impl Fn(usize, usize) -> u64,
    scratch: &mut MethodScratch,
) {
    let MethodScratch { features: words, counts: frequencies, grams, gram_weights, .. } = scratch;
    if let Some((statistics, _)) = statistics {
        words.clear();
        words.extend(tokens.iter().map(|&token| finalise(token)));
        statistics.frequencies(words, frequencies);
    }
    for size in settings.features.sizes() {
        let mut at = 0;
        shingles(tokens, size, |gram| {
            let idf = match statistics {
                None => 1 << FRACTION,
                Some((_, idf)) => {
                    idf.of(frequencies[at..at + size].iter().copied().min().unwrap_or(0))
                }
            };
            grams.push(gram);
            gram_weights.push(times(factor(at, size), idf));
            at += 1;
        });
    }
}
