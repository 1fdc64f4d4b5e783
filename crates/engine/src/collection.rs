//! The documents of a run, chunk by chunk, in the order of the collection.
//!
//! What memory has no room for is in the [`ChunkStore`]: whoever passes over all documents reads it front to
//! back, and whoever asks for one document reads its chunk.

mod names;
mod rows;

pub use rows::Rows;

use crate::block::{Block, HeldSets};
use crate::heap;
use crate::sparse::SparseIndex;
use crate::store::Remarks;
use crate::{ChunkStore, Problems, SignatureBlock, Valueless};
use lookalike_core::{Halves, SetDigest, TextDigest, TokenDigest};
use lookalike_io::Inputs;
use lookalike_io::source::Place;
use lookalike_methods::Unsigned;
use names::{Names, Ranks, Texts};
use rayon::prelude::*;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::{ControlFlow, Range};

/// One document. Its number in the collection is its place in the order of (file name, record).
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
    /// Digest of the original content ([`crate::original`]): equal for identical documents.
    pub text: TextDigest,
    /// Digest of the sequence of all tokens: equal for lexically equivalent documents.
    pub sequence: TokenDigest,
}

/// Where a feature set lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SetRef {
    /// The chunk that brought it.
    pub block: u32,
    /// Index among the sets of the chunk.
    pub index: u32,
}

/// Some documents of a collection.
#[derive(Debug)]
pub struct Gathered {
    which: SparseIndex,
    documents: Vec<Document>,
}

impl Gathered {
    /// A document, if it is one of them.
    #[must_use]
    pub fn get(&self, document: u32) -> Option<&Document> {
        self.documents.get(self.which.place(document)? as usize)
    }
}

/// Chunks whose rows are passed over at a time, for each thread.
const PASSED_AHEAD: usize = 16;

/// Sets that were made elsewhere in a chunk: what one thread passes over.
const SETS_IN_CHUNK: usize = 1 << 12;

/// All documents of a run and what the later steps need of them.
#[derive(Debug, Default)]
pub struct Collection {
    /// One for each chunk of the input.
    pub(crate) blocks: Vec<Block>,
    /// What memory has no room for.
    pub(crate) store: ChunkStore,
    /// One column of numbers for each keep rule that needs one, in the order of the rules.
    pub(crate) attributes: Vec<Vec<f64>>,
    /// Records and files that could not be used, in input order.
    pub problems: Problems,
    /// Where each file's documents start; one more entry than files.
    pub file_starts: Vec<u32>,
    /// Where each chunk's documents start; one more entry than chunks.
    pub(crate) chunk_starts: Vec<u32>,
    /// Where each chunk lies in the inputs.
    pub(crate) chunk_places: Vec<Place>,
    /// Names of the files, for documents without an id.
    pub(crate) file_names: Vec<String>,
    /// Whether a file's records are one document a file.
    pub(crate) whole_files: Vec<bool>,
    /// Files from here on are those of `--against`: never removed.
    pub first_protected_file: u32,
    /// Sets with fewer elements are not compared.
    pub(crate) least_size: u32,
    /// Whether terms are compared: a document with tokens and without a set has none that counts.
    pub(crate) compares_terms: bool,
    /// Chunks that an earlier run had read.
    pub restored: u32,
    /// Whether those were all. If not, the checkpoints of later steps are not used: which sets are
    /// stored again depends on the memory budget, which may be another one now.
    pub restored_whole: bool,
    /// Bytes that it left and that were damaged: what they held was read again.
    pub dropped: u64,
    /// The least number of tokens from which on a document without a set has nothing but common elements.
    pub(crate) tokens_of_common: Option<u32>,
    /// Names that were asked for beforehand.
    names: Names,
    /// The order of names that was asked for beforehand.
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

    /// Whether a restored chunk can come next: all columns as long as there are documents, files in the
    /// order of the inputs, and each reference to a set of an earlier chunk or of its own.
    pub(crate) fn fits(&self, (block, remarks): &(Block, Remarks)) -> bool {
        let rows = &block.rows.documents;
        let columns = &remarks.attributes;
        let own = self.chunks();
        let stored = |place: SetRef| match place.block == own {
            true => (place.index as usize) < block.ends.len(),
            false => self
                .blocks
                .get(place.block as usize)
                .is_some_and(|block| (place.index as usize) < block.ends.len()),
        };
        remarks.sequences.len() == block.ends.len()
            && columns.iter().all(|column| column.is_empty() || column.len() == rows.len())
            && rows.iter().all(|row| (row.file as usize) < self.file_names.len())
            && rows.is_sorted_by_key(|row| (row.file, row.record))
            && rows.iter().filter_map(|row| row.set).all(stored)
    }

    /// A collection of sets that were made elsewhere: numbers of any kind, distinct within a set.
    /// Each is a document named after its place, `0` first; there are no texts.
    ///
    /// ```
    /// use lookalike_engine::{Approach, Collection, Linkage, MatchOptions, MatchSettings, Silent, Units, find};
    ///
    /// let mut collection = Collection::of_sets([vec![1, 2, 3, 4], vec![1, 2, 3, 4, 5], vec![9]]);
    /// let settings = MatchSettings::resemblance("0.8".parse()?);
    /// let units = Units::new(&collection, &[], settings.measure);
    /// let options = MatchOptions::in_memory(Linkage::Leaders);
    /// let matches =
    ///     find(&mut collection, &units, &settings, &Approach::default(), &options, &Silent)?;
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
        let empty = || Block { held: true, ..Block::default() };
        let (mut block, mut elements) = (empty(), Vec::new());
        let mut documents = 0;
        collection.chunk_starts.push(0);
        for set in sets {
            if block.rows.documents.len() == SETS_IN_CHUNK {
                block.sets = HeldSets::arranged(None, &block.ends, &elements);
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
        block.sets = HeldSets::arranged(None, &block.ends, &elements);
        collection.blocks.push(block);
        collection.store = ChunkStore::of_held(&collection.blocks);
        collection
    }

    /// Number of documents.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.chunk_starts.last().copied().unwrap_or(0)
    }

    /// Bytes of the ids that documents in memory bring with them.
    pub(crate) fn id_bytes(&self) -> usize {
        self.blocks.iter().map(|block| block.rows.ids.bytes()).sum()
    }

    /// Whether there are no documents.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The documents of a chunk, from wherever they are.
    #[must_use]
    pub fn rows(&self, chunk: u32) -> Cow<'_, Rows> {
        let block = &self.blocks[chunk as usize];
        match block.has_rows() {
            true => Cow::Borrowed(&block.rows),
            false => Cow::Owned(self.read_rows(chunk).0),
        }
    }

    fn read_rows(&self, chunk: u32) -> (Rows, Vec<SetDigest>) {
        let documents = self.chunk_documents(chunk).len();
        self.store.rows(self.blocks[chunk as usize].frame, documents, self.attributes.len())
    }

    /// The documents of a chunk and the digests of the sets that it stores.
    fn rows_and_digests(&self, chunk: u32) -> (Cow<'_, Rows>, Cow<'_, [SetDigest]>) {
        let block = &self.blocks[chunk as usize];
        if block.held {
            return (Cow::Borrowed(&block.rows), Cow::Borrowed(&block.digests));
        }
        let (rows, digests) = self.read_rows(chunk);
        (Cow::Owned(rows), Cow::Owned(digests))
    }

    /// Number of chunks.
    #[must_use]
    pub fn chunks(&self) -> u32 {
        self.blocks.len() as u32
    }

    /// Passes over all documents, in order, with their numbers.
    pub fn for_each(&self, mut each: impl FnMut(u32, &Document)) {
        for chunk in 0..self.chunks() {
            let rows = self.rows(chunk);
            self.chunk_documents(chunk).zip(&rows.documents).for_each(|(n, row)| each(n, row));
        }
    }

    /// Passes over the rows of those chunks that are `wanted`, on all threads: `take` gets what `each` makes of
    /// them, in order. Chunks on disk are read once; what a few of them for each thread give is in memory.
    pub fn pass<T: Send>(
        &self,
        wanted: impl Fn(Range<u32>) -> bool,
        each: impl Fn(Range<u32>, &Rows) -> T + Sync,
        mut take: impl FnMut(T),
    ) {
        let chunks: Vec<u32> =
            (0..self.chunks()).filter(|&chunk| wanted(self.chunk_documents(chunk))).collect();
        let make = |chunk| each(self.chunk_documents(chunk), &self.rows(chunk));
        in_order(&chunks, make, |made| {
            take(made);
            ControlFlow::Continue(())
        });
    }

    /// The same, with the digests of the sets that each chunk stores, of all chunks.
    pub(crate) fn pass_with_digests<T: Send>(
        &self,
        each: impl Fn(Range<u32>, &Rows, &[SetDigest]) -> T + Sync,
        mut take: impl FnMut(T),
    ) {
        let chunks: Vec<u32> = (0..self.chunks()).collect();
        let make = |chunk| {
            let (rows, digests) = self.rows_and_digests(chunk);
            each(self.chunk_documents(chunk), &rows, &digests)
        };
        in_order(&chunks, make, |made| {
            take(made);
            ControlFlow::Continue(())
        });
    }

    /// One document. Where it is on disk its whole chunk is read.
    #[must_use]
    pub fn document(&self, document: u32) -> Document {
        let (chunk, row) = self.locate(document);
        self.rows(chunk).documents[row]
    }

    /// Some documents, at hand: for whoever asks for them again and again.
    #[must_use]
    pub fn gather(&self, wanted: impl Fn(u32) -> bool) -> Gathered {
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
        );
        Gathered { which, documents }
    }

    /// The chunk of a document, and its place there.
    fn locate(&self, document: u32) -> (u32, usize) {
        let chunk = self.chunk_starts.partition_point(|&start| start <= document) - 1;
        (chunk as u32, (document - self.chunk_starts[chunk]) as usize)
    }

    /// The document's name: its id, else the name of its file, with the record number where a file
    /// holds many.
    #[must_use]
    pub fn name(&self, document: u32) -> Cow<'_, str> {
        if let Some(name) = self.names.get(document) {
            return Cow::Borrowed(name);
        }
        let (chunk, row) = self.locate(document);
        let written = |(name, record): (&str, Option<u32>)| match record {
            None => name.to_owned(),
            Some(record) => format!("{name}:{record}"),
        };
        match self.rows(chunk) {
            Cow::Borrowed(rows) => match self.name_parts(rows, row) {
                (name, None) => Cow::Borrowed(name),
                parts => Cow::Owned(written(parts)),
            },
            Cow::Owned(rows) => Cow::Owned(written(self.name_parts(&rows, row))),
        }
    }

    /// The name in two parts, the second to be written behind a colon.
    fn name_parts<'a>(&'a self, rows: &'a Rows, row: usize) -> (&'a str, Option<u32>) {
        if let Some(id) = rows.ids.get(row) {
            return (id, None);
        }
        let Document { file, record, .. } = rows.documents[row];
        let many = !self.whole_files[file as usize];
        (&self.file_names[file as usize], many.then_some(record))
    }

    /// Where the document stands: the name of its file, and its record number there, from 1.
    #[must_use]
    pub fn place(&self, document: u32) -> (&str, u32) {
        let file = self.file_names.get(self.file(document) as usize).map_or("", String::as_str);
        let record = self.names.record(document).unwrap_or_else(|| {
            let (chunk, row) = self.locate(document);
            self.rows(chunk).documents[row].record
        });
        (file, record)
    }

    /// Puts the names and places of some documents at hand: whoever is going to ask for them again and again
    /// would else read them from disk each time.
    pub fn load_names(&mut self, wanted: impl Fn(u32) -> bool) {
        self.names = Names::default();
        let on_disk = |document| !self.blocks[self.locate(document).0 as usize].has_rows();
        if self.is_held() {
            return;
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
        );
        self.names = Names::new(which, texts, records);
    }

    /// Sorts some documents by name, so that [`Collection::compare_names`] of any two of them is a look at their
    /// ranks.
    pub fn rank_names(&mut self, wanted: impl Fn(u32) -> bool) {
        self.ranks = Ranks::default();
        let which = SparseIndex::new(self.len(), wanted);
        let Some(first) = which.iter().next() else { return };
        let first = self.name(first).into_owned();
        let first = first.as_bytes();
        let mut common = first.len();
        let shorten = |common: &mut usize, name: &str| {
            *common = names::in_common(&first[..*common], name.as_bytes());
        };
        self.pass_names(&which, || first.len(), shorten, |own| common = common.min(own));
        let mut heads = Vec::with_capacity(which.len() as usize);
        let head =
            |heads: &mut Vec<u64>, name: &str| heads.push(names::head(name.as_bytes(), common));
        self.pass_names(&which, Vec::new, head, |more| heads.extend(more));
        self.ranks = Ranks::new(which, heads, |a, b| self.compare_names(a, b));
    }

    /// Passes over some names, on all threads: those of each chunk are added to a `new` something, and `take` gets
    /// these in order.
    fn pass_names<T: Send>(
        &self,
        which: &SparseIndex,
        new: impl Fn() -> T + Sync,
        add: impl Fn(&mut T, &str) + Sync,
        take: impl FnMut(T),
    ) {
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
        );
    }

    /// Passes over the names of the documents of a chunk, whose rows these are.
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

    /// Leaves to the store what is beyond so many bytes of rows and sets: the last chunks first.
    ///
    /// # Errors
    /// A temporary file that cannot be written.
    pub fn hold_at_most(&mut self, bytes: u64) -> Result<(), crate::EngineError> {
        let Self { blocks, store, attributes, .. } = self;
        let mut released = false;
        for block in blocks.iter_mut().rev().filter(|block| block.held) {
            if !store.release(block, attributes.len(), bytes)? {
                break;
            }
            released = true;
        }
        if released {
            heap::give_back();
        }
        Ok(())
    }

    /// Frees the sets that are in memory: once units were compared, nobody asks for them again. That takes the system
    /// a while, and is done beside what follows.
    pub fn let_go_of_sets(&mut self) {
        let held = self.blocks.iter_mut().filter(|block| block.held);
        let sets: Vec<HeldSets> = held
            .map(|block| {
                (block.held, block.rows_held) = (false, true);
                std::mem::take(&mut block.sets)
            })
            .collect();
        let free = move || {
            drop(sets);
            heap::give_back();
        };
        // Where there are no more threads, they are gone all the same.
        let _ = std::thread::Builder::new().name("free".into()).spawn(free);
    }

    /// Takes the rows of chunks that are on disk back to memory, first chunks first, as long as no more than so many
    /// bytes of rows and sets are held: once sets were compared, there is room, and rows are looked at again and
    /// again.
    pub fn hold_rows(&mut self, bytes: u64) {
        let mut left = bytes.saturating_sub(self.store.held());
        let missing: Vec<u32> =
            (0..self.chunks()).filter(|&chunk| !self.blocks[chunk as usize].has_rows()).collect();
        let mut back = Vec::new();
        let read = |chunk| self.read_rows(chunk).0;
        in_order(&missing, read, |rows: Rows| {
            let Some(rest) = left.checked_sub(rows.bytes()) else { return ControlFlow::Break(()) };
            left = rest;
            back.push(rows);
            ControlFlow::Continue(())
        });
        for (chunk, rows) in missing.into_iter().zip(back) {
            let block = &mut self.blocks[chunk as usize];
            (block.rows, block.rows_held) = (rows, true);
        }
    }

    /// Leaves all chunks to the store, unless all of them are in memory.
    pub(crate) fn leave_memory(&mut self) -> Result<(), crate::EngineError> {
        match self.is_held() {
            true => Ok(()),
            false => self.hold_at_most(0),
        }
    }

    /// Whether the document belongs to `--against` and is never removed.
    #[must_use]
    pub fn is_protected(&self, document: u32) -> bool {
        let first = self.file_starts.get(self.first_protected_file as usize);
        first.is_some_and(|&first| document >= first)
    }

    /// How many documents, those of `--against` left out, give no value to a keep rule, by its number.
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

    /// The documents that a chunk of the input brought; chunks are the same every time they are read.
    #[must_use]
    pub fn chunk_documents(&self, chunk: u32) -> Range<u32> {
        let chunk = chunk as usize;
        match self.chunk_starts.get(chunk..chunk + 2) {
            Some(bounds) => bounds[0]..bounds[1],
            None => 0..0,
        }
    }

    /// The chunk that brought a document.
    #[must_use]
    pub fn chunk_of(&self, document: u32) -> u32 {
        self.locate(document).0
    }

    /// Where a chunk lies in the inputs.
    #[must_use]
    pub fn chunk_place(&self, chunk: u32) -> Place {
        self.chunk_places.get(chunk as usize).copied().unwrap_or_default()
    }

    /// A set that has to be read, sorted; `words` is a buffer. It is empty if it cannot be read, and
    /// [`Collection::check`] says why.
    pub(crate) fn sorted_set<'a>(
        &self,
        place: SetRef,
        words: &mut Vec<u64>,
        set: &'a mut Vec<u64>,
    ) -> &'a [u64] {
        let run = place.index..place.index + 1;
        self.store.read_run(&self.blocks[place.block as usize], run, words, set);
        set.sort_unstable();
        set
    }

    /// Whether a set is the only one of its chunk.
    pub(crate) fn is_alone(&self, place: SetRef) -> bool {
        self.blocks[place.block as usize].ends.len() == 1
    }

    /// Reads a large set that is alone in its chunk piece by piece, in ascending order. If it cannot be read,
    /// [`Collection::check`] says why.
    pub(crate) fn pieces(&self, place: SetRef, each: impl FnMut(&[u64])) {
        self.store.read_pieces(&self.blocks[place.block as usize], each);
    }

    /// A set that is held in memory.
    pub(crate) fn held_set(&self, place: SetRef) -> Option<Halves<'_>> {
        let block = &self.blocks[place.block as usize];
        block.held.then(|| block.get(place.index))
    }

    /// Whether all chunks are held in memory.
    pub(crate) fn is_held(&self) -> bool {
        self.blocks.iter().all(|block| block.held)
    }

    /// The signatures of a chunk.
    #[must_use]
    pub fn signatures(&self, chunk: u32) -> &SignatureBlock {
        &self.blocks[chunk as usize].signatures
    }

    /// Forgets sets and signatures: only the documents are left.
    pub fn drop_sets(&mut self) {
        for block in &mut self.blocks {
            block.sets = HeldSets::default();
            block.ends.fill(0);
            block.signatures = SignatureBlock::default();
        }
    }

    /// Where temporary files are made.
    pub(crate) fn scratch_folder(&self) -> std::path::PathBuf {
        self.store.folder()
    }

    /// Bytes on disk.
    #[must_use]
    pub fn stored(&self) -> u64 {
        self.store.stored()
    }

    /// Whether all that was read from disk could be read.
    ///
    /// # Errors
    /// What went wrong first.
    pub fn check(&self) -> Result<(), crate::EngineError> {
        self.store.check()
    }

    /// Why a document can be in no pair: it has no feature or, where a method is used, no signature.
    #[must_use]
    pub fn unsigned(&self, document: u32) -> Option<Unsigned> {
        self.unsigned_row(&self.document(document))
    }

    /// The same, of a document at hand.
    #[must_use]
    pub fn unsigned_row(&self, document: &Document) -> Option<Unsigned> {
        match *document {
            Document { tokens: 0, .. } => Some(Unsigned::Empty),
            Document { set: None, tokens, .. }
                if self.tokens_of_common.is_some_and(|least| tokens >= least) =>
            {
                Some(Unsigned::OnlyCommon)
            }
            // No feature: no shingle, or no token that counts as a term.
            Document { set: None, .. } if self.compares_terms => Some(Unsigned::NothingSelected),
            Document { set: None, .. } => Some(Unsigned::TooShort),
            Document { set: Some(place), .. } => {
                let block = &self.blocks[place.block as usize];
                // No element means that no sets are kept; then signatures tell.
                if (1..self.least_size).contains(&block.size(place.index)) {
                    return Some(Unsigned::FewFeatures);
                }
                let signatures = &block.signatures;
                let unsigned = (!signatures.is_empty()).then(|| signatures.unsigned(place.index));
                // Tokens there are: it was the method's term filter that kept none of them.
                unsigned.flatten().map(|reason| match reason {
                    Unsigned::Empty => Unsigned::NothingSelected,
                    reason => reason,
                })
            }
        }
    }

    /// Number of features of a document; 0 where no sets are kept.
    #[must_use]
    pub fn set_size(&self, document: &Document) -> u32 {
        document.set.map_or(0, |place| self.blocks[place.block as usize].size(place.index))
    }

    /// A number that is the smaller the earlier the document comes by [`Collection::compare_names`], if it was
    /// [ranked](Collection::rank_names).
    #[must_use]
    pub fn name_rank(&self, document: u32) -> Option<u32> {
        self.ranks.get(document)
    }

    /// Orders two documents by name, then by place in the collection.
    #[must_use]
    pub fn compare_names(&self, a: u32, b: u32) -> Ordering {
        if a == b {
            return Ordering::Equal;
        }
        if let (Some(a), Some(b)) = (self.ranks.get(a), self.ranks.get(b)) {
            return a.cmp(&b);
        }
        let place = |document| {
            let (chunk, row) = self.locate(document);
            let block = &self.blocks[chunk as usize];
            block.has_rows().then(|| self.name_parts(&block.rows, row))
        };
        let (Some(x), Some(y)) = (place(a), place(b)) else {
            return self.name(a).as_bytes().cmp(self.name(b).as_bytes()).then(a.cmp(&b));
        };
        // Millions of documents without an id are sorted by this: no name is put together for it.
        let order = match (x, y) {
            ((x, None), (y, None)) => x.cmp(y),
            ((x, Some(m)), (y, Some(n))) if x == y => compare_as_written(m, n),
            ((x, _), (y, _)) if !x.starts_with(y) && !y.starts_with(x) => x.cmp(y),
            _ => self.name(a).as_bytes().cmp(self.name(b).as_bytes()),
        };
        order.then(a.cmp(&b))
    }
}

/// Makes something of each chunk on all threads, and gives it in their order, until told to stop.
fn in_order<T: Send>(
    chunks: &[u32],
    make: impl Fn(u32) -> T + Sync,
    mut take: impl FnMut(T) -> ControlFlow<()>,
) {
    for chunks in chunks.chunks(PASSED_AHEAD * rayon::current_num_threads()) {
        let made: Vec<T> = chunks.par_iter().with_max_len(1).map(|&chunk| make(chunk)).collect();
        if made.into_iter().try_for_each(&mut take).is_break() {
            return;
        }
    }
}

/// Orders numbers as their decimal digits are ordered as text: 10 before 9, and 1 before 10.
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
        let mut block = Block { held: true, ..Block::default() };
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
        let mut second = Block { held: true, ..Block::default() };
        second.rows.documents = block.rows.documents.split_off(documents as usize / 2);
        for row in documents as usize / 2..documents as usize {
            second.rows.ids.push(block.rows.ids.get(row));
        }
        collection.blocks = vec![block, second];
        compare_all(&collection);
        // The second half on disk: with the names at hand, and read one by one.
        collection.store = ChunkStore::new(0, std::env::temp_dir());
        collection.store.take(&mut collection.blocks[1], &Default::default()).unwrap();
        let before: Vec<String> =
            (0..documents).map(|document| collection.name(document).into_owned()).collect();
        let places = |collection: &Collection| -> Vec<(String, u32)> {
            let place = |document| collection.place(document);
            (0..documents).map(place).map(|(file, record)| (file.to_owned(), record)).collect()
        };
        let placed = places(&collection);
        assert_eq!((placed[0].0.as_str(), placed[0].1), ("a", 1));
        assert_eq!(placed.last(), Some(&("z.txt".to_owned(), u32::MAX)));
        collection.load_names(|document| document % 3 > 0);
        assert!(
            (0..documents).all(|document| collection.name(document) == before[document as usize])
        );
        assert_eq!(places(&collection), placed);
        compare_all(&collection);
        // Their order at hand, of some.
        collection.rank_names(|document| document % 2 > 0);
        compare_all(&collection);
        // Rows back in memory: too little room, then enough.
        collection.load_names(|_| false);
        collection.rank_names(|_| false);
        for (room, back) in [(100, false), (u64::MAX, true)] {
            collection.hold_rows(room);
            assert_eq!(collection.blocks[1].has_rows(), back);
            assert!((0..documents).all(|n| collection.name(n) == before[n as usize]));
            assert_eq!(places(&collection), placed);
            compare_all(&collection);
        }
        collection.check().unwrap();
    }

    /// A checkpoint whose references cannot be resolved must not be used: they would name the sets of
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
            (block, Remarks { sequences, ..Remarks::default() })
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
        let (block, mut remarks) = block(3, &[at(0, 0)]);
        remarks.attributes = vec![vec![1.0, 2.0]];
        assert!(!collection.fits(&(block, remarks)));
        collection.file_names.clear();
        let (block, remarks) = (Block::default(), Remarks::default());
        assert!(collection.fits(&(block, remarks)));
    }

    fn compare_all(collection: &Collection) {
        for a in 0..collection.len() {
            for b in 0..collection.len() {
                let (x, y) = (collection.name(a), collection.name(b));
                let expected = x.as_bytes().cmp(y.as_bytes()).then(a.cmp(&b));
                assert_eq!(collection.compare_names(a, b), expected, "{x} and {y}");
            }
        }
    }
}
