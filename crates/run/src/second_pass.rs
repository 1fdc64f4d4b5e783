//! Second reading of the inputs: routes every record to its output and collects the documents that
//! the report shows.
//!
//! The chunks are those of the first pass, so the writers copy records byte for byte, and the texts
//! for the report are collected at the same time; if nothing is written, only the chunks of those
//! texts are read. Chunks are checked against the first pass by their positions and by the number
//! of their records: a decision about one text must not be applied to another.

mod chunk_numbers;
mod recount;
mod shown;
#[cfg(test)]
mod tests;

pub(crate) use shown::{Shown, Wanted};

use crate::LookalikeError;
use crate::analysis::Analysis;
use crate::decisions::Decisions;
use chunk_numbers::ChunkNumbers;
use lookalike_engine::files::{FilePart, piece_bytes};
use lookalike_engine::pipeline::{Items, Part, PipelineLimits};
use lookalike_engine::{ChunkId, DocumentId, EngineError, Progress, pipeline};
use lookalike_io::sink::{DocumentsWriter, RouteOptions, Routed, Staging, WrittenFiles};
use lookalike_io::source::{ChunkPosition, Piece, VisitScratch};
use lookalike_io::{Inputs, Problem};
use recount::{Recount, changed, unreadable_again};
use shown::pick;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Result of the second pass.
#[derive(Debug, Default)]
pub(crate) struct SecondPass {
    /// The wanted documents.
    pub(crate) shown: BTreeMap<DocumentId, Shown>,
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
    let inputs = &analysis.inputs;
    inputs.verify_unchanged()?;
    let collection = &analysis.collection;
    let own_files = collection.first_protected_file.min(inputs.files.len() as u32);
    let own = &inputs.files[..own_files as usize];
    // The chunks of wanted documents, if only those are read.
    let mut some: Option<Vec<ChunkId>> = None;
    let parts: Box<dyn Iterator<Item = ChunksPart<'_>> + Send> = match routing {
        Some(_) => {
            progress.phase("writing", Some(own.iter().map(|file| file.size).sum()));
            // Protected files are read only up to the last wanted document.
            let last_file =
                wanted.documents.last().map_or(0, |&document| collection.file(document) + 1);
            let until = own_files.max(last_file);
            let files = inputs.chunks().into_files();
            let files = files.take_while(move |file| file.first_file() < until);
            Box::new(files.map(|file| Box::new(FilePart(file)) as ChunksPart<'_>))
        }
        None => {
            let documents = &wanted.documents;
            let mut chunks: Vec<ChunkId> =
                documents.iter().map(|&d| collection.chunk_of(d)).collect();
            chunks.dedup();
            let places: Vec<ChunkPosition> =
                chunks.iter().map(|&c| collection.chunk_place(c)).collect();
            progress.phase("picking samples", Some(bytes_of(inputs, &places)));
            some = Some(chunks);
            let places = Items(inputs.chunks_at(places));
            Box::new(std::iter::once(Box::new(places) as ChunksPart<'_>))
        }
    };

    let mut recount = Recount::new(analysis, own_files);
    let mut writer = routing.map(|(staging, options, _)| {
        DocumentsWriter::new(inputs, staging, options)
            .with_threads(analysis.threads)
            .with_unreadable(collection.problems.unreadable())
    });
    let mut pass = SecondPass::default();
    let mut outcome: Result<(), LookalikeError> = Ok(());
    // Written chunks, reused for their allocations.
    let written: Mutex<Vec<Box<Routed>>> = Mutex::default();
    let written = || written.lock().unwrap_or_else(PoisonError::into_inner);
    let numbers = ChunkNumbers::new(collection);
    let mut position = 0;
    pipeline::ordered_parts(
        PipelineLimits { threads: analysis.threads, in_flight: analysis.memory.in_flight() },
        parts,
        |piece| piece_bytes(piece, inputs),
        VisitScratch::default,
        |scratch, piece| -> Result<_, LookalikeError> {
            let (chunk, problem) = piece.into_parts();
            let Some(chunk) = chunk else {
                return Ok((None, Read::Nothing, problem, Vec::new()));
            };
            let Some(index) = numbers.of(chunk.place()) else {
                return Err(differs(inputs, chunk.file, problem));
            };
            let shown = pick(&chunk, index, analysis, wanted, scratch)?;
            let read = match routing {
                Some((_, options, decisions)) if chunk.file < own_files => {
                    let mut routed = written().pop().unwrap_or_default();
                    let fates = decisions.of_chunk(index)?;
                    chunk.route(inputs, &fates, options, &mut routed)?;
                    // A chunk of one-document files may end in protected files, which are not
                    // written.
                    let known = fates.before_file(own_files);
                    Read::Routed(chunk.file, chunk.consumed, known, routed)
                }
                _ => Read::Seen(chunk.file, chunk.consumed),
            };
            Ok((Some(index), read, problem, shown))
        },
        |_| 0,
        |result| {
            // Chunks are those of the first pass, in its order.
            let expected = match &some {
                None => ChunkId(position as u32),
                Some(chunks) => chunks.get(position).copied().unwrap_or(ChunkId(u32::MAX)),
            };
            position += 1;
            outcome = result.and_then(|(index, read, problem, shown)| {
                if let (Some(index), Read::Routed(file, ..) | Read::Seen(file, _)) = (index, &read)
                    && index != expected
                {
                    return Err(differs(inputs, *file, problem));
                }
                pass.shown.extend(shown);
                let consumed = match (read, &mut writer) {
                    (Read::Nothing, _) => 0,
                    (Read::Routed(file, consumed, known, mut routed), Some(writer)) => {
                        if !recount.routed(file, known, &routed) {
                            return Err(differs(inputs, file, problem));
                        }
                        writer.write(&routed)?;
                        routed.free_large();
                        written().push(routed);
                        consumed
                    }
                    (Read::Seen(_, consumed) | Read::Routed(_, consumed, _, _), _) => consumed,
                };
                if let Some(problem) = problem {
                    recount.problem(index.is_none().then_some(expected), problem)?;
                }
                progress.advance(consumed, 0);
                if progress.cancelled() { Err(EngineError::Cancelled.into()) } else { Ok(()) }
            });
            outcome.is_ok()
        },
    );
    outcome?;
    inputs.verify_unchanged()?;
    if routing.is_some() {
        recount.finish()?;
    }
    if let Some(&missing) =
        wanted.documents.iter().find(|document| !pass.shown.contains_key(document))
    {
        return Err(changed(inputs, collection.file(missing)));
    }
    pass.written = writer.map(DocumentsWriter::finish).transpose()?;
    Ok(pass)
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
