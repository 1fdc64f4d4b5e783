//! Input files in, a [`Collection`] out: the only step that reads text.
//!
//! One thread cuts the files into chunks, every core parses, tokenises and fingerprints whole
//! chunks, one thread appends their results in order. A text whose token sequence was seen before
//! gives no second feature set: a million copies cost a million digests.

use crate::collection::{Collection, Document, Ids, SetBlock, SetRef};
use crate::{EngineError, Overflow, Problems, Progress, Scratch, Signer, date, pipeline};
use lookalike_cluster::KeepRule;
use lookalike_core::{SetDigest, TokenDigest};
use lookalike_io::source::{Chunk, VisitScratch};
use lookalike_io::{Inputs, Item, Problem, RecordView};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Mutex;

/// How a collection is read.
#[derive(Debug, Clone)]
pub struct IngestOptions {
    /// Number of worker threads.
    pub threads: usize,
    /// Stop at the first bad record.
    pub strict: bool,
    /// The rules whose values are collected.
    pub keep: Vec<KeepRule>,
    /// Files from here on are protected; the number of files if none are.
    pub first_protected_file: u32,
    /// Bytes of feature sets that are held in memory.
    pub memory: u64,
    /// Where the others go.
    pub scratch: PathBuf,
}

/// Reads everything.
///
/// # Errors
/// A bad record in strict mode, too many documents, or an interruption.
pub fn ingest(
    inputs: &Inputs,
    signer: &Signer,
    options: &IngestOptions,
    progress: &dyn Progress,
) -> Result<Collection, EngineError> {
    let total = inputs.files.iter().map(|file| file.size).sum();
    progress.phase("reading", Some(total));
    ingest_chunks(inputs, inputs.chunks(), signer, options, progress)
}

/// Reads some chunks of the inputs, in the order of their files and records.
///
/// # Errors
/// As [`ingest`].
pub fn ingest_chunks(
    inputs: &Inputs,
    chunks: impl Iterator<Item = Result<Chunk, Problem>> + Send,
    signer: &Signer,
    options: &IngestOptions,
    progress: &dyn Progress,
) -> Result<Collection, EngineError> {
    let reader = Reader {
        inputs,
        signer,
        keep: &options.keep,
        fields: inputs.options.fields.extra.iter().map(String::as_str).collect(),
        sets: SeenSets::default(),
    };
    let mut collection = Collection::for_inputs(inputs, options.first_protected_file);
    collection.attributes = vec![Vec::new(); options.keep.len()];
    collection.overflow = Overflow::new(options.memory, options.scratch.clone());
    let mut outcome = Ok(());
    pipeline::ordered(
        options.threads,
        chunks.enumerate(),
        State::default,
        |state, (index, chunk)| match chunk {
            Ok(chunk) => reader.read(index as u32, &chunk, state),
            Err(problem) => {
                let mut result = ChunkResult::default();
                result.problems.push(problem);
                result
            }
        },
        |result| {
            progress.advance(result.consumed, result.documents.len() as u64);
            outcome = append(&mut collection, result, options);
            if progress.cancelled() {
                outcome = Err(EngineError::Cancelled);
            }
            outcome.is_ok()
        },
    );
    outcome?;
    collection.file_starts = file_starts(&collection.documents, inputs.files.len());
    Ok(collection)
}

fn append(
    collection: &mut Collection,
    mut result: ChunkResult,
    options: &IngestOptions,
) -> Result<(), EngineError> {
    if options.strict
        && let Some(problem) = result.problems.listed().first()
    {
        return Err(EngineError::Strict(problem.clone()));
    }
    collection.problems.append(result.problems);
    let limit = u64::from(u32::MAX) - 1;
    if (collection.documents.len() + result.documents.len()) as u64 > limit {
        return Err(EngineError::TooManyDocuments { limit });
    }
    collection.documents.extend(result.documents);
    collection.ids.append(&result.ids);
    for (column, values) in collection.attributes.iter_mut().zip(result.attributes) {
        column.extend(values);
    }
    collection.overflow.take(&mut result.block)?;
    collection.blocks.push(result.block);
    collection.chunk_starts.push(collection.documents.len() as u32);
    Ok(())
}

fn file_starts(documents: &[Document], files: usize) -> Vec<u32> {
    (0..=files).map(|file| documents.partition_point(|d| (d.file as usize) < file) as u32).collect()
}

#[derive(Default)]
struct State {
    visit: VisitScratch,
    scratch: Scratch,
}

#[derive(Default)]
struct ChunkResult {
    documents: Vec<Document>,
    ids: Ids,
    attributes: Vec<Vec<f64>>,
    block: SetBlock,
    problems: Problems,
    consumed: u64,
}

struct Reader<'a> {
    inputs: &'a Inputs,
    signer: &'a Signer,
    keep: &'a [KeepRule],
    fields: Vec<&'a str>,
    sets: SeenSets,
}

impl Reader<'_> {
    fn read(&self, block: u32, chunk: &Chunk, state: &mut State) -> ChunkResult {
        let mut result = ChunkResult {
            consumed: chunk.consumed,
            attributes: vec![Vec::new(); self.keep.len()],
            ..ChunkResult::default()
        };
        let State { visit, scratch } = state;
        chunk.visit(self.inputs, visit, &mut |item| match item {
            Item::Record(record) => self.document(block, &record, scratch, &mut result),
            Item::Bad(problem) => result.problems.push(problem),
        });
        result.block.values.shrink_to_fit();
        result.block.signatures.shrink_to_fit();
        result
    }

    fn document(
        &self,
        block: u32,
        record: &RecordView<'_>,
        scratch: &mut Scratch,
        result: &mut ChunkResult,
    ) {
        let seen = self.signer.read(record, scratch);
        let here = SetRef { block, index: result.block.ends.len() as u32 };
        let set = (seen.tokens > 0)
            .then(|| {
                self.sets.place_of(seen.signed, || {
                    let digest = self.signer.features(&seen, scratch, &mut result.block.values);
                    // A document that a method may sign has its place, features or not.
                    let digest = match digest {
                        None if self.signer.signs() => SetDigest(seen.signed.0),
                        digest => digest?,
                    };
                    self.signer.sign(scratch, &mut result.block.signatures);
                    result.block.ends.push(result.block.values.len());
                    result.block.digests.push(digest);
                    Some(here)
                })
            })
            .flatten();
        for (column, rule) in result.attributes.iter_mut().zip(self.keep) {
            column.push(self.attribute(rule, record, seen.text_bytes));
        }
        result.ids.push(record.id.as_deref());
        result.documents.push(Document {
            file: record.file,
            record: record.record,
            tokens: seen.tokens,
            set,
            text_bytes: seen.text_bytes,
            text: seen.text,
            sequence: seen.sequence,
        });
    }

    fn attribute(&self, rule: &KeepRule, record: &RecordView<'_>, text_bytes: u64) -> f64 {
        match rule {
            // The order of the collection breaks every tie anyhow; nothing to look at.
            KeepRule::First => 0.0,
            KeepRule::Longest | KeepRule::Shortest => text_bytes as f64,
            KeepRule::Newest | KeepRule::Oldest => {
                record.date.as_deref().map_or(f64::NAN, date::seconds)
            }
            KeepRule::Max(field) | KeepRule::Min(field) => self
                .fields
                .iter()
                .position(|name| name == field)
                .and_then(|at| record.extra.get(at).copied().flatten())
                .unwrap_or(f64::NAN),
        }
    }
}

/// Where the feature set of a token sequence lies, shared by all threads.
///
/// Which of several documents with one sequence gets to store the set depends on the threads'
/// timing; the sets are equal, so nothing that leaves the engine does.
struct SeenSets {
    shards: Vec<Mutex<HashMap<TokenDigest, Option<SetRef>, foldhash::fast::FixedState>>>,
}

impl Default for SeenSets {
    fn default() -> Self {
        Self { shards: (0..64).map(|_| Mutex::default()).collect() }
    }
}

impl SeenSets {
    /// The place of the sequence's set; `store` is called for a sequence not seen before, and says
    /// where it put the set (`None` if there are no features).
    fn place_of(
        &self,
        sequence: TokenDigest,
        store: impl FnOnce() -> Option<SetRef>,
    ) -> Option<SetRef> {
        let shard = &self.shards[(sequence.0 >> 122) as usize];
        let lock = || shard.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(place) = lock().get(&sequence) {
            return *place;
        }
        // Not held while the set is made: two threads may both make one, and either may be named.
        let place = store();
        lock().insert(sequence, place);
        place
    }
}
