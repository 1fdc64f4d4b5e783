//! Texts signed one by one are signed as a run signs them.

#![allow(clippy::unwrap_used)]

use lookalike::{
    ErrorKind, Record, Resources, Settings, Silent, Source, cluster, compare_texts,
    distributed::{SignedTexts, TextSigner, Wants},
    methods::MethodSettings,
    settings::Verify,
};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn texts(picks: &[(u8, u8)]) -> Vec<String> {
    let text = |&(text, variant): &(u8, u8)| {
        let mut words: Vec<String> = (0..20).map(|w| format!("w{}x{w}", text % 5)).collect();
        words[usize::from(variant) % 20] = format!("v{}", variant % 4);
        words.truncate(usize::from(variant) % 23);
        words.join(" ")
    };
    picks.iter().map(text).collect()
}

fn with_method(spec: &str) -> Settings {
    let method = MethodSettings {
        spec: spec.into(),
        verify: Verify::None,
        lexicon: None,
        lexicon_checksum: None,
        key_limit: None,
    };
    Settings { method: Some(method), ..Settings::default() }
}

fn sign(settings: &Settings, texts: &[String], wants: Wants, threads: usize) -> SignedTexts {
    let resources = Resources { threads, ..Resources::default() };
    let source = Source::records(texts.iter().map(|text| Record::new(text.as_str())));
    TextSigner::new(settings).unwrap().sign(source, wants, &resources, &Silent).unwrap()
}

const FEATURES: Wants = Wants { features: true, signatures: false };
const SIGNATURES: Wants = Wants { features: false, signatures: true };

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn sets_are_those_that_are_compared(
        picks in prop::collection::vec((0..8u8, any::<u8>()), 2..30), threads in 1..4usize,
    ) {
        let texts = texts(&picks);
        let settings = Settings { shingle: lookalike::settings::Shingle::Of(3), ..Settings::default() };
        let signed = sign(&settings, &texts, FEATURES, threads);
        prop_assert_eq!(signed.len(), texts.len());
        for (a, b) in (1..texts.len()).map(|row| (row - 1, row)) {
            let sets = [a, b].map(|row| signed.features.get(row).unwrap_or_default());
            prop_assert!(sets.iter().all(|set| set.is_sorted()));
            let [x, y] = sets.map(|set| set.iter().collect::<BTreeSet<_>>());
            let known = compare_texts(&texts[a], &texts[b], &settings).unwrap().comparison().measures;
            let counts = (x.intersection(&y).count(), x.len(), y.len());
            prop_assert_eq!(counts, (known.shared as usize, known.size_a as usize, known.size_b as usize));
        }
    }

    /// Documents with a common key are the pairs of a run by keys alone.
    #[test]
    fn keys_are_those_of_a_run(
        picks in prop::collection::vec((0..8u8, any::<u8>()), 2..40),
        threads in 1..4usize,
        spec in prop::sample::select(vec![
            "minhash-lsh:bands=8,rows=2", "minhash-lsh:t=0.7", "dsc-ss", "dsc:m=2", "word-lsh", "super-shingles-84",
        ]),
    ) {
        let texts = texts(&picks);
        let settings = with_method(spec);
        let signed = sign(&settings, &texts, SIGNATURES, threads);
        let keys = |row| signed.keys.get(row).unwrap_or_default().iter().collect::<BTreeSet<_>>();
        let mut expected = BTreeSet::new();
        for b in 0..texts.len() {
            // Equal texts are one to a run, whether or not the method can sign them.
            let pairs = |&a: &usize| {
                !keys(a).is_disjoint(&keys(b)) || (texts[a] == texts[b] && !texts[a].is_empty())
            };
            expected.extend((0..b).filter(pairs).map(|a| (a, b)));
        }
        let source = Source::records(texts.iter().map(|text| Record::new(text.as_str())));
        let answer = cluster(source, &settings, &Resources::default(), &Silent).unwrap();
        let place = |record: u32| record as usize - 1;
        let pairs = answer.listed_pairs().map(|pair| {
            let (a, b) = (place(pair.a.record), place(pair.b.record));
            (a.min(b), a.max(b))
        });
        prop_assert_eq!(pairs.collect::<BTreeSet<_>>(), expected);
    }
}

#[test]
fn any_number_of_threads_gives_the_same() {
    let picks: Vec<(u8, u8)> =
        (0..5000u32).map(|n| ((n % 7) as u8, (n * 37 % 251) as u8)).collect();
    let texts = texts(&picks);
    let wants = Wants { features: true, signatures: true };
    let settings = with_method("minhash-lsh:t=0.8");
    let expected = sign(&settings, &texts, wants, 1);
    assert_eq!(expected.len(), 5000);
    assert_eq!(sign(&settings, &texts, wants, 4), expected);
    // Simhashes are words of which near ones are alike.
    let words = sign(&with_method("simhash:weights=tf"), &texts, SIGNATURES, 2);
    assert!((0..texts.len()).all(|row| words.sketches.get(row).is_none_or(|word| word.len() == 1)));
    assert!(words.sketches.get(10).is_some());
}

#[test]
fn what_depends_on_all_documents_is_refused() {
    let refused = |settings: &Settings| TextSigner::new(settings).unwrap_err();
    let common = Settings { ignore_common: Some(5), ..Settings::default() };
    for (settings, named) in [(common, "ignore_common"), (with_method("imatch"), "lexicon")] {
        let error = refused(&settings);
        assert_eq!(error.kind(), ErrorKind::Usage);
        assert!(error.to_string().contains(named), "{error}");
    }
    let alone = TextSigner::new(&Settings::default()).unwrap();
    let error = alone.sign(Source::records(["a"]), SIGNATURES, &Resources::default(), &Silent);
    assert!(error.unwrap_err().to_string().contains("the setting method"));
    let broken = Source::try_records([Ok(Record::new("a")), Err("the cable")]);
    let error = alone.sign(broken, FEATURES, &Resources::default(), &Silent).unwrap_err();
    assert!(error.to_string().contains("the cable"), "{error}");
}
