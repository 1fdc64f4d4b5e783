//! Document frequencies for tests.

use crate::{Document, MethodScratch, Signature, Statistics, Unsigned};
use lookalike_core::fingerprint::{finalise, token};
use std::collections::HashMap;
use std::sync::Arc;

#[derive(Debug, Clone)]
pub(super) struct Counted {
    documents: u64,
    frequencies: HashMap<u64, u32>,
}

impl Counted {
    pub(super) fn new(documents: u64, terms: &[(&str, u32)]) -> Self {
        let frequencies =
            terms.iter().map(|(term, n)| (finalise(token(term.as_bytes())), *n)).collect();
        Self { documents, frequencies }
    }

    /// Terms `w0`, `w1`, … of decreasing frequency, some equal.
    pub(super) fn numbered(terms: u32, documents: u32) -> Self {
        let terms: Vec<(String, u32)> =
            (0..terms).map(|i| (format!("w{i}"), (documents / (i / 2 + 1)).max(1))).collect();
        let borrowed: Vec<(&str, u32)> =
            terms.iter().map(|(term, n)| (term.as_str(), *n)).collect();
        Self::new(u64::from(documents), &borrowed)
    }
}

impl Statistics for Counted {
    fn documents(&self) -> u64 {
        self.documents
    }

    fn frequency(&self, term: u64) -> u32 {
        self.frequencies.get(&term).copied().unwrap_or(0)
    }

    fn frequency_range(&self) -> (u32, u32) {
        let values = || self.frequencies.values().copied();
        (values().min().unwrap_or(0), values().max().unwrap_or(0))
    }

    fn checksum(&self) -> u128 {
        0
    }
}

/// The terms of words.
pub(super) fn terms_of(text: &str) -> Vec<u64> {
    text.split(' ').map(|word| finalise(token(word.as_bytes()))).collect()
}

/// Signs a text of words.
pub(super) fn sign(spec: &str, statistics: Counted, text: &str) -> Result<Signature, Unsigned> {
    let method = crate::build(&spec.parse().unwrap(), Some(Arc::new(statistics))).unwrap();
    let tokens: Vec<u64> = text.split(' ').map(|word| token(word.as_bytes())).collect();
    let mut out = Signature::default();
    method.sign(
        &Document { tokens: &tokens, ..Document::default() },
        &mut MethodScratch::default(),
        &mut out,
    )?;
    Ok(out)
}

/// The digest of the terms that a method names for a signature; 0 for none.
pub(super) fn named_digest(
    spec: &str,
    statistics: Counted,
    text: &str,
    signature: u32,
) -> [u64; 2] {
    let method = crate::build(&spec.parse().unwrap(), Some(Arc::new(statistics))).unwrap();
    let tokens: Vec<u64> = text.split(' ').map(|word| token(word.as_bytes())).collect();
    let document = Document { tokens: &tokens, ..Document::default() };
    let mut terms = vec![7];
    method.signature_terms(&document, signature, &mut MethodScratch::default(), &mut terms);
    let digest = lookalike_core::features::digest(&terms).map_or(0, |digest| digest.0);
    [(digest >> 64) as u64, digest as u64]
}
