//! What a plan predicted of a run beside what it came to.

use serde::{Deserialize, Serialize};

/// What was predicted of a run beside what it came to.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Accuracy {
    /// The method whose cost is compared; `None` where the plan has none of this name.
    pub method: Option<String>,
    /// In what the plan was made for something else: names of settings, `inputs`, `command`,
    /// `threads`.
    pub differs: Vec<String>,
    /// Documents read.
    pub documents: Compared,
    /// Duplicates.
    pub removed: Compared,
    /// The range that was given for them.
    pub removed_range: (u64, u64),
    /// Whether they are in it.
    pub removed_in_range: bool,
    /// Wall-clock time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<Compared>,
    /// Most memory held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_memory_bytes: Option<Compared>,
    /// Bytes of temporary files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scratch_bytes: Option<Compared>,
}

/// A number that was predicted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// What was predicted.
    pub predicted: f64,
    /// What it came to.
    pub actual: f64,
    /// Predicted by actual, less 1: 0.1 is a tenth too much. `None` where that means nothing.
    pub error: Option<f64>,
}

impl Compared {
    /// What was predicted and what it came to.
    #[must_use]
    pub fn new(predicted: f64, actual: f64) -> Self {
        let error = if actual > 0.0 { Some(predicted / actual - 1.0) } else { None };
        Self { predicted, actual, error: error.or((predicted == actual).then_some(0.0)) }
    }
}
