//! Text in, tokens out with the place in the original text that each came from: for evidence.
//!
//! Most words stand in the lower-cased copy of a window where they stand in the text. All others are read by a
//! simple version of [`Analyzer::tokens`]; a test checks that all return the same tokens and places.

use crate::analyzer::end_of_window;
use crate::casing::lower_each;
use crate::classes::{Classes, INERT_NFC, INERT_NFKC};
use crate::normal::{Buffers, is_ignorable};
use crate::rules::Rules;
use crate::window::{Window, is_gap};
use crate::{Analyzer, Unit};
use std::ops::Range;

impl Analyzer {
    /// Pushes each token with its byte range in `text`: the tokens of [`Analyzer::tokens`], in
    /// order.
    ///
    /// The range is exact: from the first to the last of the characters that the token's were
    /// lower-cased from, with any default-ignorable characters between those. Characters that
    /// normalisation changed have the range of all that it looks at together: a letter with its marks.
    /// With confusable characters replaced, that may be the whole stretch between two ASCII white
    /// spaces.
    /// With [`Unit::Char`], the range of a space is the gap between the two words: empty where
    /// nothing stands between them (`c漢`) or both come from one range.
    pub fn located_tokens<F: FnMut(&str, Range<usize>)>(&self, text: &str, mut emit: F) {
        match self.unit {
            Unit::Word if self.rules.folds_case && !self.rules.symbols => {
                self.located_words(text, &mut emit);
            }
            _ => self.located_singly(text, &mut emit),
        }
    }

    /// The words of a text, window by window.
    fn located_words(&self, text: &str, emit: &mut impl FnMut(&str, Range<usize>)) {
        let (mut window, mut stretch) = (Window::default(), Stretch::default());
        let mut start = 0;
        while start < text.len() {
            let end = start + end_of_window(&text.as_bytes()[start..]);
            window.read(&text[start..end], &self.rules);
            // The copy has characters of the same lengths as the text.
            let copy =
                std::str::from_utf8(&window.bytes).expect("characters are replaced by characters");
            let places = window.places();
            let mut done = 0;
            for part in &window.plain_parts {
                as_they_stand(copy, &places[done..part.words.start], start, emit);
                done = part.words.end;
                let bytes = start + part.bytes.start..start + part.bytes.end;
                for piece in pieces(&text[bytes.clone()]) {
                    let piece = bytes.start + piece.start..bytes.start + piece.end;
                    stretch.read(self, text, piece);
                    let lower = &stretch.lower;
                    self.rules.scan(lower, &mut |word, _| {
                        emit(&lower[word.clone()], stretch.place(word));
                    });
                }
            }
            as_they_stand(copy, &places[done..], start, emit);
            start = end;
        }
    }

    /// The tokens of a text, stretch by stretch.
    fn located_singly(&self, text: &str, emit: &mut impl FnMut(&str, Range<usize>)) {
        let mut stretch = Stretch::default();
        let mut last_end = None;
        for piece in pieces(text) {
            stretch.read(self, text, piece);
            self.rules.scan(&stretch.lower, &mut |word, joined| {
                if self.unit == Unit::Word {
                    let place = stretch.place(word.clone());
                    emit(&stretch.lower[word], place);
                    return;
                }
                if let Some(end) = last_end
                    && !joined
                {
                    emit(" ", end..stretch.place(word.clone()).start.max(end));
                }
                for (offset, c) in stretch.lower[word.clone()].char_indices() {
                    let at = word.start + offset;
                    let character = at..at + c.len_utf8();
                    emit(&stretch.lower[character.clone()], stretch.place(character));
                }
                last_end = Some(stretch.place(word).end);
            });
        }
    }
}

/// Words of the copy of a window, which begins here in the text.
fn as_they_stand(
    copy: &str,
    places: &[[usize; 2]],
    start: usize,
    emit: &mut impl FnMut(&str, Range<usize>),
) {
    for &[from, to] in places {
        emit(&copy[from..to], start + from..start + to);
    }
}

/// The byte ranges between ASCII white space and control characters.
fn pieces(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    text.as_bytes().split(is_gap).map(move |piece| {
        let start = at;
        at += piece.len() + 1;
        start..start + piece.len()
    })
}

/// One stretch, normalised and lower-cased, and where it came from.
#[derive(Default)]
struct Stretch {
    buffers: Buffers,
    lower: String,
    /// For each character of the normalised stretch, where it came from in the original.
    sources: Vec<Range<usize>>,
    /// For each byte of `lower`, the same in the text.
    places: Vec<Range<usize>>,
}

impl Stretch {
    fn read(&mut self, analyzer: &Analyzer, text: &str, piece: Range<usize>) {
        let original = &text[piece.clone()];
        let Analyzer { rules, .. } = analyzer;
        let Self { buffers, lower, sources, places } = self;
        find_sources(original, rules, buffers, sources);
        let normal = rules.normalizer.apply(original, rules.classes, buffers);
        let mut sources = sources.iter();
        lower.clear();
        places.clear();
        let mut place = |length| {
            let source = sources.next().map_or(0..original.len(), Range::clone);
            let (start, end) = (piece.start + source.start, piece.start + source.end);
            match places.last_mut() {
                // A dot that is not kept stands with its `i`.
                Some(last) if length == 0 => last.end = end,
                _ => places.extend(std::iter::repeat_n(start..end, length)),
            }
        };
        if rules.folds_case {
            lower_each(normal, rules.classes, lower, place);
        } else {
            lower.push_str(normal);
            normal.chars().for_each(|c| place(c.len_utf8()));
        }
    }

    /// The place of a part of `lower` that is not empty.
    fn place(&self, part: Range<usize>) -> Range<usize> {
        self.places[part.start].start..self.places[part.end - 1].end
    }
}

/// Finds where each character of the normalised stretch came from; none if that is not known.
fn find_sources(
    original: &str,
    rules: &Rules,
    buffers: &mut Buffers,
    sources: &mut Vec<Range<usize>>,
) {
    let Rules { normalizer, classes, .. } = rules;
    sources.clear();
    // ASCII characters are replaced one by one.
    if original.is_ascii() {
        sources.extend((0..original.len()).map(|at| at..at + 1));
        return;
    }
    let mut normal = String::new();
    for run in runs(original, classes) {
        let text = &original[run.clone()];
        let of_run = normalizer.apply(text, classes, buffers);
        let visible = || text.char_indices().filter(|&(_, c)| !is_ignorable(c, classes));
        if of_run.chars().eq(visible().map(|(_, c)| c)) {
            let places = visible().map(|(at, c)| run.start + at..run.start + at + c.len_utf8());
            sources.extend(places);
        } else {
            sources.extend(of_run.chars().map(|_| run.clone()));
        }
        normal.push_str(of_run);
    }
    // What becomes of some characters depends on those before their run.
    if normal != normalizer.apply(original, classes, buffers) {
        sources.clear();
    }
}

/// The parts of a stretch that begin with characters which normalisation leaves alone whatever stands
/// before them: letters with their marks.
fn runs(stretch: &str, classes: &Classes) -> impl Iterator<Item = Range<usize>> {
    const INERT: u16 = INERT_NFC | INERT_NFKC;
    let begins =
        |&(at, c): &(usize, char)| at == 0 || c.is_ascii() || classes.get(c) & INERT == INERT;
    let mut starts = stretch.char_indices().filter(begins).map(|(at, _)| at).peekable();
    std::iter::from_fn(move || {
        let start = starts.next()?;
        Some(start..starts.peek().copied().unwrap_or(stretch.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AnalysisSettings, Normalize};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn words_are_where_the_simple_version_finds_them(
            pieces in prop::collection::vec(
                ("[ a-zA-Zé’'.\n]{0,12}", "[ aéE\u{301}\u{327}\u{ad}\u{200b}İßΣσ漢カ한ﬁ①ไทย\u{130}ı０Ａ´\u{345}٣]{0,4}", 1usize..40),
                0..12,
            ),
            normalize in prop::sample::select(vec![Normalize::None, Normalize::Nfc, Normalize::Nfkc, Normalize::Confusables]),
        ) {
            let text: String = pieces.iter().map(|(plain, odd, times)| format!("{plain}{odd}").repeat(*times)).collect();
            let analyzer = Analyzer::new(&AnalysisSettings { normalize, ..AnalysisSettings::default() });
            let (mut fast, mut simple) = (Vec::new(), Vec::new());
            analyzer.located_words(&text, &mut |word: &str, place| fast.push((word.to_owned(), place)));
            analyzer.located_singly(&text, &mut |word: &str, place| simple.push((word.to_owned(), place)));
            prop_assert_eq!(fast, simple);
        }
    }
}
