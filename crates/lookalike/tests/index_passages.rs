//! Passages in an index: what it finds equals what a comparison of all words finds, after any history.

#![allow(clippy::unwrap_used)]

use lookalike::{
    Index, IndexWriter, Record, Settings, Silent, Source,
    index::{
        AddOptions, Asked, DeleteWhat, Filter, IndexSettings, PassageAnswer, PassageQuery,
        QuerySubject, ReadOptions, check_index, repair_index,
    },
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Words, and bytes, of a passage in two texts.
type Place = (usize, usize, usize, [usize; 2], [usize; 2]);

/// What happens to an index.
#[derive(Debug, Clone)]
enum Step {
    Add(Vec<(String, String)>),
    Delete(Vec<String>),
    Compact,
    Merge(Vec<(String, String)>),
}

/// Words of few letters with separators, so that passages are frequent, and some are periodic.
fn text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(&["a", "b", "A", "\u{e9}", "Na"][..]);
    let between = prop::sample::select(&[" ", ", ", "\n", " - "][..]);
    let few = prop::collection::vec((word, between), 0..40);
    let row = (1usize..4, 0usize..40).prop_map(|(period, words)| {
        let word = |at: usize| (["x", "y", "z"][at % period], " ");
        (0..words).map(word).collect::<Vec<_>>()
    });
    let written = |words: Vec<(&str, &str)>| -> String {
        words.into_iter().flat_map(|(word, between)| [word, between]).collect()
    };
    prop_oneof![3 => few, 1 => row].prop_map(written)
}

fn documents() -> impl Strategy<Value = Vec<(String, String)>> {
    prop::collection::vec(("[a-h]", text()), 1..6)
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        5 => documents().prop_map(Step::Add),
        2 => prop::collection::vec("[a-h]", 1..4).prop_map(Step::Delete),
        1 => Just(Step::Compact),
        1 => documents().prop_map(Step::Merge),
    ];
    prop::collection::vec(step, 1..8)
}

fn create(dir: &Path, settings: &IndexSettings) -> IndexWriter {
    IndexWriter::create(dir, settings.clone(), 2).unwrap()
}

fn add(index: &mut IndexWriter, documents: &[(String, String)]) {
    let record = |(id, text): &(String, String)| Record::new(text.clone()).id(id.clone());
    let records: Vec<Record> = documents.iter().map(record).collect();
    let options = AddOptions::default();
    index.add(Source::records(records), &Settings::default(), &options, &Silent, |_| {}).unwrap();
}

/// The words of a text in lower case, with their bytes.
fn words(text: &str) -> Vec<(String, [usize; 2])> {
    let mut words: Vec<(String, [usize; 2])> = Vec::new();
    for (at, letter) in text.char_indices().filter(|(_, letter)| letter.is_alphabetic()) {
        let end = at + letter.len_utf8();
        match words.last_mut() {
            Some((word, bytes)) if bytes[1] == at => {
                word.extend(letter.to_lowercase());
                bytes[1] = end;
            }
            _ => words.push((letter.to_lowercase().collect(), [at, end])),
        }
    }
    words
}

/// All passages of two texts, by a comparison of all their words.
fn passages(query: &str, document: &str, length: usize) -> Vec<Place> {
    let (a, b) = (words(query), words(document));
    let mut found = Vec::new();
    for i in 0..a.len() {
        for j in 0..b.len() {
            let begins = i == 0 || j == 0 || a[i - 1].0 != b[j - 1].0;
            let n = a[i..].iter().zip(&b[j..]).take_while(|(a, b)| a.0 == b.0).count();
            if begins && n >= length {
                let bytes =
                    |of: &[(String, [usize; 2])], at: usize| [of[at].1[0], of[at + n - 1].1[1]];
                found.push((n, i, j, bytes(&a, i), bytes(&b, j)));
            }
        }
    }
    found
}

fn covered(places: &[Place]) -> BTreeSet<usize> {
    places.iter().flat_map(|&(words, at, ..)| at..at + words).collect()
}

/// The answer is that of a comparison with all documents.
fn is_right(
    answer: &PassageAnswer,
    query: &str,
    documents: &BTreeMap<String, String>,
    length: usize,
    limit: Option<usize>,
) -> Result<(), TestCaseError> {
    let of_all = documents.iter().map(|(id, text)| (id, passages(query, text, length)));
    let of_all: BTreeMap<&String, Vec<Place>> =
        of_all.filter(|(_, places)| !places.is_empty()).collect();
    let all: BTreeSet<usize> = of_all.values().flat_map(|places| covered(places)).collect();
    prop_assert_eq!(answer.total, of_all.len() as u64);
    prop_assert_eq!(answer.words as usize, words(query).len());
    prop_assert_eq!(answer.words_in_common as usize, all.len());
    prop_assert_eq!(answer.documents.len(), of_all.len().min(limit.unwrap_or(usize::MAX)));
    let mut counts: Vec<usize> = of_all.values().map(|places| covered(places).len()).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    for (found, count) in answer.documents.iter().zip(counts) {
        let place = |place: &lookalike::index::PassageInCommon| -> Place {
            let (words, query) = (place.words as usize, place.query_word as usize);
            let document = place.document_word as usize;
            (words, query, document, place.query_bytes, place.document_bytes)
        };
        let places: Vec<Place> = found.passages.iter().map(place).collect();
        prop_assert_eq!(&places, &of_all[&found.id], "{}", &found.id);
        prop_assert_eq!(found.words_in_common as usize, count, "{}", &found.id);
    }
    Ok(())
}

fn ask(index: &Index, about: QuerySubject, limit: Option<usize>) -> PassageAnswer {
    index.find_passages(&PassageQuery { limit, ..PassageQuery::new(about) }).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn passages_are_those_of_a_comparison(
        steps in steps(),
        length in 1u32..12,
        questions in prop::collection::vec(text(), 1..4),
        limit in prop::option::of(1usize..4),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("index");
        let settings = IndexSettings { passages: Some(length), ..IndexSettings::default() };
        let mut index = create(&dir, &settings);
        let mut live = BTreeMap::new();
        for (number, step) in steps.into_iter().enumerate() {
            match step {
                Step::Add(documents) => {
                    add(&mut index, &documents);
                    live.extend(documents);
                }
                Step::Delete(ids) => {
                    ids.iter().for_each(|id| drop(live.remove(id)));
                    let found = index.find(&DeleteWhat { ids, ..DeleteWhat::default() }).unwrap();
                    index.delete(&found.documents);
                    index.commit().unwrap();
                }
                Step::Compact => index.compact().unwrap(),
                Step::Merge(documents) => {
                    let other = folder.path().join(format!("other{number}"));
                    let mut more = create(&other, &settings);
                    add(&mut more, &documents);
                    drop(more);
                    index.merge(&Index::open(&other).unwrap()).unwrap();
                    live.extend(documents);
                }
            }
        }
        prop_assert_eq!(check_index(&dir, true, 2).unwrap(), Vec::<String>::new());
        let length = length as usize;
        let reader = Index::open(&dir).unwrap();
        for text in &questions {
            let answer = ask(&reader, QuerySubject::Text(text.clone()), limit);
            is_right(&answer, text, &live, length, limit)?;
        }
        let query = PassageQuery { limit, ..PassageQuery::of_each() };
        let (fields, options, mut asked) = (Settings::default(), ReadOptions::default(), 0);
        let source = Source::records(questions.iter().map(Record::new));
        let each = |one: Asked<PassageAnswer>| {
            assert_eq!(one.place.record as usize, asked + 1);
            let alone = ask(&reader, QuerySubject::Text(questions[asked].clone()), limit);
            assert_eq!(format!("{:?}", one.answer), format!("{alone:?}"));
            asked += 1;
        };
        reader.find_passages_of_all(source, &fields, &query, options, &Silent, each).unwrap();
        prop_assert_eq!(asked, questions.len());
        // A stored document is not part of its own answer.
        if let Some((id, text)) = live.clone().into_iter().next() {
            let answer = ask(&reader, QuerySubject::Id(id.clone()), limit);
            live.remove(&id);
            is_right(&answer, &text, &live, length, limit)?;
        }
    }
}

/// Sixty words of which no ten stand in another number's.
fn chapter(number: usize) -> String {
    (0..60).map(|at| format!("w{}", number * 1000 + at)).collect::<Vec<_>>().join(" ")
}

fn library(dir: &Path, passages: Option<u32>) -> IndexWriter {
    let mut index = create(dir, &IndexSettings { passages, ..IndexSettings::default() });
    let documents: Vec<(String, String)> =
        (0..50).map(|n| (format!("d{n}"), format!("{} {}", chapter(n), chapter(n + 1)))).collect();
    add(&mut index, &documents);
    index
}

#[test]
fn two_documents_have_each_chapter() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("index");
    drop(library(&dir, Some(20)));
    let index = Index::open(&dir).unwrap();
    let text = format!("before {} after", chapter(7));
    let answer = ask(&index, QuerySubject::Text(text.clone()), None);
    let ids: Vec<&str> = answer.documents.iter().map(|found| &*found.id).collect();
    assert_eq!(ids, ["d6", "d7"]);
    assert_eq!((answer.words, answer.words_in_common, answer.length), (62, 60, 20));
    let [start, end] = answer.documents[0].passages[0].query_bytes;
    assert_eq!(text[start..end], chapter(7));
    assert_eq!(answer.documents[0].passages[0].document_word, 60);
    // Those that are not listed are counted.
    let first = ask(&index, QuerySubject::Text(text.clone()), Some(1));
    assert_eq!((first.documents.len(), first.total, first.words_in_common), (1, 2, 60));
    // A filter leaves documents out.
    let filter = Filter { site: Some("a.example".into()), ..Filter::default() };
    let query = PassageQuery { filter, ..PassageQuery::new(QuerySubject::Text(text)) };
    assert_eq!(index.find_passages(&query).unwrap().total, 0);
}

#[test]
fn what_an_index_cannot_answer_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("index");
    drop(library(&dir, None));
    let query = PassageQuery::new(QuerySubject::Text(chapter(1)));
    let refused = Index::open(&dir).unwrap().find_passages(&query).unwrap_err().to_string();
    assert!(refused.contains("create an index with the setting passages"), "{refused}");
    for (settings, said) in [
        (IndexSettings { passages: Some(0), ..IndexSettings::default() }, "passages=0"),
        (IndexSettings { passages: Some(20_000), ..IndexSettings::default() }, "1 to 16384 words"),
        (IndexSettings { passages: Some(9), texts: false, ..IndexSettings::default() }, "no_text"),
    ] {
        let refused = IndexWriter::create(folder.path().join("no"), settings, 1).unwrap_err();
        assert!(refused.to_string().contains(said), "{refused}");
    }
}

#[test]
fn damaged_keys_are_found_and_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("index");
    drop(library(&dir, Some(20)));
    let text = chapter(7);
    let right = ask(&Index::open(&dir).unwrap(), QuerySubject::Text(text.clone()), None);
    let file = std::fs::read_dir(dir.join("seg")).unwrap().next().unwrap().unwrap().path();
    let whole = std::fs::read(&file).unwrap();
    let mut named = BTreeSet::new();
    // Keys and their postings are the last sections.
    for at in (whole.len() / 2..whole.len()).step_by(97) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        std::fs::write(&file, bytes).unwrap();
        let wrong = check_index(&dir, false, 1).unwrap();
        assert!(!wrong.is_empty(), "byte {at}");
        for name in ["signature words", "key postings"] {
            if wrong.iter().any(|what| what.contains(name)) && named.insert(name) {
                let new = folder.path().join(name.replace(' ', "-"));
                repair_index(&dir, Some(&new), 1).unwrap();
                assert_eq!(check_index(&new, true, 1).unwrap(), Vec::<String>::new());
                let index = Index::open(&new).unwrap();
                let again = ask(&index, QuerySubject::Text(text.clone()), None);
                let places = |answer: &PassageAnswer| {
                    let found = answer.documents.iter();
                    found
                        .map(|found| (found.id.clone(), found.passages.clone()))
                        .collect::<Vec<_>>()
                };
                assert_eq!(places(&again), places(&right));
            }
        }
    }
    assert_eq!(named.len(), 2, "{named:?}");
}
