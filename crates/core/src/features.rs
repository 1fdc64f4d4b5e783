//! Token hashes in, the set of features of a document out.
//!
//! `S(D, w)`, the *set* of distinct contiguous runs of w tokens, is Broder 1997, section 2; distinct
//! terms are what Kołcz & Chowdhury 2008, section 6.4, compare. The set comes out in order of first
//! occurrence: most documents turn out to have no near-duplicate and need never be sorted.

use crate::fingerprint::{self, TokenDigest, finalise};
use crate::{batch, vectors};
use serde::{Deserialize, Serialize};

/// What becomes of a document with fewer tokens than one shingle has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ShortDocuments {
    /// The whole text is its one shingle.
    #[default]
    Whole,
    /// It has no shingles and resembles nothing, as in the papers.
    Ignore,
}

/// What the elements of a document's set are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FeatureKind {
    /// Contiguous runs of `size` tokens.
    Shingles {
        /// Tokens in a shingle.
        size: usize,
        /// What to do with documents under one shingle.
        short: ShortDocuments,
    },
    /// The distinct tokens themselves.
    Terms,
}

/// Digest of a set of features: equal for *shingle-equivalent* documents (Broder 1997, section 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SetDigest(pub u128);

/// Buffers for one document at a time, reused: once warm, nothing is allocated.
#[derive(Debug, Default)]
pub struct FeatureScratch {
    tokens: Vec<u64>,
    seen: Seen,
}

/// Buffers to find out in which elements were there before; of any content between two documents.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// All elements, repeats included.
    all: Vec<u64>,
    /// Each of them once.
    list: Vec<u64>,
    /// Of short documents: where among all elements the one is that has the slot.
    places: Vec<u16>,
    /// Of long ones: the element that has the slot.
    values: Vec<u64>,
}

impl FeatureScratch {
    /// Starts the next document.
    pub fn clear(&mut self) {
        self.tokens.clear();
    }

    /// Adds the next token of the document; it is hashed here and never again.
    #[inline]
    pub fn push(&mut self, token: &[u8]) {
        self.tokens.push(fingerprint::token(token));
    }

    /// Adds the next tokens: those that stand in `bytes` at these places.
    #[inline]
    pub fn push_all(&mut self, bytes: &[u8], places: &[[usize; 2]]) {
        batch::tokens(bytes, places, &mut self.tokens);
    }

    /// Number of tokens so far.
    #[must_use]
    pub fn token_count(&self) -> usize {
        self.tokens.len()
    }

    /// Digest of the token sequence.
    #[must_use]
    pub fn token_digest(&self) -> TokenDigest {
        TokenDigest::of(&self.tokens)
    }

    /// Appends the document's distinct features to `out`, in order of first occurrence, and returns
    /// their digest, or `None` if there are none. O(tokens).
    pub fn features(&mut self, kind: FeatureKind, out: &mut Vec<u64>) -> Option<SetDigest> {
        let start = out.len();
        distinct(&self.tokens, kind, &mut self.seen, out);
        digest(&out[start..])
    }

    /// Hashes of the document's tokens, in text order.
    #[must_use]
    pub fn tokens(&self) -> &[u64] {
        &self.tokens
    }
}

/// Appends the distinct features of a document to `out`, in order of first occurrence. O(tokens);
/// `seen` is a buffer, of any content.
///
/// ```
/// use lookalike_core::features::{Seen, distinct};
/// use lookalike_core::{FeatureKind, fingerprint};
///
/// let tokens: Vec<u64> = "to be or not to be".split(' ').map(|w| fingerprint::token(w.as_bytes())).collect();
/// let mut terms = Vec::new();
/// distinct(&tokens, FeatureKind::Terms, &mut Seen::default(), &mut terms);
/// assert_eq!(terms.len(), 4);
/// ```
pub fn distinct(tokens: &[u64], kind: FeatureKind, seen: &mut Seen, out: &mut Vec<u64>) {
    let Seen { all, list, places, values } = seen;
    all.clear();
    match kind {
        FeatureKind::Terms => all.extend(tokens.iter().map(|&token| finalise(token))),
        FeatureKind::Shingles { size, short } => {
            let size = match short {
                ShortDocuments::Whole => size.min(tokens.len()),
                ShortDocuments::Ignore => size,
            };
            batch::shingles(tokens, size, all);
        }
    }
    // 0 is taken as 1, as likely as any collision: it stands for an empty slot.
    all.iter_mut().for_each(|value| *value |= u64::from(*value == 0));
    if list.len() < all.len() {
        list.resize(all.len(), 0);
    }
    let found = match all.len() <= ROOMY {
        true => short(all, places, list),
        false => long(all, values, list),
    };
    out.extend_from_slice(&list[..found]);
}

/// Digest of a set, whatever the order of its elements; `None` for the empty set.
#[must_use]
pub fn digest(set: &[u64]) -> Option<SetDigest> {
    if set.is_empty() {
        return None;
    }
    // Two sums over differently mixed elements: order does not matter, every element does.
    let (high, low) = vectors::sums(set);
    let low = low.wrapping_add(set.len() as u64);
    Some(SetDigest(u128::from(high) << 64 | u128::from(low)))
}

/// Elements up to which a document is short.
const ROOMY: usize = 1 << 12;

// Whether a value is new is anyone's guess, and a wrong guess costs more than all the rest: so only whether
// its slot is another's, which is rare, is a branch.

/// Lists each of some values once, in order of first occurrence; how many there are. For a short document: the
/// table holds places among the values, eight slots of two bytes for each: mostly empty, soon emptied again,
/// and small enough for a core's first cache.
fn short(all: &[u64], slots: &mut Vec<u16>, list: &mut [u64]) -> usize {
    let capacity = (all.len() * 8).next_power_of_two().max(16);
    if slots.len() < capacity {
        slots.resize(capacity, 0);
    }
    let slots = &mut slots[..capacity];
    slots.fill(u16::MAX);
    let (mask, mut found) = (capacity - 1, 0);
    for (own, &value) in all.iter().enumerate() {
        // Whoever comes to an empty slot finds itself there. Nothing that is compared depends on how many
        // values were new before: the processor works on several at once.
        let mut at = value as usize & mask;
        let mut place = usize::from(slots[at]).min(own);
        while all[place] != value {
            at = (at + 1) & mask;
            place = usize::from(slots[at]).min(own);
        }
        slots[at] = place as u16;
        list[found] = value;
        found += usize::from(place == own);
    }
    found
}

/// As [`short`], for a long document: the table holds the values themselves, which are too far away to be
/// looked at. Two slots for each.
fn long(all: &[u64], slots: &mut Vec<u64>, list: &mut [u64]) -> usize {
    let capacity = (all.len() * 2).next_power_of_two().max(16);
    if slots.len() < capacity {
        slots.resize(capacity, 0);
    }
    let slots = &mut slots[..capacity];
    slots.fill(0);
    let (mask, mut found) = (capacity - 1, 0);
    for &value in all {
        let mut at = value as usize & mask;
        let mut held = slots[at];
        while (held != 0) & (held != value) {
            at = (at + 1) & mask;
            held = slots[at];
        }
        slots[at] = value;
        list[found] = value;
        found += usize::from(held == 0);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn set_of(
        scratch: &mut FeatureScratch,
        text: &str,
        kind: FeatureKind,
    ) -> (Vec<u64>, Option<SetDigest>) {
        scratch.clear();
        text.split_whitespace().for_each(|word| scratch.push(word.as_bytes()));
        let mut out = vec![42];
        let digest = scratch.features(kind, &mut out);
        assert_eq!(out.remove(0), 42);
        (out, digest)
    }

    #[test]
    fn broders_rose() {
        let mut scratch = FeatureScratch::default();
        let kind = FeatureKind::Shingles { size: 4, short: ShortDocuments::Ignore };
        let (set, _) = set_of(&mut scratch, "a rose is a rose is a rose", kind);
        assert_eq!(set.len(), 3);
    }

    #[test]
    fn short_documents_are_whole_or_nothing() {
        let mut scratch = FeatureScratch::default();
        let whole = FeatureKind::Shingles { size: 5, short: ShortDocuments::Whole };
        let ignore = FeatureKind::Shingles { size: 5, short: ShortDocuments::Ignore };
        let (a, _) = set_of(&mut scratch, "only three words", whole);
        let (b, _) = set_of(&mut scratch, "only three words more", whole);
        assert_eq!((a.len(), b.len()), (1, 1));
        assert_ne!(a, b);
        assert_eq!(set_of(&mut scratch, "only three words", ignore), (vec![], None));
        assert_eq!(set_of(&mut scratch, "", whole), (vec![], None));
    }

    proptest! {
        #[test]
        fn as_many_as_there_are_distinct_runs(words in prop::collection::vec("[ab]{1,2}", 0..60), size in 1usize..6) {
            let mut scratch = FeatureScratch::default();
            let kind = FeatureKind::Shingles { size, short: ShortDocuments::Ignore };
            let (set, digest) = set_of(&mut scratch, &words.join(" "), kind);
            let truth: BTreeSet<&[String]> = words.windows(size).collect();
            prop_assert_eq!(set.len(), truth.len());
            prop_assert_eq!(digest.is_some(), !truth.is_empty());
            let (terms, _) = set_of(&mut scratch, &words.join(" "), FeatureKind::Terms);
            prop_assert_eq!(terms.len(), words.iter().collect::<BTreeSet<_>>().len());
        }

        #[test]
        fn digest_sees_the_set_and_not_the_order(mut values in prop::collection::btree_set(1u64.., 1..40)
            .prop_map(|s| s.into_iter().collect::<Vec<_>>()), extra in 1u64..) {
            let before = digest(&values);
            values.reverse();
            prop_assert_eq!(digest(&values), before);
            if !values.contains(&extra) {
                values.push(extra);
                prop_assert_ne!(digest(&values), before);
            }
        }
    }

    proptest! {
        #[test]
        fn short_and_long_tables_list_what_a_plain_search_lists(
            values in prop::collection::vec(
                // Many that want the same slot, and many that are equal.
                prop_oneof![1u64..4, (1u64..6).prop_map(|n| n << 40), 1u64.., 250u64..260],
                0..120,
            ),
        ) {
            let mut expected = Vec::new();
            for &value in &values {
                if !expected.contains(&value) {
                    expected.push(value);
                }
            }
            let mut list = vec![9; values.len()];
            let found = short(&values, &mut vec![3; 9], &mut list);
            prop_assert_eq!(&list[..found], &expected);
            let found = long(&values, &mut vec![5; 9], &mut list);
            prop_assert_eq!(&list[..found], &expected);
        }
    }

    #[test]
    fn documents_on_either_side_of_the_limit_are_alike() {
        let tokens: Vec<u64> = (0..ROOMY as u64 + 1).map(|n| n % 3001).collect();
        for tokens in [&tokens[1..], &tokens] {
            let mut terms = Vec::new();
            distinct(tokens, FeatureKind::Terms, &mut Seen::default(), &mut terms);
            let all: BTreeSet<u64> = tokens.iter().map(|&token| finalise(token).max(1)).collect();
            assert_eq!(terms.len(), 3001);
            assert_eq!(terms.into_iter().collect::<BTreeSet<_>>(), all);
        }
    }
}
