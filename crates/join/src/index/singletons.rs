//! Finds singletons, the elements with document frequency 1, by partitioned counting.
//!
//! A hash table of all elements would miss the cache with each of them. Elements are partitioned by
//! their top bits into buckets whose counters fit in the cache, and three bytes of each are kept.
//! The result for a bucket is a bit for each of its elements, in the order in which they came: a
//! second scan in the same order reads the bits of each bucket in sequence. There are no lookups,
//! and threads share nothing. Of colliding elements, singletons are taken for repeated ones, never
//! the other way round.

use crate::progress::stop_if_cancelled;
use crate::{JoinError, Progress, TaskId, limits};
use rayon::prelude::*;
use std::ops::Range;

/// Elements in a bucket, about: its counters fit in the cache.
const BUCKET: u64 = 1 << 16;

/// The most buckets: a task writes as many streams at once.
const MOST_BUCKETS: u64 = 1 << 12;

/// The part of an element that is kept: the bits below those that choose its bucket, little-endian.
/// Counters are chosen by fewer bits, up to a million elements in a bucket; beyond, more singletons
/// are missed.
pub(super) type Written = [u8; 3];

/// Bytes of memory that an element takes while it is counted.
pub const COUNTED_BYTES: usize = size_of::<Written>();

/// Bits of [`Written`].
const BITS: u32 = 8 * size_of::<Written>() as u32;

/// Counters for each element of a bucket: one singleton in sixteen is missed.
const COUNTERS: usize = 16;

/// Bytes of a cache line.
const LINE: usize = 64;

/// Elements in a cache line.
const IN_LINE: usize = LINE / size_of::<Written>();

/// Write buffers of one cache line for each bucket, flushed when a value comes to a full one.
///
/// Without them, successive values would be written to different pages, more than the TLB holds.
#[derive(Debug, Default)]
struct Lines {
    lines: Vec<[u8; LINE]>,
    lengths: Vec<u8>,
}

impl Lines {
    /// Empties the buffers, for so many buckets and one behind them for values of no bucket.
    fn clear(&mut self, buckets: usize) {
        self.lines.resize(buckets + 1, [0; LINE]);
        self.lengths.clear();
        self.lengths.resize(buckets + 1, 0);
    }

    /// Appends the lowest three bytes of a value to a bucket; those for the one behind the last are
    /// dropped.
    #[inline]
    fn push(&mut self, bucket: usize, value: u32, out: &mut [Vec<Written>]) {
        let (line, length) = (&mut self.lines[bucket], &mut self.lengths[bucket]);
        let mut at = usize::from(*length);
        // Flushed now, and not when its last value came: reading a line right after writing to it
        // would wait for the store buffer.
        if at == IN_LINE {
            if let Some(out) = out.get_mut(bucket) {
                out.extend_from_slice(line.as_chunks().0);
            }
            at = 0;
        }
        // Writes all four bytes: the next value overwrites the last one.
        let start = at * size_of::<Written>();
        if let Some(place) = line.get_mut(start..start + size_of::<u32>()) {
            place.copy_from_slice(&value.to_le_bytes());
        }
        *length = at as u8 + 1;
    }

    fn finish(&self, out: &mut [Vec<Written>]) {
        for ((out, line), &length) in out.iter_mut().zip(&self.lines).zip(&self.lengths) {
            out.extend_from_slice(&line.as_chunks().0[..usize::from(length)]);
        }
    }
}

/// Which elements are in one set only.
#[derive(Debug)]
pub(crate) struct Singletons {
    tasks: u32,
    split: Split,
    /// Index of the first element of each (task, bucket) within its bucket; after the last task,
    /// the ends.
    starts: Vec<u32>,
    /// For each bucket, a bit for each element: whether it is repeated.
    repeated: Vec<Vec<u64>>,
}

/// Assigns values to buckets by their top bits.
#[derive(Debug, Clone, Copy)]
struct Split {
    shift: u32,
    count: usize,
}

impl Split {
    /// For about `values` values up to `bound`.
    fn new(bound: u64, values: u64) -> Self {
        let wanted = (values / BUCKET).clamp(1, MOST_BUCKETS);
        let bits = u64::BITS - bound.leading_zeros();
        let shift = bits.saturating_sub(wanted.next_power_of_two().trailing_zeros() + 1).min(63);
        Self { shift, count: (bound >> shift) as usize + 1 }
    }

    #[inline]
    fn of(self, value: u64) -> usize {
        (value >> self.shift) as usize
    }

    /// The bits below those that choose the bucket, in the lowest three bytes. Values of a bucket
    /// that agree in them are taken for one.
    #[inline]
    fn rest(self, value: u64) -> u32 {
        (value >> self.shift.saturating_sub(BITS)) as u32
    }
}

impl Singletons {
    /// Counts the elements of all sets. `scan` gives the elements up to `bound` of the sets of a
    /// task to its last argument, in the same order every time. `elements` is about how many there
    /// are in all. Takes `memory` bytes besides the result: with fewer, buckets are counted in
    /// several rounds.
    ///
    /// # Errors
    /// A bucket of more elements than 32 bits can number, the error of `scan`, or a cancellation.
    pub(crate) fn new<S: Default + Send>(
        tasks: u32,
        bound: u64,
        elements: u64,
        memory: u64,
        progress: &dyn Progress,
        scan: impl Fn(TaskId, &mut S, &mut dyn FnMut(&[u64])) -> Result<(), JoinError> + Sync,
    ) -> Result<Self, JoinError> {
        let split = Split::new(bound, elements);
        let mut singletons = Self {
            tasks,
            split,
            starts: vec![0; (tasks as usize + 1) * split.count],
            repeated: Vec::with_capacity(split.count),
        };
        let rounds = (elements * size_of::<Written>() as u64)
            .div_ceil(memory.max(1))
            .clamp(1, split.count as u64);
        let in_round = split.count.div_ceil(rounds as usize);
        for first in (0..split.count).step_by(in_round) {
            let buckets = first..split.count.min(first + in_round);
            let written = singletons.collect(buckets.clone(), elements, progress, &scan)?;
            for (offset, bucket) in buckets.clone().enumerate() {
                let mut next = 0;
                for (task, parts) in written.iter().enumerate() {
                    singletons.starts[task * split.count + bucket] = next;
                    let end = u64::from(next) + parts[offset].len() as u64;
                    next = limits::entries(end, limits::MOST)?;
                }
                singletons.starts[tasks as usize * split.count + bucket] = next;
            }
            let count = |counters: &mut Vec<u64>, offset: usize| {
                stop_if_cancelled(progress)?;
                Ok(repeated(written.iter().map(|parts| parts[offset].as_slice()), counters))
            };
            let offsets = (0..buckets.len()).into_par_iter().with_max_len(4);
            let repeated = offsets.map_init(Vec::new, count);
            singletons.repeated.extend(repeated.collect::<Result<Vec<_>, JoinError>>()?);
        }
        Ok(singletons)
    }

    /// Collects the elements of some buckets, by task and bucket.
    fn collect<S: Default + Send>(
        &self,
        buckets: Range<usize>,
        elements: u64,
        progress: &dyn Progress,
        scan: impl Fn(TaskId, &mut S, &mut dyn FnMut(&[u64])) -> Result<(), JoinError> + Sync,
    ) -> Result<Vec<Vec<Vec<Written>>>, JoinError> {
        let Self { split, .. } = *self;
        let expected = elements.min(BUCKET * split.count as u64) as usize;
        let expected = expected / (self.tasks.max(1) as usize * split.count);
        let task = |(scratch, lines): &mut (S, Lines), task: TaskId| {
            stop_if_cancelled(progress)?;
            let room = || Vec::with_capacity(expected + expected / 8 + IN_LINE);
            let mut out: Vec<Vec<Written>> =
                std::iter::repeat_with(room).take(buckets.len()).collect();
            lines.clear(buckets.len());
            scan(task, scratch, &mut |values| {
                for &value in values {
                    // Below the first bucket the difference wraps to a large number. Branchless:
                    // with several rounds, a branch would be unpredictable.
                    let at = split.of(value).wrapping_sub(buckets.start);
                    lines.push(at.min(buckets.len()), split.rest(value), &mut out);
                }
            })?;
            lines.finish(&mut out);
            Ok(out)
        };
        let tasks = (0..self.tasks).into_par_iter().map(TaskId).with_max_len(1);
        tasks.map_init(Default::default, task).collect()
    }

    /// A reader at the first element of a task.
    ///
    /// Copies the bits of the task, which are few and adjacent in the copy; in the buckets,
    /// successive elements are on different pages.
    pub(crate) fn reader(&self, task: TaskId) -> Reader {
        let count = self.split.count;
        let rows = &self.starts[task.index() * count..(task.index() + 2) * count];
        let (from, to) = rows.split_at(count);
        let (mut next, mut bits) = (Vec::with_capacity(count), Bits::default());
        for ((&from, &to), repeated) in from.iter().zip(to).zip(&self.repeated) {
            next.push(bits.len);
            bits.append(repeated, from, to);
        }
        Reader { split: self.split, next, bits: bits.words }
    }
}

/// A growing bit vector.
#[derive(Debug, Default)]
struct Bits {
    words: Vec<u64>,
    len: u32,
}

impl Bits {
    /// Appends bits `from..to` of `others`.
    fn append(&mut self, others: &[u64], mut from: u32, to: u32) {
        while from < to {
            let (free, offset) = (64 - self.len % 64, from % 64);
            let count = free.min(64 - offset).min(to - from);
            let piece = others[(from / 64) as usize] >> offset & (u64::MAX >> (64 - count));
            if free == 64 {
                self.words.push(0);
            }
            if let Some(last) = self.words.last_mut() {
                *last |= piece << (64 - free);
            }
            (self.len, from) = (self.len + count, from + count);
        }
    }
}

/// Reads the bits of the elements of a task in sequence.
#[derive(Debug)]
pub(crate) struct Reader {
    split: Split,
    /// Index in `bits` of the next element of each bucket.
    next: Vec<u32>,
    bits: Vec<u64>,
}

impl Reader {
    /// Whether the next element, which is `value`, is a singleton. Must be called for all elements,
    /// in the order in which they were counted. May miss singletons; never reports an element of
    /// several sets.
    #[inline]
    pub(crate) fn is_singleton(&mut self, value: u64) -> bool {
        let bucket = self.split.of(value);
        let place = self.next[bucket];
        self.next[bucket] += 1;
        let bits = self.bits.get((place / 64) as usize);
        bits.is_some_and(|bits| bits >> (place % 64) & 1 == 0)
    }
}

/// For each element of a bucket, in order, whether it is repeated. Counts in two bits (seen, seen
/// again) for each residue of the values modulo the number of counters.
fn repeated<'w>(
    parts: impl Iterator<Item = &'w [Written]> + Clone,
    counters: &mut Vec<u64>,
) -> Vec<u64> {
    let elements: usize = parts.clone().map(<[Written]>::len).sum();
    let slots = (elements * COUNTERS).next_power_of_two().clamp(32, 1 << BITS);
    counters.clear();
    counters.resize(slots / 32, 0);
    let place = |[low, middle, high]: Written| {
        let slot = u32::from_le_bytes([low, middle, high, 0]) as usize & (slots - 1);
        (slot / 32, 2 * (slot % 32))
    };
    parts.clone().flatten().for_each(|&rest| {
        let (word, bit) = place(rest);
        let seen = counters[word] >> bit & 1;
        counters[word] |= (1 + seen) << bit;
    });
    let mut bits = Vec::with_capacity(elements.div_ceil(64));
    // The word is assembled in a register: in memory, each bit would wait for the one before.
    let (mut bit, mut bits_so_far) = (0, 0);
    parts.flatten().for_each(|&rest| {
        let (word, slot) = place(rest);
        bits_so_far |= (counters[word] >> (slot + 1) & 1) << bit;
        bit += 1;
        if bit == 64 {
            bits.push(bits_so_far);
            (bit, bits_so_far) = (0, 0);
        }
    });
    if bit > 0 {
        bits.push(bits_so_far);
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike_core::fingerprint::finalise;
    use proptest::prelude::*;
    use std::collections::HashMap;

    /// Reads all elements; returns how many are singletons, and how many of those are found.
    fn check(
        sets: &[Vec<u64>],
        bound: u64,
        elements: u64,
        sets_per_task: usize,
        memory: u64,
    ) -> (usize, usize) {
        let mut count: HashMap<u64, u32> = HashMap::new();
        sets.iter().flatten().for_each(|&value| *count.entry(value).or_default() += 1);
        let tasks: Vec<&[Vec<u64>]> = sets.chunks(sets_per_task).collect();
        let scan = |task: TaskId, (): &mut (), give: &mut dyn FnMut(&[u64])| {
            tasks[task.index()].iter().for_each(|set| give(set));
            Ok(())
        };
        let singletons =
            Singletons::new(tasks.len() as u32, bound, elements, memory, &crate::Silent, scan)
                .unwrap();
        let (mut once, mut known) = (0, 0);
        for (task, sets) in (0..).map(TaskId).zip(&tasks) {
            let mut reader = singletons.reader(task);
            for &value in sets.iter().flatten() {
                let said = reader.is_singleton(value);
                assert!(!said || count[&value] == 1, "{value} is in several sets");
                once += usize::from(count[&value] == 1);
                known += usize::from(said);
            }
        }
        (once, known)
    }

    proptest! {
        #[test]
        fn repeated_elements_are_never_singletons(
            sets in prop::collection::vec(prop::collection::btree_set(0u64..500, 0..60), 0..40),
            sets_per_task in 1usize..50,
            elements in prop::sample::select(vec![0u64, 1000, 1 << 20, 1 << 24]),
            spread in any::<bool>(),
            bound_bits in 9u32..=64,
            memory in prop::sample::select(vec![0u64, 1000, 100_000, u64::MAX]),
        ) {
            let bound = u64::MAX >> (64 - bound_bits);
            let place = |n: u64| if spread { finalise(n) & bound } else { n };
            let sets: Vec<Vec<u64>> = sets.into_iter().map(|s| s.into_iter().map(place).collect()).collect();
            let (once, known) = check(&sets, bound, elements, sets_per_task, memory);
            prop_assert!(known <= once);
        }
    }

    #[test]
    fn nearly_all_singletons_are_found() {
        let sets: Vec<Vec<u64>> =
            (0..1000).map(|set| (0..300).map(|n| finalise(set * 300 + n) >> 1).collect()).collect();
        let known = [u64::MAX, 100_000].map(|memory| {
            let (once, known) = check(&sets, u64::MAX >> 1, 300_000, 64, memory);
            assert_eq!(once, 300_000);
            known
        });
        assert!(known[0] > 270_000 && known[0] == known[1], "{known:?}");
    }
}
