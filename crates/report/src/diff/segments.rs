//! The result of an alignment: segments that both documents have, or only one.

use std::ops::Range;

/// Which document has the tokens of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Both documents.
    Both,
    /// Only the left one.
    Left,
    /// Only the right one.
    Right,
}

/// A run of tokens that both documents have, or only one. On a side without them, the range is
/// empty and lies at their position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// Which document has them.
    pub side: Side,
    /// Tokens of the left document.
    pub left: Range<usize>,
    /// Tokens of the right document.
    pub right: Range<usize>,
}

/// An alignment of two sequences.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Diff {
    /// Covers both sequences up to `unaligned` without gaps, in order; of a replacement, the left
    /// part comes first.
    pub segments: Vec<Segment>,
    /// Whether the bound on work was reached, so that parts given as replaced may have tokens in
    /// common.
    pub coarse: bool,
    /// The ranges after the last difference that the bounds allow, on the left and on the right,
    /// which were not compared. Both are empty if the sequences are aligned to their ends.
    pub unaligned: (Range<usize>, Range<usize>),
}

impl Diff {
    /// Whether both sequences are aligned to their ends.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.unaligned.0.is_empty() && self.unaligned.1.is_empty()
    }

    /// The same alignment, easier to read: one or two common words between large changes ("the",
    /// "of") count as changed.
    #[must_use]
    pub fn tidied(&self) -> Self {
        let changed = |segment: Option<&Segment>| match segment {
            Some(s) if s.side != Side::Both => s.left.len() + s.right.len(),
            _ => 0,
        };
        let segments = &self.segments;
        let around = |at: usize| {
            let before = at.checked_sub(1).map_or(0, |b| changed(segments.get(b)))
                + at.checked_sub(2).map_or(0, |b| changed(segments.get(b)));
            let after = changed(segments.get(at + 1)) + changed(segments.get(at + 2));
            before.min(after)
        };
        let blocks: Vec<Block> = segments
            .iter()
            .enumerate()
            .filter(|(at, s)| {
                s.side == Side::Both && (s.left.len() > 2 || around(*at) < 4 * s.left.len())
            })
            .map(|(_, s)| Block { left: s.left.start, right: s.right.start, length: s.left.len() })
            .collect();
        let end = (self.unaligned.0.start, self.unaligned.1.start);
        Self { segments: segments_of(&blocks, end), ..self.clone_bounds() }
    }

    /// All but the segments.
    fn clone_bounds(&self) -> Self {
        let Self { coarse, unaligned, .. } = self;
        Self { segments: Vec::new(), coarse: *coarse, unaligned: unaligned.clone() }
    }
}

/// A matching block: equal tokens at a position on either side.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    pub(super) left: usize,
    pub(super) right: usize,
    pub(super) length: usize,
}

impl Block {
    pub(super) fn end(self) -> (usize, usize) {
        (self.left + self.length, self.right + self.length)
    }
}

/// The blocks and the differences between them, up to the given end of either side.
pub(super) fn segments_of(blocks: &[Block], (left, right): (usize, usize)) -> Vec<Segment> {
    let mut out = Vec::with_capacity(blocks.len() * 2 + 2);
    let (mut l, mut r) = (0, 0);
    let end = Block { left, right, length: 0 };
    for block in blocks.iter().chain([&end]) {
        if l < block.left {
            out.push(Segment { side: Side::Left, left: l..block.left, right: r..r });
        }
        if r < block.right {
            out.push(Segment {
                side: Side::Right,
                left: block.left..block.left,
                right: r..block.right,
            });
        }
        (l, r) = block.end();
        if block.length > 0 {
            out.push(Segment { side: Side::Both, left: block.left..l, right: block.right..r });
        }
    }
    out
}
