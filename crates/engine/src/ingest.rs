//! Reads input files into a [`Collection`]: the only step that reads text.
//!
//! Files are split into chunks; several files are read in parallel if one does not keep all cores
//! busy ([`pipeline`]). Worker threads parse, tokenise and fingerprint whole chunks; one thread
//! appends their results in input order and commits their sets (`stored_sets`). A text whose token
//! sequence occurred before gets no second feature set: a million copies cost a million digests.
//! Chunks of an interrupted run of the same job are restored, and reading continues after them.

mod append;
mod chunk;
mod options;

pub use options::IngestOptions;

use crate::collection::Collection;
use crate::files::{FilePart, ReadChunk, chunk_bytes};
use crate::pipeline::{Items, Part, PipelineLimits};
use crate::stored_sets::StoredSets;
use crate::{EngineError, Progress, Signer, heap, pipeline};
use append::Appender;
use chunk::{Reader, State};
use lookalike_io::Inputs;
use lookalike_io::source::Chunks;

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
    mut chunks: Chunks<'_>,
    signer: &Signer,
    options: &IngestOptions,
    progress: &dyn Progress,
) -> Result<Collection, EngineError> {
    let parts = |read_before: usize| {
        // Chunks restored from an interrupted run are skipped in order, because chunk numbers
        // follow from it.
        for _ in 0..read_before {
            if progress.cancelled() {
                return Err(EngineError::Cancelled);
            }
            if chunks.next().is_none() {
                break;
            }
        }
        Ok(chunks.into_files().map(FilePart))
    };
    ingest_parts(inputs, parts, signer, options, progress)
}

/// Reads some chunks of the inputs, in the order of files and records.
///
/// # Errors
/// As [`ingest`].
pub fn ingest_chunks(
    inputs: &Inputs,
    chunks: impl Iterator<Item = ReadChunk> + Send,
    signer: &Signer,
    options: &IngestOptions,
    progress: &dyn Progress,
) -> Result<Collection, EngineError> {
    let parts = |read_before| Ok(std::iter::once(Items(chunks.skip(read_before))));
    ingest_parts(inputs, parts, signer, options, progress)
}

/// Reads the parts of the inputs; `parts` makes them, given the number of chunks to skip.
fn ingest_parts<P, I>(
    inputs: &Inputs,
    parts: impl FnOnce(usize) -> Result<I, EngineError>,
    signer: &Signer,
    options: &IngestOptions,
    progress: &dyn Progress,
) -> Result<Collection, EngineError>
where
    P: Part<Item = ReadChunk>,
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
    };
    let mut appender = Appender::new(inputs, options, reader.columns())?;
    appender.collection.replaced_at = signer.replaces_confusables().then_some(options.keep.len());
    appender.collection.least_size = signer.least_size();
    appender.collection.least_tokens = signer.least_tokens();
    appender.collection.store.arrange(signer.arranged(), signer.least_size());
    appender.collection.store.holds_remaining(signer.takes_remaining());
    let read_before = appender.restore(&reader, progress)?;
    if appender.collection.restored_whole {
        return Ok(appender.finish());
    }
    let mut outcome = Ok(());
    pipeline::ordered_parts(
        PipelineLimits { threads: options.threads, in_flight: options.in_flight },
        parts(read_before)?,
        |chunk| chunk_bytes(chunk, inputs),
        State::default,
        |state, chunk| match chunk {
            Ok(chunk) => reader.read(chunk, state),
            Err(problem) => {
                let mut result = reader.nothing();
                result.metadata.problems.push(problem);
                result
            }
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
    appender.collection.store.end()?;
    Ok(appender.finish())
}
