//! The minimum sketch `F(D)`: the s smallest shingles (Broder 1997, "Estimating the resemblance and
//! the containment"), and method `dsc-minimum`.
//!
//! A sketch of bounded size that estimates resemblance, but not containment: |MIN_s(F(A)∪F(B)) ∩
//! F(A) ∩ F(B)| / |MIN_s(F(A)∪F(B))| is an unbiased estimate.

use super::Shingling;
use super::parameters::{self, SHORT, T_HALF, W10};
use crate::{
    About, Document, Evidence, Method, MethodScratch, MethodSpec, Parameter, Signature, Sketch,
    SpecError, Statistics, Unsigned,
};
use lookalike_core::{FeatureKind, Threshold};
use std::sync::Arc;

const S: Parameter =
    Parameter { name: "s", default: "100", help: "number of smallest shingles kept" };

const PARAMETERS: &[Parameter] = &[W10, S, T_HALF, SHORT];

pub(super) const ABOUT: About = About {
    name: "dsc-minimum",
    summary: "keeps the s smallest shingles; two match when the resemblance estimated from them \
              reaches t",
    paper: "Broder et al. 1997, \"Estimating the resemblance and the containment\"",
    parameters: PARAMETERS,
    needs_statistics: crate::NeedsStatistics::Never,
    build,
};

/// `MIN_s` of a set: appends its s smallest values, in increasing order, to an empty `out`.
/// The set is reordered. O(|set| + s log s).
pub fn smallest(set: &mut [u64], s: usize, out: &mut Vec<u64>) {
    if set.len() > s {
        set.select_nth_unstable(s);
    }
    out.extend_from_slice(&set[..s.min(set.len())]);
    out.sort_unstable();
}

/// How many of `MIN_s(F(A) ∪ F(B))` are in both, and how many there are: one merge of two
/// increasing slices, O(s).
///
/// ```
/// use lookalike_methods::broder::minimum::agreement;
///
/// // MIN_4({1, 3, 4, 7} ∪ {1, 2, 4, 9}) = {1, 2, 3, 4}; 1 and 4 are in both.
/// assert_eq!(agreement(&[1, 3, 4, 7], &[1, 2, 4, 9], 4), (2, 4));
/// ```
#[must_use]
pub fn agreement(a: &[u64], b: &[u64], s: u32) -> (u32, u32) {
    let (mut i, mut j, mut equal, mut of) = (0, 0, 0, 0);
    while of < s {
        match (a.get(i), b.get(j)) {
            (Some(x), Some(y)) => {
                equal += u32::from(x == y);
                i += usize::from(x <= y);
                j += usize::from(y <= x);
            }
            (Some(_), None) => i += 1,
            (None, Some(_)) => j += 1,
            (None, None) => break,
        }
        of += 1;
    }
    (equal, of)
}

/// Prefix length: how many of the smallest of `kept` values of a sketch must be keys, so that every
/// pair whose estimate reaches t has a common key.
///
/// The estimate counts the u smallest values of the union, u ≤ s, and at least ⌈t·u⌉ of them are in
/// both sketches; so at most ⌊(1−t)·u⌋ values precede the first common one, in the union and in
/// either sketch. All common values are among the `kept`, so u ≤ kept / t as well.
#[must_use]
pub fn prefix_length(threshold: Threshold, s: u32, kept: u32) -> u32 {
    let (p, q) = (threshold.numerator(), threshold.denominator());
    // p, q ≤ 10⁹ and counts below 2³²: no overflow.
    let u = u64::from(s).min(u64::from(kept) * q / p);
    let before = (q - p) * u / q;
    u32::try_from(before + 1).unwrap_or(u32::MAX).min(kept)
}

/// Whether equal / of ≥ t and equal > 0.
#[must_use]
pub fn reaches(threshold: Threshold, equal: u32, of: u32) -> bool {
    let reached = u128::from(equal) * u128::from(threshold.denominator())
        >= u128::from(of) * u128::from(threshold.numerator());
    equal > 0 && reached
}

/// Method `dsc-minimum`.
#[derive(Debug)]
struct DscMinimum {
    shingling: Shingling,
    s: u32,
    threshold: Threshold,
}

fn build(spec: &MethodSpec, _: Option<Arc<dyn Statistics>>) -> Result<Box<dyn Method>, SpecError> {
    let params = spec.params(&ABOUT.parameter_names())?;
    Ok(Box::new(DscMinimum {
        shingling: parameters::shingling(&params, &W10)?,
        s: parameters::count(&params, &S, 1 << 20)?,
        threshold: parameters::threshold(&params, &T_HALF)?,
    }))
}

impl Method for DscMinimum {
    fn sign(
        &self,
        document: &Document<'_>,
        scratch: &mut MethodScratch,
        out: &mut Signature,
    ) -> Result<(), Unsigned> {
        out.size = self.shingling.shingle(document, scratch)?;
        smallest(&mut scratch.features, self.s as usize, &mut out.sketch);
        let prefix = prefix_length(self.threshold, self.s, out.sketch.len() as u32);
        out.keys.extend_from_slice(&out.sketch[..prefix as usize]);
        Ok(())
    }

    fn shingles(&self) -> Option<FeatureKind> {
        Some(self.shingling.kind())
    }

    fn compare(&self, a: Sketch<'_>, b: Sketch<'_>) -> Evidence {
        let (equal, of) = agreement(a.words, b.words, self.s);
        Evidence::Agreement { equal, of }
    }

    fn estimates(&self) -> bool {
        true
    }

    fn accepts(&self, evidence: Evidence) -> bool {
        matches!(evidence, Evidence::Agreement { equal, of } if reaches(self.threshold, equal, of))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broder::planted::{Random, mean, meet, method, sign, tokens};
    use lookalike_core::Overlap;
    use proptest::collection::btree_set;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// `MIN_s`, from the definition.
    fn min(set: &BTreeSet<u64>, s: usize) -> BTreeSet<u64> {
        set.iter().copied().take(s).collect()
    }

    proptest! {
        #[test]
        fn the_estimate_is_the_definition(a in btree_set(0u64..60, 0..40), b in btree_set(0u64..60, 0..40), s in 1u32..50) {
            let list = |set: &BTreeSet<u64>| {
                let mut out = Vec::new();
                let mut shuffled: Vec<u64> = set.iter().copied().collect();
                shuffled.reverse();
                smallest(&mut shuffled, s as usize, &mut out);
                out
            };
            let (fa, fb) = (min(&a, s as usize), min(&b, s as usize));
            prop_assert_eq!(list(&a), fa.iter().copied().collect::<Vec<_>>());
            let least = min(&(&fa | &fb), s as usize);
            let both = &(&least & &fa) & &fb;
            // MIN_s of the sketches is MIN_s of the sets, so the estimate is that of the sets.
            prop_assert_eq!(&least, &min(&(&a | &b), s as usize));
            prop_assert_eq!(agreement(&list(&a), &list(&b), s), (both.len() as u32, least.len() as u32));
        }

        #[test]
        fn pairs_that_reach_the_threshold_share_a_key(
            a in btree_set(0u64..40, 1..40), b in btree_set(0u64..40, 1..40),
            s in 1u32..50, hundredths in 1u32..=100,
        ) {
            let t: Threshold = format!("{}.{:02}", hundredths / 100, hundredths % 100).parse().unwrap();
            let (mut fa, mut fb) = (Vec::new(), Vec::new());
            smallest(&mut a.into_iter().collect::<Vec<_>>(), s as usize, &mut fa);
            smallest(&mut b.into_iter().collect::<Vec<_>>(), s as usize, &mut fb);
            let (equal, of) = agreement(&fa, &fb, s);
            let keys = |f: &[u64]| f[..prefix_length(t, s, f.len() as u32) as usize].to_vec();
            if reaches(t, equal, of) {
                prop_assert!(keys(&fa).iter().any(|key| keys(&fb).contains(key)));
            }
        }
    }

    #[test]
    fn worked_by_hand() {
        // F(A) = {2, 5, 8}, F(B) = {5, 6, 9}, s = 3: MIN_3 = {2, 5, 6}, of which 5 is in both.
        assert_eq!(agreement(&[2, 5, 8], &[5, 6, 9], 3), (1, 3));
        // 8 is in both sketches' sets, and beyond MIN_3: it must not count.
        assert_eq!(agreement(&[1, 2, 8], &[3, 4, 8], 3), (0, 3));
        // Fewer values than s: the sketches are the sets, and the estimate is exact.
        assert_eq!(agreement(&[1, 2, 8], &[3, 8], 100), (1, 4));
        let t = |text: &str| text.parse::<Threshold>().unwrap();
        assert_eq!(prefix_length(t("0.5"), 100, 100), 51);
        assert_eq!(prefix_length(t("0.8"), 100, 100), 21);
        assert_eq!(prefix_length(t("0.8"), 100, 4), 2);
        assert_eq!(prefix_length(t("1"), 100, 100), 1);
        assert!(reaches(t("0.8"), 4, 5) && !reaches(t("0.800000001"), 4, 5));
        assert!(!reaches(t("0.8"), 0, 0));
    }

    #[test]
    fn the_boundary_pair_whose_common_values_come_last_is_found() {
        // u = s = 10, t = 0.5: five values of one side only come first, then five in common.
        let t: Threshold = "0.5".parse().unwrap();
        let a: Vec<u64> = (10..20).collect();
        let b: Vec<u64> = [1, 2, 3, 4, 5].into_iter().chain(10..15).collect();
        let (equal, of) = agreement(&a, &b, 10);
        assert_eq!((equal, of), (5, 10));
        let prefix = prefix_length(t, 10, 10) as usize;
        assert_eq!(prefix, 6);
        assert!(b[..prefix].contains(&10) && !b[..prefix - 1].contains(&10));
    }

    #[test]
    fn estimates_are_without_bias() {
        let mut random = Random(3);
        for counts in
            [Overlap { shared: 300, a: 500, b: 400 }, Overlap { shared: 60, a: 80, b: 70 }]
        {
            let mut values = Vec::new();
            for _ in 0..3000 {
                let (mut a, mut b) = random.pair(counts);
                let (mut fa, mut fb) = (Vec::new(), Vec::new());
                smallest(&mut a, 50, &mut fa);
                smallest(&mut b, 50, &mut fb);
                let (equal, of) = agreement(&fa, &fb, 50);
                assert_eq!(of, 50);
                values.push(f64::from(equal) / f64::from(of));
            }
            let (r, error) = mean(&values);
            assert!((r - counts.resemblance()).abs() < 4.0 * error, "{r} ± {error}");
        }
    }

    #[test]
    fn a_document_shares_keys_with_itself_and_not_with_an_unrelated_one() {
        let method = method("dsc-minimum:w=2");
        let a = sign(&*method, &tokens("to be or not to be that is the question")).unwrap();
        let b = sign(&*method, &tokens("whether tis nobler in the mind to suffer")).unwrap();
        assert_eq!(a.size, 8);
        assert!(meet(&a, &a) && method.accepts(method.compare(a.as_sketch(), a.as_sketch())));
        assert!(!meet(&a, &b) && !method.accepts(method.compare(a.as_sketch(), b.as_sketch())));
    }
}
