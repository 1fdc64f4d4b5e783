//! The shared collections, with the near-duplicate pairs that others computed for them by brute
//! force: `cluster` has to find exactly those.
//!
//! The collections are not part of this repository: [`data`] says where they are, and when the
//! tests are skipped. Those in `COLLECTIONS` must be there; others with lists of pairs are checked
//! as well. Collections of more than 50 MB of text are left out unless `LOOKALIKE_ALL=1`.
//!
//! The reference takes runs of letters and digits for words. In scripts written without spaces our
//! analysis cuts such runs (UAX #29), so documents that hold a character of those scripts are
//! compared with the oracle of this crate instead, and so are all pairs between them and others.
//!
//! To the reference, combining marks, zero-width and other default-ignorable characters and the
//! tatweel end a word; to us marks belong to the word, and the others are nothing. Documents that
//! hold one are compared with the oracle as well, and the pairs that differ for this reason alone are
//! listed in `data/differing_pairs.tsv`: exactly those may differ. `LOOKALIKE_LIST=FILE` writes the
//! list anew. The oracle takes its words from `unicode-segmentation`.
//!
//! Documents without a shingle or term are in no pair of the reference or of the oracle. To us all those
//! of the same words are pairs, and without words those of the same characters.

#![allow(clippy::unwrap_used)]

use lookalike::{
    Job, Silent,
    results::TableFormat,
    settings::{AnalysisSettings, Measure, Normalize, ShortDocuments, Terms, Tokens},
};
use lookalike_testing::data;
use lookalike_testing::oracle::{self, Ratio, Short};
use lookalike_testing::reference::{self, Definition, Document};
use lookalike_testing::words::{is_mark, is_unspaced, words};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The columns of `differing_pairs.tsv`; the last says which of the two has the pair.
const LIST_HEADER: &str = "collection\treference\ta\tb\tin";

/// Bytes of text up to which a collection is always checked.
const LARGEST: usize = 50_000_000;

/// The collections that have both lists of pairs.
const COLLECTIONS: &[&str] = &[
    "code_hello_algo",
    "code_irplag_a",
    "dup_clough_stevenson",
    "dup_mccormick_1000",
    "dup_ndd_100",
    "dup_pan13_a",
    "lic_debian_copyright",
    "lic_multi",
    "mail_csdmc2010",
    "mail_enron_a",
    "mail_lingspam",
    "mail_spamassassin",
    "multi_hello_algo",
    "multi_udhr_a",
    "news_bbc",
    "news_reuters_a",
    "pairs_msrp_train",
    "planted_multi_a",
    "planted_news_a",
    "planted_spam_a",
    "rec_cora",
    "web_article_extraction",
    "web_pandas_docs",
    "web_seaborn_versions",
    "web_trafilatura_a",
];

/// What a pair is called by and what is known of it.
type Pairs = BTreeMap<(String, String), Known>;

#[derive(Debug, Clone, Copy)]
struct Known {
    value: f64,
    sizes: (usize, usize),
}

#[test]
fn the_pairs_of_every_collection_are_those_of_the_reference() {
    let Some(directories) = collections() else { return };
    let all = std::env::var_os("LOOKALIKE_ALL").is_some_and(|value| value == "1");
    let mut failures = Vec::new();
    let mut checked = 0;
    let mut missing: BTreeSet<&str> = COLLECTIONS.iter().copied().collect();
    let mut list = include_str!("data/differing_pairs.tsv").lines();
    assert_eq!(list.next(), Some(LIST_HEADER));
    let listed: BTreeSet<String> = list.map(str::to_owned).collect();
    let mut differing_rows: BTreeSet<String> = BTreeSet::new();
    for directory in directories {
        let name = directory.file_name().unwrap().to_string_lossy().into_owned();
        let definitions = [Definition::Resemblance, Definition::Cosine];
        let known = definitions.map(|d| reference::pairs(&directory, d).unwrap().map(|p| (d, p)));
        if known.iter().all(Option::is_none) {
            continue;
        }
        if known.iter().all(Option::is_some) {
            missing.remove(name.as_str());
        }
        let documents = reference::documents(&directory).unwrap();
        let bytes: usize = documents.iter().map(|document| document.text.len()).sum();
        if bytes > LARGEST && !all {
            println!("{name}: {bytes} bytes of text, left out; LOOKALIKE_ALL=1 checks it");
            continue;
        }
        for (definition, known) in known.into_iter().flatten() {
            let started = Instant::now();
            let case = format!("{name} {}", definition.stem());
            let found = found_pairs(&directory, definition);
            let expected = normal(known.into_iter().map(|pair| {
                let sizes = (pair.size_a, pair.size_b);
                ((pair.a, pair.b), Known { value: pair.value, sizes })
            }));
            let expected = with_equal_texts(&documents, expected);
            let mut complaints = check(&documents, definition, &found, &expected);
            let differing = differing_pairs(&documents, &found, &expected);
            let rows =
                differing.into_iter().map(|row| format!("{name}\t{}\t{row}", definition.stem()));
            let rows: BTreeSet<String> = rows.collect();
            let known =
                |row: &&String| row.starts_with(&format!("{name}\t{}\t", definition.stem()));
            let listed: BTreeSet<String> = listed.iter().filter(known).cloned().collect();
            complaints.extend(rows.difference(&listed).map(|row| format!("not listed: {row}")));
            complaints
                .extend(listed.difference(&rows).map(|row| format!("listed, and the same: {row}")));
            differing_rows.extend(rows);
            let seconds = started.elapsed().as_secs_f64();
            println!("{case}: {} pairs, {} wrong, {seconds:.1} s", found.len(), complaints.len());
            failures.extend(complaints.into_iter().map(|complaint| format!("{case}: {complaint}")));
            checked += 1;
        }
    }
    println!("{checked} lists of pairs checked, {} listed pairs differ", differing_rows.len());
    if let Some(path) = std::env::var_os("LOOKALIKE_LIST") {
        let rows = std::iter::once(LIST_HEADER).chain(differing_rows.iter().map(String::as_str));
        std::fs::write(path, rows.map(|row| format!("{row}\n")).collect::<String>()).unwrap();
    }
    failures.extend(missing.iter().map(|name| format!("{name}: a list of pairs is missing")));
    assert!(failures.is_empty(), "{} wrong:\n{}", failures.len(), shown(&failures));
}

/// Enough of the failures to work with.
fn shown(failures: &[String]) -> String {
    failures.iter().take(50).map(String::as_str).collect::<Vec<_>>().join("\n")
}

/// The directories that may hold collections; `None` skips the test. Those in [`COLLECTIONS`] must
/// exist.
fn collections() -> Option<Vec<PathBuf>> {
    for name in COLLECTIONS {
        data::folder(name)?;
    }
    let mut found: Vec<PathBuf> = std::fs::read_dir(data::folder("")?)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    found.sort();
    Some(found)
}

fn settings(definition: Definition) -> lookalike::Settings {
    // The reference knows no symbols, which are tokens of source code otherwise.
    let analysis = AnalysisSettings {
        normalize: Normalize::None,
        tokens: Some(Tokens::Words),
        ..AnalysisSettings::default()
    };
    let common = lookalike::Settings {
        analysis,
        short_documents: ShortDocuments::Ignore,
        // The reference compares all.
        min_features: Some(1),
        ..lookalike::Settings::default()
    };
    match definition {
        Definition::Resemblance => common,
        Definition::Cosine => lookalike::Settings {
            measure: Measure::Cosine,
            threshold: "0.9".into(),
            shingle: lookalike::settings::Shingle::Terms,
            terms: Terms::Kolcz,
            ..common
        },
    }
}

fn oracle_settings(definition: Definition) -> oracle::Settings {
    let analysis = settings(definition).analysis;
    let (terms, short) = (Terms::Kolcz, Short::Ignore);
    match definition {
        Definition::Resemblance => oracle::Settings {
            measure: oracle::Measure::Resemblance,
            threshold: Ratio { numerator: 4, denominator: 5 },
            shingle: Some(5),
            terms,
            short,
            analysis,
        },
        Definition::Cosine => oracle::Settings {
            measure: oracle::Measure::Cosine,
            threshold: Ratio { numerator: 9, denominator: 10 },
            shingle: None,
            terms,
            short,
            analysis,
        },
    }
}

/// What `cluster` lists.
fn found_pairs(directory: &Path, definition: Definition) -> Pairs {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("result");
    let input = reference::find(directory, "docs.jsonl").unwrap();
    let mut job = Job::new(vec![input.display().to_string()], &output);
    job.settings = settings(definition);
    job.tables = TableFormat::Tsv;
    lookalike::run_cluster(&job, &Silent).unwrap();
    let table = std::fs::read_to_string(output.join("pairs.tsv")).unwrap();
    let mut lines = table.lines();
    let header: Vec<&str> = lines.next().unwrap().split('\t').collect();
    let column = |name: &str| header.iter().position(|cell| *cell == name).unwrap();
    let value = match definition {
        Definition::Resemblance => column("resemblance"),
        Definition::Cosine => column("cosine"),
    };
    let (a, b, size_a, size_b) =
        (column("a_id"), column("b_id"), column("size_a"), column("size_b"));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split('\t').collect()).collect();
    let pairs = normal(rows.iter().map(|cells| {
        let sizes = (cells[size_a].parse().unwrap(), cells[size_b].parse().unwrap());
        let names = (cells[a].to_string(), cells[b].to_string());
        (names, Known { value: cells[value].parse().unwrap(), sizes })
    }));
    assert_eq!(pairs.len(), rows.len(), "a pair is listed twice");
    pairs
}

/// Pairs with the smaller name in front.
fn normal(pairs: impl Iterator<Item = ((String, String), Known)>) -> Pairs {
    let swap = |((a, b), Known { value, sizes })| {
        if a <= b {
            ((a, b), Known { value, sizes })
        } else {
            ((b, a), Known { value, sizes: (sizes.1, sizes.0) })
        }
    };
    pairs.map(swap).collect()
}

/// Whether the reference ends a word at the character, and we do not: marks and what attaches as
/// they do, ignored characters, and `İ`, which it lower-cases to `i` and a mark.
fn ends_words(c: char) -> bool {
    let attached = matches!(c, '\u{FF9E}' | '\u{FF9F}' | '\u{1F3FB}'..='\u{1F3FF}' | 'İ');
    is_mark(c) || attached || lookalike_testing::words::is_ignorable(c)
}

/// The pairs that only one of the two lists has, where a document holds characters that end words
/// of the reference and none is of a script without spaces: names, and which list.
fn differing_pairs(documents: &[Document], found: &Pairs, expected: &Pairs) -> Vec<String> {
    let holders = |is: fn(char) -> bool| -> HashSet<&str> {
        let holders = documents.iter().filter(|document| document.text.chars().any(is));
        holders.map(|document| document.id.as_str()).collect()
    };
    let (unspaced, ending) = (holders(is_unspaced), holders(ends_words));
    let concerned = |(a, b): &(String, String)| {
        let either = |set: &HashSet<&str>| set.contains(a.as_str()) || set.contains(b.as_str());
        either(&ending) && !either(&unspaced)
    };
    let only = |these: &Pairs, others: &Pairs, list: &str| -> Vec<String> {
        let names = these.keys().filter(|names| concerned(names) && !others.contains_key(*names));
        names.map(|(a, b)| format!("{a}\t{b}\t{list}")).collect()
    };
    [only(found, expected, "ours"), only(expected, found, "reference")].concat()
}

/// What is wrong with the pairs found, one line each.
fn check(
    documents: &[Document],
    definition: Definition,
    found: &Pairs,
    expected: &Pairs,
) -> Vec<String> {
    let is_other = |c: char| is_unspaced(c) || ends_words(c);
    let others: HashSet<&str> = documents
        .iter()
        .filter(|document| document.text.chars().any(is_other))
        .map(|document| document.id.as_str())
        .collect();
    let plain =
        |(a, b): &(String, String)| !others.contains(a.as_str()) && !others.contains(b.as_str());
    let only = |pairs: &Pairs, wanted: bool| -> Pairs {
        let part = pairs.iter().filter(|(names, _)| plain(names) == wanted);
        part.map(|(names, known)| (names.clone(), *known)).collect()
    };
    let mut complaints = differences(&only(found, true), &only(expected, true));
    if !others.is_empty() {
        let truth = by_oracle(documents, definition);
        println!("  {} documents of {} by the oracle", others.len(), documents.len());
        complaints.extend(differences(&only(found, false), &only(&truth, false)));
    }
    complaints
}

/// All pairs by brute force.
fn by_oracle(documents: &[Document], definition: Definition) -> Pairs {
    let settings = oracle_settings(definition);
    let texts: Vec<&str> = documents.iter().map(|document| document.text.as_str()).collect();
    let pairs = oracle::pairs(&texts, &settings);
    let pairs = normal(pairs.iter().map(|pair| {
        let names = (documents[pair.a].id.clone(), documents[pair.b].id.clone());
        let value = oracle::value(settings.measure, pair);
        (names, Known { value, sizes: (pair.size_a, pair.size_b) })
    }));
    with_equal_texts(documents, pairs)
}

/// With all pairs of documents that have the same words, or no words and the same characters.
fn with_equal_texts(documents: &[Document], mut pairs: Pairs) -> Pairs {
    let mut equal: HashMap<(Vec<String>, String), Vec<&str>> = HashMap::new();
    for document in documents {
        let words = words(&document.text, Normalize::None);
        let is_of_words = !words.is_empty();
        let characters = document.text.chars().filter(|c| !is_of_words && !c.is_whitespace());
        let key = (words, characters.collect::<String>());
        if key != Default::default() {
            equal.entry(key).or_default().push(&document.id);
        }
    }
    for ids in equal.values() {
        for (at, a) in ids.iter().enumerate() {
            for b in &ids[at + 1..] {
                let names = (a.min(b).to_string(), a.max(b).to_string());
                pairs.entry(names).or_insert(Known { value: 1.0, sizes: (1, 1) });
            }
        }
    }
    pairs
}

fn differences(found: &Pairs, expected: &Pairs) -> Vec<String> {
    let names: BTreeSet<&(String, String)> = found.keys().chain(expected.keys()).collect();
    let mut complaints = Vec::new();
    for name in names {
        match (found.get(name), expected.get(name)) {
            (Some(found), None) => {
                complaints.push(format!("{name:?} should not be there: {found:?}"))
            }
            (None, Some(expected)) => complaints.push(format!("{name:?} is missing: {expected:?}")),
            (Some(found), Some(expected)) => {
                if (found.value - expected.value).abs() > 1e-6 || found.sizes != expected.sizes {
                    complaints.push(format!("{name:?}: {found:?}, should be {expected:?}"));
                }
            }
            (None, None) => {}
        }
    }
    complaints
}

#[test]
fn ids_are_unique_or_the_comparison_says_nothing() {
    for directory in collections().unwrap_or_default() {
        if reference::find(&directory, "docs.jsonl").is_none() {
            continue;
        }
        let mut seen: HashMap<String, usize> = HashMap::new();
        for document in reference::documents(&directory).unwrap() {
            *seen.entry(document.id).or_default() += 1;
        }
        let twice: Vec<_> = seen.into_iter().filter(|(_, count)| *count > 1).collect();
        assert!(twice.is_empty(), "{}: {twice:?}", directory.display());
    }
}
