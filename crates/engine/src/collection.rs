//! The documents of a run as flat columns, in the order of the collection.

use crate::{Overflow, Problems, SignatureBlock};
use lookalike_core::{TextDigest, TokenDigest};
use lookalike_io::Inputs;
use lookalike_methods::Unsigned;
use std::borrow::Cow;
use std::cmp::Ordering;

/// One document. Its number in the collection is its place in the order of (file name, record).
#[derive(Debug, Clone, Copy)]
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
    /// Digest of the text: equal for identical documents.
    pub text: TextDigest,
    /// Digest of the token sequence: equal for lexically equivalent documents.
    pub sequence: TokenDigest,
}

/// Where a feature set lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SetRef {
    /// Index in [`Collection::blocks`].
    pub block: u32,
    /// Index in the block.
    pub index: u32,
}

/// The feature sets that one chunk of the input brought, one after the other.
#[derive(Debug, Default)]
pub struct SetBlock {
    /// The elements of all sets; none where they are in the [`Overflow`].
    pub values: Vec<u64>,
    /// Where they begin there, counted in elements.
    pub(crate) stored: Option<u64>,
    /// Where each set ends.
    pub ends: Vec<usize>,
    /// Digest of each set; where no sets are kept, of what was signed.
    pub digests: Vec<lookalike_core::SetDigest>,
    /// The signatures of a method, if one is used.
    pub signatures: SignatureBlock,
}

impl SetBlock {
    /// Bounds of a set in `values`.
    #[must_use]
    pub fn range(&self, index: u32) -> std::ops::Range<usize> {
        let index = index as usize;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        start..self.ends[index]
    }

    /// Number of elements of a set; where no sets are kept, what the signature says.
    #[must_use]
    pub fn size(&self, index: u32) -> u32 {
        if self.values.is_empty() && self.stored.is_none() && !self.signatures.is_empty() {
            return self.signatures.size(index);
        }
        self.range(index).len() as u32
    }

    /// A set that is held in memory.
    #[must_use]
    pub fn get(&self, index: u32) -> &[u64] {
        &self.values[self.range(index)]
    }
}

/// The ids that documents bring with them, in one buffer.
#[derive(Debug, Default)]
pub(crate) struct Ids {
    bytes: String,
    ends: Vec<u64>,
}

impl Ids {
    pub(crate) fn push(&mut self, id: Option<&str>) {
        self.bytes.push_str(id.unwrap_or_default());
        self.ends.push(self.bytes.len() as u64);
    }

    pub(crate) fn append(&mut self, other: &Self) {
        let base = self.bytes.len() as u64;
        self.bytes.push_str(&other.bytes);
        self.ends.extend(other.ends.iter().map(|end| base + end));
    }

    fn get(&self, index: usize) -> Option<&str> {
        let start = if index == 0 { 0 } else { self.ends[index - 1] } as usize;
        let id = &self.bytes[start..self.ends[index] as usize];
        (!id.is_empty()).then_some(id)
    }
}

/// All documents of a run and what the later steps need of them.
#[derive(Debug, Default)]
pub struct Collection {
    /// The documents, ordered by (file, record).
    pub documents: Vec<Document>,
    pub(crate) ids: Ids,
    /// One column of numbers for each keep rule that needs one, in the order of the rules.
    pub attributes: Vec<Vec<f64>>,
    /// The feature sets.
    pub blocks: Vec<SetBlock>,
    /// Those that memory has no room for.
    pub overflow: Overflow,
    /// Records and files that could not be used, in input order.
    pub problems: Problems,
    /// Where each file's documents start in `documents`; one more entry than files.
    pub file_starts: Vec<u32>,
    /// Where each chunk's documents start; one more entry than chunks.
    pub(crate) chunk_starts: Vec<u32>,
    /// Names of the files, for documents without an id.
    pub(crate) file_names: Vec<String>,
    /// Whether a file's records are one document a file.
    pub(crate) whole_files: Vec<bool>,
    /// Files from here on are those of `--against`: never removed.
    pub first_protected_file: u32,
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

    /// A collection of sets that were made elsewhere: numbers of any kind, distinct within a set.
    /// Each is a document named after its place, `0` first; there are no texts.
    ///
    /// ```
    /// use lookalike_engine::{Approach, Collection, Linkage, MatchOptions, MatchSettings, Silent, Units, find};
    ///
    /// let mut collection = Collection::of_sets([vec![1, 2, 3, 4], vec![1, 2, 3, 4, 5], vec![9]]);
    /// let settings = MatchSettings::resemblance("0.8".parse()?);
    /// let units = Units::new(&collection, &[], settings.measure);
    /// let options = MatchOptions {
    ///     linkage: Linkage::Leaders, list_pairs: None, only_protected: false, threads: 1,
    ///     memory: u64::MAX,
    /// };
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
        let mut block = SetBlock::default();
        for (number, set) in (0u32..).zip(sets) {
            let digest = lookalike_core::features::digest(&set);
            collection.ids.push(Some(&number.to_string()));
            collection.documents.push(Document {
                file: 0,
                record: number + 1,
                tokens: set.len() as u32,
                set: digest.map(|_| SetRef { block: 0, index: block.ends.len() as u32 }),
                text_bytes: 0,
                text: TextDigest(u128::from(number)),
                sequence: TokenDigest(u128::from(number)),
            });
            if let Some(digest) = digest {
                block.values.extend(set);
                block.ends.push(block.values.len());
                block.digests.push(digest);
            }
        }
        collection.file_starts = vec![0, collection.documents.len() as u32];
        collection.blocks.push(block);
        collection
    }

    /// Number of documents.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.documents.len() as u32
    }

    /// Bytes of the ids that documents bring with them.
    pub(crate) fn id_bytes(&self) -> usize {
        self.ids.bytes.len()
    }

    /// Whether there are no documents.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// The document's name: its id, else the name of its file, with the record number where a file
    /// holds many.
    #[must_use]
    pub fn name(&self, document: u32) -> Cow<'_, str> {
        match self.name_parts(document) {
            (name, None) => Cow::Borrowed(name),
            (name, Some(record)) => Cow::Owned(format!("{name}:{record}")),
        }
    }

    /// The name in two parts, the second to be written behind a colon.
    fn name_parts(&self, document: u32) -> (&str, Option<u32>) {
        if let Some(id) = self.ids.get(document as usize) {
            return (id, None);
        }
        let Document { file, record, .. } = self.documents[document as usize];
        let many = !self.whole_files[file as usize];
        (&self.file_names[file as usize], many.then_some(record))
    }

    /// Whether the document belongs to `--against` and is never removed.
    #[must_use]
    pub fn is_protected(&self, document: u32) -> bool {
        self.documents[document as usize].file >= self.first_protected_file
    }

    /// The document at (file, record), if that record is one.
    #[must_use]
    pub fn find(&self, file: u32, record: u32) -> Option<u32> {
        let bounds = self.file_starts.get(file as usize..file as usize + 2)?;
        let documents = &self.documents[bounds[0] as usize..bounds[1] as usize];
        let at = documents.binary_search_by_key(&record, |d| d.record).ok()?;
        Some(bounds[0] + at as u32)
    }

    /// The documents that a chunk of the input brought; chunks are the same every time they are read.
    #[must_use]
    pub fn chunk_documents(&self, chunk: u32) -> std::ops::Range<u32> {
        let chunk = chunk as usize;
        match self.chunk_starts.get(chunk..chunk + 2) {
            Some(bounds) => bounds[0]..bounds[1],
            None => 0..0,
        }
    }

    /// A set, from wherever it is; `buffer` is for one that has to be read. Its elements come in the
    /// same order every time, unless [`crate::Units::sort_sets`] was called in between.
    #[must_use]
    pub fn set<'a>(&'a self, place: SetRef, buffer: &'a mut Vec<u64>) -> &'a [u64] {
        self.read(place, buffer).unwrap_or(buffer)
    }

    /// The same, sorted, after [`crate::Units::sort_sets`].
    #[must_use]
    pub fn sorted_set<'a>(&'a self, place: SetRef, buffer: &'a mut Vec<u64>) -> &'a [u64] {
        self.read(place, buffer).unwrap_or_else(|| {
            buffer.sort_unstable();
            buffer
        })
    }

    /// A set that is held in memory; `None` for one that was read into the buffer.
    fn read(&self, place: SetRef, buffer: &mut Vec<u64>) -> Option<&[u64]> {
        let block = &self.blocks[place.block as usize];
        let Some(stored) = block.stored else { return Some(block.get(place.index)) };
        let range = block.range(place.index);
        let range = stored + range.start as u64..stored + range.end as u64;
        self.overflow.read(range, block.digests[place.index as usize], buffer);
        None
    }

    /// Why a document can be in no pair: it has no feature or, where a method is used, no signature.
    #[must_use]
    pub fn unsigned(&self, document: u32) -> Option<Unsigned> {
        match self.documents[document as usize] {
            Document { tokens: 0, .. } => Some(Unsigned::Empty),
            // Without a method, for want of a feature.
            Document { set: None, .. } => Some(Unsigned::TooShort),
            Document { set: Some(place), .. } => {
                let signatures = &self.blocks[place.block as usize].signatures;
                let unsigned = (!signatures.is_empty()).then(|| signatures.unsigned(place.index));
                // Tokens there are: it was the method's term filter that kept none of them.
                unsigned.flatten().map(|reason| match reason {
                    Unsigned::Empty => Unsigned::NothingSelected,
                    reason => reason,
                })
            }
        }
    }

    /// Orders two documents by name, then by place in the collection.
    #[must_use]
    pub fn compare_names(&self, a: u32, b: u32) -> Ordering {
        if a == b {
            return Ordering::Equal;
        }
        // Millions of documents without an id are sorted by this: no name is put together for it.
        let order = match (self.name_parts(a), self.name_parts(b)) {
            ((x, None), (y, None)) => x.cmp(y),
            ((x, Some(m)), (y, Some(n))) if x == y => compare_as_written(m, n),
            ((x, _), (y, _)) if !x.starts_with(y) && !y.starts_with(x) => x.cmp(y),
            _ => self.name(a).as_bytes().cmp(self.name(b).as_bytes()),
        };
        order.then(a.cmp(&b))
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
        for file in 0..5 {
            for record in [1, 2, 9, 10, 11, 100, 1_000_000_000, u32::MAX] {
                for id in ids {
                    collection.ids.push(id);
                    collection.documents.push(Document {
                        file,
                        record,
                        tokens: 0,
                        set: None,
                        text_bytes: 0,
                        text: TextDigest(0),
                        sequence: TokenDigest(0),
                    });
                }
            }
        }
        for a in 0..collection.len() {
            for b in 0..collection.len() {
                let (x, y) = (collection.name(a), collection.name(b));
                let expected = x.as_bytes().cmp(y.as_bytes()).then(a.cmp(&b));
                assert_eq!(collection.compare_names(a, b), expected, "{x} and {y}");
            }
        }
    }
}
