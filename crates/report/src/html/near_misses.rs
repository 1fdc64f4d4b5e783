//! The pairs on both sides of the threshold, where a run listed near misses.

use super::chart::{self, Chart};
use crate::Summary;

/// Most bins of a chart that can be read.
const MOST_BINS: usize = 200;

/// The chart; `None` for a run that was not asked for near misses.
pub(super) fn chart(summary: &Summary, measure: &str) -> Option<Chart> {
    let near = summary.near_misses.as_ref()?;
    let is_plain = near.from.is_finite()
        && near.threshold > near.from
        && near.below.len() + near.above.len() <= MOST_BINS;
    is_plain.then(|| chart::around(near.from, near.threshold, &near.below, &near.above, measure))?
}
