//! The documents of an index that stores sets in place of texts.

use crate::index::extra::beside;
use lookalike_core::TokenDigest;
use lookalike_engine::signer::{DocumentSummary, StoredDocuments, StoredSummary};
use lookalike_engine::{original, reason_codes};
use lookalike_index::{DocAt, Snapshot};
use lookalike_methods::Unsigned;
use std::sync::Arc;

/// The documents of a snapshot in an order, which is that of their records.
#[derive(Debug)]
pub(super) struct StoredSets {
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) order: Vec<DocAt>,
}

impl StoredDocuments for StoredSets {
    fn document(&self, record: u32, set: &mut Vec<u64>) -> StoredSummary {
        let document = self.snapshot.document(self.order[record as usize - 1]);
        // The set was read once before, without an error.
        if document.stored_set(set).is_err() {
            set.clear();
        }
        let sequence = document.sequence();
        let unit = document.unit().ok_or_else(|| {
            let reason = reason_codes::reason(document.reason().into()).ok().flatten();
            reason.unwrap_or(Unsigned::Empty)
        });
        // Documents of one unit have one set; those without features have their words.
        let signed = unit.map_or(sequence, |unit| TokenDigest(unit.0));
        StoredSummary {
            summary: DocumentSummary {
                text_bytes: document.text_bytes(),
                tokens: document.tokens(),
                text: original::of_message(document.text_digest(), beside(document.extra())),
                sequence,
                signed,
            },
            unit,
            few: document.few(),
        }
    }
}
