//! The first two readings: which passages stand twice, and what of them is cut.

use super::anchor_store::{AnchorStore, SpillLimits};
use super::documents::{Precedence, Salts, is_fixed};
use super::grouping::{Grouped, WindowHasher, grouped};
use super::numbers::{Numbers, ReadDocument, ReadDocuments};
use super::settings::PassageSettings;
use super::stretches::sides_of_run;
use super::units::{UnitReader, UnitScratch};
use crate::given_fields::missing_field;
use crate::keep_fields::lacking;
use crate::reading::Documents;
use crate::readings::first::{Admitted, DocumentReader, FirstReading};
use crate::readings::second::{ChunkVisitor, SecondReading, Visited};
use crate::{LookalikeError, Settings};
use lookalike_core::spans::union;
use lookalike_engine::pipeline::PipelineLimits;
use lookalike_engine::{Checkpoints, EngineError, Progress};
use lookalike_io::{Fate, Fates, Inputs, RecordView};
use lookalike_passages::anchors::AnchorScratch;
use lookalike_passages::classes::Repeated;
use lookalike_passages::questions::Questions;
use lookalike_passages::{
    Anchor, Cut, Lengths, Place, Record, Run, Scope, SectionUnits, kept, of_document,
};
use lookalike_report::KeepValues;
use lookalike_spill::Decoder;
use lookalike_text::AnalysisSettings;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// A search whose inputs are found.
pub(super) struct Search<'a> {
    pub(super) documents: Documents<'a>,
    /// Number of files that are not of another collection: the first ones.
    pub(super) own_files: u32,
    pub(super) settings: &'a Settings,
    /// Of the texts: what is decided where the settings leave it open.
    pub(super) analysis: &'a AnalysisSettings,
    pub(super) passages: &'a PassageSettings,
    pub(super) admitted: Admitted,
    pub(super) limits: PipelineLimits,
    pub(super) spill: SpillLimits,
    /// Files and numbers of the documents that were removed before, ascending: they are not looked at.
    pub(super) without: &'a [(u32, u32)],
    /// What an earlier run has done, and where this one notes what it does.
    pub(super) checkpoints: &'a Checkpoints,
}

/// The names of the checkpoints of a search: one of the documents and one of their anchors after the first
/// reading, and one of the runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct CheckpointNames {
    reading: &'static str,
    anchors: &'static str,
    runs: &'static str,
}

/// Of the passages.
const OF_PASSAGES: CheckpointNames =
    CheckpointNames { reading: "reading", anchors: "anchors", runs: "runs" };

/// Of the seeds of near passages.
pub(super) const OF_SEEDS: CheckpointNames =
    CheckpointNames { reading: "near-reading", anchors: "near-anchors", runs: "near-runs" };

/// What a search found.
pub(super) struct Found {
    pub(super) first: FirstReading,
    /// Of the documents in a [`Place`].
    pub(super) numbers: Numbers,
    pub(super) lengths: Lengths,
    pub(super) scope: Scope,
    pub(super) runs: Vec<Run>,
    pub(super) cuts: Vec<Cut>,
    pub(super) reader: UnitReader,
    /// The keep rules for which some documents have no value.
    pub(super) keep_values: Vec<KeepValues>,
    /// Bytes that were spilled.
    pub(super) spilled: u64,
}

impl Found {
    /// The runs of a document.
    pub(super) fn runs_of(&self, document: u32) -> &[Run] {
        of_document(&self.runs, document, |run| run.at.document)
    }

    /// The passages that stand at an earlier place as well, without those of another collection: what is
    /// listed.
    pub(super) fn later(&self) -> impl Iterator<Item = &Run> {
        let beside = self.numbers.beside();
        self.runs.iter().filter(move |run| run.is_later(self.scope) && run.at.document >= beside)
    }

    /// The units of a document that stand at an earlier place as well, as runs; none of one that cannot be
    /// cut.
    pub(super) fn later_units(&self, document: u32) -> Vec<Range<usize>> {
        if self.numbers.is_fixed(document) {
            return Vec::new();
        }
        let later = self.runs_of(document).iter().filter(|run| run.is_later(self.scope));
        union(later.map(|run| sides_of_run(run, self.lengths)[0].range()).collect())
    }

    /// The cuts of a document.
    pub(super) fn cuts_of(&self, document: u32) -> &[Cut] {
        of_document(&self.cuts, document, |cut| cut.at.document)
    }
}

impl Search<'_> {
    /// The passages, and what of them is cut. With `read`, the first reading is done.
    pub(super) fn find(
        &self,
        read: Option<ReadAnchors>,
        progress: &dyn Progress,
    ) -> Result<Found, LookalikeError> {
        let Self { passages, .. } = *self;
        let (lengths, scope) = (passages.check()?, passages.scope.scope());
        let repeated = Repeated::at_least(passages.copies, scope);
        let mut found = self.seek(lengths, repeated, OF_PASSAGES, read, progress)?;
        if let Some(rule) = passages.cut.rule() {
            let is_fixed = |document| found.numbers.is_fixed(document);
            found.cuts = kept::cuts_beside(&found.runs, lengths, rule, scope, is_fixed);
        }
        Ok(found)
    }

    /// The runs of windows that are repeated.
    pub(super) fn seek(
        &self,
        lengths: Lengths,
        repeated: Repeated,
        names: CheckpointNames,
        read: Option<ReadAnchors>,
        progress: &dyn Progress,
    ) -> Result<Found, LookalikeError> {
        let Self { documents, settings, analysis, passages, limits, checkpoints, .. } = *self;
        let inputs = documents.inputs;
        let of_documents = AnchorReader::new(inputs, settings, analysis, passages, lengths)?;
        let of_documents = AnchorReader { without: self.without, ..of_documents };
        let runs = checkpoints.read_step(names.runs, read_runs);
        let restored = read.or_else(|| self.restored(names, runs.is_some()));
        let is_restored = restored.is_some();
        let (first, DocumentAnchors { documents: read, anchors: all }) = match restored {
            Some(restored) => restored,
            None => self.read(&of_documents, progress)?,
        };
        if let Some(field) = settings.separate_by.as_ref().filter(|_| first.counts().documents > 0)
            && !(is_restored || of_documents.is_given.load(Ordering::Relaxed))
        {
            return Err(missing_field(field, settings)?);
        }
        let rules = &of_documents.keep.rules;
        let valueless = read.valueless(rules.len());
        let keep_values = lacking(inputs, rules, |rule| valueless[rule])?;
        // Inputs that could not be read are tried again.
        let is_whole = first.problems.first_unreadable().is_none();
        if is_whole && !is_restored {
            checkpoints.write_step(names.anchors, |out| all.write(out))?;
            checkpoints.write_step(names.reading, |out| {
                first.write(out)?;
                read.write(out)
            })?;
        }
        let numbers = read.by_precedence(rules);
        let hasher = SecondReader {
            documents,
            first: &first,
            numbers: &numbers,
            reader: &of_documents,
            limits,
            progress,
        };
        let Grouped { runs, spilled } = match runs {
            Some(runs) => Grouped { runs, spilled: 0 },
            None => {
                let found = grouped(all, &numbers, repeated, &self.spill, &hasher)?;
                if is_whole {
                    checkpoints.write_step(names.runs, |out| {
                        out.array(&found.runs.iter().flat_map(Run::to_record).collect::<Vec<u32>>())
                    })?;
                }
                found
            }
        };
        let (scope, cuts, reader) = (repeated.scope, Vec::new(), of_documents.reader);
        Ok(Found { first, numbers, lengths, scope, runs, cuts, reader, keep_values, spilled })
    }
}

/// What the first reading knows.
pub(super) type ReadAnchors = (FirstReading, DocumentAnchors);

/// Documents that have a window, and their anchors, each with the index of its document.
#[derive(Debug)]
pub(crate) struct DocumentAnchors {
    pub(super) documents: ReadDocuments,
    pub(super) anchors: AnchorStore,
}

impl DocumentAnchors {
    /// Adds the next document, at a place among the records.
    ///
    /// # Errors
    /// A spill file that cannot be written.
    pub(super) fn add(
        &mut self,
        place: (u32, u32),
        is_own: bool,
        (of, anchors): &FoundAnchors,
    ) -> Result<(), EngineError> {
        let document = self.documents.add(place, is_own, of);
        anchors.iter().try_for_each(|anchor| {
            self.anchors.add(&Anchor { place: Place { document, ..anchor.place }, ..*anchor })
        })
    }
}

impl Search<'_> {
    /// The first reading.
    fn read(
        &self,
        of_documents: &AnchorReader<'_>,
        progress: &dyn Progress,
    ) -> Result<ReadAnchors, LookalikeError> {
        let Self { documents, own_files, admitted, limits, .. } = *self;
        let (documents_read, anchors) = (ReadDocuments::default(), self.spill.anchors());
        let mut all = DocumentAnchors { documents: documents_read, anchors };
        let each = |place: (u32, u32), found| Ok(all.add(place, place.0 < own_files, &found)?);
        let first = FirstReading::read(documents, of_documents, admitted, limits, progress, each)?;
        Ok((first, all))
    }

    /// The first reading of an earlier run, without anchors if the runs are known.
    fn restored(&self, names: CheckpointNames, has_runs: bool) -> Option<ReadAnchors> {
        let (checkpoints, empty) = (self.checkpoints, self.spill.anchors());
        let anchors = match has_runs {
            true => empty,
            false => checkpoints.read_step(names.anchors, |from, _| empty.restore(from))?,
        };
        let (first, documents) = checkpoints.read_step(names.reading, |from, most| {
            Ok((FirstReading::restore(from, most)?, ReadDocuments::restore(from, most)?))
        })?;
        Some((first, DocumentAnchors { documents, anchors }))
    }
}

/// The runs of a checkpoint.
fn read_runs(from: &mut Decoder<&mut dyn Read>, most: u64) -> io::Result<Vec<Run>> {
    let records = from.array::<u32>(most)?;
    Ok(records.as_chunks().0.iter().copied().map(Run::of_record).collect())
}

/// Hashes windows in a reading of the documents that have some which are asked for.
struct SecondReader<'a> {
    documents: Documents<'a>,
    first: &'a FirstReading,
    numbers: &'a Numbers,
    reader: &'a AnchorReader<'a>,
    limits: PipelineLimits,
    progress: &'a dyn Progress,
}

impl WindowHasher for SecondReader<'_> {
    fn hash(
        &self,
        questions: &Questions,
        each: &mut dyn FnMut(u32, Vec<u64>) -> Result<(), LookalikeError>,
    ) -> Result<(), LookalikeError> {
        let Self { documents, first, numbers, reader, limits, progress } = *self;
        let asked: Vec<(u32, usize)> = questions.documents(reader.lengths).collect();
        let wanted = numbers.places_of(asked.iter().map(|&(document, _)| document));
        if wanted.is_empty() {
            return Ok(());
        }
        let second = SecondReading { documents, first, wanted: &wanted, limits };
        let visitor = |_: &[(u32, u32)]| Hashing {
            reader,
            questions,
            numbers,
            asked: &asked,
            scratch: UnitScratch::default(),
            hashes: Vec::new(),
        };
        let each = &mut |(document, hashes)| each(document, hashes);
        second.run("comparing", None, &visitor, each, progress)?;
        Ok(())
    }
}

/// What is found in a document.
pub(super) type FoundAnchors = (ReadDocument, Vec<Anchor>);

/// Finds the anchors of documents.
#[derive(Debug)]
pub(super) struct AnchorReader<'a> {
    inputs: &'a Inputs,
    without: &'a [(u32, u32)],
    writes_spans: bool,
    reader: UnitReader,
    lengths: Lengths,
    keep: Precedence,
    salts: Salts,
    /// Whether a document has a value of the field that separates them.
    is_given: AtomicBool,
}

impl<'a> AnchorReader<'a> {
    /// A reader of all documents of these inputs.
    ///
    /// # Errors
    /// Settings that make no sense.
    pub(super) fn new(
        inputs: &'a Inputs,
        settings: &Settings,
        analysis: &AnalysisSettings,
        passages: &PassageSettings,
        lengths: Lengths,
    ) -> Result<Self, LookalikeError> {
        Ok(Self {
            inputs,
            without: &[],
            writes_spans: passages.writes_spans(),
            reader: UnitReader::new(&passages.unit, analysis, settings.fields.has_sections()),
            lengths,
            keep: Precedence::new(settings)?,
            salts: Salts::new(settings, passages.scope)?,
            is_given: AtomicBool::new(false),
        })
    }

    /// The salt of the units of a document.
    pub(super) fn salt(&self, record: &RecordView<'_>) -> Option<u64> {
        self.salts.of(record, u64::from(record.file) << 32 | u64::from(record.record))
    }

    /// Whether a document cannot be cut.
    pub(super) fn is_fixed(&self, record: &RecordView<'_>) -> bool {
        is_fixed(record, self.inputs, self.writes_spans)
    }

    /// The anchors of a document with these units and a text of so many bytes, if it has any.
    pub(super) fn found(
        &self,
        record: &RecordView<'_>,
        is_fixed: bool,
        units: &SectionUnits,
        text_bytes: u64,
        scratch: &mut AnchorScratch,
    ) -> Option<FoundAnchors> {
        let mut found = Vec::new();
        units.anchors(0, self.lengths, scratch, |anchor| found.push(anchor));
        let document = || ReadDocument { is_fixed, values: self.keep.values(record, text_bytes) };
        (!found.is_empty()).then(|| (document(), found))
    }
}

impl DocumentReader for AnchorReader<'_> {
    type Scratch = (UnitScratch, AnchorScratch);
    type Found = FoundAnchors;

    fn skips(&self, place: (u32, u32)) -> bool {
        self.without.binary_search(&place).is_ok()
    }

    fn read(
        &self,
        record: &RecordView<'_>,
        text: &str,
        (units, scratch): &mut Self::Scratch,
    ) -> (usize, Option<Self::Found>) {
        if self.salts.separated.is_some_and(|field| record.given.of(field).next().is_some()) {
            self.is_given.store(true, Ordering::Relaxed);
        }
        let count = self.reader.read(text, self.salt(record), units);
        let (is_fixed, bytes) = (self.is_fixed(record), text.len() as u64);
        (count, self.found(record, is_fixed, units.units(), bytes, scratch))
    }

    fn free_large((units, _): &mut Self::Scratch) {
        units.free_large();
    }
}

/// Hashes the windows of the documents of a chunk that are asked for.
struct Hashing<'a> {
    reader: &'a AnchorReader<'a>,
    questions: &'a Questions,
    numbers: &'a Numbers,
    /// Documents and the fewest units that each has.
    asked: &'a [(u32, usize)],
    scratch: UnitScratch,
    hashes: Vec<(u32, Vec<u64>)>,
}

impl ChunkVisitor for Hashing<'_> {
    type Found = (u32, Vec<u64>);

    fn visit(&mut self, record: &RecordView<'_>, text: &str) -> bool {
        let document = self.numbers.of((record.file, record.record));
        let asked = self.asked.binary_search_by_key(&document, |&(document, _)| document);
        let least = asked.map_or(0, |number| self.asked[number].1);
        let AnchorReader { reader, lengths, .. } = self.reader;
        if reader.read(text, self.reader.salt(record), &mut self.scratch) < least {
            return false;
        }
        let mut hashes = Vec::new();
        self.questions.answer(document, self.scratch.units().all(), *lengths, &mut hashes);
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
