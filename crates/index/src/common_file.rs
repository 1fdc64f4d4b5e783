//! The table of common elements of a lean index: `common.bin`, written once.
//!
//! `lookcomm`, the format (u32), 0 (u32), the number of elements (u64), the elements (u64,
//! ascending), all little-endian. The digest of these bytes is in `settings.json`.

use crate::{FORMAT, IndexError};
use lookalike_core::CommonElements;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: &[u8; 8] = b"lookcomm";

/// The bytes of the file.
pub(crate) fn encode(common: &CommonElements) -> Vec<u8> {
    let elements = common.elements();
    let mut bytes = Vec::with_capacity(24 + 8 * elements.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&u64::from(FORMAT).to_le_bytes());
    bytes.extend_from_slice(&(elements.len() as u64).to_le_bytes());
    elements.iter().for_each(|element| bytes.extend_from_slice(&element.to_le_bytes()));
    bytes
}

/// The digest of the bytes, in hexadecimal digits.
pub(crate) fn digest(bytes: &[u8]) -> String {
    format!("{:016x}", xxh3_64(bytes))
}

/// Reads the file.
///
/// # Errors
/// [`IndexError::Differs`] if it does not have this digest.
pub(crate) fn decode(
    path: &Path,
    bytes: &[u8],
    wanted: &str,
) -> Result<CommonElements, IndexError> {
    let found = digest(bytes);
    if found != wanted {
        return Err(IndexError::Differs {
            path: path.to_owned(),
            what: "the digest of the common elements".into(),
            found,
            wanted: wanted.to_owned(),
        });
    }
    let words = || bytes.chunks_exact(8).map(|word| word.try_into().map_or(0, u64::from_le_bytes));
    let elements: Vec<u64> = words().skip(3).collect();
    let head: Vec<u64> = words().skip(1).take(2).collect();
    let is_right = bytes.starts_with(MAGIC)
        && bytes.len().is_multiple_of(8)
        && head == [u64::from(FORMAT), elements.len() as u64]
        && elements.is_sorted_by(|a, b| a < b);
    match is_right {
        true => Ok(CommonElements::new(elements)),
        false => Err(IndexError::Damaged {
            path: path.to_owned(),
            what: "it is not a table of common elements of this format".into(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_table_comes_back_and_damage_is_found(
            elements in prop::collection::vec(any::<u64>(), 0..40),
            place in any::<prop::sample::Index>(),
            flip in 1u8..=255,
        ) {
            let path = Path::new("common.bin");
            let table = CommonElements::new(elements);
            let bytes = encode(&table);
            let digest = digest(&bytes);
            prop_assert_eq!(decode(path, &bytes, &digest).unwrap(), table);
            let mut damaged = bytes.clone();
            damaged[place.index(bytes.len())] ^= flip;
            let error = decode(path, &damaged, &digest).unwrap_err().to_string();
            prop_assert!(error.contains("the digest of the common elements: it has"), "{}", error);
            prop_assert!(decode(path, &bytes[..bytes.len() - 1], &digest).is_err());
        }
    }

    #[test]
    fn other_files_are_refused() {
        let path = Path::new("common.bin");
        let table = encode(&CommonElements::new(vec![1, 2]));
        let mut swapped = table.clone();
        swapped[24..40].rotate_left(8);
        let (mut version, long) = (table.clone(), [&table[..], &[0; 8]].concat());
        version[8] = 2;
        for bytes in [swapped, version, long, table[1..].to_vec(), Vec::new()] {
            let error = decode(path, &bytes, &digest(&bytes)).unwrap_err().to_string();
            assert!(error.contains("not a table"), "{error}");
        }
    }
}
