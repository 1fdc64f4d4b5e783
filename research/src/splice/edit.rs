//! A document in, a near-duplicate of it out.
//!
//! Word edits are those of Chowdhury et al. 2002, section 5.2: replace, insert, remove. Parts cut
//! out and documents quoted whole are what containment is for (Broder 1997).

use super::{FEWEST_WORDS, Sources, Words};
use lookalike_testing::prng::{MILLION, Prng};

/// In which letters a document is written out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Case {
    /// As in the sources.
    #[default]
    AsWritten,
    /// ASCII letters in capitals.
    Upper,
    /// ASCII letters in lower case.
    Lower,
}

/// What was done to an earlier document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edit {
    /// Nothing.
    Exact,
    /// Other letters, the same words.
    Recased(Case),
    /// This many words in a million replaced, inserted or removed, and at least one.
    Edited(u32),
    /// Only a part of it, this many words in a million.
    Cut(u32),
    /// All of it, with other text around: this many words for a million of its own.
    Nested(u32),
}

impl Edit {
    /// Some edit: half of them change single words, at rates from 2 in a thousand to 8 in a
    /// hundred.
    pub(super) fn draw(prng: &mut Prng) -> Self {
        const RATES: [u32; 7] = [2_000, 5_000, 10_000, 20_000, 30_000, 50_000, 80_000];
        match prng.below(20) {
            0..4 => Self::Exact,
            4 => Self::Recased(Case::Upper),
            5 => Self::Recased(Case::Lower),
            6..16 => Self::Edited(RATES[prng.below(RATES.len())]),
            16..18 => Self::Cut(prng.between(500_000, 950_000) as u32),
            _ => Self::Nested(prng.between(50_000, 1_000_000) as u32),
        }
    }

    /// The name that goes into the record.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Recased(_) => "recased",
            Self::Edited(_) => "edited",
            Self::Cut(_) => "cut",
            Self::Nested(_) => "nested",
        }
    }

    /// Writes the changed document to `out`, over what was there.
    pub(super) fn apply(self, words: &[u32], sources: &Sources, prng: &mut Prng, out: &mut Words) {
        out.clear();
        match self {
            Self::Exact | Self::Recased(_) => out.extend_from_slice(words),
            Self::Edited(rate) => edited(words, rate, sources, prng, out),
            Self::Cut(part) => {
                let length = share(words.len(), part).max(FEWEST_WORDS).min(words.len());
                let start = prng.below(words.len() - length + 1);
                out.extend_from_slice(&words[start..start + length]);
            }
            Self::Nested(around) => {
                let around = share(words.len(), around).max(2);
                let before = prng.below(around);
                sources.splice(before, prng, out);
                out.extend_from_slice(words);
                sources.splice(around - before, prng, out);
            }
        }
    }
}

fn share(words: usize, millionths: u32) -> usize {
    (words as u64 * u64::from(millionths) / u64::from(MILLION)) as usize
}

fn edited(words: &[u32], rate: u32, sources: &Sources, prng: &mut Prng, out: &mut Words) {
    let sure = prng.below(words.len());
    for (at, &word) in words.iter().enumerate() {
        if at != sure && !prng.happens(rate) {
            out.push(word);
            continue;
        }
        match prng.below(4) {
            0 => {}
            1 => out.extend([sources.draw(prng), word]),
            _ => out.push(sources.draw(prng)),
        }
    }
}
