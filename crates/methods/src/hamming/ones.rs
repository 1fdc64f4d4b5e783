//! Index by number of ones: neighbours within d of a word with i ones have i − d … i + d ones
//! (Seshasai 2009, section 6.2).
//!
//! One table for any d. The cost is that a query compares a constant share of the words: random
//! words have about 32 ones, and seven of the 65 shards hold three words in five.

use super::{NearPair, near};
use rayon::prelude::*;

/// Rows of one task of the join.
const TASK: usize = 256;

/// Words grouped by their number of ones. 12 bytes per word.
///
/// ```
/// use lookalike_methods::hamming::OnesShards;
///
/// let shards = OnesShards::new(&[0b0001, 0b1110, 0b0011]);
/// let mut near = Vec::new();
/// shards.query(0b0111, 1, |position, distance| near.push((position, distance)));
/// assert_eq!(near, [(2, 1)]);
/// ```
#[derive(Debug, Clone)]
pub struct OnesShards {
    words: Vec<u64>,
    positions: Vec<u32>,
    /// Index of the first word with i ones; one more entry for the end.
    starts: [u32; 66],
}

impl OnesShards {
    /// Shards the words. O(n). At most 2³² − 1 words.
    #[must_use]
    pub fn new(words: &[u64]) -> Self {
        let mut starts = [0; 66];
        for word in words {
            starts[word.count_ones() as usize + 1] += 1;
        }
        for ones in 0..65 {
            starts[ones + 1] += starts[ones];
        }
        let mut next = starts;
        let (mut sharded, mut positions) = (vec![0; words.len()], vec![0; words.len()]);
        for (position, &word) in words.iter().enumerate() {
            let at = &mut next[word.count_ones() as usize];
            sharded[*at as usize] = word;
            positions[*at as usize] = position as u32;
            *at += 1;
        }
        Self { words: sharded, positions, starts }
    }

    /// Calls `found` with the position and distance of every word within `d` of `word`: shard by
    /// shard, in the order of positions in each. O(words in 2·d + 1 shards).
    pub fn query(&self, word: u64, d: u32, mut found: impl FnMut(u32, u32)) {
        let ones = word.count_ones();
        let from = self.starts[ones.saturating_sub(d) as usize] as usize;
        let until = self.end(ones.saturating_add(d));
        near::scan(word, &self.words[from..until], d, |at, difference| {
            found(self.positions[from + at], difference.count_ones());
        });
    }

    /// All pairs within `d`, in ascending order, on rayon's threads. O(n²) but for a constant.
    #[must_use]
    pub fn pairs(&self, d: u32) -> Vec<NearPair> {
        // A word is compared with those after it, up to the shard with d more ones.
        let rows: Vec<usize> = (0..self.words.len()).step_by(TASK).collect();
        let mut out: Vec<NearPair> = rows
            .par_iter()
            .flat_map_iter(|&first| {
                let mut found = Vec::new();
                for i in first..self.words.len().min(first + TASK) {
                    let word = self.words[i];
                    let until = self.end(word.count_ones().saturating_add(d));
                    near::scan(word, &self.words[i + 1..until], d, |at, difference| {
                        let (a, b) = (self.positions[i], self.positions[i + 1 + at]);
                        found.push(NearPair::of(a, b, difference.count_ones()));
                    });
                }
                found
            })
            .collect();
        out.par_sort_unstable();
        out
    }

    /// End of the shard of words with `ones` ones.
    fn end(&self, ones: u32) -> usize {
        self.starts[ones.min(64) as usize + 1] as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hamming::brute_force;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pairs_and_queries_are_the_definition(words in brute_force::clustered(80), d in 0u32..=66) {
            let shards = OnesShards::new(&words);
            let truth = brute_force::pairs(&words, d);
            prop_assert_eq!(shards.pairs(d), truth);
            for &word in words.iter().take(5).chain([&0, &u64::MAX]) {
                let mut got = Vec::new();
                shards.query(word, d, |position, distance| got.push((position, distance)));
                got.sort_unstable();
                let near = words.iter().enumerate().map(|(i, w)| (i as u32, (w ^ word).count_ones()));
                prop_assert_eq!(got, near.filter(|&(_, distance)| distance <= d).collect::<Vec<_>>());
            }
        }
    }
}
