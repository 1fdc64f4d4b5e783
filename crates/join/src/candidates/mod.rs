//! Candidate generation, second half: which sets share a key and pass the length and positional
//! filters.
//!
//! `posting_list` is the step for engines that shuffle data by themselves: it takes one list at a
//! time. The others use the [index](crate::index): `list_bounds` and `gather` for all candidates of
//! a set, `kept_sets` for the kept ones in order of precedence.

mod candidate;
pub(crate) mod gather;
pub(crate) mod kept_sets;
pub(crate) mod list_bounds;
mod posting_list;

pub use candidate::{Candidate, CandidatePairs};
pub use posting_list::{Bitmap, Posting, candidates, candidates_of};
