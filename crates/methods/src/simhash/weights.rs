//! Weights of a document's distinct terms, by frozen document frequencies (Seshasai 2009, sections
//! 3.3, 5.2 to 5.4).
//!
//! The weight of a term is the sum over its occurrences: `idf · Σ f(x)·boost`, where x is the
//! position of an occurrence. Without position and boost that is tf·idf. The thesis does not define
//! the position of a word that occurs several times.

use super::distinct::collect;
use super::fixed::{Decimal, FRACTION, ONE};
use super::grams;
use super::idf::{Idf, times};
use super::settings::{SimhashSettings, Weights};
use crate::{Document, Marks, MethodScratch, Statistics};
use lookalike_core::fingerprint::finalise;

/// Markup that increases the weight. Links are not included: most are navigation.
const TAGGED: Marks = Marks(Marks::HEADING.0 | Marks::EMPHASIS.0);

/// Fills `scratch.features` with the distinct features in order of first occurrence and
/// `scratch.values` with their weights, with [`FRACTION`] fractional bits. O(tokens), with one hash
/// table keyed by the terms, which are hashes already.
pub(super) fn weigh(
    document: &Document<'_>,
    settings: &SimhashSettings,
    statistics: Option<&dyn Statistics>,
    scratch: &mut MethodScratch,
) {
    let Document { tokens, marks, .. } = *document;
    let statistics = statistics.filter(|_| settings.weights != Weights::Tf);
    let boosted = |boost: Decimal, factor: u64, at: usize| match marks.get(at) {
        Some(marks) if marks.any(TAGGED) => boost.of(factor),
        _ => factor,
    };
    // The weight of a word by its position.
    let mut factors = std::mem::take(&mut scratch.seen);
    if let Some(position) = &settings.position {
        position.factors(tokens.len() as u64, &mut factors);
    }
    let place = |at: usize| factors.get(at).copied().unwrap_or(0);
    if !settings.features.are_words() || !document.texts.is_empty() {
        let factor = |at: usize, size: usize| {
            let factor = if settings.position.is_some() { place(at) } else { ONE };
            let marks = marks.get(at..at + size).unwrap_or_default();
            match settings.tagged {
                Some(boost) if marks.len() == size && marks.iter().all(|m| m.any(TAGGED)) => {
                    boost.of(factor)
                }
                _ => factor,
            }
        };
        grams::weigh(document, settings, statistics, factor, scratch);
        scratch.seen = factors;
        return;
    }
    match (settings.position.as_ref(), settings.tagged) {
        (None, None) => collect(tokens, scratch, |_| ONE),
        (None, Some(boost)) => collect(tokens, scratch, |at| boosted(boost, ONE, at)),
        (Some(_), None) => collect(tokens, scratch, place),
        (Some(_), Some(boost)) => collect(tokens, scratch, |at| boosted(boost, place(at), at)),
    }
    scratch.seen = factors;
    let MethodScratch { features, values, counts: frequencies, .. } = scratch;
    features.iter_mut().for_each(|term| *term = finalise(*term));
    let Some(statistics) = statistics else {
        values.iter_mut().for_each(|weight| *weight = times(*weight, 1 << FRACTION));
        return;
    };
    statistics.frequencies(features, frequencies);
    let idf = Idf::new(settings.weights, statistics.documents());
    for (weight, &frequency) in values.iter_mut().zip(&*frequencies) {
        *weight = times(*weight, idf.of(frequency));
    }
}
