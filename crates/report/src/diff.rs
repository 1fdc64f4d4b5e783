//! Alignment of two token sequences within bounded work.
//!
//! The primary function is [`diff`]. Common prefixes and suffixes are cut off first. What is left
//! between them, where it is long, is cut at *anchors*: windows of tokens that occur exactly once
//! in either sequence (as in patience diff), of which the longest chain that ascends in both is
//! kept. Long sequences sample their windows by hash, so that a pass takes linear time and the
//! memory of a bounded number of windows; the gaps between anchors are sampled more densely, with
//! shorter windows, until Myers' algorithm sees gaps of bounded size only. Work is counted, not
//! timed: equal texts always get equal alignments. What the bounds leave out is in [`Diff::coarse`]
//! and [`Diff::unaligned`].

use crate::Form;
use crate::windows::sampled_windows;
use std::ops::Range;

/// Bounds on an alignment. What is linear in the lengths of both sequences comes on top: one pass
/// over the tokens for the common prefix and suffix, and one for the first anchors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiffBounds {
    /// Work, about: comparisons of two tokens.
    pub work: u64,
    /// Most differences; the sequences are not aligned behind the last of them.
    pub differences: usize,
}

/// Enough for two documents of some hundred thousand words with edits everywhere; at most some
/// tenths of a second.
pub const DIFF_BOUNDS: DiffBounds = DiffBounds { work: 100_000_000, differences: 1 << 16 };

/// Largest product of lengths that Myers' algorithm is given.
const MYERS_CELLS: u64 = 4_000_000;

/// The same of a gap between anchors: larger ones are first cut at further anchors.
const GAP_CELLS: u64 = 1 << 16;

/// Lengths of the windows tried as anchors, one after the other in what is still too large. The
/// first two differ by how densely they are sampled, as gaps are shorter than the whole.
const WINDOWS: [usize; 5] = [16, 16, 5, 2, 1];

/// Windows of a sequence that are sampled, about.
const SAMPLED: usize = 1 << 16;

/// Work for each token in a search for anchors: windows are hashed and the sampled ones sorted.
const ANCHOR_WORK: u64 = 8;

/// Parts shorter than this are not worth aligning by their place alone.
const LEAST_PART: usize = 64;

/// Work after which cancellation is polled: some milliseconds.
const POLL: u64 = 4_000_000;

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

/// A run of tokens that both documents have, or only one. The range on a side that does not have
/// them is empty and says where they would be.
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
    /// What follows the last difference that the bounds allow, on the left and on the right:
    /// nothing is known of it. Both ranges are empty where the whole is aligned.
    pub unaligned: (Range<usize>, Range<usize>),
}

/// The caller asked for the alignment to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancelled;

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
        // What follows the last block is a difference as well.
        None if differences == 0 => aligned,
        None => whole,
    };
    let unaligned = (end.0..left.len(), end.1..right.len());
    Ok(Diff { segments: segments(&blocks, end), coarse, unaligned })
}

impl Diff {
    /// Whether both sequences are aligned to their ends.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.unaligned.0.is_empty() && self.unaligned.1.is_empty()
    }

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
        let blocks: Vec<Block> = segments
            .iter()
            .enumerate()
            .filter(|(at, s)| {
                s.side == Side::Both && (s.left.len() > 2 || around(*at) < 4 * s.left.len())
            })
            .map(|(_, s)| Block { left: s.left.start, right: s.right.start, length: s.left.len() })
            .collect();
        let end = (self.unaligned.0.start, self.unaligned.1.start);
        Self { segments: self::segments(&blocks, end), ..self.clone_bounds() }
    }

    /// All but the segments.
    fn clone_bounds(&self) -> Self {
        let Self { coarse, unaligned, .. } = self;
        Self { segments: Vec::new(), coarse: *coarse, unaligned: unaligned.clone() }
    }
}

/// Equal tokens at two places.
#[derive(Debug, Clone, Copy)]
struct Block {
    left: usize,
    right: usize,
    length: usize,
}

impl Block {
    fn end(self) -> (usize, usize) {
        (self.left + self.length, self.right + self.length)
    }
}

/// Why an alignment ends early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    Cancelled,
    Differences,
}

struct Poll<'a> {
    cancelled: &'a dyn Fn() -> bool,
    /// Work until the next poll.
    work: u64,
}

struct Aligner<'a> {
    left: &'a [Form],
    right: &'a [Form],
    /// Work that is left.
    work: u64,
    /// Differences that are left.
    differences: usize,
    poll: Poll<'a>,
    stop: Option<Stop>,
    coarse: bool,
    /// Ascending on both sides.
    blocks: Vec<Block>,
}

impl Aligner<'_> {
    /// Aligns two ranges, whose windows were tried as anchors below `level`.
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
            // What failed for the whole fails again: it would be sampled as densely.
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
            self.align_by_place(left, right);
        }
    }

    /// Aligns what is between anchors, which are relative to the ranges.
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
                continue; // inside the block that the anchor before has grown to
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

    /// The last resort, for long texts that repeat themselves: both are cut into equally many
    /// parts, small enough for what is left of the work, and part is aligned with part.
    fn align_by_place(&mut self, left: Range<usize>, right: Range<usize>) {
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

    /// Takes so much of the work that is left, if there is as much, and polls now and then. `false`
    /// if the work must not be done.
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

    /// Appends a block; one that continues the last grows it. Every other follows a difference.
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

/// The longest chain, ascending on both sides, of sampled windows that occur once in each.
fn anchors(left: &[Form], right: &[Form], k: usize) -> Vec<(usize, usize)> {
    // The same windows are sampled on both sides.
    let one_of = (left.len().max(right.len()) / SAMPLED).max(1).next_power_of_two();
    let (mut a, mut b) = (sampled_windows(left, k, one_of), sampled_windows(right, k, one_of));
    for windows in [&mut a, &mut b] {
        windows.sort_unstable();
        let mut at = 0;
        let mut single = 0;
        while at < windows.len() {
            let hash = windows[at].0;
            let run = windows[at..].iter().take_while(|window| window.0 == hash).count();
            if run == 1 {
                windows[single] = windows[at];
                single += 1;
            }
            at += run;
        }
        windows.truncate(single);
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

/// The blocks and what is between them, up to these ends.
fn segments(blocks: &[Block], (left, right): (usize, usize)) -> Vec<Segment> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn forms(numbers: &[u32]) -> Vec<Form> {
        numbers.iter().copied().map(Form).collect()
    }

    fn aligned(left: &[Form], right: &[Form]) -> Diff {
        diff(left, right, DIFF_BOUNDS, &|| false).unwrap()
    }

    /// Fails unless the segments and what is unaligned cover both sequences and are true; returns
    /// the number of tokens in common.
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
        assert_eq!(diff.unaligned, (l..left.len(), r..right.len()));
        assert_eq!(diff.is_complete(), (l, r) == (left.len(), right.len()));
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
        let found = aligned(&left, &right);
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
        let rough = aligned(&left, &right);
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
        let found = aligned(&left, &right);
        assert_eq!(check(&left, &right, &found), 950_000 - 1_900);
        assert!(!found.coarse);
    }

    #[test]
    fn long_texts_that_repeat_themselves_are_aligned_by_place() {
        let text = |first: u32| -> Vec<Form> {
            (0..80_000).map(|i| Form(if i % 8 == 0 { first } else { i % 8 })).collect()
        };
        let (left, right) = (text(8), text(9));
        let found = aligned(&left, &right);
        assert_eq!(check(&left, &right, &found), 70_000);
        assert!(found.coarse, "it is not known that it could not be better");
    }

    #[test]
    fn the_first_differences_of_many_are_aligned() {
        let left: Vec<Form> = (0..500_000).map(Form).collect();
        let mut right = left.clone();
        right.iter_mut().skip(7).step_by(10).for_each(|form| *form = Form(u32::MAX));
        let bounds = DiffBounds { differences: 100, ..DIFF_BOUNDS };
        let found = diff(&left, &right, bounds, &|| false).unwrap();
        assert_eq!(check(&left, &right, &found), 7 + 100 * 9);
        assert_eq!(found.unaligned, (1007..500_000, 1007..500_000));
        assert!(!found.coarse);
    }

    #[test]
    fn a_stop_is_heard_while_a_long_pair_is_aligned() {
        let left: Vec<Form> = (0..300_000u32).map(|i| Form(i % 7)).collect();
        let right: Vec<Form> = (0..300_000u32).map(|i| Form(i % 11)).collect();
        let polls = std::cell::Cell::new(0);
        let poll = |most: u32| {
            polls.set(0);
            diff(&left, &right, DIFF_BOUNDS, &|| {
                polls.set(polls.get() + 1);
                polls.get() > most
            })
        };
        assert!(poll(u32::MAX).is_ok());
        let all = polls.get();
        assert!(all > 5, "{all} polls");
        for most in [0, 1, all / 2, all - 1] {
            assert_eq!(poll(most), Err(Cancelled));
            assert_eq!(polls.get(), most + 1, "nothing is done after the stop");
        }
    }

    #[test]
    fn nothing_in_common_and_nothing_to_hold_on_to_ends_early_and_says_so() {
        let left: Vec<Form> = (0..300_000u32).map(|i| Form(i % 7)).collect();
        let right: Vec<Form> = (0..300_000u32).map(|i| Form(i % 11)).collect();
        let found = aligned(&left, &right);
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
            let found = aligned(&left, &right);
            prop_assert_eq!(check(&left, &right, &found), longest_common(&left, &right));
            check(&left, &right, &found.tidied());
        }

        #[test]
        fn whatever_the_bound_the_alignment_is_true(
            left in prop::collection::vec(0u32..30, 0..120),
            right in prop::collection::vec(0u32..30, 0..120),
            work in 0u64..3000,
            differences in prop_oneof![Just(usize::MAX), 0usize..20],
        ) {
            let (left, right) = (forms(&left), forms(&right));
            let found = diff(&left, &right, DiffBounds { work, differences }, &|| false).unwrap();
            let common = check(&left, &right, &found);
            prop_assert!(common <= longest_common(&left, &right));
            check(&left, &right, &found.tidied());
            let number = crate::hunks::differences(&found.segments);
            prop_assert!(number <= differences, "{} of {}", number, differences);
            prop_assert!(found.is_complete() || differences < usize::MAX);
        }

        /// Texts of the shape that a report shows: one, with passages replaced, removed, added and
        /// reversed, from vocabularies of any size.
        #[test]
        fn edits_of_a_long_text_are_aligned_truly(
            words in prop_oneof![2u32..20, 100u32..100_000],
            length in 0usize..40_000,
            edits in prop::collection::vec(
                (any::<prop::sample::Index>(), 0usize..300, 0usize..300, 0u8..4), 0..40),
            work in prop_oneof![Just(DIFF_BOUNDS.work), 0u64..10_000_000],
            seed in any::<u32>(),
        ) {
            let mut state = u64::from(seed);
            let mut word = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                Form((state >> 33) as u32 % words)
            };
            let left: Vec<Form> = (0..length).map(|_| word()).collect();
            let mut right = left.clone();
            for (at, removed, added, kind) in edits {
                if right.is_empty() {
                    break;
                }
                let at = at.index(right.len());
                let end = (at + removed).min(right.len());
                let new: Vec<Form> = (0..added).map(|_| word()).collect();
                match kind {
                    0 => drop(right.drain(at..end)),
                    1 => drop(right.splice(at..at, new)),
                    2 => drop(right.splice(at..end, new)),
                    _ => right[at..end].reverse(),
                }
            }
            let bounds = DiffBounds { work, ..DIFF_BOUNDS };
            let found = diff(&left, &right, bounds, &|| false).unwrap();
            check(&left, &right, &found);
            check(&left, &right, &found.tidied());
            prop_assert!(found.is_complete());
            prop_assert_eq!(&found, &diff(&left, &right, bounds, &|| false).unwrap());
        }
    }
}
