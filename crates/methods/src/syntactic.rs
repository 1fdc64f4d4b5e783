//! One hash of the filtered distinct tokens (Chowdhury et al. 2002, section 4.2, Table II).
//!
//! The filter of text and tokens is applied before signing: [`Method::term_filter`] names it. The
//! sketch is one 128-bit [set digest](lookalike_core::features::digest) of the remaining terms, so
//! two documents match if they have the same set of terms: their order and repetition do not
//! matter.

use crate::imatch::sum::{self, Sum};
use crate::{
    About, Document, Evidence, Method, MethodScratch, MethodSpec, Parameter, Signature, Sketch,
    SpecError, Statistics, Unsigned,
};
use lookalike_core::FeatureKind;
use lookalike_core::features::distinct;
use std::sync::Arc;

/// The methods of this family.
pub(crate) const METHODS: &[About] = &[About {
    name: "syntactic",
    summary: "one hash of the filtered distinct terms; two match when it is equal",
    paper: "Chowdhury et al. 2002, section 4.2",
    parameters: &[Parameter {
        name: "filter",
        default: "stop+tg5+tl25+nosc+stem",
        help: "term filter: all, or rules joined by + (stop, tg5, tl25, nosc, stem, …)",
    }],
    needs_statistics: crate::NeedsStatistics::Never,
    build,
}];

/// The row of Table II with the fewest unmatched documents.
const BEST: &str = "stop+tg5+tl25+nosc+stem";

/// The distinct terms, as one digest. O(tokens).
#[derive(Debug)]
pub struct Syntactic {
    term_filter: String,
}

fn build(
    spec: &MethodSpec,
    _statistics: Option<Arc<dyn Statistics>>,
) -> Result<Box<dyn Method>, SpecError> {
    let params = spec.params(&["filter"])?;
    Ok(Box::new(Syntactic { term_filter: params.text("filter").unwrap_or(BEST).to_owned() }))
}

impl Method for Syntactic {
    fn sign(
        &self,
        document: &Document<'_>,
        scratch: &mut MethodScratch,
        out: &mut Signature,
    ) -> Result<(), Unsigned> {
        let terms = distinct(document.tokens, FeatureKind::Terms, &mut scratch.known);
        if terms.is_empty() {
            return Err(Unsigned::Empty);
        }
        out.size = terms.len() as u32;
        let mut sum = Sum::default();
        terms.iter().for_each(|&term| sum.add(term));
        sum.sign(0, out);
        Ok(())
    }

    fn term_filter(&self) -> &str {
        &self.term_filter
    }

    fn compare(&self, a: Sketch<'_>, b: Sketch<'_>) -> Evidence {
        sum::compare(a, b)
    }

    fn accepts(&self, evidence: Evidence) -> bool {
        evidence == Evidence::SameKey
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike_core::fingerprint::token;

    fn signed(text: &str) -> Result<Signature, Unsigned> {
        let method = crate::build(&"syntactic".parse().unwrap(), None).unwrap();
        let tokens: Vec<u64> = text.split_whitespace().map(|word| token(word.as_bytes())).collect();
        let mut out = Signature::default();
        let document = Document { tokens: &tokens, ..Document::default() };
        method.sign(&document, &mut MethodScratch::default(), &mut out).map(|()| out)
    }

    #[test]
    fn only_the_set_of_terms_matters() {
        let one = signed("to be or not to be").unwrap();
        assert_eq!(one, signed("not or to be").unwrap());
        assert_ne!(one.keys, signed("not or to").unwrap().keys);
        assert_eq!((one.keys.len(), one.size), (1, 4));
        assert_eq!(signed(""), Err(Unsigned::Empty));
    }

    #[test]
    fn the_term_filter_is_named() {
        let default = crate::build(&"syntactic".parse().unwrap(), None).unwrap();
        assert_eq!(default.term_filter(), METHODS[0].parameters[0].default);
        let chosen = crate::build(&"syntactic:filter=stop+stem".parse().unwrap(), None).unwrap();
        assert_eq!(chosen.term_filter(), "stop+stem");
    }
}
