//! Cuts runs of words out of a text.
//!
//! A cut goes from the first byte of its first word to the first byte of the next word that stays, or
//! to the end of the text. If a line ends behind its last word, one line end stays; if nothing but the cut was between two
//! words, a space is put there. Cuts are at words, so never inside a character.

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
    /// What takes their place: nothing, a line end, or a space.
    pub put: &'static str,
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
    let meet = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        before.zip(words.get(at)).is_some_and(|(before, next)| next.start < before.end)
    };
    if runs.iter().any(|run| meet(run.start) || meet(run.end)) {
        return Err(NotCut::SharedPlace);
    }
    let mut edits: Vec<TextEdit> = Vec::with_capacity(runs.len());
    for run in runs {
        let (start, last) = (words[run.start].start, words[run.end - 1].end);
        let next = words.get(run.end).map_or(text.len(), |next| next.start);
        let behind = &text[last..next];
        // What stands before it is kept: words of a run and of the one before do not meet.
        let joins = || {
            text[..start].ends_with(char::is_alphanumeric)
                && text[next..].starts_with(char::is_alphanumeric)
        };
        let put = match behind.find('\n') {
            Some(end) if behind[..end].ends_with('\r') => "\r\n",
            Some(_) => "\n",
            None if joins() => " ",
            None => "",
        };
        edits.push(TextEdit { bytes: start..next, put });
    }
    Ok(edits)
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
        assert_eq!(cut_of("One two, three.\n\nFour!", &[1..3]), of("One \nFour!"));
        assert_eq!(cut_of("One two?\r\nThree", &[0..2]), of("\r\nThree"));
        assert_eq!(cut_of("One (two three)", &[1..3]), of("One ("));
        assert_eq!(cut_of("One\ntwo three?\n", &[1..3]), of("One\n\n"));
        assert_eq!(cut_of("a-b-c d", &[1..2]), of("a-c d"));
        assert_eq!(cut_of("東京都", &[1..2]), of("東 都"));
        assert_eq!(cut_of("Größe zählt nicht", &[0..1, 2..3]), of("zählt "));
        assert_eq!(cut_of("cafe\u{301}-noir est bon", &[1..2]), of("cafe\u{301}-est bon"));
        assert_eq!(cut_of("cafe\u{301}-noir est bon", &[0..1]), of("noir est bon"));
        assert_eq!(cut_of("One two", &[0..2]), Err(NotCut::NothingLeft));
    }

    proptest! {
        #[test]
        fn the_other_words_stay(
            words in prop::collection::vec(
                ("[a-zé漢]{1,4}|e\u{301}", "[ ,.\n-]{1,3}", any::<bool>()),
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
