//! The join in parts, for engines that shuffle data between machines (Spark, Ray, processes).
//!
//! An engine moves bytes, and these steps decide: [`PostingBuckets`] sorts the prefix keys of sets
//! into buckets, [`decode_postings`] and [`Bucket`] find the candidate pairs of one bucket, and
//! [`Part`] says which task compares them. Sets are identified by ranks: numbers of 64 bits in
//! order of precedence. Everything is a function of its input as a set: an engine may change the
//! order of rows, and repeat a task.
//!
//! A bucket holds all postings of its keys. Keys are the first 48 bits of a hash of the element:
//! two elements with one key give candidates that do not match, and hide none.

mod bucket;
mod codec;
mod connect;
mod pairs;
mod posting;

pub use bucket::{Bucket, BucketStatistics};
pub use codec::{ShuffleError, decode_pairs, decode_ranks, encode_pairs, encode_ranks};
pub use connect::{Connected, Links};
pub use pairs::{PairBuffer, Part};
pub use posting::{NO_WITNESS, PostingBuckets, Role, ShuffledPosting, decode_postings};
