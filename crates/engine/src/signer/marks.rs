//! Markup around tokens.

use lookalike_methods::Marks;
use lookalike_text::{MarkKind, Page};
use std::ops::Range;

/// Cursor over the marks of a page: each mark is visited once.
pub(super) struct MarkCursor<'p> {
    rest: &'p [lookalike_text::Mark],
    /// End of the last mark begun, by kind.
    ends: [usize; 3],
}

impl<'p> MarkCursor<'p> {
    /// A cursor before the first mark.
    pub(super) fn new(page: &'p Page) -> Self {
        Self { rest: &page.marks, ends: [0; 3] }
    }

    /// The marks around the token at byte range `place`; ranges must ascend from call to call.
    pub(super) fn around(&mut self, place: &Range<usize>) -> Marks {
        while let Some((mark, rest)) = self.rest.split_first()
            && mark.start < place.end
        {
            // Marks of one kind never overlap, so only the last one begun is needed.
            self.ends[mark.kind as usize] = mark.end;
            self.rest = rest;
        }
        let kinds = [
            (MarkKind::Heading, Marks::HEADING),
            (MarkKind::Emphasis, Marks::EMPHASIS),
            (MarkKind::Link, Marks::LINK),
        ];
        let open = kinds.iter().filter(|(kind, _)| self.ends[*kind as usize] > place.start);
        Marks(open.fold(0, |bits, (_, marks)| bits | marks.0))
    }
}
