//! The memory budget of the index.

use std::path::PathBuf;

/// Memory for keys, and where those beyond it are spilled.
#[derive(Debug, Clone)]
pub struct SpillBudget {
    /// Bytes of keys in memory. Before there are keys, twice as many are used to count elements;
    /// fewer take more scans over the sets.
    pub bytes: u64,
    /// Folder of the spill file, which has no name there and leaves nothing behind.
    pub folder: PathBuf,
}

impl SpillBudget {
    /// Memory without a limit.
    #[must_use]
    pub fn unlimited() -> Self {
        Self { bytes: u64::MAX, folder: std::env::temp_dir() }
    }
}
