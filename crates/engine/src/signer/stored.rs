//! Documents whose digests and sets are stored, and whose texts are not.

use super::{DocumentSummary, Signer, SignerScratch};
use lookalike_core::SetDigest;
use lookalike_methods::Unsigned;
use std::fmt::Debug;
use std::sync::Arc;

/// What is stored of the documents of a run, in place of their texts.
pub trait StoredDocuments: Debug + Send + Sync {
    /// The document of a record, counted from 1. Replaces `set` by its elements, ascending.
    fn document(&self, record: u32, set: &mut Vec<u64>) -> StoredSummary;
}

/// The counts and digests of a stored document.
#[derive(Debug, Clone, Copy)]
pub struct StoredSummary {
    /// Counts and digests of its text.
    pub summary: DocumentSummary,
    /// The digest by which it is grouped, or why it has no features.
    pub unit: Result<SetDigest, Unsigned>,
    /// Whether the set is too small to be compared.
    pub few: bool,
}

impl Signer {
    /// The same for documents that are stored: the contents of records do not count.
    #[must_use]
    pub fn with_stored(self, stored: Option<Arc<dyn StoredDocuments>>) -> Self {
        Self { stored, ..self }
    }

    /// Reads a stored document into the scratch; `None` if documents are not stored.
    pub(super) fn read_stored(
        &self,
        record: u32,
        scratch: &mut SignerScratch,
    ) -> Option<DocumentSummary> {
        let stored = self.stored.as_ref()?.document(record, &mut scratch.left);
        scratch.stored = Some((stored.unit, stored.few));
        Some(stored.summary)
    }
}
