//! Lower-cased text in, words out: the plain path, for any script.
//!
//! A word is a maximal run of letters and numbers with the marks that follow them. A run of a script
//! written without spaces is cut further, as UAX #29 (Unicode text segmentation), section 4, does;
//! that annex leaves the words of Thai, Lao, Khmer and others to dictionaries, and without one each
//! of their letters stands alone with its marks, as does a Han or Hiragana character. So do the
//! aksaras of the scripts that UAX #14 breaks between them (Javanese, Balinese).
//!
//! No word begins or ends inside a grapheme cluster, except where a cluster joins a letter to what is
//! neither letter nor mark: behind a number sign of Arabic script (`Grapheme_Cluster_Break=Prepend`),
//! and where a letter of that class stands at the end.

use crate::classes::{ALONE, Classes, JOINS, KATAKANA, MARK, UNSPACED, WORD};
use icu_properties::CodePointMapData;
use icu_properties::props::{GraphemeClusterBreak, IndicConjunctBreak};
use std::ops::Range;

/// The flags in which two letters of one word agree.
const KIND: u16 = WORD | UNSPACED | KATAKANA;

/// A word whose end is not found yet.
struct Open {
    start: usize,
    /// Of its first letter.
    class: u16,
    /// Whether a character of it has [`JOINS`].
    joins: bool,
    joined: bool,
}

/// Emits the byte range of each word, and whether it follows the one before it in the same run of
/// an unspaced script (so that no space belongs between them).
#[inline]
pub(crate) fn words(text: &str, classes: &Classes, emit: &mut impl FnMut(Range<usize>, bool)) {
    let mut open: Option<Open> = None;
    for (at, c) in text.char_indices() {
        let class = classes.get(c);
        let letter = class & (WORD | UNSPACED) != 0;
        let mut joined = false;
        if let Some(word) = &mut open {
            let continues = class & MARK != 0
                || (word.class ^ class) & KIND == 0 && (word.class | class) & ALONE == 0
                || word.joins && letter && within_cluster(&text[word.start..at], c);
            if continues {
                word.joins |= class & JOINS != 0;
                continue;
            }
            emit(word.start..at, word.joined);
            joined = word.class & class & UNSPACED != 0;
            open = None;
        }
        if letter {
            open = Some(Open { start: at, class, joins: class & JOINS != 0, joined });
        }
    }
    if let Some(word) = open {
        emit(word.start..text.len(), word.joined);
    }
}

/// Emits the byte range of each word and of each symbol between words, and whether it touches the
/// token before it.
///
/// A symbol is any character outside of a word that is no white space, with the marks that follow.
pub(crate) fn symbols(text: &str, classes: &Classes, emit: &mut impl FnMut(Range<usize>, bool)) {
    let mut last = None;
    let mut token = |range: Range<usize>| {
        let joined = last == Some(range.start);
        last = Some(range.end);
        emit(range, joined);
    };
    let between = |mut at: usize, end: usize, token: &mut dyn FnMut(Range<usize>)| {
        while let Some(c) = text[at..end].chars().next() {
            let next = at + c.len_utf8();
            if c.is_whitespace() || c.is_control() {
                at = next;
                continue;
            }
            let marks = text[next..end].find(|c| classes.get(c) & MARK == 0);
            let after = marks.map_or(end, |length| next + length);
            token(at..after);
            at = after;
        }
    };
    let mut done = 0;
    words(text, classes, &mut |word, _| {
        between(done, word.start, &mut token);
        done = word.end;
        token(word);
    });
    between(done, text.len(), &mut token);
}

/// Whether a grapheme cluster goes on with the letter `next` (UAX #29, rules GB9b and GB9c).
fn within_cluster(before: &str, next: char) -> bool {
    let clusters = CodePointMapData::<GraphemeClusterBreak>::new();
    let conjuncts = CodePointMapData::<IndicConjunctBreak>::new();
    if before.chars().next_back().map(|c| clusters.get(c)) == Some(GraphemeClusterBreak::Prepend) {
        return true;
    }
    if conjuncts.get(next) != IndicConjunctBreak::Consonant {
        return false;
    }
    let mut linked = false;
    for c in before.chars().rev() {
        match conjuncts.get(c) {
            IndicConjunctBreak::Linker => linked = true,
            IndicConjunctBreak::Extend => {}
            IndicConjunctBreak::Consonant => return linked,
            _ => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

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
        assert_eq!(found("กำ ที่2"), [("กำ", false), ("ที่", false), ("2", false)]);
        assert_eq!(found("ｶﾞｲﾄﾞ。時々"), [("ｶﾞｲﾄﾞ", false), ("時", false), ("々", true)]);
        assert_eq!(found("ꦲꦏ꧀ꦱꦫ"), [("ꦲ", false), ("ꦏ꧀ꦱ", true), ("ꦫ", true)]);
    }

    #[test]
    fn marks_belong_to_the_word_before_them() {
        for word in [
            "i\u{307}stanbul",
            "का",
            "क्षेत्र",
            "ẹ̀kọ́",
            "a\u{20e3}b",
            "ކިޔުން",
            "ײִדיש",
            "வணக்கம்",
            "a\u{1f3fd}b",
            "a\u{ff9e}",
            "ab\u{e33}c",
        ] {
            assert_eq!(found(word), [(word, false)]);
        }
    }

    #[test]
    fn a_mark_without_a_letter_before_it_is_no_word() {
        assert_eq!(found("\u{301}"), []);
        assert_eq!(
            found("\u{301}a -\u{93e}\u{94d}ka\u{301}"),
            [("a", false), ("ka\u{301}", false)]
        );
        assert_eq!(found("\u{e33}a.\u{ff9e}漢"), [("a", false), ("漢", false)]);
    }

    /// A virama of an unspaced script before a consonant of another; a letter that stands before
    /// its cluster.
    #[test]
    fn clusters_of_several_scripts_are_not_cut() {
        assert_eq!(found("ក\u{17d2}क漢"), [("ក\u{17d2}क", false), ("漢", true)]);
        assert_eq!(found("\u{d4e}漢字"), [("\u{d4e}漢", false), ("字", false)]);
    }

    proptest! {
        /// Of letters, numbers and marks of these scripts, the words are the segments of UAX #29
        /// that hold a letter, but for those that begin inside a grapheme cluster. (Thai and Lao
        /// *am* is a mark here and a letter there.)
        #[test]
        fn unspaced_text_is_cut_as_uax_29_does(
            text in "[漢字々〇あぁゝアーｱｰﾞไทยที่กขំ្មែမြန်ᥐᦀᨠ᩠ꪀ๑၂\u{3099}\u{309a}\u{301}\u{3031}ヿ㐀𠀀]{1,24}",
        ) {
            let mut expected: Vec<String> = Vec::new();
            for (at, segment) in text.split_word_bound_indices() {
                let mut cursor = GraphemeCursor::new(at, text.len(), true);
                match expected.last_mut() {
                    Some(last) if cursor.is_boundary(&text, 0) == Ok(false) => last.push_str(segment),
                    _ => expected.push(segment.to_owned()),
                }
            }
            let letter = |c: char| Classes::shared().get(c) & (WORD | UNSPACED) != 0;
            expected.retain(|segment| segment.chars().any(letter));
            let words: Vec<&str> = found(&text).into_iter().map(|(word, _)| word).collect();
            prop_assert_eq!(words, expected);
        }
    }

    /// All texts of up to four of these characters.
    #[test]
    fn no_word_begins_or_ends_inside_a_grapheme_cluster() {
        let alphabet: Vec<char> =
            "aक्\u{93f}ក\u{17d2}\u{a9c0}ꦏ\u{d4e}𑤿\u{301}\u{e33}\u{ff9e}漢ア๑.🏽".chars().collect();
        let size = alphabet.len();
        for number in 0..size.pow(4) {
            let digits = [1, size, size.pow(2), size.pow(3)].map(|place| number / place % size);
            let text: String = digits.map(|digit| alphabet[digit]).iter().collect();
            let inside = |at: usize| {
                let boundary = GraphemeCursor::new(at, text.len(), true).is_boundary(&text, 0);
                let before = text[..at].chars().next_back().unwrap_or('a');
                boundary == Ok(false) && !matches!(before, '\u{d4e}' | '𑤿')
            };
            words(&text, Classes::shared(), &mut |place, _| {
                assert!(!inside(place.start) && !inside(place.end), "{place:?} of {text:?}");
            });
        }
    }
}
