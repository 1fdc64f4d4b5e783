//! Hamming joins and searches over 64-bit words: all pairs, or the neighbours of one word, that
//! differ in at most d bits. Exact; every pair is reported once.
//!
//! The algorithm is that of Manku, Jain & Das Sarma 2007 (retold in Seshasai 2009, section 2.6.2):
//! split the 64 bits into d + k blocks. Words within distance d differ in at most d blocks, so they
//! agree in k: grouping the words by every choice of k blocks puts each such pair into one group.
//!
//! | | memory for n words | use it for |
//! |---|---|---|
//! | [`join`], [`pairs`] | 12 bytes a word, and the pairs | all pairs of a collection |
//! | [`Index`] | 12 bytes a word and table | one word after another against a collection |
//! | [`OnesShards`] | 12 bytes a word | large d, or queries in one table (Seshasai 2009, section 6.2) |
//!
//! A method names one of the two joins as its [`Search`].
//!
//! All of them take *positions* in the slice they were given, at most 2³² − 1 words. Equal words
//! are pairs at distance 0 like any other, so a million equal words are 5·10¹¹ pairs: group them
//! first with [`EqualWords`].
//!
//! ```
//! use lookalike_methods::hamming::{NearPair, pairs};
//!
//! let words = [0b0000, 0b0111, 0xFFFF_0000, 0b0110];
//! assert_eq!(pairs(&words, 2), [
//!     NearPair { i: 0, j: 3, distance: 2 },
//!     NearPair { i: 1, j: 3, distance: 1 },
//! ]);
//! ```

mod blocks;
mod equal;
mod index;
mod join;
mod near;
mod ones;
mod partition;
mod plan;
mod search;

pub use blocks::Blocks;
pub use equal::EqualWords;
pub use index::Index;
pub use join::{join, join_as_planned, pairs};
pub use ones::OnesShards;
pub use plan::{HammingPlan, IndexPlan};
pub use search::{Search, TooManyPairs};

/// Two words that differ in few bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NearPair {
    /// Position of one word in the joined slice.
    pub i: u32,
    /// Position of the other; `i < j`.
    pub j: u32,
    /// Bits in which they differ.
    pub distance: u32,
}

impl NearPair {
    /// The pair of two different positions, in either order.
    fn of(a: u32, b: u32, distance: u32) -> Self {
        Self { i: a.min(b), j: a.max(b), distance }
    }
}

#[cfg(test)]
mod brute_force {
    use super::NearPair;
    use proptest::prelude::*;

    /// All pairs, by the definition.
    pub(crate) fn pairs(words: &[u64], d: u32) -> Vec<NearPair> {
        let mut out = Vec::new();
        for (i, a) in words.iter().enumerate() {
            for (j, b) in words.iter().enumerate().skip(i + 1) {
                let distance = (a ^ b).count_ones();
                if distance <= d {
                    out.push(NearPair { i: i as u32, j: j as u32, distance });
                }
            }
        }
        out
    }

    /// Words around few centres, up to 12 bits off: pairs lie on both sides of every distance up to
    /// 8. Centres are near each other, or all zeros, or all ones, as often as not.
    pub(crate) fn clustered(most: usize) -> impl Strategy<Value = Vec<u64>> {
        let centre = prop_oneof![Just(0), Just(u64::MAX), any::<u64>(), 0u64..64];
        let flips = prop::collection::vec(0u32..64, 0..12);
        let near = (any::<prop::sample::Index>(), flips);
        (prop::collection::vec(centre, 1..4), prop::collection::vec(near, 0..most)).prop_map(
            |(centres, near)| {
                let flip = |(centre, flips): (prop::sample::Index, Vec<u32>)| {
                    flips.iter().fold(*centre.get(&centres), |word, bit| word ^ (1 << bit))
                };
                near.into_iter().map(flip).collect()
            },
        )
    }
}
