//! Checked offsets of 32 bits.
//!
//! Offsets within a chunk take 32 bits each, which is half the memory of 64. Documents are numbered
//! with 32 bits ([`EngineError::TooManyDocuments`]), so what is counted once for each document
//! cannot exceed them; sums over their elements can, and are checked here. The limit is an argument
//! so that tests can lower it.

use crate::EngineError;

/// The largest number of 32 bits.
pub(crate) const MOST: u64 = u32::MAX as u64;

/// An offset into the elements, or the bytes of the ids, of one chunk: `what`.
pub(crate) fn in_chunk(what: &'static str, count: usize, limit: u64) -> Result<u32, EngineError> {
    let count = count as u64;
    at_most(count, limit).ok_or(EngineError::TooLargeChunk { what, count, limit })
}

fn at_most(count: u64, limit: u64) -> Option<u32> {
    u32::try_from(count).ok().filter(|_| count <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_beyond_32_bits_are_errors_and_never_wrap() {
        for count in [MOST + 1, (1 << 32) + 7, u64::MAX] {
            let error = in_chunk("features", count as usize, MOST).unwrap_err().to_string();
            assert!(
                error.contains("features") && error.contains("the setting max_record"),
                "{error}"
            );
        }
        assert_eq!(in_chunk("features", 7, 7).unwrap(), 7);
        assert!(in_chunk("features", 8, 7).is_err());
        // A limit above 32 bits does not raise the maximum.
        assert!(in_chunk("features", MOST as usize + 1, u64::MAX).is_err());
    }
}
