//! Recall, precision and other counts of a method, from its pairs and the true ones.
//!
//! Recall and precision by document, and the utility of a spam filter, are equations 3 to 5 of
//! Kołcz & Chowdhury 2008, section 6.4. Pure clusters are those of their section 7.1: each document
//! of the cluster is in one true component.

use super::labels::Class;
use super::listing::Sampled;
use super::similarity::{STEPS, wilson};
use super::truth::KnownPair;
use lookalike_cluster::Components;
use lookalike_engine::DocumentId;
use lookalike_report::{ClassResult, ClusterResult, Decile};

/// Comparison of found pairs with the known ones.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Score {
    /// Pairs found.
    pub(super) found: u64,
    /// True pairs.
    pub(super) all_true: u64,
    /// True pairs found.
    pub(super) true_found: u64,
    /// Recall by document, averaged.
    pub(super) mean_recall: Option<f64>,
    /// Precision by document, averaged.
    pub(super) mean_precision: Option<f64>,
    /// By similarity.
    pub(super) deciles: Vec<Decile>,
}

/// Compares the pairs found with the known ones, both in order and each pair once. `expected` is
/// the theoretical probability of finding a pair. O(found + known + documents).
pub(super) fn score(
    documents: u32,
    found: &[(DocumentId, DocumentId)],
    known: &[KnownPair],
    sampled: Sampled<'_>,
    expected: Option<&dyn Fn(&KnownPair) -> f64>,
) -> Score {
    let mut score = Score { found: found.len() as u64, ..Score::default() };
    // Of each document: pairs found, true pairs, true pairs found.
    let mut of_document = vec![[0u32; 3]; documents as usize];
    let mut count = |a: DocumentId, b: DocumentId, what: usize| {
        of_document[a.index()][what] += 1;
        of_document[b.index()][what] += 1;
    };
    found.iter().for_each(|&(a, b)| count(a, b, 0));
    let mut steps = [(0u64, 0u64, 0.0); STEPS];
    let mut rest = found;
    for pair in known {
        let place = (pair.a, pair.b);
        while rest.first().is_some_and(|&next| next < place) {
            rest = &rest[1..];
        }
        let is_found = rest.first() == Some(&place);
        let (all, hit, theory) = &mut steps[usize::from(pair.step)];
        *all += 1;
        *hit += u64::from(is_found);
        *theory += expected.map_or(0.0, |expected| expected(pair));
        if pair.is_true {
            score.all_true += 1;
            count(pair.a, pair.b, 1);
            if is_found {
                score.true_found += 1;
                count(pair.a, pair.b, 2);
            }
        }
    }
    let queries = (0..documents as usize).filter(|&d| sampled.is_none_or(|sampled| sampled[d]));
    let counts: Vec<[u32; 3]> = queries.map(|document| of_document[document]).collect();
    score.mean_recall = mean(counts.iter().map(|&[_, all, hit]| (hit, all)));
    score.mean_precision = mean(counts.iter().map(|&[found, _, hit]| (hit, found)));
    score.deciles = (0u32..)
        .zip(steps)
        .map(|(step, (pairs, found, theory))| {
            let interval = sampled.and_then(|_| wilson(found, pairs));
            Decile {
                from: f64::from(step) / 10.0,
                pairs,
                found,
                recall: share(found, pairs),
                low: interval.map(|(low, _)| low),
                high: interval.map(|(_, high)| high),
                expected: expected.filter(|_| pairs > 0).map(|_| theory / pairs as f64),
            }
        })
        .collect();
    score
}

/// The mean of the shares with a denominator above 0.
fn mean(shares: impl Iterator<Item = (u32, u32)>) -> Option<f64> {
    let (sum, number) = shares
        .filter(|&(_, all)| all > 0)
        .fold((0.0, 0u64), |(sum, n), (hit, all)| (sum + f64::from(hit) / f64::from(all), n + 1));
    (number > 0).then(|| sum / number as f64)
}

/// `part` / `whole`; `None` if `whole` is 0.
pub(super) fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Counts of clusters of two documents or more; with the label of each document's true component,
/// also of those within one.
pub(super) fn clusters(found: Components, truth: Option<&[u32]>) -> ClusterResult {
    let labels = found.labels();
    // The smallest document of a cluster is its label, so it is the first of the cluster.
    let mut sizes = vec![0u32; labels.len()];
    let mut pure = vec![true; labels.len()];
    for (document, &label) in labels.iter().enumerate() {
        sizes[label as usize] += 1;
        if let Some(truth) = truth {
            pure[label as usize] &= truth[document] == truth[label as usize];
        }
    }
    let real = || sizes.iter().zip(&pure).filter(|&(&size, _)| size > 1);
    ClusterResult {
        clusters: real().count() as u64,
        pure: truth.map(|_| real().filter(|&(_, &pure)| pure).count() as u64),
        documents: real().map(|(&size, _)| u64::from(size)).sum(),
        largest: real().map(|(&size, _)| u64::from(size)).max().unwrap_or(0),
    }
}

/// Results of found pairs by classes of documents; a removed legitimate one costs `cost`.
pub(super) fn by_class(
    found: &[(DocumentId, DocumentId)],
    classes: &[Class],
    sampled: Sampled<'_>,
    cost: u64,
) -> ClassResult {
    // Of each document: spam and legitimate documents matched.
    let mut matched = vec![[0u64; 2]; classes.len()];
    let mut false_matches = 0;
    for &(a, b) in found {
        let of = [classes[a.index()], classes[b.index()]];
        false_matches += u64::from(of.contains(&Class::Spam) && of.contains(&Class::Legit));
        for (document, other) in [(a, of[1]), (b, of[0])] {
            match other {
                Class::Spam => matched[document.index()][0] += 1,
                Class::Legit => matched[document.index()][1] += 1,
                Class::Neither => {}
            }
        }
    }
    let caught = |wanted: Class| {
        let documents = classes.iter().zip(&matched);
        documents.filter(|&(&class, matched)| class == wanted && matched[0] > 0).count() as u64
    };
    let (spam_caught, legit_caught) = (caught(Class::Spam), caught(Class::Legit));
    let utility = |spam: u64, legit: u64| spam as i64 - (cost as i64).saturating_mul(legit as i64);
    let (mut sum, mut queries) = (0i64, 0u64);
    for (document, &class) in classes.iter().enumerate() {
        if class == Class::Spam && sampled.is_none_or(|sampled| sampled[document]) {
            let [spam, legit] = matched[document];
            sum = sum.saturating_add(utility(spam, legit));
            queries += 1;
        }
    }
    ClassResult {
        false_matches,
        legit_caught,
        spam_caught,
        utility: utility(spam_caught, legit_caught),
        mean_utility: (queries > 0).then(|| sum as f64 / queries as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn known(a: u32, b: u32, step: u8, is_true: bool) -> KnownPair {
        let (a, b) = (DocumentId(a), DocumentId(b));
        KnownPair { a, b, similarity: f32::from(step) / 10.0, step, is_true }
    }

    fn pair((a, b): (u32, u32)) -> (DocumentId, DocumentId) {
        (DocumentId(a), DocumentId(b))
    }

    /// Documents 0, 1, 2 resemble each other; 3 and 4 do; 2 and 3 nearly. Found: (0,1), (2,3),
    /// (2,5).
    #[test]
    fn worked_by_hand() {
        let truth = [
            known(0, 1, 10, true),
            known(0, 2, 9, true),
            known(1, 2, 8, true),
            known(2, 3, 6, false),
            known(3, 4, 9, true),
        ];
        let found = [(0, 1), (2, 3), (2, 5)].map(pair);
        let half = |_: &KnownPair| 0.5;
        let score = score(6, &found, &truth, None, Some(&half));
        assert_eq!((score.found, score.all_true, score.true_found), (3, 4, 1));
        // Recall: 1/2, 1/2, 0, 0, 0 of documents 0 to 4. Precision: 1, 1, 0, 0, 0 of 0, 1, 2, 3, 5.
        assert_eq!(score.mean_recall, Some(0.2));
        assert_eq!(score.mean_precision, Some(0.4));
        let of = |step: usize| (score.deciles[step].pairs, score.deciles[step].found);
        assert_eq!((of(10), of(9), of(8), of(6)), ((1, 1), (2, 0), (1, 0), (1, 1)));
        assert_eq!((score.deciles[9].expected, score.deciles[0].expected), (Some(0.5), None));
        assert_eq!((score.deciles[9].low, score.deciles[0].recall), (None, None));
    }

    #[test]
    fn in_a_sample_only_its_documents_are_queries_and_there_are_intervals() {
        let truth = [known(0, 1, 10, true), known(0, 2, 9, true)];
        let sampled = [true, false, false];
        let score = score(3, &[pair((0, 1))], &truth, Some(&sampled), None);
        assert_eq!((score.mean_recall, score.mean_precision), (Some(0.5), Some(1.0)));
        // Wilson for one of one: low = 1 / (1 + z²).
        assert!((score.deciles[10].low.unwrap() - 0.206_55).abs() < 1e-4);
        assert_eq!(score.deciles[10].high, Some(1.0));
    }

    #[test]
    fn pure_clusters_by_hand() {
        let mut found = Components::new(8);
        for (a, b) in [(0, 1), (2, 3), (3, 4), (6, 7)] {
            found.join(a, b);
        }
        // True components: {0, 1, 2}, {3, 4}, the rest alone.
        let truth = [0, 0, 0, 3, 3, 5, 6, 7];
        let result = clusters(found, Some(&truth));
        assert_eq!(result, ClusterResult { clusters: 3, pure: Some(1), documents: 7, largest: 3 });
        assert_eq!(result.average_size(), Some(7.0 / 3.0));
    }

    #[test]
    fn utility_by_hand() {
        use Class::{Legit, Neither, Spam};
        let classes = [Spam, Spam, Spam, Legit, Legit, Neither];
        // Spam 0 finds spam 1 and legitimate 3; spam 2 finds nothing but 5, which has no class.
        let found = [(0, 1), (0, 3), (2, 5), (3, 4)].map(pair);
        let result = by_class(&found, &classes, None, 100);
        assert_eq!((result.false_matches, result.legit_caught, result.spam_caught), (1, 1, 2));
        assert_eq!(result.utility, 2 - 100);
        // (1 − 100) + 1 + 0 over three queries.
        assert_eq!(result.mean_utility, Some(-98.0 / 3.0));
        let sampled = [false, true, false, false, false, false];
        assert_eq!(by_class(&found, &classes, Some(&sampled), 100).mean_utility, Some(1.0));
    }

    proptest! {
        #[test]
        fn counts_are_those_of_the_definition(
            found in prop::collection::btree_set((0u32..12, 0u32..12), 0..40),
            truth in prop::collection::btree_map((0u32..12, 0u32..12), any::<bool>(), 0..40),
        ) {
            let found: Vec<_> = found.into_iter().filter(|(a, b)| a < b).map(pair).collect();
            let pairs: Vec<_> = truth
                .into_iter()
                .filter(|((a, b), _)| a < b)
                .map(|((a, b), is_true)| known(a, b, 8, is_true))
                .collect();
            let set: BTreeSet<_> = found.iter().copied().collect();
            let hits = |only_true: bool| {
                let hit = |p: &&KnownPair| (p.is_true || !only_true) && set.contains(&(p.a, p.b));
                pairs.iter().filter(hit).count() as u64
            };
            let score = score(12, &found, &pairs, None, None);
            prop_assert_eq!(score.true_found, hits(true));
            prop_assert_eq!(score.deciles[8].found, hits(false));
            prop_assert_eq!(score.deciles[8].pairs, pairs.len() as u64);
        }
    }
}
