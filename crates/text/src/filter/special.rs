//! Text in, the same text without what special characters run through out.
//!
//! Chowdhury et al. 2002, section 4.2, drop the tokens that contain special characters ("i.e., /,
//! -, =, etc.") from documents cut at white space. Tokens here are runs of letters and digits and
//! contain none: `and/or` is `and`, `or`. So the rule has to act before the text is cut: what white
//! space delimits is dropped if, once punctuation at its two ends is taken off, a special character
//! is left inside. Three things are not special: the apostrophe of `don't`, which the paper's own
//! stop list has, marks that belong to letters, and default-ignorable characters (the soft hyphen).
//! Scripts that do not put white space between words are left alone, where a comma would take away
//! a paragraph.

use crate::classes::{Classes, MARK, UNSPACED, WORD};
use crate::normal::is_ignorable;

/// Writes `text` to `out` without the pieces that a special character is inside of. O(text).
pub(super) fn without_special(text: &str, out: &mut String) {
    out.clear();
    let classes = Classes::shared();
    for piece in text.split_whitespace() {
        if !is_special(piece, classes) {
            out.push_str(piece);
            // Paragraphs do not affect terms; the gap between two words does.
            out.push(' ');
        }
    }
}

fn is_special(piece: &str, classes: &Classes) -> bool {
    let part_of_word = |c: char| {
        c.is_ascii_alphanumeric()
            || (!c.is_ascii() && classes.get(c) & (WORD | UNSPACED | MARK) != 0)
    };
    let inside = piece.trim_matches(|c| !part_of_word(c));
    let special =
        |c| !part_of_word(c) && !matches!(c, '\'' | '\u{2019}') && !is_ignorable(c, classes);
    inside.chars().any(special)
        && !inside.chars().any(|c| !c.is_ascii() && classes.get(c) & UNSPACED != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(text: &str) -> String {
        let mut out = String::from("of the document before");
        without_special(text, &mut out);
        out.trim_end().to_owned()
    }

    #[test]
    fn what_a_special_character_runs_through_goes_whole() {
        assert_eq!(left("read and/or write (on-line), x=1; me@example.org"), "read write");
        assert_eq!(left("http://example.org/ is down"), "is down");
    }

    #[test]
    fn punctuation_at_the_ends_and_apostrophes_stay() {
        let text = "\"Don't!\" she said -- (isn’t it?) ... well.";
        assert_eq!(left(text), text);
        assert_eq!(left("cafe\u{301} naïve"), "cafe\u{301} naïve");
    }

    #[test]
    fn default_ignorable_characters_are_not_special() {
        assert_eq!(
            left("soft\u{ad}hyphen =\u{3164}a\u{200b}"),
            "soft\u{ad}hyphen =\u{3164}a\u{200b}"
        );
        assert_eq!(left("an\u{200b}d\u{2060}/or"), "");
    }

    #[test]
    fn scripts_without_spaces_keep_their_sentences() {
        assert_eq!(left("今日は、東京です。 a/b"), "今日は、東京です。");
    }

    #[test]
    fn nothing_of_nothing() {
        assert_eq!(left(""), "");
        assert_eq!(left(" \n\t "), "");
        assert_eq!(left("/ = --"), "/ = --");
    }
}
