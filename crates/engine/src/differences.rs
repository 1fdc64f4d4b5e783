//! What differs between two documents: the parts that they do not have in common, and the words of
//! each that the other lacks.
//!
//! A part of a document ([`lookalike_text::TextPart`]) has a *key*, which is equal if and only if the
//! part is. Keys depend on one document each, so that they can also decide which documents are
//! compared at all. Words are compared as multisets: a word that stands elsewhere is not lost.
//!
//! Time is linear in the lengths of the texts. [`DocumentParts`] has 8 bytes per word.

mod rules;

pub use rules::{ComparedRemoval, DifferenceRule, Judged, Recurring, best_rule, recurring};

use lookalike_core::{MultisetDigest, fingerprint};
use lookalike_text::{
    AnalysisSettings, Analyzer, Case, PartReader, PartScratch, Scratch, TextPart, Tokens, Unit,
};
use std::collections::HashMap;
use std::fmt;

/// A kind of difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DifferenceKind {
    /// The part is not the same, whatever the words are. [`TextPart::Capitals`] is no kind of its own:
    /// see [`Self::Case`].
    Part(TextPart),
    /// All words of one document stand in the other, one after the other, with more words around
    /// them.
    Quotation,
    /// Both have the same words, but not the same capitals ([`TextPart::Capitals`]).
    Case,
    /// Both have the same words, in another order.
    Order,
}

impl DifferenceKind {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Self; 9] = [
        Self::Part(TextPart::Numbers),
        Self::Part(TextPart::Identifiers),
        Self::Part(TextPart::Title),
        Self::Part(TextPart::TitleNumbers),
        Self::Part(TextPart::Names),
        Self::Part(TextPart::Symbols),
        Self::Quotation,
        Self::Case,
        Self::Order,
    ];

    /// Its name in options and tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Part(part) => part.name(),
            Self::Quotation => "quotation",
            Self::Case => "case",
            Self::Order => "order",
        }
    }

    /// The kind of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Its bit in a set.
    fn bit(self) -> u16 {
        let number = match self {
            Self::Part(part) => part as usize,
            Self::Quotation => TextPart::ALL.len(),
            Self::Case => TextPart::ALL.len() + 1,
            Self::Order => TextPart::ALL.len() + 2,
        };
        1 << number
    }
}

/// A set of kinds. Written as their names, separated by commas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct DifferenceKinds(u16);

impl DifferenceKinds {
    /// Is the kind one of them?
    #[must_use]
    pub fn has(self, kind: DifferenceKind) -> bool {
        self.0 & kind.bit() != 0
    }

    /// Adds a kind.
    pub fn add(&mut self, kind: DifferenceKind) {
        self.0 |= kind.bit();
    }

    /// The kinds of a list of names, as they are written; other names are left out.
    #[must_use]
    pub fn named(names: &str) -> Self {
        let mut kinds = Self::default();
        names.split(',').filter_map(DifferenceKind::named).for_each(|kind| kinds.add(kind));
        kinds
    }

    /// The kinds, in the order of [`DifferenceKind::ALL`].
    pub fn iter(self) -> impl Iterator<Item = DifferenceKind> {
        DifferenceKind::ALL.into_iter().filter(move |&kind| self.has(kind))
    }
}

impl fmt::Display for DifferenceKinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, kind) in self.iter().enumerate() {
            if number > 0 {
                f.write_str(",")?;
            }
            f.write_str(kind.name())?;
        }
        Ok(())
    }
}

/// The difference profile of two documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DifferenceProfile {
    /// Words of the first document that the second lacks, each as often as it does.
    pub lost: u64,
    /// Words of the second document that the first lacks.
    pub added: u64,
    /// The kinds of differences.
    pub kinds: DifferenceKinds,
}

/// The keys of a document's parts, and its words.
#[derive(Debug, Clone, Default)]
pub struct DocumentParts {
    keys: [MultisetDigest; TextPart::ALL.len()],
    /// Hashes of the words, in order.
    words: Vec<u64>,
}

impl DocumentParts {
    /// The key of a part.
    #[must_use]
    pub fn key(&self, part: TextPart) -> MultisetDigest {
        self.keys[part as usize]
    }

    /// Number of words.
    #[must_use]
    pub fn words(&self) -> usize {
        self.words.len()
    }
}

/// Finds the parts of documents.
#[derive(Debug)]
pub struct DifferenceReader {
    words: Analyzer,
    parts: PartReader,
}

/// Buffers of [`DifferenceReader`] and [`DifferenceProfile::new`], one for each thread.
#[derive(Debug, Default)]
pub struct DifferenceScratch {
    tokens: Scratch,
    parts: PartScratch,
    /// By word, how often the first document has it more often than the second.
    counts: HashMap<u64, i64, foldhash::fast::FixedState>,
    /// The failure function of a search.
    borders: Vec<u32>,
}

/// The settings by which lower-cased words are found, whatever documents are compared by: the
/// normalisation counts.
pub(crate) fn words_of(settings: &AnalysisSettings) -> AnalysisSettings {
    AnalysisSettings {
        unit: Unit::Word,
        tokens: Some(Tokens::Words),
        case: Case::Fold,
        ..settings.clone()
    }
}

impl DifferenceReader {
    /// Finds the parts of documents that are compared with these settings: their normalisation
    /// counts.
    #[must_use]
    pub fn new(settings: &AnalysisSettings) -> Self {
        Self { words: Analyzer::new(&words_of(settings)), parts: PartReader::new(settings) }
    }

    /// The parts of a document. O(text).
    #[must_use]
    pub fn parts(
        &self,
        text: &str,
        title: Option<&str>,
        scratch: &mut DifferenceScratch,
    ) -> DocumentParts {
        let mut found = DocumentParts::default();
        let DocumentParts { keys, words } = &mut found;
        self.words.tokens(text, &mut scratch.tokens, |word| words.push(fingerprint::token(word)));
        words.shrink_to_fit();
        self.parts.items(text, title, &mut scratch.parts, |part, item| {
            keys[part as usize].add(item);
        });
        found
    }
}

impl DifferenceProfile {
    /// What differs between a removed document and its witness. O(words of both).
    #[must_use]
    pub fn new(
        removed: &DocumentParts,
        witness: &DocumentParts,
        scratch: &mut DifferenceScratch,
    ) -> Self {
        let (lost, added) = missing(&removed.words, &witness.words, &mut scratch.counts);
        let mut difference = Self { lost, added, ..Self::default() };
        let differs = |part| removed.key(part) != witness.key(part);
        let mut is = |kind| match kind {
            DifferenceKind::Part(part) => differs(part),
            DifferenceKind::Quotation => {
                let (short, long) = match removed.words.len() < witness.words.len() {
                    true => (&removed.words, &witness.words),
                    false => (&witness.words, &removed.words),
                };
                lost.min(added) == 0
                    && lost.max(added) > 0
                    && contains(long, short, &mut scratch.borders)
            }
            DifferenceKind::Case => lost + added == 0 && differs(TextPart::Capitals),
            DifferenceKind::Order => lost + added == 0 && removed.words != witness.words,
        };
        for kind in DifferenceKind::ALL {
            if is(kind) {
                difference.kinds.add(kind);
            }
        }
        difference
    }
}

/// How many members of each multiset the other lacks.
fn missing(
    a: &[u64],
    b: &[u64],
    counts: &mut HashMap<u64, i64, foldhash::fast::FixedState>,
) -> (u64, u64) {
    // Near-duplicates begin and end alike.
    let before = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[before..], &b[before..]);
    let after = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[..a.len() - after], &b[..b.len() - after]);
    counts.clear();
    a.iter().for_each(|&word| *counts.entry(word).or_default() += 1);
    b.iter().for_each(|&word| *counts.entry(word).or_default() -= 1);
    counts.values().fold((0, 0), |(lost, added), &count| match count {
        0.. => (lost + count.unsigned_abs(), added),
        _ => (lost, added + count.unsigned_abs()),
    })
}

/// Whether `part` stands in `whole`, without a gap (Knuth, Morris and Pratt 1977). An empty part
/// does not.
fn contains(whole: &[u64], part: &[u64], borders: &mut Vec<u32>) -> bool {
    if part.is_empty() {
        return false;
    }
    // For each beginning of the part, the length of the longest shorter one that it ends with.
    borders.clear();
    borders.push(0);
    let step = |borders: &[u32], mut length: usize, next: u64| {
        while length > 0 && part[length] != next {
            length = borders[length - 1] as usize;
        }
        length + usize::from(part[length] == next)
    };
    for &word in &part[1..] {
        let length = step(borders, borders[borders.len() - 1] as usize, word);
        borders.push(length as u32);
    }
    let mut length = 0;
    whole.iter().any(|&word| {
        length = step(borders, length, word);
        length == part.len()
    })
}

#[cfg(test)]
mod tests;
