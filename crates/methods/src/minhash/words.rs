//! LSH on words (Haveliwala, Gionis & Indyk 2000, as Kołcz & Chowdhury 2008, section 4, describe
//! it), and method `word-lsh`.
//!
//! The 125 keys are each the hash of the document's first k distinct terms under a random order of
//! all words: that of the hash of the term, times an odd random number. Documents with an equal key
//! are candidates and are verified by word overlap: the resemblance of their term sets, stored up
//! to a number of terms and sampled by [`minimum`] beyond it.
//!
//! The first k terms of the union are in both documents with a probability near s^k (C(c, k) / C(u,
//! k) for c of u in common), so that candidates follow the S-curve of 125 bands of k rows.

use super::Bands;
use super::bands::numbered;
use super::lsh::{RECALL, missed};
use crate::broder::minimum;
use crate::broder::parameters::{self, SHORT, T_80};
use crate::{
    About, Document, Evidence, Method, MethodScratch, MethodSpec, Parameter, Signature, Sketch,
    SpecError, Statistics, Unsigned,
};
use lookalike_core::fingerprint::finalise;
use lookalike_core::{FeatureKind, Measure, Overlap, ShortDocuments, Threshold, features, overlap};
use std::sync::Arc;

const SIGNATURES: Parameter =
    Parameter { name: "signatures", default: "125", help: "random orders of the words" };

const K: Parameter = Parameter {
    name: "k",
    default: "",
    help: "words in a signature (default: the largest number that reaches the recall at t)",
};

const TERMS: Parameter = Parameter {
    name: "terms",
    default: "1024",
    help: "terms kept for verification; for documents with more, the overlap is estimated",
};

const PARAMETERS: &[Parameter] = &[SIGNATURES, T_80, RECALL, K, TERMS, SHORT];

pub(super) const ABOUT: About = About {
    name: "word-lsh",
    summary: "keeps the first k words under each of 125 random orders; two match when one of these is \
              equal and the word overlap reaches t",
    paper: "Haveliwala et al. 2000 (in Kołcz & Chowdhury 2008, sections 2 and 4)",
    parameters: PARAMETERS,
    needs_statistics: crate::NeedsStatistics::Never,
    build,
};

/// Random orders of all words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Orders {
    multipliers: Vec<u64>,
    k: usize,
}

impl Orders {
    /// `orders` fixed orders, of which the first `k` words are used; both at least 1.
    #[must_use]
    pub fn new(orders: u32, k: u32) -> Self {
        let multipliers = (1..=u64::from(orders.max(1))).map(|i| finalise(i) | 1).collect();
        Self { multipliers, k: k.max(1) as usize }
    }

    /// k.
    #[must_use]
    pub fn words(&self) -> usize {
        self.k
    }

    /// Appends a key for each order: of the first k of these distinct terms, or of all of them if
    /// there are fewer. `places` is a buffer. O(orders · (terms + k)) expected.
    pub fn keys(&self, terms: &[u64], places: &mut Vec<u64>, out: &mut Vec<u64>) {
        let k = self.k.min(terms.len());
        places.clear();
        places.resize(terms.len() + 1, 0);
        // Positions are uniform, so slightly more than the first k are below this bound; if fewer
        // than k are (one order in forty), all are scanned again.
        let likely = bound(k, terms.len());
        for (number, &multiplier) in (0..).zip(&self.multipliers) {
            let mut found = below(terms, multiplier, likely, places);
            if found < k {
                found = below(terms, multiplier, u64::MAX, places);
            }
            if found > k {
                places[..found].select_nth_unstable(k);
            }
            out.push(numbered(number, set_digest(&places[..k])));
        }
    }
}

/// Fingerprint of the first k as a set; their order does not matter.
fn set_digest(places: &[u64]) -> u64 {
    places.iter().fold(0, |sum: u64, &place| sum.wrapping_add(finalise(place)))
}

/// Upper bound of the first k of n positions, exceeded only by a deviation of more than 2 standard
/// deviations.
fn bound(k: usize, n: usize) -> u64 {
    let likely = k + 2 * (k.isqrt() + 1);
    if likely >= n { u64::MAX } else { u64::MAX / n as u64 * likely as u64 }
}

/// Writes the positions of the terms up to `bound` to `places`, which is one longer than `terms`,
/// and returns their number. Branchless.
fn below(terms: &[u64], multiplier: u64, bound: u64, places: &mut [u64]) -> usize {
    let mut found = 0;
    for &term in terms {
        let place = term.wrapping_mul(multiplier);
        places[found] = place;
        found += usize::from(place <= bound);
    }
    found
}

/// Method `word-lsh`.
#[derive(Debug)]
struct WordLsh {
    orders: Orders,
    terms: u32,
    threshold: Threshold,
    short: ShortDocuments,
}

/// The maximum number of words per signature with which a pair at `t` is found with probability
/// `recall`.
#[must_use]
pub fn words_for(t: f64, recall: f64, signatures: u32) -> Option<u32> {
    let suffices = |&rows: &u32| Bands { bands: signatures, rows }.probability(t) >= recall;
    (1..=64).take_while(suffices).last()
}

fn build(spec: &MethodSpec, _: Option<Arc<dyn Statistics>>) -> Result<Box<dyn Method>, SpecError> {
    let params = spec.params(&ABOUT.parameter_names())?;
    let signatures = parameters::count(&params, &SIGNATURES, 4096)?;
    let threshold = parameters::threshold(&params, &T_80)?;
    let missed = missed(&params)?;
    let k = match params.text(K.name) {
        Some(_) => parameters::count(&params, &K, 1000)?,
        None => words_for(threshold.as_f64(), 1.0 - missed, signatures).ok_or_else(|| {
            params.bad(SIGNATURES.name, "more: so few cannot find pairs at t with this recall")
        })?,
    };
    Ok(Box::new(WordLsh {
        orders: Orders::new(signatures, k),
        terms: parameters::count(&params, &TERMS, 1 << 20)?,
        threshold,
        short: parameters::short(&params)?,
    }))
}

impl Method for WordLsh {
    fn sign(
        &self,
        document: &Document<'_>,
        scratch: &mut MethodScratch,
        out: &mut Signature,
    ) -> Result<(), Unsigned> {
        if document.tokens.is_empty() {
            return Err(Unsigned::Empty);
        }
        let MethodScratch { known, values, .. } = scratch;
        let features = features::distinct(document.tokens, FeatureKind::Terms, known);
        if features.len() < self.orders.words() && self.short == ShortDocuments::Ignore {
            return Err(Unsigned::TooShort);
        }
        out.size = u32::try_from(features.len()).unwrap_or(u32::MAX);
        self.orders.keys(features, values, &mut out.keys);
        minimum::smallest(features, self.terms as usize, &mut out.sketch);
        Ok(())
    }

    fn compare(&self, a: Sketch<'_>, b: Sketch<'_>) -> Evidence {
        if a.size.max(b.size) <= self.terms {
            // All terms are stored: the counts are those of the sets.
            return Evidence::Sampled(Overlap {
                shared: overlap(a.words, b.words),
                a: a.size,
                b: b.size,
            });
        }
        let (equal, of) = minimum::agreement(a.words, b.words, self.terms);
        Evidence::Agreement { equal, of }
    }

    fn estimates(&self) -> bool {
        true
    }

    fn accepts(&self, evidence: Evidence) -> bool {
        match evidence {
            Evidence::Sampled(counts) => Measure::Resemblance.reaches(self.threshold, counts),
            Evidence::Agreement { equal, of } => minimum::reaches(self.threshold, equal, of),
            Evidence::Exact(_) | Evidence::Distance(_) | Evidence::SameKey => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broder::planted::{Random, meet, method, sign, tokens};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keys_are_of_the_first_words_of_each_order(terms in prop::collection::btree_set(any::<u64>(), 1..40), k in 1u32..12) {
            let orders = Orders::new(5, k);
            let terms: Vec<u64> = terms.into_iter().collect();
            let mut keys = Vec::new();
            orders.keys(&terms, &mut vec![3, 2, 1], &mut keys);
            for (number, key) in keys.into_iter().enumerate() {
                let mut sorted: Vec<u64> =
                    terms.iter().map(|t| t.wrapping_mul(finalise(number as u64 + 1) | 1)).collect();
                sorted.sort_unstable();
                sorted.truncate(k as usize);
                prop_assert_eq!(key, numbered(number as u64, set_digest(&sorted)));
            }
        }
    }

    /// Terms that all come late in the first order: fewer than k below the likely bound.
    #[test]
    fn an_order_with_late_terms_only_is_scanned_again() {
        let (orders, multiplier) = (Orders::new(1, 2), finalise(1) | 1);
        let inverse = (0..6).fold(1u64, |inverse, _| {
            inverse.wrapping_mul(2u64.wrapping_sub(multiplier.wrapping_mul(inverse)))
        });
        let places: Vec<u64> = (0..100).map(|i| u64::MAX - 100 + i).collect();
        let terms: Vec<u64> = places.iter().rev().map(|p| p.wrapping_mul(inverse)).collect();
        let mut keys = Vec::new();
        orders.keys(&terms, &mut Vec::new(), &mut keys);
        assert_eq!(keys, [numbered(0, set_digest(&places[..2]))]);
    }

    #[test]
    fn words_for_a_recall() {
        // 1−(1−0.8¹⁶)¹²⁵ = 0.971, with 17 words 0.942.
        assert_eq!(words_for(0.8, 0.95, 125), Some(16));
        assert_eq!(words_for(0.01, 0.95, 125), None);
    }

    #[test]
    fn candidates_follow_the_curve_and_pairs_at_the_threshold_are_found() {
        let mut random = Random(13);
        let method = method("word-lsh");
        let rounds = 400;
        for (shared, each, is_match) in [(800, 900, true), (700, 850, false)] {
            let counts = Overlap { shared, a: each, b: each };
            let mut met = 0;
            for _ in 0..rounds {
                let (a, b) = random.pair(counts);
                let (a, b) = (sign(&*method, &a).unwrap(), sign(&*method, &b).unwrap());
                met += u32::from(meet(&a, &b));
                let evidence = method.compare(a.as_sketch(), b.as_sketch());
                assert_eq!(evidence, Evidence::Sampled(counts));
                assert_eq!(method.accepts(evidence), is_match);
            }
            let share = f64::from(met) / f64::from(rounds);
            let expected = Bands { bands: 125, rows: 16 }.probability(counts.resemblance());
            let error = (expected * (1.0 - expected) / f64::from(rounds)).sqrt();
            // 0.02: first words are drawn without replacement, which the formula ignores.
            assert!((share - expected).abs() < 4.0 * error + 0.02, "{share}, not {expected}");
        }
    }

    #[test]
    fn long_documents_are_sampled() {
        let mut random = Random(14);
        let method = method("word-lsh:terms=200");
        let (a, b) = random.pair(Overlap { shared: 1900, a: 2000, b: 2000 });
        let (a, b) = (sign(&*method, &a).unwrap(), sign(&*method, &b).unwrap());
        assert_eq!((a.sketch.len(), a.size), (200, 2000));
        let evidence = method.compare(a.as_sketch(), b.as_sketch());
        assert!(
            matches!(evidence, Evidence::Agreement { equal: 170..200, of: 200 }),
            "{evidence:?}"
        );
        assert!(method.accepts(evidence));
    }

    #[test]
    fn order_and_repetition_of_words_do_not_matter() {
        let method = method("word-lsh:k=3");
        let a = sign(&*method, &tokens("to be or not to be")).unwrap();
        assert_eq!(a, sign(&*method, &tokens("or not be be to to")).unwrap());
        assert_eq!((a.size, a.keys.len()), (4, 125));
        assert_eq!(sign(&*method, &tokens("to be to be")), Err(Unsigned::TooShort));
        let whole = self::method("word-lsh:k=3,short=whole");
        let b = sign(&*whole, &tokens("to be to be")).unwrap();
        assert!(meet(&b, &sign(&*whole, &tokens("be to")).unwrap()));
        assert!(!meet(&b, &sign(&*whole, &tokens("be or")).unwrap()));
    }
}
