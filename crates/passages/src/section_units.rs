//! The units of a text, in sections.

use crate::anchors::{Anchor, AnchorScratch, Lengths, anchors};
use std::ops::Range;

/// The units of a text, in sections: no passage has units of two.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SectionUnits {
    units: Vec<u64>,
    /// Where each section ends.
    ends: Vec<usize>,
}

impl SectionUnits {
    /// Removes all units.
    pub fn clear(&mut self) {
        self.units.clear();
        self.ends.clear();
    }

    /// Removes all units, and frees the memory that a large document has taken.
    pub fn free(&mut self) {
        /// Units of a document that is not large.
        const KEPT: usize = 1 << 16;
        self.clear();
        self.units.shrink_to(KEPT);
    }

    /// Adds units to the section that is not ended.
    pub fn add(&mut self, units: impl IntoIterator<Item = u64>) {
        self.units.extend(units);
    }

    /// Ends a section.
    pub fn end_section(&mut self) {
        self.ends.push(self.units.len());
    }

    /// Adds a section behind the others.
    pub fn push(&mut self, section: &[u64]) {
        self.add(section.iter().copied());
        self.end_section();
    }

    /// Replaces each unit by a function of it.
    pub fn change(&mut self, of: impl Fn(u64) -> u64) {
        self.units.iter_mut().for_each(|unit| *unit = of(*unit));
    }

    /// Number of units.
    #[must_use]
    pub fn len(&self) -> usize {
        self.units.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.units.is_empty()
    }

    /// The units of all sections, one behind the other.
    #[must_use]
    pub fn all(&self) -> &[u64] {
        &self.units
    }

    /// The units of each section.
    pub fn sections(&self) -> impl Iterator<Item = &[u64]> {
        (0..self.ends.len()).map(|number| &self.units[self.section(number)])
    }

    /// The section with a unit.
    pub(crate) fn section_of(&self, unit: usize) -> Range<usize> {
        self.section(self.ends.partition_point(|&end| end <= unit))
    }

    fn section(&self, number: usize) -> Range<usize> {
        number.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[number]
    }

    /// Calls `emit` with the anchors of a document that has these units, in order. O(units).
    pub fn anchors(
        &self,
        document: u32,
        lengths: Lengths,
        scratch: &mut AnchorScratch,
        mut emit: impl FnMut(Anchor),
    ) {
        let mut start = 0;
        for section in self.sections() {
            anchors(document, section, lengths, scratch, |anchor| {
                emit(Anchor { place: anchor.place.plus(start), ..anchor });
            });
            start += section.len() as u32;
        }
    }

    /// Calls `each` with key and place of each k-gram that a window elects, in order. O(units).
    pub fn each_gram(
        &self,
        lengths: Lengths,
        scratch: &mut AnchorScratch,
        mut each: impl FnMut(u64, u32),
    ) {
        self.anchors(0, lengths, scratch, |anchor| {
            each(anchor.key, anchor.place.unit + u32::from(anchor.offset));
        });
    }
}
