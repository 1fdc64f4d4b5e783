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
/// has; or the [interleaved](interleave) bitmaps of the same sets, with as many words together.
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

/// Replaces the bitmaps of `count` sets, one after the other, by their first words, their second
/// words, and so on. `scratch` is a buffer. O(|words|).
pub fn interleave(words: &mut [u64], count: usize, scratch: &mut Vec<u64>) {
    scratch.clear();
    scratch.extend_from_slice(words);
    let length = words.len() / count.max(1);
    for (line, out) in words.chunks_exact_mut(count.max(1)).enumerate() {
        let of_line = scratch.iter().skip(line).step_by(length.max(1));
        out.iter_mut().zip(of_line).for_each(|(out, word)| *out = *word);
    }
}

/// Which of some sets differ from a set by at most `most` bits: bit `n` for the `n`th.
///
/// `columns` holds the bitmaps of up to [`COLUMNS`] sets, of the length of `row`, [interleaved]: so
/// that each lane of a vector register counts for one set, and the counts stay in registers. Of
/// [`COLUMNS`] sets, the comparison ends as soon as all differ by more. O(|columns|), vectorised.
///
/// ```
/// use lookalike_core::wide_bitmap::{BLOCK, add, interleave, near};
///
/// let bitmap = |set: &[u64]| {
///     let mut words = [0; BLOCK];
///     add(set, &mut words);
///     words
/// };
/// let mut columns = [bitmap(&[1, 2, 3]), bitmap(&[1, 2]), bitmap(&[7, 8])].concat();
/// interleave(&mut columns, 3, &mut Vec::new());
/// assert_eq!(near(&bitmap(&[1, 2, 3, 4]), &columns, 2), 0b011);
/// ```
///
/// [interleaved]: interleave
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

/// The comparison, written for the compiler to vectorise.
#[inline(always)]
fn compare(row: &[u64], columns: &[u64], most: u32) -> u64 {
    let most = u64::from(most);
    if columns.len() != row.len() * COLUMNS {
        return of_few(row, columns, most);
    }
    let (lines, _) = columns.as_chunks::<COLUMNS>();
    let mut differing = [0; COLUMNS];
    for (place, (word, line)) in row.iter().zip(lines).enumerate() {
        for (sum, column) in differing.iter_mut().zip(line) {
            *sum += u64::from((word ^ column).count_ones());
        }
        // Nearly all comparisons end here, before the last word or at it.
        let is_checked = place % CHECKED == CHECKED - 1 || place + 1 == row.len();
        if is_checked && differing.iter().fold(u64::MAX, |least, &sum| least.min(sum)) > most {
            return 0;
        }
    }
    (0..COLUMNS).fold(0, |near, at| near | u64::from(differing[at] <= most) << at)
}

/// Words between two looks at whether all columns differ by too much.
const CHECKED: usize = 4;

/// Fewer columns than a call compares at best: of each length, there is one such group.
#[inline(always)]
fn of_few(row: &[u64], columns: &[u64], most: u64) -> u64 {
    let count = columns.len() / row.len().max(1);
    let differs = |at: usize| {
        let words = row.iter().zip(columns[at..].iter().step_by(count));
        words.map(|(a, b)| u64::from((a ^ b).count_ones())).sum::<u64>()
    };
    (0..count).fold(0, |near, at| near | u64::from(differs(at) <= most) << at)
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

    /// As many as a call compares, or fewer.
    fn columns() -> impl Strategy<Value = Vec<BTreeSet<u64>>> {
        let set = || prop::collection::btree_set(0u64..900, 0..400);
        prop_oneof![prop::collection::vec(set(), COLUMNS), prop::collection::vec(set(), 0..COLUMNS),]
    }

    proptest! {
        /// By counting bits one column after the other, with every vector extension of this
        /// processor; never more than the elements that differ.
        #[test]
        fn near_columns_are_those_that_differ_by_few_bits(
            row in prop::collection::btree_set(0u64..900, 0..400),
            columns in columns(),
            blocks in 0u32..6, most in 0u32..500,
        ) {
            let words = BLOCK << blocks;
            let own = bitmap(&row, words);
            let mut all: Vec<u64> = columns.iter().flat_map(|set| bitmap(set, words)).collect();
            interleave(&mut all, columns.len(), &mut vec![7]);
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

        /// A folded bitmap is the shorter bitmap of the same set, also among interleaved ones.
        #[test]
        fn folding_shortens(
            set in prop::collection::btree_set(0u64..2000, 0..600), long in 0u32..5, short in 0u32..5,
        ) {
            let (long, short) = (BLOCK << long.max(short), BLOCK << long.min(short));
            let mut folded = vec![7; short];
            fold(&bitmap(&set, long), &mut folded);
            prop_assert_eq!(&folded, &bitmap(&set, short));
            let both = |words| {
                let mut both = [bitmap(&set, words), bitmap(&BTreeSet::from([7]), words)].concat();
                interleave(&mut both, 2, &mut Vec::new());
                both
            };
            let mut folded = vec![7; 2 * short];
            fold(&both(long), &mut folded);
            prop_assert_eq!(folded, both(short));
        }
    }
}
