//! Pairs of an index that people judge, and what their judgements recommend.

#![allow(clippy::unwrap_used)]

use lookalike::index::{AddOptions, IndexSettings, ReviewOptions};
use lookalike::{Index, IndexWriter, Record, Settings, Silent, Source};

/// Twelve texts, each with one that has other numbers and one that has another word.
fn records() -> Vec<Record> {
    let text = |story: usize, number: usize, end: &str| {
        let words = (0..30).map(|n| format!("w{}x{}", story, (b'a' + n as u8) as char));
        let words: Vec<String> = words.collect();
        format!("{} costs {number} and {end}", words.join(" "))
    };
    let of_story = |story: usize| {
        [
            Record::new(text(story, 10, "red")).id(format!("{story}-0")),
            Record::new(text(story, 99, "red")).id(format!("{story}-number")),
            Record::new(text(story, 10, "blue")).id(format!("{story}-word")),
        ]
    };
    (0..12).flat_map(of_story).collect()
}

fn index(settings: IndexSettings) -> (tempfile::TempDir, Index) {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("index");
    let mut writer = IndexWriter::create(&dir, settings, 1).unwrap();
    let source = Source::records(records());
    writer.add(source, &Settings::default(), &AddOptions::default(), &Silent, |_| ()).unwrap();
    drop(writer);
    (folder, Index::open(&dir).unwrap())
}

#[test]
fn a_sample_has_the_pairs_around_the_threshold_the_closest_first() {
    let (_folder, index) = index(IndexSettings::default());
    let options = ReviewOptions { documents: 100, seed: 3 };
    let sample = index.review_sample(&options, &Silent).unwrap();
    assert_eq!(sample.documents, 36);
    // Of each story all three pairs.
    assert_eq!(sample.pairs.len(), 36);
    let counted: u64 = sample.below.iter().chain(&sample.above).sum();
    assert_eq!(counted, 36);
    let distance = |value: f64| (value - sample.threshold).abs();
    assert!(sample.pairs.is_sorted_by_key(|pair| distance(pair.value)));
    // The first that was added is kept.
    assert!(sample.pairs.iter().all(|pair| pair.b.ends_with("-0") || pair.a.ends_with("-word")));
    assert_eq!(index.review_sample(&options, &Silent).unwrap(), sample);
    let few = |seed| index.review_sample(&ReviewOptions { documents: 2, seed }, &Silent).unwrap();
    assert!(few(1) != few(2) || few(2) != few(3), "another seed is another sample");
}

#[test]
fn judgements_recommend_the_rule_that_keeps_the_different_apart() {
    let (_folder, index) = index(IndexSettings::default());
    let judged: Vec<_> = (0..12)
        .flat_map(|story| {
            let pair = |end: &str, same| (format!("{story}-{end}"), format!("{story}-0"), same);
            [pair("number", false), pair("word", true)]
        })
        .chain([("gone".to_owned(), "0-0".to_owned(), true)])
        .collect();
    let said = index.judged_differences(&judged, &Silent).unwrap().unwrap();
    let counts = said.judged.unwrap();
    assert_eq!((said.compared, counts.right, counts.wrong), (24, 12, 12));
    let rule = &said.rules[0];
    assert_eq!((&*rule.distinct_by, rule.max_lost), (&["numbers".to_owned()][..], None));
    let left = rule.left.unwrap();
    assert_eq!((left.right, left.wrong), (12, 0));
    assert!(index.judged_differences(&judged[24..], &Silent).unwrap().is_none());
}

#[test]
fn an_index_without_texts_has_pairs_and_no_rules() {
    let (_folder, index) = index(IndexSettings { texts: false, ..IndexSettings::default() });
    let sample = index.review_sample(&ReviewOptions::default(), &Silent).unwrap();
    assert_eq!(sample.pairs.len(), 36);
    let judged = [("0-word".to_owned(), "0-0".to_owned(), true)];
    assert!(index.judged_differences(&judged, &Silent).unwrap().is_none());
}

#[test]
fn a_lean_index_has_pairs_from_its_threshold_on() {
    let lean = IndexSettings { lean: Some("0.8".into()), ..IndexSettings::default() };
    let (_folder, index) = index(lean);
    let sample = index.review_sample(&ReviewOptions::default(), &Silent).unwrap();
    assert!(sample.below.is_empty() && !sample.pairs.is_empty());
    assert!(sample.pairs.iter().all(|pair| pair.value >= 0.8));
}
