//! What is left of a damaged segment.

use super::format::{Footer, Section};
use super::{Row, Segment, SegmentSettings, columns};
use crate::IndexError;
use crate::disk::Mapped;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

/// Where the bytes of a segment do not have their checksums.
#[derive(Debug, Default)]
pub(crate) struct Unsound(BTreeMap<Section, Vec<Range<usize>>>);

impl Unsound {
    /// Whether bytes of a section have their checksum.
    fn is_sound(&self, section: Section, bytes: Range<usize>) -> bool {
        let overlaps = |wrong: &Range<usize>| wrong.start < bytes.end && bytes.start < wrong.end;
        !self.0.get(&section).is_some_and(|wrong| wrong.iter().any(overlaps))
    }
}

impl Segment {
    /// Opens a segment as [`Segment::open`] does; if its header, its states or its end are damaged,
    /// by what says where its sections are.
    ///
    /// # Errors
    /// A segment without a footer that fits.
    pub(crate) fn salvage(
        data: Mapped,
        path: &Path,
        settings: &SegmentSettings,
    ) -> Result<Self, IndexError> {
        let footer = match Footer::of_complete(&data, path, settings) {
            Ok(footer) => footer,
            Err(error) => Footer::of_any(&data, settings).ok_or(error)?,
        };
        Self::with_footer(data, path, settings, footer)
    }

    /// Number of the documents that the segment had, and its checksum, as a commit names it.
    pub(crate) fn checksum(&self) -> u64 {
        self.footer.checksum()
    }

    /// Where its bytes are damaged. Reads the whole file.
    pub(crate) fn unsound(&self) -> Unsound {
        let mut unsound = Unsound::default();
        for (section, range) in self.footer.wrong_parts(&self.data) {
            unsound.0.entry(section).or_default().push(range);
        }
        unsound
    }

    /// Whether all that the segment says of a document, but for its text, is as it was written.
    /// Without texts also its set and its signatures.
    pub(crate) fn is_sound(&self, local: u32, unsound: &Unsound) -> bool {
        let at = local as usize;
        let column = |section, at: usize, width: usize| {
            unsound.is_sound(section, at * width..(at + 1) * width)
        };
        let strings = columns::STRINGS as usize;
        let ends = (at * strings).saturating_sub(1) * 8..(at + 1) * strings * 8;
        if !column(Section::Rows, at, Row::BYTES)
            || !unsound.is_sound(Section::StringEnds, ends.clone())
            || !column(Section::Keep, at, self.settings.keep_values as usize * 8)
        {
            return false;
        }
        let end_of = |at: u64| columns::u64_at(self.section(Section::StringEnds), at) as usize;
        let first = (u64::from(local) * strings as u64).checked_sub(1).map_or(0, &end_of);
        let last = end_of((u64::from(local) + 1) * strings as u64 - 1);
        if !unsound.is_sound(Section::Strings, first..last) || self.string(local, 0).is_none() {
            return false;
        }
        if self.settings.texts {
            return true;
        }
        let (start, length) = self.row(local).place;
        let start = start as usize;
        let all = |section| unsound.is_sound(section, 0..self.section(section).len());
        unsound.is_sound(Section::Texts, start..start.saturating_add(length as usize))
            && all(Section::UnitEnds)
            && all(Section::UnitSizes)
            && all(Section::UnitDigests)
            && self.are_signatures_sound(unsound)
    }

    /// Whether the signatures of all methods are as they were written.
    pub(crate) fn are_signatures_sound(&self, unsound: &Unsound) -> bool {
        let all = |section| unsound.is_sound(section, 0..self.section(section).len());
        (0..self.settings.methods).all(|method| {
            all(Section::SignatureRows(method))
                && all(Section::SignatureEnds(method))
                && all(Section::SignatureWords(method))
        })
    }
}
