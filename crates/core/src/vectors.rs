//! Many numbers in; their sums, or those of them up to a bound, out: as many at a time as the processor's
//! vectors hold.

use crate::fingerprint;

/// The sum of some values, and the sum of the [finalised](fingerprint::finalise) ones.
pub(crate) fn sums(values: &[u64]) -> (u64, u64) {
    #[cfg(target_arch = "x86_64")]
    #[expect(
        unsafe_code,
        reason = "what the function asks of the processor is looked for just before"
    )]
    if is_x86_feature_detected!("avx512dq") {
        return unsafe { sums_avx512(values) };
    }
    plain_sums(values)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq")]
fn sums_avx512(values: &[u64]) -> (u64, u64) {
    plain_sums(values)
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

/// Values in a vector.
const LANES: usize = 8;

/// Copies the values that are no larger than a bound, in their order, to a buffer of any content, which is
/// made long enough; how many there are.
pub(crate) fn up_to(bound: u64, values: &[u64], out: &mut Vec<u64>) -> usize {
    // A vector is written as a whole wherever the last of its values goes.
    if out.len() < values.len() + LANES {
        out.resize(values.len() + LANES, 0);
    }
    #[cfg(target_arch = "x86_64")]
    #[expect(
        unsafe_code,
        reason = "what the function asks of the processor is looked for just before"
    )]
    if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("popcnt") {
        return unsafe { up_to_avx512(bound, values, out) };
    }
    plain_up_to(bound, values, out)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,popcnt")]
#[expect(
    unsafe_code,
    reason = "eight values are read from a chunk of eight, and written to a slice of eight"
)]
fn up_to_avx512(bound: u64, values: &[u64], out: &mut [u64]) -> usize {
    use std::arch::x86_64::{
        _mm512_cmple_epu64_mask, _mm512_loadu_epi64, _mm512_maskz_compress_epi64,
        _mm512_set1_epi64, _mm512_storeu_epi64,
    };
    let bounds = _mm512_set1_epi64(bound.cast_signed());
    let (chunks, rest) = values.as_chunks::<LANES>();
    let mut end = 0;
    for chunk in chunks {
        let vector = unsafe { _mm512_loadu_epi64(chunk.as_ptr().cast()) };
        let low = _mm512_cmple_epu64_mask(vector, bounds);
        let place = &mut out[end..end + LANES];
        let packed = _mm512_maskz_compress_epi64(low, vector);
        unsafe { _mm512_storeu_epi64(place.as_mut_ptr().cast(), packed) };
        end += low.count_ones() as usize;
    }
    end + plain_up_to(bound, rest, &mut out[end..])
}

#[inline(always)]
fn plain_up_to(bound: u64, values: &[u64], out: &mut [u64]) -> usize {
    let mut end = 0;
    for &value in values {
        // Without a branch: which ones are low is as random as they are.
        out[end] = value;
        end += usize::from(value <= bound);
    }
    end
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
        fn values_up_to_a_bound_are_those_of_a_filter(
            values in prop::collection::vec(any::<u64>(), 0..70),
            bound in prop::sample::select(vec![0, 1 << 62, 1 << 63, u64::MAX]),
        ) {
            let truth: Vec<u64> = values.iter().copied().filter(|&v| v <= bound).collect();
            let mut out = vec![5; 3];
            let found = up_to(bound, &values, &mut out);
            prop_assert_eq!(&out[..found], &*truth);
            let found = plain_up_to(bound, &values, &mut out);
            prop_assert_eq!(&out[..found], &*truth);
        }
    }
}
