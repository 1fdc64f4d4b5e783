//! All steps over documents in memory.

use crate::anchors::{AnchorScratch, anchors};
use crate::classes::{Classes, Repeated};
use crate::questions::Answers;
use crate::runs::runs;
use crate::{Anchor, Lengths, Run, Scope};
use rayon::prelude::*;

/// Finds the repeated passages of documents in memory.
#[derive(Debug, Clone, Copy)]
pub struct Finder {
    lengths: Lengths,
    repeated: Repeated,
}

impl Finder {
    /// Passages of at least one window that stand at least twice.
    #[must_use]
    pub fn new(lengths: Lengths) -> Self {
        Self { lengths, repeated: Repeated::at_least(2, Scope::Anywhere) }
    }

    /// Passages that stand at least this often; less than twice is twice.
    #[must_use]
    pub fn with_copies(self, copies: u32) -> Self {
        Self { repeated: Repeated { copies: copies.max(2), ..self.repeated }, ..self }
    }

    /// Passages of which another copy stands there.
    #[must_use]
    pub fn with_scope(self, scope: Scope) -> Self {
        Self { repeated: Repeated { scope, ..self.repeated }, ..self }
    }

    /// The runs of all documents, which are in order of precedence: the same for any number of threads.
    ///
    /// ```
    /// use lookalike_passages::{Finder, Lengths, Place, Run};
    ///
    /// let units = |text: &str| text.bytes().map(u64::from).collect::<Vec<u64>>();
    /// let documents = [units("to be or not"), units("is it to be or?")];
    /// let runs = Finder::new(Lengths::of_window(8)?).find(&documents);
    /// let place = |document, unit| Place { document, unit };
    /// // "to be or", whose first place is in the first document.
    /// let copies = [2, 2];
    /// assert_eq!(
    ///     runs,
    ///     [
    ///         Run { at: place(0, 0), windows: 1, first: place(0, 0), copies },
    ///         Run { at: place(1, 6), windows: 1, first: place(0, 0), copies },
    ///     ]
    /// );
    /// # Ok::<(), lookalike_passages::anchors::WrongLengths>(())
    /// ```
    #[must_use]
    pub fn find<D: AsRef<[u64]> + Sync>(self, documents: &[D]) -> Vec<Run> {
        let numbered =
            || documents.par_iter().enumerate().map(|(at, units)| (at as u32, units.as_ref()));
        let found: Vec<Anchor> = numbered()
            .map_init(AnchorScratch::default, |scratch, (document, units)| {
                let mut found = Vec::new();
                anchors(document, units, self.lengths, scratch, |anchor| found.push(anchor));
                found
            })
            .flatten_iter()
            .collect();
        let (classes, questions) = Classes::new(found);
        let answers = numbered().map(|(document, units)| {
            let mut hashes = Vec::new();
            questions.answer(document, units, self.lengths, &mut hashes);
            hashes
        });
        let answers: Vec<u64> = answers.flatten_iter().collect();
        runs(classes.pieces(&Answers::new(&questions, answers), self.repeated))
    }
}
