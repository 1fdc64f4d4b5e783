//! Equality of documents: methods `lexical` and `shingle-equivalent` (Broder 1997, "Identical
//! documents").
//!
//! The sketch is one 128-bit digest of the token sequence (*lexically equivalent*: the same
//! canonical form) or of the set of selected shingles (*shingle-equivalent*). Identical documents
//! are lexically equivalent, and those are shingle-equivalent. The key is 64 bits of the digest;
//! the sketch rejects key collisions.

use super::modulus::{selection, sketch};
use super::parameters::{self, BITS, M, SHORT, W10};
use super::{Selection, Shingling};
use crate::{
    About, Document, Evidence, Method, MethodScratch, MethodSpec, Parameter, Signature, Sketch,
    SpecError, Statistics, Unsigned,
};
use lookalike_core::{FeatureKind, TokenDigest, features};
use std::sync::Arc;

const SELECTED: &[Parameter] = &[W10, M, BITS, SHORT];

pub(super) const LEXICAL: About = About {
    name: "lexical",
    summary: "keeps a digest of the token sequence; two match when it is equal",
    paper: "Broder et al. 1997, \"Identical documents\": lexically-equivalent",
    parameters: &[],
    needs_statistics: crate::NeedsStatistics::Never,
    build: |spec, _| {
        spec.params(&[])?;
        Ok(Box::new(Lexical))
    },
};

pub(super) const SHINGLE_EQUIVALENT: About = About {
    name: "shingle-equivalent",
    summary: "keeps a digest of the shingles that are 0 mod m; two match when it is equal",
    paper: "Broder et al. 1997, \"Identical documents\": shingle-equivalent",
    parameters: SELECTED,
    needs_statistics: crate::NeedsStatistics::Never,
    build: build_shingle_equivalent,
};

/// Method `lexical`.
#[derive(Debug)]
struct Lexical;

/// Method `shingle-equivalent`.
#[derive(Debug)]
struct ShingleEquivalent {
    shingling: Shingling,
    selection: Selection,
}

fn build_shingle_equivalent(
    spec: &MethodSpec,
    _: Option<Arc<dyn Statistics>>,
) -> Result<Box<dyn Method>, SpecError> {
    let params = spec.params(&SHINGLE_EQUIVALENT.parameter_names())?;
    Ok(Box::new(ShingleEquivalent {
        shingling: parameters::shingling(&params, &W10)?,
        selection: selection(&params)?,
    }))
}

/// Writes the digest as sketch, and half of it as key.
fn put(digest: u128, out: &mut Signature) {
    let (high, low) = ((digest >> 64) as u64, digest as u64);
    out.sketch.clear();
    out.sketch.extend([high, low]);
    out.keys.push(high);
}

/// Compares two digests: agreement of one value of one.
fn compare(a: Sketch<'_>, b: Sketch<'_>) -> Evidence {
    Evidence::Agreement { equal: u32::from(a.words == b.words), of: 1 }
}

fn accepts(evidence: Evidence) -> bool {
    evidence == Evidence::Agreement { equal: 1, of: 1 }
}

impl Method for Lexical {
    fn sign(
        &self,
        document: &Document<'_>,
        _: &mut MethodScratch,
        out: &mut Signature,
    ) -> Result<(), Unsigned> {
        if document.tokens.is_empty() {
            return Err(Unsigned::Empty);
        }
        out.size = u32::try_from(document.tokens.len()).unwrap_or(u32::MAX);
        put(TokenDigest::of(document.tokens).0, out);
        Ok(())
    }

    fn compare(&self, a: Sketch<'_>, b: Sketch<'_>) -> Evidence {
        compare(a, b)
    }

    fn accepts(&self, evidence: Evidence) -> bool {
        accepts(evidence)
    }
}

impl Method for ShingleEquivalent {
    fn sign(
        &self,
        document: &Document<'_>,
        scratch: &mut MethodScratch,
        out: &mut Signature,
    ) -> Result<(), Unsigned> {
        out.size = sketch(self.shingling, &self.selection, document, scratch, &mut out.sketch)?;
        let digest = features::digest(&out.sketch).ok_or(Unsigned::NothingSelected)?;
        put(digest.0, out);
        Ok(())
    }

    fn shingles(&self) -> Option<FeatureKind> {
        Some(self.shingling.kind())
    }

    fn compare(&self, a: Sketch<'_>, b: Sketch<'_>) -> Evidence {
        compare(a, b)
    }

    fn accepts(&self, evidence: Evidence) -> bool {
        accepts(evidence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broder::planted::{meet, method, sign, tokens};
    use lookalike_core::fingerprint;
    use proptest::prelude::*;

    fn same(method: &dyn Method, a: &[u64], b: &[u64]) -> Option<bool> {
        let (Ok(a), Ok(b)) = (sign(method, a), sign(method, b)) else { return None };
        let accepted = method.accepts(method.compare(a.as_sketch(), b.as_sketch()));
        assert_eq!(accepted, meet(&a, &b));
        Some(accepted)
    }

    /// A token hash; never 0, of which a set would make 1.
    fn word_hash(word: u64) -> u64 {
        fingerprint::token(&word.to_le_bytes())
    }

    proptest! {
        #[test]
        fn equal_tokens_and_equal_selected_sets(
            a in prop::collection::vec(0u64..3, 1..12), b in prop::collection::vec(0u64..3, 1..12),
        ) {
            let hash = |words: Vec<u64>| -> Vec<u64> { words.into_iter().map(word_hash).collect() };
            let (a, b) = (hash(a), hash(b));
            prop_assert_eq!(same(&*method("lexical"), &a, &b), Some(a == b));
            let selected = |tokens: &[u64]| {
                let mut out = Vec::new();
                fingerprint::shingles(tokens, 2, |v| out.push(v));
                out.retain(|v| v % 2 == 0);
                out.sort_unstable();
                out.dedup();
                out
            };
            let (sa, sb) = (selected(&a), selected(&b));
            let truth = (!sa.is_empty() && !sb.is_empty()).then(|| sa == sb);
            prop_assert_eq!(same(&*method("shingle-equivalent:w=2,m=2"), &a, &b), truth);
        }
    }

    #[test]
    fn broders_rose_is_shingle_equivalent_to_its_continuation() {
        let (a, b) =
            (tokens("a rose is a rose is a rose"), tokens("a rose is a rose is a rose is a"));
        assert_eq!(same(&*method("lexical"), &a, &b), Some(false));
        assert_eq!(same(&*method("shingle-equivalent:w=4,m=1"), &a, &b), Some(true));
        assert_eq!(sign(&*method("lexical"), &[]), Err(Unsigned::Empty));
        let whole = method("shingle-equivalent:short=whole");
        assert_eq!(same(&*whole, &a, &a), Some(true));
        assert_eq!(same(&*whole, &a, &b), Some(false));
        assert!(crate::build(&"lexical:w=3".parse().unwrap(), None).is_err());
    }
}
