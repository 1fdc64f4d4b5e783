//! Header, footer and trailer of a segment.
//!
//! Header (64 bytes), sections, footer, states (4 bytes for each document), trailer (40 bytes). The
//! footer says where the sections are and has their checksums. All numbers are little-endian.

use super::columns;
use super::postings::{BITS, Directory, Layout};
use super::{Row, SegmentSettings};
use crate::{FORMAT, IndexError};
use lookalike_core::HASH_NAME;
use rayon::prelude::*;
use std::ops::Range;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// First bytes of a segment.
const MAGIC: &[u8; 8] = b"lookseg\n";

/// First bytes of a footer.
const FOOTER: &[u8; 8] = b"lookfoot";

/// Last bytes of a complete segment.
const END: &[u8; 8] = b"lookend\n";

pub(super) const HEADER_BYTES: usize = 64;
pub(super) const TRAILER_BYTES: usize = 40;

/// Bytes that have a checksum of their own.
pub(super) const CHECKED: usize = 1 << 20;

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Built {
    /// Documents.
    pub(crate) documents: u32,
    /// Units.
    pub(crate) units: u32,
    /// Postings.
    pub(crate) postings: u64,
    /// Bytes of the file without states and trailer.
    pub(crate) bytes: u64,
    /// Bytes of the footer, which are the last of those.
    pub(crate) footer: u64,
    /// Checksum of the footer, which has those of all sections.
    pub(crate) checksum: u64,
}

/// A part of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Section {
    UnitSizes,
    UnitDigests,
    UnitBitmaps,
    UnitEnds,
    Rows,
    StringEnds,
    Strings,
    Keep,
    Dictionary,
    Texts,
    IdHashes,
    IdDocuments,
    UrlHashes,
    UrlDocuments,
    Numbers,
    NumberDocuments,
    Postings,
    Directory,
    UnitCommon,
    /// Of each method.
    SignatureRows(u32),
    SignatureEnds(u32),
    SignatureWords(u32),
    KeyPostings(u32),
    KeyDirectory(u32),
}

/// Sections without a method, in the order of their codes.
const PLAIN: [(Section, &str); 19] = [
    (Section::UnitSizes, "unit sizes"),
    (Section::UnitDigests, "unit digests"),
    (Section::UnitBitmaps, "unit bitmaps"),
    (Section::UnitEnds, "unit ends"),
    (Section::Rows, "rows"),
    (Section::StringEnds, "string ends"),
    (Section::Strings, "strings"),
    (Section::Keep, "keep values"),
    (Section::Dictionary, "dictionary"),
    (Section::Texts, "texts"),
    (Section::IdHashes, "id hashes"),
    (Section::IdDocuments, "id documents"),
    (Section::UrlHashes, "URL hashes"),
    (Section::UrlDocuments, "URL documents"),
    (Section::Numbers, "numbers"),
    (Section::NumberDocuments, "number documents"),
    (Section::Postings, "postings"),
    (Section::Directory, "directory"),
    (Section::UnitCommon, "shares of common elements"),
];

/// The first code of the sections of methods.
const METHODS: u32 = 64;

/// Sections of each method.
const PER_METHOD: usize = 5;

impl Section {
    /// Its code, and the method of which it is.
    fn code(self) -> (u32, u32) {
        let plain = match self {
            Self::UnitSizes => 0,
            Self::UnitDigests => 1,
            Self::UnitBitmaps => 2,
            Self::UnitEnds => 3,
            Self::Rows => 4,
            Self::StringEnds => 5,
            Self::Strings => 6,
            Self::Keep => 7,
            Self::Dictionary => 8,
            Self::Texts => 9,
            Self::IdHashes => 10,
            Self::IdDocuments => 11,
            Self::UrlHashes => 12,
            Self::UrlDocuments => 13,
            Self::Numbers => 14,
            Self::NumberDocuments => 15,
            Self::Postings => 16,
            Self::Directory => 17,
            Self::UnitCommon => 18,
            Self::SignatureRows(method) => return (METHODS, method),
            Self::SignatureEnds(method) => return (METHODS + 1, method),
            Self::SignatureWords(method) => return (METHODS + 2, method),
            Self::KeyPostings(method) => return (METHODS + 3, method),
            Self::KeyDirectory(method) => return (METHODS + 4, method),
        };
        (plain, 0)
    }

    /// Its place among all sections of a segment.
    #[inline]
    fn index(self) -> usize {
        match self.code() {
            (code @ METHODS.., method) => {
                PLAIN.len() + method as usize * PER_METHOD + (code - METHODS) as usize
            }
            (code, _) => code as usize,
        }
    }

    fn of_code(code: u32, method: u32) -> Option<Self> {
        match code.checked_sub(METHODS) {
            None => PLAIN.get(code as usize).map(|&(section, _)| section),
            Some(0) => Some(Self::SignatureRows(method)),
            Some(1) => Some(Self::SignatureEnds(method)),
            Some(2) => Some(Self::SignatureWords(method)),
            Some(3) => Some(Self::KeyPostings(method)),
            Some(4) => Some(Self::KeyDirectory(method)),
            Some(_) => None,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::SignatureRows(_) => "signature rows",
            Self::SignatureEnds(_) => "signature ends",
            Self::SignatureWords(_) => "signature words",
            Self::KeyPostings(_) => "key postings",
            Self::KeyDirectory(_) => "key directory",
            plain => {
                PLAIN.iter().find(|(section, _)| *section == plain).map_or("", |(_, name)| name)
            }
        }
    }
}

/// The header of a segment.
pub(super) fn header(settings: &SegmentSettings) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..8].copy_from_slice(MAGIC);
    header[8..12].copy_from_slice(&FORMAT.to_le_bytes());
    header[12..16].copy_from_slice(&settings.keep_values.to_le_bytes());
    header[16..20].copy_from_slice(&settings.methods.to_le_bytes());
    header[20..24].copy_from_slice(&u32::from(settings.texts).to_le_bytes());
    header[24..32].copy_from_slice(&settings.digest.to_le_bytes());
    header[32..40].copy_from_slice(&xxh3_64(HASH_NAME.as_bytes()).to_le_bytes());
    if let Some(lean) = &settings.lean {
        // Below 2³⁰.
        let part = |number: u64| (number as u32).to_le_bytes();
        header[40..44].copy_from_slice(&part(lean.threshold().numerator()));
        header[44..48].copy_from_slice(&part(lean.threshold().denominator()));
    }
    let checksum = xxh3_64(&header[..56]);
    header[56..].copy_from_slice(&checksum.to_le_bytes());
    header
}

/// The trailer of a complete segment: bytes of the footer, number of documents, checksum of the
/// states, its own checksum, and the end.
pub(super) fn trailer(footer: u64, documents: u32, states: u64) -> [u8; TRAILER_BYTES] {
    let mut trailer = [0; TRAILER_BYTES];
    trailer[..8].copy_from_slice(&footer.to_le_bytes());
    trailer[8..16].copy_from_slice(&u64::from(documents).to_le_bytes());
    trailer[16..24].copy_from_slice(&states.to_le_bytes());
    let checksum = xxh3_64(&trailer[..24]);
    trailer[24..32].copy_from_slice(&checksum.to_le_bytes());
    trailer[32..].copy_from_slice(END);
    trailer
}

/// Where the sections of a segment are.
#[derive(Debug, Clone)]
pub(super) struct Footer {
    pub(super) documents: u32,
    pub(super) units: u32,
    postings: Layout,
    keys: Vec<Layout>,
    /// In the order of the file, with start and length.
    sections: Vec<(Section, u64, u64)>,
    /// Where each section is, by [`Section::index`].
    ranges: Vec<Range<usize>>,
    /// Of each [`CHECKED`] bytes of each section, in their order.
    checksums: Vec<u64>,
    /// Where the states are, and their checksum, in a complete segment.
    states: Option<(Range<usize>, u64)>,
}

impl Footer {
    /// The footer of sections that follow each other.
    pub(super) fn new(
        documents: u32,
        units: u32,
        postings: Layout,
        keys: Vec<Layout>,
        sections: Vec<(Section, u64, u64)>,
        checksums: Vec<u64>,
    ) -> Self {
        let mut ranges = vec![0..0; PLAIN.len() + keys.len() * PER_METHOD];
        for &(section, start, length) in &sections {
            if let Some(range) = ranges.get_mut(section.index()) {
                *range = start as usize..(start + length) as usize;
            }
        }
        Self { documents, units, postings, keys, sections, ranges, checksums, states: None }
    }

    /// The bytes of the footer; the last eight are its checksum.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut bytes = FOOTER.to_vec();
        let mut put = |value: u64| bytes.extend_from_slice(&value.to_le_bytes());
        put(self.documents.into());
        put(self.units.into());
        for layout in [self.postings].iter().chain(&self.keys) {
            put(layout.entries);
            put(u64::from(layout.bucket_bits) << 32 | u64::from(layout.number_bits));
        }
        put(self.sections.len() as u64);
        for &(section, start, length) in &self.sections {
            let (code, method) = section.code();
            put(u64::from(code) << 32 | u64::from(method));
            put(start);
            put(length);
        }
        put(self.checksums.len() as u64);
        self.checksums.iter().for_each(|&checksum| put(checksum));
        let checksum = xxh3_64(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads a footer that begins at `before`. `None` unless its checksum is right, and every
    /// section is there once, as long as its numbers say, each where the one before ends.
    fn decode(bytes: &[u8], before: u64, settings: &SegmentSettings) -> Option<Self> {
        let (body, checksum) = bytes.split_at_checked(bytes.len().checked_sub(8)?)?;
        if checksum != xxh3_64(body).to_le_bytes() {
            return None;
        }
        let footer = Self::decode_body(body, before, settings)?;
        // Nothing may follow.
        (footer.encode().len() == bytes.len()).then_some(footer)
    }

    /// Reads a footer by its numbers alone.
    fn decode_body(body: &[u8], before: u64, settings: &SegmentSettings) -> Option<Self> {
        if !body.starts_with(FOOTER) {
            return None;
        }
        let mut at = 1;
        let mut take = || {
            let value = (at * 8 + 8 <= body.len() as u64).then(|| columns::u64_at(body, at));
            at += 1;
            value
        };
        let small = |value: u64| u32::try_from(value).ok();
        let (documents, units) = (small(take()?)?, small(take()?)?);
        let mut layout = |element_bits| {
            let (entries, bits) = (take()?, take()?);
            let (bucket_bits, number_bits) = ((bits >> 32) as u32, bits as u32);
            let layout = Layout { entries, element_bits, bucket_bits, number_bits };
            layout.is_valid().then_some(layout)
        };
        let postings = layout(settings.element_bits())?;
        let keys = (0..settings.methods).map(|_| layout(BITS)).collect::<Option<Vec<_>>>()?;
        let mut sections: Vec<(Section, u64, u64)> = Vec::new();
        let mut next = HEADER_BYTES as u64;
        for _ in 0..take()? {
            let (code, start, length) = (take()?, take()?, take()?);
            let section = Section::of_code((code >> 32) as u32, code as u32)?;
            if start != next {
                return None;
            }
            next = start.checked_add(length).filter(|&end| end <= before)?;
            sections.push((section, start, length));
        }
        let checksums = (0..take()?).map(|_| take()).collect::<Option<Vec<_>>>()?;
        let mut names: Vec<usize> = sections.iter().map(|(section, ..)| section.index()).collect();
        names.sort_unstable();
        let checked: u64 =
            sections.iter().map(|(.., length)| length.div_ceil(CHECKED as u64)).sum();
        let all = PLAIN.len() + keys.len() * PER_METHOD;
        if next != before || !names.into_iter().eq(0..all) || checksums.len() as u64 != checked {
            return None;
        }
        let footer = Self::new(documents, units, postings, keys, sections, checksums);
        footer.fits(settings).then_some(footer)
    }

    /// Whether its sections are as long as its numbers say.
    fn fits(&self, settings: &SegmentSettings) -> bool {
        let (documents, units) = (u64::from(self.documents), u64::from(self.units));
        let length = |section| self.range(section).len() as u64;
        let is_column = |(section, count, width): (Section, u64, u64)| {
            count.checked_mul(width) == Some(length(section))
        };
        let are_postings = |layout: &Layout, data, directory| {
            length(data) == layout.bytes() && length(directory) == layout.directory_bytes()
        };
        let strings = documents * u64::from(columns::STRINGS);
        let urls = length(Section::UrlDocuments) / 4;
        let columns = [
            (Section::UnitSizes, units, 4),
            (Section::UnitDigests, units, 16),
            (Section::UnitBitmaps, units, 32),
            (Section::UnitEnds, units, 4),
            (Section::UnitCommon, units, 1),
            (Section::Rows, documents, Row::BYTES as u64),
            (Section::StringEnds, strings, 8),
            (Section::Keep, documents * u64::from(settings.keep_values), 8),
            (Section::IdHashes, documents, 8),
            (Section::IdDocuments, documents, 4),
            (Section::UrlHashes, urls, 8),
            (Section::UrlDocuments, urls, 4),
            (Section::Numbers, documents, 4),
            (Section::NumberDocuments, documents, 4),
        ];
        let is_method = |(method, layout): (u32, &Layout)| {
            let words = length(Section::SignatureWords(method)) / 8;
            is_column((Section::SignatureRows(method), documents, columns::SIGNATURE_ROW as u64))
                && is_column((Section::SignatureEnds(method), 2 * documents, 8))
                && is_column((Section::SignatureWords(method), words, 8))
                && are_postings(layout, Section::KeyPostings(method), Section::KeyDirectory(method))
        };
        units <= documents
            && urls <= documents
            && columns.into_iter().all(is_column)
            && are_postings(&self.postings, Section::Postings, Section::Directory)
            && (0..).zip(&self.keys).all(is_method)
    }

    /// The footer of a complete segment.
    pub(super) fn of_complete(
        data: &[u8],
        path: &Path,
        settings: &SegmentSettings,
    ) -> Result<Self, IndexError> {
        check_header(data, path, settings)?;
        let damaged = |what: &str| IndexError::Damaged { path: path.to_owned(), what: what.into() };
        let cut = || damaged("it is cut short");
        let body = data.len().checked_sub(TRAILER_BYTES).ok_or_else(cut)?;
        let (body, trailer) = data.split_at(body);
        if !trailer.ends_with(END) || xxh3_64(&trailer[..24]) != columns::u64_at(trailer, 3) {
            return Err(cut());
        }
        let (length, documents) = (columns::u64_at(trailer, 0), columns::u64_at(trailer, 1));
        let place = || {
            let states = usize::try_from(documents.checked_mul(4)?).ok()?;
            let end = body.len().checked_sub(states)?;
            let start = end.checked_sub(usize::try_from(length).ok()?)?;
            let footer = Self::decode(&body[start..end], start as u64, settings)?;
            (u64::from(footer.documents) == documents).then_some((footer, end))
        };
        let (footer, end) = place().ok_or_else(|| damaged("its footer is wrong"))?;
        let states = Some((end..body.len(), columns::u64_at(trailer, 2)));
        Ok(Self { states, ..footer })
    }

    /// The footer of a segment whose header, states or end are damaged: the last bytes that are one,
    /// perhaps with wrong checksums. What it says of the sections has to fit them.
    pub(super) fn of_any(data: &[u8], settings: &SegmentSettings) -> Option<Self> {
        let mut end = data.len();
        while let Some(start) = memchr::memmem::rfind(&data[..end], FOOTER) {
            if let Some(footer) = Self::decode_body(&data[start..], start as u64, settings) {
                return Some(footer);
            }
            end = start + FOOTER.len() - 1;
        }
        None
    }

    /// The checksum of the footer, which has those of all sections.
    pub(super) fn checksum(&self) -> u64 {
        xxh3_64(&self.encode())
    }

    /// The footer of a segment whose states are not written yet.
    pub(super) fn of_unfinished(
        data: &[u8],
        path: &Path,
        settings: &SegmentSettings,
        built: &Built,
    ) -> Result<Self, IndexError> {
        check_header(data, path, settings)?;
        let damaged = || IndexError::Damaged {
            path: path.to_owned(),
            what: "it was changed while it was written".into(),
        };
        let start = usize::try_from(built.bytes - built.footer).map_err(|_| damaged())?;
        let footer = data.get(start..start + built.footer as usize).ok_or_else(damaged)?;
        Self::decode(footer, start as u64, settings).ok_or_else(damaged)
    }

    /// The sections and their bytes.
    pub(super) fn sections(&self) -> impl Iterator<Item = (Section, u64)> + '_ {
        self.sections.iter().map(|&(section, _, bytes)| (section, bytes))
    }

    #[inline]
    fn range(&self, section: Section) -> Range<usize> {
        self.ranges.get(section.index()).cloned().unwrap_or_default()
    }

    /// The bytes of a section; none of one that is missing.
    pub(super) fn bytes<'a>(&self, data: &'a [u8], section: Section) -> &'a [u8] {
        data.get(self.range(section)).unwrap_or_default()
    }

    /// The states of a complete segment.
    pub(super) fn states<'a>(&self, data: &'a [u8]) -> Option<&'a [u8]> {
        let (range, _) = self.states.as_ref()?;
        data.get(range.clone())
    }

    /// The postings of the elements.
    pub(super) fn postings(&self) -> Directory {
        self.directory(self.postings, Section::Directory, Section::Postings)
    }

    /// The postings of the keys of a method.
    pub(super) fn keys(&self, method: u32) -> Directory {
        let layout = self.keys[method as usize];
        self.directory(layout, Section::KeyDirectory(method), Section::KeyPostings(method))
    }

    fn directory(&self, layout: Layout, directory: Section, data: Section) -> Directory {
        let (directory, data) = (self.range(directory), self.range(data));
        Directory { layout, directory, data }
    }

    /// The parts of sections that have another checksum than the footer says, as ranges of the bytes
    /// of their section. Reads all of them, on all threads.
    pub(super) fn wrong_parts(&self, data: &[u8]) -> Vec<(Section, Range<usize>)> {
        let parts = self.sections.iter().flat_map(|&(section, ..)| {
            let chunks = self.bytes(data, section).chunks(CHECKED).enumerate();
            chunks.map(move |(at, part)| (section, at * CHECKED, part))
        });
        let parts: Vec<(Section, usize, &[u8])> = parts.collect();
        // As many as there are checksums: `decode` counted them.
        let wrong = parts.par_iter().zip(&self.checksums);
        let wrong = wrong.filter(|((.., part), checksum)| xxh3_64(part) != **checksum);
        wrong.map(|((section, start, part), _)| (*section, *start..*start + part.len())).collect()
    }

    /// The sections whose bytes have another checksum than the footer says, and the states. Reads
    /// all of them, on all threads.
    pub(super) fn wrong_checksums(&self, data: &[u8]) -> Vec<&'static str> {
        let wrong = self.wrong_parts(data);
        let mut wrong: Vec<&'static str> =
            wrong.into_iter().map(|(section, _)| section.name()).collect();
        wrong.dedup();
        if let Some((range, checksum)) = &self.states
            && xxh3_64(&data[range.clone()]) != *checksum
        {
            wrong.push("states");
        }
        wrong
    }
}

fn check_header(data: &[u8], path: &Path, settings: &SegmentSettings) -> Result<(), IndexError> {
    let damaged = |what: &str| IndexError::Damaged { path: path.to_owned(), what: what.into() };
    let found = data.get(..HEADER_BYTES).ok_or_else(|| damaged("it is cut short"))?;
    if !found.starts_with(MAGIC) {
        return Err(damaged("it is not a segment of an index"));
    }
    if columns::u64_at(found, 7) != xxh3_64(&found[..56]) {
        return Err(damaged("the checksum of its header is wrong"));
    }
    let differs = |what: &str, found: String, wanted: String| {
        Err(IndexError::Differs { path: path.to_owned(), what: what.into(), found, wanted })
    };
    let format = columns::u32_at(found, 2);
    if format != FORMAT {
        return differs("the format version", format.to_string(), FORMAT.to_string());
    }
    if columns::u64_at(found, 4) != xxh3_64(HASH_NAME.as_bytes()) {
        return differs("the hash functions", "others".into(), HASH_NAME.into());
    }
    let digest = columns::u64_at(found, 3);
    if digest != settings.digest {
        let shown = |digest: u64| format!("{digest:016x}");
        return differs("the digest of the settings", shown(digest), shown(settings.digest));
    }
    if found != header(settings) {
        return Err(damaged("its header contradicts the settings of the index"));
    }
    Ok(())
}
