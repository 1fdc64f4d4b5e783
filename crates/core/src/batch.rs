//! Vectorised token and shingle hashing: [`fingerprint::token`] and [`fingerprint::shingles`] for
//! many tokens at once.
//!
//! XXH3 has separate formulas for one to three, four to eight and nine to sixteen bytes. In running
//! text the branch between them is unpredictable, and a misprediction costs more than all three
//! formulas. So all three are computed for every token without branches, for as many tokens at once
//! as a vector register holds, and one result is selected. Longer tokens are few and are hashed one
//! by one.
//!
//! In a rolling hash, each shingle depends on the previous one. Shingles of a few tokens are
//! therefore computed from scratch, as many at a time as a vector register holds.

use crate::fingerprint;
use crate::processor::compiled_for;
use std::sync::LazyLock;

/// Tokens per block: their bytes and lengths stay in the first-level cache.
const BLOCK: usize = 64;

/// The longest token that the short formulas apply to.
const SHORT: usize = 16;

/// The first 16 bytes of each token, and its length.
struct Block {
    low: [u64; BLOCK],
    high: [u64; BLOCK],
    length: [u64; BLOCK],
}

/// The hash of each token of one byte.
static OF_BYTE: LazyLock<[u64; 256]> =
    LazyLock::new(|| std::array::from_fn(|byte| fingerprint::token(&[byte as u8])));

/// Appends the hash of each byte, which is a token: [`tokens`] of ranges of one byte.
pub fn bytes(bytes: &[u8], out: &mut Vec<u64>) {
    let of_byte = &*OF_BYTE;
    out.extend(bytes.iter().map(|&byte| of_byte[usize::from(byte)]));
}

/// Appends the hashes of the tokens of `bytes` with these ranges (start and end), in order.
///
/// Equal to [`fingerprint::token`] of each. Fastest where at least 16 bytes follow the start of
/// each token.
///
/// ```
/// use lookalike_core::{batch, fingerprint};
///
/// let mut hashes = Vec::new();
/// batch::tokens(b"a rose", &[[0, 1], [2, 6]], &mut hashes);
/// assert_eq!(hashes, [fingerprint::token(b"a"), fingerprint::token(b"rose")]);
/// ```
pub fn tokens(bytes: &[u8], places: &[[usize; 2]], out: &mut Vec<u64>) {
    match hasher() {
        Some(hash) => with(hash, bytes, places, out),
        None => {
            out.extend(places.iter().map(|&[start, end]| fingerprint::token(&bytes[start..end])))
        }
    }
}

fn with(hash: Hasher, bytes: &[u8], places: &[[usize; 2]], out: &mut Vec<u64>) {
    let mut block = Block { low: [0; BLOCK], high: [0; BLOCK], length: [0; BLOCK] };
    let mut hashes = [0; BLOCK];
    let mut others = [0u8; BLOCK];
    for places in places.chunks(BLOCK) {
        // Characters: text that is all ASCII.
        if places.iter().all(|[start, end]| end - start == 1) {
            out.extend(places.iter().map(|&[start, _]| OF_BYTE[usize::from(bytes[start])]));
            continue;
        }
        let mut count = 0;
        for (at, &[start, end]) in places.iter().enumerate() {
            let length = end - start;
            let head = bytes.get(start..).and_then(<[u8]>::first_chunk::<16>);
            let whole = u128::from_le_bytes(head.copied().unwrap_or_default());
            block.low[at] = whole as u64;
            block.high[at] = (whole >> 64) as u64;
            block.length[at] = length as u64;
            others[count] = at as u8;
            count += usize::from(length.wrapping_sub(1) >= SHORT || head.is_none());
        }
        hash(&block, &mut hashes);
        for &at in &others[..count] {
            let [start, end] = places[usize::from(at)];
            hashes[usize::from(at)] = fingerprint::token(&bytes[start..end]);
        }
        out.extend_from_slice(&hashes[..places.len()]);
    }
}

type Hasher = fn(&Block, &mut [u64; BLOCK]);

/// The vectorised formulas for this processor; `None` where hashing one by one is faster.
fn hasher() -> Option<Hasher> {
    #[cfg(target_arch = "x86_64")]
    #[expect(
        unsafe_code,
        reason = "what the functions ask of the processor was looked for just before"
    )]
    {
        if has_avx512() {
            return Some(|block, out| unsafe { avx512(block, out) });
        }
        if has_avx2() {
            return Some(|block, out| unsafe { avx2(block, out) });
        }
    }
    None
}

compiled_for! {
    ["avx2"], if has_avx2:
    fn avx2(block: &Block, out: &mut [u64; BLOCK]) {
        short(block, out);
    }
}

compiled_for! {
    ["avx512f", "avx512dq", "avx512bw", "avx512vl"], if has_avx512:
    fn avx512(block: &Block, out: &mut [u64; BLOCK]) {
        short(block, out);
    }
}

/// XXH3 of up to 16 bytes, seed 0, for each token of a block.
#[inline(always)]
fn short(block: &Block, out: &mut [u64; BLOCK]) {
    for (at, hash) in out.iter_mut().enumerate() {
        let (low, high, length) = (block.low[at], block.high[at], block.length[at]);
        let small = one_to_three(low, length);
        let middle = four_to_eight(low, length);
        let large = nine_to_sixteen(low, high, length);
        *hash = if length > 8 {
            large
        } else if length > 3 {
            middle
        } else {
            small
        };
    }
}

/// XXH3's default secret, reduced to the constants of the three formulas.
const FLIP_SMALL: u64 = 0x396C_FEB8 ^ 0xBE4B_A423;
const FLIP_MIDDLE: u64 = 0x1CAD_21F7_2C81_017C ^ 0xDB97_9083_E96D_D4DE;
const FLIP_LOW: u64 = 0x1F67_B3B7_A4A4_4072 ^ 0x78E5_C0CC_4EE6_79CB;
const FLIP_HIGH: u64 = 0x2172_FFCC_7DD0_5A82 ^ 0x8E24_43F7_7446_08B8;

#[inline(always)]
fn one_to_three(low: u64, length: u64) -> u64 {
    let byte = |at: u64| low >> (at.wrapping_mul(8) & 63) & 0xFF;
    let mut value =
        byte(0) << 16 | byte(length >> 1) << 24 | byte(length.wrapping_sub(1)) | length << 8;
    value ^= FLIP_SMALL;
    value ^= value >> 33;
    value = value.wrapping_mul(0xC2B2_AE3D_27D4_EB4F);
    value ^= value >> 29;
    value = value.wrapping_mul(0x1656_67B1_9E37_79F9);
    value ^ value >> 32
}

#[inline(always)]
fn four_to_eight(low: u64, length: u64) -> u64 {
    let last = low >> (length.wrapping_mul(8).wrapping_sub(32) & 63) & 0xFFFF_FFFF;
    let mut value = last.wrapping_add(low << 32) ^ FLIP_MIDDLE;
    value ^= value.rotate_left(49) ^ value.rotate_left(24);
    value = value.wrapping_mul(0x9FB2_1C65_1E98_DF25);
    value ^= (value >> 35).wrapping_add(length);
    value = value.wrapping_mul(0x9FB2_1C65_1E98_DF25);
    value ^ value >> 28
}

#[inline(always)]
fn nine_to_sixteen(low: u64, high: u64, length: u64) -> u64 {
    // The last eight bytes overlap the first eight; shifted in two steps, because a shift by 64 is
    // undefined.
    let missing = length.wrapping_mul(8).wrapping_sub(64) & 127;
    let half = missing >> 1;
    let last = low >> (half & 63) >> ((missing - half) & 63)
        | high << ((128u64.wrapping_sub(length.wrapping_mul(8))) & 63);
    let (first, last) = (low ^ FLIP_LOW, last ^ FLIP_HIGH);
    let value = length
        .wrapping_add(first.swap_bytes())
        .wrapping_add(last)
        .wrapping_add(folded_product(first, last));
    let value = (value ^ value >> 37).wrapping_mul(0x1656_6791_9E37_79F9);
    value ^ value >> 32
}

/// The upper half of the 128-bit product xor the lower half, from 32-bit products, which vector
/// instructions provide.
#[inline(always)]
fn folded_product(a: u64, b: u64) -> u64 {
    const LOW: u64 = 0xFFFF_FFFF;
    let (a_low, a_high, b_low, b_high) = (a & LOW, a >> 32, b & LOW, b >> 32);
    // Nothing here overflows, but overflow checks would prevent vectorisation.
    let bottom = a_low.wrapping_mul(b_low);
    let left = a_high.wrapping_mul(b_low);
    let right = a_low.wrapping_mul(b_high);
    let top = a_high.wrapping_mul(b_high);
    let cross = (bottom >> 32).wrapping_add(left & LOW).wrapping_add(right);
    let upper = (left >> 32).wrapping_add(cross >> 32).wrapping_add(top);
    let lower = cross << 32 | bottom & LOW;
    upper ^ lower
}

/// Appends the fingerprints of all contiguous runs of `size` tokens, in text order, repeats
/// included.
///
/// Equal to [`fingerprint::shingles`]. O(tokens).
///
/// ```
/// use lookalike_core::{batch, fingerprint};
///
/// let (mut all, mut rolled) = (Vec::new(), Vec::new());
/// batch::shingles(&[7, 1, 8, 2], 3, &mut all);
/// fingerprint::shingles(&[7, 1, 8, 2], 3, |value| rolled.push(value));
/// assert_eq!(all, rolled);
/// ```
pub fn shingles(tokens: &[u64], size: usize, out: &mut Vec<u64>) {
    if size == 0 || tokens.len() < size {
        return;
    }
    let start = out.len();
    out.resize(start + tokens.len() - size + 1, 0);
    let out = &mut out[start..];
    #[cfg(target_arch = "x86_64")]
    #[expect(
        unsafe_code,
        reason = "what the function asks of the processor is looked for just before"
    )]
    if size <= ANEW && has_shingles_avx512() {
        return unsafe { shingles_avx512(tokens, size, out) };
    }
    let mut places = out.iter_mut();
    fingerprint::shingles(tokens, size, |value| {
        if let Some(place) = places.next() {
            *place = value;
        }
    });
}

/// Larger shingles are cheaper to roll.
const ANEW: usize = 8;

compiled_for! {
    ["avx512f", "avx512dq"], if has_shingles_avx512:
    fn shingles_avx512(tokens: &[u64], size: usize, out: &mut [u64]) {
        shingles_anew(tokens, size, out);
    }
}

/// The definition: a polynomial over the hashes of the tokens of a shingle, finalised. The outer
/// loop is over places within a shingle, so that the compiler vectorises the inner one. O(tokens ×
/// size).
#[inline(always)]
fn shingles_anew(tokens: &[u64], size: usize, out: &mut [u64]) {
    out.copy_from_slice(&tokens[..out.len()]);
    for column in (1..size).map(|place| &tokens[place..]) {
        for (sum, hash) in out.iter_mut().zip(column) {
            *sum = sum.wrapping_mul(fingerprint::BASE).wrapping_add(*hash);
        }
    }
    out.iter_mut().for_each(|sum| *sum = fingerprint::finalise(*sum));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn shingles_are_those_of_the_rolling_polynomial(
            tokens in prop::collection::vec(any::<u64>(), 0..60),
            size in 0usize..12,
        ) {
            let (mut all, mut rolled) = (vec![5], vec![5]);
            shingles(&tokens, size, &mut all);
            fingerprint::shingles(&tokens, size, |value| rolled.push(value));
            prop_assert_eq!(&all, &rolled);
            // The code path of processors with vector instructions, on any processor.
            if all.len() > 1 {
                shingles_anew(&tokens, size, &mut all[1..]);
                prop_assert_eq!(all, rolled);
            }
        }
    }

    fn one_by_one(bytes: &[u8], places: &[[usize; 2]]) -> Vec<u64> {
        places.iter().map(|&[start, end]| fingerprint::token(&bytes[start..end])).collect()
    }

    /// The hashes by the plain loop, and by each vector extension that this processor has.
    fn every_way(bytes: &[u8], places: &[[usize; 2]]) -> Vec<Vec<u64>> {
        let mut hashers: Vec<Hasher> = vec![|block, out| short(block, out)];
        #[cfg(target_arch = "x86_64")]
        #[expect(unsafe_code, reason = "as in `hasher`")]
        {
            if has_avx2() {
                hashers.push(|block, out| unsafe { avx2(block, out) });
            }
            hashers.extend(hasher());
        }
        let found = hashers.into_iter().map(|hash| {
            let mut found = Vec::new();
            with(hash, bytes, places, &mut found);
            found
        });
        found.collect()
    }

    fn fastest(bytes: &[u8], places: &[[usize; 2]]) -> Vec<u64> {
        let mut found = vec![7];
        tokens(bytes, places, &mut found);
        found.split_off(1)
    }

    #[test]
    fn every_length_at_every_distance_from_the_end() {
        let bytes: Vec<u8> = (0..100u8).map(|n| n.wrapping_mul(151) ^ 0x5A).collect();
        let places: Vec<[usize; 2]> =
            (0..100).flat_map(|start| (start..=100).map(move |end| [start, end])).collect();
        let expected = one_by_one(&bytes, &places);
        assert_eq!(fastest(&bytes, &places), expected);
        for found in every_way(&bytes, &places) {
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn products_are_folded_as_128_bits_are() {
        let values = [0, 1, 2, 0xFFFF_FFFF, 1 << 32, u64::MAX, u64::MAX - 1, 0x9E37_79B9_7F4A_7C15];
        for a in values {
            for b in values {
                let whole = u128::from(a) * u128::from(b);
                assert_eq!(folded_product(a, b), whole as u64 ^ (whole >> 64) as u64, "{a} {b}");
            }
        }
    }

    /// 256-bit operations in AVX-512 code are AVX-512VL: a processor without that extension must
    /// not get this code.
    #[test]
    #[cfg(target_arch = "x86_64")]
    fn avx512_is_used_only_with_vl() {
        let all = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl");
        assert_eq!(has_avx512(), all);
        assert_eq!(hasher().is_some(), all || is_x86_feature_detected!("avx2"));
    }

    proptest! {
        /// Blocks of tokens of one byte each, before and after one with a longer token.
        #[test]
        fn single_bytes_are_as_one_by_one(
            bytes in prop::collection::vec(any::<u8>(), 1..300), longer in any::<prop::sample::Index>(),
        ) {
            let mut places: Vec<[usize; 2]> = (0..bytes.len()).map(|at| [at, at + 1]).collect();
            let longer = longer.index(bytes.len());
            for _ in 0..2 {
                let expected = one_by_one(&bytes, &places);
                for found in every_way(&bytes, &places) {
                    prop_assert_eq!(&found, &expected);
                }
                if places.iter().all(|[start, end]| end - start == 1) {
                    let mut found = Vec::new();
                    super::bytes(&bytes, &mut found);
                    prop_assert_eq!(&found, &expected);
                }
                places[longer][1] = bytes.len().min(longer + 2);
            }
        }
    }

    proptest! {
        #[test]
        fn many_at_once_are_as_one_by_one(
            bytes in prop::collection::vec(any::<u8>(), 0..400),
            places in prop::collection::vec((any::<prop::sample::Index>(), 0usize..40), 0..200),
        ) {
            let places: Vec<[usize; 2]> = places
                .iter()
                .map(|(start, length)| {
                    let start = start.index(bytes.len() + 1);
                    [start, (start + length).min(bytes.len())]
                })
                .collect();
            let expected = one_by_one(&bytes, &places);
            prop_assert_eq!(fastest(&bytes, &places), expected.clone());
            for found in every_way(&bytes, &places) {
                prop_assert_eq!(found, expected.clone());
            }
        }
    }
}
