//! Smaller samples of a sample.

use lookalike_core::fingerprint::finalise;

/// The documents of a sample of which one in 2ⁿ is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Thinning(pub(super) u32);

impl Thinning {
    pub(super) fn takes(self, document: u32) -> bool {
        // The same half of a half, so that smaller samples are in larger ones.
        finalise(u64::from(document) ^ 0x5eed).trailing_zeros() >= self.0
    }

    /// Documents that are looked at.
    pub(super) fn count(self, documents: u32) -> u64 {
        (0..documents).filter(|&document| self.takes(document)).count() as u64
    }
}
