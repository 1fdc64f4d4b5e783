//! Units in; the keys that each looks under and is found under, by value, out.

use crate::buckets::{AllKeys, Buckets, Room};
use crate::census::Census;
use crate::chunk_sets::{Part, Set};
use crate::passes::Passes;
use crate::postings::{ANYWHERE, ExtendedPrefix, Posting};
use crate::{Collection, EngineError, MatchSettings, Units};
use lookalike_core::divide;
use lookalike_core::features::MANY;
use lookalike_join::{DfSketch, PrefixFilter, PrefixScratch};
use rayon::prelude::*;
use std::io;

/// Chooses the sample of which document frequencies are counted: the same for all runs, as the numbers of candidates
/// are reported.
const SAMPLE_SEED: u64 = 0;

/// Bytes in which elements are counted at least: with less of them the sets would be passed over too often.
const LEAST_COUNTED: u64 = 16 << 20;

/// The keys that units look under and, where those are others, the keys that they are found under. Nearly
/// all that only one unit has are left out.
///
/// Passes over a sample of the sets, twice over their front parts, and for containment once more over all. `memory`
/// bounds the keys in memory, in bytes, and half of what is written down to count: with less of it, sets are passed
/// over more often.
pub(crate) fn prefix_keys(
    collection: &Collection,
    units: &Units,
    settings: &MatchSettings,
    memory: u64,
) -> Result<(AllKeys, Option<AllKeys>, ExtendedPrefix), EngineError> {
    let passes = Passes::new(collection, units);
    let elements = (0..units.len()).map(|unit| u64::from(units.size(unit))).sum();
    let mut sketch = DfSketch::for_elements(elements, SAMPLE_SEED);
    count_sample(&mut sketch, &passes, units)?;
    let order = sketch.freeze();
    let filter = PrefixFilter::new(settings.criterion(), &order);

    let arranged = collection.store.arranged() == Some(filter.bound);
    let part = if arranged { Part::Front } else { Part::Whole };
    let low = ((u128::from(elements) * u128::from(filter.bound)) >> 64) as u64;
    let pass = |task, own: &mut Own, give: &mut dyn FnMut(&[u64])| match arranged {
        true => passes.low(task, give),
        false => passes.task(task, part, |_, set| {
            give(own.split(set, filter.bound)?.0);
            Ok(())
        }),
    };
    let counting = memory.saturating_mul(2).max(LEAST_COUNTED);
    let census = Census::new(passes.tasks(), filter.bound, low, counting, pass)?;
    let probe = |(scratch, own): &mut (PrefixScratch, Own), task| {
        let (mut out, mut reader) = (Buckets::default(), census.reader(task));
        passes.task(task, part, |unit, set| {
            let is_singleton = |element| reader.once(element);
            let size = units.size(unit);
            // The census is read element by element, so those of excluded sets are looked up as well.
            let compared = !settings.excludes(size);
            let emit = |position, value| {
                if compared {
                    out.push(value, Posting { unit, position });
                }
            };
            let mut failed = None;
            if arranged {
                let high = || {
                    set.high.get().unwrap_or_else(|error| {
                        failed = Some(error);
                        &[]
                    })
                };
                // Those of large documents are in order, and copies of them take too much memory.
                match size as usize > MANY {
                    true => {
                        filter.prefix_of_ascending(size, set.low, high, is_singleton, emit);
                    }
                    false => filter.prefix(size, set.low, high, scratch, is_singleton, emit),
                }
            } else {
                let (low, high) = own.split(set, filter.bound)?;
                filter.prefix(size, low, || high, scratch, is_singleton, emit);
            }
            if size as usize > MANY {
                (*scratch, *own) = Default::default();
            }
            failed.map_or(Ok(()), Err)
        })?;
        Ok(out)
    };
    let room = Room { bytes: memory, folder: collection.scratch_folder() };
    let jobs = jobs(&passes);
    let jobs = || jobs.par_iter().with_max_len(1);
    let probes = jobs().flat_map_iter(|tasks| {
        let (mut scratch, probe) = (Default::default(), &probe);
        tasks.iter().map(move |&task| probe(&mut scratch, task))
    });
    let probes = AllKeys::collect(probes, &room)?;
    drop(census);
    if settings.measure.is_symmetric() {
        return Ok((probes, None, ExtendedPrefix(order.is_small_vocabulary())));
    }
    let probed = Probed::new(&probes)?;
    let post = |&task: &u32| {
        let mut out = Buckets::default();
        passes.task(task, Part::Whole, |unit, set| {
            if settings.excludes(units.size(unit)) {
                return Ok(());
            }
            let values = set.low.iter().chain(set.high.get()?);
            for &value in values.filter(|&&value| probed.may_hold(value)) {
                out.push(value, Posting { unit, position: ANYWHERE });
            }
            Ok(())
        })?;
        Ok(out)
    };
    let posts = AllKeys::collect(jobs().flat_map_iter(|tasks| tasks.iter().map(post)), &room)?;
    Ok((probes, Some(posts), ExtendedPrefix::default()))
}

/// The tasks, each by itself, but for those of large documents: they are done one after the other, so that the keys
/// of one are in memory at a time.
fn jobs(passes: &Passes<'_>) -> Vec<Vec<u32>> {
    let (large, small): (Vec<u32>, Vec<u32>) =
        (0..passes.tasks()).partition(|&task| passes.has_large(task));
    std::iter::once(large).chain(small.into_iter().map(|task| vec![task])).collect()
}

/// The set of one unit, arranged for another order than the one that the collection was read for.
#[derive(Default)]
struct Own {
    low: Vec<u64>,
    high: Vec<u64>,
}

impl Own {
    /// The elements up to the bound, and the others.
    fn split(&mut self, set: Set<'_>, bound: u64) -> io::Result<(&[u64], &[u64])> {
        let Self { low, high } = self;
        low.clear();
        high.clear();
        divide(bound, set.low, low, high);
        divide(bound, set.high.get()?, low, high);
        Ok((low, high))
    }
}

/// Elements whose counters are written down together, about.
const MOST_WRITTEN: usize = 1 << 22;

/// Counts the elements of a sample of the sets. Each thread collects the counters of its sets by the part of the
/// sketch that holds them, and then counts one part.
///
/// The sample has runs of documents with adjacent numbers, whose sets are mostly adjacent on disk.
fn count_sample(
    sketch: &mut DfSketch,
    passes: &Passes<'_>,
    units: &Units,
) -> Result<(), EngineError> {
    let threads = rayon::current_num_threads();
    let part = sketch.part(threads);
    let tasks: Vec<u32> = (0..passes.tasks()).collect();
    // What is written down of large documents takes half as much as their sets.
    let mut written = 0;
    let together = tasks.chunk_by(|&task, _| {
        written += passes.elements(task).max(MOST_WRITTEN / (2 * threads));
        let goes_on = written < MOST_WRITTEN;
        written *= usize::from(goes_on);
        goes_on
    });
    for tasks in together {
        let counting = &*sketch;
        let write_down = |&task: &u32| {
            let mut counters = vec![Vec::new(); threads];
            for chunk in passes.chunks(task) {
                let takes = |unit| counting.takes(units.members(unit)[0].into());
                passes.few(chunk, takes, |set| {
                    for counter in set.iter().map(|&value| counting.counter(value)) {
                        counters[counter as usize / part].push(counter);
                    }
                })?;
            }
            Ok(counters)
        };
        let written: Vec<Vec<Vec<u32>>> =
            tasks.par_iter().with_max_len(1).map(write_down).collect::<Result<_, EngineError>>()?;
        let parts: Vec<_> = sketch.parts(threads).enumerate().collect();
        parts.into_par_iter().for_each(|(part, mut own)| {
            written.iter().flat_map(|task| &task[part]).for_each(|&counter| own.add(counter));
        });
    }
    Ok(())
}

/// Bits for each probed key.
const FILTER_BITS: usize = 16;

/// Says of almost every value that nobody probes that nobody does.
struct Probed {
    bits: Vec<u64>,
    mask: u64,
}

impl Probed {
    fn new(probes: &AllKeys) -> Result<Self, EngineError> {
        let bits = (probes.len() as usize * FILTER_BITS).next_power_of_two().max(64);
        let mut filter = Self { bits: vec![0; bits / 64], mask: bits as u64 - 1 };
        probes.for_each_value(|value| {
            let bit = value & filter.mask;
            filter.bits[(bit / 64) as usize] |= 1 << (bit % 64);
        })?;
        Ok(filter)
    }

    fn may_hold(&self, value: u64) -> bool {
        let bit = value & self.mask;
        self.bits[(bit / 64) as usize] >> (bit % 64) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::{HeldSets, SharedSets};
    use crate::buckets::for_each_bucket;
    use lookalike_core::Halves;
    use lookalike_core::fingerprint::finalise;
    use lookalike_join::prefix;

    /// All keys of a collection, those that are posted behind those that are probed.
    fn keys(collection: &Collection, settings: &MatchSettings) -> Vec<(u64, Posting)> {
        let units = Units::new(collection, &[], settings.measure).unwrap();
        let (probes, posts, _) = prefix_keys(collection, &units, settings, u64::MAX).unwrap();
        let mut all = Vec::new();
        for side in std::iter::once(probes).chain(posts) {
            let each = |bucket| {
                all.extend(bucket);
                Ok(())
            };
            for_each_bucket([side], |[bucket]: [Vec<_>; 1]| bucket, each).unwrap();
        }
        all
    }

    /// Sets as they were read for this run, for a run with another bound, and in the order of their text.
    #[test]
    fn the_keys_are_the_same_however_sets_lie() {
        let set = |n: u64| (0..90).map(move |i| finalise(1 + (n / 3) * 70 + i * (1 + n % 2)));
        let sets: Vec<Vec<u64>> = (0..300).map(|n| set(n).collect()).collect();
        for threshold in ["0.5", "0.8", "1"] {
            let settings = MatchSettings::resemblance(threshold.parse().unwrap());
            let containment =
                MatchSettings { measure: lookalike_core::Measure::Containment, ..settings.clone() };
            for settings in [settings, containment] {
                let own = prefix::bound(settings.criterion());
                let mut collection = Collection::of_sets(sets.clone());
                let expected = keys(&collection, &settings);
                assert!(!expected.is_empty());
                for bound in [own, 1 << 60] {
                    for chunk in &mut collection.blocks {
                        let held = chunk.sets.get().unwrap();
                        let sets =
                            (0..chunk.ends.len() as u32).map(|index| chunk.get(&held, index));
                        let elements: Vec<u64> = sets.flat_map(Halves::iter).collect();
                        let sets = HeldSets::arranged(Some(bound), &chunk.ends, &elements);
                        chunk.sets = SharedSets::new(sets);
                    }
                    collection.store.arrange(Some(bound), 0);
                    assert!(keys(&collection, &settings) == expected, "{threshold} {bound}");
                }
            }
        }
    }
}
