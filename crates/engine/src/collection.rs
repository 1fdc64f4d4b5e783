//! The documents of a run in chunks, in the order of the collection.
//!
//! Chunks beyond the memory budget are in the [`ChunkStore`]: scans read it front to back, and
//! access to one document reads its chunk.

mod document;
mod names;
mod naming;
mod residency;
mod rows;
mod scan;
#[cfg(test)]
mod tests;

pub use document::{Document, DocumentId, DocumentRange, SetRef};
pub use rows::Rows;
pub use scan::Gathered;

use crate::block::{Block, HeldSets, SharedSets};
use crate::store::ChunkMetadata;
use crate::{ChunkStore, EngineError, Problems, SignatureBlock, Valueless};
use lookalike_core::{TextDigest, TokenDigest};
use lookalike_io::Inputs;
use lookalike_io::source::{ChunkPosition, SkippedRecords};
use lookalike_join::ChunkId;
use lookalike_methods::Unsigned;
use names::{Names, Ranks};
use std::collections::BTreeMap;
use std::io;

/// Sets per chunk of a collection without documents ([`Collection::of_sets`]): the unit of work of
/// a thread.
const SETS_IN_CHUNK: usize = 1 << 12;

/// Documents in which characters were replaced by the ASCII characters that they look like.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReplacedDocuments {
    /// Documents with such characters.
    pub documents: u64,
    /// Those in which they stand beside ASCII letters in a word.
    pub mixed: u64,
}

/// All documents of a run, with what later steps need of them.
#[derive(Debug, Default)]
pub struct Collection {
    /// Whether freed memory is returned to the system
    /// ([`IngestOptions::trim_heap`](crate::IngestOptions)).
    pub(crate) trim_heap: bool,
    /// One for each chunk of the input.
    pub(crate) blocks: Vec<Block>,
    /// Chunks on disk.
    pub(crate) store: ChunkStore,
    /// One column of values for each keep rule that needs one, in the order of the rules.
    pub(crate) attributes: Vec<Vec<f64>>,
    /// The column of `attributes` that tells in which documents characters were replaced.
    pub(crate) replaced_at: Option<usize>,
    /// The column of `attributes` that has the keys of the values across which documents match
    /// ([`crate::across`]), if they do.
    pub(crate) values_at: Option<usize>,
    /// Key of the site of each document, if they were collected.
    pub(crate) sites: Vec<u64>,
    /// Records and files that could not be used, in input order.
    pub problems: Problems,
    /// Records that are no documents, by file; files without any are omitted.
    pub skipped: BTreeMap<u32, SkippedRecords>,
    /// First document of each file; one more entry than files.
    pub file_starts: Vec<u32>,
    /// First document of each chunk; one more entry than chunks.
    pub(crate) chunk_starts: Vec<u32>,
    /// Position of each chunk in the inputs.
    pub(crate) chunk_places: Vec<ChunkPosition>,
    /// Names of the files, for documents without an id.
    pub(crate) file_names: Vec<String>,
    /// Whether all of a file is one document, by file.
    pub(crate) whole_files: Vec<bool>,
    /// The first protected file: documents of this file and those after it are never removed.
    pub first_protected_file: u32,
    /// Sets with fewer elements are not compared.
    pub(crate) least_size: u32,
    /// Documents with fewer tokens have no features.
    pub(crate) least_tokens: u32,
    /// Number of chunks restored from an interrupted run.
    pub restored: u32,
    /// Whether those were all chunks. If not, the checkpoints of later steps are not used: which
    /// sets are stored twice depends on the memory budget, which may have changed.
    pub restored_whole: bool,
    /// Bytes of the interrupted run's file that were damaged and read again from the inputs.
    pub dropped: u64,
    /// Names loaded by [`Collection::load_names`].
    names: Names,
    /// Ranks computed by [`Collection::rank_names`].
    ranks: Ranks,
}

impl Collection {
    pub(crate) fn for_inputs(inputs: &Inputs, first_protected_file: u32) -> Self {
        Self {
            file_names: inputs.files.iter().map(|file| file.name.clone()).collect(),
            whole_files: inputs.files.iter().map(|file| file.format.is_document()).collect(),
            chunk_starts: vec![0],
            first_protected_file,
            ..Self::default()
        }
    }

    /// Whether a restored chunk can be the next one: all columns have as many rows as there are
    /// documents, files are in input order, and each set reference is to an earlier chunk or to
    /// this one.
    pub(crate) fn fits(&self, (block, metadata): &(Block, ChunkMetadata)) -> bool {
        let rows = &block.rows.documents;
        let columns = &metadata.attributes;
        let own = ChunkId(self.chunks());
        let stored = |place: SetRef| match place.chunk == own {
            true => (place.index as usize) < block.ends.len(),
            false => self
                .blocks
                .get(place.chunk.index())
                .is_some_and(|block| (place.index as usize) < block.ends.len()),
        };
        metadata.sequences.len() == block.ends.len()
            && columns.iter().all(|column| column.is_empty() || column.len() == rows.len())
            && rows.iter().all(|row| (row.file as usize) < self.file_names.len())
            && rows.is_sorted_by_key(|row| (row.file, row.record))
            && rows.iter().filter_map(|row| row.set.ok()).all(stored)
    }

    /// A collection of given sets: arbitrary numbers, distinct within a set. Each set is a
    /// document, named by its index from `0`; there are no texts.
    ///
    /// ```
    /// use lookalike_engine::{
    ///     Approach, Collection, Linkage, MatchOptions, MatchSettings, SetId, Silent, Units, find,
    /// };
    ///
    /// let collection = Collection::of_sets([vec![1, 2, 3, 4], vec![1, 2, 3, 4, 5], vec![9]]);
    /// let settings = MatchSettings::resemblance("0.8".parse()?);
    /// let units = Units::new(&collection, &[], settings.measure, &Silent)?;
    /// let options = MatchOptions::in_memory(Linkage::Leaders);
    /// let matches =
    ///     find(&collection, &units, &settings, &Approach::default(), &options, &Silent)?;
    /// assert_eq!(matches.leader, [0, 0, 2].map(SetId));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn of_sets(sets: impl IntoIterator<Item = Vec<u64>>) -> Self {
        let mut collection = Self {
            file_names: vec![String::new()],
            whole_files: vec![false],
            first_protected_file: u32::MAX,
            ..Self::default()
        };
        let empty = || Block { rows_held: true, ..Block::default() };
        let (mut block, mut elements) = (empty(), Vec::new());
        let mut documents = 0;
        collection.chunk_starts.push(0);
        for set in sets {
            if block.rows.documents.len() == SETS_IN_CHUNK {
                block.sets = SharedSets::new(HeldSets::arranged(None, &block.ends, &elements));
                elements.clear();
                collection.blocks.push(std::mem::replace(&mut block, empty()));
                collection.chunk_starts.push(documents);
            }
            let digest = lookalike_core::features::digest(&set);
            let place =
                SetRef { chunk: ChunkId(collection.chunks()), index: block.ends.len() as u32 };
            block.rows.ids.push(Some(&documents.to_string()));
            block.rows.documents.push(Document {
                file: 0,
                record: documents + 1,
                tokens: set.len() as u32,
                set: digest.map(|_| place).ok_or(Unsigned::Empty),
                text_bytes: 0,
                text: TextDigest(u128::from(documents)),
                sequence: TokenDigest(u128::from(documents)),
            });
            if let Some(digest) = digest {
                elements.extend(set);
                block.ends.push(elements.len() as u32);
                block.digests.push(digest);
            }
            documents += 1;
        }
        collection.file_starts = vec![0, documents];
        collection.chunk_starts.push(documents);
        block.sets = SharedSets::new(HeldSets::arranged(None, &block.ends, &elements));
        collection.blocks.push(block);
        collection
    }

    /// Number of documents.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.chunk_starts.last().copied().unwrap_or(0)
    }

    /// The numbers of all documents.
    #[must_use]
    pub fn documents(&self) -> DocumentRange {
        DocumentRange::new(0, self.len())
    }

    /// Bytes of the ids of documents whose rows are in memory.
    pub(crate) fn id_bytes(&self) -> usize {
        self.blocks.iter().map(|block| block.rows.ids.bytes()).sum()
    }

    /// Whether there are no documents.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of chunks.
    #[must_use]
    pub fn chunks(&self) -> u32 {
        self.blocks.len() as u32
    }

    /// The numbers of all chunks.
    pub fn chunk_ids(&self) -> impl ExactSizeIterator<Item = ChunkId> + use<> {
        (0..self.chunks()).map(ChunkId)
    }

    /// The chunk of a document, and its row there.
    pub(super) fn locate(&self, document: DocumentId) -> (ChunkId, usize) {
        let chunk = self.chunk_starts.partition_point(|&start| start <= document.0) - 1;
        (ChunkId(chunk as u32), document.offset_from(DocumentId(self.chunk_starts[chunk])))
    }

    /// Whether the document is protected (never removed).
    #[must_use]
    pub fn is_protected(&self, document: DocumentId) -> bool {
        let first = self.file_starts.get(self.first_protected_file as usize);
        first.is_some_and(|&first| document.0 >= first)
    }

    /// Documents without a value for a keep rule, by index of the rule; protected documents are not
    /// counted.
    #[must_use]
    pub fn valueless(&self, rule: usize) -> Valueless {
        Valueless::count(self.own_values(rule))
    }

    /// The first of `count` values of a rule `prefer(…)` that no document has, by indices of the
    /// rule and of the value; protected documents are not counted.
    #[must_use]
    pub fn unused_preference(&self, rule: usize, count: usize) -> Option<usize> {
        let mut used = vec![false; count];
        for value in self.own_values(rule).iter().filter(|value| !value.is_nan()) {
            // The place of the value among those of the rule.
            if let Some(used) = used.get_mut(*value as usize) {
                *used = true;
            }
        }
        used.iter().position(|used| !used)
    }

    /// Counts of documents in which characters were replaced by the ASCII characters that they
    /// look like; protected documents are not counted. `None` if none are replaced.
    #[must_use]
    pub fn replaced(&self) -> Option<ReplacedDocuments> {
        let values = self.own_values(self.replaced_at?);
        let count = |least: f64| values.iter().filter(|&&value| value >= least).count() as u64;
        Some(ReplacedDocuments { documents: count(1.0), mixed: count(2.0) })
    }

    /// Whether documents match only across the values of something: then documents of one unit do not
    /// match each other.
    #[must_use]
    pub fn matches_across(&self) -> bool {
        self.values_at.is_some()
    }

    /// The key of the value of a document ([`crate::across::value_key`]); 0 where values do not count.
    #[must_use]
    pub fn value_key(&self, document: DocumentId) -> u64 {
        self.values_at.map_or(0, |column| self.attributes[column][document.index()] as u64)
    }

    /// The values of a keep rule, of the documents that are not protected.
    fn own_values(&self, rule: usize) -> &[f64] {
        let values = self.attributes.get(rule).map_or(&[][..], Vec::as_slice);
        let own = self.file_starts.get(self.first_protected_file as usize);
        let own = own.map_or(values.len(), |&end| values.len().min(end as usize));
        &values[..own]
    }

    /// The file of a document.
    #[must_use]
    pub fn file(&self, document: DocumentId) -> u32 {
        self.file_starts.partition_point(|&start| start <= document.0) as u32 - 1
    }

    /// The documents of a chunk of the input. Chunks are the same in every run over the same
    /// inputs.
    #[must_use]
    pub fn chunk_documents(&self, chunk: ChunkId) -> DocumentRange {
        let chunk = chunk.index();
        match self.chunk_starts.get(chunk..chunk + 2) {
            Some(bounds) => DocumentRange::new(bounds[0], bounds[1]),
            None => DocumentRange::new(0, 0),
        }
    }

    /// The chunk of a document.
    #[must_use]
    pub fn chunk_of(&self, document: DocumentId) -> ChunkId {
        self.locate(document).0
    }

    /// Position of a chunk in the inputs.
    #[must_use]
    pub fn chunk_place(&self, chunk: ChunkId) -> ChunkPosition {
        self.chunk_places.get(chunk.index()).copied().unwrap_or_default()
    }

    /// Reads a set from memory or disk and sorts it; replaces the content of `set`. `words` is a
    /// buffer.
    pub(crate) fn read_sorted(
        &self,
        place: SetRef,
        words: &mut Vec<u64>,
        set: &mut Vec<u64>,
    ) -> io::Result<()> {
        let block = &self.blocks[place.chunk.index()];
        match block.sets.get() {
            Some(held) => {
                set.clear();
                set.extend(block.get(&held, place.index).iter());
            }
            None => self.store.read_run(block, place.index..place.index + 1, words, set)?,
        }
        set.sort_unstable();
        Ok(())
    }

    /// Replaces `set` by a stored set, ascending, of a collection that was not joined. `words` is a
    /// buffer.
    ///
    /// # Errors
    /// A chunk on disk that cannot be read.
    pub fn sorted_set(
        &self,
        place: SetRef,
        words: &mut Vec<u64>,
        set: &mut Vec<u64>,
    ) -> Result<(), EngineError> {
        self.read_sorted(place, words, set).map_err(|error| self.store.error(&error))
    }

    /// Number of documents, without protected ones, that consist of boilerplate: their whole text
    /// is their only element, and they had others. Before the sets are joined, which may drop them
    /// from memory.
    ///
    /// # Errors
    /// A chunk on disk that cannot be read.
    pub fn only_boilerplate(&self) -> Result<u64, EngineError> {
        let mut alone = Vec::new();
        self.for_each(|number, document| {
            if let Ok(place) = document.set
                && self.set_size(document) == 1
                && !self.is_protected(number)
                && !matches!(
                    self.unsigned_row(document),
                    Some(Unsigned::Empty | Unsigned::TooShort)
                )
            {
                alone.push((place, document.sequence));
            }
        })?;
        let (mut words, mut set, mut found) = (Vec::new(), Vec::new(), 0);
        for (place, sequence) in alone {
            self.sorted_set(place, &mut words, &mut set)?;
            found += u64::from(set == [sequence.whole_text()]);
        }
        Ok(found)
    }

    /// Whether a set is the only one of its chunk, and the chunk is on disk only.
    pub(crate) fn is_alone_on_disk(&self, place: SetRef) -> bool {
        let block = &self.blocks[place.chunk.index()];
        block.ends.len() == 1 && !block.sets.is_held()
    }

    /// Reads the large set of a chunk on disk in pieces, in ascending order.
    pub(crate) fn read_pieces(&self, place: SetRef, each: impl FnMut(&[u64])) -> io::Result<()> {
        self.store.read_pieces(&self.blocks[place.chunk.index()], each)
    }

    /// The signatures of a chunk.
    #[must_use]
    pub fn signatures(&self, chunk: ChunkId) -> &SignatureBlock {
        &self.blocks[chunk.index()].signatures
    }

    /// Folder for temporary files.
    pub(crate) fn scratch_folder(&self) -> std::path::PathBuf {
        self.store.folder()
    }

    /// The reason why a document can match none: it has no feature or, with a method, no signature.
    ///
    /// # Errors
    /// A chunk on disk that cannot be read.
    pub fn unsigned(&self, document: DocumentId) -> Result<Option<Unsigned>, EngineError> {
        Ok(self.unsigned_row(&self.document(document)?))
    }

    /// As [`Collection::unsigned`], for a document that was read already.
    #[must_use]
    pub fn unsigned_row(&self, document: &Document) -> Option<Unsigned> {
        match *document {
            Document { set: Err(reason), .. } => Some(reason),
            Document { set: Ok(place), .. } => {
                let block = &self.blocks[place.chunk.index()];
                let signatures = &block.signatures;
                match document.tokens {
                    0 => return Some(Unsigned::Empty),
                    tokens if signatures.is_empty() && tokens < self.least_tokens => {
                        return Some(Unsigned::TooShort);
                    }
                    _ => {}
                }
                // No elements: sets are not stored, and the signature decides.
                if (1..self.least_size).contains(&block.size(place.index)) {
                    return Some(Unsigned::FewFeatures);
                }
                let unsigned = (!signatures.is_empty()).then(|| signatures.unsigned(place.index));
                // The document has tokens, but the method's term filter keeps none of them.
                unsigned.flatten().map(|reason| match reason {
                    Unsigned::Empty => Unsigned::NothingSelected,
                    reason => reason,
                })
            }
        }
    }

    /// Whether a method signed the document, or should have.
    #[must_use]
    pub fn is_signed(&self, document: &Document) -> bool {
        document.set.is_ok_and(|place| !self.blocks[place.chunk.index()].signatures.is_empty())
    }

    /// Number of features of a document; 0 if sets are not stored.
    #[must_use]
    pub fn set_size(&self, document: &Document) -> u32 {
        document.set.map_or(0, |place| self.blocks[place.chunk.index()].size(place.index))
    }
}
