//! The counter of an element, in df sketches and element orders.

use lookalike_core::fingerprint::finalise;

/// The counter of an element: mixed once more, so that it is independent of the element's rank by
/// value.
#[inline]
pub(super) fn counter(element: u64, shift: u32) -> u32 {
    (finalise(element) >> shift) as u32
}
