//! Bucket sort of the keys of all sets by value, external where they exceed the memory budget.
//!
//! The top bits of a value choose its bucket when the key is emitted. A bucket is sorted in the
//! cache and freed before the bucket after the next few is taken. Keys beyond the budget are
//! spilled task by task and read back bucket by bucket.

use super::entry::{Entry, Key};
use crate::progress::stop_if_cancelled;
use crate::{JoinError, Progress, SetId, SpillBudget};
use lookalike_core::SpreadSort;
use lookalike_core::features::MANY;
use lookalike_core::fingerprint::finalise;
use lookalike_spill::{Frame, SpillFile};
use rayon::prelude::*;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// The fewest sets in a task.
pub(crate) const SETS_PER_TASK: u32 = 2048;

/// Tasks for each thread: some take longer than others.
const TASKS_PER_THREAD: u32 = 16;

/// The most sets in a task, whose keys are in memory until the task is done.
const MOST_SETS_PER_TASK: u32 = 1 << 16;

/// Keys of the sets of one task, by the top bits of their values. One bucket is sorted at a time.
#[derive(Debug)]
pub(crate) struct Buckets {
    by_value: Vec<Vec<Key>>,
}

/// Bits of a value that choose its bucket.
const BUCKET_BITS: u32 = 8;

impl Default for Buckets {
    fn default() -> Self {
        Self { by_value: vec![Vec::new(); 1 << BUCKET_BITS] }
    }
}

impl Buckets {
    #[inline]
    pub(crate) fn push(&mut self, value: u64, entry: Entry) {
        self.by_value[(value >> (64 - BUCKET_BITS)) as usize].push((value, entry));
    }

    fn len(&self) -> u64 {
        self.by_value.iter().map(|bucket| bucket.len() as u64).sum()
    }
}

/// The keys of all sets.
#[derive(Debug, Default)]
pub(crate) struct AllKeys {
    held: Vec<Buckets>,
    spilled: Option<Spilled>,
    len: u64,
}

/// Keys in a spill file: one frame for each task.
#[derive(Debug)]
struct Spilled {
    file: SpillFile,
    folder: PathBuf,
    tasks: Vec<Task>,
}

/// Where the buckets of a task end in its frame, and the checksum of each.
#[derive(Debug)]
struct Task {
    frame: Frame,
    ends: Vec<u64>,
    sums: Vec<u64>,
}

/// Words of a key.
const KEY_WORDS: usize = 2;

/// Bytes of a key.
const KEY_BYTES: u64 = 16;

/// Checksum of keys in any order.
fn sum(keys: &[Key]) -> u64 {
    keys.iter().fold(0, |sum: u64, (value, entry)| {
        let place = u64::from(entry.set.0) << 32 | u64::from(entry.position);
        sum.wrapping_add(finalise(value ^ finalise(place)))
    })
}

impl Spilled {
    fn write(&mut self, mut buckets: Buckets, words: &mut Vec<u64>) -> io::Result<()> {
        words.clear();
        let (mut ends, mut sums) = (Vec::new(), Vec::new());
        // Each bucket is freed before the next is taken: keys of large sets would be in memory
        // twice.
        for bucket in buckets.by_value.iter_mut().map(std::mem::take) {
            words.extend(bucket.iter().flat_map(|&(value, Entry { set, position })| {
                [value, u64::from(position) << 32 | u64::from(set.0)]
            }));
            ends.push((words.len() / KEY_WORDS) as u64);
            sums.push(sum(&bucket));
        }
        let frame = self.file.append(&[], words, &[])?;
        self.tasks.push(Task { frame, ends, sums });
        if words.capacity() > MANY {
            *words = Vec::new();
        }
        Ok(())
    }

    /// Appends the keys of one bucket, of all tasks, to `out`.
    fn read(&self, number: usize, out: &mut Vec<Key>) -> io::Result<()> {
        let mut words = Vec::new();
        for Task { frame, ends, sums } in &self.tasks {
            let start = if number == 0 { 0 } else { ends[number - 1] };
            words.resize((ends[number] - start) as usize * KEY_WORDS, 0);
            self.file.read_front(*frame, start * KEY_WORDS as u64, &mut words)?;
            let before = out.len();
            out.extend(words.chunks_exact(KEY_WORDS).map(|key| {
                let (set, position) = (SetId(key[1] as u32), (key[1] >> 32) as u32);
                (key[0], Entry { set, position })
            }));
            if sum(&out[before..]) != sums[number] {
                return Err(io::Error::other("damaged: keys differ from what was written"));
            }
        }
        Ok(())
    }
}

impl AllKeys {
    /// Collects the keys of all tasks; those beyond the budget are spilled.
    pub(crate) fn collect(
        tasks: impl ParallelIterator<Item = Result<Buckets, JoinError>>,
        budget: &SpillBudget,
    ) -> Result<Self, JoinError> {
        let all = Mutex::new((Self::default(), Vec::new()));
        tasks.try_for_each(|buckets| {
            let buckets = buckets?;
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            let (all, words) = &mut *all;
            all.len += buckets.len();
            if all.len * KEY_BYTES <= budget.bytes {
                all.held.push(buckets);
                return Ok(());
            }
            let spilled = match &mut all.spilled {
                Some(spilled) => spilled,
                None => all.spilled.insert(Spilled {
                    file: SpillFile::unnamed(&budget.folder)
                        .map_err(|error| JoinError::spill(&budget.folder, error))?,
                    folder: budget.folder.clone(),
                    tasks: Vec::new(),
                }),
            };
            spilled.write(buckets, words).map_err(|error| JoinError::spill(&budget.folder, error))
        })?;
        Ok(all.into_inner().unwrap_or_else(PoisonError::into_inner).0)
    }

    /// Number of keys.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Visits the values of all keys, bucket by bucket.
    pub(crate) fn for_each_value(
        &self,
        progress: &dyn Progress,
        mut each: impl FnMut(u64),
    ) -> Result<(), JoinError> {
        let mut read = Vec::new();
        for number in 0..1 << BUCKET_BITS {
            stop_if_cancelled(progress)?;
            let held = self.held.iter().flat_map(|part| &part.by_value[number]);
            held.for_each(|&(value, _)| each(value));
            if let Some(spilled) = &self.spilled {
                read.clear();
                spilled
                    .read(number, &mut read)
                    .map_err(|error| JoinError::spill(&spilled.folder, error))?;
                read.iter().for_each(|&(value, _)| each(value));
            }
        }
        Ok(())
    }
}

/// Sets in a task: few tasks, as each has its own buckets, but several for each thread.
fn sets_per_task(sets: u32) -> u32 {
    let shared_out = sets.div_ceil(TASKS_PER_THREAD * rayon::current_num_threads().max(1) as u32);
    shared_out.clamp(SETS_PER_TASK, MOST_SETS_PER_TASK)
}

/// Sets between two polls for cancellation.
const POLLED: usize = 512;

/// Collects the keys that `each` emits for every set.
pub(crate) fn emit(
    sets: u32,
    budget: &SpillBudget,
    progress: &dyn Progress,
    each: impl Fn(SetId, &mut Buckets) + Sync + Send,
) -> Result<AllKeys, JoinError> {
    let per_task = sets_per_task(sets);
    let tasks = (0..sets.div_ceil(per_task)).into_par_iter().with_max_len(1).map(|task| {
        let mut out = Buckets::default();
        let mut rest = task * per_task..sets.min((task + 1) * per_task);
        while !rest.is_empty() {
            stop_if_cancelled(progress)?;
            rest.by_ref().take(POLLED).for_each(|set| each(SetId(set), &mut out));
        }
        Ok(out)
    });
    AllKeys::collect(tasks, budget)
}

/// Buckets sorted at a time, for each thread and in all: there is never a second copy of all keys.
const SORTED_AHEAD: (usize, usize) = (2, 32);

/// Visits the keys of one side, or of two sides in step, bucket by bucket, each bucket sorted.
/// `make` runs on all threads; `each` is given its results in order, while the next buckets are
/// sorted. Both poll for cancellation once for each bucket.
pub(crate) fn for_each_bucket<T: Send, const SIDES: usize>(
    mut sides: [AllKeys; SIDES],
    progress: &dyn Progress,
    make: impl Fn([Vec<Key>; SIDES]) -> T + Sync,
    mut each: impl FnMut(T) -> Result<(), JoinError> + Send,
) -> Result<(), JoinError> {
    let ahead = (SORTED_AHEAD.0 * rayon::current_num_threads()).min(SORTED_AHEAD.1);
    let mut each = |bucket| {
        stop_if_cancelled(progress)?;
        each(bucket)
    };
    let mut ready = Vec::new();
    for first in (0..=1 << BUCKET_BITS).step_by(ahead) {
        let numbers = first..(first + ahead).min(1 << BUCKET_BITS);
        let (sorted, given) = rayon::join(
            || sorted_buckets(&mut sides, numbers, progress, &make),
            || std::mem::take(&mut ready).into_iter().try_for_each(&mut each),
        );
        given?;
        ready = sorted?;
    }
    ready.into_iter().try_for_each(&mut each)
}

/// Takes some buckets out of the keys and sorts them. Returns what `make` returns for each.
fn sorted_buckets<T: Send, const SIDES: usize>(
    sides: &mut [AllKeys; SIDES],
    numbers: Range<usize>,
    progress: &dyn Progress,
    make: impl Fn([Vec<Key>; SIDES]) -> T + Sync,
) -> Result<Vec<T>, JoinError> {
    let take = |number: usize| {
        let pieces = sides.each_mut().map(|side| -> Vec<Vec<Key>> {
            let take = |part: &mut Buckets| std::mem::take(&mut part.by_value[number]);
            side.held.iter_mut().map(take).collect()
        });
        (number, pieces)
    };
    let taken: Vec<_> = numbers.map(take).collect();
    let spilled = sides.each_ref().map(|side| side.spilled.as_ref());
    let sort = |sort: &mut SpreadSort<Key>, (number, pieces): (usize, [_; SIDES])| {
        stop_if_cancelled(progress)?;
        let mut buckets = pieces.map(|pieces: Vec<Vec<Key>>| pieces.concat());
        for (bucket, spilled) in buckets.iter_mut().zip(spilled) {
            if let Some(spilled) = spilled {
                let read = spilled.read(number, bucket);
                read.map_err(|error| JoinError::spill(&spilled.folder, error))?;
            }
            sort.sort_by(bucket, |&(value, _)| value);
        }
        Ok(make(buckets))
    };
    taken.into_par_iter().with_max_len(1).map_init(SpreadSort::default, sort).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use proptest::prelude::*;

    fn budget(bytes: u64) -> SpillBudget {
        SpillBudget { bytes, folder: std::env::temp_dir() }
    }

    /// `counts[set]` keys for each set, of few values.
    fn keys(counts: &[u32], bytes: u64) -> AllKeys {
        emit(counts.len() as u32, &budget(bytes), &Silent, |set, out| {
            for position in 0..counts[set.index()] {
                out.push(finalise(u64::from(set.0 % 7 + position)), Entry { set, position });
            }
        })
        .unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn keys_come_in_order_however_many_are_spilled(
            counts in prop::collection::vec(0u32..5, 0..9000),
            bytes in prop::sample::select(vec![0u64, 10_000, 100_000, u64::MAX]),
        ) {
            let mut wanted: Vec<Key> = Vec::new();
            for (set, &count) in (0..).map(SetId).zip(&counts) {
                wanted.extend((0..count).map(|position| {
                    (finalise(u64::from(set.0 % 7 + position)), Entry { set, position })
                }));
            }
            wanted.sort_unstable();
            let mut values = 0;
            keys(&counts, bytes).for_each_value(&Silent, |_| values += 1).unwrap();
            prop_assert_eq!(values, wanted.len());
            let mut found: Vec<Key> = Vec::new();
            for_each_bucket([keys(&counts, bytes)], &Silent, |[bucket]| bucket, |bucket| {
                found.extend(bucket);
                Ok(())
            })
            .unwrap();
            prop_assert_eq!(&found, &wanted);
            // Two sides in step: each gives what it gives alone.
            let mut sides = [Vec::new(), Vec::new()];
            let both = [keys(&counts, 10_000), keys(&counts, u64::MAX)];
            for_each_bucket(both, &Silent, |buckets| buckets, |buckets| {
                assert_eq!(buckets[0].len(), buckets[1].len());
                sides.iter_mut().zip(buckets).for_each(|(side, bucket)| side.extend(bucket));
                Ok(())
            })
            .unwrap();
            prop_assert!(sides.iter().all(|side| *side == wanted));
        }
    }

    #[test]
    fn a_missing_folder_is_named_in_the_error() {
        let budget = SpillBudget { bytes: 0, folder: PathBuf::from("no/such/folder") };
        let emitted = emit(1, &budget, &Silent, |set, out| {
            out.push(1, Entry { set, position: 0 });
        });
        let error = emitted.unwrap_err().to_string();
        assert!(error.contains("no/such/folder"), "{error}");
    }
}
