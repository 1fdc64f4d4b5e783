//! Min-hash and methods based on it: bands, 84 → 6 super shingles, megashingles, and LSH on words.
//!
//! The k minima of a set ([`slots`]) are each equal in two documents with a probability equal to
//! their resemblance. [`bands`] makes keys of them and computes the probability of a common key,
//! and [`acceptance`] the number of minima that must agree. [`growing`] is a sketch to which elements
//! are added.

pub mod acceptance;
pub mod bands;
pub mod growing;
pub mod lsh;
pub mod megashingle;
pub mod slots;
pub mod super_shingle;
pub mod words;

pub use bands::Bands;
pub use growing::{MinHash, NotComparable};
pub use slots::Slots;

use crate::About;

/// The methods of this family.
pub(crate) const METHODS: &[About] =
    &[lsh::ABOUT, super_shingle::ABOUT, megashingle::ABOUT, words::ABOUT];
