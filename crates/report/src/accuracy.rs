//! Comparison of a plan's predictions with the outcome of the run.

use serde::{Deserialize, Serialize};

/// Predictions of a plan, and the outcome of the run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Accuracy {
    /// The method whose cost is compared; `None` if the plan has none of this name.
    pub method: Option<String>,
    /// Differences between the job of the plan and the run: names of settings, `inputs`, `command`,
    /// `threads`.
    pub differs: Vec<String>,
    /// Documents read.
    pub documents: Compared,
    /// Duplicates.
    pub removed: Compared,
    /// The predicted range of duplicates.
    pub removed_range: (u64, u64),
    /// Whether the outcome is in this range.
    pub removed_in_range: bool,
    /// Wall-clock time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<Compared>,
    /// Peak memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_memory_bytes: Option<Compared>,
    /// Bytes of temporary files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scratch_bytes: Option<Compared>,
}

/// A predicted number and its outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// The prediction.
    pub predicted: f64,
    /// The outcome.
    pub actual: f64,
    /// Relative error: predicted / actual − 1. `None` if it is not defined.
    pub error: Option<f64>,
}

impl Compared {
    /// A prediction and its outcome.
    #[must_use]
    pub fn new(predicted: f64, actual: f64) -> Self {
        let error = if actual > 0.0 { Some(predicted / actual - 1.0) } else { None };
        Self { predicted, actual, error: error.or((predicted == actual).then_some(0.0)) }
    }
}
