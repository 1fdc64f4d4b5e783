//! Method `megashingles`: the 15 pairs of 6 super shingles, one in common (Fetterly, Manasse &
//! Najork 2003; in Kołcz & Chowdhury 2008, section 2).
//!
//! 15 keys and no sketch. The same pairs match as by 2 of 6 super shingles; no comparison is
//! needed, and the number of agreeing super shingles is not known.

use super::slots::SLOTS;
use super::super_shingle::Signer;
use crate::broder::parameters::{SHORT, W5};
use crate::{
    About, Document, Evidence, Method, MethodScratch, MethodSpec, Parameter, Signature, Sketch,
    SpecError, Statistics, Unsigned,
};
use lookalike_core::FeatureKind;
use std::sync::Arc;

const PARAMETERS: &[Parameter] = &[W5, SLOTS, SHORT];

pub(super) const ABOUT: About = About {
    name: "megashingles",
    summary: "keeps the 15 pairs of 6 super shingles; two match when they have a pair in common",
    paper: "Fetterly et al. 2003 (in Kołcz & Chowdhury 2008, section 2)",
    parameters: PARAMETERS,
    needs_statistics: crate::NeedsStatistics::Never,
    build,
};

/// Method `megashingles`.
#[derive(Debug)]
struct Megashingles(Signer);

fn build(spec: &MethodSpec, _: Option<Arc<dyn Statistics>>) -> Result<Box<dyn Method>, SpecError> {
    Ok(Box::new(Megashingles(Signer::read(spec, &ABOUT)?)))
}

impl Method for Megashingles {
    fn sign(
        &self,
        document: &Document<'_>,
        scratch: &mut MethodScratch,
        out: &mut Signature,
    ) -> Result<(), Unsigned> {
        self.0.sign(document, scratch, out).map(|_| ())
    }

    fn shingles(&self) -> Option<FeatureKind> {
        Some(self.0.kind())
    }

    fn compare(&self, _: Sketch<'_>, _: Sketch<'_>) -> Evidence {
        Evidence::SameKey
    }

    fn accepts(&self, evidence: Evidence) -> bool {
        evidence == Evidence::SameKey
    }
}

#[cfg(test)]
mod tests {
    use crate::Unsigned;
    use crate::broder::planted::{meet, method, sign, tokens};

    #[test]
    fn copies_have_common_keys_and_unrelated_documents_have_none() {
        let method = method("megashingles");
        let a = sign(&*method, &tokens("the text of a notice that is copied from site to site"))
            .unwrap();
        let b =
            sign(&*method, &tokens("another notice with other words in it altogether")).unwrap();
        assert_eq!((a.keys.len(), a.sketch.len()), (15, 0));
        assert!(meet(&a, &a) && !meet(&a, &b));
        assert_eq!(sign(&*method, &tokens("too short a text")), Err(Unsigned::TooShort));
    }
}
