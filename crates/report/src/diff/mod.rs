//! Alignment of two token sequences within bounded work.
//!
//! The primary function is [`diff`]. Common prefixes and suffixes are cut off first. If the middle
//! is long, it is cut at *anchors*: windows of tokens that occur exactly once in either sequence
//! (as in patience diff), of which the longest chain that ascends in both is kept. Long sequences
//! sample their windows by hash, so that a pass takes linear time and the memory of a bounded
//! number of windows; the gaps between anchors are sampled more densely, with shorter windows,
//! until Myers' algorithm sees gaps of bounded size only. Work is counted, not timed: equal texts
//! always get equal alignments. What the bounds leave out is in [`Diff::coarse`] and
//! [`Diff::unaligned`].

mod aligner;
mod anchors;
mod bounds;
mod segments;
#[cfg(test)]
mod tests;

pub use bounds::{Cancelled, DIFF_BOUNDS, DiffBounds};
pub use segments::{Diff, Segment, Side};

use crate::Form;
use aligner::{Alignment, align};
use segments::segments_of;

/// Aligns two sequences within `bounds`. `cancelled` is polled every few milliseconds.
///
/// # Errors
/// [`Cancelled`] if `cancelled` returned `true`.
pub fn diff(
    left: &[Form],
    right: &[Form],
    bounds: DiffBounds,
    cancelled: &dyn Fn() -> bool,
) -> Result<Diff, Cancelled> {
    let Alignment { blocks, coarse, end } = align(left, right, bounds, cancelled)?;
    let unaligned = (end.0..left.len(), end.1..right.len());
    Ok(Diff { segments: segments_of(&blocks, end), coarse, unaligned })
}
