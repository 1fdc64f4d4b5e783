//! Keys of all sets: the prefix elements under which they are looked up and found.

use super::entry::{Entry, UNKNOWN};
use super::key_buckets::{AllKeys, Buckets};
use super::singletons::Singletons;
use crate::progress::stop_if_cancelled;
use crate::source::{Part, SetScan, SetSource};
use crate::{
    Criterion, DfSketch, ElementOrder, JoinError, PrefixFilter, PrefixScratch, Progress, SetId,
    SpillBudget, TaskId,
};
use lookalike_core::divide;
use lookalike_core::features::MANY;
use rayon::prelude::*;

/// Seed of the sample in which document frequencies are counted: always the same, as the numbers of
/// candidates are reported.
const SAMPLE_SEED: u64 = 0;

/// The fewest bytes in which elements are counted: with less, the sets would be scanned too often.
const LEAST_COUNTED: u64 = 16 << 20;

/// The keys of all sets.
pub(super) struct PrefixKeys {
    /// Those that sets are looked up under.
    pub(super) probes: AllKeys,
    /// Those that sets are found under, where they differ.
    pub(super) posts: Option<AllKeys>,
    /// Whether they are those of extended prefixes ([`Criterion::least_in_extended_prefix`]).
    pub(super) extended: bool,
}

/// Number of elements of all sets.
fn elements(sets: &impl SetSource) -> u64 {
    (0..sets.len()).map(|set| u64::from(sets.size(SetId(set)))).sum()
}

/// The element order by the document frequencies in a sample of the sets, which are scanned; and
/// their number.
pub(super) fn element_order(
    sets: &impl SetSource,
    scan: &impl SetScan,
    progress: &dyn Progress,
) -> Result<(ElementOrder, u32), JoinError> {
    let mut sketch = DfSketch::for_elements(elements(sets), SAMPLE_SEED);
    count_sample(&mut sketch, sets, scan, progress)?;
    let takes = |&set: &SetId| sketch.takes(sets.sample_number(set));
    let sampled = (0..sets.len()).map(SetId).filter(takes).count();
    Ok((sketch.freeze(), sampled as u32))
}

/// The keys of all sets. Nearly all singletons are left out. Sets smaller than `least_size` have no
/// keys.
///
/// Scans twice the front parts of all sets, and for containment once more all sets. `budget` bounds
/// the keys in memory, and half of the memory for counting; with less of it, sets are scanned more
/// often.
pub(super) fn prefix_keys(
    sets: &impl SetSource,
    scan: &impl SetScan,
    order: &ElementOrder,
    criterion: Criterion,
    least_size: u32,
    budget: &SpillBudget,
    progress: &dyn Progress,
) -> Result<PrefixKeys, JoinError> {
    let elements = elements(sets);
    let filter = PrefixFilter::new(criterion, order);

    let partitioned = scan.bound() == Some(filter.bound);
    let part = if partitioned { Part::Front } else { Part::Whole };
    let low = ((u128::from(elements) * u128::from(filter.bound)) >> 64) as u64;
    let each_low = |task, own: &mut Partitioned, give: &mut dyn FnMut(&[u64])| {
        let scanned = match partitioned {
            true => scan.visit_low(task, give),
            false => scan.visit(task, part, |_, low, high| {
                give(own.split(low, high.read()?, filter.bound).0);
                Ok(())
            }),
        };
        scanned.map_err(JoinError::from)
    };
    let counting = budget.bytes.saturating_mul(2).max(LEAST_COUNTED);
    let singletons =
        Singletons::new(scan.tasks(), filter.bound, low, counting, progress, each_low)?;
    let probe = |(scratch, own): &mut (PrefixScratch, Partitioned), task| {
        stop_if_cancelled(progress)?;
        let (mut out, mut reader) = (Buckets::default(), singletons.reader(task));
        scan.visit(task, part, |set, low, high| {
            let is_singleton = |element| reader.is_singleton(element);
            let size = sets.size(set);
            // The bits of all elements are read in sequence, those of sets that are not compared
            // included.
            let compared = size >= least_size;
            let emit = |position, value| {
                if compared {
                    out.push(value, Entry { set, position });
                }
            };
            let mut failed = None;
            if partitioned {
                let failed = &mut failed;
                let high = move || {
                    // Moves the reference, which must outlive the closure.
                    let high = high;
                    high.read().unwrap_or_else(|error| {
                        *failed = Some(error);
                        &[]
                    })
                };
                // Large sets are stored in ascending order, and copies of them take too much
                // memory.
                match size as usize > MANY {
                    true => filter.prefix_of_ascending(size, low, high, is_singleton, emit),
                    false => filter.prefix(size, low, high, scratch, is_singleton, emit),
                }
            } else {
                let (low, high) = own.split(low, high.read()?, filter.bound);
                filter.prefix(size, low, || high, scratch, is_singleton, emit);
            }
            if size as usize > MANY {
                (*scratch, *own) = Default::default();
            }
            failed.map_or(Ok(()), Err)
        })?;
        Ok(out)
    };
    let jobs = jobs(scan);
    let probes = jobs.par_iter().with_max_len(1).flat_map_iter(|tasks| {
        let (mut scratch, probe) = (Default::default(), &probe);
        tasks.iter().map(move |&task| probe(&mut scratch, task))
    });
    let probes = AllKeys::collect(probes, budget)?;
    drop(singletons);
    if criterion.measure.is_symmetric() {
        return Ok(PrefixKeys { probes, posts: None, extended: order.is_small_vocabulary() });
    }
    let posts = posted_keys(sets, scan, &probes, least_size, budget, progress)?;
    Ok(PrefixKeys { probes, posts: Some(posts), extended: false })
}

/// The keys under which all sets are found: those of their elements that some set is looked up
/// under.
fn posted_keys(
    sets: &impl SetSource,
    scan: &impl SetScan,
    probes: &AllKeys,
    least_size: u32,
    budget: &SpillBudget,
    progress: &dyn Progress,
) -> Result<AllKeys, JoinError> {
    let probed = ProbedValues::new(probes, progress)?;
    let post = |&task: &TaskId| {
        stop_if_cancelled(progress)?;
        let mut out = Buckets::default();
        scan.visit(task, Part::Whole, |set, low, high| {
            if sets.size(set) < least_size {
                return Ok(());
            }
            let values = low.iter().chain(high.read()?);
            for &value in values.filter(|&&value| probed.may_contain(value)) {
                out.push(value, Entry { set, position: UNKNOWN });
            }
            Ok(())
        })?;
        Ok(out)
    };
    let jobs = jobs(scan);
    let posts = jobs.par_iter().with_max_len(1);
    AllKeys::collect(posts.flat_map_iter(|tasks| tasks.iter().map(post)), budget)
}

/// One job for each task, but a single one for all tasks with large sets: the keys of one large set
/// are in memory at a time.
fn jobs(scan: &impl SetScan) -> Vec<Vec<TaskId>> {
    let (large, small): (Vec<TaskId>, Vec<TaskId>) =
        (0..scan.tasks()).map(TaskId).partition(|&task| scan.is_large(task));
    std::iter::once(large).chain(small.into_iter().map(|task| vec![task])).collect()
}

/// A copy of one set, partitioned at another bound than that of the source.
#[derive(Default)]
struct Partitioned {
    low: Vec<u64>,
    high: Vec<u64>,
}

impl Partitioned {
    /// The elements of both parts up to the bound, and the others.
    fn split(&mut self, first: &[u64], second: &[u64], bound: u64) -> (&[u64], &[u64]) {
        let Self { low, high } = self;
        low.clear();
        high.clear();
        divide(bound, first, low, high);
        divide(bound, second, low, high);
        (low, high)
    }
}

/// Elements whose counters are collected together, about.
const COLLECTED: usize = 1 << 22;

/// Counts the elements of a sample of the sets. Each thread collects the counters of its sets by
/// the part of the sketch that holds them, and then counts one part.
fn count_sample(
    sketch: &mut DfSketch,
    sets: &impl SetSource,
    scan: &impl SetScan,
    progress: &dyn Progress,
) -> Result<(), JoinError> {
    let threads = rayon::current_num_threads();
    let part = sketch.part(threads);
    let tasks: Vec<TaskId> = (0..scan.tasks()).map(TaskId).collect();
    // The counters of large sets take half as much memory as the sets.
    let mut collected = 0;
    let together = tasks.chunk_by(|&task, _| {
        collected += scan.elements(task).max(COLLECTED / (2 * threads));
        let goes_on = collected < COLLECTED;
        collected *= usize::from(goes_on);
        goes_on
    });
    for tasks in together {
        let counting = &*sketch;
        let collect = |&task: &TaskId| {
            stop_if_cancelled(progress)?;
            let mut counters = vec![Vec::new(); threads];
            let takes = |set| counting.takes(sets.sample_number(set));
            scan.visit_some(task, takes, |set| {
                for counter in set.iter().map(|&value| counting.counter(value)) {
                    counters[counter as usize / part].push(counter);
                }
            })?;
            Ok(counters)
        };
        let collected: Vec<Vec<Vec<u32>>> =
            tasks.par_iter().with_max_len(1).map(collect).collect::<Result<_, JoinError>>()?;
        let parts: Vec<_> = sketch.parts(threads).enumerate().collect();
        parts.into_par_iter().for_each(|(part, mut own)| {
            collected.iter().flat_map(|task| &task[part]).for_each(|&counter| own.add(counter));
        });
    }
    Ok(())
}

/// Bits for each probed key.
const FILTER_BITS: usize = 16;

/// A Bloom filter with one hash function: tells for almost every value that is not probed that it
/// is not.
struct ProbedValues {
    bits: Vec<u64>,
    mask: u64,
}

impl ProbedValues {
    fn new(probes: &AllKeys, progress: &dyn Progress) -> Result<Self, JoinError> {
        let bits = (probes.len() as usize * FILTER_BITS).next_power_of_two().max(64);
        let mut filter = Self { bits: vec![0; bits / 64], mask: bits as u64 - 1 };
        probes.for_each_value(progress, |value| {
            let bit = value & filter.mask;
            filter.bits[(bit / 64) as usize] |= 1 << (bit % 64);
        })?;
        Ok(filter)
    }

    fn may_contain(&self, value: u64) -> bool {
        let bit = value & self.mask;
        self.bits[(bit / 64) as usize] >> (bit % 64) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::super::key_buckets::for_each_bucket;
    use super::*;
    use crate::index::Key;
    use crate::source::{HighElements, InMemorySorted, SourceError};
    use crate::{ChunkId, InMemorySets, OffsetArrays, Silent};
    use lookalike_core::fingerprint::finalise;
    use lookalike_core::{Halves, Measure, SparseIndex};

    /// Sets that are partitioned at a bound, if there is one; tasks of one set each.
    #[derive(Clone)]
    struct PartitionedSets<'a> {
        sets: InMemorySets<OffsetArrays<'a, u64>>,
        bound: Option<u64>,
        parts: Vec<(Vec<u64>, Vec<u64>)>,
    }

    impl<'a> PartitionedSets<'a> {
        fn new(sets: InMemorySets<OffsetArrays<'a, u64>>, bound: Option<u64>) -> Self {
            let part = |set| {
                let (mut low, mut high) = (Vec::new(), Vec::new());
                match bound {
                    Some(bound) => divide(bound, sets.get(set), &mut low, &mut high),
                    None => high.extend_from_slice(sets.get(set)),
                }
                (low, high)
            };
            Self { sets, bound, parts: (0..sets.len()).map(SetId).map(part).collect() }
        }
    }

    impl<'s> SetSource for PartitionedSets<'s> {
        type Scan<'a>
            = &'a Self
        where
            Self: 'a;
        type Sorted<'a>
            = InMemorySorted<'a, OffsetArrays<'s, u64>>
        where
            Self: 'a;

        fn len(&self) -> u32 {
            self.sets.len()
        }

        fn size(&self, set: SetId) -> u32 {
            self.sets.size(set)
        }

        fn chunks(&self) -> u32 {
            self.sets.chunks()
        }

        fn chunk_of(&self, set: SetId) -> ChunkId {
            self.sets.chunk_of(set)
        }

        fn scan(&self) -> &Self {
            self
        }

        fn sorted<S: Send>(
            &self,
            wanted: &SparseIndex,
            limit: u64,
            states: Vec<S>,
            visit: impl Fn(&mut S, SetId, Halves<'_>) -> Result<(), SourceError> + Sync,
            done: impl FnMut(S),
        ) -> Result<InMemorySorted<'_, OffsetArrays<'s, u64>>, SourceError> {
            self.sets.sorted(wanted, limit, states, visit, done)
        }
    }

    impl SetScan for &PartitionedSets<'_> {
        fn bound(&self) -> Option<u64> {
            self.bound
        }

        fn tasks(&self) -> u32 {
            self.sets.len()
        }

        fn elements(&self, task: TaskId) -> usize {
            self.sets.get(SetId(task.0)).len()
        }

        fn is_large(&self, task: TaskId) -> bool {
            task.0.is_multiple_of(3)
        }

        fn visit(
            &self,
            task: TaskId,
            _part: Part,
            mut visit: impl FnMut(SetId, &[u64], &mut dyn HighElements) -> Result<(), SourceError>,
        ) -> Result<(), SourceError> {
            let (low, high) = &self.parts[task.index()];
            visit(SetId(task.0), low, &mut &**high)
        }

        fn visit_low(
            &self,
            task: TaskId,
            mut visit: impl FnMut(&[u64]),
        ) -> Result<(), SourceError> {
            visit(&self.parts[task.index()].0);
            Ok(())
        }

        fn visit_some(
            &self,
            task: TaskId,
            wanted: impl Fn(SetId) -> bool,
            mut visit: impl FnMut(&[u64]),
        ) -> Result<(), SourceError> {
            let set = SetId(task.0);
            if wanted(set) {
                visit(self.sets.get(set));
            }
            Ok(())
        }
    }

    /// All keys, the posts after the probes.
    fn keys(sets: &impl SetSource, criterion: Criterion) -> Vec<Key> {
        let scan = sets.scan();
        let (order, _) = element_order(sets, &scan, &Silent).unwrap();
        let budget = SpillBudget::unlimited();
        let PrefixKeys { probes, posts, .. } =
            prefix_keys(sets, &scan, &order, criterion, 0, &budget, &Silent).unwrap();
        let mut all = Vec::new();
        for side in std::iter::once(probes).chain(posts) {
            let each = |bucket| {
                all.extend(bucket);
                Ok(())
            };
            for_each_bucket([side], &Silent, |[bucket]: [Vec<_>; 1]| bucket, each).unwrap();
        }
        all
    }

    /// Sets that are partitioned at the bound of the criterion, at another one, and not at all.
    #[test]
    fn keys_do_not_depend_on_the_storage_of_sets() {
        let set = |n: u64| (0..90).map(move |i| finalise(1 + (n / 3) * 70 + i * (1 + n % 2)));
        let elements: Vec<u64> = (0..300).flat_map(set).collect();
        let offsets: Vec<u64> = (0..=300).map(|set| set * 90).collect();
        let sets = InMemorySets::new(&offsets, &elements).unwrap();
        for threshold in ["0.5", "0.8", "1"] {
            for measure in [Measure::Resemblance, Measure::Containment] {
                let criterion = Criterion { measure, threshold: threshold.parse().unwrap() };
                let expected = keys(&sets, criterion);
                assert!(!expected.is_empty());
                for bound in [Some(crate::prefix::bound(criterion)), Some(1 << 60), None] {
                    let sets = PartitionedSets::new(sets, bound);
                    assert!(keys(&sets, criterion) == expected, "{threshold} {bound:?}");
                }
            }
        }
    }
}
