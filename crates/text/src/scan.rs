//! Lower-cased text in, words out: the plain path, for any script.
//!
//! A word is a maximal run of letters and numbers. A run of a script written without spaces (with
//! its combining marks) is cut further, as UAX #29 (Unicode text segmentation), section 4, does;
//! that annex leaves the words of Thai, Lao, Khmer and Myanmar to dictionaries, and without one
//! each of their letters stands alone with its marks, as does a Han or Hiragana character.

use crate::classes::{ALONE, Classes, MARK, UNSPACED, WORD};
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// Emits the byte range of each word, and whether it follows the one before it in the same run of
/// an unspaced script (so that no space belongs between them).
#[inline]
pub(crate) fn words(text: &str, classes: &Classes, emit: &mut impl FnMut(Range<usize>, bool)) {
    let mut open = None;
    let mut base = 0;
    let mut chars = text.char_indices();
    while let Some((offset, c)) = chars.next() {
        let class = classes.get(c);
        let at = base + offset;
        if class & WORD != 0 {
            open.get_or_insert(at);
            continue;
        }
        if let Some(start) = open.take() {
            emit(start..at, false);
        }
        if class & UNSPACED != 0 {
            base = end_of(text, at, classes, UNSPACED | MARK);
            cut(text, at..base, classes, emit);
            chars = text[base..].char_indices();
        }
    }
    if let Some(start) = open {
        emit(start..text.len(), false);
    }
}

/// Cuts one run of an unspaced script.
///
/// A character with `Word_Break=Other` never joins another, so most characters need only their
/// class; only the others (Katakana, digits, iteration marks) need the full rules.
fn cut(
    text: &str,
    run: Range<usize>,
    classes: &Classes,
    emit: &mut impl FnMut(Range<usize>, bool),
) {
    let mut at = run.start;
    while let Some(c) = text[at..run.end].chars().next() {
        let end = if classes.get(c) & ALONE != 0 {
            let end = end_of(&text[..run.end], at + c.len_utf8(), classes, MARK);
            emit(at..end, at > run.start);
            end
        } else {
            let joining = |c: char| classes.get(c) & ALONE == 0;
            let length = text[at..run.end].find(|c| !joining(c)).unwrap_or(run.end - at);
            segments(text, at..at + length, classes, &mut |segment, joined| {
                emit(segment, joined || at > run.start);
            });
            at + length
        };
        at = end;
    }
}

/// Cuts by the full rules of UAX #29.
pub(crate) fn segments(
    text: &str,
    run: Range<usize>,
    classes: &Classes,
    emit: &mut impl FnMut(Range<usize>, bool),
) {
    let mut joined = false;
    for (offset, segment) in text[run.clone()].split_word_bound_indices() {
        if segment.chars().any(|c| classes.get(c) & (UNSPACED | WORD) != 0) {
            let start = run.start + offset;
            emit(start..start + segment.len(), joined);
            joined = true;
        }
    }
}

/// End of the run of characters of any of these classes, from `at` on.
fn end_of(text: &str, at: usize, classes: &Classes, flags: u16) -> usize {
    text[at..].find(|c| classes.get(c) & flags == 0).map_or(text.len(), |length| at + length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(text: &str) -> Vec<(&str, bool)> {
        let mut found = Vec::new();
        words(text, Classes::shared(), &mut |range, joined| found.push((&text[range], joined)));
        found
    }

    #[test]
    fn runs_of_unspaced_scripts_are_cut_and_their_neighbours_kept_apart() {
        assert_eq!(
            found("utf8文字カタカナと"),
            [("utf8", false), ("文", false), ("字", true), ("カタカナ", true), ("と", true)]
        );
        assert_eq!(found("กำ ที่2"), [("ก", false), ("ำ", true), ("ที่", false), ("2", false)]);
        assert_eq!(found("ｶﾞｲﾄﾞ。時々"), [("ｶﾞｲﾄﾞ", false), ("時", false), ("々", true)]);
    }

    #[test]
    fn a_mark_splits_a_spaced_word() {
        assert_eq!(found("i\u{307}stanbul"), [("i", false), ("stanbul", false)]);
    }

    proptest! {
        #[test]
        fn the_quick_cut_is_the_cut_of_uax_29(
            text in "[漢字々〇あぁゝアーｱｰﾞไทยที่ກຳខ្មែမြန်๑၂\u{3099}\u{309a}\u{301}\u{3031}ヿ㐀𠀀]{1,24}",
        ) {
            let classes = Classes::shared();
            let run = text.trim_start_matches(|c| classes.get(c) & MARK != 0);
            let mut full = Vec::new();
            segments(run, 0..run.len(), classes, &mut |range, joined| {
                full.push((&run[range], joined));
            });
            prop_assert_eq!(found(run), full);
        }
    }
}
