//! The pairs on both sides of the threshold, where a run listed near misses.

use super::chart::{self, Chart};
use crate::Summary;
use serde::Deserialize;

/// The field `near_misses` of a summary.
#[derive(Debug, Deserialize)]
struct NearMisses {
    from: f64,
    threshold: f64,
    below: Vec<u64>,
    above: Vec<u64>,
}

/// The chart; `None` for a run without near misses. The field is read from the JSON of the summary,
/// where runs that were not asked for near misses have none.
pub(super) fn chart(summary: &Summary, measure: &str) -> Option<Chart> {
    let value = serde_json::to_value(summary).ok()?.get_mut("near_misses")?.take();
    let NearMisses { from, threshold, below, above } = serde_json::from_value(value).ok()?;
    let is_plain = from.is_finite() && threshold > from && below.len() + above.len() <= 200;
    is_plain.then(|| chart::around(from, threshold, &below, &above, measure))?
}
