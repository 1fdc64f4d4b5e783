//! Segments: immutable files of documents, with the postings of all elements of their sets.
//!
//! A segment is written once, by [`build`] from new documents or by [`merge`] from other segments,
//! and then mapped. Its documents have local numbers: those of one *unit* (documents with equal
//! sets) are neighbours, and units are in order of the size of their sets, so that the sizes that
//! can answer a question are a range of units in every posting list. The format is described in
//! FORMAT.md.

mod build;
mod check;
mod columns;
mod compose;
mod format;
mod lookup;
pub(crate) mod measure;
mod merge;
mod packed;
mod postings;
mod row;
mod salvage;
mod sections;
mod sets;
mod signatures;
#[cfg(test)]
mod tests;
mod texts;

pub(crate) use build::{NewDocument, build};
pub(crate) use compose::MOST_DOCUMENTS;
pub(crate) use format::Built;
pub(crate) use merge::{MergePart, merge};
pub use postings::List;
pub use row::Row;
pub(crate) use sections::write_states;
pub use signatures::StoredSignature;
pub use texts::TextReader;
pub(crate) use texts::{Dictionary, train_dictionary};

use crate::disk::{Mapped, ReadOrder};
use crate::{IndexError, Lean};
use format::{Footer, Section};
use lookalike_core::{BitmapSignature, SetDigest};
use postings::Directory;
use roaring::RoaringBitmap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// What a kept document relies on: no other.
pub(crate) const KEPT: u32 = u32::MAX;

/// Most units of a segment: their numbers have 24 bits.
pub(crate) const MOST_UNITS: u64 = 1 << 24;

/// Most postings of a segment.
pub(crate) const MOST_POSTINGS: u64 = u32::MAX as u64;

/// What the segments of an index have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SegmentSettings {
    /// Digest of the description of the index.
    pub(crate) digest: u64,
    /// Values of keep rules of a document.
    pub(crate) keep_values: u32,
    /// Whether the last of these is the key of a value across which documents match.
    pub(crate) across: bool,
    /// Methods whose signatures are stored.
    pub(crate) methods: u32,
    /// Whether texts are stored; otherwise sets.
    pub(crate) texts: bool,
    /// What is posted of each set; `None` for all of it.
    pub(crate) lean: Option<Arc<Lean>>,
}

impl SegmentSettings {
    /// How many elements of a set of `size` are posted.
    fn posted(&self, size: u32) -> u32 {
        self.lean.as_ref().map_or(size, |lean| lean.posted(size))
    }

    /// The elements of a set that are posted, in any order. `buffer` is where they may be put.
    fn posted_of<'s>(&self, set: &'s [u64], buffer: &'s mut Vec<u64>) -> &'s [u64] {
        let Some(lean) = &self.lean else { return set };
        lean.first(set, lean.posted(set.len() as u32) as usize, buffer);
        buffer
    }

    /// By how many of their first bits elements are looked up.
    fn element_bits(&self) -> u32 {
        if self.lean.is_some() { postings::LEAN_BITS } else { postings::BITS }
    }
}

/// A mapped segment.
#[derive(Debug)]
pub struct Segment {
    path: PathBuf,
    settings: SegmentSettings,
    data: Mapped,
    footer: Footer,
    postings: Directory,
    keys: Vec<Directory>,
    dictionary: u64,
    /// [`Segment::kept`], once it was asked for.
    kept: OnceLock<RoaringBitmap>,
}

impl Segment {
    /// Opens a complete segment: its header, its footer and its length are checked, and nothing
    /// else is read.
    pub(crate) fn open(
        data: Mapped,
        path: &Path,
        settings: &SegmentSettings,
    ) -> Result<Self, IndexError> {
        let footer = Footer::of_complete(&data, path, settings)?;
        Self::with_footer(data, path, settings, footer)
    }

    /// Opens a segment whose states are not written yet: every document counts as kept.
    pub(crate) fn open_unfinished(
        data: Mapped,
        path: &Path,
        settings: &SegmentSettings,
        built: &Built,
    ) -> Result<Self, IndexError> {
        let footer = Footer::of_unfinished(&data, path, settings, built)?;
        Self::with_footer(data, path, settings, footer)
    }

    fn with_footer(
        data: Mapped,
        path: &Path,
        settings: &SegmentSettings,
        footer: Footer,
    ) -> Result<Self, IndexError> {
        data.expect(ReadOrder::Random);
        let keys = (0..settings.methods).map(|method| footer.keys(method)).collect();
        let dictionary = texts::dictionary_id(footer.bytes(&data, Section::Dictionary));
        let (postings, settings) = (footer.postings(), settings.clone());
        let (path, kept) = (path.to_owned(), OnceLock::new());
        Ok(Self { path, settings, data, footer, postings, keys, dictionary, kept })
    }

    /// Tells the system in what order the file will be read.
    fn expect(&self, order: ReadOrder) {
        self.data.expect(order);
    }

    /// Number of documents, deleted ones included.
    #[must_use]
    pub fn documents(&self) -> u32 {
        self.footer.documents
    }

    /// Number of units.
    #[must_use]
    pub fn units(&self) -> u32 {
        self.footer.units
    }

    /// Number of postings.
    #[must_use]
    pub fn posting_count(&self) -> u64 {
        self.postings.entries()
    }

    /// The bytes of its file.
    pub(crate) fn file(&self) -> &[u8] {
        &self.data
    }

    /// Bytes of the file.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.data.len() as u64
    }

    /// Bytes of the sections, by name.
    pub fn section_bytes(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        self.footer.sections().map(|(section, bytes)| (section.name(), bytes))
    }

    /// What it posts of each set; `None` for all of it.
    pub(crate) fn lean(&self) -> Option<&Lean> {
        self.settings.lean.as_deref()
    }

    /// Whether it stores texts; otherwise sets.
    #[must_use]
    pub fn has_texts(&self) -> bool {
        self.settings.texts
    }

    /// Number of methods whose signatures it stores.
    pub(crate) fn methods(&self) -> usize {
        self.keys.len()
    }

    fn section(&self, section: Section) -> &[u8] {
        self.footer.bytes(&self.data, section)
    }

    /// Number of elements of a unit's set.
    #[must_use]
    pub fn unit_size(&self, unit: u32) -> u32 {
        columns::u32_at(self.section(Section::UnitSizes), unit)
    }

    /// The units whose sets have from `low` to `high` elements. O(log units).
    #[must_use]
    pub fn units_of_size(&self, low: u32, high: u32) -> Range<u32> {
        let sizes = self.section(Section::UnitSizes);
        let before = |size: u32| {
            columns::partition_point(self.units(), |unit| columns::u32_at(sizes, unit) < size)
        };
        let start = before(low);
        let end = high.checked_add(1).map_or(self.units(), before);
        start..end.max(start)
    }

    /// Digest of a unit's set.
    #[must_use]
    pub fn unit_digest(&self, unit: u32) -> SetDigest {
        SetDigest(columns::u128_at(self.section(Section::UnitDigests), unit))
    }

    /// Bitmap of a unit's set.
    #[must_use]
    pub fn unit_bitmap(&self, unit: u32) -> BitmapSignature {
        columns::bitmap_at(self.section(Section::UnitBitmaps), unit)
    }

    /// The documents of a unit.
    #[must_use]
    pub fn unit_documents(&self, unit: u32) -> Range<u32> {
        let ends = self.section(Section::UnitEnds);
        let start = unit.checked_sub(1).map_or(0, |before| columns::u32_at(ends, before));
        let end = columns::u32_at(ends, unit).min(self.documents());
        start.min(end)..end
    }

    /// The unit of a document; `None` without features. O(log units).
    #[must_use]
    pub fn unit_of(&self, local: u32) -> Option<u32> {
        let ends = self.section(Section::UnitEnds);
        let unit =
            columns::partition_point(self.units(), |unit| columns::u32_at(ends, unit) <= local);
        (unit < self.units()).then_some(unit)
    }

    /// The numbers of a document.
    #[must_use]
    pub fn row(&self, local: u32) -> Row {
        Row::decode(columns::record::<{ Row::BYTES }>(self.section(Section::Rows), local))
    }

    /// A string of a document; `None` in a damaged file.
    fn string(&self, local: u32, column: u32) -> Option<&[u8]> {
        let ends = self.section(Section::StringEnds);
        let at = u64::from(local) * u64::from(columns::STRINGS) + u64::from(column);
        let end = columns::u64_at(ends, at);
        let start = at.checked_sub(1).map_or(0, |before| columns::u64_at(ends, before));
        let bytes = self.section(Section::Strings);
        bytes.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
    }

    fn text_of(&self, local: u32, column: u32) -> &str {
        let bytes = self.string(local, column).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    /// The id of a document.
    #[must_use]
    pub fn id(&self, local: u32) -> &str {
        self.text_of(local, 0)
    }

    /// The address of a document; empty for none.
    #[must_use]
    pub fn url(&self, local: u32) -> &str {
        self.text_of(local, 1)
    }

    /// The date of a document as written; empty for none.
    #[must_use]
    pub fn date(&self, local: u32) -> &str {
        self.text_of(local, 2)
    }

    /// Bytes that the caller stored with a document.
    #[must_use]
    pub fn extra(&self, local: u32) -> &[u8] {
        self.string(local, 3).unwrap_or_default()
    }

    /// Values of the keep rules of a document.
    pub fn keep(&self, local: u32) -> impl Iterator<Item = f64> + '_ {
        let values = u64::from(self.settings.keep_values);
        let start = u64::from(local) * values;
        let column = self.section(Section::Keep);
        (start..start + values).map(|at| f64::from_bits(columns::u64_at(column, at)))
    }

    /// The key of the value by which a document differs from those that it may match; 0 if it may match
    /// any.
    #[must_use]
    pub fn value(&self, local: u32) -> u64 {
        match self.settings.across {
            true => self.keep(local).last().map_or(0, |key| key as u64),
            false => 0,
        }
    }

    /// Number of the kept document that a document relied on when the segment was written;
    /// [`KEPT`] for one that was kept.
    pub(crate) fn relies_on(&self, local: u32) -> u32 {
        match self.footer.states(&self.data) {
            Some(states) => columns::u32_at(states, local),
            None => KEPT,
        }
    }

    /// The documents that were kept when the segment was written. Linear in the documents at the
    /// first call: every later snapshot has the segment, also after a commit of one document.
    pub(crate) fn kept(&self) -> &RoaringBitmap {
        self.kept.get_or_init(|| {
            (0..self.documents()).filter(|&local| self.relies_on(local) == KEPT).collect()
        })
    }

    /// The units that have an element posted, and perhaps others whose elements agree with it in the
    /// first 40 bits (of a lean index: 32).
    #[must_use]
    pub fn lookup(&self, element: u64) -> List<'_> {
        self.postings.lookup(&self.data, element)
    }

    /// Reads what lookups of these elements read first into the cache.
    pub(crate) fn prefetch(&self, elements: &[u64]) {
        self.postings.prefetch(&self.data, elements);
    }

    /// How much of each unit's set lies in long lists, as bytes of
    /// [`CommonShare`](crate::search::CommonShare).
    pub(crate) fn common_shares(&self) -> &[u8] {
        self.section(Section::UnitCommon)
    }

    /// The documents that have a key of a method, and perhaps others whose keys agree with it in
    /// the first 40 bits.
    #[must_use]
    pub fn documents_with_key(&self, method: usize, key: u64) -> List<'_> {
        self.keys[method].lookup(&self.data, key)
    }

    /// The dictionary of its texts.
    pub(crate) fn dictionary(&self) -> &[u8] {
        self.section(Section::Dictionary)
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn damaged(&self, what: impl Into<String>) -> IndexError {
        IndexError::Damaged { path: self.path.clone(), what: what.into() }
    }
}
