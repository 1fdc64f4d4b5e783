//! Keys of all units in, in the order of the units; the same keys in the order of their values out.
//!
//! The top bits of a value choose its bucket when it is written down; a bucket is small enough to be
//! sorted in the cache, and gone before the next but few are begun.

use crate::postings::Posting;
use rayon::prelude::*;
use std::collections::VecDeque;

/// A key before the groups are numbered: ordered by value, then unit.
pub(crate) type Emitted = (u64, Posting);

/// Units handled by one task, at least.
pub(crate) const UNITS_PER_TASK: u32 = 2048;

/// Keys of some units, by the top bits of their values: what is sorted at a time.
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

    /// The values of all keys.
    pub(crate) fn values(&self) -> impl Iterator<Item = u64> + '_ {
        self.by_value.iter().flatten().map(|&(value, _)| value)
    }

    pub(crate) fn len(&self) -> usize {
        self.by_value.iter().map(Vec::len).sum()
    }
}

/// Units for one task: few tasks for few buckets, but several for each thread, as some take longer.
pub(crate) fn units_per_task(units: u32) -> u32 {
    UNITS_PER_TASK.max(units.div_ceil(16 * rayon::current_num_threads().max(1) as u32))
}

/// Collects what `each` emits for every unit.
pub(crate) fn emit<S: Default + Send>(
    units: u32,
    each: impl Fn(u32, &mut Buckets, &mut S) + Sync,
) -> Vec<Buckets> {
    let per_task = units_per_task(units);
    (0..units.div_ceil(per_task))
        .into_par_iter()
        .map_init(S::default, |scratch, task| {
            let mut out = Buckets::default();
            for unit in task * per_task..units.min((task + 1) * per_task) {
                each(unit, &mut out, scratch);
            }
            out
        })
        .collect()
}

/// Buckets sorted at a time, for each thread.
const SORTED_AHEAD: usize = 2;

/// One bucket after the other, sorted. Some are sorted ahead in parallel; each is gone before more are
/// begun, so that no second copy of all keys ever exists.
pub(crate) struct SortedBuckets {
    parts: Vec<Buckets>,
    next: usize,
    ready: VecDeque<Vec<Emitted>>,
}

impl SortedBuckets {
    pub(crate) fn new(parts: Vec<Buckets>) -> Self {
        Self { parts, next: 0, ready: VecDeque::new() }
    }
}

impl Iterator for SortedBuckets {
    type Item = Vec<Emitted>;

    fn next(&mut self) -> Option<Vec<Emitted>> {
        if self.ready.is_empty() {
            let end =
                (1 << BUCKET_BITS).min(self.next + SORTED_AHEAD * rayon::current_num_threads());
            let mut taken: Vec<Vec<Vec<Emitted>>> = Vec::new();
            for number in self.next..end {
                let take = |part: &mut Buckets| std::mem::take(&mut part.by_value[number]);
                taken.push(self.parts.iter_mut().map(take).collect());
            }
            let sorted = taken.into_par_iter().map(|pieces| {
                let mut bucket = pieces.concat();
                drop(pieces);
                bucket.sort_unstable();
                bucket
            });
            self.ready = sorted.collect::<Vec<_>>().into();
            self.next = end;
        }
        self.ready.pop_front()
    }
}
