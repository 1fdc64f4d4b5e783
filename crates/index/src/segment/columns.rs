//! Columns of little-endian numbers in a mapped file.
//!
//! A number outside of the column reads as 0: a damaged file gives wrong values, and `check` says
//! what is wrong with it.

use lookalike_core::BitmapSignature;
use std::ops::Range;

/// Strings of a document: id, address, date, and what the caller stored.
pub(super) const STRINGS: u32 = 4;

/// Bytes of the row of a signature: size, level, and the reason why there is none.
pub(super) const SIGNATURE_ROW: usize = 9;

/// A fixed number of bytes; zeros outside of the column.
#[inline]
pub(super) fn record<const N: usize>(column: &[u8], index: u32) -> [u8; N] {
    let start = index as usize * N;
    column.get(start..start + N).and_then(|bytes| bytes.try_into().ok()).unwrap_or([0; N])
}

#[inline]
pub(super) fn u32_at(column: &[u8], index: u32) -> u32 {
    u32::from_le_bytes(record(column, index))
}

#[inline]
pub(super) fn u64_at(column: &[u8], index: u64) -> u64 {
    let start = index as usize * 8;
    let bytes = column.get(start..start + 8).and_then(|bytes| bytes.try_into().ok());
    u64::from_le_bytes(bytes.unwrap_or([0; 8]))
}

#[inline]
pub(super) fn u128_at(column: &[u8], index: u32) -> u128 {
    u128::from_le_bytes(record(column, index))
}

#[inline]
pub(super) fn bitmap_at(column: &[u8], index: u32) -> BitmapSignature {
    BitmapSignature::from_le_bytes(record(column, index))
}

/// The first of `0..n` for which `before` does not hold.
#[inline]
pub(super) fn partition_point(n: u32, before: impl Fn(u32) -> bool) -> u32 {
    bisect(0..n.into(), |at| before(at as u32)) as u32
}

/// The first of a range for which `before` does not hold.
#[inline]
pub(super) fn bisect(range: Range<u64>, before: impl Fn(u64) -> bool) -> u64 {
    let Range { start: mut low, end: mut high } = range;
    while low < high {
        let middle = low + (high - low) / 2;
        match before(middle) {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    low
}
