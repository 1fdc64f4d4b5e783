//! The same documents in every container are the same documents.

use crate::help::{Owned, Read, discover, read, read_sized, read_some};
use lookalike_io::{DiscoverOptions, FormatOptions, Inputs};
use lookalike_testing::data;
use std::collections::BTreeSet;

const CONTAINERS: [&str; 6] = [
    "bbc120.jsonl.gz",
    "bbc120.jsonl.zst",
    "bbc120.csv",
    "bbc120.tsv",
    "bbc120.snappy.parquet",
    "bbc120.zstd.parquet",
];

fn without_places(read: Read) -> Vec<Owned> {
    assert_eq!(read.messages(), [""; 0]);
    read.records.into_iter().map(|record| Owned { line: 0, ..record }).collect()
}

/// Whitespace is flattened in the TSV.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_container_gives_the_same_documents() {
    let Some(folder) = data::folder("formats") else { return };
    let plain = without_places(read(&discover(&folder.join("bbc120.jsonl"))));
    assert_eq!(plain.len(), 120);
    assert_eq!(plain[0].id.as_deref(), Some("bbc/business/001"));
    assert_eq!(plain[0].title.as_deref(), Some("Ad sales boost Time Warner profit"));
    // A TSV file has no quotes by itself; this one has.
    let csv_quote = Some("\"".parse().unwrap());
    let quoted = DiscoverOptions {
        formats: FormatOptions { csv_quote, ..FormatOptions::default() },
        ..DiscoverOptions::default()
    };
    for name in CONTAINERS {
        let path = folder.join(name);
        let inputs = match name.ends_with(".tsv") {
            true => Inputs::discover(&[path.display().to_string()], quoted.clone()).unwrap(),
            false => discover(&path),
        };
        let mut same = without_places(read(&inputs));
        assert_eq!(without_places(read_sized(&inputs, 4096)), same, "{name}");
        let mut expected = plain.clone();
        if name.ends_with(".tsv") {
            for record in expected.iter_mut().chain(&mut same) {
                record.text = flat(&record.text);
                record.title = record.title.as_deref().map(flat);
            }
        }
        assert_eq!(same, expected, "{name}");
    }
}

#[test]
fn a_directory_of_text_files_gives_a_document_a_file() {
    let Some(folder) = data::folder("formats") else { return };
    let plain = read(&discover(&folder.join("bbc120.jsonl"))).records;
    let inputs = discover(&folder.join("txt_dir"));
    let texts = without_places(read(&inputs));
    assert_eq!(texts.len(), 100);
    for (index, text) in texts.iter().enumerate() {
        assert_eq!((text.file, text.record, text.id.as_deref()), (index as u32, 1, None));
        assert_eq!(flat(&text.text), flat(&plain[index].text));
    }
}

#[test]
fn an_archive_and_a_web_archive_have_the_same_pages() {
    let Some(folder) = data::folder("formats") else { return };
    let texts = |name: &str| -> BTreeSet<String> {
        let records = without_places(read(&discover(&folder.join(name))));
        records.into_iter().map(|record| record.text).collect()
    };
    let (archive, web) = (texts("html40.tar.gz"), texts("seaborn120.warc.gz"));
    assert_eq!((archive.len(), web.len()), (40, 120));
    assert!(archive.is_subset(&web));
}

#[test]
fn no_container_is_passed_over() {
    let Some(folder) = data::folder("formats") else { return };
    assert_eq!(discover(&folder).skipped, [""; 0].map(std::path::PathBuf::from));
}

#[test]
fn wanted_records_equal_those_of_a_full_read() {
    let folder = tempfile::tempdir().unwrap();
    let lines: String =
        (0..90).map(|n| format!("{{\"id\":{n},\"text\":\"number {n}\"}}\n")).collect();
    let broken = lines.replace("{\"id\":20,", "not JSON").replace("{\"id\":30", "\n \n{\"id\":30");
    std::fs::write(folder.path().join("a.jsonl"), broken).unwrap();
    let rows: String = (0..90).map(|n| format!("{n},number {n}\n")).collect();
    std::fs::write(folder.path().join("b.csv"), format!("id,text\n{rows}")).unwrap();
    for name in ["c.txt", "d.txt", "e.txt"] {
        std::fs::write(folder.path().join(name), name).unwrap();
    }
    let inputs = discover(folder.path());
    let all = read(&inputs);
    assert_eq!((all.records.len(), all.problems.len()), (89 + 90 + 3, 1));
    for (step, size) in [(1, 100), (7, 100), (10, 1 << 20), (1000, 1 << 20)] {
        let wanted = |file: u32, record: u32| (file * 5 + record).is_multiple_of(step);
        let some = read_some(&inputs, size, &wanted);
        let records: Vec<&Owned> =
            all.records.iter().filter(|r| wanted(r.file, r.record)).collect();
        let problems: Vec<_> = all.problems.iter().filter(|p| wanted(p.file, p.record)).collect();
        assert_eq!(some.records.iter().collect::<Vec<_>>(), records, "every {step}");
        assert_eq!(some.problems.iter().collect::<Vec<_>>(), problems, "every {step}");
    }
}
