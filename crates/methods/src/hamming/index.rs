//! Index of words for Hamming search.
//!
//! The tables of Manku et al. 2007, section 3: one per choice of k of the d + k blocks, which holds
//! every word with the chosen blocks moved to the front, sorted. A query looks up its own chosen
//! blocks in each table and compares the words found. A directory by leading bits makes a lookup
//! one access and, if a directory entry has many words, a binary search.

use super::blocks::choices;
use super::{Blocks, IndexPlan, near};
use rayon::prelude::*;

/// Default maximum number of tables: 12·50 bytes per word.
const MOST_TABLES: usize = 50;

/// Index that finds the words within distance d of a given word.
///
/// ```
/// use lookalike_methods::hamming::Index;
///
/// let index = Index::new(&[0x00FF, 0xFF00, 0x00FE], 3);
/// let mut near = Vec::new();
/// index.query(0x00F7, 2, |position, distance| near.push((position, distance)));
/// near.sort();
/// assert_eq!(near, [(0, 1), (2, 2)]);
/// ```
#[derive(Debug, Clone)]
pub struct Index {
    plan: IndexPlan,
    tables: Vec<Table>,
}

/// One choice of blocks.
#[derive(Debug, Clone)]
struct Table {
    /// The permutation of bits: for each mask, the number of places by which its bits are rotated
    /// left.
    moves: Vec<(u64, u32)>,
    /// Which of the moved blocks come first in the word: `true` for a chosen one.
    rule: Vec<(u64, bool)>,
    /// The chosen blocks, in front.
    key: u64,
    words: Vec<u64>,
    positions: Vec<u32>,
    /// For each value of the leading bits, the index of its first word; and one more entry for the
    /// end.
    directory: Vec<u32>,
    shift: u32,
}

impl Index {
    /// An index for distances up to `d`, of at most 50 tables. See [`IndexPlan`] for the cost of a
    /// query.
    ///
    /// Memory: 12 bytes and at most 4 of directory for each word and table; 16 more for each word
    /// and thread while it is made. At most 2³² − 1 words.
    #[must_use]
    pub fn new(words: &[u64], d: u32) -> Self {
        Self::as_planned(words, IndexPlan::new(words.len(), d, MOST_TABLES))
    }

    /// An index with a given plan. The plan does not affect answers.
    #[must_use]
    pub fn as_planned(words: &[u64], plan: IndexPlan) -> Self {
        let matched = if plan.blocks() > 64 { 0 } else { plan.matched };
        let plan = IndexPlan { matched, ..plan };
        let blocks = Blocks::new(plan.blocks());
        let tables = choices(blocks.count(), matched as usize)
            .par_iter()
            .map(|chosen| Table::new(words, &blocks, chosen))
            .collect();
        Self { plan, tables }
    }

    /// Its plan.
    #[must_use]
    pub fn plan(&self) -> IndexPlan {
        self.plan
    }

    /// Calls `found` with the position and distance of every word within `d` of `word`, each once,
    /// in an order that depends on the words only. A `d` above the distance of the index is reduced
    /// to it. Does not allocate.
    pub fn query(&self, word: u64, d: u32, mut found: impl FnMut(u32, u32)) {
        let d = d.min(self.plan.distance);
        for table in &self.tables {
            let moved = table.permute(word);
            let range = table.under(moved);
            near::scan(moved, &table.words[range.clone()], d, |at, difference| {
                if table.reports(difference) {
                    found(table.positions[range.start + at], difference.count_ones());
                }
            });
        }
    }
}

impl Table {
    fn new(words: &[u64], blocks: &Blocks, chosen: &[usize]) -> Self {
        let others = (0..blocks.count()).filter(|block| !chosen.contains(block));
        let mut moves = Vec::with_capacity(blocks.count());
        let mut place = 0;
        for block in chosen.iter().copied().chain(others) {
            let mask = blocks.mask(block);
            moves.push((mask, (mask.leading_zeros() + 64 - place) % 64));
            place += mask.count_ones();
        }
        let mut table = Self {
            moves,
            rule: Vec::new(),
            key: 0,
            words: Vec::with_capacity(words.len()),
            positions: Vec::with_capacity(words.len()),
            directory: Vec::new(),
            shift: 0,
        };
        let last = chosen.last().map_or(0, |last| last + 1);
        table.rule = (0..last)
            .map(|block| (table.permute(blocks.mask(block)), chosen.contains(&block)))
            .collect();
        table.key = chosen.iter().fold(0, |key, &block| key | table.permute(blocks.mask(block)));
        let mut entries: Vec<(u64, u32)> = words
            .iter()
            .zip(0..)
            .map(|(&word, position)| (table.permute(word), position))
            .collect();
        entries.sort_unstable();
        table.words.extend(entries.iter().map(|entry| entry.0));
        table.positions.extend(entries.iter().map(|entry| entry.1));
        table.lay_directory();
        table
    }

    /// Builds the directory: as many leading bits as suit the number of words, at most those of the
    /// key.
    fn lay_directory(&mut self) {
        let bits = self.words.len().max(1).ilog2().min(self.key.leading_ones());
        // A shift by 64 bits is not defined, so `address` shifts in two steps.
        self.shift = 64 - bits;
        self.directory = vec![0; (1 << bits) + 1];
        for &word in &self.words {
            self.directory[address(word, self.shift) + 1] += 1;
        }
        let mut sum = 0;
        for start in &mut self.directory {
            sum += *start;
            *start = sum;
        }
    }

    #[inline]
    fn permute(&self, word: u64) -> u64 {
        self.moves.iter().fold(0, |out, &(mask, left)| out | (word & mask).rotate_left(left))
    }

    /// Range of the words with the key of `moved`.
    fn under(&self, moved: u64) -> std::ops::Range<usize> {
        let entry = address(moved, self.shift);
        let (from, until) = (self.directory[entry] as usize, self.directory[entry + 1] as usize);
        let (least, most) = (moved & self.key, moved | !self.key);
        let words = &self.words[from..until];
        from + words.partition_point(|&word| word < least)
            ..from + words.partition_point(|&word| word <= most)
    }

    /// Whether this table reports pairs with this difference: their first agreeing blocks are the
    /// chosen ones.
    fn reports(&self, difference: u64) -> bool {
        self.rule.iter().all(|&(mask, chosen)| (difference & mask == 0) == chosen)
    }
}

/// The leading 64 − `shift` bits.
#[inline]
fn address(word: u64, shift: u32) -> usize {
    (word >> (shift / 2) >> (shift - shift / 2)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hamming::brute_force;
    use proptest::prelude::*;

    fn near(index: &Index, word: u64, d: u32) -> Vec<(u32, u32)> {
        let mut out = Vec::new();
        index.query(word, d, |position, distance| out.push((position, distance)));
        out.sort_unstable();
        out
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn every_neighbour_once(
            words in brute_force::clustered(60),
            queries in brute_force::clustered(6),
            matched in 0u32..=3,
        ) {
            for d in 0..=8 {
                let planned = Index::as_planned(&words, IndexPlan { distance: d, matched });
                let index = Index::new(&words, d);
                for &word in queries.iter().chain(words.iter().take(6)) {
                    for smaller in [d, d / 2] {
                        let all = words.iter().zip(0..).map(|(w, i)| (i, (w ^ word).count_ones()));
                        let truth: Vec<_> = all.filter(|near| near.1 <= smaller).collect();
                        prop_assert_eq!(&near(&index, word, smaller), &truth);
                        prop_assert_eq!(&near(&planned, word, smaller), &truth);
                    }
                }
            }
        }

        #[test]
        fn moving_blocks_keeps_distances(a in any::<u64>(), b in any::<u64>()) {
            let index = Index::as_planned(&[a], IndexPlan { distance: 3, matched: 2 });
            for table in &index.tables {
                let moved = table.permute(a) ^ table.permute(b);
                prop_assert_eq!(moved.count_ones(), (a ^ b).count_ones());
                prop_assert_eq!(table.key.leading_ones(), table.key.count_ones());
            }
        }
    }

    #[test]
    fn an_index_of_nothing_or_for_any_distance() {
        assert!(near(&Index::new(&[], 3), 7, 3).is_empty());
        assert_eq!(near(&Index::new(&[0, u64::MAX], 90), 0, 90), [(0, 0), (1, 64)]);
        assert_eq!(near(&Index::new(&[5, 6], 1), 5, 8), [(0, 0)]);
    }
}
