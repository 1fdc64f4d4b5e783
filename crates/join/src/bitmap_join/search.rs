//! Compares the bitmaps of all pairs of similar sizes.

use super::bitmaps::Bitmaps;
use super::plan::Plan;
use crate::progress::stop_if_cancelled;
use crate::source::SetSource;
use crate::{Criterion, ElementOrder, JoinError, Progress, SetId, prefix};
use lookalike_core::wide_bitmap::{BLOCK, fold, near};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Sets of a tile, which are compared with the same columns while those are in the cache.
const ROWS: usize = 64;

/// Sets that are compared with all others to choose the length of the bitmaps.
const SAMPLED: usize = 512;

/// What is known of the prefixes that an index would have.
pub(crate) struct Prefixes<'a> {
    /// The order of their elements.
    pub(crate) order: &'a ElementOrder,
    /// Number of sets in whose sample the order counted document frequencies.
    pub(crate) sampled: u32,
}

/// A bitmap join: its plan, and the bitmaps.
pub(crate) struct BitmapJoin {
    plan: Plan,
    bitmaps: Bitmaps,
    criterion: Criterion,
    /// Candidates that it is likely to leave.
    candidates: u64,
    /// Sets that have the elements of all prefixes, likely.
    postings: u64,
}

impl BitmapJoin {
    /// Scans all sets, and chooses the length of the bitmaps that is likely to cost least, by a
    /// sample.
    ///
    /// # Errors
    /// Sets that cannot be read; a cancellation.
    pub(crate) fn new(
        sets: &impl SetSource,
        plan: Plan,
        criterion: Criterion,
        prefixes: &Prefixes<'_>,
        progress: &dyn Progress,
    ) -> Result<Self, JoinError> {
        let places = sample(plan.len());
        let postings = AtomicU64::new(0);
        let count = |set: &[u64]| {
            let mut keys = Vec::new();
            prefix(criterion, prefixes.order, set, &mut keys);
            let found: u64 = keys.iter().map(|key| prefixes.order.frequency(key.element)).sum();
            postings.fetch_add(found, Ordering::Relaxed);
        };
        let is_sampled = |place| places.binary_search(&place).is_ok();
        let bitmaps = Bitmaps::new(sets, &plan, is_sampled, count, progress)?;
        // From the sample of prefixes to all, and from the sample of document frequencies to all.
        let scale = |count: u64, of: u64, all: u64| {
            (u128::from(count) * u128::from(all) / u128::from(of.max(1))) as u64
        };
        let postings = scale(postings.into_inner(), places.len() as u64, plan.len() as u64);
        let postings = scale(postings, prefixes.sampled.into(), sets.len().into());
        let mut best = Self { plan, bitmaps, criterion, candidates: 0, postings };
        best.candidates = best.estimate();
        while let Some(plan) = best.plan.coarser() {
            stop_if_cancelled(progress)?;
            let bitmaps = best.bitmaps.folded(&best.plan, &plan);
            let mut coarser = Self { plan, bitmaps, ..best };
            coarser.candidates = coarser.estimate();
            if coarser.cost() >= best.cost() {
                break;
            }
            best = coarser;
        }
        Ok(best)
    }

    fn cost(&self) -> u64 {
        self.plan.cost(self.criterion, self.candidates)
    }

    /// Whether it is likely to cost less than an index, and to leave no more than `most`
    /// candidates.
    pub(crate) fn is_cheaper(&self, most: u64) -> bool {
        self.candidates <= most
            && self.cost() <= self.plan.cost_of_index(self.criterion, self.postings)
    }

    /// The number of candidates, by a sample of the sets: of every size, as sets of one size may
    /// have most candidates.
    fn estimate(&self) -> u64 {
        let sets = self.plan.len() as u64;
        let places = sample(self.plan.len());
        let found = places.par_iter().map(|&row| {
            let mut pairs = Vec::new();
            self.compare(row..row + 1, &mut pairs);
            pairs.len() as u64
        });
        found.sum::<u64>() * sets / places.len().max(1) as u64
    }

    fn tiles(&self) -> usize {
        self.plan.len().div_ceil(ROWS)
    }

    /// The pairs (later, earlier) of sets whose sizes and bitmaps allow a match, in order; `None`
    /// if there are more than `most`.
    ///
    /// O(pairs of similar sizes · bits of a bitmap / 128), on all threads.
    ///
    /// # Errors
    /// A cancellation.
    pub(crate) fn pairs(
        &self,
        most: u64,
        progress: &dyn Progress,
    ) -> Result<Option<Vec<(SetId, SetId)>>, JoinError> {
        let found = AtomicU64::new(0);
        let tile = |tile: usize| {
            stop_if_cancelled(progress)?;
            let mut pairs = Vec::new();
            if found.load(Ordering::Relaxed) <= most {
                let rows = tile * ROWS..self.plan.len().min((tile + 1) * ROWS);
                self.compare(rows, &mut pairs);
                found.fetch_add(pairs.len() as u64, Ordering::Relaxed);
            }
            Ok(pairs)
        };
        // Tiles of large sets take longest, and come first.
        let tiles = (0..self.tiles()).into_par_iter().rev().with_max_len(1);
        let parts = tiles.map(tile).collect::<Result<Vec<Vec<(SetId, SetId)>>, JoinError>>()?;
        // More than `most` are found in any order of the tiles, or in none.
        if found.into_inner() > most {
            return Ok(None);
        }
        let mut pairs = parts.concat();
        pairs.par_sort_unstable();
        Ok(Some(pairs))
    }

    /// Compares the sets at `rows` with all smaller ones of similar size.
    fn compare(&self, rows: Range<usize>, pairs: &mut Vec<(SetId, SetId)>) {
        let Self { plan, bitmaps, criterion, .. } = self;
        Tile { plan, bitmaps, criterion: *criterion, rows }.compare(pairs);
    }
}

/// Places of [`SAMPLED`] sets, or of all: of every size.
fn sample(sets: usize) -> Vec<usize> {
    let sampled = SAMPLED.min(sets);
    (0..sampled).map(|number| (2 * number + 1) * sets / (2 * sampled)).collect()
}

/// Some sets that are compared with all smaller ones of similar size.
struct Tile<'a> {
    plan: &'a Plan,
    bitmaps: &'a Bitmaps,
    criterion: Criterion,
    rows: Range<usize>,
}

impl Tile<'_> {
    fn compare(&self, pairs: &mut Vec<(SetId, SetId)>) {
        let Self { plan, bitmaps, criterion, ref rows } = *self;
        let groups = &plan.groups;
        // The larger a set, the larger the smallest one that it can match.
        let firsts: Vec<usize> = rows.clone().map(|row| plan.first_match(criterion, row)).collect();
        let from = groups.partition_point(|group| group.end <= firsts[0]);
        let mut length = 0;
        let (mut of_sizes, mut most) = ((0, 0, 0), 0);
        let (mut folded, mut own) = (Vec::new(), Vec::new());
        for group in groups[from..].iter().take_while(|group| group.start < rows.end) {
            let blocks = plan.blocks(group.start).len();
            if blocks != length {
                length = blocks;
                folded.clear();
                folded.resize(rows.len() * blocks * BLOCK, 0);
                for (row, folded) in rows.clone().zip(folded.chunks_exact_mut(blocks * BLOCK)) {
                    // The first rows may be smaller than the last columns, which are not compared
                    // with them.
                    if plan.blocks(row).len() >= blocks {
                        bitmaps.copy(plan, row, &mut own);
                        fold(&own, folded);
                    }
                }
            }
            let group_bitmaps = bitmaps.of_group(plan, group);
            let rows = rows.clone().zip(&firsts).zip(folded.chunks_exact(blocks * BLOCK));
            for ((row, &first), bitmap) in rows {
                let columns = group.start.max(first)..group.end.min(row);
                if columns.is_empty() {
                    continue;
                }
                // Mostly the same as for the row before: sets of adjacent rows are of one size.
                let (first, last) = (plan.sizes[columns.start], plan.sizes[columns.end - 1]);
                let sizes = (plan.sizes[row], first, last);
                if sizes != of_sizes {
                    (of_sizes, most) = (sizes, most_differing(criterion, sizes));
                }
                let mut near = near(bitmap, group_bitmaps, most);
                // Others of the group are of another size, or come after the row.
                near &= u64::MAX << (columns.start - group.start);
                near &= u64::MAX >> (u64::BITS as usize - (columns.end - group.start));
                while near != 0 {
                    let column = group.start + near.trailing_zeros() as usize;
                    near &= near - 1;
                    let (a, b) = (plan.sets[row], plan.sets[column]);
                    pairs.push((a.max(b), a.min(b)));
                }
            }
        }
    }
}

/// In how many elements a set of `size` elements differs at most from any of those of `first` to
/// `last` elements that it matches.
fn most_differing(criterion: Criterion, (size, first, last): (u32, u32, u32)) -> u32 {
    let with = |other: u32| {
        let needed = criterion.needed_overlap(size, other);
        (u64::from(size) + u64::from(other)).saturating_sub(2 * u64::from(needed))
    };
    // Before rounding, the needed overlap is linear in the other size or concave, so that the
    // difference is largest at one of the ends. Rounding it up takes less than 2 from the
    // difference.
    let most = with(first).max(with(last)) + if first == last { 0 } else { 2 };
    u32::try_from(most).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DfSketch, InMemorySets, Silent};
    use lookalike_core::Measure;
    use lookalike_core::fingerprint::finalise;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn with_join<T>(
        sets: &[Vec<u64>],
        criterion: Criterion,
        least: u32,
        test: impl FnOnce(&BitmapJoin) -> T,
    ) -> Option<T> {
        let mut offsets = vec![0u64];
        for set in sets {
            offsets.push(offsets[offsets.len() - 1] + set.len() as u64);
        }
        let elements = sets.concat();
        let sets = InMemorySets::new(&offsets, &elements).unwrap();
        let plan = Plan::new(&sets, criterion, least)?;
        let order = DfSketch::for_elements(1, 0).freeze();
        let prefixes = Prefixes { order: &order, sampled: 1 };
        Some(test(&BitmapJoin::new(&sets, plan, criterion, &prefixes, &Silent).unwrap()))
    }

    fn overlap(a: &[u64], b: &[u64]) -> u32 {
        let a: BTreeSet<_> = a.iter().collect();
        b.iter().filter(|element| a.contains(element)).count() as u32
    }

    /// Variants of a few sets, of sizes around the lengths at which bitmaps double; and strangers.
    fn sets() -> impl Strategy<Value = Vec<Vec<u64>>> {
        let set = (0u64..4, 1u64..1500, 0u64..200).prop_map(|(family, size, change)| {
            let own = (0..size).map(|n| finalise(family << 32 | n));
            let other = (0..change).map(|n| finalise(size << 40 | change << 20 | n));
            own.chain(other).collect()
        });
        prop::collection::vec(set, 1..150)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        /// No match is lost, whatever lies between the sizes; the others are few.
        #[test]
        fn all_matches_are_among_the_pairs(
            sets in sets(), thousandths in 400u32..=1000, least in 0u32..50,
            measure in prop::sample::select(vec![Measure::Resemblance, Measure::Cosine]),
        ) {
            let threshold = format!("{}.{:03}", thousandths / 1000, thousandths % 1000).parse().unwrap();
            let criterion = Criterion { measure, threshold };
            let tested = with_join(&sets, criterion, least, |join| {
                let found = join.pairs(u64::MAX, &Silent).unwrap().unwrap();
                prop_assert!(found.is_sorted_by(|a, b| a < b));
                let found: BTreeSet<(SetId, SetId)> = found.into_iter().collect();
                let mut matches = 0;
                for later in 0..sets.len() {
                    for earlier in 0..later {
                        let (x, y) = (&sets[later], &sets[earlier]);
                        let (a, b) = (x.len() as u32, y.len() as u32);
                        let shared = overlap(x, y);
                        let pair = (SetId(later as u32), SetId(earlier as u32));
                        if a.min(b) < least {
                            prop_assert!(!found.contains(&pair));
                        } else if shared > 0 && criterion.needed_overlap(a, b) <= shared {
                            prop_assert!(found.contains(&pair), "{a} and {b} elements share {shared}");
                            matches += 1;
                        }
                    }
                }
                // The limit is exact.
                let most = found.len() as u64;
                let with = |most| join.pairs(most, &Silent).unwrap();
                prop_assert!(with(most).is_some() && (most == 0 || with(most - 1).is_none()));
                prop_assert!(most >= matches);
                Ok(())
            });
            tested.unwrap_or(Ok(()))?;
        }
    }

    /// Sets as unlike as the plan assumes: the bitmaps reject nearly all.
    #[test]
    fn unrelated_sets_are_rejected() {
        let set = |n: u64| {
            let size = 900 + n * 7 % 300;
            let shared = (0..size / 4).map(finalise);
            shared.chain((size / 4..size).map(|at| finalise(n << 32 | at))).collect::<Vec<_>>()
        };
        let sets: Vec<Vec<u64>> = (1..500).map(set).collect();
        for (measure, threshold) in [(Measure::Resemblance, "0.8"), (Measure::Cosine, "0.8")] {
            let criterion = Criterion { measure, threshold: threshold.parse().unwrap() };
            let found = with_join(&sets, criterion, 0, |join| {
                join.pairs(u64::MAX, &Silent).unwrap().unwrap().len()
            });
            assert!(found.unwrap() < 20, "{measure:?}: {found:?}");
        }
    }
}
