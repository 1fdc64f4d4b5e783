//! Fingerprints, feature sets and exact measures of similarity. Pure: no files, threads or clock.
//!
//! In the order of use: [`fingerprint`] hashes tokens and shingles to 64 bits (the only hashing
//! that a result depends on) and [`batch`] many at once, [`features`] makes the set `S(D, w)` of a
//! document, [`mod@bitmap`] and [`bucket_counts`] are candidate filters, [`overlap()`] intersects
//! two sets, and [`measure`] decides, in integers only, whether two sets reach the threshold.
//!
//! ```
//! use lookalike_core::{FeatureKind, FeatureScratch, Measure, Overlap, ShortDocuments, Threshold, overlap};
//!
//! // Broder 1997, "Defining similarity of documents": the 4-shingling of (a, rose, is, a, rose, is, a, rose) has 3 elements.
//! let kind = FeatureKind::Shingles { size: 4, short: ShortDocuments::Ignore };
//! let mut scratch = FeatureScratch::default();
//! let mut set_of = |text: &str| {
//!     scratch.clear();
//!     text.split(' ').for_each(|word| scratch.push(word.as_bytes()));
//!     let mut set = scratch.features(kind).map_or_else(Vec::new, |(set, _)| set.to_vec());
//!     set.sort_unstable();
//!     set
//! };
//! let a = set_of("a rose is a rose is a rose");
//! let b = set_of("a rose is a flower is a rose");
//! assert_eq!(a.len(), 3);
//! let counts = Overlap { shared: overlap(&a, &b), a: a.len() as u32, b: b.len() as u32 };
//! assert_eq!(counts.shared, 1);
//! let half: Threshold = "0.5".parse()?;
//! assert!(!Measure::Resemblance.reaches(half, counts));
//! # Ok::<(), lookalike_core::ThresholdError>(())
//! ```

pub mod batch;
pub mod bitmap;
pub mod bucket_counts;
mod common;
pub mod features;
pub mod fingerprint;
pub mod measure;
pub mod ngrams;
pub mod overlap;
mod processor;
mod sort;
pub mod spans;
mod sparse_index;
pub mod threshold;
mod vectors;
pub mod wide_bitmap;

pub use bitmap::BitmapSignature;
pub use common::CommonElements;
pub use features::{FeatureKind, FeatureScratch, SetDigest, ShortDocuments};
pub use fingerprint::{HASH_NAME, MultisetDigest, TextDigest, TokenDigest};
pub use measure::{Measure, Overlap};
pub use ngrams::{Ngram, NgramIndex};
pub use overlap::{Halves, overlap, overlap_at_least};
pub use sort::SpreadSort;
pub use sparse_index::SparseIndex;
pub use threshold::{Threshold, ThresholdError};
pub use vectors::divide;
