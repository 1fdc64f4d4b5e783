//! Candidate pairs: what is known of a pair before it is verified.

use crate::SetId;
use crate::filter::CandidateFilter;
use crate::index::{Entry, InvertedIndex, ListKey};
use crate::source::SetSource;

/// A set that shares a key with the set that is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    /// The set found.
    pub set: SetId,
    /// Position of the first common key in the prefix of the set that is looked up; 0 where it is
    /// not known.
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

/// Bounds on the number of keys that a set shares with those that it matches: of
/// [`Criterion::least_shared_keys`](crate::Criterion::least_shared_keys), for sets of any size.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SharedKeys {
    /// Size of the set.
    size: u32,
    /// With fewer, it matches no set.
    least: u32,
    /// With as many, it may match a set of any size.
    most: u32,
}

impl<S: SetSource, F: CandidateFilter> CandidatePairs<'_, S, F> {
    /// Size of a set and position of one of its keys for the filter, where the key need not be the
    /// first common one.
    #[inline]
    pub(crate) fn relaxed(&self, set: SetId, position: u32) -> (u32, u32) {
        let size = self.sets.size(set);
        (size, self.filter.least_position((size, position), self.index.is_extended()))
    }

    /// Whether a set can match any set of which one of its keys is the first common one.
    #[inline]
    pub(crate) fn could_match_any(&self, set: SetId, key: ListKey) -> bool {
        let least = self.index.least_size(key.list);
        self.filter.could_match_any((self.sets.size(set), key.position), least)
    }

    /// How many keys the sets that match a set share with it.
    pub(crate) fn shared_keys(&self, set: SetId) -> SharedKeys {
        if !self.index.is_extended() {
            return SharedKeys { size: 0, least: 1, most: 1 };
        }
        let size = self.sets.size(set);
        let (smallest, _) = self.filter.size_bounds(size);
        let least = |size| self.filter.least_in_extended_prefix(size);
        let least = least(size).min(least(smallest));
        let least = least.min(self.filter.needed_overlap(size, smallest));
        SharedKeys { size, least, most: self.filter.counted_beyond(size) + 1 }
    }

    /// Whether two sets share enough keys to match; `shared_keys` are those of one of them.
    ///
    /// Most candidates of a small vocabulary share too few with any set: then nothing of the other
    /// set is looked up.
    #[inline]
    pub(crate) fn share_enough(&self, shared_keys: SharedKeys, other: SetId, keys: u32) -> bool {
        let SharedKeys { size, least, most } = shared_keys;
        keys >= least
            && (keys >= most || keys >= self.filter.least_shared_keys(size, self.sets.size(other)))
    }

    /// Whether a set can match the set of an entry, of the given size, if one of its keys is their
    /// first common one.
    #[inline]
    pub(crate) fn could_match(
        &self,
        set: SetId,
        key: ListKey,
        (entry, size): (&Entry, u32),
    ) -> bool {
        self.filter.could_match((self.sets.size(set), key.position), (size, entry.position))
    }
}
