//! Lexicon: document frequencies from a memory-mapped file.

use crate::check;
use crate::description::differs;
use crate::format::{
    CHECKED, CHECKSUM, ENTRY, Header, MAGIC, STRIDE, Sections, VERSION, group, number,
};
use crate::map::map;
use crate::staging::write_bytes;
use crate::{Description, LexiconError};
use lookalike_core::TextDigest;
use lookalike_methods::Statistics;
use lookalike_methods::imatch::{Frequencies, Share};
use lookalike_spill::regular_file;
use memmap2::Mmap;
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Document frequencies, mapped from a file that never changes. `Send` and `Sync`.
pub struct Lexicon {
    path: PathBuf,
    map: Mmap,
    header: Header,
    sections: Sections,
    checksum: u128,
}

/// A term of a lexicon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Term<'a> {
    /// The finalised hash of its bytes.
    pub fingerprint: u64,
    /// Number of documents that contain it.
    pub frequency: u32,
    /// Its bytes, of which at most the first 255 are kept.
    pub name: &'a [u8],
}

impl Lexicon {
    /// Opens a lexicon and validates all of it: reads the file once, at some gigabytes per second.
    ///
    /// # Errors
    /// Not a lexicon, another version or other hashes, or damage.
    pub fn open(path: &Path) -> Result<Self, LexiconError> {
        let file = regular_file::open_named(path).map_err(LexiconError::io(path))?;
        let foreign = || LexiconError::NotALexicon { path: path.to_owned() };
        let damaged = |what| LexiconError::Damaged { path: path.to_owned(), what };
        let length = file.metadata().map_err(LexiconError::io(path))?.len();
        if length == 0 {
            return Err(foreign());
        }
        let map = map(&file, path)?;
        if !map.starts_with(MAGIC) {
            return Err(foreign());
        }
        let found = number::<4>(&map, 8).ok_or_else(|| damaged("it is cut short"))? as u32;
        if found != VERSION {
            return Err(LexiconError::Version { path: path.to_owned(), found, known: VERSION });
        }
        let checked = map.get(CHECKED..).ok_or_else(|| damaged("it is cut short"))?;
        let TextDigest(checksum) = TextDigest::of(checked);
        // The length of the header precedes the checksummed part; a wrong length fails the checks
        // below.
        if map[CHECKSUM..CHECKED] != checksum.to_le_bytes() {
            return Err(damaged("its checksum is wrong"));
        }
        let (header, sections) = Header::decode(&map, path)?;
        if let Some(what) = check::wrong(&map, &header, sections) {
            return Err(damaged(what));
        }
        Ok(Self { path: path.to_owned(), map, header, sections, checksum })
    }

    /// Whether there is a file that begins as a lexicon does; false if it cannot be read.
    #[must_use]
    pub fn is_at(path: &Path) -> bool {
        let mut start = [0; MAGIC.len()];
        let mut read = || regular_file::open_named(path)?.read_exact(&mut start);
        // Opening a pipe would wait for its writer.
        path.is_file() && read().is_ok() && start == *MAGIC
    }

    /// Checks that the lexicon was made with the wanted description.
    ///
    /// # Errors
    /// [`LexiconError::Differs`] says what differs.
    pub fn expect(&self, wanted: &Description) -> Result<(), LexiconError> {
        differs(&self.path, self.description(), wanted)
    }

    /// Opens a lexicon of the bytes of its file, which are written to `path`.
    ///
    /// # Errors
    /// As [`Lexicon::open`]; a file that cannot be written.
    pub fn of_bytes(bytes: &[u8], path: &Path) -> Result<Self, LexiconError> {
        write_bytes(bytes, path)?;
        Self::open(path)
    }

    /// The bytes of its file.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// Writes the same bytes to another file, which appears whole or not at all.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), LexiconError> {
        write_bytes(self.bytes(), path)
    }

    /// Its file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How its terms were made.
    #[must_use]
    pub fn description(&self) -> &Description {
        &self.header.description
    }

    /// Number of terms.
    #[must_use]
    pub fn len(&self) -> usize {
        self.header.terms as usize
    }

    /// Whether it has no term.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.header.terms == 0
    }

    /// All terms, in ascending order of fingerprints.
    #[must_use]
    pub fn terms(&self) -> Terms<'_> {
        Terms { lexicon: self, index: 0, at: self.sections.names }
    }

    /// The terms whose nidf is from `low` to `high`, both included: a lexicon of I-Match.
    pub fn window(&self, low: Share, high: Share) -> impl Iterator<Item = Term<'_>> {
        let window = Frequencies::in_collection(low, high, self);
        self.terms().filter(move |term| window.contains(term.frequency))
    }

    /// Number of terms of [`Lexicon::window`]. Reads no names.
    #[must_use]
    pub fn window_len(&self, low: Share, high: Share) -> usize {
        let window = Frequencies::in_collection(low, high, self);
        self.entries().iter().filter(|entry| window.contains(split(entry).1)).count()
    }

    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    /// Fingerprints and frequencies.
    #[inline]
    pub(crate) fn entries(&self) -> &[[u8; ENTRY]] {
        self.map[self.sections.entries..self.sections.names].as_chunks().0
    }

    #[inline]
    fn directory(&self) -> &[[u8; 4]] {
        self.map[self.sections.directory..self.sections.end].as_chunks().0
    }

    /// The term of entry `index`. Skips up to 63 names.
    pub(crate) fn term(&self, index: usize) -> Option<Term<'_>> {
        let sample = number::<8>(&self.map, self.sections.samples + 8 * (index / STRIDE))?;
        let at = self.sections.names.checked_add(usize::try_from(sample).ok()?)?;
        Terms { lexicon: self, index: index / STRIDE * STRIDE, at }.nth(index % STRIDE)
    }
}

/// The fingerprint of an entry.
#[inline]
fn fingerprint(entry: &[u8; ENTRY]) -> u64 {
    entry.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// The two numbers of an entry.
#[inline]
pub(crate) fn split(entry: &[u8; ENTRY]) -> (u64, u32) {
    (fingerprint(entry), entry.last_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes)))
}

/// The frequency of `term`, whose entry, if there is one, is at or after `first`.
///
/// The distance is random, and a mispredicted branch costs more than four comparisons: so the
/// smaller ones of the first four are counted, which nearly always suffices.
#[inline]
fn scan(entries: &[[u8; ENTRY]], first: usize, term: u64) -> u32 {
    let rest = entries.get(first..).unwrap_or_default();
    let smaller = rest.first_chunk::<4>().map_or(0, |four| {
        four.iter().map(|entry| usize::from(fingerprint(entry) < term)).sum::<usize>()
    });
    for entry in rest.get(smaller..).unwrap_or_default() {
        let (fingerprint, frequency) = split(entry);
        if fingerprint >= term {
            return if fingerprint == term { frequency } else { 0 };
        }
    }
    0
}

impl Statistics for Lexicon {
    fn documents(&self) -> u64 {
        self.header.documents
    }

    /// Two memory accesses: the start of the group of the term's leading bits, and the group.
    fn frequency(&self, term: u64) -> u32 {
        let first = self.directory()[group(term, self.header.bits) as usize];
        scan(self.entries(), u32::from_le_bytes(first) as usize, term)
    }

    fn frequencies(&self, terms: &[u64], out: &mut Vec<u32>) {
        let (directory, entries, bits) = (self.directory(), self.entries(), self.header.bits);
        out.clear();
        // No iteration depends on a read of another, so several reads are in flight.
        out.extend(
            terms.iter().map(|&term| u32::from_le_bytes(directory[group(term, bits) as usize])),
        );
        for (&term, place) in terms.iter().zip(out) {
            *place = scan(entries, *place as usize, term);
        }
    }

    fn frequency_range(&self) -> (u32, u32) {
        self.header.range
    }

    fn checksum(&self) -> u128 {
        self.checksum
    }
}

impl fmt::Debug for Lexicon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lexicon").field("path", &self.path).field("header", &self.header).finish()
    }
}

/// The terms of a lexicon, in ascending order of fingerprints.
#[derive(Debug, Clone)]
pub struct Terms<'a> {
    lexicon: &'a Lexicon,
    index: usize,
    at: usize,
}

impl<'a> Iterator for Terms<'a> {
    type Item = Term<'a>;

    fn next(&mut self) -> Option<Term<'a>> {
        let (fingerprint, frequency) = split(self.lexicon.entries().get(self.index)?);
        let length = usize::from(*self.lexicon.map.get(self.at)?);
        let name = self.lexicon.map.get(self.at + 1..self.at + 1 + length)?;
        self.index += 1;
        self.at += 1 + length;
        Some(Term { fingerprint, frequency, name })
    }
}
