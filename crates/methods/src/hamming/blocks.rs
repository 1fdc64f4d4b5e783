//! Splits 64 bits into blocks, and compares words by block.
//!
//! Every pair is reported once without storing reported pairs: of the choices of k blocks in which
//! a pair agrees, the one of its *first* k agreeing blocks reports it, which is a function of the
//! pair.

/// The 64 bits of a word, cut into runs of nearly equal length, the highest bits first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocks {
    masks: Vec<u64>,
}

impl Blocks {
    /// Cuts into `count` blocks, taken as 1 below and as 64 above those bounds. Lengths differ by
    /// at most one bit.
    #[must_use]
    pub fn new(count: u32) -> Self {
        let count = count.clamp(1, 64);
        let masks = (0..count).map(|index| {
            let (from, until) = (64 * index / count, 64 * (index + 1) / count);
            (u64::MAX << (64 - (until - from))) >> from
        });
        Self { masks: masks.collect() }
    }

    /// How many blocks there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.masks.len()
    }

    /// The bits of one block, set.
    #[must_use]
    pub fn mask(&self, block: usize) -> u64 {
        self.masks[block]
    }

    /// Bits of the shortest block.
    #[must_use]
    pub fn width(&self) -> u32 {
        64 / self.masks.len() as u32
    }

    /// Whether `chosen` (a set of block numbers, ascending) are exactly the first blocks on which
    /// two words agree, `difference` being their exclusive or. O(last chosen block).
    #[must_use]
    pub fn first_agreeing(&self, difference: u64, chosen: &[usize]) -> bool {
        let mut rest = chosen;
        for (block, mask) in self.masks.iter().enumerate() {
            let Some(&next) = rest.first() else { return true };
            let agree = difference & mask == 0;
            if agree != (block == next) {
                return false;
            }
            if agree {
                rest = &rest[1..];
            }
        }
        rest.is_empty()
    }
}

/// All ascending choices of `k` of `n` items, in lexicographic order; there are n over k.
pub(super) fn choices(n: usize, k: usize) -> Vec<Vec<usize>> {
    fn extend(from: usize, n: usize, k: usize, chosen: &mut Vec<usize>, out: &mut Vec<Vec<usize>>) {
        if k == 0 {
            out.push(chosen.clone());
            return;
        }
        for next in from..=n - k {
            chosen.push(next);
            extend(next + 1, n, k - 1, chosen, out);
            chosen.pop();
        }
    }
    let mut out = Vec::new();
    if k <= n {
        extend(0, n, k, &mut Vec::new(), &mut out);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn blocks_are_a_partition_of_nearly_equal_runs() {
        for count in 1..=64 {
            let blocks = Blocks::new(count);
            assert_eq!(blocks.count(), count as usize);
            let together = (0..blocks.count()).fold(0, |bits, block| {
                assert_eq!(bits & blocks.mask(block), 0);
                let ones = blocks.mask(block).count_ones();
                assert!(ones == blocks.width() || ones == blocks.width() + 1);
                bits | blocks.mask(block)
            });
            assert_eq!(together, u64::MAX);
        }
        assert_eq!(Blocks::new(4).mask(0), 0xFFFF_0000_0000_0000);
        assert_eq!(Blocks::new(0).count(), 1);
    }

    #[test]
    fn choices_are_counted_by_the_binomial() {
        assert_eq!(choices(4, 2), [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
        assert_eq!(choices(3, 0), [[0usize; 0]]);
        assert_eq!(choices(12, 4).len(), 495);
        assert!(choices(2, 3).is_empty());
    }

    proptest! {
        /// Words within d of each other have exactly one choice of k of d + k blocks that consists
        /// of their first agreeing blocks (by the pigeonhole principle there is one).
        #[test]
        fn exactly_one_choice_reports_a_pair(
            flips in prop::collection::vec(0u32..64, 0..=8),
            spare in 0usize..8,
            k in 0usize..=4,
        ) {
            let difference = flips.iter().fold(0u64, |word, bit| word | 1 << bit);
            let d = difference.count_ones() as usize + spare;
            let blocks = Blocks::new((d + k).max(1) as u32);
            let reporting = choices(blocks.count(), k.min(blocks.count()))
                .into_iter()
                .filter(|chosen| blocks.first_agreeing(difference, chosen))
                .count();
            prop_assert_eq!(reporting, 1);
        }
    }
}
