//! Sketches of bounded size by a modulus that grows with the document (Broder 1997, "Estimating the
//! resemblance and the containment"), and method `dsc-variable`.
//!
//! `V_i(D)` is the set of shingles that are 0 mod 2^i. The level i is chosen by the size of the
//! document's set so that 50 to 100 values are expected. `V_{i+1}` is a subset of `V_i`; two
//! documents are compared at the larger of their levels.
//!
//! The paper takes 2^i for documents of 100·2^i to 100·2^{i+1} shingles and states 50 to 100
//! values; that modulus gives 100 to 200. Here the number of values is as stated: the level is the
//! least i with
//! |S(D)| / 2^i ≤ 100.
//!
//! Documents of different levels share keys as well: a value in `V_j(B)` is 0 mod 2^j and so, if A
//! has it at all, in `V_i(A)` for every i ≤ j. The values are the keys, and every common value is
//! one of the larger level.

use super::modulus::policy;
use super::parameters::{self, POLICY, SHORT, T_HALF, W10};
use super::{Policy, Shingling};
use crate::{
    About, Document, Evidence, Method, MethodScratch, MethodSpec, Parameter, Signature, Sketch,
    SpecError, Statistics, Unsigned,
};
use lookalike_core::{FeatureKind, Overlap, Threshold, overlap};
use std::sync::Arc;

const PARAMETERS: &[Parameter] = &[W10, T_HALF, POLICY, SHORT];

pub(super) const ABOUT: About = About {
    name: "dsc-variable",
    summary: "keeps the shingles that are 0 mod 2^i, 50 to 100 of them expected; two match when \
              resemblance or containment, estimated at the larger modulus, reaches t",
    paper: "Broder et al. 1997, \"Estimating the resemblance and the containment\"",
    parameters: PARAMETERS,
    needs_statistics: crate::NeedsStatistics::Never,
    build,
};

/// Maximum expected number of values in a sketch.
const MOST: u32 = 100;

/// The level of a document of so many distinct shingles: the least i with `size` / 2^i ≤ 100.
///
/// ```
/// use lookalike_methods::broder::variable_modulus::level;
///
/// assert_eq!([100, 101, 200, 201, 400].map(level), [0, 1, 1, 2, 2]);
/// ```
#[must_use]
pub fn level(size: u32) -> u32 {
    size.div_ceil(MOST).next_power_of_two().trailing_zeros()
}

/// Whether a value is 0 mod 2^level.
#[inline]
#[must_use]
pub fn selects(level: u32, value: u64) -> bool {
    value.trailing_zeros() >= level
}

/// `V_level` from any `V_i` with i ≤ level, in place and in order.
pub fn coarsen(values: &mut Vec<u64>, level: u32) {
    values.retain(|&value| selects(level, value));
}

/// Counts of two sketches at the larger of their levels. O(values).
#[must_use]
pub fn compare(a: Sketch<'_>, b: Sketch<'_>) -> Overlap {
    let level = a.level.max(b.level);
    let count = |words: &[u64]| words.iter().filter(|&&word| selects(level, word)).count() as u32;
    Overlap { shared: overlap(a.words, b.words), a: count(a.words), b: count(b.words) }
}

/// Method `dsc-variable`.
#[derive(Debug)]
struct DscVariable {
    shingling: Shingling,
    threshold: Threshold,
    policy: Policy,
}

fn build(spec: &MethodSpec, _: Option<Arc<dyn Statistics>>) -> Result<Box<dyn Method>, SpecError> {
    let params = spec.params(&ABOUT.parameter_names())?;
    Ok(Box::new(DscVariable {
        shingling: parameters::shingling(&params, &W10)?,
        threshold: parameters::threshold(&params, &T_HALF)?,
        policy: policy(&params)?,
    }))
}

impl Method for DscVariable {
    fn sign(
        &self,
        document: &Document<'_>,
        scratch: &mut MethodScratch,
        out: &mut Signature,
    ) -> Result<(), Unsigned> {
        out.size = self.shingling.shingle(document, scratch)?;
        out.level = level(out.size);
        out.sketch.extend(scratch.features.iter().filter(|&&value| selects(out.level, value)));
        if out.sketch.is_empty() {
            // With 50 or more expected values, none is selected in one of e⁵⁰ documents.
            out.sketch.push(self.shingling.rescue(document, Unsigned::NothingSelected)?);
        }
        out.sketch.sort_unstable();
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
    use crate::broder::planted::{Random, mean, meet, method, sign};
    use proptest::prelude::*;

    #[test]
    fn fifty_to_a_hundred_are_expected() {
        for size in (101..5000).chain([1 << 20, u32::MAX]) {
            let expected = f64::from(size) / 2f64.powi(level(size) as i32);
            assert!(expected > 50.0 && expected <= 100.0, "{size}: {expected}");
        }
        assert_eq!((level(0), level(1), level(100)), (0, 0, 0));
    }

    proptest! {
        #[test]
        fn the_next_level_comes_from_this_one(set in prop::collection::btree_set(0u64..10_000, 0..300), level in 0u32..8) {
            let at = |level: u32| set.iter().copied().filter(|v| v % (1 << level) == 0).collect::<Vec<_>>();
            let mut values = at(level);
            coarsen(&mut values, level + 1);
            prop_assert_eq!(values, at(level + 1));
        }

        #[test]
        fn comparing_is_comparing_at_the_larger_level(
            a in prop::collection::btree_set(0u64..500, 0..200),
            b in prop::collection::btree_set(0u64..500, 0..200), i in 0u32..5, j in 0u32..5,
        ) {
            let at = |set: &std::collections::BTreeSet<u64>, level: u32| {
                set.iter().copied().filter(|v| v % (1 << level) == 0).collect::<Vec<_>>()
            };
            let (va, vb) = (at(&a, i), at(&b, j));
            let counts = compare(
                Sketch { words: &va, size: 0, level: i },
                Sketch { words: &vb, size: 0, level: j },
            );
            let (ta, tb) = (at(&a, i.max(j)), at(&b, i.max(j)));
            let shared = ta.iter().filter(|v| tb.contains(v)).count() as u32;
            prop_assert_eq!(counts, Overlap { shared, a: ta.len() as u32, b: tb.len() as u32 });
            // A common key is a common value of the larger level.
            prop_assert_eq!(shared > 0, va.iter().any(|v| vb.contains(v)));
        }
    }

    #[test]
    fn worked_by_hand() {
        // V_1(A) and V_2(B): compared at 2² = 4, where A keeps 4, 8 and 20.
        let a = Sketch { words: &[2, 4, 6, 8, 20], size: 5, level: 1 };
        let b = Sketch { words: &[4, 12, 20], size: 9, level: 2 };
        assert_eq!(compare(a, b), Overlap { shared: 2, a: 3, b: 3 });
        assert_eq!(compare(b, a), Overlap { shared: 2, a: 3, b: 3 });
    }

    #[test]
    fn containment_across_levels_is_without_bias() {
        let method = method("dsc-variable:w=1,policy=containment");
        let mut random = Random(2);
        // A has 300 shingles (level 2), B 3000 (level 5); 200 in common: c(A, B) = 2/3.
        let mut values = Vec::new();
        for _ in 0..1500 {
            let (a, b) = random.pair(Overlap { shared: 200, a: 300, b: 3000 });
            let (a, b) = (sign(&*method, &a).unwrap(), sign(&*method, &b).unwrap());
            assert_eq!((a.size, a.level, b.size, b.level), (300, 2, 3000, 5));
            let Evidence::Sampled(counts) = method.compare(a.as_sketch(), b.as_sketch()) else {
                panic!("sampled")
            };
            assert_eq!(counts.shared > 0, meet(&a, &b));
            if counts.a > 0 {
                values.push(counts.containment_a_in_b());
            }
        }
        let (c, error) = mean(&values);
        assert!((c - 2.0 / 3.0).abs() < 4.0 * error, "{c} ± {error}");
    }
}
