//! Super shingles: the shingles of the sorted sketch (Broder 1997, "Super shingles"), and method
//! `dsc-ss`.
//!
//! The keys are the fingerprints of all runs of n consecutive values of the sorted `V(D)`. Two
//! documents match if they have one in common: no counts are needed (the paper's third phase).
//! Documents with fewer than n sampled values have none ("super shingles do not work well for short
//! documents"), and containment cannot be detected.

use super::modulus::{compare, selection, sketch};
use super::parameters::{self, BITS, M, SHORT, W10};
use super::{Selection, Shingling};
use crate::{
    About, Document, Evidence, Method, MethodScratch, MethodSpec, Parameter, Signature, Sketch,
    SpecError, Statistics, Unsigned,
};
use lookalike_core::{FeatureKind, Measure, Threshold, fingerprint};
use std::sync::Arc;

const N: Parameter =
    Parameter { name: "n", default: "4", help: "sampled shingles in a super shingle" };

const T: Parameter = Parameter {
    name: "t",
    default: "",
    help: "if given, the resemblance estimated from the sketches must reach it too",
};

const PARAMETERS: &[Parameter] = &[W10, M, BITS, N, T, SHORT];

pub(super) const ABOUT: About = About {
    name: "dsc-ss",
    summary: "keeps the runs of n consecutive values of the sorted dsc sketch; two match when they have \
              one in common",
    paper: "Broder et al. 1997, \"Super shingles\"; sizes in Chowdhury et al. 2002, section 4",
    parameters: PARAMETERS,
    needs_statistics: crate::NeedsStatistics::Never,
    build,
};

/// Appends the fingerprints of all runs of `n` values of a strictly increasing sketch to an empty
/// `out`. O(values).
pub fn super_shingles(sketch: &[u64], n: u32, out: &mut Vec<u64>) {
    fingerprint::shingles(sketch, n as usize, |value| out.push(value));
    out.sort_unstable();
    out.dedup();
}

/// The probability that two documents of resemblance `r` have a super shingle of `n` in common,
/// when their sketches hold `union` different values together. O(union).
///
/// Both have the same n values in a row exactly when the sorted union has n values in a row that
/// are in both; each is with probability r. With f(j) the probability that no such run ends within
/// the first j values, f(j) = f(j−1) − f(j−n−1)·(1−r)·rⁿ: the first run ends at j if the value
/// before the run is not in both (Feller, An Introduction to Probability Theory I, XIII.7).
///
/// ```
/// use lookalike_methods::broder::super_shingle::probability;
///
/// // One run of two among two values.
/// assert!((probability(2, 2, 0.9) - 0.81).abs() < 1e-12);
/// // 40 values: 4 in a row tell 0.9 from 0.2, where 2 in a row do not.
/// assert!(probability(40, 4, 0.9) > 0.99 && probability(40, 4, 0.2) < 0.06);
/// assert!(probability(40, 2, 0.2) > 0.7);
/// ```
#[must_use]
pub fn probability(union: u32, n: u32, r: f64) -> f64 {
    let (union, n) = (union as usize, n as usize);
    if n == 0 || union < n {
        return 0.0;
    }
    let run = (0..n).fold(1.0, |power, _| power * r);
    let mut none = vec![1.0; union + 1];
    none[n] = 1.0 - run;
    for j in n + 1..=union {
        none[j] = none[j - 1] - none[j - n - 1] * (1.0 - r) * run;
    }
    1.0 - none[union]
}

/// Method `dsc-ss`.
#[derive(Debug)]
struct SuperShingles {
    shingling: Shingling,
    selection: Selection,
    n: u32,
    threshold: Option<Threshold>,
}

fn build(spec: &MethodSpec, _: Option<Arc<dyn Statistics>>) -> Result<Box<dyn Method>, SpecError> {
    let params = spec.params(&ABOUT.parameter_names())?;
    let threshold = match params.text(T.name) {
        None => None,
        Some(_) => Some(parameters::threshold(&params, &T)?),
    };
    Ok(Box::new(SuperShingles {
        shingling: parameters::shingling(&params, &W10)?,
        selection: selection(&params)?,
        n: parameters::count(&params, &N, 1000)?,
        threshold,
    }))
}

impl Method for SuperShingles {
    fn sign(
        &self,
        document: &Document<'_>,
        scratch: &mut MethodScratch,
        out: &mut Signature,
    ) -> Result<(), Unsigned> {
        out.size = sketch(self.shingling, &self.selection, document, scratch, &mut out.sketch)?;
        super_shingles(&out.sketch, self.n, &mut out.keys);
        if out.keys.is_empty() {
            out.keys.push(self.shingling.rescue(document, Unsigned::TooShort)?);
        }
        if self.threshold.is_none() {
            out.sketch.clear();
        }
        Ok(())
    }

    fn shingles(&self) -> Option<FeatureKind> {
        Some(self.shingling.kind())
    }

    fn compare(&self, a: Sketch<'_>, b: Sketch<'_>) -> Evidence {
        if self.threshold.is_none() {
            return Evidence::SameKey;
        }
        Evidence::Sampled(compare(a, b))
    }

    fn estimates(&self) -> bool {
        self.threshold.is_some()
    }

    fn accepts(&self, evidence: Evidence) -> bool {
        match (self.threshold, evidence) {
            (None, Evidence::SameKey) => true,
            (Some(t), Evidence::Sampled(counts)) => Measure::Resemblance.reaches(t, counts),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broder::minimum;
    use crate::broder::planted::{Random, meet, method, sign, tokens};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn one_in_common_is_a_run_in_common(
            a in prop::collection::btree_set(0u64..30, 0..25),
            b in prop::collection::btree_set(0u64..30, 0..25), n in 1u32..5,
        ) {
            let keys = |set: &BTreeSet<u64>| {
                let mut out = Vec::new();
                super_shingles(&set.iter().copied().collect::<Vec<_>>(), n, &mut out);
                out
            };
            let union: Vec<u64> = (&a | &b).into_iter().collect();
            let run = union.windows(n as usize).any(|w| w.iter().all(|v| a.contains(v) && b.contains(v)));
            let (ka, kb) = (keys(&a), keys(&b));
            prop_assert_eq!(ka.len(), (a.len() + 1).saturating_sub(n as usize));
            prop_assert_eq!(ka.iter().any(|key| kb.contains(key)), run);
        }

        #[test]
        fn the_probability_is_that_of_all_cases(union in 1u32..12, n in 1u32..5, tenths in 0u32..=10) {
            let r = f64::from(tenths) / 10.0;
            // All 2^union ways to be in both or not.
            let mut truth = 0.0;
            for case in 0u32..1 << union {
                let has_run = (0..union).any(|at| at + n <= union && (case >> at) & ((1 << n) - 1) == (1 << n) - 1);
                if has_run {
                    let ones = case.count_ones() as i32;
                    truth += r.powi(ones) * (1.0 - r).powi(union as i32 - ones);
                }
            }
            prop_assert!((probability(union, n, r) - truth).abs() < 1e-9);
        }
    }

    #[test]
    fn common_keys_are_as_frequent_as_the_formula_says() {
        let mut random = Random(5);
        for (n, tenths) in [(2, 3u64), (4, 5), (4, 7), (10, 9)] {
            let method = method(&format!("dsc-ss:w=1,m=1,n={n}"));
            let (rounds, mut met) = (2000, 0u32);
            for _ in 0..rounds {
                let (mut a, mut b) = (vec![], vec![]);
                for value in random.values(40) {
                    let both = random.next() % 10 < tenths;
                    let first = random.next().is_multiple_of(2);
                    if both || first {
                        a.push(value);
                    }
                    if both || !first {
                        b.push(value);
                    }
                }
                let (a, b) = (sign(&*method, &a), sign(&*method, &b));
                met += u32::from(matches!((a, b), (Ok(a), Ok(b)) if meet(&a, &b)));
            }
            let expected = probability(40, n, tenths as f64 / 10.0);
            let share = f64::from(met) / f64::from(rounds);
            let error = (expected * (1.0 - expected) / f64::from(rounds)).sqrt();
            assert!((share - expected).abs() < 4.0 * error + 1e-9, "{n}: {share}, not {expected}");
        }
    }

    #[test]
    fn short_documents_are_ignored() {
        // Four shingles of one token, all of them sampled.
        let text = tokens("one two three four");
        assert_eq!(sign(&*method("dsc-ss:w=1,m=1,n=4"), &text).unwrap().keys.len(), 1);
        assert_eq!(sign(&*method("dsc-ss:w=1,m=1,n=5"), &text), Err(Unsigned::TooShort));
        assert_eq!(sign(&*method("dsc-ss:w=5"), &text), Err(Unsigned::TooShort));
        let whole = method("dsc-ss:w=1,m=1,n=5,short=whole");
        assert!(meet(&sign(&*whole, &text).unwrap(), &sign(&*whole, &text).unwrap()));
    }

    #[test]
    fn a_threshold_is_checked_on_the_sketches() {
        let (a, b) = (tokens("a b c d e f g h"), tokens("a b c d e f x y"));
        let (loose, strict) = (method("dsc-ss:w=1,m=1,n=1"), method("dsc-ss:w=1,m=1,n=1,t=0.7"));
        let judge = |method: &dyn Method| {
            let (a, b) = (sign(method, &a).unwrap(), sign(method, &b).unwrap());
            assert!(meet(&a, &b));
            method.accepts(method.compare(a.as_sketch(), b.as_sketch()))
        };
        // 6 of 10.
        assert!(judge(&*loose) && !judge(&*strict));
        assert!(judge(&*method("dsc-ss:w=1,m=1,n=1,t=0.6")));
        assert!(crate::build(&"dsc-ss:t=2".parse().unwrap(), None).is_err());
    }

    #[test]
    fn any_sorted_sketch_will_do() {
        // The paper takes shingles of "the sketch's shingles"; the minimum sketch is a sketch as
        // well.
        let (mut f, mut keys) = (Vec::new(), Vec::new());
        minimum::smallest(&mut [9, 1, 5, 7], 3, &mut f);
        super_shingles(&f, 2, &mut keys);
        assert_eq!((f, keys.len()), (vec![1, 5, 7], 2));
    }
}
