//! Second reading of the training documents: finds the places of what they contain, and writes each
//! record where it belongs. Without outputs, only the chunks of those documents are read.

use super::fates::{ChunkFates, ContaminatedDocument};
use super::items::Items;
use super::locating::{LocatedPart, locate};
use super::matching::{Decisions, Match, matches_of};
use super::scan::{ReadChunk, Scan};
use super::settings::ContaminationAction;
use super::words::WordReader;
use crate::LookalikeError;
use crate::lookup::name_of;
use crate::reading::{DocumentChunks, Documents, Reading};
use lookalike_decide::DocumentName;
use lookalike_engine::Progress;
use lookalike_engine::files::{FilePart, piece_bytes};
use lookalike_engine::pipeline::{self, Items as PipelineItems, Part, PipelineLimits};
use lookalike_engine::poll::Poll;
use lookalike_engine::signer::plain_text;
use lookalike_io::Item;
use lookalike_io::sink::{DocumentsWriter, Role, RouteOptions, Routed, Staging, WrittenFiles};
use lookalike_io::source::{Chunk, ChunkPosition, Piece, VisitScratch};
use std::ops::Range;

/// A document that contains parts of items.
pub(super) struct LocatedDocument {
    pub(super) name: DocumentName<'static>,
    pub(super) parts: Vec<LocatedPart>,
    /// What is written about it, of a reading that [cuts](SecondReading::cuts).
    pub(super) written: Option<ContaminatedDocument>,
}

/// Where the records of the second reading go.
#[derive(Clone, Copy)]
pub(super) struct Routing<'a> {
    pub(super) staging: &'a Staging,
    pub(super) options: &'a RouteOptions,
    pub(super) action: ContaminationAction,
}

/// What was written.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) files: Option<WrittenFiles>,
    /// Files and numbers of the removed documents, ascending.
    pub(super) removed: Vec<(u32, u32)>,
    /// How many of them have other words than items, and could not be cut.
    pub(super) uncut: u64,
}

/// What the second reading needs of the first.
#[derive(Clone, Copy)]
pub(super) struct SecondReading<'a> {
    pub(super) documents: Documents<'a>,
    pub(super) items: &'a Items,
    pub(super) scan: &'a Scan,
    pub(super) decisions: &'a Decisions,
    pub(super) reader: &'a WordReader,
    pub(super) limits: PipelineLimits,
    /// Whether documents are cut where they are not written.
    pub(super) cuts: bool,
}

/// What was read of one piece.
#[derive(Default)]
struct PieceResult {
    chunk: Option<ReadChunk>,
    consumed: u64,
    routed: Routed,
    located: Vec<LocatedDocument>,
    removed: Vec<(u32, u32)>,
    uncut: u64,
}

type ChunksPart<'a> = Box<dyn Part<Item = Piece> + 'a>;

impl SecondReading<'_> {
    /// Reads the documents again; gives those that contain parts to `each`, in order, and with a
    /// `routing` writes all records.
    ///
    /// # Errors
    /// Documents that have changed; outputs that cannot be written; those of `each`.
    pub(super) fn run(
        &self,
        routing: Option<Routing<'_>>,
        each: &mut dyn FnMut(LocatedDocument) -> Result<(), LookalikeError>,
        progress: &dyn Progress,
    ) -> Result<Written, LookalikeError> {
        let inputs = self.documents.inputs;
        let size = |place: &ReadChunk| inputs.files[place.place.file as usize].size;
        match (self.documents.reading, routing) {
            (Reading::Files, None) => {
                let expected = self.chunks_with_matches();
                let mut files: Vec<&ReadChunk> = expected.iter().collect();
                files.dedup_by_key(|chunk| chunk.place.file);
                progress.phase("locating", Some(files.into_iter().map(size).sum()));
                let places: Vec<_> = expected.iter().map(|chunk| chunk.place).collect();
                let chunks: DocumentChunks<'_> = Box::new(inputs.chunks_at(places));
                let part: ChunksPart<'_> = Box::new(PipelineItems(chunks));
                self.read(std::iter::once(part), &expected, None, each, progress)
            }
            (Reading::Files, Some(_)) => {
                inputs.verify_unchanged()?;
                progress.phase("writing", Some(inputs.files.iter().map(|file| file.size).sum()));
                let files = inputs.chunks().into_files();
                let parts = files.map(|file| Box::new(FilePart(file)) as ChunksPart<'_>);
                let written = self.read(parts, &self.scan.chunks, routing, each, progress)?;
                inputs.verify_unchanged()?;
                Ok(written)
            }
            (Reading::Caller(_), _) => {
                progress.phase("locating", None);
                self.documents.with_chunks(|chunks| {
                    let part: ChunksPart<'_> = Box::new(PipelineItems(chunks));
                    self.read(std::iter::once(part), &self.scan.chunks, None, each, progress)
                })
            }
        }
    }

    /// The chunks of documents that contain parts.
    fn chunks_with_matches(&self) -> Vec<ReadChunk> {
        let mut numbers: Vec<usize> = self
            .decisions
            .matches
            .iter()
            .map(|one| {
                let begins = |chunk: &ReadChunk| start(&chunk.place) <= one.place;
                self.scan.chunks.partition_point(begins).saturating_sub(1)
            })
            .collect();
        numbers.dedup();
        numbers.into_iter().map(|number| self.scan.chunks[number]).collect()
    }

    fn read<'p>(
        &self,
        parts: impl Iterator<Item = ChunksPart<'p>> + Send,
        expected: &[ReadChunk],
        routing: Option<Routing<'_>>,
        each: &mut dyn FnMut(LocatedDocument) -> Result<(), LookalikeError>,
        progress: &dyn Progress,
    ) -> Result<Written, LookalikeError> {
        let inputs = self.documents.inputs;
        let mut writer = routing.map(|Routing { staging, options, .. }| {
            DocumentsWriter::new(inputs, staging, options)
                .with_threads(self.limits.threads)
                .with_unreadable(self.scan.problems.unreadable())
        });
        let mut left = expected.iter();
        let (mut removed, mut uncut) = (Vec::new(), 0);
        pipeline::try_ordered_parts(
            self.limits,
            parts,
            |piece| piece_bytes(piece, inputs),
            VisitScratch::default,
            |scratch, piece| self.read_piece(piece, routing, scratch),
            |read| {
                if let Some(chunk) = &read.chunk
                    && left.next() != Some(chunk)
                {
                    return Err(self.documents.changed());
                }
                read.located.into_iter().try_for_each(&mut *each)?;
                removed.extend(read.removed);
                uncut += read.uncut;
                if let Some(writer) = &mut writer
                    && read.chunk.is_some()
                {
                    writer.write(&read.routed)?;
                }
                progress.advance(read.consumed, 0);
                Ok(Poll::new(progress).now()?)
            },
        )?;
        match left.next() {
            Some(_) => Err(self.documents.changed()),
            None => {
                let files = writer.map(DocumentsWriter::finish).transpose()?;
                Ok(Written { files, removed, uncut })
            }
        }
    }

    fn read_piece(
        &self,
        piece: Piece,
        routing: Option<Routing<'_>>,
        scratch: &mut VisitScratch,
    ) -> Result<PieceResult, LookalikeError> {
        let inputs = self.documents.inputs;
        let Some(chunk) = piece.into_parts().0 else { return Ok(PieceResult::default()) };
        let number = self.number(&chunk).ok_or_else(|| self.documents.changed())?;
        let of_chunk = self.matches_in(self.places(number));
        let action = match routing {
            Some(routing) => routing.action,
            None if self.cuts => ContaminationAction::Cut,
            None => ContaminationAction::List,
        };
        let mut fates = ChunkFates::new(action, of_chunk, self.scan, self.items, self.decisions);
        let mut located = Vec::new();
        if !of_chunk.is_empty() {
            let wanted = |file, record| !matches_of(of_chunk, (file, record)).is_empty();
            chunk.visit_some(inputs, scratch, &wanted, &mut |item| {
                let Item::Record(record) = item else { return };
                let matches = matches_of(of_chunk, (record.file, record.record));
                if matches.is_empty() {
                    return;
                }
                let text = plain_text(&record.content);
                let found = locate(&text, matches, self.items, self.decisions, self.reader);
                if let Some(found) = &found {
                    fates.see(&record, &text, found);
                }
                let name = name_of(&record, inputs);
                let written = self.cuts.then(|| fates.contaminated(&name, record.file)).flatten();
                located.push(found.map(|found| {
                    let parts = found.parts;
                    LocatedDocument { name, parts, written }
                }));
            });
        }
        let expected = of_chunk.chunk_by(|a, b| a.place == b.place).count();
        let located: Option<Vec<LocatedDocument>> = located.into_iter().collect();
        let located = located.filter(|located| located.len() == expected);
        let located = located.ok_or_else(|| self.documents.changed())?;
        let mut routed = Routed::default();
        let place = chunk.place();
        let documents = match routing {
            // What is not written is checked by its place, and by its n-grams.
            None => self.scan.chunks[number].documents,
            Some(Routing { options, .. }) => {
                chunk.route(inputs, &fates, options, &mut routed)?;
                let usable = [Role::Kept, Role::Removed, Role::Marked];
                let usable: u64 = usable.into_iter().map(|role| routed.records(role)).sum();
                u32::try_from(usable).unwrap_or(u32::MAX)
            }
        };
        let uncut = fates.uncut() + routed.refused().len() as u64;
        let mut removed = fates.removed();
        removed.extend(routed.refused());
        removed.sort_unstable();
        removed.dedup();
        let read = Some(ReadChunk { place, documents });
        Ok(PieceResult { chunk: read, consumed: chunk.consumed, routed, located, removed, uncut })
    }

    /// The number of a chunk in the first reading.
    fn number(&self, chunk: &Chunk) -> Option<usize> {
        let place = chunk.place();
        self.scan.chunks.binary_search_by_key(&start(&place), |chunk| start(&chunk.place)).ok()
    }

    /// The places of the records of a chunk, up to the next one.
    fn places(&self, number: usize) -> Range<(u32, u32)> {
        let start_of = |chunk: &ReadChunk| start(&chunk.place);
        let end = self.scan.chunks.get(number + 1).map_or((u32::MAX, u32::MAX), start_of);
        start_of(&self.scan.chunks[number])..end
    }

    /// The matches of documents in a range of places.
    fn matches_in(&self, places: Range<(u32, u32)>) -> &[Match] {
        let matches = &self.decisions.matches;
        let before = |place| matches.partition_point(move |one| one.place < place);
        &matches[before(places.start)..before(places.end)]
    }
}

/// The file and the number of the first record of a chunk.
fn start(place: &ChunkPosition) -> (u32, u32) {
    (place.file, place.record)
}
