//! Bitmap join: candidates without an index, by comparing bitmaps of all pairs of similar sizes.
//!
//! Where few elements are in many sets, as characters and single words are, prefixes are long and
//! posting lists too: looking up the keys of a set costs more than comparing it with every set of a
//! similar size, if a comparison is a few vector instructions. So each set gets a [wide
//! bitmap](lookalike_core::wide_bitmap), the sets are ordered by size, and tiles of them are
//! compared in the cache. Time is quadratic in the number of sets, with a small factor; so is that
//! of an index over a small vocabulary. [`BitmapJoin::new`] takes this way only where it is likely
//! to cost less, and the search is abandoned if more pairs are left than an index of pairs should
//! hold. Both are functions of the sets and of the criterion alone.
//!
//! Source of the filter: Sandes, Teodoro & Melo (2020); of the comparison in tiles by size: their
//! "naive" join.

mod bitmaps;
mod plan;
mod search;

pub(crate) use plan::{MOST_PAIRS, Plan};
pub(crate) use search::{BitmapJoin, Prefixes};
