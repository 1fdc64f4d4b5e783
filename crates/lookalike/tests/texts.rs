//! `texts` against its definition, pair by pair, and against whole runs over the same texts.

#![allow(clippy::unwrap_used)]

use lookalike::texts::{
    ComparedPair, ComparedTexts, Criterion, FeatureKind, Measure, Overlap, ShortDocuments,
    TextFeatures, compare,
};
use proptest::prelude::*;
use std::cmp::Reverse;

const MEASURES: [Measure; 3] = [Measure::Resemblance, Measure::Containment, Measure::Cosine];
const THRESHOLDS: [&str; 4] = ["0.3", "0.5", "0.8", "1"];

fn features(size: usize) -> TextFeatures {
    let kind = match size {
        0 => FeatureKind::Terms,
        size => FeatureKind::Shingles { size, short: ShortDocuments::Whole },
    };
    TextFeatures { kind, ..TextFeatures::default() }
}

/// Texts of few words, so that many are near one another, some equal and some without words.
fn texts() -> impl Strategy<Value = Vec<String>> {
    let word = prop::sample::select(vec![
        "a", "rose", "is", "Rose", "red", "the", "!", "fish", "of", "two",
    ]);
    let text = prop::collection::vec(word, 0..14).prop_map(|words| words.join(" "));
    prop::collection::vec(text, 0..24)
}

/// Matching pairs, later first, as the definition has them.
fn brute_force(
    texts: &[String],
    features: &TextFeatures,
    criterion: Criterion,
) -> Vec<ComparedPair> {
    let mut pairs = Vec::new();
    for later in 0..texts.len() {
        for earlier in 0..later {
            let counts = compare(&texts[later], &texts[earlier], features);
            let swaps = criterion.measure == Measure::Containment && counts.a > counts.b;
            let (mut pair, Overlap { shared, a, b }) =
                (ComparedPair { later, earlier, counts }, counts);
            if swaps {
                let counts = Overlap { shared, a: b, b: a };
                pair = ComparedPair { later: earlier, earlier: later, counts };
            }
            if criterion.reaches(pair.counts) && shared > 0 {
                pairs.push(pair);
            }
        }
    }
    pairs.sort_by_key(|pair| (pair.later, pair.earlier));
    pairs
}

/// The texts in order of precedence.
fn precedence(texts: &[String], features: &TextFeatures, measure: Measure) -> Vec<usize> {
    let mut order: Vec<usize> = (0..texts.len()).collect();
    if measure == Measure::Containment {
        order.sort_by_key(|&text| Reverse(compare(&texts[text], "", features).a));
    }
    order
}

fn leaders(pairs: &[ComparedPair], order: &[usize]) -> Vec<Option<ComparedPair>> {
    let mut found = vec![None; order.len()];
    for &later in order {
        let kept = |pair: &&ComparedPair| pair.later == later && found[pair.earlier].is_none();
        let rank = |pair: &&ComparedPair| order.iter().position(|&text| text == pair.earlier);
        found[later] = pairs.iter().filter(kept).min_by_key(rank).copied();
    }
    found
}

fn components(pairs: &[ComparedPair], order: &[usize]) -> Vec<usize> {
    let mut first: Vec<usize> = (0..order.len()).collect();
    for &text in order {
        // The first text of each component in precedence names all that can be reached from it.
        if first[text] != text {
            continue;
        }
        let mut reached = vec![text];
        while let Some(from) = reached.pop() {
            for pair in pairs {
                for (x, y) in [(pair.later, pair.earlier), (pair.earlier, pair.later)] {
                    if x == from && y != text && first[y] == y {
                        first[y] = text;
                        reached.push(y);
                    }
                }
            }
        }
    }
    first
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn answers_are_those_of_the_definition(texts in texts(), size in 0usize..4, measure in 0usize..3, threshold in 0usize..4) {
        let features = features(size);
        let criterion = Criterion { measure: MEASURES[measure], threshold: THRESHOLDS[threshold].parse().unwrap() };
        let (expected, order) =
            (brute_force(&texts, &features, criterion), precedence(&texts, &features, criterion.measure));
        let compared = ComparedTexts::with_features(&texts, &features);
        prop_assert_eq!(compared.leaders(criterion).unwrap(), leaders(&expected, &order));
        prop_assert_eq!(compared.components(criterion).unwrap(), components(&expected, &order));
        prop_assert_eq!(compared.pairs(criterion).unwrap(), expected);
    }
}

#[cfg(feature = "files")]
mod whole_runs {
    use super::*;
    use lookalike::{
        Resources, Settings, Silent, Source,
        answer::{Counts, Named},
        cluster, dedup,
        settings::{Linkage, Shingle},
    };

    /// A pair with its counts, by number of records.
    fn row(later: Named<'_>, earlier: Named<'_>, counts: Counts) -> (u32, u32, [Option<u64>; 3]) {
        (later.record, earlier.record, [counts.shared, counts.size_a, counts.size_b])
    }

    fn row_of(pair: &ComparedPair) -> (u32, u32, [Option<u64>; 3]) {
        let counts = pair.counts;
        let numbers = [counts.shared, counts.a, counts.b].map(|count| Some(u64::from(count)));
        (pair.later as u32 + 1, pair.earlier as u32 + 1, numbers)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn answers_are_those_of_a_run(texts in texts(), size in 0usize..4, measure in 0usize..3, threshold in 0usize..4) {
            let (measure, threshold) = (MEASURES[measure], THRESHOLDS[threshold]);
            let criterion = Criterion { measure, threshold: threshold.parse().unwrap() };
            let shingle = if size == 0 { Shingle::Terms } else { Shingle::Of(size as u32) };
            let settings = Settings { measure, threshold: threshold.into(), shingle, min_features: Some(1), ..Settings::default() };
            let compared = ComparedTexts::with_features(&texts, &features(size));
            let source = || Source::records(texts.iter().map(String::as_str).collect::<Vec<_>>());

            let answer = dedup(source(), &settings, &Resources::default(), &Silent).unwrap();
            let mut removed: Vec<_> = answer.removals().map(|row_| row(row_.removed, row_.kept, row_.evidence)).collect();
            removed.sort();
            let leaders = compared.leaders(criterion).unwrap();
            let expected: Vec<_> = leaders.iter().flatten().map(row_of).collect();
            prop_assert_eq!(removed, expected);

            let settings = Settings { linkage: Some(Linkage::Components), ..settings };
            let answer = cluster(source(), &settings, &Resources::default(), &Silent).unwrap();
            // A run names the texts of a pair in the order of their names.
            let ascending = |(a, b, [shared, x, y]): (u32, u32, [Option<u64>; 3])| match a < b {
                true => (a, b, [shared, x, y]),
                false => (b, a, [shared, y, x]),
            };
            let mut listed: Vec<_> = answer.listed_pairs().map(|pair| ascending(row(pair.a, pair.b, pair.evidence))).collect();
            let mut expected: Vec<_> = compared.pairs(criterion).unwrap().iter().map(|pair| ascending(row_of(pair))).collect();
            listed.sort();
            expected.sort();
            prop_assert_eq!(listed, expected);
            let first = compared.components(criterion).unwrap();
            for member in answer.members() {
                let index = |record: u32| record as usize - 1;
                prop_assert_eq!(first[index(member.document.record)], first[index(member.leader.record)]);
            }
            let alone = (0..texts.len()).filter(|text| first.iter().filter(|&&other| other == first[*text]).count() == 1);
            prop_assert_eq!(answer.members().count(), texts.len() - alone.count());
        }
    }
}
