//! Candidate pairs of one posting list: those that the length, positional and bitmap filters let
//! pass.

use crate::criterion::most_shared;
use crate::{Criterion, SetId};
use lookalike_core::{BitmapSignature, Overlap};

/// A set in the posting list of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Posting<Id = SetId, B = ()> {
    /// The set.
    pub set: Id,
    /// Number of elements of the set.
    pub size: u32,
    /// The element's position in the order of the set ([`crate::PrefixKey`]), or any lower number
    /// where it is not known: the filters are weaker then, and remain valid.
    pub position: u32,
    /// Summary of the set for the bitmap filter; `()` for none.
    pub bitmap: B,
}

/// Summary of a set, of a fixed size, for the bitmap filter.
pub trait Bitmap: Copy {
    /// An upper bound of the number of elements that two sets of `a` and `b` elements share.
    fn most_shared(self, other: Self, a: u32, b: u32) -> u32;
}

/// No bitmap filter.
impl Bitmap for () {
    #[inline]
    fn most_shared(self, (): Self, a: u32, b: u32) -> u32 {
        a.min(b)
    }
}

/// The bitmap filter of Sandes, Teodoro & Melo (2020), 256 bits.
impl Bitmap for BitmapSignature {
    #[inline]
    fn most_shared(self, other: Self, a: u32, b: u32) -> u32 {
        Self::most_shared(self, other, a, b)
    }
}

/// Emits (later, earlier) for the pairs of a posting list that can match.
///
/// `list` are the postings of one element by [`index_keys`](crate::index_keys) of all sets, in any
/// order; sorted by size, the length filter ends each search early. A pair that matches is emitted
/// for its first common element, where the positional filter holds, and perhaps for others: the
/// caller removes repeats. For containment, the later set is the one contained. O(pairs of the
/// list), no allocation.
///
/// ```
/// use lookalike_core::Measure;
/// use lookalike_join::{Criterion, Posting, SetId, candidates};
///
/// let criterion = Criterion { measure: Measure::Resemblance, threshold: "0.8".parse()? };
/// let posting = |set, size, position| Posting { set: SetId(set), size, position, bitmap: () };
/// // Set 2 is too small for both others; of set 3, too many elements come before the common one.
/// let list = [posting(2, 7, 0), posting(0, 10, 0), posting(1, 11, 1), posting(3, 11, 2)];
/// let mut pairs = Vec::new();
/// candidates(criterion, &list, |later, earlier| pairs.push((later, earlier)));
/// assert_eq!(pairs, [(SetId(1), SetId(0))]);
/// # Ok::<(), lookalike_core::ThresholdError>(())
/// ```
pub fn candidates<Id: Copy + Ord, B: Bitmap>(
    criterion: Criterion,
    list: &[Posting<Id, B>],
    mut emit: impl FnMut(Id, Id),
) {
    let by_size = list.is_sorted_by_key(|posting| posting.size);
    for (at, a) in list.iter().enumerate() {
        let mut others = &list[at + 1..];
        if by_size {
            let (_, largest) = criterion.size_bounds(a.size);
            others = &others[..others.partition_point(|b| b.size <= largest)];
        }
        for b in others.iter().filter(|b| b.set != a.set) {
            let (later, earlier) = if a.set < b.set { (b, a) } else { (a, b) };
            if can_match(criterion, later, earlier) && is_probe(criterion, later) {
                emit(later.set, earlier.set);
            }
        }
    }
}

/// Emits the sets of a posting list that one set, which has the element among its
/// [`prefix`](crate::prefix()) keys, can match.
///
/// For joins of two sides, such as a collection against another one or new sets against an index,
/// and for containment, where `index` are all sets that hold the element and the probing set is the
/// one contained. The set itself is left out. O(|index|), no allocation.
pub fn candidates_of<Id: Copy + Ord, B: Bitmap>(
    criterion: Criterion,
    probe: &Posting<Id, B>,
    index: &[Posting<Id, B>],
    mut emit: impl FnMut(Id),
) {
    for posting in index.iter().filter(|posting| posting.set != probe.set) {
        if can_match(criterion, probe, posting) {
            emit(posting.set);
        }
    }
}

/// Length, positional and bitmap filter.
#[inline]
fn can_match<Id, B: Bitmap>(criterion: Criterion, a: &Posting<Id, B>, b: &Posting<Id, B>) -> bool {
    let counts = |shared| Overlap { shared, a: a.size, b: b.size };
    let by_position = most_shared((a.size, a.position), (b.size, b.position));
    criterion.reaches(counts(by_position)) && {
        // Only now: where positions do not suffice, the bitmap is not even loaded.
        let by_bitmap = a.bitmap.most_shared(b.bitmap, a.size, b.size);
        criterion.reaches(counts(by_position.min(by_bitmap)))
    }
}

/// Whether the element is in the prefix of the set, and not only indexed.
#[inline]
fn is_probe<Id, B>(criterion: Criterion, posting: &Posting<Id, B>) -> bool {
    criterion.measure.is_symmetric() || posting.position < criterion.prefix_length(posting.size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike_core::Measure;
    use lookalike_core::fingerprint::finalise;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn list() -> impl Strategy<Value = Vec<Posting<u64, BitmapSignature>>> {
        let posting = (1u32..60, 0u32..60, 0u64..50).prop_map(|(size, position, first)| {
            let set: Vec<u64> = (first..first + u64::from(size)).map(finalise).collect();
            Posting { set: 0, size, position: position % size, bitmap: BitmapSignature::of(&set) }
        });
        prop::collection::vec(posting, 0..40).prop_map(|list| {
            // Identifiers as large as ranks on a cluster, in an order of their own.
            let id = |at| finalise(at) << 20;
            (0u64..).zip(list).map(|(at, posting)| Posting { set: id(at), ..posting }).collect()
        })
    }

    proptest! {
        /// Against each filter by itself, for every pair; whatever the order of the list.
        #[test]
        fn candidates_are_the_pairs_that_every_filter_lets_pass(
            list in list(),
            thousandths in 300u32..=1000,
            measure in prop::sample::select(vec![Measure::Resemblance, Measure::Containment, Measure::Cosine]),
        ) {
            let threshold = format!("{}.{:03}", thousandths / 1000, thousandths % 1000).parse().unwrap();
            let criterion = Criterion { measure, threshold };
            let mut truth = BTreeSet::new();
            for later in &list {
                for earlier in list.iter().filter(|earlier| earlier.set < later.set) {
                    let (low, high) = criterion.size_bounds(later.size);
                    let (a, b) = (later.size, earlier.size);
                    let reaches = |shared| criterion.reaches(Overlap { shared, a, b });
                    let probes = measure != Measure::Containment
                        || later.position < criterion.prefix_length(a);
                    if (low..=high).contains(&b)
                        && reaches((a - later.position).min(b - earlier.position))
                        && reaches(later.bitmap.most_shared(earlier.bitmap, a, b))
                        && probes
                    {
                        truth.insert((later.set, earlier.set));
                    }
                }
            }
            let mut by_size = list.clone();
            by_size.sort_by_key(|posting| posting.size);
            for list in [&list, &by_size] {
                let mut found = Vec::new();
                candidates(criterion, list, |later, earlier| found.push((later, earlier)));
                prop_assert_eq!(found.len(), truth.len());
                prop_assert_eq!(BTreeSet::from_iter(found), truth.clone());
                let mut found = BTreeSet::new();
                for probe in list.iter().filter(|probe| is_probe(criterion, probe)) {
                    candidates_of(criterion, probe, list, |set| {
                        if set < probe.set {
                            found.insert((probe.set, set));
                        }
                    });
                }
                prop_assert_eq!(&found, &truth);
            }
        }
    }

    #[test]
    fn repeats_of_a_set_are_no_pairs() {
        let criterion = Criterion { measure: Measure::Cosine, threshold: "0.3".parse().unwrap() };
        let posting = Posting { set: SetId(1), size: 3, position: 0, bitmap: () };
        candidates(criterion, &[posting, posting], |_, _| panic!("a set with itself"));
        candidates_of(criterion, &posting, &[posting], |_| panic!("a set with itself"));
    }
}
