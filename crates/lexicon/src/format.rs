//! The layout of the file. All numbers are little-endian; nothing is aligned.
//!
//! | at | bytes | what |
//! |---|---|---|
//! | 0 | 8 | `LKLEXIC\n` |
//! | 8 | 4 | version, 1 |
//! | 12 | 4 | H, length of the header |
//! | 16 | 16 | checksum: XXH3-128 of everything from byte 32 |
//! | 32 | 8 | N, documents |
//! | 40 | 8 | T, terms |
//! | 48 | 8 | B, bytes of all names |
//! | 56 | 4 | smallest document frequency |
//! | 60 | 4 | largest document frequency |
//! | 64 | 4 | d, bits that the directory goes by |
//! | 68 | | name of the hashes, analysis, term filter: 2 bytes of length each, then UTF-8 |
//! | H | 12 T | entries by rising fingerprint: fingerprint (8), document frequency (4) |
//! | | B | names, in the order of the entries: length (1), that many bytes |
//! | | 8 ⌈T/64⌉ | where the name of every 64th entry begins, from the first name on |
//! | | 4 (2^d + 1) | directory: the number of entries whose leading d bits are below 0, 1, … 2^d |
//!
//! A term's fingerprint is the finalised hash of its bytes. Its name is for display and is cut
//! after at most 255 bytes, between two characters.

use crate::{Description, LexiconError};
use lookalike_core::HASH_NAME;
use std::path::Path;

/// The first bytes.
pub const MAGIC: &[u8; 8] = b"LKLEXIC\n";
/// Version of the layout.
pub const VERSION: u32 = 1;
/// Offset of the checksummed part.
pub(crate) const CHECKED: usize = 32;
/// Offset of the checksum.
pub(crate) const CHECKSUM: usize = 16;
/// Bytes of an entry.
pub(crate) const ENTRY: usize = 12;
/// Number of entries between two stored offsets of names.
pub(crate) const STRIDE: usize = 64;

const FIXED: usize = 68;

/// The numbers and words before the entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) documents: u64,
    pub(crate) terms: u64,
    pub(crate) names: u64,
    pub(crate) range: (u32, u32),
    pub(crate) bits: u32,
    pub(crate) description: Description,
}

/// Offsets of the sections, and of the end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sections {
    pub(crate) entries: usize,
    pub(crate) names: usize,
    pub(crate) samples: usize,
    pub(crate) directory: usize,
    pub(crate) end: usize,
}

/// Leading bits for groups of one to two entries.
pub(crate) fn directory_bits(terms: u64) -> u32 {
    terms.div_ceil(2).max(1).next_power_of_two().ilog2()
}

impl Header {
    /// Its bytes, with an empty checksum.
    pub(crate) fn encode(&self) -> Result<Vec<u8>, LexiconError> {
        let mut bytes = Vec::with_capacity(256);
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend([0; 20]);
        bytes.extend(self.documents.to_le_bytes());
        bytes.extend(self.terms.to_le_bytes());
        bytes.extend(self.names.to_le_bytes());
        bytes.extend(self.range.0.to_le_bytes());
        bytes.extend(self.range.1.to_le_bytes());
        bytes.extend(self.bits.to_le_bytes());
        for text in [HASH_NAME, &self.description.analysis, &self.description.term_filter] {
            let length = u16::try_from(text.len()).map_err(|_| LexiconError::TooMany {
                what: "bytes in a description",
                most: u64::from(u16::MAX),
            })?;
            bytes.extend(length.to_le_bytes());
            bytes.extend(text.as_bytes());
        }
        let length = bytes.len() as u32;
        bytes[12..16].copy_from_slice(&length.to_le_bytes());
        Ok(bytes)
    }

    /// Reads the header of a whole file, whose checksum is right.
    pub(crate) fn decode(file: &[u8], path: &Path) -> Result<(Self, Sections), LexiconError> {
        let damaged = |what| LexiconError::Damaged { path: path.to_owned(), what };
        let short = || damaged("the header is cut short");
        let length = number::<4>(file, 12).ok_or_else(short)? as usize;
        let header = file.get(..length).ok_or_else(short)?;
        let word = |at| number::<8>(header, at).ok_or_else(short);
        let half = |at| number::<4>(header, at).map(|value| value as u32).ok_or_else(short);
        let mut at = FIXED;
        let mut text = || {
            let length = number::<2>(header, at)? as usize;
            let bytes = header.get(at + 2..at + 2 + length)?;
            at += 2 + length;
            Some(std::str::from_utf8(bytes).ok()?.to_owned())
        };
        let mut next = || text().ok_or_else(short);
        let (hash, analysis, term_filter) = (next()?, next()?, next()?);
        if at != length {
            return Err(damaged("the header is longer than what it holds"));
        }
        if hash != HASH_NAME {
            return Err(LexiconError::Differs {
                path: path.to_owned(),
                what: "the hashes",
                found: hash,
                wanted: HASH_NAME.to_owned(),
            });
        }
        let header = Self {
            documents: word(32)?,
            terms: word(40)?,
            names: word(48)?,
            range: (half(56)?, half(60)?),
            bits: half(64)?,
            description: Description { analysis, term_filter },
        };
        let sections = header.sections(length).filter(|sections| sections.end == file.len());
        Ok((header, sections.ok_or_else(|| damaged("the sections do not fill the file"))?))
    }

    /// The offsets of the sections after a header of this length, if its numbers are consistent.
    pub(crate) fn sections(&self, length: usize) -> Option<Sections> {
        let terms = usize::try_from(self.terms).ok().filter(|&terms| terms < 1 << 32)?;
        let groups =
            (self.bits == directory_bits(self.terms)).then(|| (1usize << self.bits) + 1)?;
        let names = length.checked_add(terms.checked_mul(ENTRY)?)?;
        let samples = names.checked_add(usize::try_from(self.names).ok()?)?;
        let directory = samples.checked_add(8 * terms.div_ceil(STRIDE))?;
        let end = directory.checked_add(4 * groups)?;
        Some(Sections { entries: length, names, samples, directory, end })
    }
}

/// The little-endian number of `N` bytes at `at`.
pub(crate) fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes: &[u8; N] = bytes.get(at..)?.first_chunk()?;
    Some(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
}

/// The leading bits of a fingerprint.
#[inline]
pub(crate) fn group(fingerprint: u64, bits: u32) -> u64 {
    // For no bits, the shift by 64 is undefined.
    fingerprint.checked_shr(64 - bits).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_hold_one_to_two() {
        for terms in [8u64, 9, 31, 1000, 4_000_000, 5_799_999] {
            let groups = 1u64 << directory_bits(terms);
            assert!(groups <= terms && terms <= groups * 2, "{terms}: {groups}");
        }
        assert_eq!(directory_bits(0), 0);
    }

    #[test]
    fn header_and_back() {
        let header = Header {
            documents: 3,
            terms: 0,
            names: 0,
            range: (0, 0),
            bits: 0,
            description: Description { analysis: "wörds".into(), term_filter: String::new() },
        };
        let mut file = header.encode().unwrap();
        let length = file.len();
        file.extend([0; 8]);
        let (decoded, sections) = Header::decode(&file, Path::new("x")).unwrap();
        assert_eq!(decoded, header);
        assert_eq!((sections.entries, sections.end), (length, length + 8));
        for cut in 0..file.len() {
            assert!(Header::decode(&file[..cut], Path::new("x")).is_err(), "{cut}");
        }
    }
}
