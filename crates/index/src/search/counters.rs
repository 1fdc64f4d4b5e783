//! Counts of list entries for each id: a flat array, cleared through a list of what was touched.

use super::postings::PostingList;
use std::ops::Range;

/// An unsigned integer that counts without wrapping. What saturates passes every bound: counts that
/// are compared stay below the maximum.
pub(super) trait Count: Copy + Default {
    fn value(self) -> u32;
    fn from_value(value: u32) -> Self;
    fn plus(self, other: Self) -> Self;
}

impl Count for u16 {
    fn value(self) -> u32 {
        self.into()
    }
    fn from_value(value: u32) -> Self {
        Self::try_from(value).unwrap_or(Self::MAX)
    }
    fn plus(self, other: Self) -> Self {
        self.saturating_add(other)
    }
}

impl Count for u32 {
    fn value(self) -> u32 {
        self
    }
    fn from_value(value: u32) -> Self {
        value
    }
    fn plus(self, other: Self) -> Self {
        self.saturating_add(other)
    }
}

/// The largest query whose counts, and one more, fit in a `u16`.
pub(super) const NARROW: usize = u16::MAX as usize - 2;

/// A count for each id of a range. All are 0 between searches.
#[derive(Debug, Default)]
pub(super) struct Counters<C> {
    counts: Vec<C>,
    touched: Vec<u32>,
    /// The range of ids that is counted now; its first is at `counts[0]`.
    ids: Range<u32>,
    /// Whether so much is counted that the whole range is swept instead of a list of touched ids.
    sweep: bool,
    /// Whether a list had an id outside of the range: the index is damaged.
    outside: bool,
}

impl<C: Count> Counters<C> {
    /// Prepares to count about `entries` entries of the range.
    pub(super) fn begin(&mut self, ids: Range<u32>, entries: u64) {
        let length = ids.len();
        if self.counts.len() < length {
            self.counts.resize(length, C::default());
        }
        self.sweep = entries >= length as u64 / 8;
        self.ids = ids;
    }

    /// Counts the entries of a list, which was cut to the range.
    pub(super) fn count<L: PostingList>(&mut self, list: L) {
        let one = C::from_value(1);
        let (start, touched) = (self.ids.start, &mut self.touched);
        // A slice of its own, so that its address stays in a register.
        let counts = &mut self.counts[..self.ids.len()];
        let mut outside = false;
        if self.sweep {
            list.entries().for_each(|id| match counts.get_mut(id.wrapping_sub(start) as usize) {
                Some(count) => *count = count.plus(one),
                None => outside = true,
            });
        } else {
            list.entries().for_each(|id| match counts.get_mut(id.wrapping_sub(start) as usize) {
                Some(count) => {
                    if count.value() == 0 {
                        touched.push(id);
                    }
                    *count = count.plus(one);
                }
                None => outside = true,
            });
        }
        self.outside |= outside;
    }

    /// Calls `passes` with each id that has a count of `least` (at least 1) or more, ascending only
    /// if the range is swept, and marks those for which it says yes. The others have no count.
    pub(super) fn mark(&mut self, least: u32, mut passes: impl FnMut(u32, u32) -> bool) {
        let one = C::from_value(1);
        let start = self.ids.start;
        let mut decide = |count: &mut C, id: u32| {
            let marked = count.value() >= least.max(1) && passes(id, count.value());
            *count = if marked { count.plus(one) } else { C::default() };
            marked
        };
        if self.sweep {
            let length = self.ids.len();
            for (id, count) in (start..).zip(&mut self.counts[..length]) {
                if count.value() > 0 {
                    decide(count, id);
                }
            }
        } else {
            let counts = &mut self.counts;
            self.touched.retain(|&id| decide(&mut counts[(id - start) as usize], id));
        }
    }

    /// Marks an id that has no count.
    pub(super) fn mark_uncounted(&mut self, id: u32) {
        self.counts[(id - self.ids.start) as usize] = C::from_value(1);
        if !self.sweep {
            self.touched.push(id);
        }
    }

    /// Whether an id is marked, between [`Self::mark`] and [`Self::count_marked`].
    pub(super) fn is_marked(&self, id: u32) -> bool {
        self.counts[(id - self.ids.start) as usize].value() > 0
    }

    /// The count of a marked id.
    pub(super) fn marked(&self, id: u32) -> u32 {
        self.counts[(id - self.ids.start) as usize].value() - 1
    }

    /// Removes a mark, with the count.
    pub(super) fn unmark(&mut self, id: u32) {
        self.counts[(id - self.ids.start) as usize] = C::default();
    }

    /// Counts the entries of a list for marked ids. Others get counts too if the range is swept.
    pub(super) fn count_marked<L: PostingList>(&mut self, list: L) {
        if self.sweep {
            return self.count(list);
        }
        let start = self.ids.start;
        let counts = &mut self.counts[..self.ids.len()];
        let mut outside = false;
        list.entries().for_each(|id| match counts.get_mut(id.wrapping_sub(start) as usize) {
            Some(count) => *count = count.plus(C::from_value(u32::from(count.value() > 0))),
            None => outside = true,
        });
        self.outside |= outside;
    }

    /// Whether a list had an id that does not exist, or that is not in the part it was cut to.
    pub(super) fn outside(&self) -> bool {
        self.outside
    }

    /// Adds one to the count of a marked id.
    pub(super) fn increase(&mut self, id: u32) {
        let count = &mut self.counts[(id - self.ids.start) as usize];
        *count = count.plus(C::from_value(1));
    }

    /// Sets all counts to 0.
    pub(super) fn clear(&mut self) {
        if self.sweep {
            self.counts[..self.ids.len()].fill(C::default());
        } else {
            for &id in &self.touched {
                self.counts[(id - self.ids.start) as usize] = C::default();
            }
        }
        self.touched.clear();
        self.ids = 0..0;
        self.sweep = false;
        self.outside = false;
    }
}
