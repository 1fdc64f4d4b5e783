//! Inverted index over the keys of a method's signatures.

use crate::near_words::NearWords;
use crate::signer::permuted;
use crate::sketch_verifier::sketch;
use crate::{Approach, Collection, EngineError, Units, limits};
use lookalike_join::{InvertedIndex, Progress, SetId, SpillBudget};
use lookalike_methods::{CandidateSource, Method};

/// Indexes the units by the keys of their signatures. Keys of more units than
/// [`Approach::key_limit`] are left out.
///
/// # Errors
/// More keys, or pairs of near words, than 32 bits can number; a temporary file that cannot be
/// written.
pub(crate) fn signature_index(
    collection: &Collection,
    units: &Units,
    method: &dyn Method,
    approach: &Approach,
    budget: &SpillBudget,
    progress: &dyn Progress,
) -> Result<InvertedIndex, EngineError> {
    let limit = approach.key_limit;
    let keys = |unit: SetId| {
        let place = units.place(unit);
        collection.signatures(place.chunk).keys(place.index)
    };
    let index = match method.candidates() {
        CandidateSource::Keys => {
            InvertedIndex::of_keys(units.len(), limit, budget, progress, |unit, emit| {
                keys(unit).iter().for_each(emit)
            })
        }
        CandidateSource::Hamming { distance, search } => {
            let words: Vec<Option<u64>> = units
                .ids()
                .map(|unit| sketch(collection, units, unit).words.first().copied())
                .collect();
            let near = NearWords::new(&words, distance, search, limits::MOST)?;
            // Documents of different labels are near each other as any others are, but have no keys
            // in common.
            let label = |unit| sketch(collection, units, unit).words.get(1).copied();
            InvertedIndex::of_keys(units.len(), limit, budget, progress, |unit, emit| {
                let label = label(unit);
                near.keys(words[unit.index()], |key| {
                    emit(&label.map_or(key, |label| permuted(key, label)));
                });
            })
        }
    };
    Ok(index?)
}
