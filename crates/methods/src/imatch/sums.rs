//! Incremental digests of all K + 1 views of a document: the lexicon and its random copies.
//!
//! Adding a term to each view separately costs as much as the rest of signing. So views are handled
//! in fours: a term is added once to one of sixteen buckets, that of the subset of the four views
//! that contain it, and at the end each view is the sum of its eight buckets. O(terms · K/4 + K).

use super::copies::Copies;
use super::sum::Sum;
use lookalike_core::fingerprint::finalise;

/// Maximum number of views: the lexicon itself and its copies.
const MOST: usize = Copies::MOST as usize + 1;

/// Count, sum of the terms, sum of the mixed terms; the fourth is padding to two vectors.
type Bucket = [u64; 4];

/// Buckets of a group of four copies.
const BUCKETS: usize = 16;

/// The digest of each view so far.
#[derive(Debug)]
pub(super) struct Sums {
    copies: Copies,
    views: [Sum; MOST],
}

impl Sums {
    /// Empty views.
    pub(super) fn new(copies: Copies) -> Self {
        Self { copies, views: [Sum::default(); MOST] }
    }

    /// Adds each term to the views that are set in `to` and contain it. The content of `buffer` is
    /// ignored.
    pub(super) fn add_all(
        &mut self,
        terms: impl Iterator<Item = u64>,
        to: u64,
        buffer: &mut Vec<u64>,
    ) {
        let groups = self.copies.groups();
        buffer.clear();
        buffer.resize(groups as usize * BUCKETS * size_of::<Bucket>() / 8, 0);
        let (buckets, _): (&mut [Bucket], _) = buffer.as_chunks_mut();
        let (buckets, _) = buckets.as_chunks_mut::<BUCKETS>();
        let mut all = Sum::default();
        for term in terms {
            let added = [1, term, finalise(term), 0];
            for (group, buckets) in (0..groups).zip(buckets.iter_mut()) {
                let bucket = &mut buckets[self.copies.four(group, term) % BUCKETS];
                bucket.iter_mut().zip(added).for_each(|(sum, part)| *sum = sum.wrapping_add(part));
            }
            all.add(term);
        }
        let [first, views @ ..] = &mut self.views;
        if to & 1 == 1 {
            first.add_sum(all);
        }
        for (group, (views, buckets)) in views.chunks_mut(4).zip(buckets.iter()).enumerate() {
            for (bit, view) in views.iter_mut().enumerate() {
                let of_view = (0..BUCKETS).filter(|bucket| bucket >> bit & 1 == 1);
                let bucket = of_view.fold([0u64; 4], |sum, bucket| {
                    std::array::from_fn(|part| sum[part].wrapping_add(buckets[bucket][part]))
                });
                if to >> (4 * group + bit + 1) & 1 == 1 {
                    view.add_sum(Sum::of(bucket[0] as u32, bucket[1], bucket[2]));
                }
            }
        }
    }

    /// Adds one term to the views that are set in `to` and contain it.
    pub(super) fn add(&mut self, term: u64, to: u64) {
        let holding = self.copies.holding(term) & to;
        for (view, sum) in self.views[..=self.copies.count() as usize].iter_mut().enumerate() {
            sum.add_if(holding >> view & 1 == 1, term);
        }
    }

    /// The views, the lexicon's own first.
    pub(super) fn views(&self) -> &[Sum] {
        &self.views[..=self.copies.count() as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn views_are_summed_one_by_one(
            terms in prop::collection::vec(any::<u64>(), 0..50),
            more in prop::collection::vec((any::<u64>(), any::<u64>()), 0..5),
            to in any::<u64>(),
            count in 0..=63u32,
        ) {
            let copies = Copies::new(count, 0.33, 5);
            let mut buffer = vec![7; 100];
            let mut sums = Sums::new(copies);
            sums.add_all(terms.iter().copied(), u64::MAX, &mut buffer);
            sums.add_all(terms.iter().map(|term| !term), to, &mut buffer);
            more.iter().for_each(|&(term, to)| sums.add(term, to));
            prop_assert_eq!(sums.views().len(), count as usize + 1);
            for (view, sum) in sums.views().iter().enumerate() {
                let added = terms.iter().map(|&term| (term, u64::MAX));
                let added = added.chain(terms.iter().map(|&term| (!term, to))).chain(more.clone());
                let held = added.filter(|&(term, to)| (copies.holding(term) & to) >> view & 1 == 1);
                let mut truth = Sum::default();
                held.for_each(|(term, _)| truth.add(term));
                prop_assert_eq!(*sum, truth);
            }
        }
    }
}
