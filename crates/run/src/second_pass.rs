//! Second reading of the inputs: routes every record to its output and collects the documents that
//! the report shows.
//!
//! The chunks are those of the first pass, so the writers copy records byte for byte, and the texts
//! for the report are collected at the same time; if nothing is written, only the chunks of those
//! texts are read. Chunks are checked against the first pass by their positions and by the number
//! of their records: a decision about one text must not be applied to another.

mod chunk_numbers;
mod picker;
mod recount;
mod shown;
#[cfg(test)]
mod tests;

pub(crate) use picker::ChunkPicker;
pub(crate) use shown::{Shown, ShownDocuments, Wanted, read_again};

use crate::LookalikeError;
use crate::analysis::Analysis;
use crate::decisions::Decisions;
use chunk_numbers::ChunkNumbers;
use lookalike_engine::files::{FilePart, piece_bytes};
use lookalike_engine::pipeline::{Items, Part, PipelineLimits};
use lookalike_engine::poll::Poll;
use lookalike_engine::{ChunkId, DocumentId, Progress, pipeline};
use lookalike_io::sink::{DocumentsWriter, RouteOptions, Routed, Staging, WrittenFiles};
use lookalike_io::source::{ChunkPosition, Piece};
use lookalike_io::{Inputs, Problem};
use recount::{Recount, changed, unreadable_again};
use shown::{PickScratch, pick};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Result of the second pass.
#[derive(Debug, Default)]
pub(crate) struct SecondPass {
    /// The wanted documents.
    pub(crate) shown: ShownDocuments,
    /// The written files, if records were routed.
    pub(crate) written: Option<WrittenFiles>,
}

/// Reads the inputs again: collects the wanted documents, and with `routing` writes every record
/// where the decisions say.
pub(crate) fn second_pass(
    analysis: &Analysis,
    wanted: &Wanted,
    routing: Option<(&Staging, &RouteOptions, &Decisions<'_>)>,
    progress: &dyn Progress,
) -> Result<SecondPass, LookalikeError> {
    let Analysis { inputs, collection, .. } = analysis;
    inputs.verify_unchanged()?;
    let own_files = collection.first_protected_file.min(inputs.files.len() as u32);
    // The chunks of wanted documents, if only those are read.
    let some = routing.is_none().then(|| wanted_chunks(analysis, wanted));
    let parts: Box<dyn Iterator<Item = ChunksPart<'_>> + Send> = match &some {
        None => Box::new(parts_of_files(analysis, wanted, own_files, progress)),
        Some(chunks) => Box::new(std::iter::once(some_chunks(analysis, chunks, progress))),
    };

    let mut recount = Recount::new(analysis, own_files);
    let mut writer = routing.map(|(staging, options, _)| {
        DocumentsWriter::new(inputs, staging, options)
            .with_threads(analysis.threads)
            .with_unreadable(collection.problems.unreadable())
    });
    let mut found: Vec<(DocumentId, Shown)> = Vec::with_capacity(wanted.documents.len());
    let reader = ChunkReader {
        analysis,
        wanted,
        own_files,
        routing: routing.map(|(_, options, decisions)| (options, decisions)),
        numbers: ChunkNumbers::new(collection),
        written: Mutex::default(),
    };
    let mut position = 0;
    pipeline::try_ordered_parts(
        PipelineLimits { threads: analysis.threads, in_flight: analysis.memory.in_flight() },
        parts,
        |piece| piece_bytes(piece, inputs),
        PickScratch::default,
        |scratch, piece| reader.read(piece, scratch),
        |(index, read, problem, shown)| {
            // Chunks are those of the first pass, in its order.
            let expected = match &some {
                None => ChunkId(position as u32),
                Some(chunks) => chunks.get(position).copied().unwrap_or(ChunkId(u32::MAX)),
            };
            position += 1;
            if let (Some(index), Read::Routed(file, ..) | Read::Seen(file, _)) = (index, &read)
                && index != expected
            {
                return Err(differs(inputs, *file, problem));
            }
            found.extend(shown);
            let consumed = match (read, &mut writer) {
                (Read::Nothing, _) => 0,
                (Read::Routed(file, consumed, known, routed), Some(writer)) => {
                    if !recount.routed(file, known, &routed) {
                        return Err(differs(inputs, file, problem));
                    }
                    writer.write(&routed)?;
                    reader.reuse(*routed);
                    consumed
                }
                (Read::Seen(_, consumed) | Read::Routed(_, consumed, _, _), _) => consumed,
            };
            if let Some(problem) = problem {
                recount.problem(index.is_none().then_some(expected), problem)?;
            }
            progress.advance(consumed, 0);
            Ok(Poll::new(progress).now()?)
        },
    )?;
    inputs.verify_unchanged()?;
    if routing.is_some() {
        recount.finish()?;
    }
    let shown = shown_of(analysis, wanted, found)?;
    let written = writer.map(DocumentsWriter::finish).transpose()?;
    Ok(SecondPass { shown, written })
}

/// The wanted documents that were found, in the order of the collection.
///
/// # Errors
/// One was not found.
fn shown_of(
    analysis: &Analysis,
    wanted: &Wanted,
    found: Vec<(DocumentId, Shown)>,
) -> Result<ShownDocuments, LookalikeError> {
    let Analysis { inputs, collection, .. } = analysis;
    let mut numbers = found.iter().map(|(document, _)| *document);
    let is_missing = |document: &&DocumentId| numbers.next() != Some(**document);
    match wanted.documents.iter().find(is_missing) {
        Some(&missing) => Err(changed(inputs, collection.file(missing))),
        None => Ok(ShownDocuments::new(collection.len(), found)),
    }
}

/// The chunks of the wanted documents.
fn wanted_chunks(analysis: &Analysis, wanted: &Wanted) -> Vec<ChunkId> {
    let chunks = wanted.documents.iter().map(|&document| analysis.collection.chunk_of(document));
    let mut chunks: Vec<ChunkId> = chunks.collect();
    chunks.dedup();
    chunks
}

/// These chunks, as one part.
fn some_chunks<'a>(
    analysis: &'a Analysis,
    chunks: &[ChunkId],
    progress: &dyn Progress,
) -> ChunksPart<'a> {
    let Analysis { inputs, collection, .. } = analysis;
    let places = chunks.iter().map(|&chunk| collection.chunk_place(chunk));
    let places: Vec<ChunkPosition> = places.collect();
    progress.phase("picking samples", Some(bytes_of(inputs, &places)));
    Box::new(Items(inputs.chunks_at(places)))
}

/// All files that are written, and protected ones up to the last wanted document.
fn parts_of_files<'a>(
    analysis: &'a Analysis,
    wanted: &Wanted,
    own_files: u32,
    progress: &dyn Progress,
) -> impl Iterator<Item = ChunksPart<'a>> + Send + use<'a> {
    let Analysis { inputs, collection, .. } = analysis;
    let own = &inputs.files[..own_files as usize];
    progress.phase("writing", Some(own.iter().map(|file| file.size).sum()));
    let last = wanted.documents.last().map_or(0, |&document| collection.file(document) + 1);
    let until = own_files.max(last);
    let files = inputs.chunks().into_files().take_while(move |file| file.first_file() < until);
    files.map(|file| Box::new(FilePart(file)) as ChunksPart<'_>)
}

/// Reads chunks: picks the wanted documents, and says where the records go.
struct ChunkReader<'a> {
    analysis: &'a Analysis,
    wanted: &'a Wanted,
    own_files: u32,
    routing: Option<(&'a RouteOptions, &'a Decisions<'a>)>,
    numbers: ChunkNumbers,
    /// Written chunks, reused for their allocations.
    written: Mutex<Vec<Routed>>,
}

/// A chunk that was read: its number, its records, what could not be read, and wanted documents.
type ReadChunk = (Option<ChunkId>, Read, Option<Problem>, Vec<(DocumentId, Shown)>);

impl ChunkReader<'_> {
    fn read(&self, piece: Piece, scratch: &mut PickScratch) -> Result<ReadChunk, LookalikeError> {
        let inputs = &self.analysis.inputs;
        let (chunk, problem) = piece.into_parts();
        let Some(chunk) = chunk else { return Ok((None, Read::Nothing, problem, Vec::new())) };
        let Some(index) = self.numbers.of(chunk.place()) else {
            return Err(differs(inputs, chunk.file, problem));
        };
        let shown = pick(&chunk, index, self.analysis, self.wanted, scratch)?;
        let read = match self.routing {
            Some((options, decisions)) if chunk.file < self.own_files => {
                let mut routed = self.reused().pop().unwrap_or_default();
                let fates = decisions.of_chunk(index)?;
                chunk.route(inputs, &fates, options, &mut routed)?;
                // A chunk of one-document files may end in protected files, which are not written.
                let known = fates.before_file(self.own_files);
                Read::Routed(chunk.file, chunk.consumed, known, Box::new(routed))
            }
            _ => Read::Seen(chunk.file, chunk.consumed),
        };
        Ok((Some(index), read, problem, shown))
    }

    fn reused(&self) -> MutexGuard<'_, Vec<Routed>> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reuse(&self, mut routed: Routed) {
        routed.free_large();
        self.reused().push(routed);
    }
}

/// The error for a file with other records than in the first pass: it cannot be read to their end, or
/// has changed.
fn differs(inputs: &Inputs, file: u32, problem: Option<Problem>) -> LookalikeError {
    match problem.filter(|problem| problem.unreadable) {
        Some(problem) => unreadable_again(inputs, problem),
        None => changed(inputs, file),
    }
}

/// Total size of the files that hold these positions, which are sorted.
fn bytes_of(inputs: &Inputs, places: &[ChunkPosition]) -> u64 {
    let files = places.chunk_by(|a, b| a.file == b.file).map(|places| places[0].file as usize);
    files.map(|file| inputs.files[file].size).sum()
}

/// Chunks that are read in sequence.
type ChunksPart<'a> = Box<dyn Part<Item = Piece> + 'a>;

/// The outcome of reading a chunk.
enum Read {
    /// No records.
    Nothing,
    /// Its file, the bytes of the file that it took, the number of its documents in the first pass,
    /// and its routed records.
    Routed(u32, u64, u64, Box<Routed>),
    /// Its file and the bytes of the file that it took; nothing was routed.
    Seen(u32, u64),
}
