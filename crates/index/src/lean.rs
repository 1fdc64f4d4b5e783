//! Lean indexes: of each set only the first elements of a fixed order are posted.

use crate::{Ask, IndexError, Question};
use lookalike_core::{CommonElements, Measure, Threshold};

/// Hits that each match has at least, where it shares as many elements.
///
/// One would be enough to find it (prefix filter), and then at the lowest threshold every set with
/// one posted element of the query would have to be verified. A few elements more of each set make
/// that rare (the ℓ-prefix of Wang, Li & Feng, "Can we beat the prefix filtering?", 2012).
pub(crate) const LEAST_HITS: u32 = 4;

/// What a lean index posts: of a set of m elements the first p(m) = m − ⌈t₀·m⌉ + ℓ, where ℓ is
/// 4, or all if they are fewer.
///
/// The order puts common elements last, and goes by the lower 32 bits of an element before its
/// upper ones: so the upper bits, by which posting files find elements, stay uniform. Any fixed
/// order gives the same answers. The table of common elements only decides how many entries a
/// question reads: without it, elements that every page of a template has would be posted, and
/// each question would count all these pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lean {
    threshold: Threshold,
    common: CommonElements,
}

impl Lean {
    /// Posts what questions at thresholds from `threshold` (t₀) on need.
    #[must_use]
    pub fn new(threshold: Threshold, common: CommonElements) -> Self {
        Self { threshold, common }
    }

    /// t₀.
    #[must_use]
    pub fn threshold(&self) -> Threshold {
        self.threshold
    }

    /// ⌈t₀·m⌉ − ℓ, or 0: how many elements of a set of `m` are not posted. Does not descend with m.
    #[must_use]
    pub fn not_posted(&self, m: u32) -> u32 {
        Measure::Containment.least_shared(self.threshold, m).saturating_sub(LEAST_HITS)
    }

    /// p(m): how many elements of a set of `m` are posted; at least 1, if it has any.
    #[must_use]
    pub fn posted(&self, m: u32) -> u32 {
        m - self.not_posted(m)
    }

    /// Replaces the content of `first` by the first `count` elements of a set in the order of the
    /// index, themselves in any order; by all, if there are fewer. O(elements of the set).
    pub fn first(&self, set: &[u64], count: usize, first: &mut Vec<u64>) {
        first.clear();
        first.extend(set.iter().filter(|&&element| !self.common.contains(element)));
        cut(first, 0, count);
        if first.len() < count {
            let rare = first.len();
            first.extend(set.iter().filter(|&&element| self.common.contains(element)));
            cut(first, rare, count);
        }
    }

    /// Whether every match of a question is found by what is posted: whether it shares at least
    /// ⌈t₀·m⌉ elements with a stored set of any size m.
    ///
    /// Let o = |Q∩D|. Resemblance: o ≥ t·|Q∪D| ≥ t·m. *D in Q*: o ≥ t·m. Cosine: o ≥ t·√(nm) and
    /// n ≥ o, so o ≥ t²·m. *Q in D*: o ≥ t·n, which can be a small part of m.
    #[must_use]
    pub fn answers(&self, question: Question) -> bool {
        let Question { ask, threshold } = question;
        match ask {
            Ask::Resembles | Ask::ContainedIn => threshold.at_least(self.threshold),
            Ask::Cosine => {
                // p² / q² ≥ p₀ / q₀; numbers below 2³⁰.
                let wide = |number: u64| u128::from(number);
                let (p, q) = (wide(threshold.numerator()), wide(threshold.denominator()));
                let own = self.threshold;
                p * p * wide(own.denominator()) >= wide(own.numerator()) * q * q
            }
            Ask::Containing => false,
        }
    }
}

impl Lean {
    /// Refuses a question that is not answered.
    ///
    /// # Errors
    /// [`IndexError::Lean`].
    pub fn check(&self, question: Question) -> Result<(), IndexError> {
        match self.answers(question) {
            true => Ok(()),
            false => Err(IndexError::Lean {
                ask: question.ask.name(),
                threshold: question.threshold,
                lowest: self.threshold,
            }),
        }
    }
}

/// Keeps the first `count` elements by number, of which those before `from` are some.
fn cut(elements: &mut Vec<u64>, from: usize, count: usize) {
    if elements.len() > count {
        let by_lower_bits = |element: &u64| element.rotate_left(32);
        elements[from..].select_nth_unstable_by_key(count - from, by_lower_bits);
        elements.truncate(count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lean(threshold: &str, common: Vec<u64>) -> Lean {
        Lean::new(threshold.parse().unwrap(), CommonElements::new(common))
    }

    proptest! {
        #[test]
        fn first_elements_are_those_of_the_sorted_set(
            set in prop::collection::btree_set(prop_oneof![0u64..60, any::<u64>()], 0..60),
            common in prop::collection::vec(0u64..60, 0..60),
            count in 0usize..80,
        ) {
            let set: Vec<u64> = set.into_iter().collect();
            let is_common: std::collections::BTreeSet<u64> = common.iter().copied().collect();
            let mut order = set.clone();
            order.sort_by_key(|element| {
                (is_common.contains(element), element & 0xffff_ffff, element >> 32)
            });
            order.truncate(count);
            order.sort_unstable();
            let mut first = vec![7];
            lean("0.5", common).first(&set, count, &mut first);
            first.sort_unstable();
            prop_assert_eq!(first, order);
        }

        /// Theorem 2, by its definition: every subset of the elements is shared once.
        #[test]
        fn a_match_has_the_hits_that_the_theorem_says(
            m in 1u32..40, n in 1u32..40, shared in 1u32..40, hundredths in 10u32..=100,
            seed in any::<u64>(), probed in 0u32..40,
        ) {
            let shared = shared.min(m).min(n);
            let probed = probed.min(n);
            let lean = lean(&format!("{}.{:02}", hundredths / 100, hundredths % 100), Vec::new());
            let element = |number: u32| lookalike_core::fingerprint::finalise(seed ^ u64::from(number));
            let query: Vec<u64> = (0..n).map(element).collect();
            let stored: Vec<u64> = (n - shared..n - shared + m).map(element).collect();
            let (mut p, mut posted) = (Vec::new(), Vec::new());
            lean.first(&query, probed as usize, &mut p);
            lean.first(&stored, lean.posted(m) as usize, &mut posted);
            let hits = p.iter().filter(|element| posted.contains(element)).count() as u32;
            prop_assert!(hits >= shared.saturating_sub((n - probed).max(lean.not_posted(m))));
        }
    }

    #[test]
    fn posted_by_hand() {
        let lean = lean("0.8", Vec::new());
        // ⌈0.8·10⌉ = 8: the last 4 are not posted.
        assert_eq!((lean.not_posted(10), lean.posted(10)), (4, 6));
        assert_eq!((lean.not_posted(5), lean.posted(5)), (0, 5));
        assert_eq!((lean.not_posted(1), lean.posted(1)), (0, 1));
        assert_eq!((lean.not_posted(0), lean.posted(0)), (0, 0));
        assert_eq!(lean.posted(445), 445 - 356 + 4);
        assert_eq!(lean.posted(u32::MAX), u32::MAX / 5 + 4);
    }

    #[test]
    fn questions_that_are_answered() {
        let lean = lean("0.81", Vec::new());
        let answers = |ask, threshold: &str| {
            lean.answers(Question { ask, threshold: threshold.parse().unwrap() })
        };
        assert!(answers(Ask::Resembles, "0.81") && !answers(Ask::Resembles, "0.809999999"));
        assert!(answers(Ask::ContainedIn, "1") && !answers(Ask::ContainedIn, "0.8"));
        assert!(answers(Ask::Cosine, "0.9") && !answers(Ask::Cosine, "0.899999999"));
        assert!(!answers(Ask::Containing, "1"));
    }
}
