//! Names, record numbers and ranks of some documents, kept in memory for repeated access.
//!
//! Tables are ordered by name. If rows are on disk, the names and record numbers of the documents
//! in the tables are read once, front to back, and sorted once for all tables.

use super::DocumentId;
use crate::try_sort::par_sort_cancellable;
use crate::{EngineError, Progress};
use lookalike_core::SparseIndex;
use std::cmp::Ordering;

/// Names and record numbers by document.
#[derive(Debug, Default)]
pub(super) struct Names {
    which: SparseIndex,
    texts: Texts,
    records: Vec<u32>,
}

/// Texts in one buffer.
#[derive(Debug, Default)]
pub(super) struct Texts {
    bytes: String,
    ends: Vec<u64>,
}

impl Texts {
    pub(super) fn push(&mut self, text: &str) {
        self.bytes.push_str(text);
        self.ends.push(self.bytes.len() as u64);
    }

    pub(super) fn append(&mut self, more: &Self) {
        let before = self.bytes.len() as u64;
        self.bytes.push_str(&more.bytes);
        self.ends.extend(more.ends.iter().map(|end| before + end));
    }

    fn get(&self, place: usize) -> Option<&str> {
        let start = if place == 0 { 0 } else { *self.ends.get(place - 1)? };
        self.bytes.get(start as usize..*self.ends.get(place)? as usize)
    }
}

impl Names {
    /// The names and record numbers of the documents in `which`, in their order.
    pub(super) fn new(which: SparseIndex, texts: Texts, records: Vec<u32>) -> Self {
        Self { which, texts, records }
    }

    /// The document's record number in its file.
    pub(super) fn record(&self, document: DocumentId) -> Option<u32> {
        self.records.get(self.which.place(document.0)? as usize).copied()
    }

    pub(super) fn get(&self, document: DocumentId) -> Option<&str> {
        self.texts.get(self.which.place(document.0)? as usize)
    }
}

/// Ranks of some documents in the order of their names.
#[derive(Debug, Default)]
pub(super) struct Ranks {
    which: SparseIndex,
    ranks: Vec<u32>,
}

impl Ranks {
    /// Ranks of the documents in `which`. `heads` are in the same order: eight bytes of each name
    /// after the prefix common to all. `compare` decides between equal heads. O(n log n).
    pub(super) fn new(
        which: SparseIndex,
        heads: Vec<u64>,
        progress: &dyn Progress,
        compare: impl Fn(DocumentId, DocumentId) -> Result<Ordering, EngineError> + Sync,
    ) -> Result<Self, EngineError> {
        let mut order: Vec<(u64, DocumentId)> =
            heads.into_iter().zip(which.iter().map(DocumentId)).collect();
        par_sort_cancellable(&mut order, progress, |a, b| match a.0.cmp(&b.0) {
            Ordering::Equal => compare(a.1, b.1),
            order => Ok(order),
        })?;
        let mut ranks = vec![0; order.len()];
        for (rank, (_, document)) in (0u32..).zip(order) {
            if let Some(place) = which.place(document.0) {
                ranks[place as usize] = rank;
            }
        }
        Ok(Self { which, ranks })
    }

    #[inline]
    pub(super) fn get(&self, document: DocumentId) -> Option<u32> {
        self.which.place(document.0).map(|place| self.ranks[place as usize])
    }
}

/// Length of the common prefix of two texts, in bytes.
pub(super) fn in_common(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(x, y)| x == y).count()
}

/// Eight bytes of a text from an offset on, as a number that compares like the text.
pub(super) fn head(text: &[u8], from: usize) -> u64 {
    let rest = text.get(from..).unwrap_or_default();
    let mut bytes = [0; 8];
    let count = rest.len().min(8);
    bytes[..count].copy_from_slice(&rest[..count]);
    u64::from_be_bytes(bytes)
}
