//! Text in, tokens out with the place in the original text that each came from: for evidence.
//!
//! A simple version of [`Analyzer::tokens`] that may allocate; a test checks that both return the
//! same tokens.

use crate::casing::lower_each;
use crate::normal::{Buffers, is_ignorable};
use crate::window::is_gap;
use crate::{Analyzer, Unit};
use std::ops::Range;

impl Analyzer {
    /// Pushes each token with its byte range in `text`: the tokens of [`Analyzer::tokens`], in
    /// order.
    ///
    /// The range is exact: from the first to the last of the characters that the token's were
    /// lower-cased from, with any default-ignorable characters between those. Where normalisation
    /// changed the stretch of text between two ASCII white spaces, the range is that whole stretch.
    /// With [`Unit::Char`], the range of a space is the gap between the two words: empty where
    /// nothing stands between them (`c漢`) or both come from one changed stretch.
    pub fn located_tokens<F: FnMut(&str, Range<usize>)>(&self, text: &str, mut emit: F) {
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
    /// Position of the stretch in the text.
    whole: Range<usize>,
    /// For each byte of `lower`, the character in the text; empty if normalisation changed the
    /// stretch.
    places: Vec<Range<usize>>,
}

impl Stretch {
    fn read(&mut self, analyzer: &Analyzer, text: &str, piece: Range<usize>) {
        let original = &text[piece.clone()];
        let normal =
            analyzer.rules.normalizer.apply(original, analyzer.rules.classes, &mut self.buffers);
        let visible =
            || original.char_indices().filter(|&(_, c)| !is_ignorable(c, analyzer.rules.classes));
        // In ASCII text, characters are replaced one by one.
        let same = original.is_ascii() || normal.chars().eq(visible().map(|(_, c)| c));
        let mut sources = visible().filter(|_| same);
        self.lower.clear();
        self.places.clear();
        let mut place = |length| {
            if let Some((offset, c)) = sources.next() {
                let start = piece.start + offset;
                let end = start + c.len_utf8();
                match self.places.last_mut() {
                    // A dot that is not kept stands with its `i`.
                    Some(last) if length == 0 => last.end = end,
                    _ => self.places.extend(std::iter::repeat_n(start..end, length)),
                }
            }
        };
        if analyzer.rules.folds_case {
            lower_each(normal, analyzer.rules.classes, &mut self.lower, place);
        } else {
            self.lower.push_str(normal);
            normal.chars().for_each(|c| place(c.len_utf8()));
        }
        self.whole = piece;
    }

    fn place(&self, part: Range<usize>) -> Range<usize> {
        match (self.places.get(part.start), self.places.get(part.end.wrapping_sub(1))) {
            (Some(first), Some(last)) => first.start..last.end,
            _ => self.whole.clone(),
        }
    }
}
