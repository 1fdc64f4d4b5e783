//! Order of documents, and of pairs of documents, by name.

use crate::analysis::Analysis;
use lookalike_engine::{Collection, DocumentId, EngineError};
use std::cmp::Ordering;

/// One document or two, with their ranks by name if the collection has them: stored in the sorted
/// array, because a lookup for each comparison would miss the cache.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Named {
    ranks: Option<u64>,
    pub(crate) a: DocumentId,
    pub(crate) b: DocumentId,
}

impl Named {
    /// One document, as both members.
    pub(crate) fn of(analysis: &Analysis, document: DocumentId) -> Self {
        Self::pair(analysis, document, document)
    }

    /// A pair of documents.
    pub(crate) fn pair(analysis: &Analysis, a: DocumentId, b: DocumentId) -> Self {
        let rank = |document| analysis.collection.name_rank(document).map(u64::from);
        Self { ranks: rank(a).zip(rank(b)).map(|(a, b)| a << 32 | b), a, b }
    }

    /// Orders by the name of the first, then of the second.
    pub(crate) fn compare(
        self,
        other: Self,
        collection: &Collection,
    ) -> Result<Ordering, EngineError> {
        if let Some((own, its)) = self.ranks.zip(other.ranks) {
            return Ok(own.cmp(&its));
        }
        match collection.compare_names(self.a, other.a)? {
            Ordering::Equal => collection.compare_names(self.b, other.b),
            order => Ok(order),
        }
    }
}
