//! Placeholder document frequencies.

use lookalike_methods::Statistics;

/// Placeholder statistics, for reading a method's parameters only.
#[derive(Debug)]
pub struct NoStatistics;

impl Statistics for NoStatistics {
    fn documents(&self) -> u64 {
        1
    }

    fn frequency(&self, _term: u64) -> u32 {
        0
    }

    fn frequency_range(&self) -> (u32, u32) {
        (1, 1)
    }

    fn checksum(&self) -> u128 {
        0
    }
}
