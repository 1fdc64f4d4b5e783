//! Hamming join: all pairs of words within distance d, each once.
//!
//! The tables of Manku et al. 2007, section 3, as a tree: the words are partitioned into buckets by
//! their first matched block, each bucket by its second, and so on, until k blocks match or the
//! bucket is small; then its words are compared. Choices of blocks with a common prefix share the
//! work of that prefix, and all but the first level work within a core's cache.
//!
//! A bucket of the blocks `chosen` reports the pairs whose *first* agreeing blocks are `chosen`. A
//! pair within d agrees in at least k blocks, so exactly one bucket reports it, wherever the
//! recursion stops: duplicates need not be removed.

use super::partition::Buckets;
use super::plan::SMALL_GROUP;
use super::{Blocks, HammingPlan, NearPair, near};
use rayon::prelude::*;
use std::ops::Range;

/// Number of words in a task, the unit of parallel work.
const TASK: usize = 1 << 14;

/// Groups of more words are always split if blocks are left to split by.
const MOST_COMPARED: usize = 1 << 10;

/// Number of tasks whose pairs are buffered before they are passed to the sink.
const BATCH: usize = 128;

/// All pairs of `words` within `d` bits, in ascending order.
///
/// Memory: 12 bytes per word, and the pairs. For the time see [`HammingPlan`]. At most 2³² − 1
/// words.
#[must_use]
pub fn pairs(words: &[u64], d: u32) -> Vec<NearPair> {
    let mut out = Vec::new();
    join(words, d, |found| out.extend_from_slice(found));
    out.par_sort_unstable();
    out
}

/// Passes all pairs of `words` within `d` bits to `sink`, each once, in batches, on the calling
/// thread; words are compared on rayon's threads. Pairs are not sorted; their order is the same for
/// any number of threads.
///
/// Memory: 12 bytes per word, and the pairs of the buckets of about two million words.
///
/// ```
/// let mut count = 0;
/// lookalike_methods::hamming::join(&[0, 1, 3, 7], 1, |found| count += found.len());
/// assert_eq!(count, 3);
/// ```
pub fn join(words: &[u64], d: u32, sink: impl FnMut(&[NearPair])) {
    join_as_planned(words, HammingPlan::for_words(words, d), sink);
}

/// [`join`] with a given plan, for example if the words are known to form few clusters. The plan
/// does not affect the pairs.
pub fn join_as_planned(words: &[u64], plan: HammingPlan, mut sink: impl FnMut(&[NearPair])) {
    // There cannot be more blocks than bits.
    let matched = if plan.blocks() > 64 { 0 } else { plan.matched as usize };
    let blocks = Blocks::new(plan.distance.saturating_add(matched as u32));
    let walk = Walk { blocks, matched, distance: plan.distance };
    if matched == 0 || words.len() <= SMALL_GROUP {
        let mut found = Vec::new();
        for (i, &word) in words.iter().enumerate() {
            near::scan(word, &words[i + 1..], plan.distance, |at, difference| {
                found.push(NearPair::of(i as u32, (i + 1 + at) as u32, difference.count_ones()));
            });
            if !found.is_empty() {
                sink(&found);
                found.clear();
            }
        }
        return;
    }
    let mut first = Buckets::default();
    for block in 0..=walk.blocks.count() - matched {
        first.fill_all(words, walk.blocks.mask(block));
        let run = |state: &mut State, task: &Range<usize>| {
            for bucket in task.clone() {
                let (words, positions) = first.bucket(bucket);
                state.chosen.clear();
                state.chosen.push(block);
                walk.descend(words, positions, state);
            }
            std::mem::take(&mut state.found)
        };
        for tasks in tasks(&first).chunks(BATCH) {
            // Waking threads costs more than one task does.
            let found: Vec<Vec<NearPair>> = match tasks {
                [task] => vec![run(&mut walk.state(), task)],
                _ => tasks.par_iter().map_init(|| walk.state(), run).collect(),
            };
            found.iter().filter(|found| !found.is_empty()).for_each(|found| sink(found));
        }
    }
}

/// Runs of buckets with about [`TASK`] words each.
fn tasks(buckets: &Buckets) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let (mut from, mut begin) = (0, 0);
    for bucket in 0..buckets.count() {
        let end = buckets.start(bucket) + buckets.bucket(bucket).0.len();
        if end - begin >= TASK || bucket + 1 == buckets.count() {
            out.push(from..bucket + 1);
            (from, begin) = (bucket + 1, end);
        }
    }
    out
}

/// Parameters of the recursion.
struct Walk {
    blocks: Blocks,
    matched: usize,
    distance: u32,
}

/// State of one thread.
struct State {
    chosen: Vec<usize>,
    /// Buckets of each level below the first.
    levels: Vec<Buckets>,
    found: Vec<NearPair>,
}

impl Walk {
    fn state(&self) -> State {
        let levels = (1..self.matched).map(|_| Buckets::default()).collect();
        State { chosen: Vec::with_capacity(self.matched), levels, found: Vec::new() }
    }

    /// Reports the pairs of a bucket whose first agreeing blocks are `state.chosen`.
    fn descend(&self, words: &[u64], positions: &[u32], state: &mut State) {
        let State { chosen, levels, found } = state;
        self.descend_into(words, positions, chosen, levels, found);
    }

    /// [`Walk::descend`] with the state in parts, because deeper levels are borrowed separately
    /// from this one.
    fn descend_into(
        &self,
        words: &[u64],
        positions: &[u32],
        chosen: &mut Vec<usize>,
        levels: &mut [Buckets],
        found: &mut Vec<NearPair>,
    ) {
        if words.len() < 2 {
            return;
        }
        let compare = |chosen: &[usize], found: &mut Vec<NearPair>| {
            near::all_pairs(words, self.distance, |i, j, difference| {
                if self.blocks.first_agreeing(difference, chosen) {
                    found.push(NearPair::of(positions[i], positions[j], difference.count_ones()));
                }
            });
        };
        let Some((buckets, deeper)) = levels.split_first_mut() else {
            return compare(chosen, found);
        };
        if words.len() <= SMALL_GROUP {
            return compare(chosen, found);
        }
        let next = chosen.last().map_or(0, |last| last + 1);
        // As many blocks must remain after the one chosen as are still to be matched.
        let until = self.blocks.count() + chosen.len() + 1 - self.matched;
        let all = (words.len() as u64).saturating_mul(words.len() as u64);
        for block in next..until {
            // Words of one cluster agree on most blocks. If splitting by one block leaves so many
            // pairs that all blocks together would leave more than now, the recursion stops. This
            // does not apply to large groups: that one block is equal in all words does not predict
            // the next.
            let worth = |left: u64| {
                words.len() > MOST_COMPARED
                    || block != next
                    || left.saturating_mul((until - next) as u64) < all
            };
            if !buckets.fill(words, positions.iter().copied(), self.blocks.mask(block), worth) {
                return compare(chosen, found);
            }
            chosen.push(block);
            for bucket in 0..buckets.count() {
                let (words, positions) = buckets.bucket(bucket);
                self.descend_into(words, positions, chosen, deeper, found);
            }
            chosen.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hamming::brute_force;
    use proptest::prelude::*;

    fn as_planned(words: &[u64], distance: u32, matched: u32) -> Vec<NearPair> {
        let mut out = Vec::new();
        join_as_planned(words, HammingPlan { distance, matched }, |found| out.extend(found));
        out.sort_unstable();
        out
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn all_pairs_once(words in brute_force::clustered(200)) {
            for d in 0..=8 {
                let truth = brute_force::pairs(&words, d);
                prop_assert_eq!(&pairs(&words, d), &truth);
                for matched in 0..=5 {
                    prop_assert_eq!(&as_planned(&words, d, matched), &truth, "k = {}", matched);
                }
            }
        }

        #[test]
        fn any_distance_at_all(words in brute_force::clustered(60), d in 0u32..200) {
            prop_assert_eq!(&pairs(&words, d), &brute_force::pairs(&words, d));
            prop_assert_eq!(&as_planned(&words, d, 4), &brute_force::pairs(&words, d));
        }
    }

    #[test]
    fn inputs_of_no_or_one_word() {
        assert!(pairs(&[], 3).is_empty());
        assert!(pairs(&[5], 3).is_empty());
        assert_eq!(pairs(&[5, 5], 0), [NearPair { i: 0, j: 1, distance: 0 }]);
        assert!(pairs(&[0, u64::MAX], 63).is_empty());
        assert_eq!(pairs(&[0, u64::MAX], 64).len(), 1);
    }

    /// Large enough for buckets by several threads, several tasks and several batches.
    #[test]
    fn many_words_with_planted_pairs() {
        let n = 70_000u64;
        let mut words: Vec<u64> = (0..n).map(lookalike_core::fingerprint::finalise).collect();
        // Every hundredth word gets a neighbour at distance 0 to 4.
        let planted: Vec<u64> = (0..n as usize)
            .step_by(100)
            .map(|at| {
                let flips = lookalike_core::fingerprint::finalise(words[at]);
                (0..at / 100 % 5).fold(words[at], |word, i| word ^ 1 << (flips >> (6 * i) & 63))
            })
            .collect();
        words.extend(&planted);
        let shards = crate::hamming::OnesShards::new(&words);
        for d in [0, 3, 4] {
            let one = pairs(&words, d);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
            assert_eq!(pool.install(|| pairs(&words, d)), one);
            if d == 3 {
                assert_eq!(shards.pairs(d), one);
            }
            assert!(one.len() > planted.len() * (d as usize + 1) / 5 - 10);
        }
    }

    #[test]
    fn the_order_of_pairs_does_not_depend_on_threads() {
        let words: Vec<u64> = (0..100_000u64)
            .map(|i| lookalike_core::fingerprint::finalise(i / 2) ^ (i & 1))
            .collect();
        let run = |threads| {
            let mut out = Vec::new();
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| join(&words, 2, |found| out.extend_from_slice(found)));
            out
        };
        let one = run(1);
        assert!(!one.is_empty());
        assert_eq!(run(4), one);
    }
}
