//! Reads input files into a [`Collection`]: the only step that reads text.
//!
//! Files are split into chunks; several files are read in parallel if one does not keep all cores
//! busy ([`pipeline`]). Worker threads parse, tokenise and fingerprint whole chunks; one thread
//! appends their results in input order and commits their sets (`stored_sets`). A text whose token
//! sequence occurred before gets no second feature set: a million copies cost a million digests.
//! Chunks of an interrupted run of the same job are restored if the inputs still have them, and
//! reading continues after them. What a failure cut off is never restored as if it were whole.

mod append;
mod chunk;
mod observer;
mod options;

pub use observer::{ChunkObserver, TokenObserver};
pub use options::{IngestOptions, Takes};

use crate::collection::Collection;
use crate::files::{FilePart, piece_bytes};
use crate::pipeline::{Items, Part, PipelineLimits};
use crate::stored_sets::StoredSets;
use crate::{EngineError, Progress, Signer, heap, pipeline};
use append::Appender;
use chunk::{Reader, State};
use lookalike_io::Inputs;
use lookalike_io::source::{Chunks, Piece};

/// Reads all inputs.
///
/// # Errors
/// An unreadable input unless these are skipped, a bad record in strict mode, too many documents,
/// or cancellation.
pub fn ingest(
    inputs: &Inputs,
    signer: &Signer,
    options: &IngestOptions,
    progress: &dyn Progress,
) -> Result<Collection, EngineError> {
    let total = inputs.files.iter().map(|file| file.size).sum();
    progress.phase("reading", Some(total));
    ingest_files(inputs, inputs.chunks(), signer, options, progress)
}

/// Reads all given chunks of the inputs, several files in parallel.
///
/// # Errors
/// As [`ingest`].
pub fn ingest_files(
    inputs: &Inputs,
    chunks: Chunks<'_>,
    signer: &Signer,
    options: &IngestOptions,
    progress: &dyn Progress,
) -> Result<Collection, EngineError> {
    ingest_parts(inputs, chunks, file_parts, signer, (options, None), progress)
}

/// Reads all inputs, and takes some of their documents only. Others are no part of the collection.
///
/// # Errors
/// As [`ingest`].
pub fn ingest_some(
    inputs: &Inputs,
    signer: &Signer,
    options: &IngestOptions,
    takes: Takes<'_>,
    progress: &dyn Progress,
) -> Result<Collection, EngineError> {
    let options = (options, Some(takes));
    ingest_parts(inputs, inputs.chunks(), file_parts, signer, options, progress)
}

/// A piece that was read already, and the rest of the inputs by file.
fn file_parts<'a>(
    first: Option<Piece>,
    rest: Chunks<'a>,
) -> impl Iterator<Item = Box<dyn Part<Item = Piece> + 'a>> + Send {
    let boxed = |part: FilePart<'a>| Box::new(part) as Box<dyn Part<Item = Piece> + 'a>;
    let first = first.map(|piece| Box::new(Items(std::iter::once(piece))) as Box<_>);
    first.into_iter().chain(rest.into_files().map(FilePart).map(boxed))
}

/// Reads some chunks of the inputs, in the order of files and records.
///
/// # Errors
/// As [`ingest`].
pub fn ingest_chunks(
    inputs: &Inputs,
    pieces: impl Iterator<Item = Piece> + Send,
    signer: &Signer,
    options: &IngestOptions,
    progress: &dyn Progress,
) -> Result<Collection, EngineError> {
    let parts = |first: Option<Piece>, rest| std::iter::once(Items(first.into_iter().chain(rest)));
    ingest_parts(inputs, pieces, parts, signer, (options, None), progress)
}

/// Reads the parts of the inputs. Chunks restored from an interrupted run are skipped in `pieces`;
/// `parts` makes the parts of the others: the first one, if it was read to compare it, and the rest.
fn ingest_parts<S, P, I>(
    inputs: &Inputs,
    mut pieces: S,
    parts: impl FnOnce(Option<Piece>, S) -> I,
    signer: &Signer,
    (options, takes): (&IngestOptions, Option<Takes<'_>>),
    progress: &dyn Progress,
) -> Result<Collection, EngineError>
where
    S: Iterator<Item = Piece>,
    P: Part<Item = Piece>,
    I: Iterator<Item = P> + Send,
{
    if options.trim_heap {
        heap::map_large_blocks();
    }
    let reader = Reader {
        inputs,
        signer,
        keep: &options.keep,
        sites: options.sites,
        fields: inputs.options.fields.extra.iter().map(String::as_str).collect(),
        sets: StoredSets::new(options.sequences),
        takes,
        observer: options.observer,
    };
    let mut appender = Appender::new(inputs, options, reader.columns())?;
    appender.collection.replaced_at = reader.replaced_at();
    appender.collection.values_at = reader.values_at();
    appender.collection.least_size = signer.least_size();
    appender.collection.least_tokens = signer.least_tokens();
    appender.collection.store.arrange(signer.arranged(), signer.least_size());
    appender.collection.store.holds_remaining(signer.digests_halves());
    let first = appender.restore(&reader, &mut pieces, progress)?;
    if appender.collection.restored_whole {
        return Ok(appender.finish());
    }
    let mut outcome = Ok(());
    pipeline::ordered_parts(
        PipelineLimits { threads: options.threads, in_flight: options.in_flight },
        parts(first, pieces),
        |piece| piece_bytes(piece, inputs),
        State::default,
        |state, piece| {
            // With the failure that cut them off, the records before it are refused, or stored as
            // what could be read.
            let (chunk, problem) = piece.into_parts();
            let mut result = match chunk {
                Some(chunk) => reader.read(chunk, state),
                None => reader.nothing(),
            };
            problem.into_iter().for_each(|problem| result.metadata.problems.push(problem));
            result
        },
        |result| result.block.bytes(),
        |result| {
            progress.advance(result.metadata.consumed, result.block.rows.documents.len() as u64);
            outcome = appender.append(result, &reader.sets);
            if progress.cancelled() {
                outcome = Err(EngineError::Cancelled);
            }
            outcome.is_ok()
        },
    );
    outcome?;
    // What could not be read may be readable when the run is resumed.
    if appender.collection.problems.unreadable().next().is_none() {
        appender.collection.store.end()?;
    }
    Ok(appender.finish())
}
