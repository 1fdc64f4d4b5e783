//! Candidate generation, first half: the inverted index over prefix elements, or over the keys of a
//! method.
//!
//! In the order in which data runs through the files: `singletons` finds elements with document
//! frequency 1, `prefix_keys` emits the keys of each set, `key_buckets` sorts them by value
//! (spilling those beyond the memory budget), `posting_lists` keeps each distinct list once, and
//! `inverted_index` lists the keys of each set.

mod entry;
mod inverted_index;
pub(crate) mod key_buckets;
mod posting_lists;
mod prefix_keys;
pub(crate) mod singletons;

pub(crate) use entry::Key;
pub use entry::{Entry, UNKNOWN};
pub use inverted_index::{InvertedIndex, ListKey};
pub use singletons::COUNTED_BYTES;
