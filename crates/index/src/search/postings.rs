//! What a search reads of a segment.

use crate::{IndexError, Lean};
use lookalike_core::{BitmapSignature, SetDigest};
use std::ops::Range;

/// Inverted index over 64-bit values: for each value the ids that hold it.
///
/// A value is looked up by its top [`LOOKUP_BITS`] bits: a list holds every id that has the value,
/// and may hold ids that have another value with the same top bits.
pub trait InvertedIndex {
    /// A posting list that was looked up, not read.
    type List<'a>: PostingList
    where
        Self: 'a;

    /// Number of ids; they run from 0.
    fn ids(&self) -> u32;

    /// Brings into the cache what [`Self::lookup`] reads of these values: directory lines of all
    /// first, then bucket lines, so that the reads overlap. A hint; called with up to
    /// [`LOOKUP_BLOCK`] values before they are looked up.
    fn prefetch(&self, values: &[u64]) {
        let _ = values;
    }

    /// The posting list of a value; empty if no id has it.
    fn lookup(&self, value: u64) -> Self::List<'_>;

    /// The error for an index that is damaged, with its path.
    fn damaged(&self, what: &str) -> IndexError {
        IndexError::Damaged { path: std::path::PathBuf::new(), what: what.to_owned() }
    }
}

/// A posting list: ids in ascending order. An id occurs twice if it has two values with the same
/// top bits.
pub trait PostingList: Copy {
    /// Number of entries, known without reading them.
    fn len(self) -> u32;

    /// Whether there are no entries.
    fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The entries that lie in a range of ids. O(log len).
    #[must_use]
    fn within(self, ids: &Range<u32>) -> Self;

    /// Whether an id is in the list. O(log len).
    fn contains(self, id: u32) -> bool;

    /// The entries, ascending.
    fn entries(self) -> impl Iterator<Item = u32>;
}

/// The stored sets of a segment. The ids are *units*: distinct sets, numbered by ascending size.
/// Every element of every set is posted, unless [`Self::lean`] says otherwise.
pub trait Postings: InvertedIndex {
    /// Number of elements of a unit's set; at least 1, and not descending with the unit.
    fn size(&self, unit: u32) -> u32;

    /// The units whose sets have `low` to `high` elements.
    fn units_of_size(&self, low: u32, high: u32) -> Range<u32>;

    /// For each unit its [`CommonShare`](super::CommonShare) as a byte: how much of its set lies in
    /// long lists. `None` if the segment does not store it; answers are the same without.
    fn common_shares(&self) -> Option<&[u8]> {
        None
    }

    /// Which elements of each set are posted; `None` for all.
    fn lean(&self) -> Option<&Lean> {
        None
    }

    /// The bitmap of a unit's set, if it is stored; answers are the same without.
    fn bitmap(&self, unit: u32) -> Option<BitmapSignature> {
        let _ = unit;
        None
    }

    /// The digest of a unit's set ([`features::digest`](lookalike_core::features::digest)), if it is
    /// stored; answers are the same without.
    fn digest(&self, unit: u32) -> Option<SetDigest> {
        let _ = unit;
        None
    }

    /// Replaces the content of `set` by the unit's set, strictly ascending, of [`Self::size`]
    /// elements.
    ///
    /// # Errors
    /// If the set cannot be read. A set of another size is [`InvertedIndex::damaged`].
    fn make_set(&self, unit: u32, set: &mut Vec<u64>) -> Result<(), IndexError>;
}

/// Bits by which a value is looked up; in lean segments fewer.
pub const LOOKUP_BITS: u32 = 40;

/// Values that are looked up together.
pub const LOOKUP_BLOCK: usize = 32;
