//! The first two readings: which passages stand twice, and what of them is cut.

use super::numbers::Numbers;
use super::settings::PassageSettings;
use crate::reading::Documents;
use crate::readings::first::{Admitted, DocumentReader, FirstReading};
use crate::readings::second::{ChunkVisitor, SecondReading, Visited};
use crate::words::{WordReader, WordScratch};
use crate::{LookalikeError, Settings};
use lookalike_engine::Progress;
use lookalike_engine::pipeline::PipelineLimits;
use lookalike_io::{Content, Fate, Fates, Inputs, RecordView};
use lookalike_passages::anchors::{AnchorScratch, anchors};
use lookalike_passages::classes::Classes;
use lookalike_passages::questions::{Answers, Questions};
use lookalike_passages::{Anchor, Cut, Lengths, Place, Run, kept, runs};

/// A search whose inputs are found.
pub(super) struct Search<'a> {
    pub(super) documents: Documents<'a>,
    /// Number of files that are not of another collection: the first ones.
    pub(super) own_files: u32,
    pub(super) settings: &'a Settings,
    pub(super) passages: &'a PassageSettings,
    pub(super) admitted: Admitted,
    pub(super) limits: PipelineLimits,
}

/// What a search found.
pub(super) struct Found {
    pub(super) first: FirstReading,
    /// Of the documents in a [`Place`].
    pub(super) numbers: Numbers,
    pub(super) lengths: Lengths,
    pub(super) runs: Vec<Run>,
    pub(super) cuts: Vec<Cut>,
    pub(super) reader: WordReader,
}

impl Found {
    /// The cuts of a document.
    pub(super) fn cuts_of(&self, document: u32) -> &[Cut] {
        let start = self.cuts.partition_point(|cut| cut.at.document < document);
        let length = self.cuts[start..].partition_point(|cut| cut.at.document == document);
        &self.cuts[start..start + length]
    }
}

impl Search<'_> {
    pub(super) fn find(&self, progress: &dyn Progress) -> Result<Found, LookalikeError> {
        let Self { documents, own_files, settings, passages, admitted, limits } = *self;
        let lengths = passages.check()?;
        let skip = admitted.skip_unreadable && !admitted.strict;
        let analysis = settings.analysis_of(documents.inputs, skip);
        let analysis =
            analysis.map_err(|failure| LookalikeError::unreadable(failure, admitted.strict))?;
        let reader = WordReader::new(&analysis, settings.fields.has_sections());
        let of_documents = AnchorReader { inputs: documents.inputs, reader: &reader, lengths };
        let (mut numbers, mut all) = (Numbers::default(), Vec::new());
        let each = |place: (u32, u32), (is_fixed, found): (bool, Vec<Anchor>)| {
            let document = numbers.add(place, place.0 < own_files, is_fixed);
            let at = |anchor: Anchor| Place { document, ..anchor.place };
            all.extend(found.into_iter().map(|anchor| Anchor { place: at(anchor), ..anchor }));
            Ok(())
        };
        let first = FirstReading::read(documents, &of_documents, admitted, limits, progress, each)?;
        for anchor in &mut all {
            anchor.place.document = numbers.at(anchor.place.document);
        }
        let (classes, questions) = Classes::new(all);
        let answers =
            answers(documents, &first, &numbers, &questions, &of_documents, limits, progress)?;
        let runs = runs::runs(classes.pieces(&answers, passages.copies));
        drop(classes);
        let cuts = passages.cut.rule();
        let cuts = cuts.map_or_else(Vec::new, |rule| {
            kept::cuts_beside(&runs, lengths, rule, |document| numbers.is_fixed(document))
        });
        Ok(Found { first, numbers, lengths, runs, cuts, reader })
    }
}

/// Hashes the windows that are asked for, in a reading of the documents that have some.
fn answers(
    documents: Documents<'_>,
    first: &FirstReading,
    numbers: &Numbers,
    questions: &Questions,
    reader: &AnchorReader<'_>,
    limits: PipelineLimits,
    progress: &dyn Progress,
) -> Result<Answers, LookalikeError> {
    let asked: Vec<(u32, usize)> = questions.documents(reader.lengths).collect();
    let wanted = numbers.places_of(asked.iter().map(|&(document, _)| document));
    // By document: they are not read in the order of their numbers.
    let mut found: Vec<(u32, Vec<u64>)> = Vec::new();
    if !wanted.is_empty() {
        let second = SecondReading { documents, first, wanted: &wanted, limits };
        let visitor = |_: &[(u32, u32)]| Hashing {
            reader,
            questions,
            numbers,
            asked: &asked,
            scratch: WordScratch::default(),
            units: Vec::new(),
            hashes: Vec::new(),
        };
        let each = &mut |of_document| {
            found.push(of_document);
            Ok(())
        };
        second.run("comparing", None, &visitor, each, progress)?;
    }
    found.sort_unstable_by_key(|&(document, _)| document);
    let hashes = found.into_iter().flat_map(|(_, hashes)| hashes).collect();
    Ok(Answers::new(questions, hashes))
}

/// Finds the anchors of documents.
struct AnchorReader<'a> {
    inputs: &'a Inputs,
    reader: &'a WordReader,
    lengths: Lengths,
}

impl DocumentReader for AnchorReader<'_> {
    type Scratch = (WordScratch, AnchorScratch);
    /// Whether the document cannot be cut, and its anchors.
    type Found = (bool, Vec<Anchor>);

    fn read(
        &self,
        record: &RecordView<'_>,
        text: &str,
        (words, scratch): &mut Self::Scratch,
    ) -> (usize, Option<Self::Found>) {
        self.reader.read(text, words);
        let (mut found, mut start) = (Vec::new(), 0);
        // No window has words of two sections.
        for section in words.sections() {
            anchors(0, section, self.lengths, scratch, |anchor| {
                found.push(Anchor { place: anchor.place.plus(start), ..anchor });
            });
            start += section.len() as u32;
        }
        (words.count(), (!found.is_empty()).then(|| (self.is_fixed(record), found)))
    }

    fn free_large((words, _): &mut Self::Scratch) {
        words.free_large();
    }
}

impl AnchorReader<'_> {
    /// Whether a document cannot be cut: its text is not the value of one field of a record.
    fn is_fixed(&self, record: &RecordView<'_>) -> bool {
        let has_fields = self.inputs.files[record.file as usize].format.has_fields();
        let is_text = matches!(record.content, Content::Text(_));
        !has_fields || !is_text || self.inputs.options.fields.has_sections()
    }
}

/// Hashes the windows of the documents of a chunk that are asked for.
struct Hashing<'a> {
    reader: &'a AnchorReader<'a>,
    questions: &'a Questions,
    numbers: &'a Numbers,
    /// Documents and the fewest words that each has.
    asked: &'a [(u32, usize)],
    scratch: WordScratch,
    units: Vec<u64>,
    hashes: Vec<(u32, Vec<u64>)>,
}

impl ChunkVisitor for Hashing<'_> {
    type Found = (u32, Vec<u64>);

    fn visit(&mut self, record: &RecordView<'_>, text: &str) -> bool {
        let document = self.numbers.of((record.file, record.record));
        let asked = self.asked.binary_search_by_key(&document, |&(document, _)| document);
        let words = asked.map_or(0, |number| self.asked[number].1);
        let AnchorReader { reader, lengths, .. } = *self.reader;
        reader.read(text, &mut self.scratch);
        self.units.clear();
        self.scratch.sections().for_each(|section| self.units.extend_from_slice(section));
        if self.units.len() < words {
            return false;
        }
        let mut hashes = Vec::new();
        self.questions.answer(document, &self.units, lengths, &mut hashes);
        self.hashes.push((document, hashes));
        true
    }

    fn finish(self, _: &[(u32, u32)]) -> Visited<(u32, Vec<u64>)> {
        Visited { found: self.hashes, removed: Vec::new(), uncut: 0 }
    }
}

impl Fates for Hashing<'_> {
    fn fate(&self, _: u32, _: u32) -> Fate {
        Fate::Kept
    }
}
