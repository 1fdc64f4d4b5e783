//! The postings of one bucket, and the candidate pairs in them.

use super::posting::{Role, ShuffledPosting};
use crate::Criterion;

/// All postings of the keys of a bucket.
///
/// ```
/// use lookalike_core::Measure;
/// use lookalike_join::Criterion;
/// use lookalike_join::shuffle::{Bucket, NO_WITNESS, Role, ShuffledPosting};
///
/// let criterion = Criterion { measure: Measure::Resemblance, threshold: "0.8".parse()? };
/// let posting = |key, rank, size| ShuffledPosting { key, rank, size, position: 0, role: Role::default(), witness: NO_WITNESS, value: 0 };
/// let mut bucket = Bucket::new(criterion, vec![posting(7, 1, 10), posting(7, 0, 11), posting(9, 2, 10), posting(7, 3, 90)]);
/// let mut pairs = Vec::new();
/// let statistics = bucket.pairs(u64::MAX, |a, b| true, |later, earlier| pairs.push((later, earlier)));
/// // Set 3 is too large for both others.
/// assert_eq!(pairs, [(1, 0)]);
/// assert_eq!((statistics.postings, statistics.largest_list, statistics.looks), (4, 3, 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Bucket {
    criterion: Criterion,
    /// By key, then rank.
    postings: Vec<ShuffledPosting>,
}

/// What was in a bucket, and what its pairs cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BucketStatistics {
    /// Postings.
    pub postings: u64,
    /// Postings of the longest posting list.
    pub largest_list: u64,
    /// Posting lists that are longer than the limit, whose pairs were not formed.
    pub lists_left_out: u64,
    /// Pairs of postings that were looked at.
    pub looks: u64,
}

/// A posting with the sizes that its set can match, as bounds for both sides of a pair.
#[derive(Debug, Clone, Copy)]
struct Bounded {
    posting: ShuffledPosting,
    largest_earlier: u32,
    largest_later: u32,
    /// Whether the key is in the prefix of the set, so that it is looked up under it.
    probes: bool,
}

impl Bounded {
    fn new(criterion: Criterion, posting: ShuffledPosting) -> Self {
        let own = (posting.size, posting.position);
        let symmetric = criterion.measure.is_symmetric();
        let probes = symmetric || posting.position < criterion.prefix_length(posting.size);
        let largest_earlier = if probes { criterion.largest_earlier(own) } else { 0 };
        Self { posting, largest_earlier, largest_later: criterion.largest_later(own), probes }
    }

    /// Whether the sets of two postings can match, this one being the later.
    #[inline]
    fn could_match(&self, earlier: &Self) -> bool {
        self.probes
            && self.posting.may_match(&earlier.posting)
            && earlier.posting.size <= self.largest_earlier
            && self.posting.size <= earlier.largest_later
    }
}

impl Bucket {
    /// A bucket with these postings, in any order. O(n log n).
    #[must_use]
    pub fn new(criterion: Criterion, mut postings: Vec<ShuffledPosting>) -> Self {
        postings.sort_unstable();
        Self { criterion, postings }
    }

    /// The posting lists of keys that several sets have.
    fn lists(&self) -> impl Iterator<Item = &[ShuffledPosting]> {
        self.postings.chunk_by(|a, b| a.key == b.key).filter(|list| list.len() > 1)
    }

    /// Emits (later, earlier) for the pairs that can match and that `allowed` lets pass, given their
    /// roles; a pair may be emitted for several keys. Lists with more than `limit` postings are left
    /// out, and counted. O(pairs of each list), bounds are computed once for each posting.
    pub fn pairs(
        &mut self,
        limit: u64,
        allowed: impl Fn(Role, Role) -> bool,
        mut emit: impl FnMut(u64, u64),
    ) -> BucketStatistics {
        let mut statistics = BucketStatistics {
            postings: self.postings.len() as u64,
            ..BucketStatistics::default()
        };
        let mut list = Vec::new();
        for postings in self.lists() {
            let length = postings.len() as u64;
            statistics.largest_list = statistics.largest_list.max(length);
            if length > limit {
                statistics.lists_left_out += 1;
                continue;
            }
            statistics.looks += length * (length - 1) / 2;
            list.clear();
            list.extend(postings.iter().map(|&posting| Bounded::new(self.criterion, posting)));
            for (at, later) in list.iter().enumerate() {
                for earlier in &list[..at] {
                    if later.could_match(earlier)
                        && later.posting.rank != earlier.posting.rank
                        && allowed(later.posting.role, earlier.posting.role)
                    {
                        emit(later.posting.rank, earlier.posting.rank);
                    }
                }
            }
        }
        statistics
    }

    /// Emits (rank, lists, late) for each set that shares a list: in how many lists with other sets
    /// it is, and in how many of them behind the first `head`. Ascending by rank.
    pub fn late(&self, head: u64, mut emit: impl FnMut(u64, u64, u64)) {
        let mut found: Vec<(u64, bool)> = Vec::new();
        for list in self.lists() {
            found.extend((0..).zip(list).map(|(at, posting)| (posting.rank, at >= head)));
        }
        found.sort_unstable();
        for own in found.chunk_by(|a, b| a.0 == b.0) {
            let late = own.iter().filter(|(_, late)| *late).count();
            emit(own[0].0, own.len() as u64, late as u64);
        }
    }

    /// Emits (probe, kept) for the pairs of a probe and a kept set before it that can match and can
    /// change what is known of the probe: a [new](Role::NEW) kept set before its witness so far, or,
    /// of a [pending](Role::PENDING) probe, any kept set. Returns the number of pairs looked at.
    pub fn probe(&self, mut emit: impl FnMut(u64, u64)) -> u64 {
        let (mut looks, mut kept, mut probes) = (0, Vec::new(), Vec::new());
        for list in self.lists() {
            let bounded = |posting: &ShuffledPosting| Bounded::new(self.criterion, *posting);
            let has = |role| list.iter().filter(move |posting| posting.role.is(role));
            kept.clear();
            kept.extend(has(Role::NEW.and(Role::KEPT)).map(bounded));
            if kept.is_empty() {
                continue;
            }
            probes.clear();
            probes.extend(has(Role::PROBE).map(bounded));
            for probe in &probes {
                let ShuffledPosting { rank, witness, role, .. } = probe.posting;
                let pending = role.is(Role::PENDING);
                let before = if pending { rank } else { rank.min(witness) };
                let earlier = kept.partition_point(|kept| kept.posting.rank < before);
                for kept in &kept[..earlier] {
                    if !pending && !kept.posting.role.is(Role::NEW) {
                        continue;
                    }
                    looks += 1;
                    if probe.could_match(kept) {
                        emit(rank, kept.posting.rank);
                    }
                }
            }
        }
        looks
    }
}

#[cfg(test)]
mod tests {
    use super::super::posting::NO_WITNESS;
    use super::*;
    use lookalike_core::{Measure, Overlap};
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    fn postings() -> impl Strategy<Value = Vec<ShuffledPosting>> {
        let one = (0u64..6, 0u64..25, 1u32..40, 0u32..40, 0u8..16, 0u64..25, 0u64..3);
        prop::collection::vec(one, 0..60).prop_map(|all| {
            // One posting of a set under a key.
            let all: BTreeMap<(u64, u64), _> = all
                .into_iter()
                .map(|(key, rank, size, position, role, witness, value)| {
                    ((key, rank), (size, position, role, witness, value))
                })
                .collect();
            all.into_iter()
                .map(|((key, rank), (size, position, role, witness, value))| ShuffledPosting {
                    key,
                    rank,
                    size,
                    position: position % size,
                    role: Role(role),
                    witness: if witness < rank { witness } else { NO_WITNESS },
                    value,
                })
                .collect()
        })
    }

    fn criterion(measure: Measure, thousandths: u32) -> Criterion {
        let threshold = format!("{}.{:03}", thousandths / 1000, thousandths % 1000);
        Criterion { measure, threshold: threshold.parse().unwrap() }
    }

    /// By the definition of each filter.
    fn can_match(criterion: Criterion, later: &ShuffledPosting, earlier: &ShuffledPosting) -> bool {
        let shared = (later.size - later.position).min(earlier.size - earlier.position);
        let probes = criterion.measure != Measure::Containment
            || later.position < criterion.prefix_length(later.size);
        let differs = later.value != earlier.value || later.value == 0;
        differs && probes && criterion.reaches(Overlap { shared, a: later.size, b: earlier.size })
    }

    proptest! {
        #[test]
        fn pairs_counts_and_probes_are_those_of_the_definitions(
            postings in postings(),
            thousandths in 300u32..=1000,
            measure in prop::sample::select(vec![Measure::Resemblance, Measure::Containment, Measure::Cosine]),
            limit in 1u64..20,
            head in 0u64..4,
        ) {
            let criterion = criterion(measure, thousandths);
            let mut lists: BTreeMap<u64, Vec<ShuffledPosting>> = BTreeMap::new();
            postings.iter().for_each(|posting| lists.entry(posting.key).or_default().push(*posting));
            let mut shuffled = postings.clone();
            shuffled.reverse();
            let mut bucket = Bucket::new(criterion, shuffled);

            let mut truth = BTreeSet::new();
            let (mut late, mut probed) = (BTreeMap::<u64, (u64, u64)>::new(), BTreeSet::new());
            let mut left_out = 0;
            for list in lists.values_mut() {
                list.sort_by_key(|posting| posting.rank);
                if list.len() > 1 {
                    for (at, posting) in list.iter().enumerate() {
                        let counts = late.entry(posting.rank).or_default();
                        counts.0 += 1;
                        counts.1 += u64::from(at as u64 >= head);
                    }
                }
                left_out += u64::from(list.len() as u64 > limit && list.len() > 1);
                for later in list.iter() {
                    for earlier in list.iter().filter(|earlier| earlier.rank < later.rank) {
                        if !can_match(criterion, later, earlier) {
                            continue;
                        }
                        if list.len() as u64 <= limit && later.role.0 != earlier.role.0 {
                            truth.insert((later.rank, earlier.rank));
                        }
                        let new = earlier.role.is(Role::NEW);
                        let kept = earlier.role.is(Role::KEPT);
                        let meets = match later.role.is(Role::PENDING) {
                            true => new || kept,
                            false => new && earlier.rank < later.witness,
                        };
                        if later.role.is(Role::PROBE) && meets {
                            probed.insert((later.rank, earlier.rank));
                        }
                    }
                }
            }
            let mut found = BTreeSet::new();
            let statistics = bucket.pairs(limit, |a, b| a.0 != b.0, |later, earlier| {
                found.insert((later, earlier));
            });
            prop_assert_eq!(found, truth);
            prop_assert_eq!((statistics.postings, statistics.lists_left_out), (postings.len() as u64, left_out));
            let mut counted = Vec::new();
            bucket.late(head, |rank, lists, late| counted.push((rank, (lists, late))));
            prop_assert_eq!(counted, Vec::from_iter(late));
            let mut found = BTreeSet::new();
            bucket.probe(|probe, kept| { found.insert((probe, kept)); });
            prop_assert_eq!(found, probed);
        }
    }
}
