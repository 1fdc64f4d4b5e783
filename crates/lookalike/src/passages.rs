//! Repeated passages of texts in memory: every run of L or more words that stands twice, exactly, and
//! texts without the later copies.
//!
//! ```
//! use lookalike::passages::{CutRule, TextPassages};
//!
//! let notice = "All rights reserved. No part of this page may be reproduced in any form.";
//! let texts = [format!("On roses. {notice}"), format!("{notice} On tulips.")];
//! let found = TextPassages::new(&texts, 10)?;
//!
//! let passage = found.passages().next().expect("the notice of the second text");
//! assert_eq!((passage.at.text, passage.at.words, passage.copies), (1, 0..14, [2, 2]));
//! assert_eq!(&texts[0][passage.first.bytes.clone()], notice.trim_end_matches('.'));
//!
//! let cuts = found.cuts(CutRule::Kept);
//! assert_eq!(found.without(1, &cuts).as_deref(), Ok("On tulips."));
//! # Ok::<(), lookalike::passages::WrongLengths>(())
//! ```

use lookalike_core::fingerprint;
use lookalike_core::spans::union;
use lookalike_passages::kept;
use lookalike_passages::{Finder, Place, Run};
use lookalike_text::{AnalysisSettings, Analyzer, cut_words};
use rayon::prelude::*;
use std::ops::Range;

pub use lookalike_passages::anchors::WrongLengths;
pub use lookalike_passages::{Cut, CutRule, Lengths};
pub use lookalike_text::NotCut;

#[cfg(feature = "files")]
pub use lookalike_report::PassageSummary;
#[cfg(feature = "files")]
pub use lookalike_run::{
    NoPassageUnit, PassageScope, PassageSettings, PassageUnit, Passages, PassagesJob,
    SearchOutcome, SearchRun, WhatIsCut, WhatIsWritten, Whole, passages, run_passages,
};

/// The repeated passages of texts. Texts take precedence over those after them.
#[derive(Debug)]
pub struct TextPassages<'t> {
    texts: Vec<&'t str>,
    /// The byte range of each word of each text.
    places: Vec<Vec<Range<usize>>>,
    lengths: Lengths,
    runs: Vec<Run>,
}

/// A passage that stands at an earlier place as well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextPassage {
    /// Where it stands.
    pub at: TextPlace,
    /// Where it stands first.
    pub first: TextPlace,
    /// The fewest and the most places at which L words of it stand.
    pub copies: [u32; 2],
}

/// Consecutive words of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextPlace {
    /// The text, by its index.
    pub text: usize,
    /// Numbers of the words.
    pub words: Range<usize>,
    /// Their bytes, from the first of the first word to the last of the last.
    pub bytes: Range<usize>,
}

impl<'t> TextPassages<'t> {
    /// Finds the passages of at least this many words, on all threads of the rayon pool that it is
    /// called in. O(n log n) for n words; 16 bytes for each word, and 32 for each that is copied.
    ///
    /// # Errors
    /// No word, or more than [`Lengths::MOST`].
    ///
    /// # Panics
    /// With 2³² texts or more, or a text of as many words.
    pub fn new(texts: &'t [impl AsRef<str> + Sync], length: usize) -> Result<Self, WrongLengths> {
        Self::with_words(texts, length, &AnalysisSettings::default())
    }

    /// As [`TextPassages::new`], with other settings for what a word is.
    ///
    /// # Errors
    /// As [`TextPassages::new`].
    ///
    /// # Panics
    /// As [`TextPassages::new`].
    pub fn with_words(
        texts: &'t [impl AsRef<str> + Sync],
        length: usize,
        settings: &AnalysisSettings,
    ) -> Result<Self, WrongLengths> {
        let lengths = Lengths::of_window(length)?;
        let analyzer = Analyzer::new(settings);
        let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
        assert!(u32::try_from(texts.len()).is_ok(), "fewer than 2³² texts");
        let read = |text: &&str| {
            let (mut words, mut places) = (Vec::new(), Vec::new());
            analyzer.located_tokens(text, |word, place| {
                words.push(fingerprint::token(word.as_bytes()));
                places.push(place);
            });
            assert!(u32::try_from(words.len()).is_ok(), "a text of fewer than 2³² words");
            (words, places)
        };
        let (words, places): (Vec<Vec<u64>>, Vec<_>) = texts.par_iter().map(read).unzip();
        let runs = Finder::new(lengths).find(&words);
        Ok(Self { texts, places, lengths, runs })
    }

    /// The passages in the order of their places: those with an earlier copy. Two of a text may have up
    /// to L − 1 words in common.
    pub fn passages(&self) -> impl Iterator<Item = TextPassage> {
        let later = self.runs.iter().filter(|run| run.first < run.at);
        later.map(|run| {
            let words = self.lengths.units(run.windows);
            let [at, first] = [run.at, run.first].map(|place| self.place(place, words));
            TextPassage { at, first, copies: run.copies }
        })
    }

    /// What is cut by a rule, in the order of places. Units are words.
    #[must_use]
    pub fn cuts(&self, rule: CutRule) -> Vec<Cut> {
        kept::cuts(&self.runs, self.lengths, rule)
    }

    /// A text without cuts of [`TextPassages::cuts`], each at words: line ends stay.
    ///
    /// # Errors
    /// A text of which no word is left, or that cannot be cut between two words.
    ///
    /// # Panics
    /// With an index that no text has.
    pub fn without(&self, text: usize, cuts: &[Cut]) -> Result<String, NotCut> {
        let start = cuts.partition_point(|cut| (cut.at.document as usize) < text);
        let own = cuts[start..].iter().take_while(|cut| cut.at.document as usize == text);
        let words = own.map(|cut| cut.at.unit as usize..(cut.at.unit + cut.units) as usize);
        cut_words(self.texts[text], &self.places[text], &union(words.collect()))
    }

    fn place(&self, place: Place, words: u32) -> TextPlace {
        let (text, start) = (place.document as usize, place.unit as usize);
        let words = start..start + words as usize;
        let places = &self.places[text];
        let bytes = places[words.start].start..places[words.end - 1].end;
        TextPlace { text, words, bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts() -> [&'static str; 4] {
        [
            "One: the quick brown fox jumps over the lazy dog.\nEnd of one.",
            "The QUICK brown fox -- jumps over the lazy dog! And two.",
            "Nothing of the kind.",
            "the quick brown fox jumps over the lazy dog",
        ]
    }

    #[test]
    fn later_copies_are_cut_and_other_words_stay() {
        let texts = texts();
        let found = TextPassages::new(&texts, 5).unwrap();
        let passages: Vec<TextPassage> = found.passages().collect();
        let summary: Vec<_> = passages
            .iter()
            .map(|one| (one.at.text, one.at.words.clone(), one.first.text))
            .collect();
        assert_eq!(summary, [(1, 0..9, 0), (3, 0..9, 0)]);
        assert_eq!(
            &texts[1][passages[0].at.bytes.clone()],
            "The QUICK brown fox -- jumps over the lazy dog"
        );
        assert_eq!(
            &texts[0][passages[0].first.bytes.clone()],
            "the quick brown fox jumps over the lazy dog"
        );
        let cuts = found.cuts(CutRule::Kept);
        let left: Vec<_> = (0..4).map(|text| found.without(text, &cuts)).collect();
        assert_eq!(
            left,
            [
                Ok(texts[0].to_owned()),
                Ok("And two.".to_owned()),
                Ok(texts[2].to_owned()),
                Err(NotCut::NothingLeft)
            ]
        );
        let all = found.cuts(CutRule::All);
        assert_eq!(found.without(0, &all).as_deref(), Ok("One: \nEnd of one."));
    }

    #[test]
    fn lengths_are_checked() {
        assert!(TextPassages::new(&texts(), 0).is_err());
        assert_eq!(TextPassages::new(&texts(), 10).unwrap().passages().count(), 0);
    }
}
