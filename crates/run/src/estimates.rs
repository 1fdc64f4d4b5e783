//! Runs that estimate the resemblance.

use lookalike_engine::{Approach, Verify};

/// Whether the pairs of a run are decided by estimates of the resemblance.
pub(crate) fn are_made(approach: &Approach) -> bool {
    let estimates = approach.method.as_ref().is_some_and(|method| method.estimates());
    approach.verify == Verify::Sketch && estimates
}
