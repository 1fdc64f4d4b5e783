//! Keys of all units in, in the order of the units; the same keys in the order of their values out.
//!
//! The top bits of a value choose its bucket when it is written down; a bucket is small enough to be
//! sorted in the cache, and gone before the next but few are begun. Where memory has no room for all keys,
//! they go to a temporary file task by task, and come back bucket by bucket.

use crate::EngineError;
use crate::postings::Posting;
use lookalike_core::SpreadSort;
use lookalike_core::features::MANY;
use lookalike_core::fingerprint::finalise;
use lookalike_spill::{Frame, SpillFile};
use rayon::prelude::*;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// A key before the groups are numbered: ordered by value, then unit.
pub(crate) type Emitted = (u64, Posting);

/// Units handled by one task, at least.
pub(crate) const UNITS_PER_TASK: u32 = 2048;

/// Tasks for each thread, as some take longer than others.
pub(crate) const TASKS_PER_THREAD: u32 = 16;

/// Units handled by one task, at most: what a task writes down is in memory until it is done.
const MOST_UNITS_PER_TASK: u32 = 1 << 16;

/// Keys of the units of one task, by the top bits of their values: what is sorted at a time.
#[derive(Debug)]
pub(crate) struct Buckets {
    by_value: Vec<Vec<Emitted>>,
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
    pub(crate) fn push(&mut self, value: u64, posting: Posting) {
        self.by_value[(value >> (64 - BUCKET_BITS)) as usize].push((value, posting));
    }

    fn len(&self) -> u64 {
        self.by_value.iter().map(|bucket| bucket.len() as u64).sum()
    }
}

/// Where keys go that memory has no room for.
#[derive(Debug, Clone)]
pub(crate) struct Room {
    /// Bytes of keys that may be in memory.
    pub(crate) bytes: u64,
    /// Where a temporary file is made.
    pub(crate) folder: PathBuf,
}

/// The keys of all units.
#[derive(Debug, Default)]
pub(crate) struct AllKeys {
    held: Vec<Buckets>,
    stored: Option<Stored>,
    len: u64,
}

/// Keys in a file: a frame for each task.
#[derive(Debug)]
struct Stored {
    file: SpillFile,
    folder: PathBuf,
    tasks: Vec<Task>,
}

/// Where the buckets of a task lie, and what their keys sum up to.
#[derive(Debug)]
struct Task {
    frame: Frame,
    ends: Vec<u64>,
    sums: Vec<u64>,
}

/// Words of a key.
const KEY: usize = 2;

/// Bytes of a key.
const KEY_BYTES: u64 = 16;

/// Sums keys up, in any order: what comes back has to give the same.
fn sum(keys: &[Emitted]) -> u64 {
    keys.iter().fold(0, |sum: u64, (value, posting)| {
        let place = u64::from(posting.unit) << 32 | u64::from(posting.position);
        sum.wrapping_add(finalise(value ^ finalise(place)))
    })
}

impl Stored {
    fn write(&mut self, mut buckets: Buckets, words: &mut Vec<u64>) -> io::Result<()> {
        words.clear();
        let (mut ends, mut sums) = (Vec::new(), Vec::new());
        // Each is freed before the next: those of large documents would be twice in memory.
        for bucket in buckets.by_value.iter_mut().map(std::mem::take) {
            words.extend(bucket.iter().flat_map(|&(value, Posting { unit, position })| {
                [value, u64::from(position) << 32 | u64::from(unit)]
            }));
            ends.push((words.len() / KEY) as u64);
            sums.push(sum(&bucket));
        }
        let frame = self.file.append(&[], words, &[])?;
        self.tasks.push(Task { frame, ends, sums });
        if words.capacity() > MANY {
            *words = Vec::new();
        }
        Ok(())
    }

    /// Appends a bucket of all tasks.
    fn read(&self, number: usize, out: &mut Vec<Emitted>) -> io::Result<()> {
        let mut words = Vec::new();
        for Task { frame, ends, sums } in &self.tasks {
            let start = if number == 0 { 0 } else { ends[number - 1] };
            words.resize((ends[number] - start) as usize * KEY, 0);
            self.file.read_front(*frame, start * KEY as u64, &mut words)?;
            let before = out.len();
            out.extend(words.chunks_exact(KEY).map(|key| {
                let (unit, position) = (key[1] as u32, (key[1] >> 32) as u32);
                (key[0], Posting { unit, position })
            }));
            if sum(&out[before..]) != sums[number] {
                return Err(io::Error::other("damaged: keys differ from what was written"));
            }
        }
        Ok(())
    }
}

impl AllKeys {
    /// Collects what each task writes down.
    pub(crate) fn collect(
        tasks: impl ParallelIterator<Item = Result<Buckets, EngineError>>,
        room: &Room,
    ) -> Result<Self, EngineError> {
        let all = Mutex::new((Self::default(), Vec::new()));
        tasks.try_for_each(|buckets| {
            let buckets = buckets?;
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            let (all, words) = &mut *all;
            all.len += buckets.len();
            if all.len * KEY_BYTES <= room.bytes {
                all.held.push(buckets);
                return Ok(());
            }
            let stored = match &mut all.stored {
                Some(stored) => stored,
                None => all.stored.insert(Stored {
                    file: SpillFile::unnamed(&room.folder)
                        .map_err(|error| EngineError::scratch(&room.folder, &error))?,
                    folder: room.folder.clone(),
                    tasks: Vec::new(),
                }),
            };
            stored.write(buckets, words).map_err(|error| EngineError::scratch(&room.folder, &error))
        })?;
        Ok(all.into_inner().unwrap_or_else(PoisonError::into_inner).0)
    }

    /// Number of keys.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Passes over the values of all keys, bucket by bucket.
    pub(crate) fn for_each_value(&self, mut each: impl FnMut(u64)) -> Result<(), EngineError> {
        let mut read = Vec::new();
        for number in 0..1 << BUCKET_BITS {
            let held = self.held.iter().flat_map(|part| &part.by_value[number]);
            held.for_each(|&(value, _)| each(value));
            if let Some(stored) = &self.stored {
                read.clear();
                stored
                    .read(number, &mut read)
                    .map_err(|error| EngineError::scratch(&stored.folder, &error))?;
                read.iter().for_each(|&(value, _)| each(value));
            }
        }
        Ok(())
    }
}

/// Units for one task: few tasks for few buckets, but several for each thread.
fn units_per_task(units: u32) -> u32 {
    let shared_out = units.div_ceil(TASKS_PER_THREAD * rayon::current_num_threads().max(1) as u32);
    shared_out.clamp(UNITS_PER_TASK, MOST_UNITS_PER_TASK)
}

/// Collects what `each` emits for every unit.
pub(crate) fn emit(
    units: u32,
    room: &Room,
    each: impl Fn(u32, &mut Buckets) + Sync + Send,
) -> Result<AllKeys, EngineError> {
    let per_task = units_per_task(units);
    let tasks = (0..units.div_ceil(per_task)).into_par_iter().with_max_len(1).map(|task| {
        let mut out = Buckets::default();
        for unit in task * per_task..units.min((task + 1) * per_task) {
            each(unit, &mut out);
        }
        Ok(out)
    });
    AllKeys::collect(tasks, room)
}

/// Buckets sorted at a time, for each thread and in all: no second copy of all keys ever exists.
const SORTED_AHEAD: (usize, usize) = (2, 32);

/// Gives the keys of one side, or of two in step, bucket by bucket, each bucket sorted. What `make` makes of
/// them on all threads, `each` gets in order, while the next are sorted.
pub(crate) fn for_each_bucket<T: Send, const SIDES: usize>(
    mut sides: [AllKeys; SIDES],
    make: impl Fn([Vec<Emitted>; SIDES]) -> T + Sync,
    mut each: impl FnMut(T) -> Result<(), EngineError> + Send,
) -> Result<(), EngineError> {
    let ahead = (SORTED_AHEAD.0 * rayon::current_num_threads()).min(SORTED_AHEAD.1);
    let mut ready = Vec::new();
    for first in (0..=1 << BUCKET_BITS).step_by(ahead) {
        let numbers = first..(first + ahead).min(1 << BUCKET_BITS);
        let (sorted, given) = rayon::join(
            || sorted_buckets(&mut sides, numbers, &make),
            || std::mem::take(&mut ready).into_iter().try_for_each(&mut each),
        );
        given?;
        ready = sorted?;
    }
    ready.into_iter().try_for_each(each)
}

/// Takes some buckets out of the keys and sorts them: what `make` makes of each.
fn sorted_buckets<T: Send, const SIDES: usize>(
    sides: &mut [AllKeys; SIDES],
    numbers: Range<usize>,
    make: impl Fn([Vec<Emitted>; SIDES]) -> T + Sync,
) -> Result<Vec<T>, EngineError> {
    let take = |number: usize| {
        let pieces = sides.each_mut().map(|side| -> Vec<Vec<Emitted>> {
            let take = |part: &mut Buckets| std::mem::take(&mut part.by_value[number]);
            side.held.iter_mut().map(take).collect()
        });
        (number, pieces)
    };
    let taken: Vec<_> = numbers.map(take).collect();
    let stored = sides.each_ref().map(|side| side.stored.as_ref());
    let sort = |sort: &mut SpreadSort<Emitted>, (number, pieces): (usize, [_; SIDES])| {
        let mut buckets = pieces.map(|pieces: Vec<Vec<Emitted>>| pieces.concat());
        for (bucket, stored) in buckets.iter_mut().zip(stored) {
            if let Some(stored) = stored {
                let read = stored.read(number, bucket);
                read.map_err(|error| EngineError::scratch(&stored.folder, &error))?;
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
    use proptest::prelude::*;

    fn room(bytes: u64) -> Room {
        Room { bytes, folder: std::env::temp_dir() }
    }

    /// Each unit has as many keys as it is told, out of few values.
    fn keys(counts: &[u32], bytes: u64) -> AllKeys {
        emit(counts.len() as u32, &room(bytes), |unit, out| {
            for position in 0..counts[unit as usize] {
                out.push(finalise(u64::from(unit % 7 + position)), Posting { unit, position });
            }
        })
        .unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn the_same_keys_in_order_however_many_are_in_memory(
            counts in prop::collection::vec(0u32..5, 0..9000),
            bytes in prop::sample::select(vec![0u64, 10_000, 100_000, u64::MAX]),
        ) {
            let mut wanted: Vec<Emitted> = Vec::new();
            for (unit, &count) in (0u32..).zip(&counts) {
                wanted.extend((0..count).map(|position| {
                    (finalise(u64::from(unit % 7 + position)), Posting { unit, position })
                }));
            }
            wanted.sort_unstable();
            let mut values = 0;
            keys(&counts, bytes).for_each_value(|_| values += 1).unwrap();
            prop_assert_eq!(values, wanted.len());
            let mut found: Vec<Emitted> = Vec::new();
            for_each_bucket([keys(&counts, bytes)], |[bucket]| bucket, |bucket| {
                found.extend(bucket);
                Ok(())
            })
            .unwrap();
            prop_assert_eq!(&found, &wanted);
            // In step with itself, each side gets what it would get alone.
            let mut sides = [Vec::new(), Vec::new()];
            let both = [keys(&counts, 10_000), keys(&counts, u64::MAX)];
            for_each_bucket(both, |buckets| buckets, |buckets| {
                assert_eq!(buckets[0].len(), buckets[1].len());
                sides.iter_mut().zip(buckets).for_each(|(side, bucket)| side.extend(bucket));
                Ok(())
            })
            .unwrap();
            prop_assert!(sides.iter().all(|side| *side == wanted));
        }
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let room = Room { bytes: 0, folder: PathBuf::from("no/such/folder") };
        let emitted = emit(1, &room, |unit, out| {
            out.push(1, Posting { unit, position: 0 });
        });
        let error = emitted.unwrap_err().to_string();
        assert!(error.contains("no/such/folder"), "{error}");
    }
}
