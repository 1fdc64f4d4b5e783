//! The index, through the library: what it exports equals a run over its documents, after any
//! history; a run against it equals a run against its documents; answers equal comparisons of two
//! texts.

#![allow(clippy::unwrap_used)]

use lookalike::{
    ErrorKind, Index, IndexWriter, Job, Progress, Record, Settings, Silent, Source, compare_texts,
    index::{
        AddOptions, Added, CollapseItem, DeleteWhat, ExportOptions, Filter, IndexSettings, Query,
        QuerySubject, Wanted, check_index, export_documents, export_tables,
    },
    lexicon::{LexiconJob, build_lexicon},
    methods::MethodSettings,
    results::{Summary, TableFormat},
    run_cluster, run_dedup,
    settings::{Linkage, Measure, Verify, WitnessRule},
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

fn add(index: &mut IndexWriter, records: Vec<Record>, options: &AddOptions) -> Added {
    let fields = Settings::default();
    index.add(Source::records(records), &fields, options, &Silent, |_| {}).unwrap()
}

fn job(inputs: Vec<String>, output: &Path, settings: Settings) -> Job {
    let mut job = Job::new(inputs, output);
    (job.settings, job.tables) = (settings, TableFormat::Tsv);
    (job.force, job.report, job.threads) = (true, false, 2);
    job
}

/// The settings of a run over the exported documents of an index.
fn settings_of_a_run(index: &Index, folder: &Path) -> Settings {
    let mut settings = index.settings().documents.clone();
    // The index has its own copy.
    settings.ignore_text.iter_mut().for_each(|name| *name = ignored(folder));
    // Documents have a hash of their value.
    settings.across.iter_mut().for_each(|name| *name = "across".into());
    settings
}

/// Compares the tables of an index with those of a run over its documents.
fn export_equals_a_run(
    dir: &Path,
    folder: &Path,
    list: bool,
    linkage: Linkage,
    witness: WitnessRule,
) -> Result<(), TestCaseError> {
    let index = Index::open(dir).unwrap();
    let options = |name: &str| ExportOptions {
        list,
        linkage: Some(linkage),
        witness,
        force: true,
        tables: TableFormat::Tsv,
        threads: 2,
        ..ExportOptions::new(folder.join(name))
    };
    let tables = export_tables(&index, &options("tables"), &Silent).unwrap();
    export_documents(&index, &options("documents"), &Silent).unwrap();
    let documents = folder.join("documents/documents.jsonl").display().to_string();
    let settings =
        Settings { linkage: Some(linkage), witness, ..settings_of_a_run(&index, folder) };
    let job = job(vec![documents.clone()], &folder.join("run"), settings);
    let run = if list { run_cluster(&job, &Silent) } else { run_dedup(&job, &Silent) };
    let run = run.unwrap().summary;
    prop_assert_eq!((tables.documents, tables.kept), (run.documents, run.kept));
    // Exported documents have a hash of their value, and the index its name.
    let numbers = |summary: &Summary| {
        summary.across.clone().map(|found| {
            let documents = found.values.iter().map(|value| value.documents);
            (found.counted, documents.collect::<Vec<_>>(), found.others, found.pairs)
        })
    };
    prop_assert_eq!(numbers(&tables), numbers(&run));
    for value in tables.across.iter().flat_map(|found| &found.values) {
        prop_assert!(["", "0.0", "1.0", "2.0"].contains(&value.value.as_str()), "{:?}", value);
    }
    let first = if list { "documents" } else { "ledger" };
    for name in [first, "clusters", "pairs"] {
        let read = |of: &str| {
            let path = folder.join(of).join(name).with_extension("tsv");
            // The file of the documents has a directory in the run.
            std::fs::read_to_string(path).unwrap().replace(&documents, "documents.jsonl")
        };
        prop_assert_eq!(read("tables"), read("run"), "{}", name);
    }
    if !list && linkage == Linkage::Leaders && witness == WitnessRule::First {
        counts_are_those_of_a_run(&index, &options("counts"), &documents, folder)?;
    }
    Ok(())
}

/// Kept documents with their counts, of an index and of a run over its documents.
fn counts_are_those_of_a_run(
    index: &Index,
    options: &ExportOptions,
    documents: &str,
    folder: &Path,
) -> Result<(), TestCaseError> {
    let options = ExportOptions { add_counts: true, ..options.clone() };
    let kept = export_documents(index, &options, &Silent).unwrap();
    let settings = settings_of_a_run(index, folder);
    let job = job(vec![documents.to_owned()], &folder.join("counted"), settings);
    let run = run_dedup(&Job { add_counts: true, force: true, ..job }, &Silent).unwrap().summary;
    prop_assert_eq!(kept, run.kept);
    let counts = |path: &str| -> Vec<(String, u64)> {
        let lines = std::fs::read_to_string(folder.join(path)).unwrap();
        let count = |line: &str| {
            let record: serde_json::Value = serde_json::from_str(line).unwrap();
            let duplicates = record["duplicates"].as_u64().unwrap();
            let by_source: BTreeMap<String, u64> =
                serde_json::from_str(record["duplicates_by_source"].as_str().unwrap()).unwrap();
            assert_eq!(by_source.values().sum::<u64>(), duplicates);
            (record["id"].as_str().unwrap().to_owned(), duplicates)
        };
        lines.lines().map(count).collect()
    };
    prop_assert_eq!(counts("counts/documents.jsonl"), counts("counted/kept.jsonl"));
    Ok(())
}

/// A file with texts whose shingles are ignored.
fn ignored(folder: &Path) -> String {
    let path = folder.join("ignored.jsonl");
    let texts = ["ONE fish two fish red fish blue", "nobler in the mind a"];
    let lines: String = texts.iter().map(|text| format!("{{\"text\": \"{text}\"}}\n")).collect();
    std::fs::write(&path, lines).unwrap();
    path.display().to_string()
}

#[derive(Debug, Clone)]
enum Step {
    Add(Vec<(String, String, u32, Option<u32>)>),
    Delete(Vec<String>),
    Compact,
    Merge(Vec<(String, String)>),
}

/// Families of near texts, texts under a shingle, empty ones.
fn text() -> impl Strategy<Value = String> {
    const BASES: [&str; 3] = [
        "one fish two fish red fish blue fish black fish old fish new fish",
        "to be or not to be that is the question whether it is nobler in the mind",
        "one fish two fish red fish blue fish this one has a little star",
    ];
    prop_oneof![
        6 => (prop::sample::select(&BASES[..]), prop::collection::vec("[a-c]", 0..3), any::<bool>())
            .prop_map(|(base, more, upper)| {
                let text = format!("{base} {}", more.join(" "));
                if upper { text.to_uppercase() } else { text }
            }),
        1 => "([a-c] ){0,3}",
        1 => Just("...".to_owned()),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let id = || "[a-f]{1,2}";
    let document = (id(), text(), 2000u32..2004, prop::option::of(0u32..3));
    let step = prop_oneof![
        5 => prop::collection::vec(document, 1..8).prop_map(Step::Add),
        2 => prop::collection::vec(id(), 1..5).prop_map(Step::Delete),
        1 => Just(Step::Compact),
        1 => prop::collection::vec((id(), text()), 1..5).prop_map(Step::Merge),
    ];
    prop::collection::vec(step, 1..9)
}

fn settings() -> impl Strategy<Value = Settings> {
    const RULES: [&str; 8] =
        ["first", "last", "longest", "shortest", "newest", "oldest", "max:score", "min:score"];
    let measure =
        prop::sample::select(&[Measure::Resemblance, Measure::Containment, Measure::Cosine][..]);
    let keep = prop::collection::vec(prop::sample::select(&RULES[..]), 1..3);
    let threshold = prop::sample::select(&["0.5", "0.8", "1"][..]);
    (measure, keep, threshold, prop::option::of(1u32..4), 1u32..8).prop_map(
        |(measure, keep, threshold, shingle, least)| Settings {
            measure,
            threshold: threshold.into(),
            keep: keep.into_iter().map(str::to_owned).collect(),
            shingle: shingle.into(),
            min_features: Some(least),
            ..Settings::default()
        },
    )
}

/// The lowest threshold of a lean index that can keep documents by these settings.
fn lean_for(settings: &Settings, part: usize) -> Option<String> {
    let all = match (settings.measure, settings.threshold.as_str()) {
        (Measure::Containment, _) => return None,
        (Measure::Resemblance, "0.5") => ["0.5", "0.4", "0.1"],
        (Measure::Resemblance, "0.8") => ["0.8", "0.79", "0.3"],
        (Measure::Cosine, "0.5") => ["0.25", "0.2", "0.1"],
        (Measure::Cosine, "0.8") => ["0.64", "0.5", "0.3"],
        _ => ["1", "0.9", "0.5"],
    };
    Some(all[part].to_owned())
}

/// Creates an index, a lean one perhaps with the common elements of documents that begin alike.
fn create(dir: &Path, settings: &IndexSettings, with_sample: bool) -> IndexWriter {
    if settings.lean.is_none() || !with_sample {
        return IndexWriter::create(dir, settings.clone(), 2).unwrap();
    }
    let sample = (0..40).map(|n| Record::new(format!("one fish two fish red fish blue fish {n}")));
    let (sample, fields) = (Source::records(sample), Settings::default());
    IndexWriter::create_with_sample(dir, settings.clone(), sample, &fields, &Silent, 2).unwrap()
}

fn record((id, text, year, score): (String, String, u32, Option<u32>)) -> Record {
    let record = Record::new(text).id(id).date(format!("{year}-05-01"));
    score.map_or(record.clone(), |score| record.number("score", f64::from(score)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn what_is_exported_equals_a_run(
        settings in settings(),
        lean in prop::option::of(0usize..3),
        with_sample in any::<bool>(),
        ignores in any::<bool>(),
        across in any::<bool>(),
        steps in steps(),
        new in prop::collection::vec(text(), 0..8),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("index");
        let lean = lean.and_then(|part| lean_for(&settings, part));
        let (mut documents, texts) = (settings, true);
        // Shingles are removed, and not terms.
        if ignores && documents.shingle_size().is_some() {
            documents.ignore_text = vec![ignored(folder.path())];
        }
        // Three scores, and none.
        documents.across = across.then(|| "score".into());
        let settings = IndexSettings { documents, texts, lean, ..IndexSettings::default() };
        let mut index = create(&dir, &settings, with_sample);
        // Rules on a field that no document has are refused by a run.
        let first = record(("zz".into(), "a rose is a rose is a rose".into(), 2002, Some(1)));
        add(&mut index, vec![first], &AddOptions::default());
        for (number, step) in steps.into_iter().enumerate() {
            match step {
                Step::Add(records) => {
                    let records = records.into_iter().map(record).collect();
                    add(&mut index, records, &AddOptions::default());
                }
                Step::Delete(ids) => {
                    let found = index.find(&DeleteWhat { ids, ..DeleteWhat::default() }).unwrap();
                    index.delete(&found.documents);
                    index.commit().unwrap();
                }
                Step::Compact => index.compact().unwrap(),
                Step::Merge(records) => {
                    let other = folder.path().join(format!("other{number}"));
                    let mut more = create(&other, &settings, with_sample);
                    let records = records.into_iter();
                    let records = records.map(|(id, text)| record((id, text, 2001, None)));
                    add(&mut more, records.collect(), &AddOptions::default());
                    drop(more);
                    index.merge(&Index::open(&other).unwrap()).unwrap();
                }
            }
        }
        prop_assert_eq!(check_index(&dir, true, 2).unwrap(), Vec::<String>::new());
        for (list, linkage, witness) in [
            (false, Linkage::Leaders, WitnessRule::First),
            (false, Linkage::Leaders, WitnessRule::Best),
            (true, Linkage::Leaders, WitnessRule::First),
            (true, Linkage::Components, WitnessRule::First),
            (false, Linkage::Components, WitnessRule::First),
        ] {
            export_equals_a_run(&dir, folder.path(), list, linkage, witness)?;
        }
        // A new collection against the index, and against its documents.
        let path = folder.path().join("new.jsonl");
        let lines: String = (0..)
            .zip(&new)
            .map(|(n, text)| {
                let score = if n % 2 == 0 { ", \"score\": 1" } else { "" };
                format!("{{\"id\": \"n{n}\", \"text\": \"{text}\", \"date\": \"2002\"{score}}}\n")
            })
            .collect();
        std::fs::write(&path, lines).unwrap();
        let documents = folder.path().join("documents/documents.jsonl").display().to_string();
        let against = |other: &str, name: &str| {
            let output = folder.path().join(name);
            let mut job = job(
                vec![path.display().to_string()],
                &output,
                settings.documents.clone(),
            );
            job.against = vec![other.to_owned()];
            // Values are those of one collection.
            job.settings.across = None;
            run_dedup(&job, &Silent).map(|outcome| {
                let kept = std::fs::read_to_string(output.join("kept.jsonl")).unwrap_or_default();
                let ledger = std::fs::read_to_string(output.join("ledger.tsv")).unwrap();
                // Of each row what was removed, by what rule and which kept document.
                let rows: BTreeSet<String> = ledger.lines().skip(1).map(|row| {
                    let cells: Vec<&str> = row.split('\t').collect();
                    let mut cells: Vec<&str> = cells
                        .iter()
                        .copied()
                        .filter(|cell| !cell.ends_with(".jsonl") && !cell.ends_with("index"))
                        .collect();
                    // The record numbers of the two.
                    cells.retain(|cell| cell.parse::<u32>().is_err() || cell.contains('.'));
                    cells.join(" ")
                }).collect();
                (kept, rows, outcome.summary.kept)
            })
        };
        let by_documents = against(&documents, "by-documents");
        let by_index = against(&dir.display().to_string(), "by-index");
        if across {
            let refused = by_index.unwrap_err().to_string();
            prop_assert!(refused.contains("across=score") && refused.contains("exported documents"));
            return Ok(());
        }
        match (by_documents, by_index) {
            (Ok(a), Ok(b)) => prop_assert_eq!(a, b),
            // A rule whose field no document has.
            (a, b) => prop_assert!(a.is_err() && settings.documents.keep.iter().any(|rule| rule.contains(':')), "{:?} {:?}", a, b),
        }
    }
}

fn index(settings: IndexSettings) -> (tempfile::TempDir, IndexWriter) {
    let folder = tempfile::tempdir().unwrap();
    let index = IndexWriter::create(folder.path().join("index"), settings, 2).unwrap();
    (folder, index)
}

const FISH: &str = "one fish two fish red fish blue fish black fish blue fish old fish new fish \
                    this one has a little star this one has a little car";

#[test]
fn answers_are_those_of_a_comparison() {
    let (folder, mut writer) = index(IndexSettings::default());
    let texts = [
        ("fish", FISH.to_owned()),
        ("more", format!("{FISH} say what a lot of fish there are")),
        ("part", FISH.split(' ').take(14).collect::<Vec<_>>().join(" ")),
        ("rose", "a rose is a rose is a rose is a rose".to_owned()),
    ];
    let records = texts.iter().map(|(id, text)| {
        let url = format!("https://www.example.org/{id}");
        Record::new(text).id(*id).url(url).date("2024-05-01").title("A title")
    });
    add(&mut writer, records.collect(), &AddOptions::default());
    drop(writer);
    let index = Index::open(folder.path().join("index")).unwrap();
    let query = format!("{FISH} say what a lot");
    for (ask, threshold, expected) in [
        (Wanted::Resembles, "0.5", vec!["more", "fish"]),
        (Wanted::Resembles, "0.95", vec![]),
        (Wanted::Containing, "0.9", vec!["more"]),
        (Wanted::ContainedIn, "0.9", vec!["fish", "part"]),
        (Wanted::Cosine, "0.9", vec!["more", "fish"]),
    ] {
        let mut asked = Query::new(QuerySubject::Text(query.clone()));
        (asked.ask, asked.threshold, asked.passages) = (ask.clone(), Some(threshold.into()), true);
        let answer = index.ask(&asked).unwrap();
        let ids: BTreeSet<&str> = answer.matches.iter().map(|found| found.id.as_str()).collect();
        assert_eq!(ids, expected.iter().copied().collect(), "{ask:?} {threshold}");
        assert!(answer.total_exact && answer.total == ids.len() as u64);
        for found in &answer.matches {
            let text = &texts.iter().find(|(id, _)| *id == found.id).unwrap().1;
            let measures =
                compare_texts(&query, text, &Settings::default()).unwrap().comparison().measures;
            assert_eq!(u64::from(found.shared), measures.shared);
            assert_eq!(found.resemblance, measures.resemblance);
            assert_eq!(found.query_in_document, measures.containment_a_in_b);
            assert_eq!(found.document_in_query, measures.containment_b_in_a);
            assert!(found.passages.as_ref().is_some_and(|passages| !passages.is_empty()));
        }
    }
    // By id and by URL: the document itself is no answer.
    for about in
        [QuerySubject::Id("fish".into()), QuerySubject::Url("https://www.example.org/fish".into())]
    {
        let mut asked = Query::new(about);
        asked.threshold = Some("0.3".into());
        let ids: Vec<String> =
            index.ask(&asked).unwrap().matches.into_iter().map(|m| m.id).collect();
        assert_eq!(ids, ["more", "part"]);
        for (filter, expected) in [
            (Filter { site: Some("example.org".into()), ..Filter::default() }, 2),
            (Filter { site: Some("example.com".into()), ..Filter::default() }, 0),
            (Filter { since: Some("2024-05-01".into()), ..Filter::default() }, 2),
            (Filter { before: Some("2024-05-01".into()), ..Filter::default() }, 0),
        ] {
            let asked = Query { filter, ..asked.clone() };
            assert_eq!(index.ask(&asked).unwrap().matches.len(), expected);
        }
        asked.limit = Some(1);
        assert_eq!(index.ask(&asked).unwrap().matches[0].id, "more");
    }
    for (about, error) in [
        (QuerySubject::Id("none".into()), "no document with the id `none`"),
        (QuerySubject::Url("none".into()), "no document with the URL `none`"),
    ] {
        assert!(index.ask(&Query::new(about)).unwrap_err().to_string().contains(error));
    }
    let asked =
        Query { ask: Wanted::Method("simhash".into()), ..Query::new(QuerySubject::Text(query)) };
    let error = index.ask(&asked).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Usage);
}

#[test]
fn methods_find_what_their_sketches_say() {
    let method = |spec: &str| MethodSettings {
        spec: spec.into(),
        verify: Verify::Sketch,
        lexicon: None,
        lexicon_checksum: None,
        key_limit: None,
    };
    let specs = ["minhash-lsh:t=0.5", "simhash:weights=tf,d=8"];
    let settings = IndexSettings {
        methods: specs.iter().map(|spec| method(spec)).collect(),
        ..IndexSettings::default()
    };
    let (folder, mut writer) = index(settings);
    let near = format!("{FISH} say");
    let records =
        [("fish", FISH), ("near", near.as_str()), ("rose", "a rose is a rose is a rose is a rose")];
    let records = records.map(|(id, text)| Record::new(text).id(id));
    add(&mut writer, records.to_vec(), &AddOptions::default());
    drop(writer);
    let index = Index::open(folder.path().join("index")).unwrap();
    for spec in specs {
        let name = spec.split(':').next().unwrap();
        for about in [QuerySubject::Id("fish".into()), QuerySubject::Text(FISH.into())] {
            let by_text = matches!(about, QuerySubject::Text(_));
            let asked = Query { ask: Wanted::Method(name.into()), ..Query::new(about) };
            let answer = index.ask(&asked).unwrap();
            let ids: BTreeSet<&str> = answer.matches.iter().map(|m| m.id.as_str()).collect();
            let expected: BTreeSet<&str> =
                if by_text { ["fish", "near"].into() } else { ["near"].into() };
            assert_eq!(ids, expected, "{spec}");
            assert!(answer.matches.iter().all(|found| found.method.is_some()));
        }
    }
}

#[test]
fn clusters_and_collapsed_lists() {
    let (folder, mut writer) = index(IndexSettings::default());
    let near = |more: &str| format!("{FISH} {more}");
    let texts = [
        ("a", FISH.to_owned()),
        ("b", near("x")),
        ("c", near("y z")),
        ("d", "a rose is a rose is a rose".into()),
    ];
    let records =
        texts.iter().map(|(id, text)| Record::new(text).id(*id).url(format!("http://h/{id}")));
    add(&mut writer, records.collect(), &AddOptions::default());
    let index = Index::open(folder.path().join("index")).unwrap();
    // What else is this page: URL, document, cluster, documents.
    let asked =
        Query { ask: Wanted::Cluster, ..Query::new(QuerySubject::Url("http://h/c".into())) };
    let answer = index.ask(&asked).unwrap();
    let found: BTreeMap<&str, (bool, &str)> =
        answer.matches.iter().map(|m| (m.id.as_str(), (m.kept, m.cluster.as_str()))).collect();
    assert_eq!(found, [("a", (true, "a")), ("b", (false, "a"))].into());
    let item = |id: &str| CollapseItem { id: id.into(), text: None };
    let list = [item("d"), item("c"), item("a"), item("b")];
    let groups = lookalike::index::collapse(&list, Some(&index), &Default::default()).unwrap();
    let shown: Vec<(&str, Vec<&str>)> = groups
        .iter()
        .map(|group| (group.id.as_str(), group.behind.iter().map(|b| b.id.as_str()).collect()))
        .collect();
    assert_eq!(shown, [("d", vec![]), ("c", vec!["a", "b"])]);
    // A reader that stays open sees the next commit.
    let found =
        writer.find(&DeleteWhat { ids: vec!["a".into()], ..DeleteWhat::default() }).unwrap();
    writer.delete(&found.documents);
    writer.commit().unwrap();
    let answer = index.ask(&asked).unwrap();
    assert_eq!(answer.matches.iter().map(|m| m.id.as_str()).collect::<Vec<_>>(), ["b"]);
    assert!(answer.matches[0].kept);
}

/// Asks to stop when documents are decided about, and not before.
#[derive(Default)]
struct StopsDeciding {
    deciding: AtomicBool,
    decided: AtomicBool,
}

impl Progress for StopsDeciding {
    fn phase(&self, name: &'static str, _: Option<u64>) {
        self.deciding.store(name == "deciding", Ordering::Relaxed);
    }

    fn advance(&self, _: u64, _: u64) {
        let deciding = self.deciding.load(Ordering::Relaxed);
        self.decided.fetch_or(deciding, Ordering::Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.decided.load(Ordering::Relaxed)
    }
}

#[test]
fn adding_stops_while_it_is_decided_which_documents_are_kept() {
    let (folder, mut writer) = index(IndexSettings::default());
    let records = |from: usize, until: usize| -> Vec<Record> {
        (from..until).map(|n| Record::new(format!("{FISH} {n}")).id(format!("{n}"))).collect()
    };
    add(&mut writer, records(0, 10), &AddOptions::default());
    let (fields, options) = (Settings::default(), AddOptions::default());
    let more = Source::records(records(5, 600));
    let stopped = writer.add(more, &fields, &options, &StopsDeciding::default(), |_| {});
    let error = stopped.unwrap_err();
    assert!(error.to_string().contains("what was committed before is in the index"), "{error}");
    assert_eq!(writer.snapshot().len(), 10);
    let added = add(&mut writer, records(9, 12), &AddOptions::default());
    assert_eq!((added.committed.documents, added.committed.updated), (12, 1));
    assert!(added.seconds.reading > 0.0 && added.seconds.deciding > 0.0);
    drop(writer);
    let checked = check_index(&folder.path().join("index"), true, 2).unwrap();
    assert!(checked.is_empty(), "{checked:?}");
}

#[test]
fn unless_duplicate_adds_what_is_new() {
    let (_folder, mut writer) = index(IndexSettings::default());
    let options = AddOptions { unless_duplicate: Some("0.8".into()), ..AddOptions::default() };
    let records = |texts: &[(&str, String)]| -> Vec<Record> {
        texts.iter().map(|(id, text)| Record::new(text).id(*id)).collect()
    };
    let near = |more: &str| format!("{FISH} {more}");
    let added = add(
        &mut writer,
        records(&[
            ("a", FISH.into()),
            ("b", near("x")),
            ("c", "a rose is a rose is a rose".into()),
            ("d", near("y")),
        ]),
        &options,
    );
    assert_eq!((added.read, added.duplicates, added.committed.documents), (4, 2, 2));
    // An update is not compared with what it replaces.
    let added = add(&mut writer, records(&[("a", near("z")), ("e", near("z"))]), &options);
    assert_eq!((added.read, added.duplicates, added.committed.documents), (2, 1, 2));
    assert_eq!(added.committed.updated, 1);
}

/// Short lines, of which more than a group are read at once.
#[test]
fn groups_of_lines_have_at_most_a_thousand_documents() {
    let lines: String =
        (0..20_000).map(|n| format!("{{\"id\":\"{n}\",\"text\":\"a\"}}\n")).collect();
    let (_folder, mut index) = index(IndexSettings::default());
    let mut groups = Vec::new();
    let lines = std::io::BufReader::with_capacity(1 << 16, std::io::Cursor::new(lines));
    let (fields, options) = (Settings::default(), AddOptions::default());
    let committed = |done: lookalike::index::Committed| groups.push(done.added);
    let added = index.add_lines(lines, &fields, &options, &Silent, committed).unwrap();
    assert_eq!((added.read, groups.iter().sum::<u64>()), (20_000, 20_000));
    assert!(groups.iter().all(|&group| group <= 1000), "{groups:?}");
}

/// An index has its lexicon in its own directory, and the same lexicon at two paths is the same
/// setting.
#[test]
fn an_index_has_its_own_lexicon() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let texts = ["a b c d e f", "a b c x y z", "a b m n o p", "a q r s t u"];
    let build = |name: &str, texts: &[&str]| {
        let input = path("texts.jsonl");
        let line = |text: &&str| format!("{{\"text\": \"{text}\"}}\n");
        std::fs::write(&input, texts.iter().map(line).collect::<String>()).unwrap();
        let job = LexiconJob {
            inputs: vec![input.display().to_string()],
            output: path(name),
            settings: Settings::default(),
            term_filter: String::new(),
            memory: 1 << 24,
            threads: 1,
            strict: true,
            skip_unreadable: false,
        };
        build_lexicon(&job, &Silent).unwrap();
    };
    build("one.lexicon", &texts);
    build("other.lexicon", &texts[..3]);
    std::fs::copy(path("one.lexicon"), path("same.lexicon")).unwrap();
    let settings = |lexicon: &str| {
        let method = MethodSettings {
            spec: "simhash".into(),
            verify: Verify::Sketch,
            lexicon: Some(path(lexicon).display().to_string()),
            lexicon_checksum: None,
            key_limit: None,
        };
        IndexSettings { methods: vec![method], ..IndexSettings::default() }
    };
    for (name, lexicon) in [("a", "one.lexicon"), ("b", "same.lexicon"), ("c", "other.lexicon")] {
        let mut index = IndexWriter::create(path(name), settings(lexicon), 1).unwrap();
        add(&mut index, vec![Record::new(texts[0]).id(name)], &AddOptions::default());
    }
    for lexicon in ["one.lexicon", "same.lexicon", "other.lexicon"] {
        std::fs::remove_file(path(lexicon)).unwrap();
    }
    // Also under another name, after the files that it was created from are gone.
    std::fs::rename(path("a"), path("moved")).unwrap();
    let mut index = IndexWriter::open(path("moved"), 1).unwrap();
    index.merge(&Index::open(path("b")).unwrap()).unwrap();
    let error = index.merge(&Index::open(path("c")).unwrap()).unwrap_err().to_string();
    assert!(error.contains("lexicon"), "{error}");
    drop(index);
    let index = Index::open(path("moved")).unwrap();
    let mut query = Query::new(QuerySubject::Text(texts[0].into()));
    query.ask = Wanted::Method("simhash".into());
    let found: Vec<String> = index.ask(&query).unwrap().matches.into_iter().map(|m| m.id).collect();
    assert_eq!(found, ["a", "b"]);
    assert_eq!(check_index(&path("moved"), true, 1).unwrap(), Vec::<String>::new());
    // Another lexicon under its name is refused.
    let files = |name: &str| {
        let mut files = std::fs::read_dir(path(name).join("files")).unwrap();
        files.next().unwrap().unwrap().path()
    };
    std::fs::copy(files("c"), files("moved")).unwrap();
    let error = Index::open(path("moved")).unwrap_err().to_string();
    assert!(error.contains("checksum"), "{error}");
}

#[test]
fn documents_expire() {
    let (_folder, mut writer) = index(IndexSettings { ttl: Some(100), ..IndexSettings::default() });
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    add(&mut writer, vec![Record::new(FISH).id("a")], &AddOptions::default());
    let long = AddOptions { ttl: Some(10_000), ..AddOptions::default() };
    add(&mut writer, vec![Record::new(FISH).id("b")], &long);
    assert_eq!(writer.snapshot().kept(), 1);
    assert_eq!(writer.expire(now + 50).unwrap(), 0);
    assert_eq!(writer.expire(now + 200).unwrap(), 1);
    let snapshot = writer.snapshot();
    assert_eq!((snapshot.len(), snapshot.kept()), (1, 1));
    assert_eq!(snapshot.with_id("b").len(), 1);
}

#[test]
fn an_index_has_the_shingles_that_it_ignores() {
    let folder = tempfile::tempdir().unwrap();
    let handout = folder.path().join("handout.txt");
    let ignore = |text: &str| {
        std::fs::write(&handout, text).unwrap();
        let ignore_text = vec![handout.display().to_string()];
        Settings { ignore_text, threshold: "0.5".into(), ..Settings::default() }
    };
    const HANDOUT: &str = "explain in your own words why a search needs the array to be sorted";
    let answers = [
        "halves are out of order else",
        "halves are out of order then",
        "nobody knows that at all",
    ];
    let records = |from: usize| {
        let answers = answers.iter().enumerate().skip(from);
        answers
            .map(|(n, own)| Record::new(format!("{HANDOUT} {own}")).id(format!("a{n}")))
            .collect()
    };
    for texts in [true, false] {
        let dir = folder.path().join(format!("index {texts}"));
        let documents = ignore(HANDOUT);
        let settings = IndexSettings { documents, texts, ..IndexSettings::default() };
        drop(IndexWriter::create(&dir, settings, 2).unwrap());
        // The index needs the file no more, and another one changes nothing.
        std::fs::remove_file(&handout).unwrap();
        for from in [0, 1] {
            let mut writer = IndexWriter::open(&dir, 2).unwrap();
            add(&mut writer, records(from), &AddOptions::default());
        }
        let index = Index::open(&dir).unwrap();
        let query = Query::new(QuerySubject::Text(format!("{HANDOUT} {}", answers[0])));
        let found = index.ask(&query).unwrap().matches;
        let shared: Vec<(&str, u32, u32)> =
            found.iter().map(|one| (one.id.as_str(), one.shared, one.size)).collect();
        // Of 16 shingles 10 are of the handout alone; the last one tells the two apart.
        assert_eq!(shared, [("a0", 6, 6), ("a1", 5, 6)]);
        let stats = index.stats().unwrap();
        let ignored = stats.ignored_texts.clone().unwrap();
        assert_eq!((stats.documents, stats.kept, ignored.texts, ignored.shingles), (3, 2, 1, 10));
        assert!(stats.table().contains(&("ignored".into(), "10 shingles of 1 text".into())));
        assert_eq!(check_index(&dir, true, 2).unwrap(), Vec::<String>::new());
        let options = ExportOptions::new(folder.path().join(format!("tables {texts}")));
        let summary = export_tables(&index, &options, &Silent).unwrap();
        assert_eq!((summary.kept, summary.ignored_texts.is_some()), (2, texts));
        // Another text, or none, is another index and another run.
        let other = folder.path().join(format!("other {texts}"));
        let documents = ignore("halves are out of order else then");
        let settings = IndexSettings { documents, texts, ..IndexSettings::default() };
        let mut writer = IndexWriter::create(&other, settings, 2).unwrap();
        let error = writer.merge(&index).unwrap_err().to_string();
        assert!(error.contains("documents.ignore_text"), "{error}");
        let docs = folder.path().join("docs.jsonl");
        std::fs::write(&docs, "{\"text\": \"a rose is a rose is a rose\"}\n").unwrap();
        for settings in [
            ignore("a rose is a rose"),
            Settings { threshold: "0.5".into(), ..Settings::default() },
        ] {
            let mut job =
                job(vec![docs.display().to_string()], &folder.path().join("out"), settings);
            job.against = vec![dir.display().to_string()];
            let error = run_dedup(&job, &Silent).unwrap_err().to_string();
            let named = if texts { "the setting ignore_text" } else { "stores no texts" };
            assert!(error.contains(named), "{error}");
        }
        // A file that is not the one that was written.
        let file = std::fs::read_dir(dir.join("files")).unwrap().next().unwrap().unwrap().path();
        let mut bytes = std::fs::read(&file).unwrap();
        bytes[30] ^= 1;
        std::fs::write(&file, bytes).unwrap();
        let error = Index::open(&dir).unwrap_err().to_string();
        assert!(error.contains("the digest of the ignored shingles"), "{error}");
    }
}

#[test]
fn other_settings_are_refused_by_name() {
    let (folder, mut writer) = index(IndexSettings::default());
    let other = folder.path().join("other");
    let settings = Settings { shingle: lookalike::settings::Shingle::Of(4), ..Settings::default() };
    let settings = IndexSettings { documents: settings, ..IndexSettings::default() };
    drop(IndexWriter::create(&other, settings, 1).unwrap());
    let error = writer.merge(&Index::open(&other).unwrap()).unwrap_err().to_string();
    assert!(error.contains("documents.shingle: it has 4, and 5 is needed"), "{error}");
    let error = IndexWriter::open(writer.dir(), 1).unwrap_err().to_string();
    assert!(error.contains("this process has a writer of this index already"), "{error}");
    let error = Index::open(folder.path().join("none")).unwrap_err().to_string();
    assert!(error.contains("there is no index"), "{error}");
    let error = IndexWriter::create(&other, IndexSettings::default(), 1).unwrap_err().to_string();
    assert!(error.contains("already"), "{error}");
    // A run that asks for another answer than the index has.
    let docs = folder.path().join("docs.jsonl");
    std::fs::write(&docs, format!("{{\"text\": \"{FISH}\"}}\n")).unwrap();
    let settings = Settings { shingle: lookalike::settings::Shingle::Of(4), ..Settings::default() };
    let mut job = job(vec![docs.display().to_string()], &folder.path().join("out"), settings);
    job.against = vec![writer.dir().display().to_string()];
    let error = run_dedup(&job, &Silent).unwrap_err().to_string();
    assert!(error.contains("the setting shingle"), "{error}");
}

/// A lean index and a full one of the same documents, of which many begin alike.
fn lean_and_full(texts: bool) -> (tempfile::TempDir, Index, Index) {
    let folder = tempfile::tempdir().unwrap();
    let records: Vec<Record> = (0..60)
        .map(|n| {
            let own = (0..30 + n % 7).map(|at| format!("w{}", n / 2 * 40 + at));
            let own = own.collect::<Vec<_>>().join(" ");
            Record::new(format!("{FISH} {own}")).id(n.to_string()).url(format!("http://h/{n}"))
        })
        .collect();
    let open = |name: &str, lean: Option<&str>| {
        let dir = folder.path().join(name);
        let documents = Settings { threshold: "0.9".into(), ..Settings::default() };
        let lean = lean.map(str::to_owned);
        let settings = IndexSettings { documents, texts, lean, ..IndexSettings::default() };
        let mut writer = match settings.lean {
            None => IndexWriter::create(&dir, settings, 2).unwrap(),
            Some(_) => {
                let (sample, fields) = (Source::records(records.clone()), Settings::default());
                IndexWriter::create_with_sample(&dir, settings, sample, &fields, &Silent, 2)
                    .unwrap()
            }
        };
        add(&mut writer, records.clone(), &AddOptions::default());
        drop(writer);
        assert_eq!(check_index(&dir, true, 2).unwrap(), Vec::<String>::new());
        Index::open(&dir).unwrap()
    };
    let (lean, full) = (open("lean", Some("0.8")), open("full", None));
    (folder, lean, full)
}

#[test]
fn a_lean_index_answers_what_a_full_one_does_or_refuses() {
    for texts in [true, false] {
        let (_folder, lean, full) = lean_and_full(texts);
        let [small, large] = [&lean, &full].map(|index| index.stats().unwrap());
        assert_eq!(small.kept, large.kept);
        assert!(small.postings * 3 < large.postings, "{} {}", small.postings, large.postings);
        let mut answered = 0;
        for (ask, thresholds) in [
            (Wanted::Resembles, ["0.8", "0.9", "1"]),
            (Wanted::ContainedIn, ["0.8", "0.95", "1"]),
            (Wanted::Cosine, ["0.894427191", "0.9", "1"]),
        ] {
            for threshold in thresholds {
                for number in [0, 13, 31] {
                    let mut asked = Query::new(QuerySubject::Id(number.to_string()));
                    (asked.ask, asked.threshold) = (ask.clone(), Some(threshold.into()));
                    let [small, large] = [&lean, &full].map(|index| index.ask(&asked).unwrap());
                    let found =
                        |answer: &lookalike::index::QueryAnswer| -> Vec<(String, u32, String)> {
                            let matches = answer.matches.iter();
                            matches.map(|m| (m.id.clone(), m.shared, m.cluster.clone())).collect()
                        };
                    assert_eq!(found(&small), found(&large), "{ask:?} {threshold}");
                    answered += small.matches.len();
                }
            }
        }
        assert!(answered > 9, "{answered}");
        for (ask, threshold, says) in [
            (Wanted::Resembles, "0.79", "`resembles` at the threshold 0.79"),
            (Wanted::ContainedIn, "0.799999999", "`contained-in` at the threshold 0.799999999"),
            (Wanted::Cosine, "0.89", "`cosine` at the threshold 0.89"),
            (Wanted::Containing, "1", "`containing` at the threshold 1"),
        ] {
            let mut asked = Query::new(QuerySubject::Text(FISH.into()));
            (asked.ask, asked.threshold) = (ask, Some(threshold.into()));
            let error = lean.ask(&asked).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Usage);
            let error = error.to_string();
            assert!(error.contains(says) && error.contains("without the setting lean"), "{error}");
        }
        let error = lookalike::sweeps::holders(&lean, "http://h/1", "0.9", &Silent)
            .unwrap_err()
            .to_string();
        assert!(error.contains("`containing`"), "{error}");
    }
}

#[test]
fn what_a_lean_index_cannot_do_is_refused_before_it_begins() {
    let (folder, lean, full) = lean_and_full(true);
    let dir = lean.dir().to_owned();
    let mut writer = IndexWriter::open(&dir, 1).unwrap();
    let unless = AddOptions { unless_duplicate: Some("0.7".into()), ..AddOptions::default() };
    let (source, fields) = (Source::records([FISH; 0]), Settings::default());
    let error = writer.add(source, &fields, &unless, &Silent, |_| {}).unwrap_err().to_string();
    assert!(error.contains("`resembles` at the threshold 0.7"), "{error}");
    for sweep in ["a", "b"] {
        let sweep = Some((sweep.to_owned(), None));
        let options = AddOptions { sweep, ..AddOptions::default() };
        add(&mut writer, vec![Record::new(FISH).id("x").url("http://x/")], &options);
    }
    let error = lookalike::sweeps::diff(&lean, "a", "b", &Default::default(), &Silent)
        .unwrap_err()
        .to_string();
    assert!(error.contains("lean index cannot answer"), "{error}");
    // Other tables of common elements.
    let error = writer.merge(&full).unwrap_err().to_string();
    assert!(error.contains("the setting lean"), "{error}");
    let docs = folder.path().join("docs.jsonl");
    std::fs::write(&docs, format!("{{\"text\": \"{FISH}\"}}\n")).unwrap();
    let settings = Settings { threshold: "0.7".into(), ..Settings::default() };
    let mut job = job(vec![docs.display().to_string()], &folder.path().join("out"), settings);
    job.against = vec![dir.display().to_string()];
    let error = run_dedup(&job, &Silent).unwrap_err().to_string();
    assert!(error.contains("lean: ") && error.contains("at the threshold 0.7"), "{error}");
    drop(writer);
    // The table is lost, or another one.
    let common = dir.join("common.bin");
    let bytes = std::fs::read(&common).unwrap();
    assert!(bytes.len() > 24);
    std::fs::write(&common, &bytes[..bytes.len() - 8]).unwrap();
    let error = Index::open(&dir).unwrap_err().to_string();
    assert!(error.contains("common.bin: the digest of the common elements"), "{error}");
    std::fs::remove_file(&common).unwrap();
    let error = Index::open(&dir).unwrap_err().to_string();
    assert!(error.contains("common.bin"), "{error}");
}

#[test]
fn a_lean_index_that_could_not_keep_documents_is_not_created() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |measure, threshold: &str, lean: &str| {
        let documents = Settings { measure, threshold: threshold.into(), ..Settings::default() };
        let lean = Some(lean.to_owned());
        let settings = IndexSettings { documents, lean, ..IndexSettings::default() };
        let created = IndexWriter::create(folder.path().join("index"), settings, 1);
        let error = created.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage);
        assert!(!folder.path().join("index").exists());
        error.to_string()
    };
    let error = refused(Measure::Resemblance, "0.8", "0.81");
    assert!(error.contains("the setting lean=0.81 is above the setting threshold"), "{error}");
    let error = refused(Measure::Cosine, "0.8", "0.65");
    assert!(error.contains("the square of the setting threshold, which is 0.64"), "{error}");
    let error = refused(Measure::Containment, "0.8", "0.5");
    assert!(error.contains("the setting measure=containment"), "{error}");
    assert!(refused(Measure::Resemblance, "0.8", "80").contains("`80`"));
    let dir = folder.path().join("index");
    let (sample, fields) = (Source::records([FISH; 0]), Settings::default());
    let full = IndexSettings::default();
    let created = IndexWriter::create_with_sample(&dir, full, sample, &fields, &Silent, 1);
    assert!(created.unwrap_err().to_string().contains("the setting sample"));
}

/// The answers to lines of questions are those to single questions, in order, on any number of threads.
#[test]
fn questions_of_lines_are_answered_in_their_order() {
    use lookalike::index::{Question, ReadOptions};
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("index");
    let mut writer = IndexWriter::create(&dir, IndexSettings::default(), 1).unwrap();
    let text = |n: u32| (n..n + 30).map(|word| format!("w{word} ")).collect::<String>();
    let records = (0..50).map(|n| Record::new(text(n)).id(n.to_string()));
    let (fields, options) = (Settings::default(), AddOptions::default());
    writer.add(Source::records(records), &fields, &options, &Silent, |_| {}).unwrap();
    let index = Index::open(&dir).unwrap();
    let defaults = Question::from_json(br#"{"limit": 3}"#).unwrap();
    // Every eleventh line is blank, every seventh bad.
    let line = |n: u32| match (n % 11, n % 7) {
        (0, _) => " \r".to_owned(),
        (_, 0) => format!("{{\"id\": \"none\", \"key\": {n}}}"),
        _ => format!("{{\"id\": \"{}\", \"threshold\": 0.{}, \"key\": [{n}]}}", n % 50, n % 9 + 1),
    };
    let lines: Vec<String> = (1..=2500).map(line).collect();
    let mut expected = Vec::new();
    for (number, line) in (1..).zip(&lines).filter(|(_, line)| !line.trim().is_empty()) {
        let question = Question::from_json(line.as_bytes()).unwrap().or(&defaults);
        let rest = match index.answer(&question, &Silent) {
            Ok(reply) => serde_json::to_string(&reply).unwrap()[1..].to_owned(),
            Err(error) => {
                let problem = serde_json::to_string(&error.to_string()).unwrap();
                format!("\"key\":{},\"problem\":{problem}}}", question.key.unwrap())
            }
        };
        expected.push(format!("{{\"line\":{number},{rest}"));
    }
    let run = |threads, strict, fail_at: usize| {
        let bytes = std::io::Cursor::new(lines.join("\n").into_bytes());
        let (mut got, mut more) = (Vec::new(), true);
        let options = ReadOptions { threads, strict, ..ReadOptions::default() };
        let done =
            index.answer_lines("questions", bytes, &defaults, options, &Silent, |answered| {
                got.push(answered.json.clone());
                more = answered.more;
                let broken = std::io::ErrorKind::BrokenPipe;
                if got.len() == fail_at { Err(broken.into()) } else { Ok(()) }
            });
        (got, more, done)
    };
    for threads in [1, 4] {
        let (got, more, done) = run(threads, false, 0);
        let done = done.unwrap();
        assert!(got == expected, "{threads} threads");
        assert!(!more);
        let bad = expected.iter().filter(|line| line.contains("\"problem\"")).count() as u64;
        assert_eq!((done.documents, done.problems), (expected.len() as u64 - bad, bad));
        assert_eq!(done.listed[0].to_string().split(": ").next(), Some("questions:7"));
        let (got, _, done) = run(threads, true, 0);
        assert_eq!(got, expected[..6]);
        assert_eq!(done.unwrap_err().kind(), ErrorKind::Guard);
        let (got, _, done) = run(threads, false, 2000);
        assert_eq!((got.len(), done.unwrap_err().kind()), (2000, ErrorKind::Failed));
    }
}
