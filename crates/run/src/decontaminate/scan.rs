//! First reading of the training documents: which n-grams of the items each of them has.
//!
//! What is kept is bounded by the items and not by the documents: of an n-gram in more documents than
//! the setting common, nothing more is noted once it is known to be in too many.

use super::items::Items;
use super::settings::ContaminationSettings;
use crate::LookalikeError;
use crate::reading::Documents;
use crate::readings::first::{Admitted, DocumentReader, FirstReading};
use crate::words::{WordReader, WordScratch};
use lookalike_core::{Ngram, NgramIndex};
use lookalike_engine::Progress;
use lookalike_engine::pipeline::PipelineLimits;
use lookalike_io::RecordView;

/// What the first reading found.
#[derive(Default)]
pub(super) struct Scan {
    /// Documents with n-grams of items, in order, and the end in `ngrams` of those of each.
    pub(super) documents: Vec<FoundDocument>,
    /// N-grams by document, ascending. Some are of too many documents.
    pub(super) ngrams: Vec<Ngram>,
    /// Number of documents that have each n-gram.
    pub(super) frequencies: Vec<u32>,
    pub(super) reading: FirstReading,
}

/// A document with n-grams of items.
#[derive(Debug, Clone, Copy)]
pub(super) struct FoundDocument {
    /// File and number of the record.
    pub(super) place: (u32, u32),
    end: usize,
}

/// Looks up the n-grams of documents.
struct NgramReader<'a> {
    index: &'a NgramIndex,
    reader: &'a WordReader,
}

impl DocumentReader for NgramReader<'_> {
    type Scratch = WordScratch;
    type Found = Vec<Ngram>;

    fn read(
        &self,
        _: &RecordView<'_>,
        text: &str,
        words: &mut WordScratch,
    ) -> (usize, Option<Vec<Ngram>>) {
        self.reader.read(text, words);
        let found = words.ngrams(self.index);
        (words.count(), (!found.is_empty()).then_some(found))
    }

    fn free_large(words: &mut WordScratch) {
        words.free_large();
    }
}

impl Scan {
    /// The n-grams of a document.
    pub(super) fn of_document(&self, number: usize) -> &[Ngram] {
        let start = number.checked_sub(1).map_or(0, |before| self.documents[before].end);
        &self.ngrams[start..self.documents[number].end]
    }

    /// Reads the documents on all threads.
    ///
    /// # Errors
    /// Documents that cannot be read; a cancellation.
    pub(super) fn read(
        documents: Documents<'_>,
        items: &Items,
        reader: &WordReader,
        settings: &ContaminationSettings,
        admitted: Admitted,
        limits: PipelineLimits,
        progress: &dyn Progress,
    ) -> Result<Self, LookalikeError> {
        let mut scan = Self { frequencies: vec![0; items.index.len()], ..Self::default() };
        let of_items = NgramReader { index: &items.index, reader };
        let reading = FirstReading::read(
            documents,
            &of_items,
            admitted,
            limits,
            progress,
            |place, found| {
                scan.append(place, found, settings.common);
                Ok(())
            },
        )?;
        Ok(Self { reading, ..scan })
    }

    fn append(&mut self, place: (u32, u32), ngrams: Vec<Ngram>, common: u32) {
        for ngram in ngrams {
            let frequency = &mut self.frequencies[ngram.index()];
            *frequency = frequency.saturating_add(1);
            if *frequency <= common {
                self.ngrams.push(ngram);
            }
        }
        let end = self.ngrams.len();
        if self.documents.last().map_or(0, |last| last.end) < end {
            self.documents.push(FoundDocument { place, end });
        }
    }
}
