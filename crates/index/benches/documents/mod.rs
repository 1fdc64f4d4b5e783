//! Generated documents with texts of 2.75 kB and 445 elements, about.

use lookalike_core::{SetDigest, TextDigest, TokenDigest, features, fingerprint::finalise};
use lookalike_index::{DocNumber, DocumentBatch, DocumentView, SetMaker};

/// Words of a document.
const WORDS: u64 = 447;

/// Words of the vocabulary.
const VOCABULARY: u64 = 40_000;

/// Words of a shingle.
const SHINGLE: usize = 3;

/// Random numbers from a seed.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        finalise(self.0)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }
}

/// Words, of which some are frequent.
pub(crate) struct Vocabulary(Vec<String>);

impl Vocabulary {
    pub(crate) fn new() -> Self {
        let mut random = Random(1);
        let mut word = |_| {
            let length = 2 + random.below(5) + random.below(5);
            (0..length).map(|_| (b'a' + random.below(26) as u8) as char).collect()
        };
        Self((0..VOCABULARY).map(&mut word).collect())
    }

    /// The text of a source; of one that is edited, one word in so many is replaced.
    pub(crate) fn text(&self, source: u64, edits: Option<(&mut Random, u64)>) -> String {
        let mut edits = edits;
        let mut random = Random(source << 20 | 1);
        let mut text = String::new();
        for _ in 0..WORDS / 2 + random.below(WORDS) {
            let mut draw = random.next();
            if let Some((random, one_in)) = &mut edits
                && random.below(*one_in) == 0
            {
                draw = random.next();
            }
            // Zipf's law, about: uniform in the logarithm of the rank.
            let rank = (VOCABULARY as f64).powf(draw as f64 / u64::MAX as f64) as usize;
            text.push_str(&self.0[rank.min(self.0.len() - 1)]);
            text.push(' ');
        }
        text
    }

    /// Adds a document; one in five is a copy of an earlier one of which a twentieth is replaced.
    pub(crate) fn push(&self, number: u32, batch: &mut DocumentBatch) {
        let mut own = Random(u64::from(number) << 32);
        let copied = own.below(5) == 0;
        let source = if copied { own.below(u64::from(number.max(1))) } else { u64::from(number) };
        let text = self.text(source, copied.then_some((&mut own, 20)));
        let mut set = Vec::new();
        Shingles.make(&text, &[], &mut set);
        let id = format!("document-{number}");
        let url = format!("https://example.org/{}/{id}", number % 1000);
        batch.push(&DocumentView {
            number: DocNumber(number),
            first: DocNumber(number),
            sweep: 0,
            expires: 0,
            id: &id,
            url: &url,
            date: "",
            extra: &[],
            tokens: set.len() as u32 + 2,
            text_bytes: text.len() as u64,
            text: TextDigest::of(text.as_bytes()),
            sequence: TokenDigest::of(&set),
            keep: &[],
            unit: features::digest(&set),
            reason: 0,
            few: false,
            set: &set,
            content: &text,
            signatures: &[],
        });
    }
}

/// Shingles of words.
pub(crate) struct Shingles;

impl SetMaker for Shingles {
    fn make(&mut self, text: &str, _: &[u8], set: &mut Vec<u64>) -> Option<SetDigest> {
        let hash = |word: &str| word.bytes().fold(1, |h, byte| finalise(h ^ u64::from(byte)));
        let words: Vec<u64> = text.split(' ').filter(|word| !word.is_empty()).map(hash).collect();
        let shingle = |words: &[u64]| words.iter().fold(7, |h: u64, &word| finalise(h ^ word));
        set.clear();
        set.extend(words.windows(SHINGLE).map(shingle));
        set.sort_unstable();
        set.dedup();
        features::digest(set)
    }
}
