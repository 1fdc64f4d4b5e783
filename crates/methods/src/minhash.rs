//! Min-hash and what is made of its minima: bands, 84 → 6 super shingles, megashingles, and LSH on
//! words.
//!
//! In: the set of a document. Out: k minima ([`slots`]), each equal in two documents with a
//! probability that is their resemblance. [`bands`] makes keys of them and says how often two
//! documents meet, and [`acceptance`] how many must agree.

pub mod acceptance;
pub mod bands;
pub mod lsh;
pub mod megashingle;
pub mod slots;
pub mod super_shingle;
pub mod words;

pub use bands::Bands;
pub use slots::Slots;

use crate::About;

/// The methods of this family.
pub(crate) const METHODS: &[About] =
    &[lsh::ABOUT, super_shingle::ABOUT, megashingle::ABOUT, words::ABOUT];
