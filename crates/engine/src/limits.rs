//! Checked counts and offsets of 32 bits.
//!
//! Positions, offsets within a chunk and numbers of index entries take 32 bits each. Documents are
//! numbered with 32 bits ([`EngineError::TooManyDocuments`]), so counts of documents cannot exceed
//! 2³²; sums over their elements, keys and pairs can, and are checked here. The limit is a
//! parameter so that tests can lower it.

use crate::EngineError;

/// The largest number of 32 bits.
pub(crate) const MOST: u64 = u32::MAX as u64;

/// A number of index entries, if one run can hold that many.
pub(crate) fn postings(entries: u64, limit: u64) -> Result<u32, EngineError> {
    at_most(entries, limit).ok_or(EngineError::TooManyPostings { entries, limit })
}

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
        assert_eq!(postings(MOST, MOST).unwrap(), u32::MAX);
        for entries in [MOST + 1, (1 << 32) + 7, u64::MAX] {
            let error = postings(entries, MOST).unwrap_err().to_string();
            assert!(
                error.contains(&entries.to_string()) && error.contains("4294967295"),
                "{error}"
            );
            let error = in_chunk("features", entries as usize, MOST).unwrap_err().to_string();
            assert!(error.contains("features") && error.contains("--max-record"), "{error}");
        }
        assert_eq!(in_chunk("features", 7, 7).unwrap(), 7);
        assert!(in_chunk("features", 8, 7).is_err() && postings(8, 7).is_err());
        // A limit above 32 bits does not raise the maximum.
        assert!(postings(MOST + 1, u64::MAX).is_err());
    }
}
