//! Smaller samples of a sample.

use lookalike_core::fingerprint::finalise;
use lookalike_engine::DocumentId;

/// A subsample of one in 2ⁿ documents of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Thinning(pub(super) u32);

impl Thinning {
    pub(super) fn takes(self, DocumentId(document): DocumentId) -> bool {
        // Nested, so that smaller samples are subsets of larger ones.
        finalise(u64::from(document) ^ 0x5eed).trailing_zeros() >= self.0
    }

    /// Number of documents in the subsample.
    pub(super) fn count(self, documents: u32) -> u64 {
        (0..documents).filter(|&document| self.takes(DocumentId(document))).count() as u64
    }
}
