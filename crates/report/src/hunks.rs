//! Folding of an alignment: the few words around each difference, with the rest counted.

use crate::{Diff, Segment, Side, Tokens};
use std::ops::Range;

/// Limits on the shown parts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fold {
    /// Equal tokens shown before and after a difference.
    pub(crate) context: usize,
    /// Tokens of one difference shown; the middle of longer ones is counted.
    pub(crate) change: usize,
    /// Maximum number of shown groups of adjacent differences.
    pub(crate) hunks: usize,
    /// Maximum number of shown pieces, over all groups: a group may be long.
    pub(crate) pieces: usize,
}

/// A part of the folded alignment.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Row<'t> {
    /// Number of equal tokens.
    Same(usize),
    /// Differences with their context.
    Hunk(Vec<Piece<'t>>),
    /// Number of further differences.
    More(usize),
    /// Numbers of tokens on the left and on the right that were not aligned.
    Unaligned(usize, usize),
}

/// Tokens of one segment, as written, each side with the text before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece<'t> {
    pub(crate) side: Side,
    pub(crate) left_gap: &'t str,
    pub(crate) left: &'t str,
    pub(crate) right_gap: &'t str,
    pub(crate) right: &'t str,
    /// Number of tokens omitted after this piece.
    pub(crate) skipped: usize,
}

/// Folds an alignment of two documents.
pub(crate) fn fold<'t>(
    diff: &Diff,
    left: &Tokens<'t>,
    right: &Tokens<'t>,
    fold: Fold,
) -> Vec<Row<'t>> {
    let mut folder = Folder { left, right, fold, rows: Vec::new(), hunk: Vec::new(), pieces: 0 };
    let in_sight = folder.run(&diff.segments);
    if in_sight && diff.is_complete() {
        folder.end();
    }
    folder.close();
    if !diff.is_complete() {
        let (left, right) = &diff.unaligned;
        folder.rows.push(Row::Unaligned(left.len(), right.len()));
    }
    folder.rows
}

/// Number of differences: a replacement is one.
pub(crate) fn differences(segments: &[Segment]) -> usize {
    let replaced =
        segments.windows(2).filter(|s| s[0].side == Side::Left && s[1].side == Side::Right);
    segments.iter().filter(|s| s.side != Side::Both).count() - replaced.count()
}

struct Folder<'a, 't> {
    left: &'a Tokens<'t>,
    right: &'a Tokens<'t>,
    fold: Fold,
    rows: Vec<Row<'t>>,
    hunk: Vec<Piece<'t>>,
    pieces: usize,
}

impl<'t> Folder<'_, 't> {
    /// Folds the segments. Returns whether all of them are shown or counted as equal.
    fn run(&mut self, segments: &[Segment]) -> bool {
        let last = segments.len().saturating_sub(1);
        let mut hunks = 0;
        for (at, segment) in segments.iter().enumerate() {
            if self.pieces >= self.fold.pieces && segment.side != Side::Both {
                self.close();
                self.rows.push(Row::More(differences(&segments[at..])));
                return false;
            }
            if segment.side != Side::Both {
                self.change(segment);
                continue;
            }
            let Fold { context, .. } = self.fold;
            let length = segment.left.len();
            // Without differences the beginning is shown.
            let lone = last == 0;
            let head = if lone {
                self.fold.change
            } else if at == 0 {
                0
            } else {
                context
            };
            let tail = if at == last { 0 } else { context };
            // A fold of up to two words takes more space than the words.
            if length <= head + tail + 4 {
                self.same(segment, 0..length);
                continue;
            }
            self.same(segment, 0..head);
            self.close();
            hunks += usize::from(at > 0);
            self.rows.push(Row::Same(length - head - tail));
            if hunks >= self.fold.hunks && at < last {
                self.rows.push(Row::More(differences(&segments[at + 1..])));
                return false;
            }
            self.same(segment, length - tail..length);
        }
        true
    }

    fn close(&mut self) {
        if !self.hunk.is_empty() {
            self.rows.push(Row::Hunk(std::mem::take(&mut self.hunk)));
        }
    }

    fn same(&mut self, segment: &Segment, part: Range<usize>) {
        if part.is_empty() {
            return;
        }
        let of = |range: &Range<usize>| range.start + part.start..range.start + part.end;
        self.piece(Side::Both, of(&segment.left), of(&segment.right), 0);
    }

    fn change(&mut self, segment: &Segment) {
        let range = if segment.side == Side::Left { &segment.left } else { &segment.right };
        let shown = self.fold.change.max(2);
        let parts = if range.len() <= shown + 4 {
            vec![(range.clone(), 0)]
        } else {
            let head = range.start..range.start + shown * 3 / 4;
            let tail = range.end - (shown - head.len())..range.end;
            let skipped = tail.start - head.end;
            vec![(head, skipped), (tail, 0)]
        };
        for (part, skipped) in parts {
            match segment.side {
                Side::Left => self.piece(Side::Left, part, segment.right.clone(), skipped),
                _ => self.piece(Side::Right, segment.left.clone(), part, skipped),
            }
        }
    }

    fn piece(&mut self, side: Side, left: Range<usize>, right: Range<usize>, skipped: usize) {
        let (mut left_gap, mut left_text) = ("", "");
        let (mut right_gap, mut right_text) = ("", "");
        if side != Side::Right {
            (left_gap, left_text) = (self.left.gap_before(left.start), self.left.slice(left));
        }
        if side != Side::Left {
            (right_gap, right_text) = (self.right.gap_before(right.start), self.right.slice(right));
        }
        // The text before the first shown word belongs to the folded part.
        if self.hunk.is_empty() && !self.rows.is_empty() {
            (left_gap, right_gap) = ("", "");
        }
        let piece =
            Piece { side, left_gap, left: left_text, right_gap, right: right_text, skipped };
        self.hunk.push(piece);
        self.pieces += 1;
    }

    /// The text after the last token, if that is shown.
    fn end(&mut self) {
        if self.hunk.is_empty() {
            return;
        }
        let left_gap = self.left.gap_before(self.left.len());
        let right_gap = self.right.gap_before(self.right.len());
        self.hunk.push(Piece {
            side: Side::Both,
            left_gap,
            left: "",
            right_gap,
            right: "",
            skipped: 0,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::tests::words;
    use crate::{DIFF_BOUNDS, DiffBounds, Vocabulary, diff};

    const SMALL: Fold = Fold { context: 2, change: 4, hunks: 2, pieces: 12 };

    /// The rows as text: `~` a fold, `[-…-]` left, `{+…+}` right, `#` omitted.
    fn drawn(left: &str, right: &str, fold: Fold) -> Vec<String> {
        drawn_within(DIFF_BOUNDS, left, right, fold)
    }

    fn drawn_within(bounds: DiffBounds, left: &str, right: &str, fold: Fold) -> Vec<String> {
        let mut vocabulary = Vocabulary::default();
        let (left, right) = (vocabulary.tokens(left, &words), vocabulary.tokens(right, &words));
        let aligned = diff(left.forms(), right.forms(), bounds, &|| false).unwrap();
        super::fold(&aligned, &left, &right, fold)
            .iter()
            .map(|row| match row {
                Row::Same(n) => format!("~{n}"),
                Row::More(n) => format!("+{n}"),
                Row::Unaligned(left, right) => format!("?{left} ?{right}"),
                Row::Hunk(pieces) => pieces.iter().map(draw).collect(),
            })
            .collect()
    }

    fn draw(piece: &Piece<'_>) -> String {
        let skipped =
            if piece.skipped > 0 { format!(" #{}", piece.skipped) } else { String::new() };
        match piece.side {
            Side::Both => format!("{}{}", piece.right_gap, piece.right),
            Side::Left => format!("{}[-{}-]{skipped}", piece.left_gap, piece.left),
            Side::Right => format!("{}{{+{}+}}{skipped}", piece.right_gap, piece.right),
        }
    }

    #[test]
    fn long_equal_stretches_are_folded_and_short_ones_are_not() {
        let left = "One two three four five six seven, old eight nine ten.";
        let right = "one two three four five six seven, NEW eight nine ten!";
        assert_eq!(
            drawn(left, right, SMALL),
            ["~5", "six seven, [-old-], {+NEW+} eight nine ten!"]
        );
    }

    #[test]
    fn two_differences_far_apart_are_two_hunks() {
        let left = "a 1 2 3 4 5 6 7 8 9 b";
        let right = "c 1 2 3 4 5 6 7 8 9 d";
        assert_eq!(drawn(left, right, SMALL), ["[-a-]{+c+} 1 2", "~5", "8 9 [-b-] {+d+}"]);
    }

    #[test]
    fn long_changes_are_shown_by_their_ends() {
        let right: String = (0..50).map(|i| format!("w{i} ")).collect();
        assert_eq!(drawn("", &right, SMALL), ["{+w0 w1 w2+} #46 {+w49+} "]);
    }

    #[test]
    fn differences_beyond_the_bound_are_counted() {
        let text = |word: &str| format!("{word} 1 2 3 4 5 6 7 8 9 ").repeat(10);
        let rows = drawn(&text("a"), &text("b"), SMALL);
        assert_eq!(rows.last().map(String::as_str), Some("+8"));
        assert_eq!(rows.len(), 5);
    }

    #[test]
    fn a_group_without_end_is_cut_as_well() {
        let text = |word: &str| format!("{word} 1 2 3 ").repeat(100);
        let rows = drawn(&text("a"), &text("b"), SMALL);
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[1], "+96");
    }

    #[test]
    fn what_is_not_aligned_is_counted() {
        let text = |word: &str| format!("{word} 1 2 3 4 5 6 7 8 9 ").repeat(10) + "end";
        let (left, right) = (text("a"), text("b"));
        let of = |differences, hunks| {
            let bounds = DiffBounds { differences, ..DIFF_BOUNDS };
            drawn_within(bounds, &left, &right, Fold { hunks, ..SMALL })
        };
        assert_eq!(of(1, 9), ["[-a-]{+b+} 1 2", "~7", "?91 ?91"]);
        assert_eq!(of(3, 1).last().map(String::as_str), Some("?71 ?71"));
        assert_eq!(of(0, 1), ["?101 ?101"]);
        assert_eq!(of(10, 1).last().map(String::as_str), Some("+9"));
    }

    #[test]
    fn equal_sequences_show_their_beginning() {
        let left = "a b c d e f g h i j k";
        assert_eq!(drawn(left, &left.to_uppercase(), SMALL), ["A B C D", "~7"]);
        assert_eq!(drawn("", "", SMALL), Vec::<String>::new());
    }
}
