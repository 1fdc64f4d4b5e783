//! The modulus sketch `V(D)`: the shingles that are 0 mod m (Broder 1997, "Estimating the
//! resemblance and the containment"), and method `dsc`.
//!
//! About one element in m is in the sketch, and the same ones wherever they occur, so that
//! |V(A)∩V(B)| / |V(A)∪V(B)| is an unbiased estimate of resemblance, and |V(A)∩V(B)| / |V(A)| of
//! containment. The size of the sketch grows with the document, which makes containment possible.

use super::parameters::{self, BITS, M, POLICY, SHORT, T_HALF, W10};
use super::{Policy, Shingling};
use crate::{
    About, Document, Evidence, Method, MethodScratch, MethodSpec, Parameter, Params, Signature,
    Sketch, SpecError, Statistics, Unsigned,
};
use lookalike_core::{FeatureKind, Overlap, Threshold, overlap};
use std::sync::Arc;

const PARAMETERS: &[Parameter] = &[W10, M, BITS, T_HALF, POLICY, SHORT];

pub(super) const ABOUT: About = About {
    name: "dsc",
    summary: "keeps the shingles that are 0 mod m; two match when resemblance or containment, \
              estimated from them, reaches t",
    paper: "Broder et al. 1997, \"Estimating the resemblance and the containment\" (DSC in Chowdhury et \
            al. 2002)",
    parameters: PARAMETERS,
    needs_statistics: crate::NeedsStatistics::Never,
    build,
};

/// Selects the fingerprints that are 0 mod m.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Selection {
    mask: u64,
    m: u64,
    /// m = odd · 2^twos; the inverse of `odd` modulo 2⁶⁴.
    inverse: u64,
    twos: u32,
    /// Largest quotient of a multiple of m.
    limit: u64,
}

impl Selection {
    /// Selects one in `m` of the fingerprints, cut to `bits` bits first; `None` for an m of 0, or
    /// bits outside 1 to 64.
    ///
    /// The paper cuts to 40 bits to save space. Two documents without a common shingle then share a
    /// value with probability |V(A)|·|V(B)|·m / 2⁴⁰; with 64 bits this is negligible.
    #[must_use]
    pub fn new(m: u64, bits: u32) -> Option<Self> {
        if m == 0 || !(1..=64).contains(&bits) {
            return None;
        }
        let twos = m.trailing_zeros();
        let odd = m >> twos;
        // Newton: an odd number is its own inverse modulo 8, and each step doubles the good bits.
        let mut inverse = odd;
        for _ in 0..5 {
            inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
        }
        Some(Self { mask: u64::MAX >> (64 - bits), m, inverse, twos, limit: u64::MAX / m })
    }

    /// m.
    #[must_use]
    pub fn modulus(&self) -> u64 {
        self.m
    }

    /// Whether a fingerprint, already cut, is 0 mod m.
    ///
    /// Uses no division, which would be most of the cost of a sketch: multiplication by the inverse
    /// maps the multiples of an odd number, and no other number, to their quotients, which are
    /// small; rotation moves the low bits, which are 0 in a multiple of 2^twos, to the top
    /// (Granlund & Montgomery 1994, section 9).
    #[inline]
    #[must_use]
    pub fn selects(&self, value: u64) -> bool {
        value.wrapping_mul(self.inverse).rotate_right(self.twos) <= self.limit
    }

    /// `V(D)` from `S(D, w)`: appends to an empty `out` the selected values, cut, in increasing
    /// order.
    ///
    /// ```
    /// use lookalike_methods::broder::Selection;
    ///
    /// let mut v = Vec::new();
    /// Selection::new(3, 64).unwrap().select(&[9, 4, 6, 7, 3], &mut v);
    /// assert_eq!(v, [3, 6, 9]);
    /// ```
    pub fn select(&self, set: &[u64], out: &mut Vec<u64>) {
        out.extend(set.iter().map(|value| value & self.mask).filter(|&value| self.selects(value)));
        out.sort_unstable();
        out.dedup();
    }
}

/// `m` and `bits`.
pub(super) fn selection(params: &Params<'_>) -> Result<Selection, SpecError> {
    let m = parameters::read(params, &M, "a whole number from 1", |&m: &u64| m > 0)?;
    let bits = parameters::read(params, &BITS, "40 or 64", |bits: &u32| [40, 64].contains(bits))?;
    Selection::new(m, bits).ok_or_else(|| params.bad(M.name, "a whole number from 1"))
}

/// `S(D, w)`, then `V(D)` into an empty `out`; returns |S(D, w)|.
pub(super) fn sketch(
    shingling: Shingling,
    selection: &Selection,
    document: &Document<'_>,
    scratch: &mut MethodScratch,
    out: &mut Vec<u64>,
) -> Result<u32, Unsigned> {
    let size = shingling.shingle(document, scratch)?;
    selection.select(&scratch.features, out);
    if out.is_empty() {
        out.push(shingling.rescue(document, Unsigned::NothingSelected)?);
    }
    Ok(size)
}

/// Counts of two sketches by one modulus. O(values).
pub(super) fn compare(a: Sketch<'_>, b: Sketch<'_>) -> Overlap {
    Overlap { shared: overlap(a.words, b.words), a: a.words.len() as u32, b: b.words.len() as u32 }
}

/// Method `dsc`.
#[derive(Debug)]
struct Dsc {
    shingling: Shingling,
    selection: Selection,
    threshold: Threshold,
    policy: Policy,
}

fn build(spec: &MethodSpec, _: Option<Arc<dyn Statistics>>) -> Result<Box<dyn Method>, SpecError> {
    let params = spec.params(&ABOUT.parameter_names())?;
    Ok(Box::new(Dsc {
        shingling: parameters::shingling(&params, &W10)?,
        selection: selection(&params)?,
        threshold: parameters::threshold(&params, &T_HALF)?,
        policy: policy(&params)?,
    }))
}

/// `policy`.
pub(super) fn policy(params: &Params<'_>) -> Result<Policy, SpecError> {
    parameters::read(params, &POLICY, "resemblance or containment", |_| true)
}

impl Method for Dsc {
    fn sign(
        &self,
        document: &Document<'_>,
        scratch: &mut MethodScratch,
        out: &mut Signature,
    ) -> Result<(), Unsigned> {
        out.size = sketch(self.shingling, &self.selection, document, scratch, &mut out.sketch)?;
        // A pair at any threshold shares a value: the values are the keys.
        out.keys.extend_from_slice(&out.sketch);
        Ok(())
    }

    fn shingles(&self) -> Option<FeatureKind> {
        Some(self.shingling.kind())
    }

    fn compare(&self, a: Sketch<'_>, b: Sketch<'_>) -> Evidence {
        Evidence::Sampled(compare(a, b))
    }

    fn estimates(&self) -> bool {
        true
    }

    fn accepts(&self, evidence: Evidence) -> bool {
        matches!(evidence, Evidence::Sampled(counts) if self.policy.accepts(self.threshold, counts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broder::planted::{Random, mean, meet, method, sign, tokens};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn selects_agrees_with_the_remainder(value in any::<u64>(), m in 1u64.., small in 1u64..200, q in any::<u64>()) {
            for m in [m, small, small << 30, u64::MAX, 1 << 63] {
                let selection = Selection::new(m, 64).unwrap();
                for value in [value, q.wrapping_mul(m), m, m - 1, 0, u64::MAX, u64::MAX / m * m] {
                    prop_assert_eq!(selection.selects(value), value.is_multiple_of(m), "{} mod {}", value, m);
                }
            }
        }

        #[test]
        fn the_sketch_is_the_definition(set in prop::collection::vec(0u64..1 << 42, 0..200), m in 1u64..30) {
            for bits in [40, 64] {
                let mut out = Vec::new();
                Selection::new(m, bits).unwrap().select(&set, &mut out);
                let cut = |v: u64| if bits == 40 { v % (1 << 40) } else { v };
                let truth: std::collections::BTreeSet<u64> =
                    set.iter().map(|&v| cut(v)).filter(|v| v % m == 0).collect();
                prop_assert_eq!(out, truth.into_iter().collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn worked_by_hand() {
        // S(A) = {3, 5, 10, 12, 15}, S(B) = {3, 10, 14, 15}; m = 5.
        let selection = Selection::new(5, 64).unwrap();
        let (mut a, mut b) = (Vec::new(), Vec::new());
        selection.select(&[3, 5, 10, 12, 15], &mut a);
        selection.select(&[3, 10, 14, 15], &mut b);
        assert_eq!((a.as_slice(), b.as_slice()), ([5, 10, 15].as_slice(), [10, 15].as_slice()));
        let dsc = method("dsc:t=0.66");
        let words = |words| Sketch { words, size: 0, level: 0 };
        let evidence = dsc.compare(words(&a), words(&b));
        assert_eq!(evidence, Evidence::Sampled(Overlap { shared: 2, a: 3, b: 2 }));
        assert!(dsc.accepts(evidence));
        assert!(!method("dsc:t=0.67").accepts(evidence));
        // All of V(B) is in V(A), in either order of the arguments.
        for spec in ["dsc:t=1,policy=containment", "dsc-variable:t=1,policy=containment"] {
            assert!(method(spec).accepts(evidence) && method(spec).accepts(evidence.swapped()));
        }
    }

    #[test]
    fn estimates_are_without_bias() {
        let mut random = Random(1);
        let counts = Overlap { shared: 150, a: 400, b: 250 };
        let selection = Selection::new(25, 64).unwrap();
        let (mut resemblances, mut containments) = (Vec::new(), Vec::new());
        for _ in 0..4000 {
            let (a, b) = random.pair(counts);
            let (mut va, mut vb) = (Vec::new(), Vec::new());
            selection.select(&a, &mut va);
            selection.select(&b, &mut vb);
            let sampled =
                Overlap { shared: overlap(&va, &vb), a: va.len() as u32, b: vb.len() as u32 };
            resemblances.push(sampled.resemblance());
            containments.push(sampled.containment_a_in_b());
        }
        let (r, error) = mean(&resemblances);
        assert!((r - 0.3).abs() < 4.0 * error, "{r} ± {error}");
        let (c, error) = mean(&containments);
        assert!((c - 0.375).abs() < 4.0 * error, "{c} ± {error}");
    }

    #[test]
    fn repeating_a_text_changes_nothing_but_its_seams() {
        // With w = 1 there are no seams.
        let dsc = method("dsc:w=1,m=2");
        let once = tokens("one two three four five six seven eight nine ten");
        let twice = [once.as_slice(), &once].concat();
        assert_eq!(sign(&*dsc, &once), sign(&*dsc, &twice));
    }

    #[test]
    fn short_documents_are_ignored_or_whole() {
        let text = tokens("a text of few words");
        assert_eq!(sign(&*method("dsc"), &text), Err(Unsigned::TooShort));
        assert_eq!(sign(&*method("dsc"), &[]), Err(Unsigned::Empty));
        // The text has shingles, none of which is selected.
        assert_eq!(sign(&*method("dsc:w=2,m=1000003"), &text), Err(Unsigned::NothingSelected));
        for spec in ["dsc:short=whole", "dsc:w=2,m=1000003,short=whole"] {
            let method = method(spec);
            let (a, b) = (sign(&*method, &text).unwrap(), sign(&*method, &text).unwrap());
            assert!(meet(&a, &b) && method.accepts(method.compare(a.as_sketch(), b.as_sketch())));
            assert!(!meet(&a, &sign(&*method, &tokens("a text of other words")).unwrap()));
        }
    }

    #[test]
    fn invalid_parameters_are_named_in_the_error() {
        for spec in
            ["dsc:m=0", "dsc:w=0", "dsc:bits=41", "dsc:t=0", "dsc:policy=all", "dsc:short=no"]
        {
            let error = crate::build(&spec.parse().unwrap(), None).unwrap_err().to_string();
            assert!(error.contains(&spec[4..]), "{error}");
        }
    }
}
