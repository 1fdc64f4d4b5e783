//! The postings of a segment, as a search reads them.

use crate::IndexError;
use crate::scratch::SetReader;
use crate::search::Postings;
use crate::segment::{List, Segment};
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

impl Postings for SegmentPostings<'_> {
    type List<'l>
        = List<'l>
    where
        Self: 'l;

    fn units(&self) -> u32 {
        self.segment.units()
    }

    fn size(&self, unit: u32) -> u32 {
        self.segment.unit_size(unit)
    }

    fn units_of_size(&self, low: u32, high: u32) -> Range<u32> {
        self.segment.units_of_size(low, high)
    }

    fn lookup(&self, fingerprint: u64) -> List<'_> {
        self.segment.lookup(fingerprint)
    }

    fn make_set(&self, unit: u32, set: &mut Vec<u64>) -> Result<(), IndexError> {
        self.sets.borrow_mut().make(self.segment, unit, set)
    }
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
            self.maker.make(text, set);
            Ok(())
        } else {
            segment.set(local, set)
        }
    }
}
