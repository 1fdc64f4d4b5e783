//! Second reading of documents: visits some of them, and writes each record where it belongs. Without
//! outputs, only the chunks of those documents are read.

use super::first::{FirstReading, ReadChunk};
use crate::LookalikeError;
use crate::reading::{DocumentChunks, Documents, Reading};
use lookalike_engine::Progress;
use lookalike_engine::files::{FilePart, piece_bytes};
use lookalike_engine::pipeline::{self, Items as PipelineItems, Part, PipelineLimits};
use lookalike_engine::poll::Poll;
use lookalike_engine::signer::plain_text;
use lookalike_io::sink::{DocumentsWriter, Role, RouteOptions, Routed, Staging, WrittenFiles};
use lookalike_io::source::{Chunk, ChunkPosition, Piece, VisitScratch};
use lookalike_io::{Fates, Item, RecordView};
use std::ops::Range;

/// Where the records go.
#[derive(Clone, Copy)]
pub(crate) struct Routing<'a> {
    pub(crate) staging: &'a Staging,
    pub(crate) options: &'a RouteOptions,
}

/// Visits the wanted documents of a chunk, and says what becomes of its records.
pub(crate) trait ChunkVisitor: Fates {
    /// What is found in a document.
    type Found: Send;

    /// Begins the chunk.
    ///
    /// # Errors
    /// What is to be read beside its wanted documents cannot be read.
    fn begin(&mut self, _chunk: &Chunk) -> Result<(), LookalikeError> {
        Ok(())
    }

    /// Visits a wanted document, in order; `false` if it is not what it was when it was read first.
    fn visit(&mut self, record: &RecordView<'_>, text: &str) -> bool;

    /// What was found. The texts of the records `refused` could not be replaced.
    fn finish(self, refused: &[(u32, u32)]) -> Visited<Self::Found>;
}

/// What was found in the documents of a chunk.
pub(crate) struct Visited<F> {
    pub(crate) found: Vec<F>,
    /// Files and numbers of the removed documents, ascending.
    pub(crate) removed: Vec<(u32, u32)>,
    /// How many documents could not be cut.
    pub(crate) uncut: u64,
}

/// What was written.
#[derive(Debug, Default)]
pub(crate) struct Written {
    pub(crate) files: Option<WrittenFiles>,
    /// Files and numbers of the removed documents, ascending.
    pub(crate) removed: Vec<(u32, u32)>,
    /// How many documents could not be cut.
    pub(crate) uncut: u64,
}

/// What the second reading needs of the first.
#[derive(Clone, Copy)]
pub(crate) struct SecondReading<'a> {
    pub(crate) documents: Documents<'a>,
    pub(crate) first: &'a FirstReading,
    /// Files and numbers of the documents that are visited, ascending and distinct.
    pub(crate) wanted: &'a [(u32, u32)],
    pub(crate) limits: PipelineLimits,
}

/// What was read of one piece.
struct PieceResult<F> {
    chunk: Option<ReadChunk>,
    consumed: u64,
    routed: Routed,
    visited: Visited<F>,
}

type ChunksPart<'a> = Box<dyn Part<Item = Piece> + 'a>;

impl<'a> SecondReading<'a> {
    /// Reads the documents again; gives what `visitor` finds in those that are wanted to `each`, in order,
    /// and with a `routing` writes all records. The visitor of a chunk is made of its wanted documents.
    ///
    /// # Errors
    /// Documents that have changed; outputs that cannot be written; those of `each`.
    pub(crate) fn run<V: ChunkVisitor>(
        &self,
        phase: &'static str,
        routing: Option<Routing<'_>>,
        visitor: &(impl Fn(&'a [(u32, u32)]) -> V + Sync),
        each: &mut dyn FnMut(V::Found) -> Result<(), LookalikeError>,
        progress: &dyn Progress,
    ) -> Result<Written, LookalikeError> {
        let inputs = self.documents.inputs;
        let size = |place: &ReadChunk| inputs.files[place.place.file as usize].size;
        match (self.documents.reading, routing) {
            (Reading::Files, None) => {
                let expected = self.wanted_chunks();
                let mut files: Vec<&ReadChunk> = expected.iter().collect();
                files.dedup_by_key(|chunk| chunk.place.file);
                progress.phase(phase, Some(files.into_iter().map(size).sum()));
                let places: Vec<_> = expected.iter().map(|chunk| chunk.place).collect();
                let chunks: DocumentChunks<'_> = Box::new(inputs.chunks_at(places));
                let part: ChunksPart<'_> = Box::new(PipelineItems(chunks));
                self.read(std::iter::once(part), &expected, None, visitor, each, progress)
            }
            (Reading::Files, Some(_)) => {
                // Files of another collection are visited, and not written.
                inputs.verify_unchanged()?;
                progress.phase(phase, Some(inputs.files.iter().map(|file| file.size).sum()));
                let files = inputs.chunks().into_files();
                let parts = files.map(|file| Box::new(FilePart(file)) as ChunksPart<'_>);
                let written =
                    self.read(parts, &self.first.chunks, routing, visitor, each, progress)?;
                inputs.verify_unchanged()?;
                Ok(written)
            }
            (Reading::Caller(_), _) => {
                progress.phase(phase, None);
                self.documents.with_chunks(|chunks| {
                    let part: ChunksPart<'_> = Box::new(PipelineItems(chunks));
                    let parts = std::iter::once(part);
                    self.read(parts, &self.first.chunks, None, visitor, each, progress)
                })
            }
        }
    }

    /// The chunks of documents that are wanted.
    fn wanted_chunks(&self) -> Vec<ReadChunk> {
        let chunks = &self.first.chunks;
        let number = |place: &(u32, u32)| {
            let begins = |chunk: &ReadChunk| start(&chunk.place) <= *place;
            chunks.partition_point(begins).saturating_sub(1)
        };
        let mut numbers: Vec<usize> = self.wanted.iter().map(number).collect();
        numbers.dedup();
        numbers.into_iter().map(|number| chunks[number]).collect()
    }

    fn read<'p, V: ChunkVisitor>(
        &self,
        parts: impl Iterator<Item = ChunksPart<'p>> + Send,
        expected: &[ReadChunk],
        routing: Option<Routing<'_>>,
        visitor: &(impl Fn(&'a [(u32, u32)]) -> V + Sync),
        each: &mut dyn FnMut(V::Found) -> Result<(), LookalikeError>,
        progress: &dyn Progress,
    ) -> Result<Written, LookalikeError> {
        let inputs = self.documents.inputs;
        let written = |chunk: &ReadChunk| chunk.place.file < self.written_files(routing);
        let mut writer = routing.map(|Routing { staging, options }| {
            DocumentsWriter::new(inputs, staging, options)
                .with_threads(self.limits.threads)
                .with_unreadable(self.first.problems.unreadable())
        });
        let mut left = expected.iter();
        let (mut removed, mut uncut) = (Vec::new(), 0);
        pipeline::try_ordered_parts(
            self.limits,
            parts,
            |piece| piece_bytes(piece, inputs),
            VisitScratch::default,
            |scratch, piece| self.read_piece(piece, routing, visitor, scratch),
            |read: PieceResult<V::Found>| {
                if let Some(chunk) = &read.chunk
                    && left.next() != Some(chunk)
                {
                    return Err(self.documents.changed());
                }
                read.visited.found.into_iter().try_for_each(&mut *each)?;
                removed.extend(read.visited.removed);
                uncut += read.visited.uncut;
                if let Some(writer) = &mut writer
                    && read.chunk.as_ref().is_some_and(written)
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

    fn read_piece<V: ChunkVisitor>(
        &self,
        piece: Piece,
        routing: Option<Routing<'_>>,
        visitor: &impl Fn(&'a [(u32, u32)]) -> V,
        scratch: &mut VisitScratch,
    ) -> Result<PieceResult<V::Found>, LookalikeError> {
        let inputs = self.documents.inputs;
        let mut routed = Routed::default();
        let Some(chunk) = piece.into_parts().0 else {
            let visited = Visited { found: Vec::new(), removed: Vec::new(), uncut: 0 };
            return Ok(PieceResult { chunk: None, consumed: 0, routed, visited });
        };
        let number = self.number(&chunk).ok_or_else(|| self.documents.changed())?;
        let wanted = self.wanted_in(self.places(number));
        let mut visitor = visitor(wanted);
        visitor.begin(&chunk)?;
        let mut unchanged = 0;
        if !wanted.is_empty() {
            let is_wanted = |file, record| wanted.binary_search(&(file, record)).is_ok();
            chunk.visit_some(inputs, scratch, &is_wanted, &mut |item| {
                if let Item::Record(record) = item
                    && is_wanted(record.file, record.record)
                {
                    unchanged += usize::from(visitor.visit(&record, &plain_text(&record.content)));
                }
            });
        }
        if unchanged != wanted.len() {
            return Err(self.documents.changed());
        }
        let documents = match routing {
            // What is not written is checked by its place, and by the visitor.
            None => self.first.chunks[number].documents,
            Some(_) if chunk.file >= self.written_files(routing) => {
                self.first.chunks[number].documents
            }
            Some(Routing { options, .. }) => {
                chunk.route(inputs, &visitor, options, &mut routed)?;
                let usable = [Role::Kept, Role::Removed, Role::Marked];
                let usable: u64 = usable.into_iter().map(|role| routed.records(role)).sum();
                match self.ends_behind(number, self.written_files(routing)) {
                    // Of one-document files, some of which are not written.
                    true => self.first.chunks[number].documents,
                    false => u32::try_from(usable).unwrap_or(u32::MAX),
                }
            }
        };
        let visited = visitor.finish(routed.refused());
        let read = Some(ReadChunk { place: chunk.place(), documents });
        Ok(PieceResult { chunk: read, consumed: chunk.consumed, routed, visited })
    }

    /// The number of a chunk in the first reading.
    fn number(&self, chunk: &Chunk) -> Option<usize> {
        let place = chunk.place();
        self.first.chunks.binary_search_by_key(&start(&place), |chunk| start(&chunk.place)).ok()
    }

    /// The places of the records of a chunk, up to the next one.
    fn places(&self, number: usize) -> Range<(u32, u32)> {
        let start_of = |chunk: &ReadChunk| start(&chunk.place);
        let chunks = &self.first.chunks;
        let end = chunks.get(number + 1).map_or((u32::MAX, u32::MAX), start_of);
        start_of(&chunks[number])..end
    }

    /// Number of files whose records are written: the first ones.
    fn written_files(&self, routing: Option<Routing<'_>>) -> u32 {
        let all = self.documents.inputs.files.len() as u32;
        routing.and_then(|routing| routing.options.files).map_or(all, |files| files.min(all))
    }

    /// Whether a chunk has records of this file or of later ones.
    fn ends_behind(&self, number: usize, file: u32) -> bool {
        let next = self.first.chunks.get(number + 1).map(|next| next.place.file);
        next.map_or(file < self.documents.inputs.files.len() as u32, |next| next > file)
    }

    /// The wanted documents in a range of places.
    fn wanted_in(&self, places: Range<(u32, u32)>) -> &'a [(u32, u32)] {
        let before = |place| self.wanted.partition_point(move |one| *one < place);
        &self.wanted[before(places.start)..before(places.end)]
    }
}

/// The file and the number of the first record of a chunk.
fn start(place: &ChunkPosition) -> (u32, u32) {
    (place.file, place.record)
}
