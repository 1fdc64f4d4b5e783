//! Helpers for tests of the other crates.
//!
//! [`oracle`] finds all pairs by brute force, from the definitions of the papers; [`mod@reference`]
//! reads collections and the pairs that others computed for them; [`data`] finds the real
//! collections; [`mod@words`] finds the words of a text without `lookalike-text`; [`failing_disk`]
//! is a disk of an index that loses power; [`prng`] makes the numbers that tests choose by.

pub mod data;
pub mod failing_disk;
pub mod oracle;
pub mod prng;
pub mod reference;
pub mod words;
