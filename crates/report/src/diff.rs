//! Two token sequences in; what they share in order, and what only one of them has, out.
//!
//! The primary function is [`diff`]. Sequences of ordinary length are aligned by Myers' algorithm.
//! Its worst case is quadratic, so long ones are first cut at anchors, windows of tokens that occur
//! once on either side (the idea of patience diff), and Myers sees what lies between. The work is
//! bounded by counting, not by a clock: the same texts always give the same alignment. What the
//! bound leaves over is aligned by place or shown as replaced as a whole, and [`Diff::coarse`] says so.

use crate::Form;
use crate::windows::sorted_windows;
use std::ops::Range;

/// Work that is enough for any two documents of ordinary length, and takes about a second at most.
pub const DIFF_WORK: u64 = 50_000_000;

/// Largest product of lengths that Myers is given at once.
const CELLS_AT_ONCE: u64 = 4_000_000;

/// Lengths of the windows tried as anchors, one after the other in what is still too large.
const ANCHORS: [usize; 4] = [16, 5, 2, 1];

/// Parts shorter than this are not worth aligning by their place alone.
const LEAST_PART: usize = 64;

/// Who has the tokens of a segment.
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

/// A run of tokens with one fate. The range on a side that does not have them is empty and says
/// where they would stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// Who has them.
    pub side: Side,
    /// Tokens of the left document.
    pub left: Range<usize>,
    /// Tokens of the right document.
    pub right: Range<usize>,
}

/// Two sequences, aligned.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Diff {
    /// Covers both sequences without gaps, in order; of a replacement, the left part comes first.
    pub segments: Vec<Segment>,
    /// Whether the work bound was reached, so that parts shown as replaced may have tokens in common.
    pub coarse: bool,
}

/// Aligns two sequences, spending at most about `work` comparisons ([`DIFF_WORK`] is a good bound).
#[must_use]
pub fn diff(left: &[Form], right: &[Form], work: u64) -> Diff {
    let mut aligner = Aligner { left, right, work, coarse: false, blocks: Vec::new() };
    aligner.align(0..left.len(), 0..right.len(), 0);
    let Aligner { blocks, coarse, .. } = aligner;
    Diff { segments: segments(&blocks, left.len(), right.len()), coarse }
}

impl Diff {
    /// The same alignment, easier to read: a word or two that happen to be common between large
    /// changes ("the", "of") count as changed.
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
        let last = segments.last().map_or((0, 0), |s| (s.left.end, s.right.end));
        let blocks: Vec<Block> = segments
            .iter()
            .enumerate()
            .filter(|(at, s)| {
                s.side == Side::Both && (s.left.len() > 2 || around(*at) < 4 * s.left.len())
            })
            .map(|(_, s)| Block { left: s.left.start, right: s.right.start, length: s.left.len() })
            .collect();
        Self { segments: self::segments(&blocks, last.0, last.1), coarse: self.coarse }
    }
}

/// Equal tokens at two places.
#[derive(Debug, Clone, Copy)]
struct Block {
    left: usize,
    right: usize,
    length: usize,
}

struct Aligner<'a> {
    left: &'a [Form],
    right: &'a [Form],
    work: u64,
    coarse: bool,
    /// Ascending on both sides.
    blocks: Vec<Block>,
}

impl Aligner<'_> {
    fn align(&mut self, mut left: Range<usize>, mut right: Range<usize>, level: usize) {
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
        if cells <= CELLS_AT_ONCE && cells <= self.work {
            self.work -= cells;
            self.myers(left, right);
            return;
        }
        for (deeper, &k) in ANCHORS.iter().enumerate().skip(level) {
            let anchors = anchors(&self.left[left.clone()], &self.right[right.clone()], k);
            let (mut l, mut r) = (left.start, right.start);
            for (at_left, at_right) in
                anchors.iter().map(|&(a, b)| (left.start + a, right.start + b))
            {
                if at_left < l || at_right < r {
                    continue; // inside the block that the anchor before has grown to
                }
                self.align(l..at_left, r..at_right, deeper + 1);
                let length = self.left[at_left..left.end]
                    .iter()
                    .zip(&self.right[at_right..right.end])
                    .take_while(|(a, b)| a == b)
                    .count();
                self.push(at_left, at_right, length);
                (l, r) = (at_left + length, at_right + length);
            }
            if !anchors.is_empty() {
                self.align(l..left.end, r..right.end, deeper + 1);
                return;
            }
        }
        self.coarse = true;
        self.align_by_place(left, right);
    }

    /// The last resort, for long texts that repeat themselves: both are cut into equally many parts,
    /// small enough for what is left of the bound, and part is aligned with part.
    fn align_by_place(&mut self, left: Range<usize>, right: Range<usize>) {
        let longest = left.len().max(right.len());
        let part = (self.work / longest as u64).min(CELLS_AT_ONCE.isqrt()) as usize;
        if part < LEAST_PART {
            return;
        }
        let parts = longest.div_ceil(part);
        let cut = |range: &Range<usize>, n: usize| range.start + range.len() * n / parts;
        for n in 0..parts {
            let (l, r) = (cut(&left, n)..cut(&left, n + 1), cut(&right, n)..cut(&right, n + 1));
            self.work = self.work.saturating_sub(l.len() as u64 * r.len() as u64);
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

    fn push(&mut self, left: usize, right: usize, length: usize) {
        match self.blocks.last_mut() {
            _ if length == 0 => {}
            Some(last) if last.left + last.length == left && last.right + last.length == right => {
                last.length += length;
            }
            _ => self.blocks.push(Block { left, right, length }),
        }
    }
}

/// The longest chain, ascending on both sides, of windows that occur once in each.
fn anchors(left: &[Form], right: &[Form], k: usize) -> Vec<(usize, usize)> {
    let (mut a, mut b) = (sorted_windows(left, k), sorted_windows(right, k));
    for windows in [&mut a, &mut b] {
        let mut at = 0;
        let all = std::mem::take(windows);
        while at < all.len() {
            let run = all[at..].iter().take_while(|window| window.0 == all[at].0).count();
            if run == 1 {
                windows.push(all[at]);
            }
            at += run;
        }
    }
    let mut common = Vec::new();
    let mut others = b.iter().peekable();
    for &(hash, at_left) in &a {
        while others.next_if(|other| other.0 < hash).is_some() {}
        if let Some(&&(other, at_right)) = others.peek()
            && other == hash
            && left[at_left as usize..][..k] == right[at_right as usize..][..k]
        {
            common.push((at_left as usize, at_right as usize));
        }
    }
    common.sort_unstable();
    longest_increasing(&common)
}

/// Patience sorting: the longest subsequence of pairs whose second members ascend.
fn longest_increasing(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut piles: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (index, &(_, value)) in pairs.iter().enumerate() {
        let pile = piles.partition_point(|&top| pairs[top].1 < value);
        before.push(pile.checked_sub(1).map(|p| piles[p]));
        if pile == piles.len() {
            piles.push(index);
        } else {
            piles[pile] = index;
        }
    }
    let mut chain: Vec<(usize, usize)> =
        std::iter::successors(piles.last().copied(), |&index| before[index])
            .map(|index| pairs[index])
            .collect();
    chain.reverse();
    chain
}

fn segments(blocks: &[Block], left: usize, right: usize) -> Vec<Segment> {
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
        (l, r) = (block.left + block.length, block.right + block.length);
        if block.length > 0 {
            out.push(Segment { side: Side::Both, left: block.left..l, right: block.right..r });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn forms(numbers: &[u32]) -> Vec<Form> {
        numbers.iter().copied().map(Form).collect()
    }

    /// Fails unless the segments cover both sequences and say the truth; gives the tokens in common.
    fn check(left: &[Form], right: &[Form], diff: &Diff) -> usize {
        let (mut l, mut r, mut common) = (0, 0, 0);
        let mut before = None;
        for segment in &diff.segments {
            assert_eq!((segment.left.start, segment.right.start), (l, r), "no gap, no overlap");
            match segment.side {
                Side::Both => {
                    assert_eq!(left[segment.left.clone()], right[segment.right.clone()]);
                    common += segment.left.len();
                }
                Side::Left => assert!(segment.right.is_empty() && !segment.left.is_empty()),
                Side::Right => assert!(segment.left.is_empty() && !segment.right.is_empty()),
            }
            assert_ne!(before.replace(segment.side), Some(segment.side), "neighbours are merged");
            (l, r) = (segment.left.end, segment.right.end);
        }
        assert_eq!((l, r), (left.len(), right.len()));
        common
    }

    /// Length of the longest common subsequence, by the textbook's table.
    fn longest_common(left: &[Form], right: &[Form]) -> usize {
        let mut table = vec![vec![0; right.len() + 1]; left.len() + 1];
        for i in 0..left.len() {
            for j in 0..right.len() {
                table[i + 1][j + 1] = if left[i] == right[j] {
                    table[i][j] + 1
                } else {
                    table[i][j + 1].max(table[i + 1][j])
                };
            }
        }
        table[left.len()][right.len()]
    }

    #[test]
    fn a_replaced_word_by_hand() {
        let (left, right) = (forms(&[1, 2, 3, 4]), forms(&[1, 9, 3, 4, 5]));
        let found = diff(&left, &right, DIFF_WORK);
        let segment = |side, left, right| Segment { side, left, right };
        assert_eq!(
            found.segments,
            [
                segment(Side::Both, 0..1, 0..1),
                segment(Side::Left, 1..2, 1..1),
                segment(Side::Right, 2..2, 1..2),
                segment(Side::Both, 2..4, 2..4),
                segment(Side::Right, 4..4, 4..5),
            ]
        );
        assert!(!found.coarse);
    }

    #[test]
    fn lone_common_words_between_large_changes_are_tidied_away() {
        let left = forms(&[1, 2, 3, 4, 5, 6, 7, 50, 8, 9, 10, 11, 60, 61, 62]);
        let right = forms(&[21, 22, 23, 24, 50, 28, 29, 30, 31, 60, 61, 62]);
        let rough = diff(&left, &right, DIFF_WORK);
        let tidy = rough.tidied();
        assert_eq!(check(&left, &right, &rough), 4);
        assert_eq!(check(&left, &right, &tidy), 3);
        assert_eq!(tidy.segments.len(), 3);
    }

    #[test]
    fn a_million_tokens_with_edits_everywhere_are_aligned_in_full() {
        let left: Vec<Form> =
            (0..1_000_000u32).map(|i| Form(i.wrapping_mul(2_654_435_761) >> 12)).collect();
        let mut right = left.clone();
        right.iter_mut().step_by(500).for_each(|form| *form = Form(u32::MAX));
        right.drain(400_000..450_000);
        let found = diff(&left, &right, DIFF_WORK);
        assert_eq!(check(&left, &right, &found), 950_000 - 1_900);
        assert!(!found.coarse);
    }

    #[test]
    fn long_texts_that_repeat_themselves_are_aligned_by_place() {
        let text = |first: u32| -> Vec<Form> {
            (0..80_000).map(|i| Form(if i % 8 == 0 { first } else { i % 8 })).collect()
        };
        let (left, right) = (text(8), text(9));
        let found = diff(&left, &right, DIFF_WORK);
        assert_eq!(check(&left, &right, &found), 70_000);
        assert!(found.coarse, "nobody knows that it could not be better");
    }

    #[test]
    fn nothing_in_common_and_nothing_to_hold_on_to_ends_early_and_says_so() {
        let left: Vec<Form> = (0..300_000u32).map(|i| Form(i % 7)).collect();
        let right: Vec<Form> = (0..300_000u32).map(|i| Form(i % 11)).collect();
        let found = diff(&left, &right, DIFF_WORK);
        check(&left, &right, &found);
        assert!(found.coarse);
    }

    proptest! {
        #[test]
        fn short_sequences_are_aligned_as_well_as_possible(
            left in prop::collection::vec(0u32..6, 0..40),
            right in prop::collection::vec(0u32..6, 0..40),
        ) {
            let (left, right) = (forms(&left), forms(&right));
            let found = diff(&left, &right, DIFF_WORK);
            prop_assert_eq!(check(&left, &right, &found), longest_common(&left, &right));
            check(&left, &right, &found.tidied());
        }

        #[test]
        fn whatever_the_bound_the_alignment_is_true(
            left in prop::collection::vec(0u32..30, 0..120),
            right in prop::collection::vec(0u32..30, 0..120),
            work in 0u64..3000,
        ) {
            let (left, right) = (forms(&left), forms(&right));
            let found = diff(&left, &right, work);
            let common = check(&left, &right, &found);
            prop_assert!(common <= longest_common(&left, &right));
        }
    }
}
