//! Web pages as queries against their collection: Kołcz & Chowdhury 2008, section 7.1.

use super::Collections;
use super::quality::{Quality, judge};
use crate::corpus::Corpus;
use crate::run::{Neighbours, cosine, search};
use crate::signatures::Signatures;
use crate::tokens::Tokens;
use anyhow::Result;
use lookalike_engine::Approach;
use lookalike_lexicon::Lexicon;
use std::sync::Arc;

/// The copies of the lexicon are drawn this many times, and the results averaged.
pub(super) const SEEDS: u64 = 3;

/// The pages with a page at a cosine of 0.9 or more, and what they should find.
pub(super) struct WebQueries {
    pub(super) web: Corpus,
    pub(super) queries: Vec<u32>,
    pub(super) truth: Neighbours,
    tokens: Tokens,
}

impl WebQueries {
    /// All web pages as one collection; the truth is the exact join.
    pub(super) fn new(collections: &Collections) -> Result<Self> {
        let web = Corpus::joined(&collections.web)?;
        let truth = search(&web, Approach::default(), cosine("0.9")?, true)?.neighbours();
        let has_neighbours = |&query: &u32| !truth.of(query).is_empty();
        let queries = (0..web.len() as u32).filter(has_neighbours).collect();
        let tokens = Tokens::new(&web, "kolcz");
        Ok(Self { web, queries, truth, tokens })
    }

    /// Recall and precision for each of these numbers of copies, with the lexicon `nidf` and a rule.
    pub(super) fn quality(
        &self,
        nidf: &str,
        rule: &str,
        copies: &[usize],
        lexicon: &Arc<Lexicon>,
    ) -> Result<Vec<Quality>> {
        let most = copies.iter().max().copied().unwrap_or(0);
        let mut drawings = vec![Vec::new(); copies.len()];
        for seed in 1..=SEEDS {
            let spec = format!(
                "imatch-random:nidf={nidf},copies={most},drop=0.33,seed={seed},terms=kolcz,{rule}"
            );
            let met = Signatures::new(&self.tokens, &spec, lexicon)?.met(&self.queries);
            for (drawings, &copies) in drawings.iter_mut().zip(copies) {
                drawings.push(judge(&self.queries, &self.truth, &met.with(copies)));
            }
        }
        Ok(drawings.iter().map(|drawings| Quality::mean(drawings)).collect())
    }
}
