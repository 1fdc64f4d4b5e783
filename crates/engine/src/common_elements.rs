//! Finds the elements that more than N distinct feature sets have (Broder 1997, "Common shingles"),
//! by partitioned counting: elements are partitioned by their top bits, and each pass over the sets
//! counts as many partitions as fit in the memory budget. Exact, and the same for any number of
//! threads, any budget and any order of the documents.

use crate::passes::Passes;
use crate::poll::Poll;
use crate::{Collection, EngineError, Progress, Units};
use lookalike_core::CommonElements;
use lookalike_join::{Part, SetScan, TaskId};
use rayon::prelude::*;

/// Bytes that are used at least: fewer would only take more passes.
pub(crate) const LEAST: u64 = 1 << 16;

/// Bytes for an element while it is counted: the element, and the spare capacity of growing arrays.
const ELEMENT: u64 = 2 * 8;

/// Partitions of a round.
pub(crate) const PARTITIONS: usize = 256;

/// The values of one round, `width` of them for each partition.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Round {
    first: u64,
    last: u64,
    width: u64,
}

impl Round {
    /// Range of values of round `number`.
    pub(crate) fn new(number: u64, rounds: u64) -> Self {
        let bound = |number: u64| ((u128::from(number) << 64) / u128::from(rounds)) as u64;
        let first = bound(number);
        let last = if number + 1 == rounds { u64::MAX } else { bound(number + 1) - 1 };
        Self { first, last, width: (last - first) / PARTITIONS as u64 + 1 }
    }

    /// The partition of a value; `None` if it is of another round.
    pub(crate) fn partition(self, value: u64) -> Option<usize> {
        (self.first..=self.last)
            .contains(&value)
            .then(|| ((value - self.first) / self.width) as usize)
    }
}

/// The elements that more than `most` of the units' sets have. Uses approximately `memory` bytes
/// besides the result.
///
/// Runs on the rayon pool it is called in.
///
/// # Errors
/// A temporary file that cannot be read, or an interruption.
pub fn common_elements(
    collection: &Collection,
    units: &Units,
    most: u32,
    memory: u64,
    progress: &dyn Progress,
) -> Result<CommonElements, EngineError> {
    let elements: u64 = units.ids().map(|unit| u64::from(units.size(unit))).sum();
    let rounds = (elements * ELEMENT).div_ceil(memory.max(LEAST)).max(1);
    let passes = Passes::new(collection, units);
    let (mut common, poll) = (Vec::new(), Poll::new(progress));
    progress.phase("counting common", Some(rounds * u64::from(passes.tasks())));
    for number in 0..rounds {
        let round = Round::new(number, rounds);
        let gathered: Vec<Vec<Vec<u64>>> = (0..passes.tasks())
            .into_par_iter()
            .with_max_len(1)
            .map(TaskId)
            .map(|task| {
                poll.now()?;
                let mut partitions = vec![Vec::new(); PARTITIONS];
                passes.visit(task, Part::Whole, |_, low, high| {
                    for &value in low.iter().chain(high.read()?) {
                        if let Some(partition) = round.partition(value) {
                            partitions[partition].push(value);
                        }
                    }
                    Ok(())
                })?;
                progress.advance(1, 0);
                Ok(partitions)
            })
            .collect::<Result<_, EngineError>>()?;
        let counted = (0..PARTITIONS).into_par_iter().map(|partition| {
            poll.now()?;
            let mut values: Vec<u64> = Vec::new();
            gathered.iter().for_each(|task| values.extend_from_slice(&task[partition]));
            values.sort_unstable();
            let runs =
                values.chunk_by(|a, b| a == b).filter(|run| run.len() as u64 > u64::from(most));
            Ok(runs.map(|run| run[0]).collect::<Vec<u64>>())
        });
        common.extend(counted.collect::<Result<Vec<_>, EngineError>>()?.into_iter().flatten());
    }
    Ok(CommonElements::new(common))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use lookalike_core::Measure;
    use lookalike_core::fingerprint::finalise;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    proptest! {
        /// Against the definition, over distinct sets, in one round and in several.
        #[test]
        fn elements_of_more_than_n_distinct_sets(
            sets in prop::collection::vec(prop::collection::btree_set(0u64..30, 0..12), 0..60),
            most in 0u32..12,
        ) {
            let sets: Vec<Vec<u64>> =
                sets.iter().map(|set| set.iter().map(|&value| finalise(value)).collect()).collect();
            let distinct: BTreeSet<BTreeSet<u64>> =
                sets.iter().map(|set| set.iter().copied().collect()).collect();
            let mut holders: BTreeMap<u64, u32> = BTreeMap::new();
            distinct.iter().flatten().for_each(|&value| *holders.entry(value).or_default() += 1);
            let truth: Vec<u64> =
                holders.into_iter().filter(|&(_, sets)| sets > most).map(|(value, _)| value).collect();
            let collection = Collection::of_sets(sets);
            let units = Units::new(&collection, &[], Measure::Resemblance, &Silent).unwrap();
            let found = common_elements(&collection, &units, most, u64::MAX, &Silent).unwrap();
            prop_assert_eq!(found.elements(), truth);
        }
    }

    #[test]
    fn rounds_share_out_all_values() {
        for rounds in [1, 2, 3, 7, 1000] {
            let mut next = 0u64;
            for number in 0..rounds {
                let round = Round::new(number, rounds);
                assert_eq!(round.first, next);
                assert_eq!(round.partition(round.first), Some(0));
                assert!(round.partition(round.last).is_some_and(|last| last < PARTITIONS));
                assert!(number + 1 == rounds || round.partition(round.last + 1).is_none());
                next = round.last.wrapping_add(1);
            }
            assert_eq!(next, 0);
        }
    }

    /// More elements than one round can count.
    #[test]
    fn a_small_budget_changes_nothing() {
        let sets: Vec<Vec<u64>> = (0..400u64)
            .map(|set| {
                (0..60)
                    .map(|at| finalise(if at < 9 { at * 40 + set % 40 } else { set * 60 + at }))
                    .collect()
            })
            .collect();
        let collection = Collection::of_sets(sets);
        let units = Units::new(&collection, &[], Measure::Resemblance, &Silent).unwrap();
        let find = |memory| common_elements(&collection, &units, 9, memory, &Silent).unwrap();
        let (one, many) = (find(u64::MAX), find(1));
        assert_eq!(one, many);
        assert_eq!(one.elements().len(), 360);
        const { assert!(400 * 60 * ELEMENT > LEAST, "several rounds") };
    }
}
