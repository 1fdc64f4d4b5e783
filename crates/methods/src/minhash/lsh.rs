//! Method `minhash-lsh`: k minima, found by bands, verified by how many agree (Haveliwala, Gionis &
//! Indyk 2000; in Kołcz & Chowdhury 2008, section 2).
//!
//! The keys are one per band, and the sketch is the k minima. Of the pairs exactly at t, 1 −
//! `recall` may be missed: nine tenths of that by the bands, one tenth by the agreement of the
//! minima, which must therefore be slightly below t·k ([`super::acceptance`]); bands given
//! explicitly have the recall of their curve.

use super::Bands;
use super::acceptance::least_agreement;
use super::slots::{self, MOST_SLOTS, SLOTS, Slots};
use crate::broder::Shingling;
use crate::broder::parameters::{self, SHORT, T_80, W5};
use crate::{
    About, Document, Evidence, Method, MethodScratch, MethodSpec, Parameter, Params, Signature,
    Sketch, SpecError, Statistics, Unsigned,
};
use lookalike_core::FeatureKind;
use lookalike_core::fingerprint::finalise;
use std::sync::Arc;

pub(super) const RECALL: Parameter = Parameter {
    name: "recall",
    default: "0.95",
    help: "share of the pairs at exactly t that are found, above 0 and below 1",
};

const K: Parameter = Parameter {
    name: "k",
    default: "128",
    help: "minima in a sketch, the maximum for all bands together",
};

const BANDS: Parameter = Parameter {
    name: "bands",
    default: "",
    help: "number of bands (default: chosen for t and recall)",
};

const ROWS: Parameter =
    Parameter { name: "rows", default: "", help: "minima in a band; requires bands" };

const SEED: Parameter = Parameter {
    name: "seed",
    default: "0",
    help: "random seed of the hash functions: a whole number",
};

const PARAMETERS: &[Parameter] = &[W5, T_80, RECALL, K, BANDS, ROWS, SLOTS, SHORT, SEED];

pub(super) const ABOUT: About = About {
    name: "minhash-lsh",
    summary: "keeps k minima; two match when all minima of a band agree and enough of all do",
    paper: "Haveliwala et al. 2000 (in Kołcz & Chowdhury 2008, section 2); Broder 1997",
    parameters: PARAMETERS,
    needs_statistics: crate::NeedsStatistics::Never,
    build,
};

/// Share of the missed pairs that the bands may miss; the rest is for the agreement.
const BANDS_SHARE: f64 = 0.9;

/// Method `minhash-lsh`.
#[derive(Debug)]
struct MinHashLsh {
    shingling: Shingling,
    slots: Slots,
    bands: Bands,
    least: u32,
    /// Mixed into every fingerprint; 0 leaves them as they are.
    seed: u64,
}

/// Share of the pairs at the threshold that may be missed.
pub(super) fn missed(params: &Params<'_>) -> Result<f64, SpecError> {
    let expected = "a number above 0 and below 1, such as 0.95";
    let fits = |recall: &f64| *recall > 0.0 && *recall < 1.0;
    Ok(1.0 - parameters::read::<f64>(params, &RECALL, expected, fits)?)
}

/// The bands that `minhash-lsh` uses to find pairs exactly at `t` with probability `recall`, from
/// at most `k` minima: their own recall is slightly higher, as the agreement of the minima loses
/// some pairs. `None` if `k` is too small.
#[must_use]
pub fn bands_for(t: f64, recall: f64, k: u32) -> Option<Bands> {
    Bands::choose(t, 1.0 - BANDS_SHARE * (1.0 - recall), k)
}

/// The number of k minima that must agree, so that of the pairs exactly at `t` that have a common
/// key of [`bands_for`], all but few are found; at least 1.
#[must_use]
pub fn least_for(t: f64, recall: f64, k: u32) -> u32 {
    least_agreement(k, t, (1.0 - BANDS_SHARE) * (1.0 - recall)).max(1)
}

fn read_bands(params: &Params<'_>, t: f64, missed: f64, k: u32) -> Result<Bands, SpecError> {
    if params.text(BANDS.name).is_none() && params.text(ROWS.name).is_none() {
        let chosen = bands_for(t, 1.0 - missed, k);
        return chosen.ok_or_else(|| {
            params.bad(K.name, "more minima: so few cannot find pairs at t with this recall")
        });
    }
    let chosen = Bands {
        bands: parameters::count(params, &BANDS, MOST_SLOTS)?,
        rows: parameters::count(params, &ROWS, MOST_SLOTS)?,
    };
    if chosen.slots() > k {
        return Err(params.bad(BANDS.name, "bands times rows to be at most k"));
    }
    Ok(chosen)
}

fn build(spec: &MethodSpec, _: Option<Arc<dyn Statistics>>) -> Result<Box<dyn Method>, SpecError> {
    let params = spec.params(&ABOUT.parameter_names())?;
    let t = parameters::threshold(&params, &T_80)?.as_f64();
    let k = parameters::count(&params, &K, MOST_SLOTS)?;
    let missed = missed(&params)?;
    Ok(Box::new(MinHashLsh {
        shingling: parameters::shingling(&params, &W5)?,
        slots: Slots::read(&params, k)?,
        bands: read_bands(&params, t, missed, k)?,
        least: least_for(t, 1.0 - missed, k),
        seed: match parameters::read::<u64>(&params, &SEED, "a whole number", |_| true)? {
            0 => 0,
            seed => finalise(seed),
        },
    }))
}

impl Method for MinHashLsh {
    fn sign(
        &self,
        document: &Document<'_>,
        scratch: &mut MethodScratch,
        out: &mut Signature,
    ) -> Result<(), Unsigned> {
        out.size = self.shingling.shingle(document, scratch)?;
        if self.seed != 0 {
            // A bijection: the sets keep their sizes and overlaps.
            scratch
                .features
                .iter_mut()
                .for_each(|feature| *feature = finalise(*feature ^ self.seed));
        }
        self.slots.fill(&scratch.features, &mut out.sketch);
        self.bands.keys(&out.sketch, &mut out.keys);
        Ok(())
    }

    fn shingles(&self) -> Option<FeatureKind> {
        Some(self.shingling.kind())
    }

    fn compare(&self, a: Sketch<'_>, b: Sketch<'_>) -> Evidence {
        Evidence::Agreement { equal: slots::equal(a.words, b.words), of: self.slots.len() }
    }

    fn estimates(&self) -> bool {
        true
    }

    fn accepts(&self, evidence: Evidence) -> bool {
        matches!(evidence, Evidence::Agreement { equal, .. } if equal >= self.least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broder::planted::{Random, meet, method, sign, tokens};
    use lookalike_core::Overlap;

    /// The recall holds for candidates that are also accepted. Documents of 9, 45 and 450 different
    /// tokens in shingles of one, so that the resemblance is exactly 0.8.
    #[test]
    fn pairs_exactly_at_the_threshold_are_found_with_the_required_recall() {
        let mut random = Random(10);
        for kind in ["oneperm", "kfold"] {
            let method = method(&format!("minhash-lsh:w=1,slots={kind}"));
            for shared in [8, 40, 400] {
                let counts = Overlap { shared, a: shared / 8 * 9, b: shared / 8 * 9 };
                assert_eq!(counts.resemblance(), 0.8);
                let rounds = 3000;
                let mut found = 0;
                for _ in 0..rounds {
                    let (a, b) = random.pair(counts);
                    let (a, b) = (sign(&*method, &a).unwrap(), sign(&*method, &b).unwrap());
                    let evidence = method.compare(a.as_sketch(), b.as_sketch());
                    found += u32::from(meet(&a, &b) && method.accepts(evidence));
                }
                let share = f64::from(found) / f64::from(rounds);
                assert!(share >= 0.95, "{kind}, {shared} shared: {share}");
            }
        }
    }

    #[test]
    fn pairs_far_below_the_threshold_are_rejected() {
        let mut random = Random(11);
        let method = method("minhash-lsh:w=1");
        let (mut met, mut accepted) = (0, 0);
        for _ in 0..1000 {
            let (a, b) = random.pair(Overlap { shared: 200, a: 300, b: 300 });
            let (a, b) = (sign(&*method, &a).unwrap(), sign(&*method, &b).unwrap());
            if meet(&a, &b) {
                met += 1;
                accepted += u32::from(method.accepts(method.compare(a.as_sketch(), b.as_sketch())));
            }
        }
        // At 0.5 the curve says 1−(1−0.5⁷)¹⁴ = 0.104; the agreement rejects nearly all of them.
        assert!((60..150).contains(&met) && accepted <= 2, "{met} met, {accepted} accepted");
    }

    /// Another seed gives other minima, and finds pairs equally often.
    #[test]
    fn seeds_choose_other_hash_functions() {
        let text = tokens("to be or not to be that is the question");
        let of = |spec: &str| sign(&*method(spec), &text).unwrap();
        assert_eq!(of("minhash-lsh"), of("minhash-lsh:seed=0"));
        assert_eq!(of("minhash-lsh:seed=7"), of("minhash-lsh:seed=7"));
        let mut random = Random(12);
        for kind in ["oneperm", "kfold"] {
            let (one, two) = (
                of(&format!("minhash-lsh:slots={kind},seed=1")),
                of(&format!("minhash-lsh:slots={kind},seed=2")),
            );
            assert_eq!(slots::equal(&one.sketch, &two.sketch), 0, "{kind}");
            let method = method(&format!("minhash-lsh:w=1,slots={kind},seed=42"));
            let counts = Overlap { shared: 40, a: 45, b: 45 };
            let found = (0..2000).filter(|_| {
                let (a, b) = random.pair(counts);
                meet(&sign(&*method, &a).unwrap(), &sign(&*method, &b).unwrap())
            });
            // 14 bands of 7 at 0.8: 1 − (1 − 0.8⁷)¹⁴ = 0.963.
            let share = found.count() as f64 / 2000.0;
            assert!((share - 0.963).abs() < 0.02, "{kind}: {share}");
        }
        let error = crate::build(&"minhash-lsh:seed=x".parse().unwrap(), None).unwrap_err();
        assert!(error.to_string().contains("whole number"), "{error}");
    }

    #[test]
    fn repeated_tokens_count_once() {
        let method = method("minhash-lsh:w=1");
        let once = tokens("to be or not");
        let again = tokens("not to be or not to be or to to to be");
        assert_eq!(sign(&*method, &once), sign(&*method, &again));
    }

    #[test]
    fn bands_are_chosen_or_given() {
        assert_eq!(bands_for(0.8, 0.95, 128), Some(Bands { bands: 14, rows: 7 }));
        let keys = |spec: &str| sign(&*method(spec), &tokens("a b c d e f")).unwrap().keys.len();
        assert_eq!(keys("minhash-lsh"), 14);
        assert_eq!(keys("minhash-lsh:bands=20,rows=5"), 20);
        for (spec, expected) in [
            ("minhash-lsh:bands=20,rows=7", "at most k"),
            ("minhash-lsh:bands=20", "rows"),
            ("minhash-lsh:t=0.02", "more minima"),
            ("minhash-lsh:recall=1", "below 1"),
            ("minhash-lsh:slots=both", "oneperm or kfold"),
            ("minhash-lsh:k=5000", "4096"),
        ] {
            let error = crate::build(&spec.parse().unwrap(), None).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
