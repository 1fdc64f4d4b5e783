//! A stored document.

use crate::segment::{Row, Segment, StoredSignature, TextReader};
use crate::{DocNumber, IndexError, QuerySet, RankedItem};
use lookalike_core::{SetDigest, TextDigest, TokenDigest};

/// A stored document. Its columns are read from the mapped segment.
#[derive(Debug, Clone, Copy)]
pub struct StoredDocument<'a> {
    pub(crate) segment: &'a Segment,
    pub(crate) local: u32,
}

impl<'a> StoredDocument<'a> {
    pub(crate) fn row(&self) -> Row {
        self.segment.row(self.local)
    }

    /// Its number.
    #[must_use]
    pub fn number(&self) -> DocNumber {
        self.row().number
    }

    /// The number under which its id was first added.
    #[must_use]
    pub fn first(&self) -> DocNumber {
        self.row().first
    }

    /// The sweep in which it was found; 0 for none.
    #[must_use]
    pub fn sweep(&self) -> u32 {
        self.row().sweep
    }

    /// When it is deleted, in seconds since 1970; 0 for never.
    #[must_use]
    pub fn expires(&self) -> u64 {
        self.row().expires
    }

    /// Number of tokens.
    #[must_use]
    pub fn tokens(&self) -> u32 {
        self.row().tokens
    }

    /// Bytes of text.
    #[must_use]
    pub fn text_bytes(&self) -> u64 {
        self.row().text_bytes
    }

    /// Digest of the text.
    #[must_use]
    pub fn text_digest(&self) -> TextDigest {
        self.row().text
    }

    /// Digest of the sequence of tokens.
    #[must_use]
    pub fn sequence(&self) -> TokenDigest {
        self.row().sequence
    }

    /// The key of the value by which it differs from documents that it may match; 0 if it may match any.
    #[must_use]
    pub fn value(&self) -> u64 {
        self.segment.value(self.local)
    }

    /// A question about it; `set` is its set ([`Snapshot::set`](crate::Snapshot::set)).
    #[must_use]
    pub fn query<'s>(&self, set: &'s [u64]) -> QuerySet<'s> {
        QuerySet { set, few: self.few(), sequence: self.sequence(), value: self.value() }
    }

    /// Digest of the feature set; `None` without features.
    #[must_use]
    pub fn unit(&self) -> Option<SetDigest> {
        self.segment.unit_of(self.local).map(|unit| self.segment.unit_digest(unit))
    }

    /// Whether the set is too small to be compared.
    #[must_use]
    pub fn few(&self) -> bool {
        self.row().few
    }

    /// The code for why there are no features; 0 where there are.
    #[must_use]
    pub fn reason(&self) -> u8 {
        self.row().reason
    }

    /// Number of elements of the set; 0 without features.
    #[must_use]
    pub fn size(&self) -> u32 {
        self.segment.unit_of(self.local).map_or(0, |unit| self.segment.unit_size(unit))
    }

    /// The id.
    #[must_use]
    pub fn id(&self) -> &'a str {
        self.segment.id(self.local)
    }

    /// The address; empty for none.
    #[must_use]
    pub fn url(&self) -> &'a str {
        self.segment.url(self.local)
    }

    /// The date as written; empty for none.
    #[must_use]
    pub fn date(&self) -> &'a str {
        self.segment.date(self.local)
    }

    /// Bytes that the caller stored with it.
    #[must_use]
    pub fn extra(&self) -> &'a [u8] {
        self.segment.extra(self.local)
    }

    /// Values of the keep rules.
    #[must_use]
    pub fn keep(&self) -> Vec<f64> {
        self.segment.keep(self.local).collect()
    }

    /// The signature of a method.
    #[must_use]
    pub fn signature(&self, method: usize) -> StoredSignature {
        self.segment.signature(method, self.local)
    }

    /// The bitmap of its set, and its size, for [`collapse`](crate::collapse).
    #[must_use]
    pub fn ranked_item(&self) -> RankedItem {
        let unit = self.segment.unit_of(self.local);
        let bitmap = unit.map(|unit| self.segment.unit_bitmap(unit)).unwrap_or_default();
        RankedItem { size: self.size(), bitmap, kept: false }
    }

    /// Replaces `set` by its stored set, ascending.
    ///
    /// # Errors
    /// An index with texts; a damaged file.
    pub fn stored_set(&self, set: &mut Vec<u64>) -> Result<(), IndexError> {
        self.segment.stored_set(self.local, set)
    }

    /// The text.
    ///
    /// # Errors
    /// An index without texts; a damaged file.
    pub fn text<'r>(&self, reader: &'r mut TextReader) -> Result<&'r str, IndexError> {
        self.segment.text(self.local, reader)
    }
}
