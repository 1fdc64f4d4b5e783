//! Byte-range locks of the failing disk.

use super::directory::Node;
use std::ops::Bound;

/// The locks that are held on all files.
#[derive(Debug, Default)]
pub(super) struct Locks(Vec<Held>);

#[derive(Debug, PartialEq, Eq)]
struct Held {
    node: Node,
    /// The opening of the file that holds it.
    opening: u64,
    range: Span,
    exclusive: bool,
}

/// Bytes from the first to the last, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    first: u64,
    last: u64,
}

impl Span {
    pub(super) fn new(start: Bound<u64>, end: Bound<u64>) -> Self {
        let first = match start {
            Bound::Included(first) => first,
            Bound::Excluded(before) => before.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let last = match end {
            Bound::Included(last) => last,
            Bound::Excluded(end) => end.saturating_sub(1),
            Bound::Unbounded => u64::MAX,
        };
        Self { first, last }
    }
}

impl Locks {
    /// Whether a lock held by another opening conflicts.
    pub(super) fn conflict(&self, node: Node, opening: u64, range: Span, exclusive: bool) -> bool {
        self.0.iter().any(|held| {
            held.node == node
                && held.opening != opening
                && (exclusive || held.exclusive)
                && held.range.first <= range.last
                && range.first <= held.range.last
        })
    }

    /// Takes a lock, if none conflicts.
    pub(super) fn take(&mut self, node: Node, opening: u64, range: Span, exclusive: bool) -> bool {
        if self.conflict(node, opening, range, exclusive) {
            return false;
        }
        self.0.push(Held { node, opening, range, exclusive });
        true
    }

    /// Releases the locks of an opening on exactly this range.
    pub(super) fn release(&mut self, opening: u64, range: Span) {
        self.0.retain(|held| held.opening != opening || held.range != range);
    }

    /// Releases all locks of an opening.
    pub(super) fn release_all(&mut self, opening: u64) {
        self.0.retain(|held| held.opening != opening);
    }
}
