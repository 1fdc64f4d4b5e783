//! Weighted bit sums: bit i of the word is 1 if the weights of the features with bit i outweigh the
//! others (Seshasai 2009, section 3.4).
//!
//! Adding w for a one and subtracting it for a zero equals twice the sum over the ones minus the
//! sum of all weights: only ones are added, by a mask and an addition per bit. All integers, so the
//! word does not depend on the order of the features.

/// Number of features from which sums by byte are faster.
const MANY: usize = 48;

/// 64 running sums.
///
/// ```
/// use lookalike_methods::simhash::BitSums;
///
/// let mut sums = BitSums::new();
/// sums.add(0b01, 3);
/// sums.add(0b10, 2);
/// assert_eq!(sums.word(), 0b01);
/// ```
#[derive(Debug, Clone)]
pub struct BitSums {
    /// Sums since the last carry, of weights that fit.
    lanes: [u32; 64],
    /// Remaining capacity of every lane.
    room: u32,
    /// Sums before the last carry.
    ones: [u128; 64],
    /// Sum of all weights.
    total: u128,
}

impl Default for BitSums {
    fn default() -> Self {
        Self::new()
    }
}

impl BitSums {
    /// Sums of no feature.
    #[must_use]
    pub fn new() -> Self {
        Self { lanes: [0; 64], room: u32::MAX, ones: [0; 64], total: 0 }
    }

    /// Adds a feature.
    #[inline]
    pub fn add(&mut self, hash: u64, weight: u64) {
        self.total += u128::from(weight);
        let light = u32::try_from(weight).ok();
        if let Some((weight, room)) = light.and_then(|w| Some((w, self.room.checked_sub(w)?))) {
            self.room = room;
            add_lanes(&mut self.lanes, hash, weight);
        } else {
            self.add_heavy(hash, weight);
        }
    }

    /// Adds many features: to one sum for each byte that a hash has, which is eight additions for a
    /// feature in place of 64, and then those sums to the bits of the bytes.
    pub fn add_all(&mut self, hashes: &[u64], weights: &[u64]) {
        let together = weights.iter().fold(0u64, |sum, &weight| sum.saturating_add(weight));
        let room = u32::try_from(together).ok().and_then(|sum| self.room.checked_sub(sum));
        let Some(room) = room.filter(|_| hashes.len() >= MANY) else {
            return hashes.iter().zip(weights).for_each(|(&hash, &weight)| self.add(hash, weight));
        };
        self.room = room;
        self.total += u128::from(together);
        let mut sums = [[0u32; 256]; 8];
        for (hash, &weight) in hashes.iter().zip(weights) {
            for (sums, byte) in sums.iter_mut().zip(hash.to_le_bytes()) {
                sums[usize::from(byte)] += weight as u32;
            }
        }
        let (lanes, _) = self.lanes.as_chunks_mut::<8>();
        for (lanes, sums) in lanes.iter_mut().zip(&mut sums) {
            lanes[7] += halve::<128>(sums);
            lanes[6] += halve::<64>(sums);
            lanes[5] += halve::<32>(sums);
            lanes[4] += halve::<16>(sums);
            lanes[3] += halve::<8>(sums);
            lanes[2] += halve::<4>(sums);
            lanes[1] += halve::<2>(sums);
            lanes[0] += halve::<1>(sums);
        }
    }

    #[cold]
    fn add_heavy(&mut self, hash: u64, weight: u64) {
        for (bit, (sum, lane)) in self.ones.iter_mut().zip(&mut self.lanes).enumerate() {
            *sum += u128::from(std::mem::take(lane));
            *sum += u128::from(weight) * u128::from(hash >> bit & 1);
        }
        self.room = u32::MAX;
    }

    /// The sum at a bit: weights of ones less weights of zeros. `None` above bit 63.
    #[must_use]
    pub fn sum(&self, bit: usize) -> Option<i128> {
        let ones = self.ones.get(bit)? + u128::from(*self.lanes.get(bit)?);
        // The range suffices for 2⁶⁴ features of 2⁶³ each.
        Some(2 * ones as i128 - self.total as i128)
    }

    /// The smallest magnitude of a sum other than 0; `None` if all are 0.
    #[must_use]
    pub fn smallest(&self) -> Option<u64> {
        let sums = (0..64).filter_map(|bit| self.sum(bit)).map(i128::unsigned_abs);
        let smallest = sums.filter(|&sum| sum > 0).min()?;
        Some(u64::try_from(smallest).unwrap_or(u64::MAX))
    }

    /// The signs: 1 where a sum is positive. A sum of 0 gives 0, as in section 7.1.1 of the thesis
    /// (a weight that "would cause the sum to drop to 0" is "flipping the bit … to 0"); Charikar's
    /// hyperplanes would give 1.
    #[must_use]
    pub fn word(&self) -> u64 {
        let mut word = 0;
        for (bit, (&sum, &lane)) in self.ones.iter().zip(&self.lanes).enumerate() {
            word |= u64::from(2 * (sum + u128::from(lane)) > self.total) << bit;
        }
        word
    }
}

/// For every byte, a mask for each of its bits, the lowest first.
static MASKS: [[u32; 8]; 256] = {
    let mut masks = [[0; 8]; 256];
    let mut at = 0;
    while at < 256 * 8 {
        if (at / 8) >> (at % 8) & 1 == 1 {
            masks[at / 8][at % 8] = u32::MAX;
        }
        at += 1;
    }
    masks
};

/// Adds the weight to the lane of every bit that is set: eight lanes at a time, which the compiler
/// vectorises.
#[inline]
fn add_lanes(lanes: &mut [u32; 64], hash: u64, weight: u32) {
    let (lanes, _) = lanes.as_chunks_mut::<8>();
    for (lanes, byte) in lanes.iter_mut().zip(hash.to_le_bytes()) {
        for (lane, mask) in lanes.iter_mut().zip(&MASKS[usize::from(byte)]) {
            *lane += mask & weight;
        }
    }
}

/// Adds the upper half of the sums of 2·N values to the lower half, which gives the sums of the
/// values without their highest bit; returns the sum of those that have it.
#[inline]
fn halve<const N: usize>(sums: &mut [u32; 256]) -> u32 {
    let (low, high) = sums.split_at_mut(N);
    low.iter_mut().zip(&high[..N]).for_each(|(low, high)| *low += high);
    high[..N].iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Table 3.1 of the thesis, in hundredths; its four bits are our highest.
    const TABLE: [(&str, u64, u64); 5] = [
        ("medicare", 9, 0b1001),
        ("plan", 1, 0b1110),
        ("democrats", 6, 0b0010),
        ("health", 5, 0b0101),
        ("negotiate", 4, 0b1101),
    ];

    fn of_table(without: &str) -> (Vec<i128>, u64) {
        let mut sums = BitSums::new();
        for (name, weight, hash) in TABLE {
            if name != without {
                sums.add(hash << 60, weight);
            }
        }
        let row = (0..4).map(|place| sums.sum(63 - place).unwrap()).collect();
        (row, sums.word() >> 60)
    }

    #[test]
    fn table_3_1() {
        assert_eq!(of_table(""), (vec![3, -5, -11, 11], 0b1001));
        // "If a less important word, like plan, is removed, the simhash is unchanged. If a more
        // important word is removed, the simhash may change values."
        assert_eq!(of_table("plan").1, 0b1001);
        assert_ne!(of_table("medicare").1, 0b1001);
    }

    #[test]
    fn a_sum_of_nought_is_0() {
        let mut sums = BitSums::new();
        assert_eq!(sums.word(), 0);
        sums.add(u64::MAX, 7);
        sums.add(0, 7);
        assert_eq!((sums.sum(5), sums.word(), sums.sum(64)), (Some(0), 0, None));
        assert_eq!(sums.smallest(), None);
        sums.add(1, 5);
        sums.add(2, 3);
        assert_eq!((sums.sum(0), sums.sum(1), sums.sum(2)), (Some(2), Some(-2), Some(-8)));
        assert_eq!(sums.smallest(), Some(2));
    }

    proptest! {
        /// Against the definition, adding and subtracting bit by bit, with weights that fill the
        /// lanes and weights beyond a lane; in any order.
        #[test]
        fn equals_the_definition(
            features in prop::collection::vec(
                (any::<u64>(), prop_oneof![0u64..100, any::<u32>().prop_map(u64::from), any::<u64>()]),
                0..100,
            ),
        ) {
            let (mut forth, mut back) = (BitSums::new(), BitSums::new());
            let (hashes, weights): (Vec<u64>, Vec<u64>) = features.iter().copied().unzip();
            let mut together = BitSums::new();
            together.add_all(&hashes, &weights);
            features.iter().for_each(|&(hash, weight)| forth.add(hash, weight));
            features.iter().rev().for_each(|&(hash, weight)| back.add(hash, weight));
            prop_assert_eq!(forth.word(), back.word());
            for bit in 0..64 {
                let sum: i128 = features
                    .iter()
                    .map(|&(hash, w)| if hash >> bit & 1 == 1 { i128::from(w) } else { -i128::from(w) })
                    .sum();
                prop_assert_eq!(forth.sum(bit), Some(sum));
                prop_assert_eq!(together.sum(bit), Some(sum));
                prop_assert_eq!(forth.word() >> bit & 1 == 1, sum > 0);
            }
        }
    }
}
