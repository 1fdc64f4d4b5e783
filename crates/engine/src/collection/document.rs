//! One document of a collection.

use lookalike_core::{TextDigest, TokenDigest};
use lookalike_join::ChunkId;
use lookalike_methods::Unsigned;
use lookalike_spill::Number;
use std::fmt;

/// Number of a document in its collection: dense, from 0, in the order of (file name, record).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(transparent)]
pub struct DocumentId(pub u32);

impl DocumentId {
    /// Index into arrays with one entry for each document.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Number of documents between `first`, which does not come later, and this one.
    #[inline]
    #[must_use]
    pub const fn offset_from(self, first: Self) -> usize {
        (self.0 - first.0) as usize
    }
}

impl fmt::Display for DocumentId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// Stored as its number.
impl Number for DocumentId {
    const BYTES: usize = u32::BYTES;

    #[inline]
    fn put(self, bytes: &mut [u8]) {
        self.0.put(bytes);
    }

    #[inline]
    fn get(bytes: &[u8]) -> Self {
        Self(u32::get(bytes))
    }
}

/// Adjacent documents, in order.
///
/// ```
/// use lookalike_engine::{DocumentId, DocumentRange};
///
/// let documents = DocumentRange::new(3, 5);
/// assert_eq!((documents.len(), documents.is_empty()), (2, false));
/// assert!(documents.eq([3, 4].map(DocumentId)));
/// assert_eq!(DocumentRange::new(3, 3).next(), None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentRange {
    /// The first document.
    pub start: DocumentId,
    /// The document after the last.
    pub end: DocumentId,
}

impl DocumentRange {
    /// The documents numbered from `start`, before `end`.
    #[must_use]
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start: DocumentId(start), end: DocumentId(end) }
    }

    /// Whether there are no documents.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.start >= self.end
    }
}

impl Iterator for DocumentRange {
    type Item = DocumentId;

    #[inline]
    fn next(&mut self) -> Option<DocumentId> {
        let document = self.start;
        (document < self.end).then(|| {
            self.start.0 += 1;
            document
        })
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.end.0.saturating_sub(self.start.0) as usize;
        (left, Some(left))
    }
}

impl ExactSizeIterator for DocumentRange {}

/// One document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Document {
    /// Index of its file in [`Inputs::files`](lookalike_io::Inputs::files).
    pub file: u32,
    /// Its record number in the file, from 1.
    pub record: u32,
    /// Number of tokens.
    pub tokens: u32,
    /// Its feature set, or why it has none.
    pub set: Result<SetRef, Unsigned>,
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
    pub chunk: ChunkId,
    /// Its index among the sets of the chunk.
    pub index: u32,
}
