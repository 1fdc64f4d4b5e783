//! Candidate filters that look at sizes and positions only.

use crate::Criterion;
use lookalike_core::Overlap;

/// What rules out a pair under a common key, before anything of the sets is looked up but their
/// sizes. Never rules out a match under the first key that both sets have.
pub trait CandidateFilter: Copy + Sync {
    /// Whether two sets can match, each given as (size, position of the common key).
    fn could_match(self, a: (u32, u32), b: (u32, u32)) -> bool;

    /// Whether a set, given as (size, position of a key), can match any set of `least` or more
    /// elements under this key.
    fn could_match_any(self, own: (u32, u32), least: u32) -> bool;

    /// Size of the largest set before a set, given as (size, position of a key), that it can match
    /// under this key.
    fn largest_earlier(self, own: (u32, u32)) -> u32;

    /// Size of the largest set after a set that it can match under this key.
    fn largest_later(self, own: (u32, u32)) -> u32;

    /// See [`Criterion::least_in_extended_prefix`].
    fn least_in_extended_prefix(self, size: u32) -> u32;

    /// See [`Criterion::counted_beyond`].
    fn counted_beyond(self, size: u32) -> u32;

    /// See [`Criterion::least_shared_keys`].
    fn least_shared_keys(self, a: u32, b: u32) -> u32;

    /// The least number of elements that sets of these sizes share if they match.
    fn needed_overlap(self, a: u32, b: u32) -> u32;

    /// Length filter: smallest and largest size of a set that a set of `size` elements can match.
    fn size_bounds(self, size: u32) -> (u32, u32);

    /// The position for the bounds above of a key at a position in the prefix of a set. If prefixes
    /// are `extended`, matching sets share several keys, and some of the elements before this one
    /// may be shared as well.
    #[inline]
    fn least_position(self, (size, position): (u32, u32), extended: bool) -> u32 {
        match extended {
            true => position.saturating_sub(self.counted_beyond(size)),
            false => position,
        }
    }
}

/// The length filter and the positional filter (Xiao et al. 2008, PPJoin).
impl CandidateFilter for Criterion {
    #[inline]
    fn could_match(self, a: (u32, u32), b: (u32, u32)) -> bool {
        Self::could_match(self, a, b)
    }

    #[inline]
    fn could_match_any(self, (size, position): (u32, u32), least: u32) -> bool {
        // At most `rest` elements are shared; of the sets that have so many, the smallest matches
        // best.
        let rest = size - position;
        self.reaches(Overlap { shared: rest, a: size, b: least.max(rest) })
    }

    #[inline]
    fn largest_earlier(self, own: (u32, u32)) -> u32 {
        Self::largest_earlier(self, own)
    }

    #[inline]
    fn largest_later(self, own: (u32, u32)) -> u32 {
        Self::largest_later(self, own)
    }

    #[inline]
    fn least_in_extended_prefix(self, size: u32) -> u32 {
        Self::least_in_extended_prefix(self, size)
    }

    #[inline]
    fn counted_beyond(self, size: u32) -> u32 {
        Self::counted_beyond(self, size)
    }

    #[inline]
    fn least_shared_keys(self, a: u32, b: u32) -> u32 {
        Self::least_shared_keys(self, a, b)
    }

    #[inline]
    fn needed_overlap(self, a: u32, b: u32) -> u32 {
        Self::needed_overlap(self, a, b)
    }

    #[inline]
    fn size_bounds(self, size: u32) -> (u32, u32) {
        Self::size_bounds(self, size)
    }
}

/// No filter, for keys that do not bound what two sets share.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unfiltered;

impl CandidateFilter for Unfiltered {
    #[inline]
    fn could_match(self, _a: (u32, u32), _b: (u32, u32)) -> bool {
        true
    }

    #[inline]
    fn could_match_any(self, _own: (u32, u32), _least: u32) -> bool {
        true
    }

    #[inline]
    fn largest_earlier(self, _own: (u32, u32)) -> u32 {
        u32::MAX
    }

    #[inline]
    fn largest_later(self, _own: (u32, u32)) -> u32 {
        u32::MAX
    }

    #[inline]
    fn least_in_extended_prefix(self, _size: u32) -> u32 {
        1
    }

    #[inline]
    fn counted_beyond(self, _size: u32) -> u32 {
        0
    }

    #[inline]
    fn least_shared_keys(self, _a: u32, _b: u32) -> u32 {
        1
    }

    #[inline]
    fn needed_overlap(self, _a: u32, _b: u32) -> u32 {
        1
    }

    #[inline]
    fn size_bounds(self, _size: u32) -> (u32, u32) {
        (0, u32::MAX)
    }
}
