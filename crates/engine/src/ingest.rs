//! Reads input files into a [`Collection`]: the only step that reads text.
//!
//! Files are split into chunks; several files are read in parallel if one does not keep all cores
//! busy ([`pipeline`]). Worker threads parse, tokenise and fingerprint whole chunks; one thread
//! appends their results in input order and commits their sets (`stored_sets`). A text whose token
//! sequence occurred before gets no second feature set: a million copies cost a million digests.
//! Chunks of an interrupted run of the same job are restored, and reading continues after them.

use crate::block::{Block, HeldSets, SharedSets};
use crate::collection::{Collection, Document, SetRef};
use crate::files::{FilePart, ReadChunk, chunk_bytes};
use crate::pipeline::{Items, Part, PipelineLimits};
use crate::signer::LargeSet;
use crate::store::{ChunkMetadata, ChunkStore};
use crate::stored_sets::{StoredSets, retain};
use crate::{
    EngineError, Problems, Progress, Signer, SignerScratch, heap, keep_values, limits, pipeline,
};
use lookalike_cluster::KeepRule;
use lookalike_core::{SetDigest, TokenDigest};
use lookalike_io::source::{Chunk, Chunks, VisitScratch};
use lookalike_io::{Inputs, Item, RecordView};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::PathBuf;

/// Options of reading a collection.
#[derive(Debug, Clone)]
pub struct IngestOptions {
    /// Number of worker threads.
    pub threads: usize,
    /// Stop at the first bad record.
    pub strict: bool,
    /// Skip what cannot be read of an input instead of failing.
    pub skip_unreadable: bool,
    /// Keep rules, whose values are collected.
    pub keep: Vec<KeepRule>,
    /// The first protected file (`--against`); the number of files if there is none.
    pub first_protected_file: u32,
    /// Memory budget of rows and feature sets, in bytes.
    pub memory: u64,
    /// Folder for the spill file.
    pub scratch: PathBuf,
    /// A named spill file that holds every chunk, for `--resume`; chunks of an interrupted run in
    /// it are restored.
    pub kept: Option<PathBuf>,
    /// Bytes of input in flight; larger records are processed one at a time.
    pub in_flight: u64,
    /// Memory for the index of token sequences, in bytes (approximate): with less, more sets are
    /// stored twice.
    pub sequences: u64,
}

impl IngestOptions {
    /// Everything in memory, no protected files, bad records counted.
    #[must_use]
    pub fn in_memory(threads: usize) -> Self {
        Self {
            threads,
            strict: false,
            skip_unreadable: false,
            keep: Vec::new(),
            first_protected_file: u32::MAX,
            memory: u64::MAX,
            scratch: PathBuf::new(),
            kept: None,
            in_flight: u64::MAX,
            sequences: u64::MAX,
        }
    }
}

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
    heap::map_large_blocks();
    let reader = Reader {
        inputs,
        signer,
        keep: &options.keep,
        fields: inputs.options.fields.extra.iter().map(String::as_str).collect(),
        sets: StoredSets::new(options.sequences),
    };
    let mut appender = Appender::new(inputs, options)?;
    appender.collection.least_size = signer.least_size();
    appender.collection.compares_terms = signer.compares_terms();
    appender.collection.store.arrange(signer.arranged(), signer.least_size());
    appender.collection.tokens_of_common = signer.tokens_of_common();
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

/// Appends the results of chunks in order.
struct Appender<'a> {
    collection: Collection,
    /// Number of documents of each file.
    of_files: Vec<u32>,
    left: Vec<lookalike_spill::Frame>,
    /// Chunks before this one that are in memory are also in the store.
    behind: usize,
    options: &'a IngestOptions,
}

impl<'a> Appender<'a> {
    fn new(inputs: &Inputs, options: &'a IngestOptions) -> Result<Self, EngineError> {
        let mut collection = Collection::for_inputs(inputs, options.first_protected_file);
        collection.attributes = vec![Vec::new(); options.keep.len()];
        let mut left = Vec::new();
        collection.store = match &options.kept {
            None => ChunkStore::new(options.memory, options.scratch.clone()),
            Some(path) => {
                let (store, found) = ChunkStore::kept(options.memory, path)?;
                left = found.frames;
                collection.restored = left.len() as u32;
                collection.restored_whole = found.ended;
                collection.dropped = found.dropped;
                store
            }
        };
        let of_files = vec![0; inputs.files.len()];
        Ok(Self { collection, of_files, left, behind: 0, options })
    }

    /// Restores the chunks of an interrupted run and returns their number. A chunk with references
    /// that cannot be resolved is damaged: it and all later ones are dropped and read again.
    fn restore(
        &mut self,
        reader: &Reader<'_>,
        progress: &dyn Progress,
    ) -> Result<usize, EngineError> {
        let frames = std::mem::take(&mut self.left);
        for (chunk, &frame) in frames.iter().enumerate() {
            let rules = self.options.keep.len();
            let restored = self.collection.store.restore(frame, rules)?;
            let whole = restored.filter(|restored| self.collection.fits(restored));
            let Some((mut block, metadata)) = whole else {
                let dropped = self.collection.store.drop_from(frame)?;
                self.collection.dropped += dropped;
                self.collection.restored = chunk as u32;
                self.collection.restored_whole = false;
                return Ok(chunk);
            };
            self.refuse_unreadable(&metadata.problems)?;
            let rows = &block.rows.documents;
            let documents = rows.len();
            progress.advance(metadata.consumed, documents as u64);
            rows.iter().for_each(|row| self.of_files[row.file as usize] += 1);
            reader.sets.commit(chunk as u32, &metadata.sequences);
            self.collection.store.settle(&mut block)?;
            self.count(block, metadata, documents)?;
            if progress.cancelled() {
                return Err(EngineError::Cancelled);
            }
        }
        Ok(frames.len())
    }

    fn append(&mut self, mut result: ChunkResult, sets: &StoredSets) -> Result<(), EngineError> {
        if self.options.strict
            && let Some(problem) = result.metadata.problems.listed().first()
        {
            return Err(EngineError::Strict(problem.clone()));
        }
        if let Some(error) = result.failed.take() {
            return Err(error);
        }
        self.refuse_unreadable(&result.metadata.problems)?;
        let number = self.collection.chunks();
        let places = result.block.rows.documents.iter_mut().filter_map(|row| row.set.as_mut());
        places.filter(|place| place.block == OWN).for_each(|place| place.block = number);
        let repeated = sets.commit(number, &result.metadata.sequences);
        if !repeated.is_empty() {
            result.block.drop_repeated(number, &repeated);
            retain(&mut result.metadata.sequences, &repeated);
        }
        let rows = &result.block.rows.documents;
        rows.iter().for_each(|row| self.of_files[row.file as usize] += 1);
        let documents = rows.len();
        self.collection.store.take(&mut result.block, &result.metadata)?;
        // The join releases all sets, so those in memory are spilled as well.
        if !result.block.sets.is_held() && self.collection.store.arranged().is_some() {
            self.write_behind()?;
        }
        self.count(result.block, result.metadata, documents)
    }

    /// Fails if an input is unreadable and unreadable inputs are not skipped.
    fn refuse_unreadable(&self, problems: &Problems) -> Result<(), EngineError> {
        match problems.first_unreadable() {
            Some(problem) if !self.options.skip_unreadable => {
                Err(EngineError::Unreadable(problem.clone()))
            }
            _ => Ok(()),
        }
    }

    /// Spills the next chunk that is in memory only, in parallel to reading.
    fn write_behind(&mut self) -> Result<(), EngineError> {
        let Collection { blocks, store, attributes, .. } = &mut self.collection;
        for block in &mut blocks[self.behind..] {
            self.behind += 1;
            if store.write_behind(block, attributes.len())? {
                break;
            }
        }
        Ok(())
    }

    fn count(
        &mut self,
        block: Block,
        metadata: ChunkMetadata,
        documents: usize,
    ) -> Result<(), EngineError> {
        let collection = &mut self.collection;
        let limit = u64::from(u32::MAX) - 1;
        let end = u64::from(collection.len()) + documents as u64;
        if end > limit {
            return Err(EngineError::TooManyDocuments { limit });
        }
        collection.problems.append(metadata.problems);
        collection.chunk_places.push(metadata.place);
        for (column, values) in collection.attributes.iter_mut().zip(metadata.attributes) {
            column.extend(values);
        }
        collection.blocks.push(block);
        collection.chunk_starts.push(end as u32);
        Ok(())
    }

    fn finish(self) -> Collection {
        let mut collection = self.collection;
        let mut start = 0;
        collection.file_starts = vec![0];
        for documents in self.of_files {
            start += documents;
            collection.file_starts.push(start);
        }
        collection
    }
}

#[derive(Default)]
struct State {
    visit: VisitScratch,
    scratch: SignerScratch,
    /// The elements of the chunk's sets up to the bound and above it: buffers reused for every
    /// chunk.
    low: Vec<u64>,
    high: Vec<u64>,
    /// Token sequences of the chunk that no committed chunk has, with their sets if they have
    /// features.
    new: HashMap<TokenDigest, Option<SetRef>, foldhash::fast::FixedState>,
}

/// Destination of the sets of a chunk.
struct Sets<'s> {
    low: &'s mut Vec<u64>,
    low_ends: &'s mut Vec<u32>,
    high: &'s mut Vec<u64>,
    /// Destination of a large set, which is the only one of its chunk.
    large: Option<&'s mut Option<LargeSet>>,
}

/// The chunk being read: its number is known once all earlier chunks are committed.
const OWN: u32 = u32::MAX;

/// Capacity that buffers keep between chunks, in elements: few chunks have more.
const USUAL: usize = 1 << 20;

/// The result of reading one chunk.
#[derive(Default)]
struct ChunkResult {
    block: Block,
    metadata: ChunkMetadata,
    /// Why the chunk cannot be appended.
    failed: Option<EngineError>,
}

impl ChunkResult {
    /// A checked offset. The first one that is too large is recorded as the error of the chunk.
    fn checked(&mut self, offset: Result<u32, EngineError>) -> u32 {
        offset.unwrap_or_else(|error| {
            self.failed.get_or_insert(error);
            u32::MAX
        })
    }
}

struct Reader<'a> {
    inputs: &'a Inputs,
    signer: &'a Signer,
    keep: &'a [KeepRule],
    fields: Vec<&'a str>,
    sets: StoredSets,
}

impl Reader<'_> {
    fn nothing(&self) -> ChunkResult {
        let mut result = ChunkResult::default();
        result.metadata.attributes = vec![Vec::new(); self.keep.len()];
        result
    }

    fn read(&self, chunk: Chunk, state: &mut State) -> ChunkResult {
        let mut result = self.nothing();
        result.metadata.consumed = chunk.consumed;
        result.metadata.place = chunk.place();
        let State { visit, scratch, low, high, new } = state;
        new.clear();
        let mut low_ends = Vec::new();
        let (alone, mut large) = (chunk.is_large(), None);
        chunk.visit_once(self.inputs, visit, &mut |item| match item {
            Item::Record(mut record) => {
                let (low_ends, large) = (&mut low_ends, alone.then_some(&mut large));
                let sets = Sets { low, low_ends, high, large };
                self.document(&mut record, scratch, new, sets, &mut result);
            }
            Item::Bad(problem) => result.metadata.problems.push(problem),
        });
        scratch.free_large();
        low_ends.shrink_to_fit();
        let held = match large {
            Some(LargeSet { set, low, .. }) => HeldSets::large(set, low),
            None => HeldSets::new(low, low_ends, high),
        };
        result.block.sets = SharedSets::new(held);
        for elements in [low, high] {
            elements.clear();
            elements.shrink_to(USUAL);
        }
        result.block.signatures.shrink_to_fit();
        result
    }

    fn document(
        &self,
        record: &mut RecordView<'_>,
        scratch: &mut SignerScratch,
        new: &mut HashMap<TokenDigest, Option<SetRef>, foldhash::fast::FixedState>,
        Sets { low, low_ends, high, large }: Sets<'_>,
        result: &mut ChunkResult,
    ) {
        let seen = self.signer.read(record, scratch);
        let here = SetRef { block: OWN, index: result.block.ends.len() as u32 };
        let store = || {
            // A large set is alone in its chunk and is not copied.
            if let Some(large) = large
                && let Some(set) = self.signer.large_features(&seen, scratch)
            {
                *large = set;
                let set = large.as_ref()?;
                result.block.ends.push(set.set.len() as u32);
                result.block.digests.push(set.digest);
                result.metadata.sequences.push(seen.signed);
                return Some(here);
            }
            let digest = self.signer.features(&seen, scratch, low, high);
            // A document that a method may sign gets a set reference even without features.
            let digest = match digest {
                None if self.signer.signs() && !scratch.only_common() => SetDigest(seen.signed.0),
                digest => digest?,
            };
            self.signer.sign(scratch, &mut result.block.signatures);
            let end = limits::in_chunk("features", low.len() + high.len(), limits::MOST);
            let end = result.checked(end);
            result.block.ends.push(end);
            if self.signer.arranged().is_some() {
                low_ends.push(low.len() as u32);
            }
            result.block.digests.push(digest);
            result.metadata.sequences.push(seen.signed);
            Some(here)
        };
        let set = match seen.tokens {
            0 => None,
            _ => match new.entry(seen.signed) {
                Entry::Occupied(entry) => *entry.get(),
                Entry::Vacant(entry) => match self.sets.get(seen.signed) {
                    Some(place) => Some(place),
                    None => *entry.insert(store()),
                },
            },
        };
        for (column, rule) in result.metadata.attributes.iter_mut().zip(self.keep) {
            // The order of the collection needs no values.
            if *rule != KeepRule::First {
                column.push(keep_values::value(rule, record, &self.fields, seen.text_bytes));
            }
        }
        result.block.rows.ids.push(record.id.as_deref());
        let ids = result.block.rows.ids.bytes();
        result.checked(limits::in_chunk("bytes of ids", ids, limits::MOST));
        result.block.rows.documents.push(Document {
            file: record.file,
            record: record.record,
            tokens: seen.tokens,
            set,
            text_bytes: seen.text_bytes,
            text: seen.text,
            sequence: seen.sequence,
        });
    }
}
