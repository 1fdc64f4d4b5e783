//! Leader clustering (Hartigan 1975): units in order of precedence; a unit is removed when a *kept* one
//! matches it, and is kept otherwise.
//!
//! The kept units are those of the greedy choice over all pairs, but removed units are never compared
//! again. Chains do not connect units that do not match: every removed unit matches its witness, which
//! [`WitnessRule`] chooses among the kept units before it. Kept units are met in order of precedence
//! and verified one by one, so that the search for the first match ends with it.
//!
//! Units are taken in blocks. All units of a block are compared, in parallel, with those kept before
//! it; then those that share keys with units of their own block are settled one after the other. The
//! block size changes the work and not the result.

use crate::judge::{Edge, Judge, Tally};
use crate::kept::{Kept, Meeting};
use crate::postings::{Key, Posting, Postings};
use crate::{Progress, Units, WitnessRule, WitnessSearch};
use rayon::prelude::*;
use std::ops::Range;

/// Units compared in parallel at a time.
pub(crate) const BLOCK: u32 = 4096;

/// Which units are kept, and how a witness is chosen.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LeaderOptions {
    pub(crate) witness: WitnessRule,
    /// Only protected units can be witnesses.
    pub(crate) only_protected: bool,
}

/// The edge from every removed unit to its witness, in the order of the removed units. Protected units
/// are kept without a comparison; with `only_protected`, no other unit becomes a witness.
pub(crate) fn leaders(
    units: &Units,
    judge: &impl Judge,
    postings: &Postings,
    options: LeaderOptions,
    tally: &Tally,
    progress: &dyn Progress,
) -> Vec<Edge> {
    let LeaderOptions { witness, only_protected } = options;
    let protected = units.protected();
    let count = units.len();
    let mut kept = Kept::new(postings, count);
    let mut edges = Vec::new();
    // Units without keys cannot be candidates.
    let keep = |kept: &mut Kept<'_, _>, unit: u32| {
        if postings.takes_part(unit) {
            kept.post(unit, judge.glance(unit));
        }
    };
    (0..protected).for_each(|unit| keep(&mut kept, unit));
    // Continues a search among the kept units from slot `from` on.
    let seek = |kept: &Kept<'_, _>,
                unit: u32,
                from: u32,
                meeting: &mut Meeting,
                search: &mut WitnessSearch<Edge>| {
        if search.is_over() {
            return;
        }
        let keys = postings
            .probes(unit)
            .iter()
            .copied()
            .filter(|key| judge.in_reach(unit, key.position, postings.least_size(key.group)));
        let own = judge.glance(unit);
        let mut met = 0;
        // Most chance candidates are too small or share the key too late: a look at the size suffices.
        let may = |key: Key, other: &Posting| {
            judge.could_match(unit, key.position, (units.size(other.unit), other.position))
        };
        kept.meet(keys, from, meeting, may, |candidate, other| {
            met += 1;
            search.offer(|so_far| judge.improve(unit, candidate, (own, other), so_far))
        });
        tally.met(met);
    };
    let mut settling = Meeting::default();
    let mut start = protected;
    while start < count && !progress.cancelled() {
        let end = count.min(start.saturating_add(BLOCK));
        let compared: Vec<(WitnessSearch<Edge>, bool)> = (start..end)
            .into_par_iter()
            .map_init(Meeting::default, |meeting, unit| {
                let mut search = WitnessSearch::new(witness);
                seek(&kept, unit, 0, meeting, &mut search);
                let goes_on = !only_protected && !search.is_over();
                (search, goes_on && meets(postings, unit, start..unit))
            })
            .collect();
        let before = kept.len();
        for (unit, (mut search, meets_block)) in (start..end).zip(compared) {
            if meets_block && kept.len() > before {
                seek(&kept, unit, before, &mut settling, &mut search);
            }
            match search.witness() {
                Some(edge) => edges.push(edge),
                None if !only_protected => keep(&mut kept, unit),
                None => {}
            }
        }
        progress.advance(u64::from(end - start), 0);
        start = end;
    }
    edges
}

/// Whether the unit shares a key with any unit in `range`, kept or not.
fn meets(postings: &Postings, unit: u32, range: Range<u32>) -> bool {
    postings.probes(unit).iter().any(|key| {
        let entries = &postings.entries()[postings.range(key.group)];
        !within(entries, range.clone()).is_empty()
    })
}

/// The part of a list, ordered by unit, whose units lie in a range.
fn within(list: &[Posting], range: Range<u32>) -> &[Posting] {
    let from = list.partition_point(|posting| posting.unit < range.start);
    let list = &list[from..];
    &list[..list.partition_point(|posting| posting.unit < range.end)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buckets::Room;
    use crate::judge::{Candidate, KeyJudge};
    use crate::{Collection, Silent};
    use lookalike_core::Measure;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// A measure of 0 to `values − 1` for any two units, and a threshold. Ties are frequent.
    #[derive(Debug, Clone, Copy)]
    struct TableJudge {
        seed: u64,
        values: u64,
        threshold: u32,
    }

    impl TableJudge {
        fn value(self, a: u32, b: u32) -> u32 {
            let pair = u64::from(a.min(b)) << 32 | u64::from(a.max(b));
            let mixed = (pair ^ self.seed).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            ((mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 33) as u32
                % self.values as u32
        }
    }

    impl Judge for TableJudge {
        type Glance = ();

        fn glance(&self, _unit: u32) {}

        fn improve(
            &self,
            unit: u32,
            candidate: Candidate,
            _glances: ((), ()),
            best: Option<Edge>,
        ) -> Option<Edge> {
            let with = candidate.unit;
            assert!(best.is_none_or(|best| best.with < with), "{with} after {best:?}");
            let shared = self.value(unit, with);
            let needed = best.map_or(self.threshold, |best| best.shared + 1);
            (shared >= needed).then_some(Edge { unit, with, shared })
        }
    }

    /// The edges by the definition of leader clustering and of the two rules.
    fn brute_force(
        keys: &[BTreeSet<u64>],
        rule: WitnessRule,
        value: impl Fn(u32, u32) -> Option<u32>,
    ) -> Vec<Edge> {
        let (mut kept, mut edges) = (Vec::new(), Vec::new());
        for unit in 0..keys.len() as u32 {
            let matches = kept.iter().filter_map(|&with: &u32| {
                let meet = !keys[unit as usize].is_disjoint(&keys[with as usize]);
                let shared = value(unit, with).filter(|_| meet)?;
                Some(Edge { unit, with, shared })
            });
            let witness = match rule {
                WitnessRule::First => matches.min_by_key(|edge| edge.with),
                WitnessRule::Best => {
                    matches.max_by_key(|edge| (edge.shared, std::cmp::Reverse(edge.with)))
                }
            };
            match witness {
                Some(edge) => edges.push(edge),
                None => kept.push(unit),
            }
        }
        edges
    }

    fn found(
        keys: &[BTreeSet<u64>],
        judge: &impl Judge,
        witness: WitnessRule,
        threads: usize,
    ) -> (Vec<Edge>, u64) {
        let count = keys.len() as u32;
        let collection = Collection::of_sets((0..u64::from(count)).map(|n| vec![n + 1]));
        let units = Units::new(&collection, &[], Measure::Resemblance).unwrap();
        let room = Room { bytes: u64::MAX, folder: std::env::temp_dir() };
        let postings = Postings::of_keys(count, None, &room, |unit, emit| {
            keys[unit as usize].iter().for_each(emit);
        });
        let (postings, tally) = (postings.unwrap(), Tally::default());
        let options = LeaderOptions { witness, only_protected: false };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let edges = pool.install(|| leaders(&units, judge, &postings, options, &tally, &Silent));
        (edges, tally.candidates())
    }

    fn check(keys: &[BTreeSet<u64>], judge: TableJudge, threads: &[usize]) {
        let value = |a, b| Some(judge.value(a, b)).filter(|&value| value >= judge.threshold);
        for rule in [WitnessRule::First, WitnessRule::Best] {
            let (truth, by_key) =
                (brute_force(keys, rule, value), brute_force(keys, rule, |_, _| Some(0)));
            let mut candidates = BTreeSet::new();
            for &threads in threads {
                let (edges, met) = found(keys, &judge, rule, threads);
                assert_eq!(edges, truth, "{rule:?} on {threads} threads");
                candidates.insert(met);
                assert_eq!(found(keys, &KeyJudge, rule, threads).0, by_key, "{rule:?} by key");
            }
            assert_eq!(candidates.len(), 1, "the work depends on the threads: {candidates:?}");
        }
    }

    proptest! {
        /// Keys that few and that nearly all units have; many matches and few.
        #[test]
        fn witnesses_are_those_of_the_definition(
            keys in prop::collection::vec(prop::collection::btree_set(0u64..40, 1..6), 2..300),
            seed in any::<u64>(), values in 1u64..40, share in 0.0..1.0f64,
        ) {
            let threshold = (share * values as f64) as u32;
            check(&keys, TableJudge { seed, values, threshold }, &[1, 3]);
        }
    }

    /// Units of several blocks whose first and best matches lie in earlier blocks and in their own.
    #[test]
    fn blocks_do_not_change_witnesses() {
        let count = 2 * BLOCK as usize + 700;
        // Every unit has a key of its family, which all blocks have, and one of its neighbours.
        let key = |unit: usize| BTreeSet::from([unit as u64 % 3, 10 + unit as u64 / 90]);
        let keys: Vec<_> = (0..count).map(key).collect();
        for threshold in [990, 999] {
            check(&keys, TableJudge { seed: 5, values: 1000, threshold }, &[1, 2, 4]);
        }
    }
}
