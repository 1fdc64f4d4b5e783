//! 64-bit fingerprints of tokens and shingles: the only hashing that a result depends on.
//!
//! Broder 1997, "Estimating the resemblance and the containment", fingerprints shingles with Rabin
//! polynomials because they can be rolled along a text. This module keeps the rolling and uses
//! better-mixed parts: a token is hashed once with XXH3 (whose output is frozen), a shingle is the
//! polynomial `h₁·Bʷ⁻¹ + h₂·Bʷ⁻² + … + h_w` over the token hashes modulo 2⁶⁴, and a finaliser mixes
//! all bits. The polynomial alone would not suffice: its low bits depend on low bits only.
//!
//! The values are pinned by test vectors; [`HASH_NAME`] is recorded in every file that holds values
//! derived from them.

use xxhash_rust::xxh3::{xxh3_64, xxh3_128, xxh3_128_with_seed};
use zerocopy::IntoBytes;

/// Name of this family of hashes, recorded in every summary. Changes when the value of any token or
/// shingle changes. Digests of sequences are stored in checkpoints only, whose layout has a version
/// of its own.
pub const HASH_NAME: &str = "xxh3-poly64/1";

/// Base of the rolling polynomial: odd, from the golden ratio.
pub(crate) const BASE: u64 = 0x9E37_79B9_7F4A_7C15;

/// Hash of one token's bytes.
#[inline]
#[must_use]
pub fn token(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

/// Bijective finaliser (Stafford's variant 13 of the MurmurHash3 mixer).
#[inline]
#[must_use]
pub fn finalise(mut value: u64) -> u64 {
    value ^= value >> 30;
    value = value.wrapping_mul(0xBF58_476D_1CE4_E5B9);
    value ^= value >> 27;
    value = value.wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ (value >> 31)
}

/// Fingerprints of all contiguous runs of `size` tokens, in text order, repeats included.
///
/// None for fewer tokens than `size`. O(tokens) for any size; does not allocate.
/// [`crate::batch::shingles`] is faster where all of them are appended to a list.
#[inline]
pub fn shingles(tokens: &[u64], size: usize, mut emit: impl FnMut(u64)) {
    if size == 0 || tokens.len() < size {
        return;
    }
    let mut leaving = 1u64;
    let mut rolling = 0u64;
    for &hash in &tokens[..size] {
        rolling = rolling.wrapping_mul(BASE).wrapping_add(hash);
        leaving = leaving.wrapping_mul(BASE);
    }
    emit(finalise(rolling));
    for (&old, &new) in tokens.iter().zip(&tokens[size..]) {
        // One multiplication and one addition depend on the previous shingle.
        let change = new.wrapping_sub(old.wrapping_mul(leaving));
        rolling = rolling.wrapping_mul(BASE).wrapping_add(change);
        emit(finalise(rolling));
    }
}

/// Digest of a document's original content: equal for *identical* documents (Broder et al. 1997,
/// "Identical documents": a fingerprint of the whole original).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextDigest(pub u128);

impl TextDigest {
    /// Digest of bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(xxh3_128(bytes))
    }

    /// Digest of bytes of a given kind: equal bytes of different kinds have different digests. Kind
    /// 0 is [`TextDigest::of`].
    #[must_use]
    pub fn of_kind(kind: u64, bytes: &[u8]) -> Self {
        Self(xxh3_128_with_seed(bytes, kind))
    }
}

/// Digest of a document's token sequence: equal for *lexically equivalent* documents
/// (Broder 1997, "Identical documents": same canonical form).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TokenDigest(pub u128);

impl TokenDigest {
    /// Digest of a sequence of token hashes: XXH3 of their little-endian bytes.
    #[must_use]
    pub fn of(tokens: &[u64]) -> Self {
        // The same value on big-endian machines.
        if cfg!(target_endian = "little") {
            return Self(xxh3_128(tokens.as_bytes()));
        }
        Self(xxh3_128(&tokens.iter().flat_map(|hash| hash.to_le_bytes()).collect::<Vec<u8>>()))
    }

    /// Digest that stands for the tokens of a text without any (emoji, Braille): of its characters
    /// but white space. `None` if it has none of these either.
    #[must_use]
    pub fn without_words(text: &str) -> Option<Self> {
        let characters: String = text.split_whitespace().collect();
        let digest = || TextDigest::of_kind(WITHOUT_WORDS, characters.as_bytes());
        (!characters.is_empty()).then(|| Self(digest().0))
    }

    /// The only element of a document without features, or of nothing but boilerplate: its whole
    /// text, as where a text is shorter than one shingle. So it is equal to documents of the same
    /// words, and similar to none.
    #[must_use]
    pub fn whole_text(self) -> u64 {
        finalise((self.0 >> 64) as u64 ^ self.0 as u64)
    }
}

/// Digest of a multiset of byte strings: the sum of their hashes, modulo 2¹²⁸. So it is the same in
/// any order, and equal for equal multisets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct MultisetDigest(pub u128);

impl MultisetDigest {
    /// Adds a member.
    #[inline]
    pub fn add(&mut self, bytes: &[u8]) {
        self.0 = self.0.wrapping_add(xxh3_128(bytes));
    }
}

/// The kind of the digest of a text without words.
const WITHOUT_WORDS: u64 = 16;

#[cfg(test)]
mod tests {
    use super::*;

    fn hashes(text: &str) -> Vec<u64> {
        text.split(' ').map(|word| token(word.as_bytes())).collect()
    }

    fn rolled(text: &str, size: usize) -> Vec<u64> {
        let mut out = Vec::new();
        shingles(&hashes(text), size, |value| out.push(value));
        out
    }

    /// The definition, term by term.
    fn by_hand(words: &[u64]) -> u64 {
        let mut sum = 0u64;
        for (index, &hash) in words.iter().enumerate() {
            let mut term = hash;
            for _ in index + 1..words.len() {
                term = term.wrapping_mul(BASE);
            }
            sum = sum.wrapping_add(term);
        }
        finalise(sum)
    }

    #[test]
    fn digests_of_multisets_count_members_in_any_order() {
        let digest = |members: &[&str]| {
            let mut digest = MultisetDigest::default();
            members.iter().for_each(|member| digest.add(member.as_bytes()));
            digest
        };
        assert_eq!(digest(&["a", "b", "a"]), digest(&["b", "a", "a"]));
        assert_ne!(digest(&["a", "b", "a"]), digest(&["a", "b", "b"]));
        assert_ne!(digest(&["a", "a"]), digest(&[]));
        assert_ne!(digest(&["ab"]), digest(&["a", "b"]));
        let [two, three] = ["2.0", "3.0"].map(|number| TextDigest::of(number.as_bytes()).0);
        assert_eq!(digest(&["2.0", "3.0"]).0, two.wrapping_add(three));
    }

    #[test]
    fn rolling_equals_the_definition() {
        let words = hashes("one two three four five six seven eight nine ten eleven");
        for size in 1..=11 {
            let mut rolled = Vec::new();
            shingles(&words, size, |value| rolled.push(value));
            let expected: Vec<u64> = words.windows(size).map(by_hand).collect();
            assert_eq!(rolled, expected, "size {size}");
        }
    }

    #[test]
    fn a_rose_is_a_rose_is_a_rose() {
        let values = rolled("a rose is a rose is a rose", 4);
        assert_eq!(values.len(), 5);
        assert_eq!(values[0], values[3]);
        assert_eq!(values[1], values[4]);
        let distinct: std::collections::BTreeSet<u64> = values.into_iter().collect();
        assert_eq!(distinct.len(), 3);
    }

    #[test]
    fn short_texts_have_no_shingles() {
        assert!(rolled("a rose is", 4).is_empty());
        assert!(rolled("a rose", 0).is_empty());
    }

    /// Values that must not change while [`HASH_NAME`] stays: files of earlier runs hold them. The
    /// digests at the end may change with the checkpoint layout. Computed in Python with unbounded
    /// integers and the reference XXH3.
    #[test]
    fn vectors() {
        assert_eq!(token(b""), 0x2D06_8005_38D3_94C2);
        assert_eq!(token(b"rose"), TOKEN_ROSE);
        assert_eq!(rolled("a rose is a", 4), [SHINGLE_ROSE]);
        assert_eq!(TokenDigest::of(&hashes("a rose")).0, DIGEST_ROSE);
        // Long enough for XXH3's formula for long inputs.
        let roses = format!("a rose{}", " is a rose".repeat(11));
        assert_eq!(TokenDigest::of(&hashes(&roses)).0, DIGEST_ROSES);
    }
    const TOKEN_ROSE: u64 = 0xD6EA_2B8B_8A72_ACA7;
    const SHINGLE_ROSE: u64 = 0x2987_C113_687C_911B;
    const DIGEST_ROSE: u128 = 0x0C6B_831B_89C7_5862_E7C1_7BD8_F67E_BD2D;
    const DIGEST_ROSES: u128 = 0x86C7_1A4B_D68D_5539_48CB_B8D9_FF7D_A6FB;

    /// A million different strings have a million different fingerprints, and the collisions of the
    /// low and of the high 32 bits are as many as chance predicts. A truncated fingerprint would
    /// pass every test on small sets.
    #[test]
    fn fingerprints_are_full_width() {
        let n = 1u64 << 20;
        let tokens: Vec<u64> = (0..n).map(|i| token(&i.to_le_bytes())).collect();
        let mut values = Vec::new();
        shingles(&tokens, 3, |value| values.push(value));
        let distinct = |map: &dyn Fn(u64) -> u64| {
            let mut mapped: Vec<u64> = values.iter().map(|&v| map(v)).collect();
            mapped.sort_unstable();
            mapped.dedup();
            mapped.len() as i64
        };
        assert_eq!(distinct(&|v| v), values.len() as i64);
        // n²/2³³ = 128 expected collisions in 32 bits; 5 standard deviations either side.
        for half in [distinct(&|v| v >> 32), distinct(&|v| v & 0xFFFF_FFFF)] {
            let collisions = values.len() as i64 - half;
            assert!((70..190).contains(&collisions), "{collisions} collisions");
        }
    }
}
