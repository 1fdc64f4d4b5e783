//! The condition of removals that lose nothing: the kept set contains the removed one.

use lookalike_core::{Measure, Overlap, Threshold};

/// Whether a set of `size` elements that shares `shared` of them with another one is contained in
/// it to a degree of at least `least`. Exact, in integers.
///
/// ```
/// use lookalike_join::is_contained;
///
/// assert!(is_contained("0.95".parse()?, 19, 20));
/// assert!(!is_contained("0.95".parse()?, 18, 19));
/// # Ok::<(), lookalike_core::ThresholdError>(())
/// ```
#[must_use]
pub fn is_contained(least: Threshold, shared: u32, size: u32) -> bool {
    // Containment has a direction: the other size does not count.
    Measure::Containment.reaches(least, Overlap { shared, a: size, b: size })
}
