//! Selects terms of a document by the rank of their document frequency.
//!
//! Terms are ranked by idf in ascending order, so the most frequent first; ties are broken by
//! fingerprint, so the order does not depend on positions. Only the side of a cut that a term is on
//! matters, so cuts are found by selection in O(terms), without sorting.

use super::nidf::Share;
use std::cmp::Ordering;

/// The ranks that are kept, of n.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ranks {
    /// All but the first ⌊share · n⌋.
    AllButFirst(Share),
    /// All but the last ⌊share · n⌋.
    AllButLast(Share),
    /// From ⌈from · n⌉ to before ⌊to · n⌋.
    Inside(Share, Share),
    /// The others.
    Outside(Share, Share),
}

/// A term to be ranked: `!frequency` in the upper half, its index among the document's terms in the
/// lower.
///
/// One word per term, so that selection does not permute a second array.
pub(super) fn candidate(frequency: u32, place: usize) -> u64 {
    u64::from(!frequency) << 32 | place as u64 & 0xFFFF_FFFF
}

/// The index of a candidate's term.
pub(super) fn place(candidate: u64) -> usize {
    (candidate & 0xFFFF_FFFF) as usize
}

/// Rank order of two candidates: the more frequent first, then the smaller fingerprint.
pub(super) fn order(terms: &[u64], a: u64, b: u64) -> Ordering {
    (a >> 32).cmp(&(b >> 32)).then_with(|| terms[place(a)].cmp(&terms[place(b)]))
}

impl Ranks {
    /// The selected candidates, as two parts; reorders the candidates. O(candidates).
    pub(super) fn select<'a>(self, terms: &[u64], candidates: &'a mut [u64]) -> [&'a [u64]; 2] {
        let n = candidates.len();
        let (from, to) = match self {
            Self::AllButFirst(share) => (share.floor_of(n), n),
            Self::AllButLast(share) => (0, n - share.floor_of(n)),
            Self::Inside(from, to) | Self::Outside(from, to) => {
                let from = from.ceil_of(n);
                (from, to.floor_of(n).max(from))
            }
        };
        cut(terms, candidates, from);
        cut(terms, &mut candidates[from..], to - from);
        match self {
            Self::Outside(..) => [&candidates[..from], &candidates[to..]],
            _ => [&candidates[from..to], &[]],
        }
    }
}

/// Moves the first `count` in rank order to the front, unordered.
pub(super) fn cut(terms: &[u64], candidates: &mut [u64], count: usize) {
    if count > 0 && count < candidates.len() {
        candidates.select_nth_unstable_by(count, |&a, &b| order(terms, a, b));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The kept ranks of `n` terms of decreasing frequency.
    fn kept(ranks: Ranks, n: usize) -> Vec<usize> {
        let terms: Vec<u64> = (0..n as u64).collect();
        let mut candidates: Vec<u64> = (0..n).rev().map(|i| candidate((n - i) as u32, i)).collect();
        let mut kept: Vec<usize> =
            ranks.select(&terms, &mut candidates).concat().iter().map(|&c| place(c)).collect();
        kept.sort_unstable();
        kept
    }

    #[test]
    fn ten_terms_by_hand() {
        let percent = Share::percent;
        assert_eq!(kept(Ranks::AllButFirst(percent(90)), 10), [9]);
        assert_eq!(kept(Ranks::AllButLast(percent(90)), 10), [0]);
        assert_eq!(kept(Ranks::AllButFirst(percent(25)), 4), [1, 2, 3]);
        assert_eq!(kept(Ranks::Inside(percent(40), percent(60)), 10), [4, 5]);
        assert_eq!(kept(Ranks::Outside(percent(10), percent(90)), 10), [0, 9]);
        assert_eq!(kept(Ranks::Inside(percent(25), percent(75)), 4), [1, 2]);
    }

    /// Table IX: documents without a term left, by level. Doc-l and Doc-h leave a term in each.
    #[test]
    fn small_documents_as_in_table_ix() {
        let percent = Share::percent;
        for n in 1..40 {
            for level in (10..100).step_by(10) {
                assert!(!kept(Ranks::AllButFirst(percent(level)), n).is_empty());
                assert!(!kept(Ranks::AllButLast(percent(level)), n).is_empty());
            }
        }
        let filtered = |from, to| -> Vec<usize> {
            (1..40)
                .filter(|&n| kept(Ranks::Inside(percent(from), percent(to)), n).is_empty())
                .collect()
        };
        assert_eq!(filtered(10, 90), filtered(20, 80));
        assert!(filtered(30, 70).len() > filtered(20, 80).len());
        assert!(filtered(40, 60).len() > filtered(30, 70).len());
    }

    proptest! {
        /// Against sorting; inside and outside are disjoint and together complete.
        #[test]
        fn selection_equals_sorting(frequencies in proptest::collection::vec(0..5u32, 0..60), from in 0..=100u32, more in 0..=100u32) {
            let terms: Vec<u64> = (0..frequencies.len() as u64).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15)).collect();
            let to = (from + more).min(100);
            let pack = || -> Vec<u64> { frequencies.iter().enumerate().map(|(i, &f)| candidate(f, i)).collect() };
            let mut sorted: Vec<usize> = (0..terms.len()).collect();
            sorted.sort_by_key(|&i| (std::cmp::Reverse(frequencies[i]), terms[i]));
            let n = terms.len();
            let (a, b) = (Share::percent(from).ceil_of(n), Share::percent(to).floor_of(n));
            let places = |ranks: Ranks| {
                let mut candidates = pack();
                let mut places: Vec<usize> = ranks.select(&terms, &mut candidates).concat().iter().map(|&c| place(c)).collect();
                places.sort_unstable();
                places
            };
            let mut inside: Vec<usize> = sorted[a..b.max(a)].to_vec();
            inside.sort_unstable();
            let (share_a, share_b) = (Share::percent(from), Share::percent(to));
            prop_assert_eq!(&places(Ranks::Inside(share_a, share_b)), &inside);
            let mut both = places(Ranks::Outside(share_a, share_b));
            both.extend(inside);
            both.sort_unstable();
            prop_assert_eq!(both, (0..n).collect::<Vec<_>>());
        }
    }
}
