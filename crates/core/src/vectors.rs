//! Vectorised loops over numbers: sums, search, and partition by a bound.

use crate::fingerprint;
use crate::processor::compiled_for;

/// The sum of some values, and the sum of the [finalised](fingerprint::finalise) ones.
pub(crate) fn sums(values: &[u64]) -> (u64, u64) {
    #[cfg(target_arch = "x86_64")]
    #[expect(
        unsafe_code,
        reason = "what the function asks of the processor is looked for just before"
    )]
    if has_sums_avx512() {
        return unsafe { sums_avx512(values) };
    }
    plain_sums(values)
}

compiled_for! {
    ["avx512f", "avx512dq"], if has_sums_avx512:
    fn sums_avx512(values: &[u64]) -> (u64, u64) {
        plain_sums(values)
    }
}

#[inline(always)]
fn plain_sums(values: &[u64]) -> (u64, u64) {
    let mut sums = (0u64, 0u64);
    for &value in values {
        sums.0 = sums.0.wrapping_add(value);
        sums.1 = sums.1.wrapping_add(fingerprint::finalise(value));
    }
    sums
}

/// Whether a value is among others.
pub(crate) fn contains(values: &[u64], value: u64) -> bool {
    #[cfg(target_arch = "x86_64")]
    #[expect(
        unsafe_code,
        reason = "what the function asks of the processor is looked for just before"
    )]
    if has_contains_avx512() {
        return unsafe { contains_avx512(values, value) };
    }
    values.contains(&value)
}

compiled_for! {
    ["avx512f"], if has_contains_avx512:
    /// Without an early exit, which would prevent vectorisation.
    fn contains_avx512(values: &[u64], value: u64) -> bool {
        values.iter().fold(false, |found, &other| found | (other == value))
    }
}

/// Numbers in a vector register.
const LANES: usize = 8;

/// Partition: appends the values up to `bound` to `low` and the others to `high`, each in their
/// order. O(values).
///
/// ```
/// use lookalike_core::divide;
///
/// let (mut low, mut high) = (Vec::new(), Vec::new());
/// divide(5, &[7, 2, 9, 1], &mut low, &mut high);
/// assert_eq!((low, high), (vec![2, 1], vec![7, 9]));
/// ```
pub fn divide(bound: u64, values: &[u64], low: &mut Vec<u64>, high: &mut Vec<u64>) {
    #[cfg(target_arch = "x86_64")]
    #[expect(
        unsafe_code,
        reason = "what the function asks of the processor is looked for just before"
    )]
    if has_divide_avx512() {
        return unsafe { divide_avx512(bound, values, low, high) };
    }
    plain_divide(bound, values, low, high);
}

compiled_for! {
    ["avx512f", "popcnt"], if has_divide_avx512:
    #[expect(
        unsafe_code,
        reason = "eight values are read from a slice of eight, and written to slices of eight; as many are taken \
                  for written as the masks have bits, and they are written from the first place on"
    )]
    fn divide_avx512(bound: u64, values: &[u64], low: &mut Vec<u64>, high: &mut Vec<u64>) {
        use std::arch::x86_64::{
            _mm512_cmple_epu64_mask, _mm512_loadu_epi64, _mm512_maskz_compress_epi64,
            _mm512_set1_epi64, _mm512_storeu_epi64,
        };
        // A whole vector register is stored at the position of the first of its values.
        low.reserve(values.len() + LANES);
        high.reserve(values.len() + LANES);
        let (low_room, high_room) = (low.spare_capacity_mut(), high.spare_capacity_mut());
        let bounds = _mm512_set1_epi64(bound.cast_signed());
        let (mut low_end, mut high_end) = (0, 0);
        let (eights, rest) = values.as_chunks::<LANES>();
        for eight in eights {
            let vector = unsafe { _mm512_loadu_epi64(eight.as_ptr().cast()) };
            let mask = _mm512_cmple_epu64_mask(vector, bounds);
            let place = &mut low_room[low_end..low_end + LANES];
            let packed = _mm512_maskz_compress_epi64(mask, vector);
            unsafe { _mm512_storeu_epi64(place.as_mut_ptr().cast(), packed) };
            let place = &mut high_room[high_end..high_end + LANES];
            let packed = _mm512_maskz_compress_epi64(!mask, vector);
            unsafe { _mm512_storeu_epi64(place.as_mut_ptr().cast(), packed) };
            low_end += mask.count_ones() as usize;
            high_end += mask.count_zeros() as usize;
        }
        unsafe {
            low.set_len(low.len() + low_end);
            high.set_len(high.len() + high_end);
        }
        plain_divide(bound, rest, low, high);
    }
}

#[inline(always)]
fn plain_divide(bound: u64, values: &[u64], low: &mut Vec<u64>, high: &mut Vec<u64>) {
    let (mut low_end, mut high_end) = (low.len(), high.len());
    low.resize(low_end + values.len(), 0);
    high.resize(high_end + values.len(), 0);
    for &value in values {
        // Branchless: values are random, so a branch would be unpredictable.
        (low[low_end], high[high_end]) = (value, value);
        low_end += usize::from(value <= bound);
        high_end += usize::from(value > bound);
    }
    low.truncate(low_end);
    high.truncate(high_end);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn vectors_sum_as_a_plain_loop_does(values in prop::collection::vec(any::<u64>(), 0..70)) {
            prop_assert_eq!(sums(&values), plain_sums(&values));
        }

        #[test]
        fn vectors_find_what_a_plain_search_finds(
            values in prop::collection::vec(0u64..200, 0..100),
            value in 0u64..200,
        ) {
            prop_assert_eq!(contains(&values, value), values.contains(&value));
        }

        #[test]
        fn values_stay_in_their_order_on_either_side_of_a_bound(
            values in prop::collection::vec(any::<u64>(), 0..70),
            bound in prop::sample::select(vec![0, 1 << 62, 1 << 63, u64::MAX]),
        ) {
            let (mut truth, others): (Vec<u64>, Vec<u64>) = values.iter().partition(|&&v| v <= bound);
            truth.extend(others);
            for divide in [divide, plain_divide] {
                let (mut low, mut high) = (vec![1, 2], vec![3]);
                for part in values.chunks(33) {
                    divide(bound, part, &mut low, &mut high);
                }
                prop_assert_eq!([&low[..2], &high[..1]].concat(), [1, 2, 3]);
                prop_assert_eq!([&low[2..], &high[1..]].concat(), truth.clone());
            }
        }
    }
}
