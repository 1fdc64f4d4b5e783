//! Signatures of randomized I-Match, coordinate by coordinate.
//!
//! The first copies of a lexicon are the same for every K: two documents match with K copies if the
//! first coordinate in which their signatures agree is at most K. So one signing with the most
//! copies gives the matches for every smaller K, and tokens are analysed once for all settings. A
//! test holds the matches against those of the engine.

use crate::run::{Neighbours, approach};
use crate::tokens::Tokens;
use anyhow::{Context, Result};
use lookalike_lexicon::Lexicon;
use lookalike_methods::{Document, MethodScratch, Signature};
use std::collections::HashMap;
use std::sync::Arc;

/// The digest of one coordinate.
type Digest = [u64; 2];

/// The K + 1 signatures of each document; `None` where one is rejected.
pub(crate) struct Signatures {
    of: Vec<Vec<Option<Digest>>>,
    groups: HashMap<(usize, Digest), Vec<u32>>,
}

/// For each document those with a coordinate in common, ascending, with the first such coordinate.
pub(crate) struct Met {
    of: Vec<Vec<(u32, usize)>>,
}

impl Signatures {
    /// Signs all documents by `imatch-random` with these parameters.
    pub(crate) fn new(tokens: &Tokens, spec: &str, lexicon: &Arc<Lexicon>) -> Result<Self> {
        let approach = approach(spec, Some(lexicon))?;
        let method = approach.method.as_deref().context("nothing to sign with")?;
        let (mut scratch, mut out) = (MethodScratch::default(), Signature::default());
        let mut of = Vec::new();
        let mut groups: HashMap<_, Vec<u32>> = HashMap::new();
        for (number, tokens) in (0u32..).zip(tokens.documents()) {
            out.clear();
            let document = Document { tokens, ..Document::default() };
            let signed = method.sign(&document, &mut scratch, &mut out).is_ok();
            let words = if signed { &out.sketch[..] } else { &[] };
            let digest = |words: &[u64]| (words != [0, 0]).then(|| [words[0], words[1]]);
            let coordinates: Vec<_> = words.chunks_exact(2).map(digest).collect();
            for (at, digest) in coordinates.iter().enumerate() {
                if let Some(digest) = digest {
                    groups.entry((at, *digest)).or_default().push(number);
                }
            }
            of.push(coordinates);
        }
        Ok(Self { of, groups })
    }

    /// Documents without a signature among the first K + 1.
    pub(crate) fn ignored(&self, copies: usize) -> usize {
        let none =
            |digests: &&Vec<Option<Digest>>| digests.iter().take(copies + 1).all(Option::is_none);
        self.of.iter().filter(none).count()
    }

    /// What each of these documents meets; nothing for the others.
    pub(crate) fn met(&self, documents: &[u32]) -> Met {
        let mut of = vec![Vec::new(); self.of.len()];
        for &document in documents {
            let met: &mut Vec<(u32, usize)> = &mut of[document as usize];
            for (at, digest) in self.of[document as usize].iter().enumerate() {
                let group = digest.and_then(|digest| self.groups.get(&(at, digest)));
                let others = group.into_iter().flatten().filter(|&&other| other != document);
                met.extend(others.map(|&other| (other, at)));
            }
            met.sort_unstable();
            met.dedup_by_key(|&mut (other, _)| other);
        }
        Met { of }
    }
}

impl Met {
    /// The matches with K copies.
    pub(crate) fn with(&self, copies: usize) -> Neighbours {
        let within = |met: &Vec<(u32, usize)>| {
            met.iter().filter(|(_, at)| *at <= copies).map(|&(other, _)| other).collect()
        };
        Neighbours::new(self.of.iter().map(within).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::tests::corpus;
    use crate::run::{cosine, search};
    use lookalike_testing::prng::Prng;

    /// Texts of a few hundred words, every other one an edited copy of the one before.
    fn texts() -> Vec<String> {
        let mut random = Prng::new(8);
        let mut texts: Vec<String> = Vec::new();
        for number in 0..60 {
            let mut words: Vec<String> = match texts.last() {
                Some(last) if number % 2 == 1 => last.split(' ').map(str::to_owned).collect(),
                _ => (0..12)
                    .map(|_| {
                        format!(
                            "word{}",
                            ["a", "b", "c", "d"].map(|end| end.repeat(random.below(4))).concat()
                        )
                    })
                    .collect(),
            };
            if number % 2 == 1 {
                words.remove(random.below(12));
            }
            texts.push(words.join(" "));
        }
        texts
    }

    #[test]
    fn matches_are_those_of_the_engine_for_every_number_of_copies() {
        let texts = texts();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let corpus = corpus(&texts);
        let lexicon = corpus.lexicon("kolcz").unwrap();
        let tokens = Tokens::new(&corpus, "kolcz");
        let all: Vec<u32> = (0..texts.len() as u32).collect();
        let mut different = 0;
        for rest in ["min=1", "min=6", "min=6,fill=1", "min=1,share=0.5,fill=0.9"] {
            let spec = |copies: usize| {
                format!("imatch-random:nidf=0.1..0.6,copies={copies},seed=5,terms=kolcz,{rest}")
            };
            let signatures = Signatures::new(&tokens, &spec(6), &lexicon).unwrap();
            let met = signatures.met(&all);
            for copies in [0, 1, 3, 6] {
                let method = approach(&spec(copies), Some(&lexicon)).unwrap();
                let found = search(&corpus, method, cosine("0.9").unwrap(), true).unwrap();
                let (engine, ours) = (found.neighbours(), met.with(copies));
                assert_eq!(found.signed.ignored() as usize, signatures.ignored(copies), "{rest}");
                for &document in &all {
                    assert_eq!(engine.of(document), ours.of(document), "{rest}, {copies} copies");
                    different +=
                        engine.of(document).len() + usize::from(signatures.ignored(copies) > 0);
                }
            }
        }
        assert!(different > 0);
    }
}
