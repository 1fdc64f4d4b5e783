//! One document of a collection.

use lookalike_core::{TextDigest, TokenDigest};
use lookalike_methods::Unsigned;

/// One document. Documents are numbered in the order of (file name, record).
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
    pub block: u32,
    /// Its index among the sets of the chunk.
    pub index: u32,
}
