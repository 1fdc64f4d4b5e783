//! Bucket counts: a candidate filter for pairs of large sets, for which [`crate::BitmapSignature`]
//! is too short.
//!
//! A hash assigns the elements of a set to `k` buckets; the vector holds the number of elements in
//! each. A common element adds one to the same bucket of both, so Σ|aᵢ − bᵢ| ≤ |A △ B|, hence |A∩B|
//! ≤ (|A| + |B| − Σ|aᵢ − bᵢ|) / 2. A bitmap of `k` bits bounds the same difference, but by at most
//! about `k / 2`; counts of unrelated sets of n elements differ by about 1.1·√(n·k).
//!
//! Counts are kept modulo 256, one byte each, and compared as residues: the distance of two
//! residues is at most that of the counts, so the bound holds for sets of any size. Vectors of
//! different lengths, both powers of two, are compared by folding the longer one: buckets `i` and
//! `i + k/2` of `k` are bucket `i` of `k/2`.

use crate::{Measure, Threshold};

/// Buckets compared at a time, and the smallest length of a vector.
pub const FEWEST_BUCKETS: u32 = 64;

/// The largest length of a vector.
pub const MOST_BUCKETS: u32 = 1 << 16;

/// Differing elements up to which a bitmap of 256 bits rejects nearly all pairs that differ by much
/// more: unrelated sets differ in 128 of the bits, with a standard deviation of 8.
const PARITY_SUFFICES: u32 = 80;

/// Buckets for a set of `size` elements: the number of elements by which it may differ from a
/// matching set of the same size, rounded up to a power of two. 0 where the bitmap filter suffices.
///
/// With that many buckets, all but about one in a thousand of the pairs that differ by three times
/// the allowed number are rejected: their counts differ by 0.8·√(3k·k) ≈ 1.4 k.
#[must_use]
pub fn buckets_for(measure: Measure, threshold: Threshold, size: u32) -> u32 {
    let needed = measure.needed_overlap(threshold, size, size);
    buckets_for_difference(size.saturating_sub(needed).saturating_mul(2))
}

/// Buckets for sets that may differ in so many elements.
#[must_use]
pub fn buckets_for_difference(may_differ: u32) -> u32 {
    if may_differ <= PARITY_SUFFICES {
        return 0;
    }
    may_differ.min(MOST_BUCKETS).next_power_of_two()
}

/// Adds a set of distinct fingerprints, in any order, to a vector of counts that starts as zeros.
/// The length must be a power of two. O(|set|).
pub fn add(set: &[u64], counts: &mut [u8]) {
    debug_assert!(counts.len().is_power_of_two());
    let mask = counts.len().wrapping_sub(1);
    for value in set {
        // Neither the top bits, which choose a bit of the bitmap, nor the low ones, which hash
        // tables use.
        if let Some(count) = counts.get_mut((value >> 24) as usize & mask) {
            *count = count.wrapping_add(1);
        }
    }
}

/// Whether two sets with these counts can differ in as few as `most` elements. Always true for
/// empty vectors. O(k), less where the answer is no.
///
/// ```
/// use lookalike_core::bucket_counts::{FEWEST_BUCKETS, add, may_differ_by};
///
/// let counts = |set: &[u64]| {
///     let mut counts = [0; FEWEST_BUCKETS as usize];
///     add(set, &mut counts);
///     counts
/// };
/// let (a, b) = (counts(&[1 << 24, 2 << 24, 3 << 24]), counts(&[2 << 24, 3 << 24]));
/// assert!(may_differ_by(&a, &b, 1) && !may_differ_by(&a, &b, 0));
/// ```
#[must_use]
pub fn may_differ_by(a: &[u8], b: &[u8], most: u64) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let (blocks, _) = short.as_chunks::<BLOCK>();
    let mut differing = 0u64;
    for (at, block) in blocks.iter().enumerate() {
        let mut folded = [0u8; BLOCK];
        for part in long.chunks_exact(short.len()) {
            let (parts, _) = part.as_chunks::<BLOCK>();
            for (sum, count) in folded.iter_mut().zip(&parts[at]) {
                *sum = sum.wrapping_add(*count);
            }
        }
        differing += u64::from(distance(&folded, block));
        if differing > most {
            return false;
        }
    }
    true
}

const BLOCK: usize = FEWEST_BUCKETS as usize;

/// Σ of the distances of residues modulo 256, each at most 128.
#[inline]
fn distance(a: &[u8; BLOCK], b: &[u8; BLOCK]) -> u16 {
    a.iter().zip(b).map(|(a, b)| u16::from(a.wrapping_sub(*b).min(b.wrapping_sub(*a)))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fingerprint::finalise;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn counts(set: &[u64], buckets: u32) -> Vec<u8> {
        let mut counts = vec![0; buckets as usize];
        add(set, &mut counts);
        counts
    }

    /// Lower bound on |A △ B|.
    fn bound(a: &[u8], b: &[u8]) -> u64 {
        let (mut low, mut high) = (0, 1 << 30);
        while low < high {
            let middle = (low + high) / 2;
            if may_differ_by(a, b, middle) { high = middle } else { low = middle + 1 }
        }
        low
    }

    fn differing(a: &[u64], b: &[u64]) -> u64 {
        let (a, b): (BTreeSet<_>, BTreeSet<_>) = (a.iter().collect(), b.iter().collect());
        a.symmetric_difference(&b).count() as u64
    }

    /// Two sets with `shared` common elements; with `crowded`, all elements are in few buckets.
    fn pair(sizes: (u64, u64), shared: u64, crowded: bool) -> (Vec<u64>, Vec<u64>) {
        let value = |n: u64| match crowded {
            // The bits that choose the bucket repeat every 4096 elements.
            true => (n >> 12) << 24 | (n & 0xfff) << 48,
            false => finalise(n),
        };
        let of = |from: u64, size: u64| {
            (0..shared).chain(from..from + size).map(value).collect::<Vec<_>>()
        };
        (of(1 << 20, sizes.0), of(1 << 21, sizes.1))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        /// For sets of up to tens of thousands of elements and vectors of any lengths, also where
        /// counts wrap around many times.
        #[test]
        fn never_above_the_truth(
            sizes in (0u64..3000, 0u64..3000),
            shared in prop::sample::select(vec![0u64, 100, 2000, 30_000]),
            crowded in any::<bool>(),
            buckets in (6u32..12, 6u32..12),
        ) {
            let (a, b) = pair(sizes, shared, crowded);
            let (x, y) = (counts(&a, 1 << buckets.0), counts(&b, 1 << buckets.1));
            prop_assert!(bound(&x, &y) <= differing(&a, &b));
            prop_assert_eq!(bound(&x, &y), bound(&y, &x));
        }

        /// For every measure: a pair that reaches the threshold passes.
        #[test]
        fn passes_every_match(
            shared in 0u64..6000,
            sizes in (0u64..2000, 0u64..2000),
            measure in prop::sample::select(vec![Measure::Resemblance, Measure::Containment, Measure::Cosine]),
            threshold in prop::sample::select(vec!["0.3", "0.5", "0.8", "0.95", "1"]),
        ) {
            let (a, b) = pair(sizes, shared, false);
            let (a, b) = if a.len() <= b.len() { (a, b) } else { (b, a) };
            let threshold: Threshold = threshold.parse().unwrap();
            let (x, y) = (a.len() as u32, b.len() as u32);
            let needed = measure.needed_overlap(threshold, x, y);
            let buckets = |size| buckets_for(measure, threshold, size).max(FEWEST_BUCKETS);
            let passes = may_differ_by(
                &counts(&a, buckets(x)),
                &counts(&b, buckets(y)),
                (u64::from(x) + u64::from(y)).saturating_sub(2 * u64::from(needed)),
            );
            let counts = crate::Overlap { shared: shared as u32, a: x, b: y };
            prop_assert!(passes || !measure.reaches(threshold, counts));
        }

        /// The definition, bucket by bucket, where no count reaches 128.
        #[test]
        fn is_the_sum_of_differences(
            a in prop::collection::vec(any::<u64>(), 0..128),
            b in prop::collection::vec(any::<u64>(), 0..128),
            buckets in (6u32..12, 6u32..12),
        ) {
            let fewest = 1u64 << buckets.0.min(buckets.1);
            let mut truth = vec![0i64; fewest as usize];
            a.iter().for_each(|value| truth[((value >> 24) % fewest) as usize] += 1);
            b.iter().for_each(|value| truth[((value >> 24) % fewest) as usize] -= 1);
            let truth: u64 = truth.iter().map(|difference| difference.unsigned_abs()).sum();
            let (x, y) = (counts(&a, 1 << buckets.0), counts(&b, 1 << buckets.1));
            prop_assert_eq!(bound(&x, &y), truth);
        }
    }

    /// At 0.8, unrelated sets and sets that share half of their elements are rejected and matches
    /// pass, for sizes at which the bitmap filter rejects none of them.
    #[test]
    fn tells_large_sets_apart() {
        let threshold: Threshold = "0.8".parse().unwrap();
        for size in [400u64, 2000, 20_000] {
            let buckets = buckets_for(Measure::Resemblance, threshold, size as u32);
            let passes = |shared: u64| {
                let (a, b) = pair((size - shared, size - shared), shared, false);
                let needed =
                    Measure::Resemblance.needed_overlap(threshold, size as u32, size as u32);
                let most = 2 * (size - u64::from(needed));
                may_differ_by(&counts(&a, buckets), &counts(&b, buckets), most)
            };
            assert!(!passes(0) && !passes(size / 2), "{size}");
            assert!(passes(size * 9 / 10) && passes(size), "{size}");
        }
    }

    #[test]
    fn buckets_follow_from_what_may_differ() {
        let of =
            |measure, threshold: &str, size| buckets_for(measure, threshold.parse().unwrap(), size);
        // Of 360 elements 320 must be shared, of 370 329: 80 may differ, and 82.
        assert_eq!(of(Measure::Resemblance, "0.8", 360), 0);
        assert_eq!(of(Measure::Resemblance, "0.8", 370), 128);
        assert_eq!(of(Measure::Cosine, "0.8", 2000), 1024);
        assert_eq!(of(Measure::Resemblance, "1", u32::MAX), 0);
        assert_eq!(of(Measure::Resemblance, "0.1", u32::MAX), MOST_BUCKETS);
        assert_eq!(of(Measure::Resemblance, "0.1", 0), 0);
    }
}
