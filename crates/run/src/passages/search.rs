//! The first two readings: which passages stand twice, and what of them is cut.

use super::settings::PassageSettings;
use crate::reading::Documents;
use crate::readings::first::{Admitted, DocumentReader, FirstReading};
use crate::readings::second::{ChunkVisitor, SecondReading, Visited};
use crate::words::{WordReader, WordScratch};
use crate::{LookalikeError, Settings};
use lookalike_engine::Progress;
use lookalike_engine::pipeline::PipelineLimits;
use lookalike_io::{Fate, Fates, MarkValue, RecordView};
use lookalike_passages::anchors::{AnchorScratch, anchors};
use lookalike_passages::classes::Classes;
use lookalike_passages::questions::{Answers, Questions};
use lookalike_passages::{Anchor, Cut, Lengths, Place, Run, kept, runs};

/// A search whose inputs are found.
pub(super) struct Search<'a> {
    pub(super) documents: Documents<'a>,
    pub(super) settings: &'a Settings,
    pub(super) passages: &'a PassageSettings,
    pub(super) admitted: Admitted,
    pub(super) limits: PipelineLimits,
}

/// What a search found.
pub(super) struct Found {
    pub(super) first: FirstReading,
    /// Files and numbers of the documents that have a window, in order: a [`Place`] has the index of
    /// its document here.
    pub(super) places: Vec<(u32, u32)>,
    pub(super) lengths: Lengths,
    pub(super) runs: Vec<Run>,
    pub(super) cuts: Vec<Cut>,
    pub(super) reader: WordReader,
}

impl Found {
    /// The document at a place among the records.
    ///
    /// # Panics
    /// With a record that has no window.
    pub(super) fn document(&self, place: (u32, u32)) -> u32 {
        document_at(&self.places, place)
    }

    /// The cuts of a document.
    pub(super) fn cuts_of(&self, document: u32) -> &[Cut] {
        let start = self.cuts.partition_point(|cut| cut.at.document < document);
        let length = self.cuts[start..].partition_point(|cut| cut.at.document == document);
        &self.cuts[start..start + length]
    }
}

fn document_at(places: &[(u32, u32)], place: (u32, u32)) -> u32 {
    places.binary_search(&place).expect("a document with a window") as u32
}

impl Search<'_> {
    pub(super) fn find(&self, progress: &dyn Progress) -> Result<Found, LookalikeError> {
        let Self { documents, settings, passages, admitted, limits } = *self;
        let lengths = passages.check()?;
        let skip = admitted.skip_unreadable && !admitted.strict;
        let analysis = settings.analysis_of(documents.inputs, skip);
        let analysis =
            analysis.map_err(|failure| LookalikeError::unreadable(failure, admitted.strict))?;
        let reader = WordReader::new(&analysis, settings.fields.has_sections());
        let of_documents = AnchorReader { reader: &reader, lengths };
        let (mut places, mut all) = (Vec::new(), Vec::new());
        let first =
            FirstReading::read(
                documents,
                &of_documents,
                admitted,
                limits,
                progress,
                |place, found: Vec<Anchor>| {
                    let document = places.len() as u32;
                    places.push(place);
                    all.extend(found.into_iter().map(|anchor| Anchor {
                        place: Place { document, ..anchor.place },
                        ..anchor
                    }));
                    Ok(())
                },
            )?;
        let (classes, questions) = Classes::new(all);
        let answers =
            answers(documents, &first, &places, &questions, &of_documents, limits, progress)?;
        let runs = runs::runs(classes.pieces(&answers, passages.copies));
        drop(classes);
        let cuts = passages.cut.rule();
        let cuts = cuts.map_or_else(Vec::new, |rule| kept::cuts(&runs, lengths, rule));
        Ok(Found { first, places, lengths, runs, cuts, reader })
    }
}

/// Hashes the windows that are asked for, in a reading of the documents that have some.
fn answers(
    documents: Documents<'_>,
    first: &FirstReading,
    places: &[(u32, u32)],
    questions: &Questions,
    reader: &AnchorReader<'_>,
    limits: PipelineLimits,
    progress: &dyn Progress,
) -> Result<Answers, LookalikeError> {
    let asked: Vec<(u32, usize)> = questions.documents(reader.lengths).collect();
    let wanted: Vec<(u32, u32)> =
        asked.iter().map(|&(document, _)| places[document as usize]).collect();
    let mut hashes: Vec<u64> = Vec::new();
    if !wanted.is_empty() {
        let second = SecondReading { documents, first, wanted: &wanted, limits };
        let visitor = |_: &[(u32, u32)]| Hashing {
            reader,
            questions,
            places,
            asked: &asked,
            scratch: WordScratch::default(),
            units: Vec::new(),
            hashes: Vec::new(),
        };
        let each = &mut |found: Vec<u64>| {
            hashes.extend(found);
            Ok(())
        };
        second.run("comparing", None, &visitor, each, progress)?;
    }
    Ok(Answers::new(questions, hashes))
}

/// Finds the anchors of documents.
struct AnchorReader<'a> {
    reader: &'a WordReader,
    lengths: Lengths,
}

impl DocumentReader for AnchorReader<'_> {
    type Scratch = (WordScratch, AnchorScratch);
    type Found = Vec<Anchor>;

    fn read(
        &self,
        _: &RecordView<'_>,
        text: &str,
        (words, scratch): &mut Self::Scratch,
    ) -> (usize, Option<Vec<Anchor>>) {
        self.reader.read(text, words);
        let (mut found, mut start) = (Vec::new(), 0);
        // No window has words of two sections.
        for section in words.sections() {
            anchors(0, section, self.lengths, scratch, |anchor| {
                found.push(Anchor { place: anchor.place.plus(start), ..anchor });
            });
            start += section.len() as u32;
        }
        (words.count(), (!found.is_empty()).then_some(found))
    }

    fn free_large((words, _): &mut Self::Scratch) {
        words.free_large();
    }
}

/// Hashes the windows of the documents of a chunk that are asked for.
struct Hashing<'a> {
    reader: &'a AnchorReader<'a>,
    questions: &'a Questions,
    places: &'a [(u32, u32)],
    /// Documents and the fewest words that each has.
    asked: &'a [(u32, usize)],
    scratch: WordScratch,
    units: Vec<u64>,
    hashes: Vec<u64>,
}

impl ChunkVisitor for Hashing<'_> {
    type Found = Vec<u64>;

    fn visit(&mut self, record: &RecordView<'_>, text: &str) -> bool {
        let document = document_at(self.places, (record.file, record.record));
        let asked = self.asked.binary_search_by_key(&document, |&(document, _)| document);
        let words = asked.map_or(0, |number| self.asked[number].1);
        let AnchorReader { reader, lengths } = *self.reader;
        reader.read(text, &mut self.scratch);
        self.units.clear();
        self.scratch.sections().for_each(|section| self.units.extend_from_slice(section));
        if self.units.len() < words {
            return false;
        }
        self.questions.answer(document, &self.units, lengths, &mut self.hashes);
        true
    }

    fn finish(self, _: &[(u32, u32)]) -> Visited<Vec<u64>> {
        Visited { found: vec![self.hashes], removed: Vec::new(), uncut: 0 }
    }
}

impl Fates for Hashing<'_> {
    fn fate(&self, _: u32, _: u32) -> Fate {
        Fate::Kept
    }

    fn mark(&self, _: u32, _: u32) -> Vec<MarkValue<'_>> {
        Vec::new()
    }
}
