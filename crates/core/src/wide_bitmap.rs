//! Wide bitmaps: the [bitmap filter](crate::BitmapSignature) with as many bits as sets need, and
//! its comparison of one set with many.
//!
//! Each element flips one bit, so the number of bits in which the bitmaps of two sets differ is at
//! most |A △ B|. Bitmaps of different lengths, both powers of two, are compared by folding the
//! longer one: bits `i` and `i + k/2` of `k` are bit `i` of `k/2`. Source: Sandes, Teodoro & Melo,
//! "Bitmap filter: speeding up exact set similarity joins with bitwise operations" (2020).

use crate::processor::compiled_for;

/// Words of the shortest bitmap, which suffices for some dozens of elements: 128 bits.
pub const BLOCK: usize = 2;

/// Columns that [`near`] compares in one call, at most.
pub const COLUMNS: usize = 64;

/// Adds distinct fingerprints, in any order, to a bitmap that starts as zeros. O(|set|).
///
/// # Panics
/// If the number of words is not a power of two.
pub fn add(set: &[u64], words: &mut [u64]) {
    assert!(words.len().is_power_of_two(), "{} words", words.len());
    let mask = words.len() - 1;
    for value in set {
        words[(value >> 6) as usize & mask] ^= 1 << (value & 63);
    }
}

/// The bitmap of the same set with as many words as `out`, a power of two and no more than `words`
/// has.
///
/// # Panics
/// If one length is not a multiple of the other.
pub fn fold(words: &[u64], out: &mut [u64]) {
    assert!(words.len().is_multiple_of(out.len()), "{} to {} words", words.len(), out.len());
    out.fill(0);
    for part in words.chunks_exact(out.len()) {
        for (sum, word) in out.iter_mut().zip(part) {
            *sum ^= word;
        }
    }
}

/// Which of some sets differ from a set by at most `most` bits: bit `n` for the `n`th.
///
/// `columns` holds up to [`COLUMNS`] bitmaps of the length of `row`, which is a multiple of
/// [`BLOCK`]. O(|columns|), vectorised.
///
/// ```
/// use lookalike_core::wide_bitmap::{BLOCK, add, near};
///
/// let bitmap = |set: &[u64]| {
///     let mut words = [0; BLOCK];
///     add(set, &mut words);
///     words
/// };
/// let columns = [bitmap(&[1, 2, 3]), bitmap(&[1, 2]), bitmap(&[7, 8])].concat();
/// assert_eq!(near(&bitmap(&[1, 2, 3, 4]), &columns, 2), 0b011);
/// ```
#[must_use]
pub fn near(row: &[u64], columns: &[u64], most: u32) -> u64 {
    #[cfg(target_arch = "x86_64")]
    #[expect(
        unsafe_code,
        reason = "what the functions ask of the processor is looked for just before"
    )]
    {
        if has_avx512() {
            return unsafe { avx512(row, columns, most) };
        }
        if has_avx2() {
            return unsafe { avx2(row, columns, most) };
        }
    }
    compare(row, columns, most)
}

compiled_for! {
    ["avx512f", "avx512vl", "avx512vpopcntdq"], if has_avx512:
    fn avx512(row: &[u64], columns: &[u64], most: u32) -> u64 {
        compare(row, columns, most)
    }
}

compiled_for! {
    ["avx2", "popcnt"], if has_avx2:
    fn avx2(row: &[u64], columns: &[u64], most: u32) -> u64 {
        compare(row, columns, most)
    }
}

/// The comparison, written for each of the frequent lengths: with a length that it knows, the
/// compiler keeps the row in registers, and of others it vectorises the sum and not, with gathers,
/// the columns.
#[inline(always)]
fn compare(row: &[u64], columns: &[u64], most: u32) -> u64 {
    match row.len() / BLOCK {
        1 => of_length::<BLOCK>(row, columns, most),
        2 => of_length::<{ 2 * BLOCK }>(row, columns, most),
        4 => of_length::<{ 4 * BLOCK }>(row, columns, most),
        8 => of_length::<{ 8 * BLOCK }>(row, columns, most),
        16 => of_length::<{ 16 * BLOCK }>(row, columns, most),
        32 => of_length::<{ 32 * BLOCK }>(row, columns, most),
        _ => of_any_length(row, columns, most),
    }
}

#[inline(always)]
fn of_length<const WORDS: usize>(row: &[u64], columns: &[u64], most: u32) -> u64 {
    let Some(row) = row.first_chunk::<WORDS>() else { return 0 };
    let (columns, _) = columns.as_chunks::<WORDS>();
    let found = columns.iter().zip(0..COLUMNS).map(|(column, at)| {
        let mut differing = 0;
        for place in 0..WORDS {
            differing += u64::from((row[place] ^ column[place]).count_ones());
        }
        u64::from(differing <= u64::from(most)) << at
    });
    found.fold(0, |all, one| all | one)
}

#[inline(always)]
fn of_any_length(row: &[u64], columns: &[u64], most: u32) -> u64 {
    let found = columns.chunks_exact(row.len()).zip(0..COLUMNS).map(|(column, at)| {
        let differing: u64 =
            row.iter().zip(column).map(|(a, b)| u64::from((a ^ b).count_ones())).sum();
        u64::from(differing <= u64::from(most)) << at
    });
    found.fold(0, |all, one| all | one)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fingerprint::finalise;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn bitmap(set: &BTreeSet<u64>, words: usize) -> Vec<u64> {
        let mut bitmap = vec![0; words];
        add(&set.iter().map(|&n| finalise(n)).collect::<Vec<_>>(), &mut bitmap);
        bitmap
    }

    fn differing(a: &[u64], b: &[u64]) -> u32 {
        a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum()
    }

    proptest! {
        /// By counting bits one column after the other, with every vector extension of this
        /// processor; never more than the elements that differ.
        #[test]
        fn near_columns_are_those_that_differ_by_few_bits(
            row in prop::collection::btree_set(0u64..900, 0..400),
            columns in prop::collection::vec(prop::collection::btree_set(0u64..900, 0..400), 0..=COLUMNS),
            blocks in 0u32..5, most in 0u32..500,
        ) {
            let words = BLOCK << blocks;
            let own = bitmap(&row, words);
            let all: Vec<u64> = columns.iter().flat_map(|set| bitmap(set, words)).collect();
            let mut truth = 0;
            for (at, set) in columns.iter().enumerate() {
                let bits = differing(&own, &bitmap(set, words));
                prop_assert!(bits as usize <= row.symmetric_difference(set).count());
                truth |= u64::from(bits <= most) << at;
            }
            prop_assert_eq!(near(&own, &all, most), truth);
            prop_assert_eq!(compare(&own, &all, most), truth);
            #[cfg(target_arch = "x86_64")]
            if has_avx2() {
                #[expect(unsafe_code, reason = "as in `near`")]
                let found = unsafe { avx2(&own, &all, most) };
                prop_assert_eq!(found, truth);
            }
        }

        /// A folded bitmap is the shorter bitmap of the same set.
        #[test]
        fn folding_shortens(
            set in prop::collection::btree_set(0u64..2000, 0..600), long in 0u32..5, short in 0u32..5,
        ) {
            let (long, short) = (BLOCK << long.max(short), BLOCK << long.min(short));
            let mut folded = vec![7; short];
            fold(&bitmap(&set, long), &mut folded);
            prop_assert_eq!(folded, bitmap(&set, short));
        }
    }
}
