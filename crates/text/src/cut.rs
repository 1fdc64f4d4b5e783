//! Cuts runs of words out of a text.
//!
//! With its words goes what belongs to them: the punctuation that ends a sentence and the spaces behind
//! it, and a line of nothing else as a whole, with the empty lines behind it if there is one before.
//! What begins the next line or word stays: signs, brackets, marks of headings and lists. Between what
//! would touch, a space is put, so that no words or numbers are made of two. Cuts are at words, so never inside a character.

use std::borrow::Cow;
use std::ops::Range;

/// Why a text is not cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotCut {
    /// No word would stay.
    NothingLeft,
    /// A word that goes has a place in common with one that stays: normalisation changed the stretch of
    /// both.
    SharedPlace,
}

/// A place of a text with what is put there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    /// The bytes that go.
    pub bytes: Range<usize>,
    /// What takes their place: nothing, a space, or what a caller puts there.
    pub put: Cow<'static, str>,
}

/// The text without these runs of words, which are ascending and do not meet; `words` has the place of
/// each word of the text ([`Analyzer::located_tokens`](crate::Analyzer::located_tokens)).
///
/// ```
/// use lookalike_text::{AnalysisSettings, Analyzer, cut_words};
///
/// let text = "To be, or not to be: that is the question.";
/// let mut words = Vec::new();
/// Analyzer::new(&AnalysisSettings::default()).located_tokens(text, |_, place| words.push(place));
/// assert_eq!(cut_words(text, &words, &[2..6]).as_deref(), Ok("To be, that is the question."));
/// ```
///
/// # Errors
/// A text that cannot be cut there.
///
/// # Panics
/// With runs of words that the text does not have.
pub fn cut_words(
    text: &str,
    words: &[Range<usize>],
    runs: &[Range<usize>],
) -> Result<String, NotCut> {
    Ok(edited(text, &cut_edits(text, words, runs)?))
}

/// What [`cut_words`] replaces, ascending.
///
/// # Errors
/// A text that cannot be cut there.
///
/// # Panics
/// With runs of words that the text does not have.
pub fn cut_edits(
    text: &str,
    words: &[Range<usize>],
    runs: &[Range<usize>],
) -> Result<Vec<TextEdit>, NotCut> {
    let cut: usize = runs.iter().map(Range::len).sum();
    if cut >= words.len() {
        return Err(NotCut::NothingLeft);
    }
    if runs.iter().any(|run| meet(words, run.start) || meet(words, run.end)) {
        return Err(NotCut::SharedPlace);
    }
    let mut edits: Vec<TextEdit> = Vec::with_capacity(runs.len());
    for run in runs {
        let (start, last) = (words[run.start].start, words[run.end - 1].end);
        let next = words.get(run.end).map_or(text.len(), |next| next.start);
        let end = last + cut_behind(&text[..start], &text[last..next]);
        edits.push(edit(text, start..end));
    }
    Ok(edits)
}

/// What cutting these runs of bytes replaces, ascending: nothing but them goes.
///
/// # Errors
/// A text of which nothing would be left.
///
/// # Panics
/// With runs that do not begin and end at characters of the text.
pub fn cut_bytes(text: &str, runs: &[Range<usize>]) -> Result<Vec<TextEdit>, NotCut> {
    let cut: usize = runs.iter().map(Range::len).sum();
    match cut >= text.len() {
        true => Err(NotCut::NothingLeft),
        false => Ok(runs.iter().map(|run| edit(text, run.clone())).collect()),
    }
}

fn edit(text: &str, bytes: Range<usize>) -> TextEdit {
    let touch = touch(&text[..bytes.start], &text[bytes.end..]);
    TextEdit { bytes, put: Cow::Borrowed(if touch { " " } else { "" }) }
}

/// The largest parts of runs that can be cut, where they begin or end at a place that two words have in
/// common.
#[must_use]
pub fn divisible(words: &[Range<usize>], runs: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let shrink = |run: Range<usize>| {
        let start = run.clone().find(|&at| !meet(words, at))?;
        let end = (start + 1..=run.end).rev().find(|&at| !meet(words, at))?;
        Some(start..end)
    };
    runs.into_iter().filter_map(shrink).collect()
}

/// Whether a word has a place in common with the one before.
fn meet(words: &[Range<usize>], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| words.get(before));
    before.zip(words.get(at)).is_some_and(|(before, next)| next.start < before.end)
}

/// What ends a sentence or a part of it.
const ENDS: &[char] =
    &['.', ',', ';', ':', '!', '?', '…', '。', '、', '，', '！', '？', '；', '：', '؟', '،', '।'];

/// The bytes that go with words of which this is `before` and `behind`, up to the next word.
fn cut_behind(before: &str, behind: &str) -> usize {
    let inline = |c: char| c.is_whitespace() && c != '\n' && c != '\r';
    let left = behind.trim_start_matches(ENDS).trim_start_matches(inline);
    let begins_line = before.is_empty() || before.ends_with('\n');
    let line_end = left.strip_prefix("\r\n").or_else(|| left.strip_prefix('\n'));
    let left = match line_end.filter(|_| begins_line) {
        None => left,
        // The whole line goes; of empty lines before and behind it, one.
        Some(mut rest) => {
            let earlier = before.trim_end_matches(inline).strip_suffix('\n');
            let earlier = earlier.map(|earlier| earlier.strip_suffix('\r').unwrap_or(earlier));
            if earlier.is_none_or(|earlier| earlier.ends_with('\n') || earlier.is_empty()) {
                while let Some((line, next)) = rest.split_once('\n')
                    && line.trim().is_empty()
                {
                    rest = next;
                }
            }
            rest
        }
    };
    behind.len() - left.len()
}

/// Whether a space has to stand between two parts of a text.
fn touch(before: &str, behind: &str) -> bool {
    let (Some(last), Some(first)) = (before.chars().next_back(), behind.chars().next()) else {
        return false;
    };
    // None of these is in a word or a number, wherever it stands.
    let opens = |c: char| c.is_whitespace() || "([{<|/«“「『（。、！？".contains(c);
    let closes = |c: char| c.is_whitespace() || ")]}>|/»”」』）。、！？".contains(c);
    !opens(last) && !closes(first)
}

/// A text with its edits, which are ascending.
///
/// # Panics
/// With places that the text does not have.
#[must_use]
pub fn edited(text: &str, edits: &[TextEdit]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for TextEdit { bytes, put } in edits {
        out.push_str(&text[from..bytes.start]);
        out.push_str(put);
        from = bytes.end;
    }
    out.push_str(&text[from..]);
    out
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init)] // One run is a list of one range.
mod tests {
    use super::*;
    use crate::{AnalysisSettings, Analyzer, Normalize};
    use proptest::prelude::*;

    #[test]
    fn words_of_one_place_go_together() {
        let compatible =
            AnalysisSettings { normalize: Normalize::Nfkc, ..AnalysisSettings::default() };
        let places = located(&compatible, "take ½ cup").1;
        assert_eq!(places.len(), 4);
        assert_eq!(cut_words("take ½ cup", &places, &[1..2]), Err(NotCut::SharedPlace));
        assert_eq!(cut_words("take ½ cup", &places, &[2..4]), Err(NotCut::SharedPlace));
        assert_eq!(cut_words("take ½ cup", &places, &[1..3]), Ok("take cup".to_owned()));
    }

    /// Words and their places.
    fn located(settings: &AnalysisSettings, text: &str) -> (Vec<String>, Vec<Range<usize>>) {
        let (mut words, mut places) = (Vec::new(), Vec::new());
        Analyzer::new(settings).located_tokens(text, |word, place| {
            words.push(word.to_owned());
            places.push(place);
        });
        (words, places)
    }

    fn cut_of(text: &str, runs: &[Range<usize>]) -> Result<String, NotCut> {
        cut_words(text, &located(&AnalysisSettings::default(), text).1, runs)
    }

    #[test]
    fn cuts_by_hand() {
        let of = |text: &str| Ok(text.to_owned());
        assert_eq!(cut_of("One two, three. Four!", &[1..3]), of("One Four!"));
        assert_eq!(cut_of("One two, three.\n\nFour!", &[1..3]), of("One \n\nFour!"));
        assert_eq!(cut_of("One two?\r\nThree", &[0..2]), of("Three"));
        assert_eq!(cut_of("One (two three)", &[1..3]), of("One ()"));
        assert_eq!(cut_of("One\ntwo three?\n", &[1..3]), of("One\n"));
        assert_eq!(cut_of("a-b-c d", &[1..2]), of("a- -c d"));
        assert_eq!(cut_of("東京都", &[1..2]), of("東 都"));
        assert_eq!(cut_of("Größe zählt nicht", &[0..1, 2..3]), of("zählt "));
        assert_eq!(cut_of("cafe\u{301}-noir est bon", &[1..2]), of("cafe\u{301}- est bon"));
        assert_eq!(cut_of("cafe\u{301}-noir est bon", &[0..1]), of("-noir est bon"));
        assert_eq!(cut_of("One two", &[0..2]), Err(NotCut::NothingLeft));
    }

    #[test]
    fn what_belongs_to_others_stays() {
        // The words of the passage are p and q.
        let cut = |text: &str| {
            let (all, places) = located(&AnalysisSettings::default(), text);
            let is_cut = |&at: &usize| matches!(all[at].as_str(), "pp" | "qq");
            let runs: Vec<Range<usize>> =
                (0..all.len()).filter(is_cut).map(|at| at..at + 1).collect();
            let first = runs.first().expect("a word").start;
            cut_words(text, &places, &[first..runs.last().expect("a word").end])
                .expect("some words")
        };
        for (text, left) in [
            ("pp qq\n-5 is the temperature", "-5 is the temperature"),
            ("a\n\npp qq.\n\n## Heading", "a\n\n## Heading"),
            ("a\npp qq.\n\nb", "a\n\nb"),
            ("- pp qq.\n- Next", "- \n- Next"),
            ("a\n> pp qq\n> -7 b", "a\n> \n> -7 b"),
            ("end pp\n```\ncode", "end \n```\ncode"),
            ("x|pp qq|-3|y", "x||-3|y"),
            ("Section 3.pp qq 5 things", "Section 3. 5 things"),
            ("He owes $pp 7 things", "He owes $ 7 things"),
            ("f(pp) - g(1)", "f() - g(1)"),
            ("(see pp) [1] and", "(see ) [1] and"),
            ("a pp 😀", "a 😀"),
            ("a\r\npp\r\n\r\nb", "a\r\n\r\nb"),
            ("\n\npp\n \n  b", "\n\n  b"),
        ] {
            assert_eq!(cut(text), left, "{text:?}");
        }
    }

    #[test]
    fn runs_are_shrunk_to_where_a_text_can_be_divided() {
        let words = [0..1, 2..4, 2..4, 5..6, 7..9, 7..9, 7..9];
        assert_eq!(divisible(&words, vec![0..2, 3..5]), [0..1, 3..4]);
        assert_eq!(divisible(&words, vec![2..4, 5..6]), [3..4]);
        assert_eq!(divisible(&words, vec![1..3, 4..7]), [1..3, 4..7]);
    }

    proptest! {
        #[test]
        fn the_other_words_stay(
            words in prop::collection::vec(
                (
                    "[a-zé漢]{1,4}|e\u{301}|東京|ab\u{20dd}|foo\u{200b}|क्|ष|カ\u{3099}|ナ|3|don'|x_",
                    "[ ,.$'(_\n-]{0,3}",
                    any::<bool>(),
                ),
                1..20,
            ),
        ) {
            let text: String = words.iter().map(|(word, gap, _)| format!("{word}{gap}")).collect();
            let settings = AnalysisSettings::default();
            let (all, places) = located(&settings, &text);
            let is_cut = |at: usize| words[at % words.len()].2;
            let mut runs: Vec<Range<usize>> = Vec::new();
            for at in (0..all.len()).filter(|&at| is_cut(at)) {
                match runs.last_mut() {
                    Some(run) if run.end == at => run.end += 1,
                    _ => runs.push(at..at + 1),
                }
            }
            let left: Vec<&String> =
                (0..all.len()).filter(|&at| !is_cut(at)).map(|at| &all[at]).collect();
            match cut_words(&text, &places, &runs) {
                Err(NotCut::NothingLeft) => prop_assert!(left.is_empty()),
                Err(NotCut::SharedPlace) => prop_assert!(false, "no two words have one place"),
                Ok(written) => {
                    let again = located(&settings, &written).0;
                    prop_assert_eq!(again.iter().collect::<Vec<_>>(), left);
                }
            }
        }
    }
}
