//! The postings of a segment, as a search reads them.

use crate::scratch::SetReader;
use crate::search::{InvertedIndex, Postings};
use crate::segment::{List, Segment};
use crate::{IndexError, Lean};
use lookalike_core::{BitmapSignature, SetDigest};
use std::cell::RefCell;
use std::ops::Range;

/// The postings of a segment, with the buffers of a thread.
pub(crate) struct SegmentPostings<'a> {
    segment: &'a Segment,
    sets: RefCell<&'a mut SetReader>,
}

impl<'a> SegmentPostings<'a> {
    pub(crate) fn new(segment: &'a Segment, sets: &'a mut SetReader) -> Self {
        Self { segment, sets: RefCell::new(sets) }
    }
}

impl InvertedIndex for SegmentPostings<'_> {
    type List<'l>
        = List<'l>
    where
        Self: 'l;

    fn ids(&self) -> u32 {
        self.segment.units()
    }

    fn prefetch(&self, values: &[u64]) {
        self.segment.prefetch(values);
    }

    fn lookup(&self, fingerprint: u64) -> List<'_> {
        self.segment.lookup(fingerprint)
    }

    fn damaged(&self, what: &str) -> IndexError {
        damaged(self.segment, what)
    }
}

impl Postings for SegmentPostings<'_> {
    fn size(&self, unit: u32) -> u32 {
        self.segment.unit_size(unit)
    }

    fn units_of_size(&self, low: u32, high: u32) -> Range<u32> {
        self.segment.units_of_size(low, high)
    }

    fn common_shares(&self) -> Option<&[u8]> {
        Some(self.segment.common_shares())
    }

    fn lean(&self) -> Option<&Lean> {
        self.segment.lean()
    }

    fn bitmap(&self, unit: u32) -> Option<BitmapSignature> {
        Some(self.segment.unit_bitmap(unit))
    }

    fn digest(&self, unit: u32) -> Option<SetDigest> {
        Some(self.segment.unit_digest(unit))
    }

    fn make_set(&self, unit: u32, set: &mut Vec<u64>) -> Result<(), IndexError> {
        self.sets.borrow_mut().make(self.segment, unit, set)
    }
}

/// The keys of a method of a segment, as a search reads them.
pub(crate) struct SegmentKeys<'a> {
    pub(crate) segment: &'a Segment,
    pub(crate) method: usize,
}

impl InvertedIndex for SegmentKeys<'_> {
    type List<'l>
        = List<'l>
    where
        Self: 'l;

    fn ids(&self) -> u32 {
        self.segment.documents()
    }

    fn lookup(&self, key: u64) -> List<'_> {
        self.segment.documents_with_key(self.method, key)
    }

    fn damaged(&self, what: &str) -> IndexError {
        damaged(self.segment, what)
    }
}

fn damaged(segment: &Segment, what: &str) -> IndexError {
    IndexError::Damaged { path: segment.path().to_owned(), what: what.to_owned() }
}

impl SetReader {
    /// Makes the set of a unit: from the text of its first document, or as it is stored.
    pub(crate) fn make(
        &mut self,
        segment: &Segment,
        unit: u32,
        set: &mut Vec<u64>,
    ) -> Result<(), IndexError> {
        let local = segment.unit_documents(unit).start;
        if segment.has_texts() {
            let text = segment.text(local, &mut self.texts)?;
            self.maker.make(text, segment.extra(local), set);
            Ok(())
        } else {
            segment.stored_set(local, set)
        }
    }
}
