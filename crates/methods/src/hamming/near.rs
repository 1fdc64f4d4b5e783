//! Comparison of a word with all words of a group.
//!
//! For small d, a test for at most d ones is cheaper than a count: clear the lowest one d times and
//! compare with zero. The compiler vectorises the loops below, with or without a population count
//! instruction.

/// Words compared between two checks for a match.
const RUN: usize = 8;

/// Distance from which counting the ones is cheaper.
const COUNT_FROM: u32 = 6;

#[inline(always)]
fn within<const D: u32>(difference: u64) -> bool {
    if D >= COUNT_FROM {
        return difference.count_ones() <= D;
    }
    let mut left = difference;
    for _ in 0..D {
        left &= left.wrapping_sub(1);
    }
    left == 0
}

#[inline(always)]
fn scan_at<const D: u32>(word: u64, words: &[u64], mut found: impl FnMut(usize, u64)) {
    let (runs, rest) = words.as_chunks::<RUN>();
    for (index, run) in runs.iter().enumerate() {
        // No early exit, so that the compiler can vectorise it.
        if run.iter().fold(false, |any, &other| any | within::<D>(word ^ other)) {
            for (at, &other) in run.iter().enumerate() {
                if within::<D>(word ^ other) {
                    found(index * RUN + at, word ^ other);
                }
            }
        }
    }
    for (at, &other) in rest.iter().enumerate() {
        if within::<D>(word ^ other) {
            found(runs.len() * RUN + at, word ^ other);
        }
    }
}

#[inline(always)]
fn all_pairs_at<const D: u32>(words: &[u64], mut found: impl FnMut(usize, usize, u64)) {
    for (i, &word) in words.iter().enumerate() {
        scan_at::<D>(word, &words[i + 1..], |at, difference| found(i, i + 1 + at, difference));
    }
}

/// One function for each small d, so that the loops over it are unrolled.
macro_rules! by_distance {
    ($d:expr, $at:ident($($argument:expr),*), $otherwise:expr) => {
        match $d {
            0 => $at::<0>($($argument),*),
            1 => $at::<1>($($argument),*),
            2 => $at::<2>($($argument),*),
            3 => $at::<3>($($argument),*),
            4 => $at::<4>($($argument),*),
            5 => $at::<5>($($argument),*),
            6 => $at::<6>($($argument),*),
            7 => $at::<7>($($argument),*),
            8 => $at::<8>($($argument),*),
            _ => $otherwise,
        }
    };
}

/// Calls `found` with the position of every one of `words` within `d` of `word`, ascending, and the
/// bits in which they differ. O(words).
pub(super) fn scan(word: u64, words: &[u64], d: u32, mut found: impl FnMut(usize, u64)) {
    by_distance!(d, scan_at(word, words, found), {
        for (at, &other) in words.iter().enumerate() {
            if (word ^ other).count_ones() <= d {
                found(at, word ^ other);
            }
        }
    });
}

/// Calls `found` with the positions of every two of `words` within `d`, and the bits in which they
/// differ. O(words²).
pub(super) fn all_pairs(words: &[u64], d: u32, mut found: impl FnMut(usize, usize, u64)) {
    by_distance!(d, all_pairs_at(words, found), {
        for (i, &word) in words.iter().enumerate() {
            scan(word, &words[i + 1..], d, |at, difference| found(i, i + 1 + at, difference));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hamming::{NearPair, brute_force};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn all_pairs_are_the_definition(words in brute_force::clustered(40), d in 0u32..=64) {
            let mut found = Vec::new();
            all_pairs(&words, d, |i, j, x| {
                found.push(NearPair { i: i as u32, j: j as u32, distance: x.count_ones() });
            });
            prop_assert_eq!(found, brute_force::pairs(&words, d));
        }
    }
}
