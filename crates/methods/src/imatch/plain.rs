//! I-Match with one signature: Chowdhury et al. 2002 and, with a lexicon, Kołcz & Chowdhury 2008,
//! section 3.

use super::filter::{Filter, Selection};
use super::nidf::Frequencies;
use super::ranks::{candidate, cut, place};
use super::reliability::Reliability;
use super::sum::{self, Sum};
use crate::{
    Agreement, Document, Evidence, Method, MethodScratch, MethodSpec, Signature, Sketch, SpecError,
    Statistics, Unsigned,
};
use lookalike_core::FeatureKind;
use lookalike_core::features::distinct;
use std::sync::Arc;

/// The distinct terms that a filter keeps, as one digest. O(tokens).
#[derive(Debug)]
pub struct IMatch {
    statistics: Arc<dyn Statistics>,
    selection: Selection,
    /// The frequency of a term that is not in the statistics.
    unknown: u32,
    secondary: Frequencies,
    reliability: Reliability,
    term_filter: String,
}

pub(super) fn build(
    spec: &MethodSpec,
    statistics: Option<Arc<dyn Statistics>>,
) -> Result<Box<dyn Method>, SpecError> {
    let params = spec.params(&["filter", "nidf", "min", "share", "fill", "terms"])?;
    let statistics = statistics.ok_or_else(|| SpecError::StatisticsMissing(spec.to_string()))?;
    let range = statistics.frequency_range();
    let reliability = Reliability::of(&params, 1)?;
    let (selection, unknown, rarest) = match super::window(&params, None)? {
        Some((low, high)) => {
            if params.text("filter").is_some() {
                return Err(params.bad("filter", "either a filter or nidf=LOW..HIGH, not both"));
            }
            let lexicon = Frequencies::of_nidf(low, high, range);
            (Selection::Frequencies([lexicon; 2]), 0, lexicon)
        }
        None => {
            let filter: Filter = params.get(
                "filter",
                Filter::IdfL(10),
                "baseline, or doc-l-90, doc-h-10, docr-i-10-90, docr-o-10-90, idf-l-10, idf-h-10, \
                 idfr-i-10-90, idfr-o-10-90 or the like",
            )?;
            let selection = filter.selection(range);
            let rarest = match selection {
                Selection::Frequencies([one, _]) => one,
                _ if reliability.fill.is_some() => {
                    return Err(
                        params.bad("fill", "only with a lexicon, which nidf=LOW..HIGH makes")
                    );
                }
                _ => Frequencies { least: 1, most: 0 },
            };
            (selection, 1, rarest)
        }
    };
    Ok(Box::new(IMatch {
        statistics,
        selection,
        unknown,
        secondary: reliability.secondary(rarest, range),
        reliability,
        term_filter: params.text("terms").unwrap_or_default().to_owned(),
    }))
}

impl Method for IMatch {
    fn sign(
        &self,
        document: &Document<'_>,
        scratch: &mut MethodScratch,
        out: &mut Signature,
    ) -> Result<(), Unsigned> {
        let MethodScratch { known, values, counts, .. } = scratch;
        let terms = distinct(document.tokens, FeatureKind::Terms, known);
        if terms.is_empty() {
            return Err(Unsigned::Empty);
        }
        out.size = terms.len() as u32;
        let mut sum = Sum::default();
        let needed = self.reliability.needed(terms.len());
        if self.selection != Selection::All {
            self.statistics.frequencies(terms, counts);
        }
        values.clear();
        match self.selection {
            Selection::All => terms.iter().for_each(|&term| sum.add(term)),
            Selection::Ranks(ranks) => {
                let ranked = counts.iter().map(|&known| known.max(self.unknown)).enumerate();
                values.extend(ranked.map(|(at, frequency)| candidate(frequency, at)));
                for part in ranks.select(terms, values) {
                    part.iter().for_each(|&chosen| sum.add(terms[place(chosen)]));
                }
            }
            Selection::Frequencies([one, other]) => {
                for (at, (&term, &known)) in terms.iter().zip(counts.iter()).enumerate() {
                    let frequency = known.max(self.unknown);
                    let chosen = one.contains(frequency) | other.contains(frequency);
                    sum.add_if(chosen, term);
                    // Not `&&`: without a secondary lexicon this is always false, and the branch is
                    // predicted.
                    if !chosen & self.secondary.contains(frequency) {
                        values.push(candidate(frequency, at));
                    }
                }
                let missing = needed.saturating_sub(sum.count as usize).min(values.len());
                cut(terms, values, missing);
                values[..missing].iter().for_each(|&chosen| sum.add(terms[place(chosen)]));
            }
        }
        if (sum.count as usize) < needed {
            return Err(Unsigned::NothingSelected);
        }
        sum.sign(0, out);
        Ok(())
    }

    fn term_filter(&self) -> &str {
        &self.term_filter
    }

    fn compare(&self, a: Sketch<'_>, b: Sketch<'_>) -> Evidence {
        sum::compare(a, b)
    }

    fn agreement(&self, a: Sketch<'_>, b: Sketch<'_>) -> Agreement {
        sum::agreement(a, b)
    }

    fn signature_terms(
        &self,
        document: &Document<'_>,
        _: u32,
        scratch: &mut MethodScratch,
        chosen: &mut Vec<u64>,
    ) {
        let MethodScratch { known, values, counts, .. } = scratch;
        let terms = distinct(document.tokens, FeatureKind::Terms, known);
        self.statistics.frequencies(terms, counts);
        chosen.clear();
        values.clear();
        let needed = self.reliability.needed(terms.len());
        match self.selection {
            Selection::All => chosen.extend_from_slice(terms),
            Selection::Ranks(ranks) => {
                let ranked = counts.iter().map(|&known| known.max(self.unknown)).enumerate();
                values.extend(ranked.map(|(at, frequency)| candidate(frequency, at)));
                let parts = ranks.select(terms, values);
                chosen
                    .extend(parts.iter().flat_map(|part| part.iter().map(|&at| terms[place(at)])));
            }
            Selection::Frequencies([one, other]) => {
                for (at, (&term, &known)) in terms.iter().zip(counts.iter()).enumerate() {
                    let frequency = known.max(self.unknown);
                    if one.contains(frequency) || other.contains(frequency) {
                        chosen.push(term);
                    } else if self.secondary.contains(frequency) {
                        values.push(candidate(frequency, at));
                    }
                }
                let missing = needed.saturating_sub(chosen.len()).min(values.len());
                cut(terms, values, missing);
                chosen.extend(values[..missing].iter().map(|&at| terms[place(at)]));
            }
        }
        if chosen.len() < needed {
            chosen.clear();
        }
        sum::rarest_first(&*self.statistics, chosen);
    }

    fn accepts(&self, evidence: Evidence) -> bool {
        evidence == Evidence::SameKey
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Counted, named_digest, sign, terms_of};
    use super::super::{Filter, Share};
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Eight documents; a to d are in 8, 4, 2 and 1 of them: nidf 0, 1/3, 2/3, 1.
    fn eight() -> Counted {
        Counted::new(8, &[("a", 8), ("b", 4), ("c", 2), ("d", 1)])
    }

    /// The terms that a method keeps, found by signing every subset.
    fn kept(spec: &str, text: &str) -> Result<String, Unsigned> {
        let signature = sign(spec, eight(), text)?;
        let words: BTreeSet<&str> = text.split(' ').collect();
        let words: Vec<&str> = words.into_iter().collect();
        let subset = (1..1u32 << words.len()).find_map(|bits| {
            let chosen: Vec<&str> = words
                .iter()
                .enumerate()
                .filter(|(i, _)| bits >> i & 1 == 1)
                .map(|(_, w)| *w)
                .collect();
            let digest = lookalike_core::features::digest(&terms_of(&chosen.join(" ")))?.0;
            (signature.sketch == [(digest >> 64) as u64, digest as u64]).then(|| chosen.join(" "))
        });
        Ok(subset.expect("a signature is that of a subset of the terms"))
    }

    #[test]
    fn filters_by_hand() {
        for (spec, expected) in [
            ("imatch", "b c d x"), // idf-l-10; x is in no document and has frequency 1
            ("imatch:filter=baseline", "a b c d x"),
            ("imatch:filter=idf-h-50", "a b"),
            ("imatch:filter=idfr-i-10-90", "b c"),
            ("imatch:nidf=0.3..1", "b c d"), // a term of no document is in no lexicon
            ("imatch:nidf=0.334..0.9", "c"),
            ("imatch:filter=doc-h-80", "a"),
            ("imatch:filter=doc-h-40", "a b c"),
            ("imatch:filter=doc-l-40", "c d x"),
            ("imatch:filter=docr-i-20-60", "b c"),
        ] {
            assert_eq!(kept(spec, "x d c b a a x").as_deref(), Ok(expected), "{spec}");
        }
    }

    #[test]
    fn too_few_terms_are_filled_up_or_rejected() {
        let rejected = Err(Unsigned::NothingSelected);
        for (spec, text, expected) in [
            // L = {a}; B = {b, c, d} in this order.
            ("imatch:nidf=0..0.1", "a b c d", Ok("a")),
            ("imatch:nidf=0..0.1,min=2", "a b c d", rejected),
            ("imatch:nidf=0..0.1,min=2,fill=1", "a b c d", Ok("a b")),
            ("imatch:nidf=0..0.1,min=2,fill=1", "a d c", Ok("a c")),
            ("imatch:nidf=0..0.1,min=3,fill=0.7", "a b d", rejected), // d is rarer than the terms of B
            ("imatch:nidf=0..0.1,min=3,fill=1", "a b x y", rejected), // x, y are in no lexicon
            ("imatch:nidf=0..0.1,share=0.5,fill=1", "a b c d", Ok("a b")),
            ("imatch:nidf=0..0.1,share=0.501,fill=1", "a b c d", Ok("a b c")),
            ("imatch:nidf=0..0.1,share=0.5", "a x", Ok("a")),
            ("imatch:nidf=0..0.1,share=0.5", "a x y", rejected),
            // Terms more frequent than those of L are never added.
            ("imatch:nidf=0.3..0.4,min=2,fill=1", "a b", rejected),
            ("imatch:filter=idf-h-10,min=2,fill=1", "a b c d", Ok("a b")),
        ] {
            assert_eq!(kept(spec, text), expected.map(str::to_owned), "{spec} on {text}");
        }
    }

    /// The baseline of Table IX is a syntactic filter.
    #[test]
    fn the_baseline_is_syntactic() {
        let (spec, text) = ("imatch:filter=baseline", "d c a c x");
        assert_eq!(sign(spec, eight(), text), sign("syntactic", eight(), text));
    }

    #[test]
    fn documents_without_terms() {
        let method = crate::build(&"imatch".parse().unwrap(), Some(Arc::new(eight()))).unwrap();
        let empty = method.sign(
            &Document::default(),
            &mut MethodScratch::default(),
            &mut Signature::default(),
        );
        assert_eq!(empty, Err(Unsigned::Empty));
        assert_eq!(kept("imatch:filter=idf-h-10", "x y"), Err(Unsigned::NothingSelected));
    }

    #[test]
    fn what_does_not_fit_is_said() {
        for (spec, part) in [
            ("imatch:filter=doc-x-1", "doc-l-90"),
            ("imatch:nidf=0.8..0.2", "LOW..HIGH"),
            ("imatch:nidf=0.2..0.8,filter=idf-l-10", "not both"),
            ("imatch:filter=doc-l-90,fill=1", "only with a lexicon"),
            ("imatch:min=0", "at least 1"),
            ("imatch:share=2", "from 0 to 1"),
            ("imatch:fill=x", "from 0 to 1"),
            ("imatch:copies=2", "no parameter"),
        ] {
            let error = crate::build(&spec.parse().unwrap(), Some(Arc::new(eight()))).unwrap_err();
            assert!(error.to_string().contains(part), "{spec}: {error}");
        }
        let missing = crate::build(&"imatch".parse().unwrap(), None).unwrap_err();
        assert!(missing.to_string().contains("the setting lexicon"));
        let spec = "imatch:terms=nosc+stem".parse().unwrap();
        let method = crate::build(&spec, Some(Arc::new(eight()))).unwrap();
        assert_eq!(method.term_filter(), "nosc+stem");
        assert_eq!(Share::ONE.to_string(), "1");
    }

    proptest! {
        /// Order and repetition of terms do not matter, under any filter; one key at most.
        #[test]
        fn only_the_set_of_terms_matters(
            words in proptest::collection::vec(0..40u32, 1..60),
            seed: u64,
            level in 0..53usize,
        ) {
            let filter = Filter::table_ix().nth(level).unwrap();
            let statistics = Counted::numbered(40, 64);
            let spec = format!("imatch:filter={filter}");
            let text = |words: &[u32]| words.iter().map(|w| format!("w{w}")).collect::<Vec<_>>().join(" ");
            let mut shuffled: Vec<u32> = words.iter().chain(&words).copied().collect();
            shuffled.sort_by_key(|&word| lookalike_core::fingerprint::finalise(u64::from(word) ^ seed));
            let one = sign(&spec, statistics.clone(), &text(&words));
            prop_assert_eq!(&one, &sign(&spec, statistics, &text(&shuffled)));
            prop_assert!(one.is_err() || one.as_ref().unwrap().keys.len() == 1);
            // The terms that are named are those of the signature.
            let statistics = Counted::numbered(40, 64);
            let signed = one.map_or([0, 0], |one| [one.sketch[0], one.sketch[1]]);
            prop_assert_eq!(named_digest(&spec, statistics, &text(&words), 0), signed);
        }
    }
}
