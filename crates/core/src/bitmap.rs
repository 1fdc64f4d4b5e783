//! Bitmap filter: an upper bound on the overlap of two sets from 256 bits of each.
//!
//! Each element flips one bit. Elements of both sets flip the same bit and cancel, so the number of
//! bits in which two signatures differ is at most |A △ B|, and
//! |A∩B| ≤ (|A| + |B| − differing) / 2. The filter has no false negatives. Source: Sandes, Teodoro &
//! Melo, "Bitmap filter: speeding up exact set similarity joins with bitwise operations" (2020),
//! with their "xor" signatures. It avoids most intersections of sets of up to some hundred
//! elements; for larger sets there are [bucket counts](crate::bucket_counts).

/// Bitmap signature of a set: 32 bytes, whatever its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BitmapSignature([u64; 4]);

impl BitmapSignature {
    /// The signature of a set of distinct fingerprints, in any order. O(|set|).
    #[must_use]
    pub fn of(set: &[u64]) -> Self {
        let mut words = [0u64; 4];
        for value in set {
            // The top bits: hash tables use the low ones.
            words[(value >> 62) as usize] ^= 1 << (value >> 56 & 63);
        }
        Self(words)
    }

    /// The signature in little-endian bytes.
    #[must_use]
    pub fn to_le_bytes(self) -> [u8; 32] {
        let mut bytes = [0; 32];
        for (word, place) in self.0.iter().zip(bytes.chunks_exact_mut(8)) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// The signature of [`BitmapSignature::to_le_bytes`].
    #[must_use]
    pub fn from_le_bytes(bytes: [u8; 32]) -> Self {
        let word = |at: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&bytes[8 * at..8 * at + 8]);
            u64::from_le_bytes(word)
        };
        Self(std::array::from_fn(word))
    }

    /// The signature of the union of two disjoint sets.
    #[inline]
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] ^ other.0[at]))
    }

    /// Upper bound on |A∩B| of two sets of sizes `a` and `b` with these signatures.
    ///
    /// ```
    /// use lookalike_core::BitmapSignature;
    ///
    /// let (a, b) = ([1 << 56, 2 << 56, 3 << 56], [2 << 56, 3 << 56, 4 << 56]);
    /// assert_eq!(BitmapSignature::of(&a).most_shared(BitmapSignature::of(&b), 3, 3), 2);
    /// ```
    #[inline]
    #[must_use]
    pub fn most_shared(self, other: Self, a: u32, b: u32) -> u32 {
        let differing: u32 = self.0.iter().zip(other.0).map(|(x, y)| (x ^ y).count_ones()).sum();
        // Never negative: the sets have `a` and `b` elements.
        (u64::from(a) + u64::from(b)).saturating_sub(u64::from(differing)) as u32 / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fingerprint::finalise;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bound_is_at_least_the_overlap(
            a in prop::collection::btree_set(1u64..600, 0..300),
            b in prop::collection::btree_set(1u64..600, 0..300),
        ) {
            let signature = |set: &std::collections::BTreeSet<u64>| {
                BitmapSignature::of(&set.iter().map(|&v| finalise(v)).collect::<Vec<_>>())
            };
            let shared = a.intersection(&b).count() as u32;
            let bound = signature(&a).most_shared(signature(&b), a.len() as u32, b.len() as u32);
            prop_assert!(bound >= shared);
        }
    }

    #[test]
    fn signature_of_a_disjoint_union() {
        let set: Vec<u64> = (1..300).map(finalise).collect();
        for at in [0, 1, 100, 299] {
            let (one, other) = set.split_at(at);
            assert_eq!(
                BitmapSignature::of(one).with(BitmapSignature::of(other)),
                BitmapSignature::of(&set)
            );
        }
    }

    #[test]
    fn bound_is_tight_for_similar_sets() {
        let set = |range: std::ops::Range<u64>| range.map(finalise).collect::<Vec<_>>();
        let (a, b) = (set(0..200), set(10..210));
        let bound = BitmapSignature::of(&a).most_shared(BitmapSignature::of(&b), 200, 200);
        // 20 elements differ; two of them flip the same bit now and then.
        assert!((190..=192).contains(&bound), "{bound}");
    }
}
