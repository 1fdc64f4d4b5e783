//! Index of the n-grams of a small collection, to be looked up along long texts: which n-grams of
//! which parts stand in a text, and where.
//!
//! A *part* is a sequence of token hashes: a question, an answer, a whole text. Its n-grams are its
//! contiguous runs of n tokens. A part of fewer tokens has one n-gram, the whole of it, if it has at
//! least as many as a minimum; shorter parts have none. Of a part with *sections*, each has its n-grams,
//! and none has tokens of two. Brown et al. 2020 (GPT-3), appendix C, and
//! Chowdhery et al. 2022 (PaLM), section 8, look for benchmarks in training data by n-grams.
//!
//! *Exact but for token hashes:* an n-gram is found if all its tokens have the hashes of those in the
//! text. Hashes of n-grams lead to it and decide nothing.
//!
//! *Cost.* A text of t tokens takes O(t): one rolling hash of the shortest n-gram for each place, and
//! one lookup in a bit array of 32 to 64 bits for each n-gram of the index. Only where it says so, the
//! n-grams that begin there are hashed and compared. The index takes about 40 bytes for each token.

use crate::{batch, fingerprint};
use std::ops::Range;

/// The number of a distinct n-gram of an index, in order of first occurrence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ngram(pub u32);

impl Ngram {
    /// The number, for arrays with an element for each n-gram.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Why an index cannot be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an index of n-grams holds fewer than {} tokens", u32::MAX)]
pub struct TooManyTokens;

/// The parts of an index, as they are read.
#[derive(Debug, Default)]
pub struct Parts {
    /// The tokens of all parts.
    tokens: Vec<u64>,
    /// The end of each section in `tokens`.
    section_ends: Vec<u32>,
    /// The end of each part in `section_ends`.
    ends: Vec<u32>,
}

impl Parts {
    /// Adds tokens to a section of a part.
    ///
    /// # Errors
    /// More tokens than have numbers.
    pub fn push(&mut self, tokens: &[u64]) -> Result<(), TooManyTokens> {
        let all = self.tokens.len() + tokens.len();
        u32::try_from(all).ok().filter(|&all| all < u32::MAX).ok_or(TooManyTokens)?;
        self.tokens.extend_from_slice(tokens);
        Ok(())
    }

    /// Ends a section of a part.
    pub fn end_section(&mut self) {
        self.section_ends.push(self.tokens.len() as u32);
    }

    /// Ends a part, and its last section.
    pub fn end_part(&mut self) {
        self.end_section();
        self.ends.push(self.section_ends.len() as u32);
    }
}

/// Index of the n-grams of parts.
///
/// ```
/// use lookalike_core::fingerprint::token;
/// use lookalike_core::ngrams::{NgramIndex, Parts};
///
/// let hashes = |text: &str| text.split(' ').map(|word| token(word.as_bytes())).collect::<Vec<_>>();
/// let mut parts = Parts::default();
/// for text in ["a rose is a rose", "a flower"] {
///     parts.push(&hashes(text))?;
///     parts.end_part();
/// }
/// let index = NgramIndex::new(3, 2, parts);
/// assert_eq!((index.of_part(0).len(), index.of_part(1).len()), (3, 1));
///
/// let mut found = Vec::new();
/// index.scan(&hashes("so a rose is a flower"), &mut Vec::new(), |place, ngram| found.push((place, ngram)));
/// let [(_, first), (_, whole)] = [index.of_part(0)[0], index.of_part(1)[0]];
/// assert_eq!(found, [(1, first), (2, index.of_part(0)[1].1), (4, whole)]);
/// # Ok::<(), lookalike_core::ngrams::TooManyTokens>(())
/// ```
#[derive(Debug)]
pub struct NgramIndex {
    /// The tokens of all parts.
    tokens: Vec<u64>,
    /// The end of each part in `tokens`.
    token_ends: Vec<u32>,
    /// The n-grams of all parts with their places in the part, repeats included.
    sequence: Vec<(u32, Ngram)>,
    /// The end of each part in `sequence`.
    sequence_ends: Vec<u32>,
    /// The first place of each n-gram in `tokens`.
    places: Vec<Place>,
    /// The parts that have each n-gram, ascending, and the end of each list.
    holders: Vec<u32>,
    holder_ends: Vec<u32>,
    /// Distinct lengths of n-grams, ascending.
    lengths: Vec<usize>,
    table: Table,
    filter: Filter,
}

/// A run of tokens.
#[derive(Debug, Clone, Copy)]
struct Place {
    start: u32,
    length: u32,
}

impl NgramIndex {
    /// The index of parts by n-grams of `size` tokens; sections of fewer tokens than that, and of `least`
    /// or more, have one.
    #[must_use]
    pub fn new(size: usize, least: usize, parts: Parts) -> Self {
        let (size, least) = (size.max(1), least.max(1));
        let Parts { tokens, section_ends, ends } = parts;
        let mut index = Self {
            table: Table::for_entries(tokens.len()),
            filter: Filter::for_entries(tokens.len()),
            tokens,
            token_ends: ends.iter().map(|&end| section_ends[end as usize - 1]).collect(),
            sequence: Vec::new(),
            sequence_ends: Vec::new(),
            places: Vec::new(),
            holders: Vec::new(),
            holder_ends: Vec::new(),
            lengths: Vec::new(),
        };
        let mut holders: Vec<(Ngram, u32)> = Vec::new();
        for part in 0..index.parts() {
            let first = index.token_range(part).start;
            for section in range(&ends, part) {
                let tokens = range(&section_ends, section);
                let length = tokens.len().min(size);
                if tokens.len() >= least {
                    for start in tokens.start..=tokens.end - length {
                        let ngram = index.number(start, length);
                        index.sequence.push(((start - first) as u32, ngram));
                    }
                }
            }
            index.sequence_ends.push(index.sequence.len() as u32);
            holders.extend(index.of_part(part).iter().map(|&(_, ngram)| (ngram, part as u32)));
        }
        index.lengths = index.places.iter().map(|place| place.length as usize).collect();
        index.lengths.sort_unstable();
        index.lengths.dedup();
        if let Some(&shortest) = index.lengths.first() {
            let of = |place: &Place| &index.tokens[place.start as usize..][..shortest];
            let filter = &mut index.filter;
            index.places.iter().for_each(|place| filter.add(hash(of(place))));
        }
        holders.sort_unstable();
        holders.dedup();
        let mut ends = vec![0; index.places.len()];
        for (number, (ngram, _)) in (1u32..).zip(&holders) {
            ends[ngram.index()] = number;
        }
        index.holder_ends = ends;
        index.holders = holders.into_iter().map(|(_, part)| part).collect();
        index
    }

    /// The number of the n-gram at a place.
    fn number(&mut self, start: usize, length: usize) -> Ngram {
        let tokens = &self.tokens[start..start + length];
        match self.table.find(hash(tokens), |ngram| self.tokens_of(ngram) == tokens) {
            Ok(ngram) => ngram,
            Err(slot) => {
                let ngram = Ngram(self.places.len() as u32);
                self.places.push(Place { start: start as u32, length: length as u32 });
                self.table.slots[slot] = ngram.0 + 1;
                ngram
            }
        }
    }

    /// Calls `emit` with each n-gram of the index in a text, or in a section of one, and the place of its
    /// first token. In the
    /// order of places; n-grams of one place the shorter first. `buffer` is reused memory.
    pub fn scan(&self, text: &[u64], buffer: &mut Vec<u64>, mut emit: impl FnMut(usize, Ngram)) {
        /// Hashes computed at a time: they stay in the second-level cache.
        const BLOCK: usize = 1 << 13;
        let Some(&shortest) = self.lengths.first() else { return };
        let places = (text.len() + 1).saturating_sub(shortest);
        for start in (0..places).step_by(BLOCK) {
            let end = places.min(start + BLOCK);
            buffer.clear();
            batch::shingles(&text[start..end + shortest - 1], shortest, buffer);
            for (place, &value) in (start..end).zip(&*buffer) {
                if !self.filter.may_have(value) {
                    continue;
                }
                for &length in &self.lengths {
                    let Some(tokens) = text.get(place..place + length) else { break };
                    let value = if length == shortest { value } else { hash(tokens) };
                    let is_it = |ngram| self.tokens_of(ngram) == tokens;
                    if let Ok(ngram) = self.table.find(value, is_it) {
                        emit(place, ngram);
                    }
                }
            }
        }
    }

    /// Number of parts.
    #[must_use]
    pub fn parts(&self) -> usize {
        self.token_ends.len()
    }

    /// Number of distinct n-grams.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether no part has an n-gram.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Number of tokens of a part.
    #[must_use]
    pub fn tokens(&self, part: usize) -> usize {
        self.token_range(part).len()
    }

    /// The n-grams of a part with the places of their first tokens in it, in order: some may be equal.
    #[must_use]
    pub fn of_part(&self, part: usize) -> &[(u32, Ngram)] {
        &self.sequence[range(&self.sequence_ends, part)]
    }

    /// The distinct n-grams of a part, ascending.
    #[must_use]
    pub fn distinct_of_part(&self, part: usize) -> Vec<Ngram> {
        let mut distinct: Vec<Ngram> = self.of_part(part).iter().map(|&(_, ngram)| ngram).collect();
        distinct.sort_unstable();
        distinct.dedup();
        distinct
    }

    /// The parts that have an n-gram, ascending.
    #[must_use]
    pub fn holders(&self, ngram: Ngram) -> &[u32] {
        &self.holders[range(&self.holder_ends, ngram.index())]
    }

    /// Number of tokens of an n-gram.
    #[must_use]
    pub fn length(&self, ngram: Ngram) -> usize {
        self.places[ngram.index()].length as usize
    }

    fn token_range(&self, part: usize) -> Range<usize> {
        range(&self.token_ends, part)
    }

    fn tokens_of(&self, ngram: Ngram) -> &[u64] {
        let Place { start, length } = self.places[ngram.index()];
        &self.tokens[start as usize..][..length as usize]
    }
}

/// The range of a list by the ends of all lists.
fn range(ends: &[u32], number: usize) -> Range<usize> {
    let start = number.checked_sub(1).map_or(0, |before| ends[before]);
    start as usize..ends[number] as usize
}

/// Hash of a run of tokens as one n-gram.
fn hash(tokens: &[u64]) -> u64 {
    let mut of_all = 0;
    fingerprint::shingles(tokens, tokens.len(), |value| of_all = value);
    of_all
}

/// Open-addressing hash table of n-grams.
#[derive(Debug)]
struct Table {
    /// The number of an n-gram and one, or 0.
    slots: Vec<u32>,
}

impl Table {
    /// At most half full.
    fn for_entries(entries: usize) -> Self {
        Self { slots: vec![0; (2 * entries + 2).next_power_of_two()] }
    }

    /// The n-gram with this hash for which `is_it` holds, or the slot to put it into.
    fn find(&self, hash: u64, is_it: impl Fn(Ngram) -> bool) -> Result<Ngram, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = (hash >> 16) as usize & mask;
        loop {
            match self.slots[slot].checked_sub(1).map(Ngram) {
                None => return Err(slot),
                Some(ngram) if is_it(ngram) => return Ok(ngram),
                Some(_) => slot = (slot + 1) & mask,
            }
        }
    }
}

/// Bit array: no bit is missing, and few of other values are set.
#[derive(Debug)]
struct Filter {
    words: Vec<u64>,
}

impl Filter {
    /// 32 to 64 bits for each entry.
    fn for_entries(entries: usize) -> Self {
        Self { words: vec![0; (entries / 2 + 1).next_power_of_two()] }
    }

    fn bit(&self, value: u64) -> (usize, u64) {
        (((value >> 6) as usize) & (self.words.len() - 1), 1 << (value & 63))
    }

    fn add(&mut self, value: u64) {
        let (word, bit) = self.bit(value);
        self.words[word] |= bit;
    }

    fn may_have(&self, value: u64) -> bool {
        let (word, bit) = self.bit(value);
        self.words[word] & bit != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// The n-grams of a part by their definition, with their places.
    fn ngrams(part: &[Vec<u64>], size: usize, least: usize) -> Vec<(u32, &[u64])> {
        let mut found = Vec::new();
        let mut start = 0;
        for section in part {
            if section.len() >= least {
                found.extend((start..).zip(section.windows(section.len().min(size))));
            }
            start += section.len() as u32;
        }
        found
    }

    fn parts_of(parts: &[Vec<Vec<u64>>]) -> Parts {
        let mut found = Parts::default();
        for part in parts {
            for (number, section) in part.iter().enumerate() {
                if number > 0 {
                    found.end_section();
                }
                // A section may come in pieces.
                section.chunks(3).for_each(|piece| found.push(piece).unwrap());
            }
            found.end_part();
        }
        found
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn an_index_is_what_brute_force_finds(
            size in 1usize..6,
            least in 1usize..6,
            // Few different tokens, so that n-grams repeat in parts, between them and in the text.
            parts in prop::collection::vec(
                prop::collection::vec(prop::collection::vec(0u64..3, 0..9), 0..4),
                0..6,
            ),
            text in prop::collection::vec(0u64..3, 0..60),
        ) {
            let least = least.min(size);
            let index = NgramIndex::new(size, least, parts_of(&parts));
            prop_assert_eq!(index.parts(), parts.len());
            let mut holders: BTreeMap<&[u64], BTreeSet<u32>> = BTreeMap::new();
            for (number, part) in parts.iter().enumerate() {
                prop_assert_eq!(index.tokens(number), part.concat().len());
                let expected = ngrams(part, size, least);
                let found = index.of_part(number);
                prop_assert_eq!(found.len(), expected.len());
                for (&(place, ngram), (expected, tokens)) in found.iter().zip(expected) {
                    prop_assert_eq!(place, expected);
                    prop_assert_eq!(index.tokens_of(ngram), tokens);
                    prop_assert_eq!(index.length(ngram), tokens.len());
                    holders.entry(tokens).or_default().insert(number as u32);
                }
            }
            prop_assert_eq!(index.len(), holders.len());
            for number in 0..index.len() as u32 {
                let expected: Vec<u32> =
                    holders[index.tokens_of(Ngram(number))].iter().copied().collect();
                prop_assert_eq!(index.holders(Ngram(number)), expected);
            }
            let mut expected = Vec::new();
            for place in 0..text.len() {
                for length in 1..=size.min(text.len() - place) {
                    let tokens = &text[place..place + length];
                    if holders.contains_key(tokens) {
                        expected.push((place, tokens.to_vec()));
                    }
                }
            }
            let mut found = Vec::new();
            index.scan(&text, &mut Vec::new(), |place, ngram| {
                found.push((place, index.tokens_of(ngram).to_vec()));
            });
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn places_are_found_across_blocks() {
        let text: Vec<u64> = (0..20_000).collect();
        let parts = [&text[8_180..8_200], &text[19_992..], &text[..8]];
        let index = NgramIndex::new(13, 8, parts_of(&parts.map(|part| vec![part.to_vec()])));
        let mut places = Vec::new();
        index.scan(&text, &mut Vec::new(), |place, _| places.push(place));
        let expected: Vec<usize> = std::iter::once(0).chain(8_180..8_188).chain([19_992]).collect();
        assert_eq!(places, expected);
    }

    #[test]
    fn an_empty_index_finds_nothing() {
        let index = NgramIndex::new(8, 8, parts_of(&[vec![vec![1, 2, 3]]]));
        assert!(index.is_empty() && index.of_part(0).is_empty());
        index.scan(&[1, 2, 3], &mut Vec::new(), |_, _| panic!("nothing to find"));
    }
}
