//! Files that would not fit in memory if they had to.

use std::io::Write;

use lookalike_io::DiscoverOptions;

use crate::help::{OneFile, read, read_sized};

/// A gzip file of this many times the same bytes.
fn bomb(name: &str, piece: &[u8], times: usize) -> OneFile {
    let file = OneFile::new(name, "");
    let out = std::fs::File::create(&file.path).unwrap();
    let mut encoder = flate2::write::GzEncoder::new(out, flate2::Compression::fast());
    for _ in 0..times {
        encoder.write_all(piece).unwrap();
    }
    encoder.finish().unwrap();
    file
}

#[test]
fn a_line_of_300_mib_is_skipped_and_the_next_is_read() {
    let file = bomb("x.jsonl.gz", &[b'a'; 1 << 20], 300);
    let packed = std::fs::read(&file.path).unwrap();
    let after = bomb("y.jsonl.gz", b"\n{\"text\":\"after\"}\n", 1);
    let file = OneFile::new("x.jsonl.gz", [packed, std::fs::read(&after.path).unwrap()].concat());
    let inputs =
        file.inputs(DiscoverOptions { max_record: Some(8 << 20), ..DiscoverOptions::default() });
    let mut largest = 0;
    for chunk in inputs.chunks().filter_map(|piece| piece.into_parts().0) {
        if let lookalike_io::source::Body::Lines(data) = &chunk.body {
            largest = largest.max(data.capacity());
        }
    }
    assert!(largest <= 17 << 20, "{largest}");
    let found = read(&inputs);
    assert_eq!((found.records.len(), found.records[0].line), (1, 2));
    assert!(
        found.messages()[0].contains(
            "x.jsonl.gz:1: the record is longer than 8 MiB; raise the setting max_record"
        )
    );
}

#[test]
fn a_document_that_unpacks_to_too_much_is_a_problem() {
    let file = bomb("x.txt.gz", &[b'a'; 1 << 20], 100);
    let inputs =
        file.inputs(DiscoverOptions { max_record: Some(1 << 20), ..DiscoverOptions::default() });
    let found = read(&inputs);
    assert!(found.records.is_empty());
    assert!(found.messages()[0].contains("longer than 1 MiB"));
}

#[test]
fn a_header_without_end_is_a_problem_and_not_a_million_names() {
    let expected = "x.csv.gz: the header is longer than 4 MiB";
    let file = bomb("x.csv.gz", &b"text,".repeat(200_000), 5);
    assert!(file.read().messages()[0].contains(expected));
    // One row that is too long, and others after it.
    let file = OneFile::new("x.csv", [&b"text,".repeat(1_000_000)[..], b"\n1\n"].concat());
    let found = file.read();
    assert!(found.records.is_empty());
    assert!(found.messages()[0].contains("x.csv: the header is longer than 4 MiB"));
    // An ordinary header among blank lines has no such limit.
    let blank = b"\r\n".repeat(3 << 20);
    let file = OneFile::new("x.csv", [&blank[..], b"text\r\n", &blank, b"one\r\n"].concat());
    for size in [1000, 2 << 20, 20 << 20] {
        let found = read_sized(&file.inputs(DiscoverOptions::default()), size);
        assert_eq!(found.records.len(), 1, "{:?}", found.messages());
        assert_eq!((found.records[0].record, found.records[0].line), (1, 6 * (1 << 20) + 2));
    }
}

#[test]
fn a_row_of_delimiters_is_counted_and_not_kept() {
    let row = b",".repeat(3_000_000);
    let file = OneFile::new("x.csv", [b"id,text\n", &row[..], b"\n1,good\n"].concat());
    let found = file.read();
    assert_eq!(found.ids(), ["1"]);
    assert!(found.messages()[0].contains("x.csv:2: 3000001 fields where the header names 2"));
}

#[test]
fn many_small_files_share_chunks() {
    let folder = tempfile::tempdir().unwrap();
    for index in 0..1000 {
        std::fs::write(folder.path().join(format!("{index:04}.txt")), format!("file {index}"))
            .unwrap();
    }
    std::fs::write(folder.path().join("0500.jsonl"), "{\"text\":\"between\"}\n").unwrap();
    let inputs = crate::help::discover(folder.path());
    assert_eq!(inputs.chunks().count(), 8 + 1 + 8);
    let found = read_sized(&inputs, 20);
    assert_eq!(found.records.len(), 1001);
    assert!(found.records.iter().enumerate().all(|(at, record)| record.file == at as u32));
    assert_eq!(found, read(&inputs));
}
