//! Candidate pairs on their way to the tasks that compare them.

use super::codec::{encode_pairs, encode_ranks};
use lookalike_core::fingerprint::finalise;

/// Number of a task that compares sets, or that looks for their candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Part(pub u32);

impl Part {
    /// The part of a set, of so many.
    #[inline]
    #[must_use]
    pub fn of(rank: u64, parts: u32) -> Self {
        Self(((u128::from(finalise(rank)) * u128::from(parts.max(1))) >> 64) as u32)
    }
}

/// Collects candidate pairs, drops repeats, and encodes them for the parts of their sets.
#[derive(Debug)]
pub struct PairBuffer {
    parts: u32,
    pairs: Vec<(u64, u64)>,
    /// Distinct pairs emitted.
    pub emitted: u64,
}

/// Pairs that are sorted together: 32 MiB of them.
const TOGETHER: usize = 1 << 21;

impl PairBuffer {
    /// No pairs yet, for so many parts.
    #[must_use]
    pub fn new(parts: u32) -> Self {
        Self { parts: parts.max(1), pairs: Vec::new(), emitted: 0 }
    }

    /// Adds a pair: the set that is later in precedence, and the earlier one.
    #[inline]
    pub fn push(&mut self, later: u64, earlier: u64) {
        self.pairs.push((later, earlier));
    }

    /// Drops repeats if there are many pairs; whether there are many without them, so that it is
    /// time to [`drain`](Self::drain).
    pub fn is_full(&mut self) -> bool {
        if self.pairs.len() < TOGETHER {
            return false;
        }
        self.distinct();
        self.pairs.len() >= TOGETHER / 2
    }

    fn distinct(&mut self) {
        self.pairs.sort_unstable();
        self.pairs.dedup();
    }

    /// Emits the pairs, encoded by [`encode_pairs`], to the part of the later set, and the earlier
    /// sets, encoded by [`encode_ranks`], to their own part; forgets them.
    pub fn drain(
        &mut self,
        mut pairs: impl FnMut(Part, &[u8]),
        mut wanted: impl FnMut(Part, &[u8]),
    ) {
        self.distinct();
        self.emitted += self.pairs.len() as u64;
        let mut bytes = Vec::new();
        let parts = self.parts;
        let mut earlier: Vec<(Part, u64)> =
            self.pairs.iter().map(|&(_, earlier)| (Part::of(earlier, parts), earlier)).collect();
        earlier.sort_unstable();
        earlier.dedup();
        let mut ranks = Vec::new();
        for own in earlier.chunk_by(|a, b| a.0 == b.0) {
            ranks.clear();
            ranks.extend(own.iter().map(|&(_, rank)| rank));
            bytes.clear();
            encode_ranks(&ranks, &mut bytes);
            wanted(own[0].0, &bytes);
        }
        // Within a part still sorted by pair.
        self.pairs.sort_by_cached_key(|&(later, _)| Part::of(later, parts));
        for own in self.pairs.chunk_by(|a, b| Part::of(a.0, parts) == Part::of(b.0, parts)) {
            bytes.clear();
            encode_pairs(own, &mut bytes);
            pairs(Part::of(own[0].0, parts), &bytes);
        }
        self.pairs.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::super::codec::{decode_pairs, decode_ranks};
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn every_pair_reaches_the_parts_of_its_sets(
            pairs in prop::collection::vec((50u64..99, 0u64..50), 0..200),
            parts in 1u32..9,
        ) {
            let mut buffer = PairBuffer::new(parts);
            pairs.iter().for_each(|&(later, earlier)| buffer.push(later, earlier));
            let (mut found, mut wanted) = (Vec::new(), Vec::new());
            buffer.drain(
                |part, bytes| {
                    let before = found.len();
                    decode_pairs(bytes, &mut found).unwrap();
                    assert!(found[before..].iter().all(|pair| Part::of(pair.0, parts) == part));
                    assert!(part.0 < parts);
                },
                |part, bytes| {
                    let before = wanted.len();
                    decode_ranks(bytes, &mut wanted).unwrap();
                    assert!(wanted[before..].iter().all(|&rank| Part::of(rank, parts) == part));
                },
            );
            prop_assert_eq!(buffer.emitted, found.len() as u64);
            let distinct = BTreeSet::from_iter(pairs);
            found.sort_unstable();
            wanted.sort_unstable();
            prop_assert_eq!(wanted, Vec::from_iter(distinct.iter().map(|pair| pair.1).collect::<BTreeSet<_>>()));
            prop_assert_eq!(found, Vec::from_iter(distinct));
        }
    }
}
