//! 64 bytes of text in; the same lower-cased, and what kinds of bytes they are, one bit for each,
//! out.
//!
//! Only ASCII letters are lower-cased: bytes of other characters stay as they are. x86-64 always
//! has SSE2, and with it the kinds of 16 bytes are one instruction away from being bits; elsewhere
//! the compiler makes of the plain loop what it can.

use std::ops::Range;

/// Bytes that one mask covers.
pub(crate) const LANES: usize = 64;

/// The kinds of 64 bytes; the lowest bit is the first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Masks {
    /// ASCII letters and digits.
    pub(crate) words: u64,
    /// Bytes of characters that are not ASCII.
    pub(crate) foreign: u64,
}

/// Lower-cases the letters of a block and classifies its bytes.
#[inline]
pub(crate) fn lower(block: &mut [u8; LANES]) -> Masks {
    #[cfg(target_arch = "x86_64")]
    #[expect(
        unsafe_code,
        reason = "every x86-64 processor has SSE2, and nothing else is asked of the caller"
    )]
    return unsafe { sse2(block) };
    #[cfg(not(target_arch = "x86_64"))]
    plain(block)
}

/// Sixteen bytes at a time.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "sse2")]
fn sse2(block: &mut [u8; LANES]) -> Masks {
    use std::arch::x86_64::{
        __m128i, _mm_add_epi8, _mm_and_si128, _mm_cmplt_epi8, _mm_cvtsi128_si64, _mm_movemask_epi8,
        _mm_or_si128, _mm_set_epi64x, _mm_set1_epi8, _mm_unpackhi_epi64,
    };
    // There is only a signed comparison: what is looked for is moved to the bottom of its range.
    let within = |bytes: __m128i, first: u8, count: u8| {
        let moved = _mm_add_epi8(bytes, _mm_set1_epi8(0x80u8.wrapping_sub(first) as i8));
        _mm_cmplt_epi8(moved, _mm_set1_epi8(0x80u8.wrapping_add(count) as i8))
    };
    let bits = |bytes: __m128i| u64::from(_mm_movemask_epi8(bytes) as u32);
    let mut masks = Masks { words: 0, foreign: 0 };
    let (parts, _) = block.as_chunks_mut::<16>();
    for (number, part) in parts.iter_mut().enumerate() {
        let whole = u128::from_le_bytes(*part);
        let bytes = _mm_set_epi64x((whole >> 64) as i64, whole as i64);
        let upper = within(bytes, b'A', 26);
        let lower = _mm_or_si128(bytes, _mm_and_si128(upper, _mm_set1_epi8(0x20)));
        let word = _mm_or_si128(within(lower, b'a', 26), within(lower, b'0', 10));
        masks.words |= bits(word) << (16 * number);
        masks.foreign |= bits(bytes) << (16 * number);
        let (low, high) =
            (_mm_cvtsi128_si64(lower), _mm_cvtsi128_si64(_mm_unpackhi_epi64(lower, lower)));
        *part = (u128::from(high as u64) << 64 | u128::from(low as u64)).to_le_bytes();
    }
    masks
}

/// Number of unused positions written after the last run.
pub(crate) const SPARE: usize = STEP / 2;

/// Bits that are turned into places before any is looked at: more than most masks have.
const STEP: usize = 24;

/// Lists the begin and end of each run of ones in a part of a mask, and returns their number; the
/// bits before and after the part are zeros.
pub(crate) fn runs(mask: &[u64], part: Range<usize>, places: &mut [[usize; 2]]) -> usize {
    let out = places.as_flattened_mut();
    let (first, last) = (part.start / LANES, part.end / LANES);
    let mut found = 0;
    let mut before = 0;
    for (number, &word) in (first..=last).zip(&mask[first..=last]) {
        let mut bits = word;
        if number == first {
            bits &= !0 << (part.start % LANES);
        }
        if number == last {
            bits &= !(!0 << (part.end % LANES));
        }
        // Positions at which a bit differs from the one before it.
        let mut edges = bits ^ (bits << 1 | before);
        before = bits >> (LANES - 1);
        let count = edges.count_ones() as usize;
        let mut done = 0;
        loop {
            // Without a look at how many there are: a wrong guess of that costs more.
            let (step, _) =
                out[found + done..].split_first_chunk_mut::<STEP>().expect("there is room");
            for place in step {
                *place = number * LANES + edges.trailing_zeros() as usize;
                edges &= edges.wrapping_sub(1);
            }
            done += STEP;
            if done >= count {
                break;
            }
        }
        found += count;
    }
    found / 2
}

/// The same, byte by byte.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn plain(block: &mut [u8; LANES]) -> Masks {
    block.make_ascii_lowercase();
    let gather = |is: fn(&u8) -> bool| {
        let (parts, _) = block.as_chunks::<8>();
        let bits = parts.iter().map(|part| {
            // Gathers the lowest bits of eight bytes in the topmost byte.
            u64::from_le_bytes(part.each_ref().map(|byte| u8::from(is(byte))))
                .wrapping_mul(0x0102_0408_1020_4080)
                >> 56
        });
        bits.enumerate().fold(0, |mask, (number, bits)| mask | bits << (8 * number))
    };
    Masks {
        words: gather(|byte| (byte.wrapping_sub(b'a') < 26) | (byte.wrapping_sub(b'0') < 10)),
        foreign: gather(|byte| *byte >= 0x80),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_byte_is_of_its_kind() {
        for byte in 0..=u8::MAX {
            let mut block = [b' '; LANES];
            block[usize::from(byte) % LANES] = byte;
            let masks = lower(&mut block);
            let bit = |is: bool| u64::from(is) << (byte % 64);
            assert_eq!(masks.words, bit(byte.is_ascii_alphanumeric()), "{byte}");
            assert_eq!(masks.foreign, bit(!byte.is_ascii()), "{byte}");
            assert_eq!(block[usize::from(byte) % LANES], byte.to_ascii_lowercase());
        }
    }

    proptest! {
        #[test]
        fn vectors_see_what_the_plain_loop_sees(block in prop::array::uniform32(any::<[u8; 2]>())) {
            let mut fast: [u8; LANES] = std::array::from_fn(|at| block[at / 2][at % 2]);
            let mut slow = fast;
            prop_assert_eq!(lower(&mut fast), plain(&mut slow));
            prop_assert_eq!(fast, slow);
        }

        #[test]
        fn runs_of_ones_are_found_wherever_they_begin_and_end(
            lengths in prop::collection::vec((0usize..90, 1usize..90), 0..12),
            dense in prop::collection::vec(any::<u64>(), 0..3),
            skipped in 0usize..200,
        ) {
            let mut bits = vec![false; skipped];
            for &(zeros, ones) in &lengths {
                bits.extend(vec![false; zeros + 1]);
                bits.extend(vec![true; ones]);
            }
            bits.push(false);
            for word in dense {
                bits.extend((0..64).map(|at| word >> at & 1 == 1));
            }
            bits.push(false);
            let part = skipped..bits.len();
            let mut expected = Vec::new();
            for at in part.clone() {
                match (at > skipped && bits[at - 1], bits[at]) {
                    (false, true) => expected.push([at, at]),
                    (true, false) => expected.last_mut().expect("begun")[1] = at,
                    _ => {}
                }
            }
            // The bits outside of the part do not matter.
            bits[..skipped].fill(true);
            bits.push(true);
            let mut mask = vec![0u64; bits.len() / LANES + 1];
            for (at, _) in bits.iter().enumerate().filter(|(_, bit)| **bit) {
                mask[at / LANES] |= 1 << (at % LANES);
            }
            let mut places = vec![[7; 2]; part.len() / 2 + 1 + SPARE];
            let found = runs(&mask, part, &mut places);
            prop_assert_eq!(&places[..found], &expected[..]);
        }
    }
}
