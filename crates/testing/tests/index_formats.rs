//! Committed samples of whole indexes: `tests/formats/v2/index` and `index-sets`, of which the
//! second has a method, and sets in place of texts. Those in `v1` have another analysis, and are
//! refused.
//!
//! Copies of them are opened for reading and for writing. `cargo test -p lookalike-testing --test
//! index_formats -- --ignored` writes the samples anew: for a new version of the format, into a new
//! directory.

#![allow(clippy::unwrap_used)]

use lookalike::{
    Index, IndexWriter, LookalikeError, Record, Settings, Silent, Source,
    index::{
        AddOptions, ExportOptions, IndexSettings, PassageQuery, Query, QuerySubject, Wanted,
        check_index, export_documents, export_tables,
    },
    methods::MethodSettings,
    results::TableFormat,
    settings::{Linkage, Shingle, Verify},
};
use std::fs;
use std::path::{Path, PathBuf};

/// The samples: their names, and whether they have texts. Those without have a method.
const SAMPLES: [(&str, bool); 2] = [("index", true), ("index-sets", false)];

fn sample(name: &str) -> PathBuf {
    sample_of("v2", name)
}

fn sample_of(version: &str, name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/formats").join(version).join(name)
}

fn words(first: usize) -> String {
    (first..first + 30).map(|n| format!("word{n} ")).collect::<String>().trim_end().to_owned()
}

fn settings(texts: bool) -> IndexSettings {
    let method = MethodSettings {
        spec: "simhash:weights=tf".into(),
        verify: Verify::Sketch,
        lexicon: None,
        lexicon_checksum: None,
        key_limit: None,
    };
    let methods = if texts { Vec::new() } else { vec![method] };
    let documents =
        Settings { keep: vec!["longest".into(), "first".into()], ..Settings::default() };
    IndexSettings { documents, methods, texts, ..IndexSettings::default() }
}

fn add(writer: &mut IndexWriter, records: Vec<Record>) {
    let (fields, options) = (Settings::default(), AddOptions::default());
    writer.add(Source::records(records), &fields, &options, &Silent, |_| {}).unwrap();
}

/// Two commits that are merged, and a third one that replaces a document: the store has a dead
/// document, and one that relies on another one than its segment says.
fn create(dir: &Path, texts: bool) {
    let mut writer = IndexWriter::create(dir, settings(texts), 1).unwrap();
    let record = |id: &str, text: String| Record::new(text).id(id);
    add(
        &mut writer,
        vec![
            record("d0", words(0)),
            record("d1", format!("{} tail", words(0))),
            record("d2", words(100)),
            record("é", String::new()),
        ],
    );
    add(&mut writer, vec![record("d3", words(200)), record("d4", words(300))]);
    writer.compact().unwrap();
    add(&mut writer, vec![record("d2", words(200))]);
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}

#[test]
#[ignore = "writes the samples"]
fn write_the_samples() {
    for (name, texts) in SAMPLES {
        let dir = sample(name);
        create(&dir, texts);
        // It holds the number of this process.
        fs::remove_file(dir.join("lock")).unwrap();
    }
}

/// An index that answers for passages: what it stores for that is in every document's signature.
const PASSAGES: &str = "index-passages";

#[test]
#[ignore = "writes the sample"]
fn write_the_sample_with_passages() {
    let dir = sample(PASSAGES);
    let settings = IndexSettings { passages: Some(12), ..settings(true) };
    let mut writer = IndexWriter::create(&dir, settings, 1).unwrap();
    let record = |id: &str, text: String| Record::new(text).id(id);
    let all = vec![
        record("d0", words(0)),
        record("d1", format!("{} tail, {}", words(0), words(100))),
        record("na", "Na ".repeat(40)),
        record("short", "word0 word1".into()),
    ];
    add(&mut writer, all);
    add(&mut writer, vec![record("d2", words(110))]);
    drop(writer);
    fs::remove_file(dir.join("lock")).unwrap();
}

#[test]
fn a_sample_with_passages_is_read_and_written_to() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join(PASSAGES);
    copy(&sample(PASSAGES), &dir);
    let found = |text: String| {
        let query = PassageQuery::new(QuerySubject::Text(text));
        let answer = Index::open(&dir).unwrap().find_passages(&query).unwrap();
        let documents = answer.documents.into_iter();
        documents.map(|found| (found.id, found.words_in_common)).collect::<Vec<_>>()
    };
    let of = |pairs: &[(&str, u32)]| -> Vec<(String, u32)> {
        pairs.iter().map(|&(id, words)| (id.to_owned(), words)).collect()
    };
    assert_eq!(found(words(90)), of(&[("d1", 20)]));
    assert_eq!(found(words(115)), of(&[("d2", 25), ("d1", 15)]));
    assert_eq!(found("na ".repeat(12)), of(&[("na", 12)]));
    let mut writer = IndexWriter::open(&dir, 1).unwrap();
    add(&mut writer, vec![Record::new(words(90)).id("d3")]);
    writer.compact().unwrap();
    drop(writer);
    assert_eq!(found(words(90)), of(&[("d3", 30), ("d1", 20)]));
    assert_eq!(check_index(&dir, true, 1).unwrap(), Vec::<String>::new());
}

/// Ids that resemble a text, best first.
fn answer(index: &Index, text: String, ask: Wanted) -> Vec<String> {
    let mut query = Query::new(QuerySubject::Text(text));
    query.ask = ask;
    let answer = index.ask(&query).unwrap();
    answer.matches.into_iter().map(|found| found.id).collect()
}

#[test]
fn a_sample_is_read() {
    for (name, texts) in SAMPLES {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join(name);
        copy(&sample(name), &dir);
        let index = Index::open(&dir).unwrap();
        let snapshot = index.snapshot().unwrap();
        let ids: Vec<&str> =
            snapshot.in_order().into_iter().map(|at| snapshot.document(at).id()).collect();
        assert_eq!(ids, ["d0", "d1", "d2", "é", "d3", "d4"]);
        assert_eq!((snapshot.commit(), snapshot.kept()), (4, 4));
        assert_eq!(answer(&index, words(200), Wanted::Resembles), ["d2", "d3"]);
        assert_eq!(answer(&index, words(0) + " head", Wanted::Resembles), ["d0", "d1"]);
        if !texts {
            assert_eq!(answer(&index, words(300), Wanted::Method("simhash".into())), ["d4"]);
        }
        assert_eq!(check_index(&dir, true, 1).unwrap(), Vec::<String>::new());
        let options = |name: &str| ExportOptions {
            tables: TableFormat::Tsv,
            threads: 1,
            ..ExportOptions::new(folder.path().join(name))
        };
        let exported = export_documents(&index, &options("documents"), &Silent);
        assert_eq!(exported.is_ok(), texts);
        if texts {
            let read = |name| fs::read_to_string(folder.path().join(name)).unwrap();
            let documents = read("documents/documents.jsonl");
            assert_eq!(documents.lines().count(), 6);
            assert!(documents.contains(&words(300)), "{documents}");
            export_tables(&index, &options("tables"), &Silent).unwrap();
            let ledger = read("tables/ledger.tsv");
            assert!(ledger.lines().any(|row| row.contains("d3") && row.contains("d2")), "{ledger}");
        }
    }
}

#[test]
fn samples_of_another_analysis_are_refused() {
    for (name, _) in SAMPLES {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join(name);
        copy(&sample_of("v1", name), &dir);
        let refused = |error: LookalikeError| {
            let error = error.to_string();
            let named = [dir.to_str().unwrap(), "words/2", "words/3"];
            assert!(named.iter().all(|name| error.contains(name)), "{error}");
        };
        refused(Index::open(&dir).unwrap_err());
        refused(IndexWriter::open(&dir, 1).unwrap_err());
        refused(check_index(&dir, true, 1).unwrap_err());
    }
}

#[test]
fn a_sample_is_written_to() {
    for (name, texts) in SAMPLES {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join(name);
        copy(&sample(name), &dir);
        let mut writer = IndexWriter::open(&dir, 1).unwrap();
        // What was left to the program is stored as it decided.
        let mut stored = settings(texts);
        (stored.documents.shingle, stored.documents.linkage) =
            (Shingle::Of(5), Some(Linkage::Leaders));
        assert_eq!(writer.settings(), &stored);
        add(&mut writer, vec![Record::new(words(300) + " tail").id("d5")]);
        writer.compact().unwrap();
        drop(writer);
        let index = Index::open(&dir).unwrap();
        assert_eq!(answer(&index, words(300), Wanted::Resembles), ["d4", "d5"]);
        // The longer one is kept in place of the one before.
        let snapshot = index.snapshot().unwrap();
        let kept = |id| snapshot.is_kept(snapshot.with_id(id)[0]);
        assert_eq!((snapshot.len(), kept("d4"), kept("d5")), (7, false, true));
        assert_eq!(check_index(&dir, true, 1).unwrap(), Vec::<String>::new());
    }
}
