//! An index and documents in memory: batches of questions, exports without files, runs against an
//! open index, several steps in one commit.

#![allow(clippy::unwrap_used)]

use lookalike::{
    Index, IndexWriter, Job, Record, Resources, Settings, Silent, Source,
    answer::Place,
    dedup,
    index::{
        AddOptions, DeleteWhat, ExportOptions, IndexSettings, Query, QueryMatch, QuerySubject,
        ReadOptions, Wanted, export_answer, export_tables,
    },
    results::TableFormat,
    settings::{Linkage, WitnessRule},
};
use std::collections::BTreeSet;
use std::path::Path;

/// Texts of which many share parts.
fn texts(number: u64, seed: u64) -> Vec<String> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = move |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let mut texts: Vec<Vec<u64>> = Vec::new();
    for _ in 0..number {
        let mut words: Vec<u64> = match texts.len() {
            known @ 1.. if next(3) > 0 => texts[next(known as u64) as usize].clone(),
            _ => (0..12 + next(20)).map(|_| next(50)).collect(),
        };
        for _ in 0..next(4) {
            let at = next(words.len() as u64) as usize;
            words[at] = next(50);
        }
        texts.push(words);
    }
    let written =
        |words: Vec<u64>| words.iter().map(|word| format!("w{word}")).collect::<Vec<_>>().join(" ");
    texts.into_iter().map(written).collect()
}

fn records(number: u64, seed: u64) -> Vec<Record> {
    let named = |(at, text): (usize, String)| Record::new(text).id(format!("d{seed}-{at}"));
    texts(number, seed).into_iter().enumerate().map(named).collect()
}

fn filled(dir: &Path) -> Index {
    let mut writer = IndexWriter::create(dir, IndexSettings::default(), 2).unwrap();
    let (fields, options) = (Settings::default(), AddOptions::default());
    writer.add(Source::records(records(150, 7)), &fields, &options, &Silent, |_| {}).unwrap();
    Index::open(dir).unwrap()
}

fn ids(matches: &[QueryMatch]) -> Vec<String> {
    matches.iter().map(|found| found.id.clone()).collect()
}

#[test]
fn many_questions_have_the_answers_of_single_ones() {
    let folder = tempfile::tempdir().unwrap();
    let index = filled(&folder.path().join("index"));
    let mut asked = records(3000, 8);
    asked.extend(records(150, 7));
    for (ask, threads) in [(Wanted::Resembles, 1), (Wanted::Containing, 3), (Wanted::Cluster, 2)] {
        let query = Query { ask: ask.clone(), threshold: Some("0.5".into()), ..Query::of_each() };
        let options = ReadOptions { threads, ..ReadOptions::default() };
        let mut found = Vec::new();
        let source = Source::held_records(&asked);
        let all = index.ask_all(source, &Settings::default(), &query, options, &Silent, |one| {
            found.push(one);
        });
        assert_eq!((all.unwrap().documents, found.len()), (3150, 3150));
        for (at, (one, record)) in found.iter().zip(&asked).enumerate() {
            assert_eq!(one.place, Place { file: 0, record: at as u32 + 1 });
            assert_eq!(one.id, record.id);
            if at % 50 == 0 || at > 3000 {
                let about = QuerySubject::Text(record.text.clone());
                let single = index.ask(&Query { about, ..query.clone() }).unwrap();
                assert_eq!(ids(&single.matches), ids(&one.answer.matches));
                assert_eq!(single.size, one.answer.size);
            }
        }
        assert!(found.iter().any(|one| one.answer.matches.len() > 1));
    }
    let wrong = Query { threshold: Some("2".into()), ..Query::of_each() };
    let options = ReadOptions::default();
    let none = Source::records(Vec::<Record>::new());
    assert!(index.ask_all(none, &Settings::default(), &wrong, options, &Silent, |_| {}).is_err());
}

#[test]
fn an_export_in_memory_is_that_to_files() {
    let folder = tempfile::tempdir().unwrap();
    let index = filled(&folder.path().join("index"));
    for (number, (list, linkage)) in
        [(false, None), (true, None), (true, Some(Linkage::Leaders))].into_iter().enumerate()
    {
        let output = folder.path().join(format!("files{number}"));
        let options = ExportOptions {
            list,
            linkage,
            witness: if list { WitnessRule::First } else { WitnessRule::Best },
            tables: TableFormat::Jsonl,
            ..ExportOptions::new(&output)
        };
        let summary = export_tables(&index, &options, &Silent).unwrap();
        let answer = export_answer(&index, &options, &Silent).unwrap();
        assert_eq!(summary.digest, answer.summary.digest);
        assert_eq!(answer.records(), Some(150));
        let memory = folder.path().join(format!("memory{number}"));
        let tables = TableFormat::Jsonl;
        answer.write(&Job { tables, report: false, ..Job::new(Vec::new(), &memory) }).unwrap();
        for name in ["clusters.jsonl", "pairs.jsonl"] {
            let read = |dir: &Path| std::fs::read(dir.join(name)).unwrap();
            assert_eq!(read(&output), read(&memory), "{name}");
            assert!(!read(&output).is_empty());
        }
    }
}

#[test]
fn a_call_against_an_index_is_one_against_its_documents() {
    let folder = tempfile::tempdir().unwrap();
    let index = filled(&folder.path().join("index"));
    let mut stored = Vec::new();
    index.for_each_document(|record| stored.push(record)).unwrap();
    assert_eq!(stored, records(150, 7));
    let mut new = records(100, 9);
    new.extend(stored.iter().step_by(3).map(|record| Record::new(format!("{} x", record.text))));
    let settings = Settings { threshold: "0.6".into(), ..Settings::default() };
    let found = |source: Source<'_>| {
        let answer = dedup(source, &settings, &Resources::default(), &Silent).unwrap();
        let pairs: BTreeSet<(u32, String, &str)> = answer
            .removals()
            .map(|row| (row.removed.record, row.kept.id.to_owned(), row.rule))
            .collect();
        let pairs: Vec<String> = pairs.iter().map(|pair| format!("{pair:?}")).collect();
        (answer.kept().to_vec(), pairs)
    };
    let source = || Source::held_records(&new);
    let expected = found(source().against(Source::held_records(&stored)));
    assert_eq!(found(source().against_index(&index)), expected);
    assert!(expected.1.iter().any(|pair| pair.contains("d7-")));
    let expected_only = found(source().only_against(Source::held_records(&stored)));
    assert_eq!(found(source().only_against_index(&index)), expected_only);
    assert!(expected_only.1.len() < expected.1.len());
    // Files, and an index by its path.
    let path = folder.path().join("new.jsonl");
    let line = |record: &Record| match &record.id {
        Some(id) => format!("{{\"id\": \"{id}\", \"text\": \"{}\"}}\n", record.text),
        None => format!("{{\"text\": \"{}\"}}\n", record.text),
    };
    std::fs::write(&path, new.iter().map(line).collect::<String>()).unwrap();
    let files = || Source::files([path.display().to_string()]);
    assert_eq!(found(files().against_index(&index)), expected);
    let by_path = Source::files([index.dir().display().to_string()]);
    assert_eq!(found(files().against(by_path)), expected);
    // What is read once cannot be asked about first.
    let once = Source::records(new.clone()).against_index(&index);
    let error = dedup(once, &settings, &Resources::default(), &Silent).unwrap_err();
    assert!(error.to_string().contains("reads the documents several times"), "{error}");
}

#[test]
fn steps_without_a_commit_are_in_the_index_together_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("index");
    let index = filled(&dir);
    let mut writer = IndexWriter::open(&dir, 2).unwrap();
    let fields = Settings::default();
    let staged = AddOptions { stage_only: true, ..AddOptions::default() };
    let steps = |writer: &mut IndexWriter| {
        for seed in [20, 21] {
            let source = Source::records(records(10, seed));
            let added = writer.add(source, &fields, &staged, &Silent, |_| {}).unwrap();
            assert_eq!((added.read, added.committed.commit), (10, 0));
        }
        let ids = vec!["d7-0".to_owned(), "d7-1".to_owned()];
        let found = writer.find(&DeleteWhat { ids, ..DeleteWhat::default() }).unwrap();
        assert_eq!(writer.delete(&found.documents), 2);
        assert_eq!(index.snapshot().unwrap().len(), 150);
    };
    steps(&mut writer);
    writer.abandon().unwrap();
    writer.commit().unwrap();
    assert_eq!(index.snapshot().unwrap().len(), 150);
    steps(&mut writer);
    let done = writer.commit_with(&Silent).unwrap();
    assert_eq!((done.added, done.deleted, done.documents), (20, 2, 168));
    assert_eq!(index.snapshot().unwrap().len(), 168);
    for options in [
        AddOptions { commit_every: Some(5), ..staged.clone() },
        AddOptions { sweep: Some(("may".into(), None)), ..staged.clone() },
    ] {
        let source = Source::records(records(1, 22));
        let error = writer.add(source, &fields, &options, &Silent, |_| {}).unwrap_err();
        assert!(error.to_string().contains("stage_only"), "{error}");
    }
}
