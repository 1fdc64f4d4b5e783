//! The documents of a run in chunks, in the order of the collection.
//!
//! Chunks beyond the memory budget are in the [`ChunkStore`]: scans read it front to back, and
//! access to one document reads its chunk.

mod names;
mod rows;

pub use rows::Rows;

use crate::block::{Block, HeldSets, SharedSets};
use crate::heap;
use crate::sparse::SparseIndex;
use crate::store::ChunkMetadata;
use crate::{ChunkStore, EngineError, Problems, SignatureBlock, Valueless};
use lookalike_cluster::KeepRule;
use lookalike_core::{SetDigest, TextDigest, TokenDigest};
use lookalike_io::Inputs;
use lookalike_io::source::ChunkPosition;
use lookalike_methods::Unsigned;
use names::{Names, Ranks, Texts};
use rayon::prelude::*;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// One document. Documents are numbered in the order of (file name, record).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Document {
    /// Index of its file in [`Inputs::files`].
    pub file: u32,
    /// Its record number in the file, from 1.
    pub record: u32,
    /// Number of tokens.
    pub tokens: u32,
    /// Its feature set, if it has any features.
    pub set: Option<SetRef>,
    /// Bytes of text.
    pub text_bytes: u64,
    /// Digest of the original content ([`crate::original`]): equal for *identical* documents.
    pub text: TextDigest,
    /// Digest of the sequence of all tokens: equal for *lexically equivalent* documents.
    pub sequence: TokenDigest,
}

/// Location of a feature set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SetRef {
    /// The chunk that stores it.
    pub block: u32,
    /// Its index among the sets of the chunk.
    pub index: u32,
}

/// Rows of some documents, copied to memory.
#[derive(Debug)]
pub struct Gathered {
    which: SparseIndex,
    documents: Vec<Document>,
}

impl Gathered {
    /// The row of a document, if it was copied.
    #[must_use]
    pub fn get(&self, document: u32) -> Option<&Document> {
        self.documents.get(self.which.place(document)? as usize)
    }
}

/// Chunks per thread that a scan of rows reads ahead.
const PASSED_AHEAD: usize = 16;

/// Sets per chunk of a collection without documents ([`Collection::of_sets`]): the unit of work of
/// a thread.
const SETS_IN_CHUNK: usize = 1 << 12;

/// All documents of a run, with what later steps need of them.
#[derive(Debug, Default)]
pub struct Collection {
    /// One for each chunk of the input.
    pub(crate) blocks: Vec<Block>,
    /// Chunks on disk.
    pub(crate) store: ChunkStore,
    /// One column of values for each keep rule that needs one, in the order of the rules.
    pub(crate) attributes: Vec<Vec<f64>>,
    /// Records and files that could not be used, in input order.
    pub problems: Problems,
    /// Where each file's documents start; one more entry than files.
    pub file_starts: Vec<u32>,
    /// Where each chunk's documents start; one more entry than chunks.
    pub(crate) chunk_starts: Vec<u32>,
    /// Where each chunk lies in the inputs.
    pub(crate) chunk_places: Vec<ChunkPosition>,
    /// Names of the files, for documents without an id.
    pub(crate) file_names: Vec<String>,
    /// Whether all of a file is one document, by file.
    pub(crate) whole_files: Vec<bool>,
    /// Files from here on are those of `--against`: never removed.
    pub first_protected_file: u32,
    /// Sets with fewer elements are not compared.
    pub(crate) least_size: u32,
    /// Whether features are terms: then a document with tokens and without a set has no token that
    /// counts as a term.
    pub(crate) compares_terms: bool,
    /// Number of chunks restored from an interrupted run.
    pub restored: u32,
    /// Whether those were all chunks. If not, the checkpoints of later steps are not used: which
    /// sets are stored twice depends on the memory budget, which may have changed.
    pub restored_whole: bool,
    /// Bytes of the interrupted run's file that were damaged and read again from the inputs.
    pub dropped: u64,
    /// Fewest tokens with which a document without a set has common elements only; `None` where
    /// none are removed.
    pub(crate) tokens_of_common: Option<u32>,
    /// Names loaded by [`Collection::load_names`].
    names: Names,
    /// Ranks computed by [`Collection::rank_names`].
    ranks: Ranks,
}

impl Collection {
    pub(crate) fn for_inputs(inputs: &Inputs, first_protected_file: u32) -> Self {
        use lookalike_io::Format;
        Self {
            file_names: inputs.files.iter().map(|file| file.name.clone()).collect(),
            whole_files: inputs
                .files
                .iter()
                .map(|f| matches!(f.format, Format::Text | Format::Markdown | Format::Html))
                .collect(),
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
        let own = self.chunks();
        let stored = |place: SetRef| match place.block == own {
            true => (place.index as usize) < block.ends.len(),
            false => self
                .blocks
                .get(place.block as usize)
                .is_some_and(|block| (place.index as usize) < block.ends.len()),
        };
        metadata.sequences.len() == block.ends.len()
            && columns.iter().all(|column| column.is_empty() || column.len() == rows.len())
            && rows.iter().all(|row| (row.file as usize) < self.file_names.len())
            && rows.is_sorted_by_key(|row| (row.file, row.record))
            && rows.iter().filter_map(|row| row.set).all(stored)
    }

    /// A collection of given sets: arbitrary numbers, distinct within a set. Each set is a
    /// document, named by its index from `0`; there are no texts.
    ///
    /// ```
    /// use lookalike_engine::{Approach, Collection, Linkage, MatchOptions, MatchSettings, Silent, Units, find};
    ///
    /// let collection = Collection::of_sets([vec![1, 2, 3, 4], vec![1, 2, 3, 4, 5], vec![9]]);
    /// let settings = MatchSettings::resemblance("0.8".parse()?);
    /// let units = Units::new(&collection, &[], settings.measure)?;
    /// let options = MatchOptions::in_memory(Linkage::Leaders);
    /// let matches =
    ///     find(&collection, &units, &settings, &Approach::default(), &options, &Silent)?;
    /// assert_eq!(matches.leader, [0, 0, 2]);
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
                SetRef { block: collection.blocks.len() as u32, index: block.ends.len() as u32 };
            block.rows.ids.push(Some(&documents.to_string()));
            block.rows.documents.push(Document {
                file: 0,
                record: documents + 1,
                tokens: set.len() as u32,
                set: digest.map(|_| place),
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

    /// Bytes of the ids of documents whose rows are in memory.
    pub(crate) fn id_bytes(&self) -> usize {
        self.blocks.iter().map(|block| block.rows.ids.bytes()).sum()
    }

    /// Whether there are no documents.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The rows of a chunk, from memory or disk.
    ///
    /// # Errors
    /// A chunk on disk that cannot be read.
    pub fn rows(&self, chunk: u32) -> Result<Cow<'_, Rows>, EngineError> {
        let block = &self.blocks[chunk as usize];
        match block.rows_held {
            true => Ok(Cow::Borrowed(&block.rows)),
            false => Ok(Cow::Owned(self.read_rows(chunk)?.0)),
        }
    }

    fn read_rows(&self, chunk: u32) -> Result<(Rows, Vec<SetDigest>), EngineError> {
        let documents = self.chunk_documents(chunk).len();
        let frame = self.blocks[chunk as usize].frame;
        let rows = self.store.rows(frame, documents, self.attributes.len());
        rows.map_err(|error| self.store.error(&error))
    }

    /// The rows of a chunk and the digests of the sets that it stores.
    fn rows_and_digests(
        &self,
        chunk: u32,
    ) -> Result<(Cow<'_, Rows>, Cow<'_, [SetDigest]>), EngineError> {
        let block = &self.blocks[chunk as usize];
        if block.rows_held && block.digests.len() == block.ends.len() {
            return Ok((Cow::Borrowed(&block.rows), Cow::Borrowed(&block.digests)));
        }
        let (rows, digests) = self.read_rows(chunk)?;
        Ok((Cow::Owned(rows), Cow::Owned(digests)))
    }

    /// Number of chunks.
    #[must_use]
    pub fn chunks(&self) -> u32 {
        self.blocks.len() as u32
    }

    /// Visits all documents, in order, with their numbers.
    ///
    /// # Errors
    /// A chunk on disk that cannot be read.
    pub fn for_each(&self, mut each: impl FnMut(u32, &Document)) -> Result<(), EngineError> {
        for chunk in 0..self.chunks() {
            let rows = self.rows(chunk)?;
            self.chunk_documents(chunk).zip(&rows.documents).for_each(|(n, row)| each(n, row));
        }
        Ok(())
    }

    /// Scans the rows of the `wanted` chunks on all threads; `take` receives the results of `each`
    /// in order. A chunk on disk is read once; few results per thread are in memory at a time.
    ///
    /// # Errors
    /// A chunk on disk that cannot be read.
    pub fn pass<T: Send>(
        &self,
        wanted: impl Fn(Range<u32>) -> bool,
        each: impl Fn(Range<u32>, &Rows) -> T + Sync,
        mut take: impl FnMut(T),
    ) -> Result<(), EngineError> {
        let chunks: Vec<u32> =
            (0..self.chunks()).filter(|&chunk| wanted(self.chunk_documents(chunk))).collect();
        let make = |chunk| Ok(each(self.chunk_documents(chunk), &*self.rows(chunk)?));
        in_order(&chunks, make, |made| {
            take(made);
            true
        })
    }

    /// As [`Collection::pass`] over all chunks, with the digests of the sets that each chunk
    /// stores.
    pub(crate) fn pass_with_digests<T: Send>(
        &self,
        each: impl Fn(Range<u32>, &Rows, &[SetDigest]) -> T + Sync,
        mut take: impl FnMut(T),
    ) -> Result<(), EngineError> {
        let chunks: Vec<u32> = (0..self.chunks()).collect();
        let make = |chunk| {
            let (rows, digests) = self.rows_and_digests(chunk)?;
            Ok(each(self.chunk_documents(chunk), &rows, &digests))
        };
        in_order(&chunks, make, |made| {
            take(made);
            true
        })
    }

    /// One document. If it is on disk, its whole chunk is read.
    ///
    /// # Errors
    /// A chunk on disk that cannot be read.
    pub fn document(&self, document: u32) -> Result<Document, EngineError> {
        let (chunk, row) = self.locate(document);
        Ok(self.rows(chunk)?.documents[row])
    }

    /// Copies some documents to memory, to be accessed repeatedly.
    ///
    /// # Errors
    /// A chunk on disk that cannot be read.
    pub fn gather(&self, wanted: impl Fn(u32) -> bool) -> Result<Gathered, EngineError> {
        let which = SparseIndex::new(self.len(), wanted);
        let wanted = |document: &u32| which.place(*document).is_some();
        let mut documents = Vec::with_capacity(which.len() as usize);
        self.pass(
            |mut documents| documents.any(|document| wanted(&document)),
            |documents, rows| -> Vec<Document> {
                let rows = documents.zip(&rows.documents);
                rows.filter(|(document, _)| wanted(document)).map(|(_, row)| *row).collect()
            },
            |rows| documents.extend(rows),
        )?;
        Ok(Gathered { which, documents })
    }

    /// The chunk of a document, and its row there.
    fn locate(&self, document: u32) -> (u32, usize) {
        let chunk = self.chunk_starts.partition_point(|&start| start <= document) - 1;
        (chunk as u32, (document - self.chunk_starts[chunk]) as usize)
    }

    /// The document's name: its id, else the name of its file, with the record number where a file
    /// has many documents.
    ///
    /// # Errors
    /// A chunk on disk that cannot be read; none for loaded names ([`Collection::load_names`]).
    pub fn name(&self, document: u32) -> Result<Cow<'_, str>, EngineError> {
        if let Some(name) = self.names.get(document) {
            return Ok(Cow::Borrowed(name));
        }
        let (chunk, row) = self.locate(document);
        let written = |(name, record): (&str, Option<u32>)| match record {
            None => name.to_owned(),
            Some(record) => format!("{name}:{record}"),
        };
        Ok(match self.rows(chunk)? {
            Cow::Borrowed(rows) => match self.name_parts(rows, row) {
                (name, None) => Cow::Borrowed(name),
                parts => Cow::Owned(written(parts)),
            },
            Cow::Owned(rows) => Cow::Owned(written(self.name_parts(&rows, row))),
        })
    }

    /// The two parts of a name; the second is written after a colon.
    fn name_parts<'a>(&'a self, rows: &'a Rows, row: usize) -> (&'a str, Option<u32>) {
        if let Some(id) = rows.ids.get(row) {
            return (id, None);
        }
        let Document { file, record, .. } = rows.documents[row];
        let many = !self.whole_files[file as usize];
        (&self.file_names[file as usize], many.then_some(record))
    }

    /// The name of the document's file.
    #[must_use]
    pub fn file_name(&self, document: u32) -> &str {
        self.file_names.get(self.file(document) as usize).map_or("", String::as_str)
    }

    /// The name of the document's file, and its record number there, from 1.
    ///
    /// # Errors
    /// As [`Collection::name`].
    pub fn place(&self, document: u32) -> Result<(&str, u32), EngineError> {
        let file = self.file_name(document);
        let record = match self.names.record(document) {
            Some(record) => record,
            None => self.document(document)?.record,
        };
        Ok((file, record))
    }

    /// Loads the names and record numbers of some documents whose rows are on disk, so that
    /// [`Collection::name`], [`Collection::place`] and [`Collection::compare_names`] need not read
    /// their chunks. Replaces the names loaded before.
    ///
    /// # Errors
    /// A chunk on disk that cannot be read.
    pub fn load_names(&mut self, wanted: impl Fn(u32) -> bool) -> Result<(), EngineError> {
        self.names = Names::default();
        let on_disk = |document| !self.blocks[self.locate(document).0 as usize].rows_held;
        if self.blocks.iter().all(|block| block.rows_held) {
            return Ok(());
        }
        let which = SparseIndex::new(self.len(), |document| wanted(document) && on_disk(document));
        let (mut texts, mut records) = (Texts::default(), Vec::new());
        self.pass(
            |mut documents| documents.any(|document| which.place(document).is_some()),
            |documents, rows| {
                let first = documents.start;
                let (mut texts, mut records) = (Texts::default(), Vec::new());
                self.names_in(documents, rows, &mut |document, name| {
                    if which.place(document).is_some() {
                        texts.push(name);
                        records.push(rows.documents[(document - first) as usize].record);
                    }
                });
                (texts, records)
            },
            |(more, mut numbers): (Texts, Vec<u32>)| {
                texts.append(&more);
                records.append(&mut numbers);
            },
        )?;
        self.names = Names::new(which, texts, records);
        Ok(())
    }

    /// Loads all names if ties between documents are broken by name ([`KeepRule::First`] leaves no
    /// ties).
    ///
    /// # Errors
    /// A chunk on disk that cannot be read.
    pub fn load_names_for_ties(&mut self, keep: &[KeepRule]) -> Result<(), EngineError> {
        match keep.contains(&KeepRule::First) {
            true => Ok(()),
            false => self.load_names(|_| true),
        }
    }

    /// Sorts some documents by name, so that [`Collection::compare_names`] compares ranks.
    ///
    /// # Errors
    /// A chunk on disk that cannot be read.
    pub fn rank_names(&mut self, wanted: impl Fn(u32) -> bool) -> Result<(), EngineError> {
        self.ranks = Ranks::default();
        let which = SparseIndex::new(self.len(), wanted);
        let Some(first) = which.iter().next() else { return Ok(()) };
        let first = self.name(first)?.into_owned();
        let first = first.as_bytes();
        let mut common = first.len();
        let shorten = |common: &mut usize, name: &str| {
            *common = names::in_common(&first[..*common], name.as_bytes());
        };
        self.pass_names(&which, || first.len(), shorten, |own| common = common.min(own))?;
        let mut heads = Vec::with_capacity(which.len() as usize);
        let head =
            |heads: &mut Vec<u64>, name: &str| heads.push(names::head(name.as_bytes(), common));
        self.pass_names(&which, Vec::new, head, |more| heads.extend(more))?;
        self.ranks = Ranks::new(which, heads, |a, b| self.compare_names(a, b))?;
        Ok(())
    }

    /// Scans some names on all threads: the names of each chunk go into a `new` accumulator, and
    /// `take` receives the accumulators in order.
    fn pass_names<T: Send>(
        &self,
        which: &SparseIndex,
        new: impl Fn() -> T + Sync,
        add: impl Fn(&mut T, &str) + Sync,
        take: impl FnMut(T),
    ) -> Result<(), EngineError> {
        self.pass(
            |mut documents| documents.any(|document| which.place(document).is_some()),
            |documents, rows| {
                let mut made = new();
                self.names_in(documents, rows, &mut |document, name| {
                    if which.place(document).is_some() {
                        add(&mut made, name);
                    }
                });
                made
            },
            take,
        )
    }

    /// Visits the names of a chunk's documents; `rows` are the rows of the chunk.
    pub fn names_in(&self, documents: Range<u32>, rows: &Rows, each: &mut dyn FnMut(u32, &str)) {
        let mut written = String::new();
        for (row, document) in documents.enumerate() {
            match self.name_parts(rows, row) {
                (name, None) => each(document, name),
                (name, Some(record)) => {
                    written.clear();
                    written.push_str(name);
                    written.push(':');
                    written.push_str(&record.to_string());
                    each(document, &written);
                }
            }
        }
    }

    /// Releases chunks, the last ones first, until rows and sets take at most `bytes` of memory.
    /// Chunks that are not on disk yet are spilled.
    ///
    /// # Errors
    /// A temporary file that cannot be written.
    pub fn hold_at_most(&mut self, bytes: u64) -> Result<(), EngineError> {
        let mut held = self.held_bytes();
        let Self { blocks, store, attributes, .. } = self;
        let mut released = false;
        for block in blocks.iter_mut().rev().filter(|block| block.sets.is_held()) {
            if held <= bytes {
                break;
            }
            held = held.saturating_sub(block.bytes());
            store.write_behind(block, attributes.len())?;
            block.release();
            released = true;
        }
        if released {
            heap::give_back();
        }
        Ok(())
    }

    /// Prepares a collection that is partly on disk for a join in bounded memory: spills the chunks
    /// in memory as well and releases all rows, so that the join can release the sets after its
    /// scans ([`Collection::release_scanned`]). Does nothing if the whole collection is in memory.
    ///
    /// # Errors
    /// A temporary file that cannot be written.
    pub fn spill_for_join(&mut self) -> Result<(), EngineError> {
        if self.is_held() {
            return Ok(());
        }
        let Self { blocks, store, attributes, .. } = self;
        for block in blocks {
            store.write_behind(block, attributes.len())?;
            block.release_rows();
        }
        heap::give_back();
        Ok(())
    }

    /// Releases the sets that are both in memory and on disk, unless the whole collection is in
    /// memory. A join calls this after its scans over all sets; a join that is still scanning holds
    /// its own references.
    pub(crate) fn release_scanned(&self) {
        if self.is_held() {
            return;
        }
        for block in self.blocks.iter().filter(|block| block.frame.is_some()) {
            drop(block.sets.release());
        }
        heap::give_back();
    }

    /// Takes the sets out of memory: freeing them is slow, and the caller may do it on another
    /// thread.
    pub(crate) fn take_sets(&mut self) -> Vec<Arc<HeldSets>> {
        self.blocks.iter().filter_map(|block| block.sets.release()).collect()
    }

    /// Loads the rows of chunks on disk, the first chunks first, while rows and sets take at most
    /// `bytes` of memory.
    ///
    /// # Errors
    /// A chunk on disk that cannot be read.
    pub fn hold_rows(&mut self, bytes: u64) -> Result<(), EngineError> {
        let mut left = bytes.saturating_sub(self.held_bytes());
        let missing: Vec<u32> =
            (0..self.chunks()).filter(|&chunk| !self.blocks[chunk as usize].rows_held).collect();
        let mut back = Vec::new();
        let read = |chunk| Ok(self.read_rows(chunk)?.0);
        in_order(&missing, read, |rows: Rows| {
            let Some(rest) = left.checked_sub(rows.bytes()) else { return false };
            left = rest;
            back.push(rows);
            true
        })?;
        for (chunk, rows) in missing.into_iter().zip(back) {
            let block = &mut self.blocks[chunk as usize];
            (block.rows, block.rows_held) = (rows, true);
        }
        Ok(())
    }

    /// Bytes of rows and sets in memory.
    fn held_bytes(&self) -> u64 {
        self.blocks.iter().map(Block::bytes).sum()
    }

    /// Whether the document is one of `--against`, which are never removed.
    #[must_use]
    pub fn is_protected(&self, document: u32) -> bool {
        let first = self.file_starts.get(self.first_protected_file as usize);
        first.is_some_and(|&first| document >= first)
    }

    /// Documents without a value for a keep rule, by index of the rule; `--against` is not counted.
    #[must_use]
    pub fn valueless(&self, rule: usize) -> Valueless {
        let values = self.attributes.get(rule).map_or(&[][..], Vec::as_slice);
        let own = self.file_starts.get(self.first_protected_file as usize);
        let own = own.map_or(values.len(), |&end| values.len().min(end as usize));
        Valueless::count(&values[..own])
    }

    /// The file of a document.
    #[must_use]
    pub fn file(&self, document: u32) -> u32 {
        self.file_starts.partition_point(|&start| start <= document) as u32 - 1
    }

    /// The documents of a chunk of the input. Chunks are the same in every run over the same
    /// inputs.
    #[must_use]
    pub fn chunk_documents(&self, chunk: u32) -> Range<u32> {
        let chunk = chunk as usize;
        match self.chunk_starts.get(chunk..chunk + 2) {
            Some(bounds) => bounds[0]..bounds[1],
            None => 0..0,
        }
    }

    /// The chunk of a document.
    #[must_use]
    pub fn chunk_of(&self, document: u32) -> u32 {
        self.locate(document).0
    }

    /// Position of a chunk in the inputs.
    #[must_use]
    pub fn chunk_place(&self, chunk: u32) -> ChunkPosition {
        self.chunk_places.get(chunk as usize).copied().unwrap_or_default()
    }

    /// Reads a set from memory or disk and sorts it; replaces the content of `set`. `words` is a
    /// buffer.
    pub(crate) fn read_sorted(
        &self,
        place: SetRef,
        words: &mut Vec<u64>,
        set: &mut Vec<u64>,
    ) -> io::Result<()> {
        let block = &self.blocks[place.block as usize];
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

    /// Whether a set is the only one of its chunk, and the chunk is on disk only.
    pub(crate) fn is_alone_on_disk(&self, place: SetRef) -> bool {
        let block = &self.blocks[place.block as usize];
        block.ends.len() == 1 && !block.sets.is_held()
    }

    /// Reads the large set of a chunk on disk in pieces, in ascending order.
    pub(crate) fn read_pieces(&self, place: SetRef, each: impl FnMut(&[u64])) -> io::Result<()> {
        self.store.read_pieces(&self.blocks[place.block as usize], each)
    }

    /// Whether the sets of all chunks are in memory.
    pub(crate) fn is_held(&self) -> bool {
        self.blocks.iter().all(|block| block.sets.is_held())
    }

    /// The signatures of a chunk.
    #[must_use]
    pub fn signatures(&self, chunk: u32) -> &SignatureBlock {
        &self.blocks[chunk as usize].signatures
    }

    /// Frees sets and signatures; rows are kept.
    pub fn drop_sets(&mut self) {
        for block in &mut self.blocks {
            block.sets = SharedSets::new(HeldSets::default());
            block.ends.fill(0);
            block.signatures = SignatureBlock::default();
        }
    }

    /// Folder for temporary files.
    pub(crate) fn scratch_folder(&self) -> std::path::PathBuf {
        self.store.folder()
    }

    /// Bytes on disk.
    #[must_use]
    pub fn stored(&self) -> u64 {
        self.store.stored()
    }

    /// The reason why a document can match none: it has no feature or, with a method, no signature.
    ///
    /// # Errors
    /// A chunk on disk that cannot be read.
    pub fn unsigned(&self, document: u32) -> Result<Option<Unsigned>, EngineError> {
        Ok(self.unsigned_row(&self.document(document)?))
    }

    /// As [`Collection::unsigned`], for a document that was read already.
    #[must_use]
    pub fn unsigned_row(&self, document: &Document) -> Option<Unsigned> {
        match *document {
            Document { tokens: 0, .. } => Some(Unsigned::Empty),
            Document { set: None, tokens, .. }
                if self.tokens_of_common.is_some_and(|least| tokens >= least) =>
            {
                Some(Unsigned::OnlyCommon)
            }
            // No shingle, or no token that counts as a term.
            Document { set: None, .. } if self.compares_terms => Some(Unsigned::NothingSelected),
            Document { set: None, .. } => Some(Unsigned::TooShort),
            Document { set: Some(place), .. } => {
                let block = &self.blocks[place.block as usize];
                // No elements: sets are not stored, and the signature decides.
                if (1..self.least_size).contains(&block.size(place.index)) {
                    return Some(Unsigned::FewFeatures);
                }
                let signatures = &block.signatures;
                let unsigned = (!signatures.is_empty()).then(|| signatures.unsigned(place.index));
                // The document has tokens, but the method's term filter keeps none of them.
                unsigned.flatten().map(|reason| match reason {
                    Unsigned::Empty => Unsigned::NothingSelected,
                    reason => reason,
                })
            }
        }
    }

    /// Number of features of a document; 0 if sets are not stored.
    #[must_use]
    pub fn set_size(&self, document: &Document) -> u32 {
        document.set.map_or(0, |place| self.blocks[place.block as usize].size(place.index))
    }

    /// The rank of a [ranked](Collection::rank_names) document in the order of
    /// [`Collection::compare_names`].
    #[must_use]
    pub fn name_rank(&self, document: u32) -> Option<u32> {
        self.ranks.get(document)
    }

    /// Orders two documents by name, then by position in the collection.
    ///
    /// # Errors
    /// As [`Collection::name`]; none for ranked names ([`Collection::rank_names`]).
    pub fn compare_names(&self, a: u32, b: u32) -> Result<Ordering, EngineError> {
        if a == b {
            return Ok(Ordering::Equal);
        }
        if let (Some(a), Some(b)) = (self.ranks.get(a), self.ranks.get(b)) {
            return Ok(a.cmp(&b));
        }
        let whole_names = || {
            let (x, y) = (self.name(a)?, self.name(b)?);
            Ok(x.as_bytes().cmp(y.as_bytes()).then(a.cmp(&b)))
        };
        let place = |document| {
            let (chunk, row) = self.locate(document);
            let block = &self.blocks[chunk as usize];
            block.rows_held.then(|| self.name_parts(&block.rows, row))
        };
        let (Some(x), Some(y)) = (place(a), place(b)) else {
            return whole_names();
        };
        // Does not build the names: millions of documents without an id are sorted by this
        // comparison.
        let order = match (x, y) {
            ((x, None), (y, None)) => x.cmp(y),
            ((x, Some(m)), (y, Some(n))) if x == y => compare_as_written(m, n),
            ((x, _), (y, _)) if !x.starts_with(y) && !y.starts_with(x) => x.cmp(y),
            _ => return whole_names(),
        };
        Ok(order.then(a.cmp(&b)))
    }
}

/// Runs `make` for each chunk on all threads and passes the results to `take` in order, until it
/// returns false.
fn in_order<T: Send>(
    chunks: &[u32],
    make: impl Fn(u32) -> Result<T, EngineError> + Sync,
    mut take: impl FnMut(T) -> bool,
) -> Result<(), EngineError> {
    for chunks in chunks.chunks(PASSED_AHEAD * rayon::current_num_threads()) {
        let made: Vec<Result<T, EngineError>> =
            chunks.par_iter().with_max_len(1).map(|&chunk| make(chunk)).collect();
        for made in made {
            if !take(made?) {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Compares the decimal digits of two numbers as text: 10 before 9, and 1 before 10.
fn compare_as_written(m: u32, n: u32) -> Ordering {
    let length = |number: u32| number.checked_ilog10().unwrap_or(0);
    let longer = length(m).max(length(n));
    let filled = |number: u32| u64::from(number) * 10u64.pow(longer - length(number));
    filled(m).cmp(&filled(n)).then(length(m).cmp(&length(n)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_as_if_they_were_written_out() {
        let mut collection = Collection {
            file_names: ["a", "a:1", "b", "a:", "z.txt"].map(String::from).to_vec(),
            whole_files: vec![false, false, false, false, true],
            ..Collection::default()
        };
        let ids = [None, Some("a:1"), Some("a:10"), Some("b:4294967295"), Some("a"), Some("z.txt")];
        let mut block = Block {
            rows_held: true,
            sets: SharedSets::new(HeldSets::default()),
            ..Block::default()
        };
        for file in 0..5 {
            for record in [1, 2, 9, 10, 11, 100, 1_000_000_000, u32::MAX] {
                for id in ids {
                    block.rows.ids.push(id);
                    block.rows.documents.push(Document {
                        file,
                        record,
                        ..Rows::unknown(1).documents[0]
                    });
                }
            }
        }
        let documents = block.rows.documents.len() as u32;
        collection.chunk_starts = vec![0, documents / 2, documents];
        let of_each = documents / 5;
        collection.file_starts = (0..=5).map(|file| file * of_each).collect();
        let mut second = Block {
            rows_held: true,
            sets: SharedSets::new(HeldSets::default()),
            ..Block::default()
        };
        second.rows.documents = block.rows.documents.split_off(documents as usize / 2);
        for row in documents as usize / 2..documents as usize {
            second.rows.ids.push(block.rows.ids.get(row));
        }
        collection.blocks = vec![block, second];
        compare_all(&collection);
        // The second half on disk: with loaded names, and read one by one.
        collection.store = ChunkStore::new(0, std::env::temp_dir());
        collection.store.take(&mut collection.blocks[1], &Default::default()).unwrap();
        let before: Vec<String> = (0..documents)
            .map(|document| collection.name(document).unwrap().into_owned())
            .collect();
        let places = |collection: &Collection| -> Vec<(String, u32)> {
            let place = |document| collection.place(document).unwrap();
            (0..documents).map(place).map(|(file, record)| (file.to_owned(), record)).collect()
        };
        let placed = places(&collection);
        assert_eq!((placed[0].0.as_str(), placed[0].1), ("a", 1));
        assert_eq!(placed.last(), Some(&("z.txt".to_owned(), u32::MAX)));
        collection.load_names(|document| document % 3 > 0).unwrap();
        assert!(
            (0..documents)
                .all(|document| collection.name(document).unwrap() == before[document as usize])
        );
        assert_eq!(places(&collection), placed);
        compare_all(&collection);
        // With ranks of some documents.
        collection.rank_names(|document| document % 2 > 0).unwrap();
        compare_all(&collection);
        // Rows loaded again: within too small a budget, then all.
        collection.load_names(|_| false).unwrap();
        collection.rank_names(|_| false).unwrap();
        for (room, back) in [(100, false), (u64::MAX, true)] {
            collection.hold_rows(room).unwrap();
            assert_eq!(collection.blocks[1].rows_held, back);
            assert!((0..documents).all(|n| collection.name(n).unwrap() == before[n as usize]));
            assert_eq!(places(&collection), placed);
            compare_all(&collection);
        }
    }

    /// A checkpoint with unresolvable references must not be used: they would refer to the sets of
    /// other documents.
    #[test]
    fn restored_chunks_refer_backwards_and_to_sets_that_exist() {
        let block = |sets: u32, places: &[SetRef]| {
            let mut block = Block::default();
            for (record, &place) in (1..).zip(places) {
                let row = Document { record, set: Some(place), ..Rows::unknown(1).documents[0] };
                block.rows.documents.push(row);
            }
            block.ends = vec![0; sets as usize];
            let sequences = vec![TokenDigest(0); sets as usize];
            (block, ChunkMetadata { sequences, ..ChunkMetadata::default() })
        };
        let at = |block, index| SetRef { block, index };
        let mut collection = Collection {
            file_names: vec!["a".to_owned()],
            blocks: vec![block(2, &[]).0],
            ..Collection::default()
        };
        for (places, fits) in [
            (&[at(0, 0), at(0, 1), at(1, 0), at(1, 2)][..], true),
            (&[at(0, 2)], false),
            (&[at(1, 3)], false),
            (&[at(2, 0)], false),
            (&[at(u32::MAX, 0)], false),
        ] {
            assert_eq!(collection.fits(&block(3, places)), fits, "{places:?}");
        }
        let (block, mut metadata) = block(3, &[at(0, 0)]);
        metadata.attributes = vec![vec![1.0, 2.0]];
        assert!(!collection.fits(&(block, metadata)));
        collection.file_names.clear();
        let (block, metadata) = (Block::default(), ChunkMetadata::default());
        assert!(collection.fits(&(block, metadata)));
    }

    fn compare_all(collection: &Collection) {
        for a in 0..collection.len() {
            for b in 0..collection.len() {
                let (x, y) = (collection.name(a).unwrap(), collection.name(b).unwrap());
                let expected = x.as_bytes().cmp(y.as_bytes()).then(a.cmp(&b));
                assert_eq!(collection.compare_names(a, b).unwrap(), expected, "{x} and {y}");
            }
        }
    }
}
