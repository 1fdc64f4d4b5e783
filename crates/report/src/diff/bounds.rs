//! Bounds on the work of an alignment.

/// Bounds on an alignment. They do not include work that is linear in the lengths of both
/// sequences: one pass over the tokens for the common prefix and suffix, and one for the first
/// anchors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiffBounds {
    /// Work, in comparisons of two tokens (approximate).
    pub work: u64,
    /// Maximum number of differences; after it, the sequences are not aligned.
    pub differences: usize,
}

/// Enough for two documents of some hundred thousand words with edits everywhere; at most some
/// tenths of a second.
pub const DIFF_BOUNDS: DiffBounds = DiffBounds { work: 100_000_000, differences: 1 << 16 };

/// The caller asked for the alignment to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancelled;
