//! Stretches of documents whose places and units are asked for: both sides of each passage and cut.

use lookalike_core::fingerprint::TextDigest;
use lookalike_passages::near::NearPassage;
use lookalike_passages::{Cut, Lengths, Place, Run, of_document};
use std::ops::Range;

/// Consecutive units of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stretch {
    /// The first of them.
    pub place: Place,
    /// Their number.
    pub units: u32,
}

impl Stretch {
    /// Those of consecutive windows.
    pub(super) fn of_windows(place: Place, windows: u32, lengths: Lengths) -> Self {
        Self { place, units: lengths.units(windows) }
    }

    /// The numbers of the units.
    #[must_use]
    pub fn range(self) -> Range<usize> {
        let start = self.place.unit as usize;
        start..start + self.units as usize
    }
}

/// Where a stretch stands in its text, and what it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Located {
    /// From the first byte of its first unit to the last of its last.
    pub bytes: [u64; 2],
    /// Of its units, letter by letter, if they are compared.
    pub digest: Option<TextDigest>,
}

/// All stretches, ascending and distinct.
#[derive(Debug)]
pub(super) struct Stretches {
    asked: Vec<Stretch>,
    /// Those whose units are compared: of cuts.
    compared: Vec<Stretch>,
}

/// A passage and its first place.
#[must_use]
pub fn sides_of_run(run: &Run, lengths: Lengths) -> [Stretch; 2] {
    [run.at, run.first].map(|place| Stretch::of_windows(place, run.windows, lengths))
}

/// A cut and its witness.
#[must_use]
pub fn sides_of_cut(cut: &Cut) -> [Stretch; 2] {
    [cut.at, cut.witness].map(|place| Stretch { place, units: cut.units })
}

/// The two sides of a near passage.
#[must_use]
pub fn sides_of_near(near: &NearPassage) -> [Stretch; 2] {
    [0, 1].map(|side| Stretch { place: near.places[side], units: near.units[side] })
}

fn distinct(mut stretches: Vec<Stretch>) -> Vec<Stretch> {
    stretches.sort_unstable();
    stretches.dedup();
    stretches
}

impl Stretches {
    pub(super) fn new(runs: &[Run], cuts: &[Cut], lengths: Lengths) -> Self {
        let compared = distinct(cuts.iter().flat_map(sides_of_cut).collect());
        let of_runs = runs.iter().flat_map(|run| sides_of_run(run, lengths));
        let asked = distinct(of_runs.chain(compared.iter().copied()).collect());
        Self { asked, compared }
    }

    /// The stretches of near passages, which differ: none is compared.
    pub(super) fn of_near(near: &[NearPassage]) -> Self {
        let asked = distinct(near.iter().flat_map(sides_of_near).collect());
        Self { asked, compared: Vec::new() }
    }

    /// Whether the units of a stretch are compared with others.
    pub(super) fn is_compared(&self, stretch: Stretch) -> bool {
        self.compared.binary_search(&stretch).is_ok()
    }

    /// The documents that have some, ascending.
    pub(super) fn documents(&self) -> Vec<u32> {
        let document = |stretch: &Stretch| stretch.place.document;
        let of_documents = self.asked.chunk_by(|a, b| document(a) == document(b));
        of_documents.map(|of| document(&of[0])).collect()
    }

    /// The stretches of a document.
    pub(super) fn of(&self, document: u32) -> &[Stretch] {
        of_document(&self.asked, document, |stretch| stretch.place.document)
    }

    /// The number of a stretch among those of its document.
    ///
    /// # Panics
    /// With one that was not asked for.
    pub(super) fn number(&self, stretch: Stretch) -> usize {
        self.of(stretch.place.document)
            .binary_search(&stretch)
            .expect("a stretch that was asked for")
    }
}
