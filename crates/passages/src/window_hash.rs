//! Hashes of runs of units: polynomials of the hashes of their units, modulo the Mersenne prime 2⁶¹ − 1.
//!
//! Modulo 2⁶⁴, polynomials of Thue–Morse sequences of one or two thousand units are equal for every base.

/// 2⁶¹ − 1.
const PRIME: u64 = (1 << 61) - 1;

/// The base: digits of π.
const BASE: u64 = 0x0431_415d_9265_358d;

/// A product modulo the prime, of numbers below 2⁶³ and 2⁶¹.
fn multiply(a: u64, b: u64) -> u64 {
    reduce(folded_product(a, b))
}

/// A number that is a product modulo the prime, and below 2⁶¹ + 2⁶³; below 2⁶² where `b` is below 2⁵⁹.
fn folded_product(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64 & PRIME) + (product >> 61) as u64
}

/// A number modulo the prime, and below 2⁶¹ + 8.
fn folded(value: u64) -> u64 {
    (value & PRIME) + (value >> 61)
}

/// A number modulo the prime.
fn reduce(value: u64) -> u64 {
    let folded = folded(value);
    if folded >= PRIME { folded - PRIME } else { folded }
}

/// The hashes of all runs of units of a document, each in O(1). Reused from one document to the next.
#[derive(Debug, Default)]
pub(crate) struct RunHashes {
    /// The hash of the units before each place, below 2⁶³: each waits for the one before it, so that reducing
    /// them is left to those who ask.
    before: Vec<u64>,
    /// Powers of the base.
    powers: Vec<u64>,
}

impl RunHashes {
    /// Takes the units of a document. O(units).
    pub(crate) fn read(&mut self, units: &[u64]) {
        self.before.clear();
        self.before.reserve(units.len() + 1);
        let mut hash = 0;
        self.before.push(hash);
        for &unit in units {
            hash = folded_product(hash, BASE) + folded(unit);
            self.before.push(hash);
        }
    }

    /// Prepares for runs of up to this many units. O(units), once.
    pub(crate) fn up_to(&mut self, units: usize) {
        while self.powers.len() <= units {
            self.powers.push(self.powers.last().map_or(1, |&power| multiply(power, BASE)));
        }
    }

    /// The hash of some units from a place.
    ///
    /// # Panics
    /// With units that the document does not have, and with more than were prepared for.
    pub(crate) fn of(&self, start: usize, units: usize) -> u64 {
        let gone = multiply(self.before[start], self.powers[units]);
        reduce(reduce(self.before[start + units]) + PRIME - gone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn runs_have_the_hashes_of_their_units(
            units in prop::collection::vec(any::<u64>(), 0..30),
            other in prop::collection::vec(any::<u64>(), 0..30),
        ) {
            let mut hashes = RunHashes::default();
            hashes.read(&other);
            hashes.up_to(units.len() / 2);
            hashes.read(&units);
            hashes.up_to(units.len());
            let modulo = u128::from(PRIME);
            for start in 0..=units.len() {
                for end in start..=units.len() {
                    let expected = units[start..end].iter().fold(0u128, |hash, &unit| {
                        (hash * u128::from(BASE) + u128::from(unit)) % modulo
                    });
                    prop_assert_eq!(hashes.of(start, end - start), expected as u64);
                }
            }
        }
    }

    #[test]
    fn extremes_are_reduced() {
        let mut hashes = RunHashes::default();
        hashes.up_to(3);
        for units in [[u64::MAX; 5], [PRIME; 5], [0; 5], [PRIME - 1; 5]] {
            hashes.read(&units);
            let found: Vec<u64> = (0..3).map(|start| hashes.of(start, 3)).collect();
            assert!(found.iter().all(|&hash| hash < PRIME && hash == found[0]));
        }
    }
}
