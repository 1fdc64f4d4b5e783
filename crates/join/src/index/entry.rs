//! Entries of the inverted index.

use crate::SetId;

/// An entry of a posting list: a set that is found under a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The set.
    pub set: SetId,
    /// The key's position in the prefix of the set; [`UNKNOWN`] where it is not known.
    pub position: u32,
}

/// A position that is not known: as a bound it is the weakest.
pub const UNKNOWN: u32 = 0;

/// A key before posting lists are numbered: its value and a set that has it. Ordered by value, then
/// set.
pub(crate) type Key = (u64, Entry);
