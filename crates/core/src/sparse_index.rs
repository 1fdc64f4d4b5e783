//! Rank over a bit vector (Jacobson 1989): a subset of the numbers from 0, and the rank of each
//! member.
//!
//! One bit for each number and one count for every 512 of them: 9/64 bytes a number, where an array
//! of ranks would take four.

/// A subset of the numbers below an end, with the rank of each member.
///
/// ```
/// use lookalike_core::SparseIndex;
///
/// let odd = SparseIndex::new(10, |number| number % 2 == 1);
/// assert_eq!((odd.len(), odd.place(7), odd.place(8)), (5, Some(3), None));
/// assert!(odd.iter().eq([1, 3, 5, 7, 9]));
/// ```
#[derive(Debug, Clone, Default)]
pub struct SparseIndex {
    words: Vec<u64>,
    /// Members before each group of [`GROUP`] words.
    before: Vec<u32>,
}

/// Words that are counted together.
const GROUP: usize = 8;

impl SparseIndex {
    /// The numbers below `end` that are wanted, which are asked for in order. O(`end`).
    #[must_use]
    pub fn new(end: u32, mut wanted: impl FnMut(u32) -> bool) -> Self {
        let mut words = vec![0u64; (end as usize).div_ceil(64)];
        for number in 0..end {
            words[number as usize / 64] |= u64::from(wanted(number)) << (number % 64);
        }
        let mut before = Vec::with_capacity(words.len().div_ceil(GROUP));
        let mut count = 0;
        for group in words.chunks(GROUP) {
            before.push(count);
            count += group.iter().map(|word| word.count_ones()).sum::<u32>();
        }
        Self { words, before }
    }

    /// Rank of a number among the members, from 0; `None` if it is not a member. O(1).
    #[inline]
    #[must_use]
    pub fn place(&self, number: u32) -> Option<u32> {
        let at = number as usize / 64;
        let word = *self.words.get(at)?;
        let bit = 1 << (number % 64);
        if word & bit == 0 {
            return None;
        }
        let group = at / GROUP;
        let between = self.words[group * GROUP..at].iter().map(|word| word.count_ones());
        Some(self.before[group] + between.sum::<u32>() + (word & (bit - 1)).count_ones())
    }

    /// Number of members. O(end).
    #[must_use]
    pub fn len(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    /// Whether there is no member.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// The members, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0u32..).zip(&self.words).flat_map(|(at, &word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(at * 64 + bit)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn places_are_those_in_a_sorted_list(
            chosen in prop::collection::btree_set(0u32..3000, 0..400),
            end in 0u32..3000,
        ) {
            let chosen: BTreeSet<u32> = chosen.into_iter().filter(|&n| n < end).collect();
            let index = SparseIndex::new(end, |number| chosen.contains(&number));
            for number in 0..end + 70 {
                let place = chosen.iter().position(|&other| other == number).map(|at| at as u32);
                prop_assert_eq!(index.place(number), place);
            }
            prop_assert_eq!(index.len() as usize, chosen.len());
            prop_assert!(index.iter().eq(chosen));
        }
    }
}
