//! Hashes of windows: polynomials of the hashes of their units, modulo the Mersenne prime 2⁶¹ − 1.
//!
//! Modulo 2⁶⁴, polynomials of Thue–Morse sequences of one or two thousand units are equal for every base.

/// 2⁶¹ − 1.
const PRIME: u64 = (1 << 61) - 1;

/// The base: digits of π.
const BASE: u64 = 0x0431_415d_9265_358d;

/// A product modulo the prime.
fn multiply(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    reduce((product as u64 & PRIME) + (product >> 61) as u64)
}

/// A number below 2⁶³ modulo the prime.
fn reduce(value: u64) -> u64 {
    let folded = (value & PRIME) + (value >> 61);
    if folded >= PRIME { folded - PRIME } else { folded }
}

/// A unit as a coefficient.
fn coefficient(unit: u64) -> u64 {
    reduce((unit & PRIME) + (unit >> 61))
}

/// Appends the hashes of the windows of this many units, in order. O(units).
pub(crate) fn windows(units: &[u64], window: usize, out: &mut Vec<u64>) {
    let Some(rolled) = units.len().checked_sub(window) else { return };
    let highest = (1..window).fold(1, |power, _| multiply(power, BASE));
    let append = |hash, unit| reduce(multiply(hash, BASE) + coefficient(unit));
    let mut hash = units[..window].iter().fold(0, |hash, &unit| append(hash, unit));
    out.push(hash);
    for at in 0..rolled {
        let gone = multiply(coefficient(units[at]), highest);
        hash = append(reduce(hash + PRIME - gone), units[at + window]);
        out.push(hash);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rolling_is_hashing_each(units in prop::collection::vec(any::<u64>(), 0..30), window in 1usize..9) {
            let mut found = Vec::new();
            windows(&units, window, &mut found);
            let modulo = u128::from(PRIME);
            let expected: Vec<u64> = units
                .windows(window)
                .map(|of| {
                    of.iter().fold(0u128, |hash, &unit| {
                        (hash * u128::from(BASE) + u128::from(unit)) % modulo
                    }) as u64
                })
                .collect();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn extremes_are_reduced() {
        for units in [[u64::MAX; 5], [PRIME; 5], [0; 5], [PRIME - 1; 5]] {
            let mut found = Vec::new();
            windows(&units, 3, &mut found);
            assert!(found.iter().all(|&hash| hash < PRIME && hash == found[0]));
        }
    }
}
