//! Finds the matching blocks of two sequences: common prefixes and suffixes, anchors, and Myers'
//! algorithm in the gaps between them.

use super::anchors::anchors;
use super::bounds::{Cancelled, DiffBounds};
use super::segments::Block;
use crate::Form;
use std::ops::Range;

/// Maximum product of the lengths of two sequences for Myers' algorithm.
const MYERS_CELLS: u64 = 4_000_000;

/// The same for a gap between anchors: larger gaps are first cut at further anchors.
const GAP_CELLS: u64 = 1 << 16;

/// Lengths of the windows tried as anchors, in this order, while a gap is too large. The first two
/// differ in how densely they are sampled, as gaps are shorter than the whole sequence.
const WINDOWS: [usize; 5] = [16, 16, 5, 2, 1];

/// Work for each token in a search for anchors: windows are hashed and the sampled ones sorted.
const ANCHOR_WORK: u64 = 8;

/// Minimum length of parts that are aligned by position.
const LEAST_PART: usize = 64;

/// Work after which cancellation is polled: some milliseconds.
const POLL: u64 = 4_000_000;

/// Why an alignment ends early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    Cancelled,
    Differences,
}

/// When to poll for cancellation.
struct Poll<'a> {
    cancelled: &'a dyn Fn() -> bool,
    /// Work until the next poll.
    work: u64,
}

/// The matching blocks of two sequences, within bounds.
pub(super) struct Alignment {
    /// Ascending on both sides.
    pub(super) blocks: Vec<Block>,
    /// Whether the bound on work was reached.
    pub(super) coarse: bool,
    /// How far either side is aligned.
    pub(super) end: (usize, usize),
}

/// Aligns two sequences within `bounds`, as [`diff`](super::diff).
pub(super) fn align(
    left: &[Form],
    right: &[Form],
    bounds: DiffBounds,
    cancelled: &dyn Fn() -> bool,
) -> Result<Alignment, Cancelled> {
    let mut aligner = Aligner {
        left,
        right,
        work: bounds.work,
        differences: bounds.differences,
        poll: Poll { cancelled, work: POLL },
        stop: None,
        coarse: false,
        blocks: Vec::new(),
    };
    aligner.align(0..left.len(), 0..right.len(), 0);
    let Aligner { blocks, coarse, stop, differences, .. } = aligner;
    let whole = (left.len(), right.len());
    let aligned = blocks.last().map_or((0, 0), |block| block.end());
    let end = match stop {
        Some(Stop::Cancelled) => return Err(Cancelled),
        Some(Stop::Differences) => aligned,
        // The rest after the last block is a difference as well.
        None if differences == 0 => aligned,
        None => whole,
    };
    Ok(Alignment { blocks, coarse, end })
}

/// State of an alignment.
struct Aligner<'a> {
    left: &'a [Form],
    right: &'a [Form],
    /// Remaining work.
    work: u64,
    /// Remaining differences.
    differences: usize,
    poll: Poll<'a>,
    stop: Option<Stop>,
    coarse: bool,
    /// Ascending on both sides.
    blocks: Vec<Block>,
}

impl Aligner<'_> {
    /// Aligns two ranges, whose windows of [`WINDOWS`] below `level` were tried as anchors.
    fn align(&mut self, mut left: Range<usize>, mut right: Range<usize>, level: usize) {
        if self.stop.is_some() {
            return;
        }
        let (a, b) = (&self.left[left.clone()], &self.right[right.clone()]);
        let prefix = a.iter().zip(b).take_while(|(a, b)| a == b).count();
        let (a, b) = (&a[prefix..], &b[prefix..]);
        let suffix = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
        self.push(left.start, right.start, prefix);
        left = left.start + prefix..left.end - suffix;
        right = right.start + prefix..right.end - suffix;
        self.align_middle(left.clone(), right.clone(), level);
        self.push(left.end, right.end, suffix);
    }

    fn align_middle(&mut self, left: Range<usize>, right: Range<usize>, level: usize) {
        let cells = left.len() as u64 * right.len() as u64;
        if cells == 0 {
            return;
        }
        if cells <= if level == 0 { MYERS_CELLS } else { GAP_CELLS } && self.spend(cells) {
            self.myers(left, right);
            return;
        }
        let tokens = (left.len() + right.len()) as u64;
        for (tried, &k) in WINDOWS.iter().enumerate().skip(level) {
            // The whole sequence would be sampled as densely as before, and fail again.
            if (level, tried) == (0, 1) {
                continue;
            }
            let is_first = tried == 0;
            if !is_first && !self.spend(ANCHOR_WORK * tokens) {
                break;
            }
            let anchors = anchors(&self.left[left.clone()], &self.right[right.clone()], k);
            if !anchors.is_empty() {
                self.align_between(&anchors, left, right, tried + 1);
                return;
            }
            if self.stop.is_some() {
                return;
            }
        }
        if cells <= MYERS_CELLS && self.spend(cells) {
            self.myers(left, right);
            return;
        }
        if self.stop.is_none() {
            self.coarse = true;
            self.align_by_position(left, right);
        }
    }

    /// Aligns the gaps between anchors, whose positions are relative to the ranges.
    fn align_between(
        &mut self,
        anchors: &[(usize, usize)],
        left: Range<usize>,
        right: Range<usize>,
        level: usize,
    ) {
        let (mut l, mut r) = (left.start, right.start);
        for (at_left, at_right) in anchors.iter().map(|&(a, b)| (left.start + a, right.start + b)) {
            if self.stop.is_some() {
                return;
            }
            if at_left < l || at_right < r {
                continue; // inside the block of the previous anchor
            }
            self.align(l..at_left, r..at_right, level);
            let length = self.left[at_left..left.end]
                .iter()
                .zip(&self.right[at_right..right.end])
                .take_while(|(a, b)| a == b)
                .count();
            self.push(at_left, at_right, length);
            (l, r) = (at_left + length, at_right + length);
        }
        self.align(l..left.end, r..right.end, level);
    }

    /// Aligns by position: the last resort, for long repetitive texts. Both ranges are cut into the
    /// same number of parts, small enough for the remaining work, and the n-th parts are aligned.
    fn align_by_position(&mut self, left: Range<usize>, right: Range<usize>) {
        let longest = left.len().max(right.len());
        let part = (self.work / longest as u64).min(MYERS_CELLS.isqrt()) as usize;
        if part < LEAST_PART {
            return;
        }
        let parts = longest.div_ceil(part);
        let cut = |range: &Range<usize>, n: usize| range.start + range.len() * n / parts;
        for n in 0..parts {
            let (l, r) = (cut(&left, n)..cut(&left, n + 1), cut(&right, n)..cut(&right, n + 1));
            if !self.spend(l.len() as u64 * r.len() as u64) {
                return;
            }
            self.myers(l, r);
        }
    }

    fn myers(&mut self, left: Range<usize>, right: Range<usize>) {
        let (a, b) = (&self.left[left.clone()], &self.right[right.clone()]);
        for operation in similar::capture_diff_slices(similar::Algorithm::Myers, a, b) {
            if let similar::DiffOp::Equal { old_index, new_index, len } = operation {
                self.push(left.start + old_index, right.start + new_index, len);
            }
        }
    }

    /// Subtracts work from the budget if the budget suffices, and polls for cancellation every
    /// [`POLL`]. Returns `false` if the work must not be done.
    fn spend(&mut self, work: u64) -> bool {
        if self.stop.is_some() || work > self.work {
            return false;
        }
        self.work -= work;
        match self.poll.work.checked_sub(work) {
            Some(left) => self.poll.work = left,
            None => {
                self.poll.work = POLL;
                if (self.poll.cancelled)() {
                    self.stop = Some(Stop::Cancelled);
                }
            }
        }
        self.stop.is_none()
    }

    /// Appends a block, or extends the last one if the two are adjacent. Any other block follows a
    /// difference.
    fn push(&mut self, left: usize, right: usize, length: usize) {
        if length == 0 || self.stop.is_some() {
            return;
        }
        let end = self.blocks.last().map_or((0, 0), |last| last.end());
        if end == (left, right) && !self.blocks.is_empty() {
            if let Some(last) = self.blocks.last_mut() {
                last.length += length;
            }
            return;
        }
        if end != (left, right) {
            match self.differences.checked_sub(1) {
                Some(differences) => self.differences = differences,
                None => {
                    self.stop = Some(Stop::Differences);
                    return;
                }
            }
        }
        self.blocks.push(Block { left, right, length });
    }
}
