//! LSH on words (Haveliwala, Gionis & Indyk 2000, as Kołcz & Chowdhury 2008, section 4, describe
//! it), and method `word-lsh`.
//!
//! The 125 keys are each the hash of the document's first k distinct terms under a random order of
//! all words: that of the hash of the term, times an odd random number. Documents with an equal key
//! are candidates and are verified by word overlap: the resemblance of their term sets, stored up
//! to a number of terms and sampled by [`minimum`] beyond it.
//!
//! The first k of the u terms of two documents are among the c that they share with probability
//! C(c, k) / C(u, k): near s^k for long documents, and less for short ones, because words are drawn
//! without replacement. So k depends on the size (`KeySizes`), and a pair at t is found with the
//! same recall whatever its size.

use super::bands::{numbered, power};
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
    help: "words in a signature (default: by the size of the document, the largest number that reaches the recall at t)",
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

/// Appends a key for each of `orders` fixed orders of all words: of the first k of these distinct
/// terms, or of all of them if there are fewer. `places` is a buffer. O(orders · (terms + k))
/// expected.
fn push_keys(orders: u32, k: u32, terms: &[u64], places: &mut Vec<u64>, out: &mut Vec<u64>) {
    let k = (k as usize).min(terms.len());
    places.clear();
    places.resize(terms.len() + 1, 0);
    // Positions are uniform, so slightly more than the first k are below this bound; if fewer
    // than k are (one order in forty), all are scanned again.
    let likely = bound(k, terms.len());
    for order in 0..u64::from(orders) {
        let multiplier = multiplier(order);
        let mut found = below(terms, multiplier, likely, places);
        if found < k {
            found = below(terms, multiplier, u64::MAX, places);
        }
        if found > k {
            places[..found].select_nth_unstable(k);
        }
        out.push(numbered(order, set_digest(&places[..k])));
    }
}

/// The odd number that makes an order of all words.
fn multiplier(order: u64) -> u64 {
    finalise(order + 1) | 1
}

/// The words of a key by the size of a document: one number for each class of sizes from 2^i to
/// 2^(i+1) − 1; the last one is that of all larger sizes.
///
/// A pair is found by the keys of the class of its smaller document, so a document has keys for
/// each class that a smaller partner can have.
#[derive(Debug, Clone, PartialEq)]
struct KeySizes {
    classes: Vec<u32>,
    threshold: f64,
}

impl KeySizes {
    /// The same number for all documents.
    fn fixed(k: u32) -> Self {
        Self { classes: vec![k], threshold: 1.0 }
    }

    /// The largest numbers with which a pair at `t` or above is found with probability `recall`;
    /// `None` if one word is too much.
    fn choose(t: f64, recall: f64, orders: u32) -> Option<Self> {
        let largest = |share: &dyn Fn(u32) -> f64| {
            let found = |&k: &u32| 1.0 - power(1.0 - share(k), orders) >= recall;
            (1..=64).take_while(found).last()
        };
        let unlimited = largest(&|k| power(t, k))?;
        let mut classes = Vec::new();
        for class in 0..32 {
            // Of all pairs at t or above whose smaller document has this size, two documents of
            // equal size exactly at t have the smallest union, and are the hardest to find.
            let union = f64::from(1u32 << class) * 2.0 / (1.0 + t);
            let k = largest(&|k| drawn_in_common(t * union, union, k))?;
            classes.push(k);
            if k == unlimited {
                break;
            }
        }
        Some(Self { classes, threshold: t })
    }

    /// The number of a document of `size` terms, without those for smaller partners.
    fn own(&self, size: usize) -> u32 {
        self.classes[(size.max(1).ilog2() as usize).min(self.classes.len() - 1)]
    }

    /// The different numbers for which a document of `size` terms has keys.
    fn of(&self, size: usize) -> impl Iterator<Item = u32> {
        // Rounded down: a class too many costs keys, one too few loses pairs.
        let smallest = (self.threshold * size as f64) as usize;
        (self.own(smallest)..=self.own(size)).filter(|k| self.classes.contains(k))
    }
}

/// C(c, k) / C(u, k): the probability that k of u values, drawn without replacement, are all among
/// c of them. Real c and u bound the integers above them.
fn drawn_in_common(c: f64, u: f64, k: u32) -> f64 {
    (0..k).map(f64::from).map(|i| ((c - i) / (u - i)).max(0.0)).product()
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
    orders: u32,
    /// Words of a key.
    words: KeySizes,
    terms: u32,
    threshold: Threshold,
    short: ShortDocuments,
}

fn build(spec: &MethodSpec, _: Option<Arc<dyn Statistics>>) -> Result<Box<dyn Method>, SpecError> {
    let params = spec.params(&ABOUT.parameter_names())?;
    let signatures = parameters::count(&params, &SIGNATURES, 4096)?;
    let threshold = parameters::threshold(&params, &T_80)?;
    let missed = missed(&params)?;
    let words = match params.text(K.name) {
        Some(_) => KeySizes::fixed(parameters::count(&params, &K, 1000)?),
        None => {
            KeySizes::choose(threshold.as_f64(), 1.0 - missed, signatures).ok_or_else(|| {
                params.bad(SIGNATURES.name, "more: so few cannot find pairs at t with this recall")
            })?
        }
    };
    Ok(Box::new(WordLsh {
        orders: signatures,
        words,
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
        if features.len() < self.words.own(features.len()) as usize
            && self.short == ShortDocuments::Ignore
        {
            return Err(Unsigned::TooShort);
        }
        out.size = u32::try_from(features.len()).unwrap_or(u32::MAX);
        for k in self.words.of(features.len()) {
            push_keys(self.orders, k, features, values, &mut out.keys);
        }
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
            let terms: Vec<u64> = terms.into_iter().collect();
            let mut keys = Vec::new();
            push_keys(5, k, &terms, &mut vec![3, 2, 1], &mut keys);
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
        let multiplier = multiplier(0);
        let inverse = (0..6).fold(1u64, |inverse, _| {
            inverse.wrapping_mul(2u64.wrapping_sub(multiplier.wrapping_mul(inverse)))
        });
        let places: Vec<u64> = (0..100).map(|i| u64::MAX - 100 + i).collect();
        let terms: Vec<u64> = places.iter().rev().map(|p| p.wrapping_mul(inverse)).collect();
        let mut keys = Vec::new();
        push_keys(1, 2, &terms, &mut Vec::new(), &mut keys);
        assert_eq!(keys, [numbered(0, set_digest(&places[..2]))]);
    }

    /// Worked out by hand: 1−(1−0.8¹⁶)¹²⁵ = 0.971, with 17 words 0.942; C(4, 2) / C(5, 2) = 0.6.
    #[test]
    fn words_of_a_key_by_size() {
        let sizes = KeySizes::choose(0.8, 0.95, 125).unwrap();
        assert_eq!(sizes.own(100_000), 16);
        assert!(sizes.classes.is_sorted(), "{sizes:?}");
        assert!((1..4096).all(|size| sizes.own(size) as usize <= size), "{sizes:?}");
        assert_eq!(KeySizes::choose(0.01, 0.95, 125), None);
        assert!((drawn_in_common(4.0, 5.0, 2) - 0.6).abs() < 1e-12);
        assert!(drawn_in_common(4.0, 5.0, 5).abs() < 1e-12);
    }

    /// Every pair of sizes up to 300, with the fewest terms in common that reach t: by integers.
    #[test]
    fn a_pair_of_any_sizes_at_the_threshold_is_found_with_the_recall() {
        for (t, percent) in [(0.8, 80), (0.5, 50), (0.95, 95), (0.3, 30)] {
            let sizes = KeySizes::choose(t, 0.95, 125).unwrap();
            for a in 1..300u32 {
                for b in a..=(a * 100 / percent) {
                    let common = (percent * (a + b)).div_ceil(100 + percent);
                    if common > a {
                        continue;
                    }
                    let union = a + b - common;
                    let k = sizes.own(a as usize);
                    assert!(sizes.of(b as usize).any(|other| other == k), "{a} {b} at {t}");
                    let ways = |n: u32| -> f64 {
                        (0..k).map(|i| f64::from(n.saturating_sub(i)) / f64::from(k - i)).product()
                    };
                    let missed = (1.0 - ways(common) / ways(union)).powi(125);
                    assert!(missed <= 0.05, "{a} {b} at {t} with {k} words: {missed}");
                }
            }
        }
    }

    #[test]
    fn candidates_follow_the_formula_and_pairs_at_the_threshold_are_found() {
        let mut random = Random(13);
        let method = method("word-lsh");
        let sizes = KeySizes::choose(0.8, 0.95, 125).unwrap();
        let rounds = 400;
        for (shared, each, is_match) in
            [(800, 900, true), (700, 850, false), (24, 27, true), (40, 45, true), (80, 90, true)]
        {
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
            // A document may have keys of several sizes; those of the fewest words find the most.
            let k = sizes.of(each as usize).min().unwrap();
            let union = f64::from(2 * each - shared);
            let share = f64::from(met) / f64::from(rounds);
            let one = drawn_in_common(f64::from(shared), union, k);
            let expected = 1.0 - (1.0 - one).powi(125);
            let error = (expected * (1.0 - expected) / f64::from(rounds)).sqrt();
            // Below the formula only by chance; the keys of more words find some pairs beside.
            assert!(share > expected - 4.0 * error - 0.005, "{share}, not {expected} of {each}");
            assert!(share < expected + 4.0 * error + 0.1, "{share}, not {expected} of {each}");
            assert!(!is_match || expected >= 0.95, "{expected} of {each}");
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
