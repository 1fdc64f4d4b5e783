//! What a run of `dedup` cuts out of the documents that it keeps.

use serde::{Deserialize, Serialize};

/// What was cut out of the documents that a run of `dedup` keeps: numbers of its
/// [`PassageSummary`](crate::PassageSummary).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CutPassages {
    /// Rows of `passages`.
    pub passages: u64,
    /// Documents with another text.
    pub cut: u64,
    /// Documents that are removed, as nothing is left; the run counts them as kept.
    pub removed: u64,
    /// Units that are cut.
    pub cut_units: u64,
    /// Units of the documents that the run keeps.
    pub units: u64,
    /// What a unit is.
    pub unit: String,
}
