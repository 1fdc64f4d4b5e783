//! A segment with the documents of it that are live.

use crate::segment::Segment;
use roaring::RoaringBitmap;
use std::ops::Range;
use std::sync::Arc;

/// A segment, and which of its documents are deleted and kept.
#[derive(Debug, Clone)]
pub struct LiveSegment {
    pub(crate) id: u64,
    pub(crate) segment: Arc<Segment>,
    /// Deleted documents.
    pub(crate) dead: RoaringBitmap,
    /// Live documents that leader clustering keeps.
    pub(crate) kept: RoaringBitmap,
}

impl LiveSegment {
    /// Its number.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Number of live documents.
    #[must_use]
    pub fn len(&self) -> u64 {
        u64::from(self.segment.documents()) - self.dead.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of deleted documents whose rows and postings are still there.
    #[must_use]
    pub fn deleted(&self) -> u64 {
        self.dead.len()
    }

    /// The file.
    #[must_use]
    pub fn segment(&self) -> &Segment {
        &self.segment
    }

    /// A segment as it was written, with the documents that are deleted since.
    pub(crate) fn new(id: u64, segment: Arc<Segment>, dead: RoaringBitmap) -> Self {
        let kept = segment.kept() - &dead;
        Self { id, segment, dead, kept }
    }

    /// Whether leader clustering keeps a document.
    #[must_use]
    pub fn is_kept(&self, local: u32) -> bool {
        self.kept.contains(local)
    }

    /// Whether a document is not deleted.
    #[must_use]
    pub fn is_live(&self, local: u32) -> bool {
        !self.dead.contains(local)
    }

    /// The live documents.
    pub(crate) fn live(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.segment.documents()).filter(|&local| self.is_live(local))
    }

    /// The live documents of a unit.
    pub(crate) fn of_unit(&self, unit: u32) -> impl Iterator<Item = u32> + '_ {
        let documents: Range<u32> = self.segment.unit_documents(unit);
        documents.filter(|&local| self.is_live(local))
    }
}
