//! Windows that have to be hashed: in ranges of documents, in the order in which these are read again.

use crate::window_hash::RunHashes;
use crate::{Lengths, Place, of_document};
use std::ops::Range;

/// Consecutive windows of a document whose hashes are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Question {
    /// The first of them.
    pub place: Place,
    /// Number of windows.
    pub windows: u16,
    /// The part of the anchors that it is of, where they are grouped part by part; else 0.
    pub part: u16,
}

/// All windows that are asked for, in the order of their places.
#[derive(Debug)]
pub struct Questions {
    asked: Vec<Question>,
}

impl Questions {
    /// Sorts questions. Returns the place of each among the sorted ones as well.
    pub(crate) fn new(asked: Vec<Question>) -> (Self, Vec<u32>) {
        let mut order: Vec<u32> = (0..asked.len() as u32).collect();
        order.sort_unstable_by_key(|&number| asked[number as usize].place);
        let mut places = vec![0; asked.len()];
        for (place, &number) in (0..).zip(&order) {
            places[number as usize] = place;
        }
        let asked = order.into_iter().map(|number| asked[number as usize]).collect();
        (Self { asked }, places)
    }

    /// The questions of all parts, in any order. O(n log n).
    #[must_use]
    pub fn of_parts(mut asked: Vec<Question>) -> Self {
        asked.sort_unstable_by_key(|question| question.place);
        Self { asked }
    }

    /// The questions as those of this part.
    pub fn in_part(self, part: u16) -> impl Iterator<Item = Question> {
        self.asked.into_iter().map(move |question| Question { part, ..question })
    }

    /// The questions about a document, in the order of [`Questions::answer`].
    #[must_use]
    pub fn of(&self, document: u32) -> &[Question] {
        of_document(&self.asked, document, |question| question.place.document)
    }

    /// The documents of the questions, ascending and distinct, with the number of windows asked for.
    pub fn windows(&self) -> impl Iterator<Item = (u32, usize)> {
        self.asked.chunk_by(|a, b| a.place.document == b.place.document).map(|of| {
            let windows = of.iter().map(|question| usize::from(question.windows));
            (of[0].place.document, windows.sum())
        })
    }

    /// The documents of the questions, ascending and distinct, with the fewest units that each has.
    pub fn documents(&self, lengths: Lengths) -> impl Iterator<Item = (u32, usize)> {
        self.asked.chunk_by(|a, b| a.place.document == b.place.document).map(move |of| {
            let last = of[of.len() - 1];
            let windows = last.place.unit as usize + usize::from(last.windows);
            (last.place.document, windows - 1 + lengths.window() as usize)
        })
    }

    /// Appends the hashes of the windows of a document that are asked for. O(their units).
    ///
    /// # Panics
    /// With fewer units than the document had.
    pub fn answer(&self, document: u32, units: &[u64], lengths: Lengths, hashes: &mut Vec<u64>) {
        let (mut of_runs, window) = (RunHashes::default(), lengths.window() as usize);
        of_runs.read(units);
        of_runs.up_to(window);
        for question in self.of(document) {
            let first = question.place.unit as usize;
            let windows = first..first + usize::from(question.windows);
            hashes.extend(windows.map(|start| of_runs.of(start, window)));
        }
    }
}

/// The hashes of the windows that were asked for.
#[derive(Debug)]
pub struct Answers {
    hashes: Vec<u64>,
    /// The end of each answer in `hashes`.
    ends: Vec<usize>,
}

impl Answers {
    /// The answers of all documents, in order.
    ///
    /// # Panics
    /// With more or fewer hashes than windows that were asked for.
    #[must_use]
    pub fn new(questions: &Questions, hashes: Vec<u64>) -> Self {
        let add = |end: &mut usize, question: &Question| {
            *end += usize::from(question.windows);
            Some(*end)
        };
        let ends: Vec<usize> = questions.asked.iter().scan(0, add).collect();
        assert_eq!(ends.last().copied().unwrap_or(0), hashes.len(), "a hash for each window");
        Self { hashes, ends }
    }

    /// The answer to a question; without one, none.
    pub(crate) fn of(&self, question: Option<u32>) -> &[u64] {
        let range = question.map_or(0..0, |number| self.range(number as usize));
        &self.hashes[range]
    }

    fn range(&self, number: usize) -> Range<usize> {
        number.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[number]
    }
}
