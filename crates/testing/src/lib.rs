//! Helpers for tests and benchmarks of the other crates.
//!
//! [`oracle`] finds all pairs by brute force, from the definitions of the papers; [`mod@reference`]
//! reads collections and the pairs that others computed for them; [`splice`] makes collections of
//! any size out of real text, from the numbers of [`prng`]; [`data`] finds the real collections;
//! [`mod@words`] finds the words of a text without `lookalike-text`.
//! Two programs go with them: `lookalike-generate` writes such a collection, `lookalike-baseline`
//! measures the bare loop that the command is compared with.

pub mod data;
pub mod oracle;
pub mod prng;
pub mod reference;
pub mod splice;
pub mod words;
