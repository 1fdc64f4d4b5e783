//! One 64-bit word for each unit in; keys that two units share exactly if their words are near,
//! out.
//!
//! A Hamming join finds pairs, not keys. Here each pair of near words becomes a key that only the
//! units of the two words have, and each word is a key of its units: all steps after the keys are
//! then the same for simhash as for other methods.

use crate::{EngineError, limits};
use lookalike_core::fingerprint::finalise;
use lookalike_methods::hamming::{Search, TooManyPairs};

/// The distinct words of a collection and which of them are near each other.
#[derive(Debug)]
pub(crate) struct NearWords {
    /// Distinct words, ascending.
    words: Vec<u64>,
    /// Index in `pairs` of each word's first pair; one more entry than words.
    starts: Vec<u32>,
    /// Numbers of the pairs of each word.
    pairs: Vec<u32>,
}

impl NearWords {
    /// Joins the words of all units; `None` for a unit without one.
    ///
    /// # Errors
    /// More than `limit` / 2 pairs: each is listed with both of its words, by numbers of 32 bits.
    pub(crate) fn new(
        words: &[Option<u64>],
        distance: u32,
        search: Search,
        limit: u64,
    ) -> Result<Self, EngineError> {
        let mut words: Vec<u64> = words.iter().copied().flatten().collect();
        words.sort_unstable();
        words.dedup();
        let limit = limit.min(limits::MOST) / 2;
        let found = search.pairs_up_to(&words, distance, limit);
        let found =
            found.map_err(|TooManyPairs(pairs)| EngineError::TooManyNearPairs { pairs, limit })?;
        let mut starts = vec![0u32; words.len() + 1];
        for pair in &found {
            starts[pair.i as usize + 1] += 1;
            starts[pair.j as usize + 1] += 1;
        }
        for word in 0..words.len() {
            starts[word + 1] += starts[word];
        }
        let mut next = starts.clone();
        let mut of_word = vec![0; found.len() * 2];
        for (number, pair) in (0u32..).zip(&found) {
            for word in [pair.i, pair.j] {
                let next = &mut next[word as usize];
                of_word[*next as usize] = number;
                *next += 1;
            }
        }
        Ok(Self { words, starts, pairs: of_word })
    }

    /// The keys of a unit with this word.
    pub(crate) fn keys(&self, word: Option<u64>, mut emit: impl FnMut(u64)) {
        let Some(at) = word.and_then(|word| self.words.binary_search(&word).ok()) else { return };
        // Numbers of words, then numbers of pairs; the finaliser is a bijection, so none collide.
        emit(finalise(at as u64));
        let words = self.words.len() as u64;
        for &pair in &self.pairs[self.starts[at] as usize..self.starts[at + 1] as usize] {
            emit(finalise(words + u64::from(pair)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Four words, all of them near each other: six pairs.
    #[test]
    fn more_pairs_than_fit_are_an_error() {
        let words = [Some(0), Some(1), Some(2), Some(4), None];
        for (_, search) in Search::NAMED {
            assert!(NearWords::new(&words, 2, search, 12).is_ok());
            let error = NearWords::new(&words, 2, search, 11).unwrap_err();
            let expected = "6 pairs of distinct simhashes are within the distance, more than the 5";
            assert!(error.to_string().starts_with(expected), "{error}");
        }
    }

    proptest! {
        #[test]
        fn a_key_in_common_means_near(
            words in prop::collection::vec(prop::option::of(0u64..2000), 0..40),
            distance in 0u32..4,
            search in prop::sample::select(Search::NAMED.map(|(_, search)| search).to_vec()),
        ) {
            let near = NearWords::new(&words, distance, search, limits::MOST).unwrap();
            let keys: Vec<BTreeSet<u64>> = words
                .iter()
                .map(|&word| {
                    let mut keys = BTreeSet::new();
                    near.keys(word, |key| assert!(keys.insert(key)));
                    keys
                })
                .collect();
            for (x, a) in words.iter().zip(&keys) {
                for (y, b) in words.iter().zip(&keys) {
                    let truth = matches!((x, y), (Some(x), Some(y)) if (x ^ y).count_ones() <= distance);
                    prop_assert_eq!(!a.is_disjoint(b), truth);
                }
            }
        }
    }
}
