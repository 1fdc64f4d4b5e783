//! Texts of passages for the report, taken in the last reading.

use super::stretches::Stretch;
use super::units::LocatedUnits;
use lookalike_passages::of_document;
use lookalike_report::PassageExcerpt;
use std::ops::Range;

/// Bytes of a passage that are shown.
const PASSAGE: usize = 700;
/// Bytes of the text on each side of it.
const AROUND: usize = 160;

/// A passage of which the text is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Shown {
    pub(super) stretch: Stretch,
    /// Only the part that is cut.
    pub(super) of_cut: bool,
}

/// All that are shown, ascending and distinct.
#[derive(Debug, Default)]
pub(super) struct ShownPassages(Vec<Shown>);

impl ShownPassages {
    pub(super) fn new(mut shown: Vec<Shown>) -> Self {
        shown.sort_unstable();
        shown.dedup();
        Self(shown)
    }

    /// Of a text: each that is shown of it, unless nothing of it is cut.
    pub(super) fn excerpts(
        &self,
        document: u32,
        text: &str,
        units: &LocatedUnits<'_>,
        gone: &[Range<usize>],
    ) -> Vec<(Shown, PassageExcerpt)> {
        let shown = of_document(&self.0, document, |shown| shown.stretch.place.document);
        let excerpt = |shown: &Shown| {
            let range = match shown.of_cut {
                true => cut_part(shown.stretch.range(), gone)?,
                false => shown.stretch.range(),
            };
            let place = units.bytes(&range);
            let start = text.floor_char_boundary(place.start);
            Some((*shown, excerpt(text, start..text.ceil_char_boundary(place.end))))
        };
        shown.iter().filter_map(excerpt).collect()
    }
}

/// The first part of a stretch that is cut.
fn cut_part(stretch: Range<usize>, gone: &[Range<usize>]) -> Option<Range<usize>> {
    let next = gone.partition_point(|gone| gone.end <= stretch.start);
    let gone = gone.get(next).filter(|gone| gone.start < stretch.end)?;
    Some(gone.start.max(stretch.start)..gone.end.min(stretch.end))
}

/// A place with at most this many bytes of the text on each side of it, in whole characters.
pub(super) fn with_text_around(text: &str, place: &Range<usize>, most: usize) -> Range<usize> {
    let start = text.ceil_char_boundary(place.start.saturating_sub(most));
    start..text.floor_char_boundary(place.end.saturating_add(most).min(text.len()))
}

fn excerpt(text: &str, place: Range<usize>) -> PassageExcerpt {
    let Range { start, end } = with_text_around(text, &place, AROUND);
    let shown = text.floor_char_boundary(place.end.min(place.start + PASSAGE));
    PassageExcerpt {
        is_later: start > 0,
        before: text[start..place.start].to_owned(),
        passage: text[place.start..shown].to_owned(),
        left_out: (place.end - shown) as u64,
        behind: text[place.end..end].to_owned(),
        goes_on: end < text.len(),
    }
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init)] // One run is a list of one range.
mod tests {
    use super::*;

    #[test]
    fn excerpts_end_between_characters() {
        let text = format!("{}é{}ü{}", "a".repeat(200), "ö".repeat(500), "b".repeat(10));
        let found = excerpt(&text, 202..1202);
        assert!(found.is_later && !found.goes_on);
        assert_eq!(found.before, format!("{}é", "a".repeat(158)));
        assert_eq!((found.passage, found.left_out), ("ö".repeat(350), 300));
        assert_eq!(found.behind, format!("ü{}", "b".repeat(10)));
        let found = excerpt("none", 0..4);
        assert_eq!(found, PassageExcerpt { passage: "none".into(), ..PassageExcerpt::default() });
    }

    #[test]
    fn the_first_part_that_is_cut() {
        assert_eq!(cut_part(5..9, &[0..5, 7..12]), Some(7..9));
        assert_eq!(cut_part(5..9, &[0..6]), Some(5..6));
        assert_eq!(cut_part(5..9, &[0..5, 9..12]), None);
    }
}
