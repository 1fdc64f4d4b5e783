//! A seed in, numbers that look random out: the same on every machine, for ever.
//!
//! SplitMix64 (Steele, Lea & Flood 2014, "Fast splittable pseudorandom number generators", figure
//! 16): one addition and one mixer a number, any seed is good. Written here because generated
//! collections must not change when a library does. Whole numbers only: the last bit of a floating
//! point function differs between machines.

/// One part in a million: the unit of probabilities.
pub const MILLION: u32 = 1_000_000;

/// The generator.
#[derive(Debug, Clone)]
pub struct Prng {
    state: u64,
}

impl Prng {
    /// Numbers that belong to this seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut value = self.state;
        value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        value ^ (value >> 31)
    }

    /// A number below `limit`, each about as likely (to one in 2³² for limits up to 2³²); 0 if the
    /// limit is 0.
    #[inline]
    pub fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.bits()) * limit as u128) >> 64) as usize
    }

    /// A number from `low` to `high`, both included.
    #[inline]
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// True this many times in a million.
    #[inline]
    pub fn happens(&mut self, millionths: u32) -> bool {
        self.below(MILLION as usize) < millionths as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first outputs for seed 1234567, as published with the algorithm's reference code.
    #[test]
    fn the_numbers_never_change() {
        let mut prng = Prng::new(1_234_567);
        let first = [prng.bits(), prng.bits(), prng.bits()];
        assert_eq!(
            first,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn numbers_stay_in_their_limits() {
        let mut prng = Prng::new(1);
        let mut seen = [0; 7];
        for _ in 0..7000 {
            seen[prng.below(7)] += 1;
            assert!((3..=5).contains(&prng.between(3, 5)));
        }
        assert!(seen.iter().all(|&count| (850..1150).contains(&count)), "{seen:?}");
        assert_eq!(prng.below(0), 0);
        assert!(!prng.happens(0) && prng.happens(MILLION));
    }
}
