//! Cost model of Hamming joins and indexes: how many blocks to split a word into, and how many of
//! them to match. A plan affects the running time only, not the result.
//!
//! With d + k blocks of w = ⌊64 / (d + k)⌋ bits, k of them matched (Manku et al. 2007, section 3),
//! there are `choices(t) = (d + t) over t` ways to match the first t ≤ k. Of n random words, a
//! group that agrees in t blocks has n / 2^(wt). So
//!
//! * [`HammingPlan`]: `cost(k) = Σ choices(t)·n·MOVE + choices(k)·n·g/2·COMPARE`, g being the size
//!   of the last groups; the sum ends early where groups get small. More blocks: less to compare,
//!   more to move.
//! * [`IndexPlan`]: a query costs `choices(k)·(LOOK_UP + n / 2^(wk)·COMPARE)` and each of the
//!   `choices(k)` tables 12·n bytes.
//!
//! The weights are nanoseconds measured by `benches/hamming.rs`; only their ratios matter. The
//! floating-point arithmetic consists of products and sums only, hence is the same on every
//! machine.

use super::Blocks;
use super::partition::bucket_bits;

/// Cost of moving a word and its position into a bucket.
const MOVE: f64 = 15.0;
/// Cost of comparing two adjacent words.
const COMPARE: f64 = 1.0;
/// Cost of finding the words under one key of a table.
const LOOK_UP: f64 = 150.0;

/// Groups of at most this many words are compared rather than split again.
pub(super) const SMALL_GROUP: usize = 24;

/// Number of words sampled to estimate how uniform they are.
const SAMPLE: usize = 1 << 12;

/// Maximum number of matched blocks.
const MOST_MATCHED: u32 = 8;

/// Parameters of a join.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HammingPlan {
    /// d.
    pub distance: u32,
    /// k: blocks that words of one group agree on; 0 compares all pairs.
    pub matched: u32,
}

/// Parameters of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexPlan {
    /// d: the maximum distance of queries.
    pub distance: u32,
    /// k: blocks that are looked up together.
    pub matched: u32,
}

impl HammingPlan {
    /// The plan for `n` random words.
    ///
    /// Of the plans that cost at most a quarter more than the cheapest, it is the one that matches
    /// most blocks, because it can split large groups further.
    #[must_use]
    pub fn new(n: usize, d: u32) -> Self {
        Self::cheapest(n, d, |plan| plan.cost(n))
    }

    /// The plan for these words: the probability that two of them agree on a block is measured on
    /// an evenly spaced sample of a few thousand. Words of real collections are not random, and a
    /// block in which most words agree splits nothing.
    #[must_use]
    pub fn for_words(words: &[u64], d: u32) -> Self {
        let n = words.len();
        let mut sample: Vec<u64> =
            words.iter().step_by(n.div_ceil(SAMPLE).max(1)).copied().collect();
        Self::cheapest(n, d, |plan| {
            let blocks = Blocks::new(plan.blocks());
            let meet: Vec<f64> =
                (0..blocks.count()).map(|b| meeting(&mut sample, blocks.mask(b))).collect();
            plan.cost_when(n, &meet)
        })
    }

    fn cheapest(n: usize, d: u32, mut cost: impl FnMut(Self) -> f64) -> Self {
        if n <= SMALL_GROUP {
            return Self { distance: d, matched: 0 };
        }
        let plans: Vec<(Self, f64)> = matchable(d)
            .map(|matched| Self { distance: d, matched })
            .map(|plan| (plan, cost(plan)))
            .collect();
        let least = plans.iter().fold(f64::INFINITY, |least, plan| least.min(plan.1));
        plans
            .iter()
            .rfind(|plan| plan.1 <= least * 1.25)
            .map_or(Self { distance: d, matched: 0 }, |plan| plan.0)
    }

    /// Blocks a word is cut into: d + k.
    #[must_use]
    pub fn blocks(self) -> u32 {
        self.distance.saturating_add(self.matched)
    }

    /// Predicted nanoseconds on one core for n random words.
    #[must_use]
    pub fn cost(self, n: usize) -> f64 {
        self.cost_when(n, &vec![0.0; self.blocks().clamp(1, 64) as usize])
    }

    /// The same if two words agree on each block with the probabilities `meet` (upper bounds).
    fn cost_when(self, n: usize, meet: &[f64]) -> f64 {
        let (mut group, mut moved, mut depth) = (n as f64, 0.0, 0);
        while depth < self.matched && group > SMALL_GROUP as f64 {
            depth += 1;
            moved += choices(self.distance, depth);
            let least = 1.0 / (1u64 << bucket_bits(n, 64 / self.blocks())) as f64;
            // `reach[t]`: the sum, over choices of t of the blocks so far, of the share of the
            // words that a group has.
            let mut reach = vec![0.0; depth as usize + 1];
            reach[0] = 1.0;
            for &meet in &meet[..(self.distance + depth) as usize] {
                for t in (1..reach.len()).rev() {
                    reach[t] += reach[t - 1] * meet.max(least);
                }
            }
            // There are about as many buckets as words.
            group = (n as f64 * reach[depth as usize] / choices(self.distance, depth)).max(1.0);
        }
        n as f64 * (moved * MOVE + choices(self.distance, depth) * group / 2.0 * COMPARE)
    }
}

/// Probability that two of these words agree on the bits of the mask.
fn meeting(sample: &mut [u64], mask: u64) -> f64 {
    sample.sort_unstable_by_key(|word| word & mask);
    let runs = sample.chunk_by(|a, b| (a ^ b) & mask == 0);
    let pairs = |n: usize| n as f64 * (n as f64 - 1.0);
    runs.map(|run| pairs(run.len())).sum::<f64>() / pairs(sample.len()).max(1.0)
}

impl IndexPlan {
    /// The plan for `n` words and distance `d` with the cheapest queries of those with at most
    /// `most_tables` tables (there is always one).
    #[must_use]
    pub fn new(n: usize, d: u32, most_tables: usize) -> Self {
        let mut best = Self { distance: d, matched: 0 };
        for matched in matchable(d) {
            let plan = Self { distance: d, matched };
            if plan.tables() <= most_tables as f64 && plan.query_cost(n) < best.query_cost(n) {
                best = plan;
            }
        }
        best
    }

    /// Blocks a word is cut into: d + k.
    #[must_use]
    pub fn blocks(self) -> u32 {
        self.distance.saturating_add(self.matched)
    }

    /// Number of tables: choices of k of d + k blocks.
    #[must_use]
    pub fn tables(self) -> f64 {
        choices(self.distance, self.matched)
    }

    /// Predicted nanoseconds of a query among n random words.
    #[must_use]
    pub fn query_cost(self, n: usize) -> f64 {
        let bits = if self.matched == 0 { 0 } else { 64 / self.blocks() * self.matched };
        self.tables() * (LOOK_UP + n as f64 / (1u128 << bits) as f64 * COMPARE)
    }
}

/// The possible numbers of matched blocks: 0, and those for which d + k blocks have at least a bit
/// each.
fn matchable(d: u32) -> impl Iterator<Item = u32> {
    0..=MOST_MATCHED.min(64u32.saturating_sub(d))
}

/// d + t over t.
fn choices(d: u32, t: u32) -> f64 {
    (1..=t).fold(1.0, |product, i| product * f64::from(d + i) / f64::from(i))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Complete: d differing bits are in at most d of the blocks, so k blocks agree.
        #[test]
        fn any_d_bits_leave_k_blocks(
            n in 0usize..50_000_000,
            d in 0u32..=70,
            tables in 0usize..500,
            bits in prop::collection::vec(0u32..64, 70),
        ) {
            let difference = bits[..d as usize].iter().fold(0u64, |word, bit| word | 1 << bit);
            let join = HammingPlan::new(n, d);
            let index = IndexPlan::new(n, d, tables);
            for (blocks, matched) in [(join.blocks(), join.matched), (index.blocks(), index.matched)] {
                let cut = Blocks::new(blocks);
                prop_assert!(matched == 0 || cut.count() == (d + matched) as usize);
                let agree = (0..cut.count()).filter(|&b| difference & cut.mask(b) == 0).count();
                prop_assert!(agree >= matched as usize);
            }
            prop_assert!(index.tables() <= tables.max(1) as f64);
        }
    }

    #[test]
    fn more_words_or_tables_match_more_blocks() {
        assert_eq!(HammingPlan::new(10, 3).matched, 0);
        let plan = HammingPlan::new(10_000_000, 3);
        assert_eq!((plan.matched, plan.blocks()), (3, 6));
        assert!(HammingPlan::new(100_000_000, 8).matched > HammingPlan::new(100_000, 8).matched);
        let plan = |tables| IndexPlan::new(1 << 24, 8, tables).matched;
        assert_eq!((plan(0), plan(9), plan(45)), (0, 1, 2));
    }

    /// Half of these words agree on their first 20 bits, which is more than one block of four.
    #[test]
    fn words_that_begin_alike_match_more_blocks() {
        let random = |i: u64| lookalike_core::fingerprint::finalise(i);
        let even: Vec<u64> = (0..200_000).map(random).collect();
        let skewed: Vec<u64> = even.iter().map(|w| if w & 1 == 0 { *w } else { w >> 20 }).collect();
        let matched = |words: &[u64]| HammingPlan::for_words(words, 3).matched;
        assert_eq!(matched(&even), HammingPlan::new(even.len(), 3).matched);
        assert!(matched(&skewed) > matched(&even));
    }

    #[test]
    fn choices_by_hand() {
        assert_eq!(
            (choices(3, 0), choices(3, 1), choices(3, 2), choices(8, 4)),
            (1., 4., 10., 495.)
        );
    }

    #[test]
    fn beyond_the_bits_of_a_word_nothing_can_be_matched() {
        assert_eq!(HammingPlan::new(1 << 20, 64).matched, 0);
        assert!(HammingPlan::new(1 << 20, 63).matched <= 1);
    }
}
