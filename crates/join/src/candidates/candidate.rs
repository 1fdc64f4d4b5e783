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
    /// Whether a set can match any set that is found under one of its keys.
    #[inline]
    pub(crate) fn could_match_any(&self, set: u32, key: ListKey) -> bool {
        let least = self.index.least_size(key.list);
        self.filter.could_match_any((self.sets.size(set), key.position), least)
    }

    /// Whether a set can match the set of an entry, of the given size, that is found under one of its keys.
    #[inline]
    pub(crate) fn could_match(&self, set: u32, key: ListKey, (entry, size): (&Entry, u32)) -> bool {
        self.filter.could_match((self.sets.size(set), key.position), (size, entry.position))
    }
}
