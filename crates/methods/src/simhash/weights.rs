//! Weights of a document's distinct terms, by frozen document frequencies (Seshasai 2009, sections
//! 3.3, 5.2 to 5.4).
//!
//! The weight of a term is the sum over its occurrences: `idf · Σ f(x)·boost`, where x is the
//! position of an occurrence. Without position and boost that is tf·idf. The thesis does not define
//! the position of a word that occurs several times.

use super::fixed::{Decimal, FRACTION, log2, log2_of_32};
use super::grams;
use super::position::ONE;
use super::settings::{SimhashSettings, Weights};
use crate::{Document, Marks, MethodScratch, Statistics};
use lookalike_core::fingerprint::finalise;

/// Minimum idf: a term of every document has a very small weight, so that a document of such terms
/// alone still has a signature.
const LEAST_IDF: u64 = 1 << (FRACTION - 8);

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

/// A sum of factors times idf, as a weight.
#[inline]
pub(super) fn times(factors: u64, idf: u64) -> u64 {
    u64::try_from((u128::from(factors) * u128::from(idf)) >> 32).unwrap_or(u64::MAX)
}

/// Sums the factors of equal tokens, into `features` and `values`.
#[inline]
pub(super) fn collect(tokens: &[u64], scratch: &mut MethodScratch, factor: impl Fn(usize) -> u64) {
    let MethodScratch { features, values, counts: slots, .. } = scratch;
    // Open addressing: a slot holds the index of a feature plus 1. There is one feature more than
    // can occur: an empty slot refers to it, for the next new feature.
    let capacity = (tokens.len() * 4).next_power_of_two();
    slots.clear();
    slots.resize(capacity, 0);
    features.clear();
    features.resize(tokens.len() + 1, 0);
    values.clear();
    values.resize(tokens.len() + 1, 0);
    let mut end = 0;
    for (at, &token) in tokens.iter().enumerate() {
        let mut slot = token as usize & (capacity - 1);
        // Whether a token is the first of its kind is unpredictable, and a misprediction costs more
        // than the rest of the loop: only a slot taken by another token, which is rare, is a
        // branch.
        features[end] = token;
        let mut number = place(slots[slot], end);
        while features[number] != token {
            slot = (slot + 1) & (capacity - 1);
            number = place(slots[slot], end);
        }
        values[number] = values[number].saturating_add(factor(at));
        slots[slot] = number as u32 + 1;
        end += usize::from(number == end);
    }
    features.truncate(end);
    values.truncate(end);
}

/// The index of the feature that a slot refers to.
#[inline]
fn place(slot: u32, end: usize) -> usize {
    if slot == 0 { end } else { slot as usize - 1 }
}

/// idf by document frequency, in fixed point.
pub(super) struct Idf {
    weights: Weights,
    /// N, or its logarithm.
    documents: u64,
}

impl Idf {
    pub(super) fn new(weights: Weights, documents: u64) -> Self {
        let inverse = weights == Weights::TfInverse;
        Self { weights, documents: if inverse { documents } else { log2(documents) } }
    }

    #[inline]
    pub(super) fn of(&self, frequency: u32) -> u64 {
        let frequency = frequency.max(1);
        let idf = match self.weights {
            Weights::TfInverse => match self.documents.checked_mul(1 << FRACTION) {
                Some(documents) => documents / u64::from(frequency),
                None => self.inverse_of_many(u64::from(frequency)),
            },
            _ => self.documents.saturating_sub(log2_of_32(frequency)),
        };
        idf.max(LEAST_IDF)
    }

    /// N/n if the fractional bits of N do not fit.
    #[cold]
    fn inverse_of_many(&self, frequency: u64) -> u64 {
        let idf = (u128::from(self.documents) << FRACTION) / u128::from(frequency);
        u64::try_from(idf).unwrap_or(u64::MAX)
    }
}
