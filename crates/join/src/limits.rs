//! Checked numbers of index entries.
//!
//! Offsets into the index take 32 bits, which is half the memory of 64. Sets are numbered with 32
//! bits, so what is counted once for each set cannot exceed them; sums over their elements and keys
//! can, and are checked here. The limit is an argument so that tests can lower it.

use crate::JoinError;

/// The largest number of 32 bits.
pub(crate) const MOST: u64 = u32::MAX as u64;

/// A number of index entries, if one join can hold as many.
pub(crate) fn entries(entries: u64, limit: u64) -> Result<u32, JoinError> {
    let number = u32::try_from(entries).ok().filter(|_| entries <= limit);
    number.ok_or(JoinError::TooManyEntries { entries, limit })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_beyond_32_bits_are_errors_and_never_wrap() {
        assert_eq!(entries(MOST, MOST).unwrap(), u32::MAX);
        for count in [MOST + 1, (1 << 32) + 7, u64::MAX] {
            let error = entries(count, MOST).unwrap_err().to_string();
            assert!(error.contains(&count.to_string()) && error.contains("4294967295"), "{error}");
        }
        // A limit of more than 32 bits does not allow more.
        assert!(entries(8, 7).is_err() && entries(MOST + 1, u64::MAX).is_err());
    }
}
