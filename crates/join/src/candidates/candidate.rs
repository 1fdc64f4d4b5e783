//! Candidate pairs: what is known of a pair before it is verified.

use crate::filter::CandidateFilter;
use crate::index::{Entry, InvertedIndex, ListKey};
use crate::source::SetSource;

/// A set that shares a key with the set that is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    /// The set found.
    pub set: u32,
    /// Position of the first common key in the prefix of the set that is looked up; 0 where it is not known.
    pub own: u32,
    /// Position of that key in the prefix of the set found; 0 where it is not known.
    pub other: u32,
}

/// All candidate pairs of a join: sets that share a key of the index, and pass the filter.
#[derive(Debug)]
pub struct CandidatePairs<'a, S, F> {
    /// The sets.
    pub sets: &'a S,
    /// Which sets have which keys.
    pub index: &'a InvertedIndex,
    /// What rules out pairs by size and position.
    pub filter: F,
}

impl<S: SetSource, F: CandidateFilter> CandidatePairs<'_, S, F> {
    /// Size of a set and position of one of its keys for the filter, where the key need not be the first common one.
    #[inline]
    pub(crate) fn relaxed(&self, set: u32, position: u32) -> (u32, u32) {
        let size = self.sets.size(set);
        (size, self.filter.least_position((size, position), self.index.is_extended()))
    }

    /// Whether a set can match any set of which one of its keys is the first common one.
    #[inline]
    pub(crate) fn could_match_any(&self, set: u32, key: ListKey) -> bool {
        let least = self.index.least_size(key.list);
        self.filter.could_match_any((self.sets.size(set), key.position), least)
    }

    /// The least number of keys that two sets share if they match.
    #[inline]
    pub(crate) fn least_shared(&self, a: u32, b: u32) -> u32 {
        if !self.index.is_extended() {
            return 1;
        }
        let (a, b) = (self.sets.size(a), self.sets.size(b));
        let least = |size| self.filter.least_in_extended_prefix(size);
        match least(a).min(least(b)) {
            1 => 1,
            least => least.min(self.filter.needed_overlap(a, b)),
        }
    }

    /// Whether a set can match the set of an entry, of the given size, if one of its keys is their first common one.
    #[inline]
    pub(crate) fn could_match(&self, set: u32, key: ListKey, (entry, size): (&Entry, u32)) -> bool {
        self.filter.could_match((self.sets.size(set), key.position), (size, entry.position))
    }
}
