//! Feature sets: the distinct shingles or terms of a document.
//!
//! `S(D, w)`, the *set* of distinct contiguous runs of w tokens, is defined in Broder 1997,
//! "Defining similarity of documents"; Kołcz & Chowdhury 2008, section 6.4, compare distinct terms.
//! Sets are in order of first occurrence: most documents have no near-duplicate, and their sets
//! need never be sorted.

use crate::fingerprint::{self, TokenDigest, finalise};
use crate::{batch, vectors};
use serde::{Deserialize, Serialize};

/// How a document with fewer tokens than one shingle is treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ShortDocuments {
    /// The whole text is its only shingle.
    #[default]
    Whole,
    /// It has no shingles and matches nothing, as in the papers.
    Ignore,
}

impl ShortDocuments {
    /// The size of the shingles of a document or section with this number of tokens.
    fn size(self, size: usize, tokens: usize) -> usize {
        match self {
            Self::Whole => size.min(tokens),
            Self::Ignore => size,
        }
    }
}

/// What the elements of a document's feature set are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FeatureKind {
    /// Contiguous runs of `size` tokens.
    Shingles {
        /// Tokens in a shingle.
        size: usize,
        /// How documents shorter than one shingle are treated.
        short: ShortDocuments,
    },
    /// The distinct tokens themselves.
    Terms,
}

/// Digest of a set of features: equal for *shingle-equivalent* documents (Broder 1997, "Identical
/// documents").
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SetDigest(pub u128);

/// Buffers for one document at a time, reused: no allocation once they have grown.
#[derive(Debug, Default)]
pub struct FeatureScratch {
    tokens: Vec<u64>,
    /// Where sections end, the last one left out.
    ends: Vec<usize>,
    /// The tokens that a term filter keeps; `None` without a filter.
    terms: Option<Vec<u64>>,
    /// The buffer of `terms` while there is no filter.
    spare: Vec<u64>,
    seen: DistinctScratch,
}

/// Buffers to remove repeated elements. Their content between two documents is arbitrary.
#[derive(Debug, Clone, Default)]
pub struct DistinctScratch {
    /// All elements with repeats; after removal, the distinct ones.
    all: Vec<u64>,
    /// For short documents: a bit array indexed by a hash of the element.
    bits: Vec<u64>,
    /// Indexes of the elements whose bit was set already: possible repeats.
    doubtful: Vec<u16>,
    /// For longer documents, and short ones with many possible repeats: open-addressing hash table
    /// of indexes into `all`.
    places: Vec<u16>,
    /// For the longest documents: open-addressing hash table of elements.
    values: Vec<u64>,
    /// Whether the last short document had many repeats, as documents of characters have: then the
    /// next one is not searched for possible ones first.
    many_repeats: bool,
}

impl FeatureScratch {
    /// Starts the next document, without a term filter.
    pub fn clear(&mut self) {
        self.tokens.clear();
        self.ends.clear();
        if let Some(terms) = self.terms.take() {
            self.spare = terms;
        }
    }

    /// Starts the next document, with the term filter of [`FeatureScratch::push_filtered`].
    pub fn clear_filtered(&mut self) {
        self.clear();
        let mut terms = std::mem::take(&mut self.spare);
        terms.clear();
        self.terms = Some(terms);
    }

    /// Adds the next token of the document and hashes it.
    #[inline]
    pub fn push(&mut self, token: &[u8]) {
        self.tokens.push(fingerprint::token(token));
    }

    /// Adds the tokens of `bytes` with these ranges.
    #[inline]
    pub fn push_all(&mut self, bytes: &[u8], places: &[[usize; 2]]) {
        batch::tokens(bytes, places, &mut self.tokens);
    }

    /// Adds a token for each byte.
    #[inline]
    pub fn push_bytes(&mut self, bytes: &[u8]) {
        batch::bytes(bytes, &mut self.tokens);
    }

    /// Adds tokens; those for which `keeps` holds are terms. All tokens are part of the sequence
    /// and of shingles.
    pub fn push_filtered(
        &mut self,
        bytes: &[u8],
        places: &[[usize; 2]],
        keeps: impl Fn(&[u8]) -> bool,
    ) {
        let first = self.tokens.len();
        self.push_all(bytes, places);
        let terms = self.terms.get_or_insert_default();
        for (&[start, end], &hash) in places.iter().zip(&self.tokens[first..]) {
            if keeps(&bytes[start..end]) {
                terms.push(hash);
            }
        }
    }

    /// Ends a section of the document: no shingle has tokens of two sections. One without tokens is none.
    pub fn end_section(&mut self) {
        let end = self.tokens.len();
        if end > self.ends.last().copied().unwrap_or(0) {
            self.ends.push(end);
        }
    }

    /// The tokens of each section; those of a document without sections are one.
    pub fn sections(&self) -> impl Iterator<Item = &[u64]> {
        sections(&self.tokens, &self.ends)
    }

    /// The ends of sections that others follow.
    fn inner_ends(&self) -> &[usize] {
        match self.ends.split_last() {
            Some((&last, others)) if last == self.tokens.len() => others,
            _ => &self.ends,
        }
    }

    /// Sorts the tokens, and replaces the second, third, … of equal ones by others, the same in every
    /// document: then distinct tokens are a multiset. O(tokens · log tokens).
    pub fn number_repeats(&mut self) {
        self.tokens.sort_unstable();
        for equal in self.tokens.chunk_by_mut(|a, b| a == b) {
            for (count, token) in (1..).zip(&mut equal[1..]) {
                *token = finalise(*token ^ finalise(count));
            }
        }
    }

    /// Number of tokens so far.
    #[must_use]
    pub fn token_count(&self) -> usize {
        self.tokens.len()
    }

    /// Digest of the sequence of all tokens, before the term filter: lexical equivalence compares
    /// all words (Broder et al. 1997, "Identical documents").
    #[must_use]
    ///
    /// It depends on the sections, as features do.
    pub fn token_digest(&self) -> TokenDigest {
        let TokenDigest(digest) = TokenDigest::of(&self.tokens);
        match self.inner_ends() {
            [] => TokenDigest(digest),
            ends => {
                let halves = [(digest >> 64) as u64, digest as u64];
                let ends = ends.iter().map(|&end| end as u64);
                TokenDigest::of(&halves.into_iter().chain(ends).collect::<Vec<u64>>())
            }
        }
    }

    /// The document's distinct features (see [`distinct`]) and their digest; `None` if there are
    /// none. O(tokens).
    pub fn features(&mut self, kind: FeatureKind) -> Option<(&[u64], SetDigest)> {
        let set = match kind {
            FeatureKind::Terms => {
                let terms = self.terms.as_deref().unwrap_or(&self.tokens);
                distinct(terms, kind, &mut self.seen)
            }
            FeatureKind::Shingles { .. } => {
                distinct_of(sections(&self.tokens, &self.ends), kind, &mut self.seen);
                &mut self.seen.all
            }
        };
        let set = &*set;
        digest(set).map(|digest| (set, digest))
    }

    /// The features of a large document in ascending order, and their digest; `None` if there are
    /// none. Consumes the tokens: features are made in place, without further memory. O(tokens ·
    /// log tokens).
    pub fn into_sorted(&mut self, kind: FeatureKind) -> Option<(Vec<u64>, SetDigest)> {
        let filtered = self.terms.as_mut().filter(|_| matches!(kind, FeatureKind::Terms));
        let mut set = std::mem::take(filtered.unwrap_or(&mut self.tokens));
        match kind {
            FeatureKind::Terms => set.iter_mut().for_each(|token| *token = finalise(*token)),
            FeatureKind::Shingles { size, short } if self.ends.is_empty() => {
                let size = short.size(size, set.len());
                shingles_in_place(&mut set, size);
            }
            FeatureKind::Shingles { size, short } => {
                let mut all = Vec::with_capacity(set.len());
                for section in sections(&set, &self.ends) {
                    batch::shingles(section, short.size(size, section.len()), &mut all);
                }
                set = all;
            }
        }
        set.iter_mut().for_each(|value| *value |= u64::from(*value == 0));
        set.sort_unstable();
        set.dedup();
        set.shrink_to_fit();
        digest(&set).map(|digest| (set, digest))
    }

    /// Frees buffers that a large document has grown.
    pub fn free_large(&mut self) {
        let DistinctScratch { all, bits, values, .. } = &mut self.seen;
        for buffer in [&mut self.tokens, all, bits, values] {
            if buffer.capacity() > MANY {
                *buffer = Vec::new();
            }
        }
    }

    /// Hashes of the document's tokens, in text order.
    #[must_use]
    pub fn tokens(&self) -> &[u64] {
        &self.tokens
    }

    /// Hashes of the document's terms, in text order: all tokens without a filter.
    #[must_use]
    pub fn terms(&self) -> &[u64] {
        self.terms.as_deref().unwrap_or(&self.tokens)
    }
}

/// Elements above which a document is large: hash tables of them would take much memory.
pub const MANY: usize = 1 << 20;

/// Replaces each token by the shingle that starts with it; the last `size − 1` tokens are dropped.
fn shingles_in_place(tokens: &mut Vec<u64>, size: usize) {
    const BLOCK: usize = 1 << 14;
    let count = match size {
        0 => 0,
        size => (tokens.len() + 1).saturating_sub(size),
    };
    let mut block = Vec::with_capacity(BLOCK);
    for start in (0..count).step_by(BLOCK) {
        let end = count.min(start + BLOCK);
        // A shingle covers tokens at and after its index, which are not overwritten yet.
        block.clear();
        batch::shingles(&tokens[start..end + size - 1], size, &mut block);
        tokens[start..end].copy_from_slice(&block);
    }
    tokens.truncate(count);
}

/// The distinct features of a document in order of first occurrence; in ascending order if there
/// are more than [`MANY`]. `seen` is a buffer that holds the result. O(tokens).
///
/// ```
/// use lookalike_core::features::{DistinctScratch, distinct};
/// use lookalike_core::{FeatureKind, fingerprint};
///
/// let tokens: Vec<u64> = "to be or not to be".split(' ').map(|w| fingerprint::token(w.as_bytes())).collect();
/// assert_eq!(distinct(&tokens, FeatureKind::Terms, &mut DistinctScratch::default()).len(), 4);
/// ```
pub fn distinct<'s>(
    tokens: &[u64],
    kind: FeatureKind,
    seen: &'s mut DistinctScratch,
) -> &'s mut [u64] {
    distinct_of(std::iter::once(tokens), kind, seen);
    &mut seen.all
}

/// As [`distinct`], of sections.
fn distinct_of<'t>(
    sections: impl Iterator<Item = &'t [u64]>,
    kind: FeatureKind,
    seen: &mut DistinctScratch,
) {
    seen.all.clear();
    for tokens in sections {
        match kind {
            FeatureKind::Terms => seen.all.extend(tokens.iter().map(|&token| finalise(token))),
            FeatureKind::Shingles { size, short } => {
                batch::shingles(tokens, short.size(size, tokens.len()), &mut seen.all);
            }
        }
    }
    // 0 marks an empty slot and is replaced by 1, which is as likely as any other collision.
    if vectors::contains(&seen.all, 0) {
        seen.all.iter_mut().for_each(|value| *value |= u64::from(*value == 0));
    }
    seen.leave_firsts();
}

/// The sections of a document.
fn sections<'t>(tokens: &'t [u64], ends: &'t [usize]) -> impl Iterator<Item = &'t [u64]> {
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let ends = ends.iter().copied().chain([tokens.len()]);
    starts.zip(ends).filter(|(start, end)| start < end).map(|(start, end)| &tokens[start..end])
}

/// Digest of a set, independent of the order of its elements; `None` for the empty set.
#[must_use]
pub fn digest(set: &[u64]) -> Option<SetDigest> {
    if set.is_empty() {
        return None;
    }
    // Two sums over differently mixed elements.
    let (high, low) = vectors::sums(set);
    let low = low.wrapping_add(set.len() as u64);
    Some(SetDigest(u128::from(high) << 64 | u128::from(low)))
}

/// Most elements of a document that is searched for possible repeats: their bits fit into the
/// first-level cache.
const ROOMY: usize = 1 << 12;

/// Most elements that 16-bit indexes can number, with one left for an empty slot.
const NUMBERED: usize = u16::MAX as usize;

/// Above one possible repeat per so many elements, the hash table is used.
const FEW_DOUBTFUL: usize = 16;

// Whether an element is new is unpredictable, and a misprediction costs more than the rest of the
// loop: only rare cases branch.

impl DistinctScratch {
    /// Keeps the first occurrence of each value.
    fn leave_firsts(&mut self) {
        let Self { all, bits, doubtful, places, values, many_repeats } = self;
        if all.len() > MANY {
            all.sort_unstable();
            all.dedup();
            return;
        }
        let left = if all.len() > NUMBERED {
            long(all, values)
        } else {
            let few = all.len() / FEW_DOUBTFUL + 1;
            let found = match *many_repeats || all.len() > ROOMY {
                true => usize::MAX,
                false => doubt(all, bits, doubtful),
            };
            match found <= few {
                true => without_repeats(all, &doubtful[..found]),
                false => {
                    let left = short(all, places);
                    *many_repeats = all.len() - left > few;
                    left
                }
            }
        };
        all.truncate(left);
    }
}

/// Lists the indexes of values that may be repeats, all repeats among them, and returns their
/// number. The bit array has 64 bits per value, so about one in 128 distinct values is listed as
/// well.
fn doubt(all: &[u64], bits: &mut Vec<u64>, doubtful: &mut Vec<u16>) -> usize {
    bits.clear();
    bits.resize(all.len().next_power_of_two(), 0);
    if doubtful.len() < all.len() {
        doubtful.resize(all.len(), 0);
    }
    // Slices, so that the addresses stay in registers.
    let (bits, doubtful) = (&mut bits[..], &mut doubtful[..all.len()]);
    let (mask, mut found) = (bits.len() - 1, 0);
    for (place, &value) in all.iter().enumerate() {
        let word = &mut bits[(value >> 6) as usize & mask];
        let bit = 1 << (value % 64);
        doubtful[found] = place as u16;
        found += usize::from(*word & bit != 0);
        *word |= bit;
    }
    found
}

/// Removes the listed values that repeat an earlier one; returns the number of values left.
fn without_repeats(all: &mut [u64], doubtful: &[u16]) -> usize {
    let (mut left, mut from) = (0, 0);
    for &place in doubtful {
        let place = usize::from(place);
        // Moved values are still at smaller indexes, so no earlier value is missed.
        if vectors::contains(&all[..place], all[place]) {
            if left < from {
                all.copy_within(from..place, left);
            }
            left += place - from;
            from = place + 1;
        }
    }
    if left < from {
        all.copy_within(from.., left);
    }
    left + all.len() - from
}

/// Moves the first occurrence of each value to the front, in order; returns their number. The hash
/// table holds 16-bit indexes, eight slots per value: mostly empty, cheap to clear, and of short
/// documents small enough for the first-level cache.
fn short(all: &mut [u64], slots: &mut Vec<u16>) -> usize {
    let capacity = (all.len() * 8).next_power_of_two().max(16);
    if slots.len() < capacity {
        slots.resize(capacity, 0);
    }
    let slots = &mut slots[..capacity];
    slots.fill(u16::MAX);
    let (mask, mut found) = (capacity - 1, 0);
    for own in 0..all.len() {
        let value = all[own];
        // The value is written to the next free index first, and an empty slot reads as that index:
        // the probe of a new value ends by comparing it with itself, without a branch of its own.
        all[found] = value;
        let mut at = value as usize & mask;
        let mut place = usize::from(slots[at]).min(found);
        while all[place] != value {
            at = (at + 1) & mask;
            place = usize::from(slots[at]).min(found);
        }
        slots[at] = place as u16;
        found += usize::from(place == found);
    }
    found
}

/// As [`short`], for more values than 16-bit indexes can number: the table holds the values
/// themselves, to avoid a cache miss per comparison. Two slots per value.
fn long(all: &mut [u64], slots: &mut Vec<u64>) -> usize {
    let capacity = (all.len() * 2).next_power_of_two().max(16);
    if slots.len() < capacity {
        slots.resize(capacity, 0);
    }
    let slots = &mut slots[..capacity];
    slots.fill(0);
    let (mask, mut found) = (capacity - 1, 0);
    for own in 0..all.len() {
        let value = all[own];
        let mut at = value as usize & mask;
        let mut held = slots[at];
        while (held != 0) & (held != value) {
            at = (at + 1) & mask;
            held = slots[at];
        }
        slots[at] = value;
        all[found] = value;
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
        match scratch.features(kind) {
            None => (Vec::new(), None),
            Some((set, digest)) => (set.to_vec(), Some(digest)),
        }
    }

    proptest! {
        /// The shingles of sections are those of each by itself, and the digest tells sections apart.
        #[test]
        fn no_shingle_has_tokens_of_two_sections(
            sections in prop::collection::vec(prop::collection::vec(0u64..6, 0..9), 0..5),
            size in 1usize..5,
            whole: bool,
        ) {
            let short = if whole { ShortDocuments::Whole } else { ShortDocuments::Ignore };
            let kind = FeatureKind::Shingles { size, short };
            let mut scratch = FeatureScratch::default();
            let mut expected = BTreeSet::new();
            for section in &sections {
                let tokens: Vec<u64> = section.iter().map(|&token| finalise(token + 1)).collect();
                let least = if whole { size.min(tokens.len()) } else { size };
                let windows = if least == 0 { Vec::new() } else { tokens.windows(least).collect() };
                for window in windows {
                    fingerprint::shingles(window, least, |value| _ = expected.insert(value));
                }
                scratch.tokens.extend(tokens);
                scratch.end_section();
            }
            let found = scratch.features(kind).map(|(set, digest)| (set.iter().copied().collect::<BTreeSet<u64>>(), digest));
            let digest = found.as_ref().map(|(_, digest)| *digest);
            prop_assert_eq!(found.map(|(set, _)| set).unwrap_or_default(), expected.clone());
            let sorted = scratch.into_sorted(kind);
            prop_assert_eq!(sorted.as_ref().map(|(_, digest)| *digest), digest);
            prop_assert_eq!(sorted.map(|(set, _)| set).unwrap_or_default(), expected.into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn sections_make_another_sequence() {
        let digest = |sections: &[&[u64]]| {
            let mut scratch = FeatureScratch::default();
            for section in sections {
                scratch.tokens.extend(*section);
                scratch.end_section();
            }
            scratch.token_digest()
        };
        let plain = TokenDigest::of(&[1, 2, 3]);
        assert_eq!(digest(&[&[1, 2, 3]]), plain);
        assert_eq!(digest(&[&[], &[1, 2, 3], &[]]), plain);
        assert_ne!(digest(&[&[1], &[2, 3]]), plain);
        assert_ne!(digest(&[&[1], &[2, 3]]), digest(&[&[1, 2], &[3]]));
    }

    /// Sizes below and above those from which tables and blocks are used.
    #[test]
    fn sorted_features_are_the_features() {
        for count in [0, 1, 3, 5, 100, (1 << 14) + 3, 40_000, MANY + 77] {
            for size in [1, 2, 5, 12] {
                for short in [ShortDocuments::Whole, ShortDocuments::Ignore] {
                    let kind = FeatureKind::Shingles { size, short };
                    let mut scratch = FeatureScratch::default();
                    let tokens = (0..count).map(|n| finalise((n * n % 7001) as u64));
                    scratch.tokens.extend(tokens);
                    let truth = scratch.features(kind).map(|(set, digest)| {
                        let mut set = set.to_vec();
                        set.sort_unstable();
                        (set, digest)
                    });
                    assert_eq!(scratch.into_sorted(kind), truth, "{count} tokens by {size}");
                }
            }
        }
    }

    #[test]
    fn broders_rose() {
        let mut scratch = FeatureScratch::default();
        let kind = FeatureKind::Shingles { size: 4, short: ShortDocuments::Ignore };
        let (set, _) = set_of(&mut scratch, "a rose is a rose is a rose", kind);
        assert_eq!(set.len(), 3);
    }

    /// The term filter changes the terms; sequence and shingles are those of all tokens.
    #[test]
    fn a_term_filter_is_no_part_of_the_sequence() {
        let (bytes, places) = (b"we use python now", [[0, 2], [3, 6], [7, 13], [14, 17]]);
        let kind = FeatureKind::Shingles { size: 2, short: ShortDocuments::Whole };
        let mut scratch = FeatureScratch::default();
        scratch.push_all(bytes, &places);
        let digest = scratch.token_digest();
        let shingles = scratch.features(kind).map(|(set, _)| set.to_vec());
        let mut filtered = FeatureScratch::default();
        for _ in 0..2 {
            filtered.clear_filtered();
            filtered.push_filtered(bytes, &places[..1], |token| token.len() > 3);
            filtered.push_filtered(bytes, &places[1..], |token| token.len() > 3);
            assert_eq!((filtered.token_digest(), filtered.token_count()), (digest, 4));
            assert_eq!(filtered.features(kind).map(|(set, _)| set.to_vec()), shingles);
            assert_eq!(filtered.terms(), [fingerprint::token(b"python")]);
            assert_eq!(filtered.features(FeatureKind::Terms).map(|(set, _)| set.len()), Some(1));
        }
        // A document of which the filter keeps no term has no features; the next document has no
        // filter.
        filtered.clear_filtered();
        filtered.push_filtered(bytes, &places, |_| false);
        assert!(filtered.features(FeatureKind::Terms).is_none());
        assert_eq!(filtered.token_digest(), digest);
        filtered.clear();
        filtered.push_all(bytes, &places);
        assert_eq!(filtered.terms(), scratch.tokens());
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
        fn every_way_leaves_what_a_plain_search_leaves(
            values in prop::collection::vec(
                // Values that share a slot or bit, equal values, and others.
                prop_oneof![
                    1 => 1u64..4,
                    1 => (1u64..6).prop_map(|n| n << 40),
                    8 => 1u64..,
                    1 => 250u64..260,
                ],
                0..120,
            ),
        ) {
            let mut expected = Vec::new();
            for &value in &values {
                if !expected.contains(&value) {
                    expected.push(value);
                }
            }
            let mut all = values.clone();
            let left = short(&mut all, &mut vec![3; 9]);
            prop_assert_eq!(&all[..left], &expected);
            let mut all = values.clone();
            let left = long(&mut all, &mut vec![5; 9]);
            prop_assert_eq!(&all[..left], &expected);
            let (mut all, mut doubtful) = (values.clone(), vec![7; 3]);
            let found = doubt(&all, &mut vec![5; 9], &mut doubtful);
            let left = without_repeats(&mut all, &doubtful[..found]);
            prop_assert_eq!(&all[..left], &expected);
            for many_repeats in [false, true] {
                let all = values.clone();
                let mut seen = DistinctScratch { all, many_repeats, ..DistinctScratch::default() };
                seen.leave_firsts();
                prop_assert_eq!(&seen.all, &expected);
            }
        }
    }

    /// As in most texts: one in a hundred is a repeat.
    #[test]
    fn few_repeats_are_found_one_by_one() {
        let values: Vec<u64> =
            (1..=3000).map(|n| if n % 100 == 0 { finalise(n - 50) } else { finalise(n) }).collect();
        let mut doubtful = Vec::new();
        let found = doubt(&values, &mut Vec::new(), &mut doubtful);
        assert!((30..=3000 / FEW_DOUBTFUL).contains(&found), "{found}");
        let mut seen = DistinctScratch { all: values.clone(), ..DistinctScratch::default() };
        seen.leave_firsts();
        let expected: Vec<u64> = (1..=3000).filter(|n| n % 100 != 0).map(finalise).collect();
        assert_eq!(seen.all, expected);
    }

    #[test]
    fn documents_on_either_side_of_the_limit_are_alike() {
        for (limit, values) in [(ROOMY, 3001), (NUMBERED, 3001), (NUMBERED, 65_521)] {
            let tokens: Vec<u64> = (0..limit as u64 + 1).map(|n| n % values).collect();
            for tokens in [&tokens[1..], &tokens] {
                let mut seen = DistinctScratch::default();
                let terms = distinct(tokens, FeatureKind::Terms, &mut seen);
                let all: BTreeSet<u64> = tokens.iter().map(|&t| finalise(t).max(1)).collect();
                assert_eq!(terms.len() as u64, values.min(limit as u64));
                assert_eq!(terms.iter().copied().collect::<BTreeSet<_>>(), all);
            }
        }
    }
}
