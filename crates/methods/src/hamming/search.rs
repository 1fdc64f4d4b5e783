//! The Hamming joins by name; all return the same pairs.

use super::{NearPair, OnesShards, join, pairs};
use rayon::slice::ParallelSliceMut;

/// There are more pairs than allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0} pairs of words are near each other")]
pub struct TooManyPairs(
    /// Number of pairs.
    pub u64,
);

/// Algorithm that finds all pairs within a distance. It affects the time only, not the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Search {
    /// By blocks of bits in common ([`pairs`]): Manku, Jain & Das Sarma 2007.
    #[default]
    Tables,
    /// By similar numbers of ones ([`OnesShards`]): Seshasai 2009, section 6.2.
    Ones,
}

impl Search {
    /// Every algorithm and its name.
    pub const NAMED: [(&'static str, Self); 2] = [("tables", Self::Tables), ("ones", Self::Ones)];

    /// The algorithm of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMED.iter().find(|(known, _)| *known == name).map(|&(_, search)| search)
    }

    /// All pairs of `words` within `d` bits, in ascending order. At most 2³² − 1 words.
    ///
    /// ```
    /// use lookalike_methods::hamming::Search;
    ///
    /// let words = [0b0000, 0b0111, 0xFFFF_0000, 0b0110];
    /// assert_eq!(Search::Ones.pairs(&words, 2), Search::Tables.pairs(&words, 2));
    /// ```
    #[must_use]
    pub fn pairs(self, words: &[u64], d: u32) -> Vec<NearPair> {
        match self {
            Self::Tables => pairs(words, d),
            Self::Ones => OnesShards::new(words).pairs(d),
        }
    }

    /// The same, if there are at most `most` pairs: by tables, at most that many pairs and those of
    /// one batch are in memory.
    ///
    /// # Errors
    /// There are more; the error holds their number.
    pub fn pairs_up_to(
        self,
        words: &[u64],
        d: u32,
        most: u64,
    ) -> Result<Vec<NearPair>, TooManyPairs> {
        let (mut found, mut count) = (Vec::new(), 0u64);
        match self {
            Self::Tables => {
                join(words, d, |more| {
                    count += more.len() as u64;
                    if count <= most {
                        found.extend_from_slice(more);
                    } else {
                        found = Vec::new();
                    }
                });
                found.par_sort_unstable();
            }
            Self::Ones => {
                found = self.pairs(words, d);
                count = found.len() as u64;
            }
        }
        if count <= most { Ok(found) } else { Err(TooManyPairs(count)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hamming::brute_force;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_algorithm_finds_the_pairs_of_the_definition(
            words in brute_force::clustered(80),
            d in 0u32..=32,
        ) {
            for (name, search) in Search::NAMED {
                prop_assert_eq!(search.pairs(&words, d), brute_force::pairs(&words, d), "{}", name);
            }
        }
    }

    /// More words than one task or one bucket has, and neighbours at every distance about d.
    #[test]
    fn all_algorithms_find_the_same_pairs_of_many_words() {
        let random = lookalike_core::fingerprint::finalise;
        let words: Vec<u64> = (0..20_000u64)
            .map(|i| {
                let flips = (0..i % 8).fold(0u64, |bits, k| bits | 1 << (random(i ^ k << 40) & 63));
                random(i / 8) ^ flips
            })
            .collect();
        for d in [1, 3, 6, 10] {
            let tables = Search::Tables.pairs(&words, d);
            assert!(tables.iter().any(|pair| pair.distance == d));
            assert_eq!(Search::Ones.pairs(&words, d), tables, "{d}");
        }
    }
}
