//! What an index stores of a document.

use lookalike_core::{SetDigest, TextDigest, TokenDigest};

/// Number of a document in an index. Numbers are given in order of addition and never reused.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct DocNumber(pub u32);

/// A document with its feature set, borrowed from the caller or from a segment.
#[derive(Debug, Clone, Copy)]
pub struct DocumentView<'a> {
    /// Its number.
    pub number: DocNumber,
    /// The number under which its id was first added: an update keeps the place of what it
    /// replaces. This is the order of the keep rule `first`.
    pub first: DocNumber,
    /// The sweep in which it was found; 0 for none.
    pub sweep: u32,
    /// When it is deleted, in seconds since 1970; 0 for never.
    pub expires: u64,
    /// Its id, unique among the live documents of a sweep.
    pub id: &'a str,
    /// The address it was found at; empty for none.
    pub url: &'a str,
    /// Its date as written; empty for none.
    pub date: &'a str,
    /// Bytes that the caller stores with it.
    pub extra: &'a [u8],
    /// Number of tokens.
    pub tokens: u32,
    /// Bytes of text.
    pub text_bytes: u64,
    /// Digest of the text: equal for *identical* documents.
    pub text: TextDigest,
    /// Digest of the sequence of all tokens: equal for *lexically equivalent* documents.
    pub sequence: TokenDigest,
    /// Values of the keep rules, as many in every document of an index. A NaN keeps its bits. In an index
    /// whose documents match across values, the key of the document's value follows: below 2⁵³, and not 0.
    pub keep: &'a [f64],
    /// Digest of the feature set; documents with equal digests are one *unit*. `None` without
    /// features.
    pub unit: Option<SetDigest>,
    /// The caller's code for why there are no features; 0 where there are.
    pub reason: u8,
    /// Whether the set is too small to be compared: the document matches only documents with the
    /// same token sequence, and `unit` is the digest of that.
    pub few: bool,
    /// The feature set, strictly ascending.
    pub set: &'a [u64],
    /// The text. An index without texts stores the set in its place.
    pub content: &'a str,
    /// The signature of each method of the index.
    pub signatures: &'a [SignatureView<'a>],
}

/// The keys and the sketch of a method.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SignatureView<'a> {
    /// The keys; none if the document has no signature.
    pub keys: &'a [u64],
    /// The words of the sketch.
    pub sketch: &'a [u64],
    /// Size of the document in features of the method.
    pub size: u32,
    /// Level of the sketch, for methods that have several.
    pub level: u32,
    /// The caller's code for why the document has no signature; 0 where it has one.
    pub unsigned: u8,
}
