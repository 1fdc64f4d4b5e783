//! Cuts runs of words out of a text.
//!
//! A cut goes from the first byte of its first word to the first byte of the next word that stays, or
//! to the end of the text. If a line ends behind its last word, one line end stays; if nothing but the cut was between two
//! words, a space is put there. Cuts are at words, so never inside a character.

use std::ops::Range;

/// The text without these runs of words, which are ascending and do not meet; `words` has the place of
/// each word of the text. `None` if no word stays.
pub(super) fn cut(text: &str, words: &[Range<usize>], runs: &[Range<usize>]) -> Option<String> {
    let cut: usize = runs.iter().map(Range::len).sum();
    if cut >= words.len() {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for run in runs {
        // Where normalisation changed a stretch of the text, its words have one place: they go together.
        let start = words[run.start].start.max(from);
        let last = words[run.end - 1].end;
        let next = words.get(run.end).map_or(text.len(), |next| next.start).max(last);
        out.push_str(&text[from..start]);
        let behind = &text[last..next];
        if let Some(end) = behind.find('\n') {
            out.push_str(if behind[..end].ends_with('\r') { "\r\n" } else { "\n" });
        } else if out.ends_with(char::is_alphanumeric)
            && text[next..].starts_with(char::is_alphanumeric)
        {
            out.push(' ');
        }
        from = next;
    }
    out.push_str(&text[from..]);
    Some(out)
}

/// The union of ranges, ascending, with gaps between them.
pub(super) fn union(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut spans = lookalike_core::spans::Spans::default();
    ranges.into_iter().for_each(|range| spans.add(range, true));
    spans.finish()
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init)] // One run is a list of one range.
mod tests {
    use super::super::words::WordReader;
    use super::*;
    use lookalike_text::AnalysisSettings;
    use proptest::prelude::*;

    fn cut_of(text: &str, runs: &[Range<usize>]) -> Option<String> {
        let reader = WordReader::new(&AnalysisSettings::default());
        cut(text, &reader.located(text).1, runs)
    }

    #[test]
    fn cuts_by_hand() {
        let of = |text: &str| Some(text.to_owned());
        assert_eq!(cut_of("One two, three. Four!", &[1..3]), of("One Four!"));
        assert_eq!(cut_of("One two, three.\n\nFour!", &[1..3]), of("One \nFour!"));
        assert_eq!(cut_of("One two?\r\nThree", &[0..2]), of("\r\nThree"));
        assert_eq!(cut_of("One (two three)", &[1..3]), of("One ("));
        assert_eq!(cut_of("One\ntwo three?\n", &[1..3]), of("One\n\n"));
        assert_eq!(cut_of("a-b-c d", &[1..2]), of("a-c d"));
        assert_eq!(cut_of("東京都", &[1..2]), of("東 都"));
        assert_eq!(cut_of("Größe zählt nicht", &[0..1, 2..3]), of("zählt "));
        // One place for both words of a stretch that normalisation changed.
        assert_eq!(cut_of("cafe\u{301}-noir est bon", &[1..2]), of("est bon"));
        assert_eq!(cut_of("One two", &[0..2]), None);
    }

    proptest! {
        #[test]
        fn the_other_words_stay(
            words in prop::collection::vec(("[a-zé漢]{1,4}", "[ ,.\n-]{1,3}", any::<bool>()), 1..20),
        ) {
            let text: String = words.iter().map(|(word, gap, _)| format!("{word}{gap}")).collect();
            let reader = WordReader::new(&AnalysisSettings::default());
            let (hashes, places) = reader.located(&text);
            let is_cut = |at: usize| words[at % words.len()].2;
            let single = (0..hashes.len()).filter(|&at| is_cut(at)).map(|at| at..at + 1);
            let left: Vec<u64> =
                (0..hashes.len()).filter(|&at| !is_cut(at)).map(|at| hashes[at]).collect();
            match cut(&text, &places, &union(single.collect())) {
                None => prop_assert!(left.is_empty()),
                Some(written) => prop_assert_eq!(reader.located(&written).0, left),
            }
        }
    }
}
