//! A document and frozen document frequencies in, its distinct terms and what each weighs out
//! (Seshasai 2009, sections 3.3, 5.2 to 5.4).
//!
//! A term weighs what its occurrences weigh together: `idf · Σ f(x)·boost`, x being the place of an
//! occurrence. Without place or boost that is tf·idf. The thesis does not say what the place of a word
//! is that stands in several.

use super::fixed::{FRACTION, log2};
use super::position::ONE;
use super::settings::{Settings, Weights};
use crate::{Document, Marks, Scratch, Statistics};
use lookalike_core::fingerprint::finalise;

/// What idf is at least: a term of every document has next to no weight, but a document of such terms
/// alone still has a signature.
const LEAST_IDF: u64 = 1 << (FRACTION - 8);

/// Markup that boosts. Links are navigation more often than not.
const TAGGED: Marks = Marks(Marks::HEADING.0 | Marks::EMPHASIS.0);

/// Fills `scratch.features` with the distinct terms in order of first occurrence and `scratch.values`
/// with their weights, with [`FRACTION`] fractional bits. O(tokens); one hash table, nothing hashed
/// but the tokens' hashes into terms.
pub(super) fn weigh(
    document: &Document<'_>,
    settings: &Settings,
    statistics: Option<&dyn Statistics>,
    scratch: &mut Scratch,
) {
    match (settings.position, settings.tagged) {
        (None, None) => collect(document.tokens, scratch, |_| ONE),
        (position, tagged) => {
            let length = document.tokens.len() as u64;
            let boosted = |factor: u64, at: usize| match (tagged, document.marks.get(at)) {
                (Some(boost), Some(marks)) if marks.any(TAGGED) => boost.of(factor),
                _ => factor,
            };
            let place = |at| position.map_or(ONE, |function| function(at as u64 + 1, length));
            collect(document.tokens, scratch, |at| boosted(place(at), at));
        }
    }
    let idf = Idf::new(settings.weights, statistics);
    for (term, weight) in scratch.features.iter_mut().zip(&mut scratch.values) {
        *term = finalise(*term);
        let product = u128::from(*weight) * u128::from(idf.of(*term));
        *weight = u64::try_from(product >> 32).unwrap_or(u64::MAX);
    }
}

/// Sums the factors of equal tokens, into `features` and `values`.
#[inline]
fn collect(tokens: &[u64], scratch: &mut Scratch, factor: impl Fn(usize) -> u64) {
    let Scratch { seen, features, values, counts, .. } = scratch;
    features.clear();
    values.clear();
    // Open addressing: `counts` has the number of the feature plus 1, `seen` its token.
    let capacity = (tokens.len() * 2).next_power_of_two().max(16);
    counts.clear();
    counts.resize(capacity, 0);
    if seen.len() < capacity {
        seen.resize(capacity, 0);
    }
    let (slots, numbers) = (&mut seen[..capacity], &mut counts[..capacity]);
    for (at, &token) in tokens.iter().enumerate() {
        let mut slot = token as usize & (capacity - 1);
        loop {
            if numbers[slot] == 0 {
                slots[slot] = token;
                features.push(token);
                values.push(factor(at));
                numbers[slot] = features.len() as u32;
                break;
            }
            if slots[slot] == token {
                let sum = &mut values[numbers[slot] as usize - 1];
                *sum = sum.saturating_add(factor(at));
                break;
            }
            slot = (slot + 1) & (capacity - 1);
        }
    }
}

/// idf of terms, in fixed point.
struct Idf<'a> {
    weights: Weights,
    statistics: Option<&'a dyn Statistics>,
    documents: u64,
}

impl<'a> Idf<'a> {
    fn new(weights: Weights, statistics: Option<&'a dyn Statistics>) -> Self {
        let statistics = statistics.filter(|_| weights != Weights::Tf);
        Self { weights, statistics, documents: statistics.map_or(0, Statistics::documents) }
    }

    fn of(&self, term: u64) -> u64 {
        let Some(statistics) = self.statistics else { return 1 << FRACTION };
        let frequency = u64::from(statistics.frequency(term).max(1));
        let idf = match self.weights {
            Weights::TfInverse => (u128::from(self.documents) << FRACTION) / u128::from(frequency),
            _ => u128::from(log2(self.documents).saturating_sub(log2(frequency))),
        };
        u64::try_from(idf).unwrap_or(u64::MAX).max(LEAST_IDF)
    }
}
