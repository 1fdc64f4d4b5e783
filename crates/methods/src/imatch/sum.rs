//! Set digest of terms in any order, and the key and sketch made from it.
//!
//! The incremental form of [`lookalike_core::features::digest`]: two sums and a count.

use crate::{Agreement, Evidence, Signature, Sketch, Statistics};
use lookalike_core::SetDigest;
use lookalike_core::fingerprint::finalise;

/// The digest of a set so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Sum {
    /// Terms in it.
    pub(crate) count: u32,
    high: u64,
    low: u64,
}

impl Sum {
    /// The digest of `count` terms with these two sums.
    pub(crate) fn of(count: u32, high: u64, low: u64) -> Self {
        Self { count, high, low }
    }

    /// Adds a term that is not in the set.
    #[inline]
    pub(crate) fn add(&mut self, term: u64) {
        self.count += 1;
        self.high = self.high.wrapping_add(term);
        self.low = self.low.wrapping_add(finalise(term));
    }

    /// Adds a new term if `adds`; branchless, because `adds` is unpredictable.
    #[inline]
    pub(crate) fn add_if(&mut self, adds: bool, term: u64) {
        let mask = u64::from(adds).wrapping_neg();
        self.count += u32::from(adds);
        self.high = self.high.wrapping_add(term & mask);
        self.low = self.low.wrapping_add(finalise(term) & mask);
    }

    /// Adds all terms of a disjoint set.
    #[inline]
    pub(crate) fn add_sum(&mut self, other: Self) {
        self.count += other.count;
        self.high = self.high.wrapping_add(other.high);
        self.low = self.low.wrapping_add(other.low);
    }

    /// The set's digest.
    pub(crate) fn digest(self) -> SetDigest {
        let low = self.low.wrapping_add(u64::from(self.count));
        SetDigest(u128::from(self.high) << 64 | u128::from(low))
    }

    /// Writes the signature of view `view`: a key that differs from those of other views, and the
    /// digest.
    pub(crate) fn sign(self, view: u32, out: &mut Signature) {
        let SetDigest(digest) = self.digest();
        let (high, low) = ((digest >> 64) as u64, digest as u64);
        out.keys.push(finalise(high ^ finalise(low ^ finalise(u64::from(view)))));
        out.sketch.extend([high, low]);
    }
}

/// A view without a signature.
pub(crate) fn no_signature(out: &mut Signature) {
    out.sketch.extend([0, 0]);
}

/// [`Evidence::SameKey`] if two documents have the same digest in a view, and else that none of the
/// views agree. Keys have 64 bits and digests 128, so key collisions are rejected here.
pub(crate) fn compare(a: Sketch<'_>, b: Sketch<'_>) -> Evidence {
    match agreement(a, b) {
        Agreement { equal: 0, of } => Evidence::Agreement { equal: 0, of },
        _ => Evidence::SameKey,
    }
}

/// The views whose digests agree.
pub(crate) fn agreement(a: Sketch<'_>, b: Sketch<'_>) -> Agreement {
    let views = a.words.chunks_exact(2).zip(b.words.chunks_exact(2));
    views.fold(Agreement::default(), |Agreement { equal, of }, (a, b)| {
        let agrees = a == b && a != [0, 0];
        Agreement { equal: equal | u64::from(agrees) << of, of: of + 1 }
    })
}

/// Sorts terms by their document frequency, the rarest first; ties by fingerprint.
pub(super) fn rarest_first(statistics: &dyn Statistics, terms: &mut [u64]) {
    terms.sort_by_cached_key(|&term| (statistics.frequency(term), term));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_sum_is_the_set_digest(terms in proptest::collection::hash_set(any::<u64>(), 1..40)) {
            let terms: Vec<u64> = terms.into_iter().collect();
            let mut sum = Sum::default();
            terms.iter().for_each(|&term| sum.add(term));
            prop_assert_eq!(Some(sum.digest()), lookalike_core::features::digest(&terms));
        }
    }

    #[test]
    fn keys_of_views_differ_and_missing_views_never_agree() {
        let mut sum = Sum::default();
        sum.add(7);
        let mut out = Signature::default();
        sum.sign(0, &mut out);
        sum.sign(1, &mut out);
        assert_ne!(out.keys[0], out.keys[1]);
        assert_eq!(out.sketch[..2], out.sketch[2..]);
        let (mut one, mut other) = (Signature::default(), Signature::default());
        sum.sign(0, &mut one);
        no_signature(&mut one);
        no_signature(&mut other);
        no_signature(&mut other);
        let none = Evidence::Agreement { equal: 0, of: 2 };
        assert_eq!(compare(one.as_sketch(), other.as_sketch()), none);
        assert_eq!(compare(one.as_sketch(), out.as_sketch()), Evidence::SameKey);
    }
}
