//! Counters of a join.

use std::sync::atomic::{AtomicU64, Ordering};

/// How many pairs reached each stage. Shared by all threads.
#[derive(Debug, Default)]
pub struct Statistics {
    candidates: AtomicU64,
    verified: AtomicU64,
    intersected: AtomicU64,
}

impl Statistics {
    /// Counts candidates.
    pub fn add_candidates(&self, candidates: usize) {
        self.candidates.fetch_add(candidates as u64, Ordering::Relaxed);
    }

    /// Counts a pair that a verifier compares.
    #[inline]
    pub fn add_verified(&self) {
        self.verified.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a pair whose sets are intersected.
    #[inline]
    pub(crate) fn add_intersected(&self) {
        self.intersected.fetch_add(1, Ordering::Relaxed);
    }

    /// Resets the counters to earlier values: how far an abandoned search got differs from run to
    /// run.
    pub(crate) fn reset_to(&self, candidates: u64, verified: u64) {
        self.candidates.store(candidates, Ordering::Relaxed);
        self.verified.store(verified, Ordering::Relaxed);
    }

    /// Distinct pairs of sets that share a key and pass the candidate filters.
    #[must_use]
    pub fn candidates(&self) -> u64 {
        self.candidates.load(Ordering::Relaxed)
    }

    /// Pairs that were decided by their sets: by bucket counts or by intersection.
    #[must_use]
    pub fn verified(&self) -> u64 {
        self.verified.load(Ordering::Relaxed)
    }

    /// Pairs whose sets were intersected. Depends on the memory for bucket counts.
    #[must_use]
    pub fn intersected(&self) -> u64 {
        self.intersected.load(Ordering::Relaxed)
    }
}
