//! Token hashes in, the set of features of a document out.
//!
//! `S(D, w)`, the *set* of distinct contiguous runs of w tokens, is Broder 1997, section 2; distinct
//! terms are what Kołcz & Chowdhury 2008, section 6.4, compare. The set comes out in order of first
//! occurrence: most documents turn out to have no near-duplicate and need never be sorted.

use crate::fingerprint::{self, TokenDigest, finalise};
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
    seen: Vec<u64>,
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
/// use lookalike_core::{FeatureKind, features::distinct, fingerprint};
///
/// let tokens: Vec<u64> = "to be or not to be".split(' ').map(|w| fingerprint::token(w.as_bytes())).collect();
/// let mut terms = Vec::new();
/// distinct(&tokens, FeatureKind::Terms, &mut Vec::new(), &mut terms);
/// assert_eq!(terms.len(), 4);
/// ```
pub fn distinct(tokens: &[u64], kind: FeatureKind, seen: &mut Vec<u64>, out: &mut Vec<u64>) {
    let mut distinct = Distinct::new(seen, out, tokens.len());
    match kind {
        FeatureKind::Terms => {
            for &token in tokens {
                distinct.add(finalise(token));
            }
        }
        FeatureKind::Shingles { size, short } => {
            let size = match short {
                ShortDocuments::Whole => size.min(tokens.len()),
                ShortDocuments::Ignore => size,
            };
            fingerprint::shingles(tokens, size, |value| distinct.add(value));
        }
    }
    let end = distinct.end;
    out.truncate(end);
}

/// Digest of a set, whatever the order of its elements; `None` for the empty set.
#[must_use]
pub fn digest(set: &[u64]) -> Option<SetDigest> {
    if set.is_empty() {
        return None;
    }
    // Two sums over differently mixed elements: order does not matter, every element does.
    let mut high = 0u64;
    let mut low = set.len() as u64;
    for &value in set {
        high = high.wrapping_add(value);
        low = low.wrapping_add(finalise(value));
    }
    Some(SetDigest(u128::from(high) << 64 | u128::from(low)))
}

/// Elements up to which the table of a document has four slots for each, at most 256 KiB.
const ROOMY: usize = 1 << 12;

/// Open-addressing set of non-zero values in a borrowed buffer, and the list of them in another.
struct Distinct<'a> {
    slots: &'a mut [u64],
    mask: usize,
    out: &'a mut [u64],
    /// Where the next new value goes in `out`.
    end: usize,
}

impl<'a> Distinct<'a> {
    fn new(slots: &'a mut Vec<u64>, out: &'a mut Vec<u64>, elements: usize) -> Self {
        // Mostly empty as long as it stays in a core's cache: the fewer slots are another's.
        let room = if elements <= ROOMY { 4 } else { 2 };
        let capacity = (elements * room).next_power_of_two().max(16);
        if slots.len() < capacity {
            slots.resize(capacity, 0);
        }
        let slots = &mut slots[..capacity];
        slots.fill(0);
        let end = out.len();
        // One more than there can be: a value that is not new is written too, and then forgotten.
        out.resize(end + elements + 1, 0);
        Self { mask: capacity - 1, slots, out, end }
    }

    /// Whether a value is new is anyone's guess, and a wrong guess costs more than all the rest: so
    /// only whether its slot is another's, which is rare, is a branch.
    #[inline]
    fn add(&mut self, value: u64) {
        // 0 marks an empty slot; a fingerprint of 0 is taken as 1, as likely as any collision.
        let value = value | u64::from(value == 0);
        let mut at = value as usize & self.mask;
        let mut held = self.slots[at];
        while (held != 0) & (held != value) {
            at = (at + 1) & self.mask;
            held = self.slots[at];
        }
        self.slots[at] = value;
        self.out[self.end] = value;
        self.end += usize::from(held == 0);
    }
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
}
