//! The size of chunks does not affect records.

use lookalike_io::source::Body;
use lookalike_io::{DiscoverOptions, Problem};
use proptest::prelude::*;

use crate::help::{OneFile, read_sized};

/// Lines of all kinds, good ones, bad ones and none.
fn line() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        "[a-z\"\\\\\n \u{e9}]{0,40}".prop_map(|text| {
            serde_json::json!({ "text": text, "n": [1, { "text": 2 }] }).to_string().into_bytes()
        }),
        Just(Vec::new()),
        Just(b" \t\r".to_vec()),
        Just(b"{\"text\":\"\xff\"}".to_vec()),
        prop::collection::vec(any::<u8>(), 0..20)
            .prop_map(|bytes| bytes.into_iter().filter(|b| *b != b'\n').collect()),
    ]
}

/// Bytes that matter to CSV.
fn csv() -> impl Strategy<Value = Vec<u8>> {
    const PIECES: [&str; 9] = ["\"", "\"\"", ",", "\n", "\r\n", "\r", "a", "text", "\u{e9} "];
    prop::collection::vec(prop::sample::select(&PIECES[..]), 0..60)
        .prop_map(|pieces| pieces.concat().into_bytes())
}

fn same_for_all_sizes(file: &OneFile, max_record: Option<usize>) -> Result<(), TestCaseError> {
    let inputs = file.inputs(DiscoverOptions { max_record, ..DiscoverOptions::default() });
    let large = read_sized(&inputs, 1 << 20);
    for size in [1, 2, 7, 30, 64, 100] {
        prop_assert_eq!(&read_sized(&inputs, size), &large, "{}", size);
    }
    Ok(())
}

proptest! {
    #[test]
    fn lines_are_the_same_in_chunks_of_any_size(
        lines in prop::collection::vec(line(), 0..20),
        end in any::<bool>(),
        max_record in prop_oneof![Just(None), (0_usize..60).prop_map(Some)],
    ) {
        let mut content = lines.join(&b'\n');
        content.splice(0..0, *b"{}\n");
        if end {
            content.push(b'\n');
        }
        let file = OneFile::new("x.jsonl", &content);
        same_for_all_sizes(&file, max_record)?;

        // Nothing is lost on the way, and nothing counted twice.
        let inputs = file.inputs(DiscoverOptions::default());
        let (mut whole, mut next) = (Vec::new(), 1);
        for chunk in inputs.chunks().with_size(10) {
            let chunk = chunk.unwrap();
            prop_assert_eq!(chunk.first_record, next);
            next += chunk.raw_records().count() as u32;
            prop_assert_eq!(chunk.first_line, 1 + content[..chunk.offset as usize].iter().filter(|b| **b == b'\n').count() as u64);
            let Body::Lines(data) = chunk.body else { panic!() };
            prop_assert_eq!(&content[chunk.offset as usize..][..data.len()], &data[..]);
            whole.extend(data);
        }
        let seen = whole.split(|b| *b == b'\n').filter(|l| !l.trim_ascii().is_empty());
        let given = content.split(|b| *b == b'\n').filter(|l| !l.trim_ascii().is_empty());
        prop_assert!(seen.eq(given));
    }

    #[test]
    fn rows_are_the_same_in_chunks_of_any_size(
        content in csv(),
        max_record in prop_oneof![Just(None), (9_usize..30).prop_map(Some)],
    ) {
        let file = OneFile::new("x.csv", [b"id,text\n", &content[..]].concat());
        same_for_all_sizes(&file, max_record)?;
    }

    #[test]
    fn rows_are_those_of_the_csv_crate(content in csv()) {
        let whole = [b"id,text\r\n", &content[..]].concat();
        let file = OneFile::new("x.csv", &whole);
        let read = read_sized(&file.inputs(DiscoverOptions::default()), 5);
        let mut oracle = csv::ReaderBuilder::new().flexible(true).from_reader(&whole[..]);
        let rows: Vec<csv::StringRecord> = oracle.records().collect::<Result<_, _>>().unwrap();
        let good: Vec<(String, String)> =
            read.records.iter().map(|r| (r.id.clone().unwrap_or_default(), r.text.clone())).collect();
        let mut expected: Vec<(String, String)> = rows
            .iter()
            .filter(|row| row.len() == 2)
            .map(|row| (row[0].to_string(), row[1].to_string()))
            .collect();
        // The last row may have an open quote, which the crate does not mind.
        let open = |p: &Problem| p.message.contains("not closed");
        if read.problems.last().is_some_and(open) && rows.last().is_some_and(|row| row.len() == 2) {
            expected.pop();
        }
        prop_assert_eq!(good, expected);
        prop_assert_eq!(read.records.len() + read.problems.len(), rows.len());
    }
}

#[test]
fn a_record_that_is_too_long_is_a_problem_and_the_next_is_read() {
    let long = format!("{{\"text\":\"{}\"}}", "x".repeat(1000));
    let content = format!("{{\"text\":\"a\"}}\n\n{long}\n{{\"text\":\"b\"}}\n{long}");
    let file = OneFile::new("x.jsonl", content);
    let inputs =
        file.inputs(DiscoverOptions { max_record: Some(500), ..DiscoverOptions::default() });
    for size in [1, 100, 600, 1 << 20] {
        let read = read_sized(&inputs, size);
        assert_eq!(
            read.records.iter().map(|r| (r.record, r.line)).collect::<Vec<_>>(),
            [(1, 1), (3, 4)]
        );
        let places: Vec<_> = read.problems.iter().map(|p| (p.record, p.line, p.offset)).collect();
        assert_eq!(places, [(2, 3, Some(14)), (4, 5, Some(14 + 1012 + 13))]);
        for problem in &read.problems {
            assert!(
                problem.message.contains("longer than 500 bytes; raise the setting max_record")
            );
            assert!(problem.message.contains("may be too long to be copied to the rejected"));
        }
    }
}

#[test]
fn a_record_exactly_as_long_as_allowed_is_read() {
    let line = "{\"text\":\"abc\"}";
    let file = OneFile::new("x.jsonl", format!("{line}\n{line}"));
    for (max_record, good) in [(line.len(), 2), (line.len() - 1, 0)] {
        let max_record = Some(max_record);
        let inputs = file.inputs(DiscoverOptions { max_record, ..DiscoverOptions::default() });
        assert_eq!(read_sized(&inputs, 1).records.len(), good);
    }
}

#[test]
fn an_open_quote_takes_no_more_than_the_largest_record() {
    let content = format!("id,text\n1,ok\n2,\"open\n{}", "3,swallowed\n".repeat(1000));
    let file = OneFile::new("x.csv", content);
    let inputs =
        file.inputs(DiscoverOptions { max_record: Some(500), ..DiscoverOptions::default() });
    for size in [1, 100, 1 << 20] {
        let read = read_sized(&inputs, size);
        assert_eq!(read.ids(), ["1"]);
        assert_eq!(read.problems.len(), 1);
        assert_eq!((read.problems[0].record, read.problems[0].line), (2, 3));
    }
}
