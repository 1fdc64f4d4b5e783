//! A text with the parts marked that stand elsewhere.

use lookalike_report::clean;
use std::ops::Range;

/// Characters that are shown.
const SHOWN: usize = 60_000;

/// Sources with a colour of their own.
const COLOURS: usize = 6;

/// A part of the text that a source has: the number of a document, the best first.
pub(super) struct Span {
    pub(super) bytes: Range<usize>,
    pub(super) source: usize,
}

/// A text in pieces, and where they are in it.
#[derive(Debug, PartialEq)]
pub(super) struct Marked {
    pub(super) pieces: Vec<Piece>,
    /// The marked ones as parts of a line of 1,000: from where, how long, and the colour.
    pub(super) strip: Vec<(String, String, String)>,
    pub(super) is_cut: bool,
}

/// A piece of the text.
#[derive(Debug, PartialEq)]
pub(super) struct Piece {
    pub(super) text: String,
    /// The document that has it; empty if none has.
    pub(super) link: String,
    pub(super) colour: String,
    /// Its number in the list, from 1.
    pub(super) number: usize,
}

impl Marked {
    /// The class of the colour of a source.
    pub(super) fn colour(source: usize) -> String {
        if source < COLOURS { format!("source{source}") } else { String::new() }
    }
}

/// Marks the parts of a text that sources have; of a part that several have, the first is named.
pub(super) fn marked(
    text: &str,
    spans: impl Iterator<Item = Span>,
    link: impl Fn(usize) -> String,
) -> Marked {
    let runs = first_sources(text.len(), spans);
    let (mut pieces, mut strip, mut left) = (Vec::new(), Vec::new(), SHOWN);
    let mut is_cut = false;
    for (bytes, source) in runs {
        let colour = source.map(Marked::colour).unwrap_or_default();
        let whole = text.len().max(1) as f64 / 1000.0;
        if source.is_some() {
            let length = (bytes.len() as f64 / whole).max(1.0);
            strip.push((at(bytes.start as f64 / whole), at(length), colour.clone()));
        }
        let (from, to) =
            (text.floor_char_boundary(bytes.start), text.floor_char_boundary(bytes.end));
        if left == 0 {
            is_cut = true;
            continue;
        }
        let shown = clean::block(&text[from..to], left);
        left = left.saturating_sub(shown.chars().count());
        pieces.push(Piece {
            text: shown,
            link: source.map(&link).unwrap_or_default(),
            colour,
            number: source.map_or(0, |source| source + 1),
        });
    }
    Marked { pieces, strip, is_cut }
}

fn at(value: f64) -> String {
    format!("{value:.1}")
}

/// Runs of bytes that cover a text, each with the first source that has it.
fn first_sources(
    length: usize,
    spans: impl Iterator<Item = Span>,
) -> Vec<(Range<usize>, Option<usize>)> {
    // Where a span begins or ends: the sources that cover what follows.
    let mut events: Vec<(usize, bool, usize)> = Vec::new();
    for Span { bytes, source } in spans {
        let (from, to) = (bytes.start.min(length), bytes.end.min(length));
        if from < to {
            events.extend([(from, true, source), (to, false, source)]);
        }
    }
    events.sort_unstable();
    let mut covering = std::collections::BTreeMap::<usize, u32>::new();
    let mut runs: Vec<(Range<usize>, Option<usize>)> = Vec::new();
    let mut place = 0;
    for (position, begins, source) in events.into_iter().chain([(length, false, usize::MAX)]) {
        if position > place {
            let first = covering.keys().next().copied();
            match runs.last_mut() {
                Some((last, of)) if *of == first => last.end = position,
                _ => runs.push((place..position, first)),
            }
            place = position;
        }
        if begins {
            *covering.entry(source).or_default() += 1;
        } else if let Some(number) = covering.get_mut(&source) {
            *number -= 1;
            if *number == 0 {
                covering.remove(&source);
            }
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(length: usize, spans: &[(usize, usize, usize)]) -> Vec<(usize, usize, Option<usize>)> {
        let spans = spans.iter().map(|&(from, to, source)| Span { bytes: from..to, source });
        let runs = first_sources(length, spans);
        runs.into_iter().map(|(bytes, source)| (bytes.start, bytes.end, source)).collect()
    }

    #[test]
    fn runs_cover_the_text_and_name_the_first_source() {
        assert_eq!(runs(9, &[]), [(0, 9, None)]);
        assert_eq!(runs(0, &[(0, 3, 1)]), []);
        assert_eq!(
            runs(9, &[(2, 5, 1), (3, 7, 0)]),
            [(0, 2, None), (2, 3, Some(1)), (3, 7, Some(0)), (7, 9, None)]
        );
        assert_eq!(
            runs(9, &[(0, 9, 1), (3, 5, 0)]),
            [(0, 3, Some(1)), (3, 5, Some(0)), (5, 9, Some(1))]
        );
        assert_eq!(
            runs(9, &[(1, 4, 0), (4, 6, 0), (2, 5, 0)]),
            [(0, 1, None), (1, 6, Some(0)), (6, 9, None)]
        );
        assert_eq!(runs(5, &[(3, 99, 2), (7, 9, 0), (4, 4, 1)]), [(0, 3, None), (3, 5, Some(2))]);
    }

    #[test]
    fn no_character_is_split_and_a_long_text_is_cut() {
        let span = |from, to| std::iter::once(Span { bytes: from..to, source: 0 });
        let found = marked("äöü", span(1, 3), |_| "x".into());
        let text: String = found.pieces.iter().map(|piece| &*piece.text).collect();
        assert_eq!(text, "äöü");
        let long = "word ".repeat(SHOWN);
        let found = marked(&long, span(SHOWN * 2, SHOWN * 3), |_| "x".into());
        assert!(found.is_cut && found.pieces.len() == 1 && found.strip.len() == 1);
    }
}
