//! Files with a table of elements, written once: the common elements of a lean index (`common.bin`),
//! and shingles that the caller ignores.
//!
//! A name of 8 bytes, the format (u32), 0 (u32), the number of elements (u64), the elements (u64,
//! ascending), and as many further numbers (u64) as the kind of table has, all little-endian. The
//! digest of these bytes is written elsewhere.

use crate::{FORMAT, IndexError};
use lookalike_core::CommonElements;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// A kind of table.
#[derive(Debug, Clone, Copy)]
pub struct ElementsFile {
    /// The first bytes.
    magic: &'static [u8; 8],
    /// What the elements are, for errors.
    what: &'static str,
    /// How many numbers follow the elements.
    more: usize,
}

impl ElementsFile {
    /// The common elements of a lean index.
    pub(crate) const COMMON: Self = Self { magic: b"lookcomm", what: "common elements", more: 0 };

    /// The shingles of texts that are ignored, and the number of the texts.
    pub const IGNORED: Self = Self { magic: b"lookigno", what: "ignored shingles", more: 1 };

    /// The bytes of a file. `more` has as many numbers as the kind of table has.
    #[must_use]
    pub fn encode(self, elements: &CommonElements, more: &[u64]) -> Vec<u8> {
        debug_assert_eq!(more.len(), self.more);
        let elements = elements.elements();
        let mut bytes = Vec::with_capacity(24 + 8 * (elements.len() + more.len()));
        bytes.extend_from_slice(self.magic);
        bytes.extend_from_slice(&u64::from(FORMAT).to_le_bytes());
        bytes.extend_from_slice(&(elements.len() as u64).to_le_bytes());
        let numbers = elements.iter().chain(more);
        numbers.for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
        bytes
    }

    /// The digest of the bytes of a file, in hexadecimal digits.
    #[must_use]
    pub fn digest(bytes: &[u8]) -> String {
        format!("{:016x}", xxh3_64(bytes))
    }

    /// Reads a file: its elements, and the numbers that follow them.
    ///
    /// # Errors
    /// [`IndexError::Differs`] if it does not have this digest; [`IndexError::Damaged`] if it is no
    /// such table.
    pub fn decode(
        self,
        path: &Path,
        bytes: &[u8],
        wanted: &str,
    ) -> Result<(CommonElements, Vec<u64>), IndexError> {
        let found = Self::digest(bytes);
        if found != wanted {
            return Err(IndexError::Differs {
                path: path.to_owned(),
                what: format!("the digest of the {}", self.what),
                found,
                wanted: wanted.to_owned(),
            });
        }
        let numbers = bytes.chunks_exact(8);
        let mut numbers = numbers.map(|number| number.try_into().map_or(0, u64::from_le_bytes));
        let head = [numbers.next(), numbers.next(), numbers.next()];
        let mut elements: Vec<u64> = numbers.collect();
        let more = elements.split_off(elements.len().saturating_sub(self.more));
        let is_right = bytes.starts_with(self.magic)
            && bytes.len().is_multiple_of(8)
            && head[1..] == [Some(u64::from(FORMAT)), Some(elements.len() as u64)]
            && more.len() == self.more
            && elements.is_sorted_by(|a, b| a < b);
        match is_right {
            true => Ok((CommonElements::new(elements), more)),
            false => Err(IndexError::Damaged {
                path: path.to_owned(),
                what: format!("it is not a table of {} of this format", self.what),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KINDS: [(ElementsFile, &[u64]); 2] =
        [(ElementsFile::COMMON, &[]), (ElementsFile::IGNORED, &[3])];

    proptest! {
        #[test]
        fn a_table_comes_back_and_damage_is_found(
            elements in prop::collection::vec(any::<u64>(), 0..40),
            place in any::<prop::sample::Index>(),
            flip in 1u8..=255,
        ) {
            let path = Path::new("common.bin");
            let table = CommonElements::new(elements);
            for (kind, more) in KINDS {
                let bytes = kind.encode(&table, more);
                let digest = ElementsFile::digest(&bytes);
                let read = kind.decode(path, &bytes, &digest).unwrap();
                prop_assert_eq!(read, (table.clone(), more.to_vec()));
                let mut damaged = bytes.clone();
                damaged[place.index(bytes.len())] ^= flip;
                let error = kind.decode(path, &damaged, &digest).unwrap_err().to_string();
                let named = format!("the digest of the {}: it has", kind.what);
                prop_assert!(error.contains(&named), "{}", error);
                prop_assert!(kind.decode(path, &bytes[..bytes.len() - 1], &digest).is_err());
            }
        }
    }

    #[test]
    fn other_files_are_refused() {
        let path = Path::new("common.bin");
        for (kind, more) in KINDS {
            let table = kind.encode(&CommonElements::new(vec![1, 2]), more);
            let mut swapped = table.clone();
            swapped[24..40].rotate_left(8);
            let (mut version, long) = (table.clone(), [&table[..], &[0; 8]].concat());
            version[8] = 2;
            let other = table[..table.len() - 8].to_vec();
            for bytes in [swapped, version, long, other, table[1..].to_vec(), Vec::new()] {
                let digest = ElementsFile::digest(&bytes);
                let error = kind.decode(path, &bytes, &digest).unwrap_err().to_string();
                assert!(error.contains("not a table"), "{error}");
            }
        }
    }
}
