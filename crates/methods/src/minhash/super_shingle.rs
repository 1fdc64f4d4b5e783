//! 84 minima in 6 super shingles of 14, and method `super-shingles-84` (Fetterly, Manasse & Najork
//! 2003; in Seshasai 2009, section 2.4.1).
//!
//! The sketch has 6 words, 48 bytes; two documents match if 2 of the 6 agree, that is, if they
//! agree in one of the 15 pairs of super shingles. So the pairs are the keys, and every candidate
//! is a match ([`super::megashingle`] stores the pairs only).

use super::bands::{digest, numbered};
use super::slots::{self, SLOTS, Slots};
use crate::broder::Shingling;
use crate::broder::parameters::{self, SHORT, W5};
use crate::{
    About, Document, Evidence, Method, MethodScratch, MethodSpec, Parameter, Signature, Sketch,
    SpecError, Statistics, Unsigned,
};
use lookalike_core::FeatureKind;
use std::sync::Arc;

/// Super shingles of a document.
pub const SUPER_SHINGLES: usize = 6;

/// Minima in a super shingle.
pub const MINIMA: usize = 14;

/// How many must agree.
pub const AGREEING: u32 = 2;

const PARAMETERS: &[Parameter] = &[W5, SLOTS, SHORT];

pub(super) const ABOUT: About = About {
    name: "super-shingles-84",
    summary: "keeps 6 super shingles of 14 minima each; two match when 2 of the 6 agree",
    paper: "Fetterly et al. 2003 (in Seshasai 2009, section 2.4.1)",
    parameters: PARAMETERS,
    needs_statistics: crate::NeedsStatistics::Never,
    build,
};

/// The part of a signature that both methods have in common.
#[derive(Debug)]
pub(super) struct Signer {
    shingling: Shingling,
    slots: Slots,
}

impl Signer {
    pub(super) fn read(spec: &MethodSpec, about: &About) -> Result<Self, SpecError> {
        let params = spec.params(&about.parameter_names())?;
        Ok(Self {
            shingling: parameters::shingling(&params, &W5)?,
            slots: Slots::read(&params, (SUPER_SHINGLES * MINIMA) as u32)?,
        })
    }

    /// See [`Method::shingles`].
    pub(super) fn kind(&self) -> FeatureKind {
        self.shingling.kind()
    }

    /// The 6 super shingles, and the 15 pairs as keys.
    pub(super) fn sign(
        &self,
        document: &Document<'_>,
        scratch: &mut MethodScratch,
        out: &mut Signature,
    ) -> Result<[u64; SUPER_SHINGLES], Unsigned> {
        out.size = self.shingling.shingle(document, scratch)?;
        scratch.values.clear();
        self.slots.fill(&scratch.features, &mut scratch.values);
        let super_shingles = super_shingles(&scratch.values);
        pairs(&super_shingles, &mut out.keys);
        Ok(super_shingles)
    }
}

/// The 6 super shingles of 84 minima.
#[must_use]
pub fn super_shingles(minima: &[u64]) -> [u64; SUPER_SHINGLES] {
    let mut super_shingles = [0; SUPER_SHINGLES];
    for (out, minima) in super_shingles.iter_mut().zip(minima.chunks_exact(MINIMA)) {
        *out = digest(minima);
    }
    super_shingles
}

/// Appends a key for each of the 15 pairs of super shingles. Two documents have a common key
/// exactly if two of their super shingles agree, position by position.
pub fn pairs(super_shingles: &[u64; SUPER_SHINGLES], out: &mut Vec<u64>) {
    let mut number = 0;
    for (i, &first) in super_shingles.iter().enumerate() {
        for &second in &super_shingles[i + 1..] {
            out.push(numbered(number, digest(&[first, second])));
            number += 1;
        }
    }
}

/// The probability that two documents of resemblance `s` match: that of 6 super shingles, each
/// equal with p = s¹⁴, at least 2 are: 1 − (1−p)⁶ − 6p(1−p)⁵ = p²(15 − 40p + 45p² − 24p³ + 5p⁴).
///
/// ```
/// use lookalike_methods::minhash::super_shingle::probability;
///
/// assert!((probability(0.95) - 0.879).abs() < 0.001);
/// assert!((probability(0.8) - 0.026).abs() < 0.001);
/// ```
#[must_use]
pub fn probability(s: f64) -> f64 {
    let p = (0..MINIMA).fold(1.0, |power, _| power * s);
    // Small probabilities are no differences of numbers near 1.
    p * p * (15.0 + p * (-40.0 + p * (45.0 + p * (-24.0 + p * 5.0))))
}

/// Method `super-shingles-84`.
#[derive(Debug)]
struct SuperShingles84(Signer);

fn build(spec: &MethodSpec, _: Option<Arc<dyn Statistics>>) -> Result<Box<dyn Method>, SpecError> {
    Ok(Box::new(SuperShingles84(Signer::read(spec, &ABOUT)?)))
}

impl Method for SuperShingles84 {
    fn sign(
        &self,
        document: &Document<'_>,
        scratch: &mut MethodScratch,
        out: &mut Signature,
    ) -> Result<(), Unsigned> {
        let super_shingles = self.0.sign(document, scratch, out)?;
        out.sketch.extend_from_slice(&super_shingles);
        Ok(())
    }

    fn shingles(&self) -> Option<FeatureKind> {
        Some(self.0.kind())
    }

    fn compare(&self, a: Sketch<'_>, b: Sketch<'_>) -> Evidence {
        let equal = slots::equal(a.words, b.words);
        Evidence::Agreement { equal, of: SUPER_SHINGLES as u32 }
    }

    fn accepts(&self, evidence: Evidence) -> bool {
        matches!(evidence, Evidence::Agreement { equal, .. } if equal >= AGREEING)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broder::planted::{Random, meet, method, sign};
    use lookalike_core::Overlap;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_pair_in_common_is_two_of_six_in_common(
            a in prop::array::uniform6(0u64..4), b in prop::array::uniform6(0u64..4),
        ) {
            let keys = |super_shingles: &[u64; 6]| {
                let mut out = Vec::new();
                pairs(super_shingles, &mut out);
                out
            };
            let (ka, kb) = (keys(&a), keys(&b));
            let distinct: std::collections::BTreeSet<u64> = ka.iter().copied().collect();
            prop_assert_eq!(distinct.len(), 15);
            let shared = ka.iter().filter(|key| kb.contains(key)).count() as u32;
            let equal = slots::equal(&a, &b);
            // If e agree there are e(e−1)/2 common pairs, at the same positions.
            prop_assert_eq!(shared, equal * equal.saturating_sub(1) / 2);
        }
    }

    #[test]
    fn super_shingles_are_of_14_minima_in_order() {
        let minima: Vec<u64> = (0..84).collect();
        let before = super_shingles(&minima);
        for place in 0..84 {
            let mut other = minima.clone();
            other[place] += 1000;
            assert_eq!(slots::equal(&before, &super_shingles(&other)), 5, "{place}");
            assert_ne!(before[place / 14], super_shingles(&other)[place / 14]);
        }
    }

    /// Matches are as frequent as the formula says, and both methods find the same ones.
    #[test]
    fn two_of_six_agree_as_often_as_theory_says() {
        let mut random = Random(12);
        let rounds = 2000;
        for kind in ["oneperm", "kfold"] {
            let (super_shingles, megashingles) = (
                method(&format!("super-shingles-84:w=1,slots={kind}")),
                method(&format!("megashingles:w=1,slots={kind}")),
            );
            for (shared, each) in [(380, 390), (190, 200), (360, 400)] {
                let counts = Overlap { shared, a: each, b: each };
                let mut matched = 0;
                for _ in 0..rounds {
                    let (a, b) = random.pair(counts);
                    let signed = |method: &dyn Method| {
                        let (a, b) = (sign(method, &a).unwrap(), sign(method, &b).unwrap());
                        let accepted = method.accepts(method.compare(a.as_sketch(), b.as_sketch()));
                        (meet(&a, &b), accepted)
                    };
                    let (met, accepted) = signed(&*super_shingles);
                    assert_eq!(met, accepted);
                    assert_eq!(signed(&*megashingles), (met, true));
                    matched += u32::from(met);
                }
                let share = f64::from(matched) / f64::from(rounds);
                let expected = probability(counts.resemblance());
                let error = (expected * (1.0 - expected) / f64::from(rounds)).sqrt();
                assert!(
                    (share - expected).abs() < 4.0 * error + 0.005,
                    "{kind}, {counts:?}: {share}, not {expected}"
                );
            }
        }
    }
}
