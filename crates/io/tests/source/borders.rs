//! The size of chunks does not affect records.

use lookalike_io::source::Body;
use lookalike_io::{CsvDialect, DiscoverOptions, Format, FormatOptions, Problem};
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
    const PIECES: [&str; 13] = [
        "\"", "\"\"", ",", "\t", "\\", "\\\"", ",\"", "\",", "\n", "\r\n", "\r", "text", "\u{e9} ",
    ];
    prop::collection::vec(prop::sample::select(&PIECES[..]), 0..60)
        .prop_map(|pieces| pieces.concat().into_bytes())
}

/// Files and settings whose dialects differ.
fn dialect() -> impl Strategy<Value = (&'static str, FormatOptions)> {
    const NAMES: [&str; 2] = ["x.csv", "x.tsv"];
    const QUOTES: [&str; 4] = ["", "none", "\"", "t"];
    const ESCAPES: [&str; 3] = ["", "\\", "\""];
    let select = |from: &'static [&'static str]| prop::sample::select(from);
    (select(&NAMES), select(&QUOTES), select(&ESCAPES)).prop_map(|(name, quote, escape)| {
        let csv_quote = (!quote.is_empty()).then(|| quote.parse().unwrap());
        let csv_escape = (!escape.is_empty()).then(|| escape.parse().unwrap());
        (name, FormatOptions { csv_quote, csv_escape, ..FormatOptions::default() })
    })
}

/// The rows of a file, byte by byte, after the definition: the fields of each, or `None` if text follows a
/// closing quote. The last one may have an open quote.
fn rows_by_definition(content: &[u8], dialect: CsvDialect) -> (Vec<Option<Vec<Vec<u8>>>>, bool) {
    let CsvDialect { delimiter, quote, escape } = dialect;
    let is_end = |byte: u8| matches!(byte, b'\r' | b'\n');
    let escaped = |byte: u8| match quote {
        Some(quote) => byte == quote || Some(byte) == escape,
        None => byte == delimiter || is_end(byte) || Some(byte) == escape,
    };
    let (mut rows, mut at) = (Vec::new(), 0);
    while at < content.len() {
        if is_end(content[at]) {
            at += 1;
            continue;
        }
        let (mut row, mut good) = (Vec::new(), true);
        loop {
            let mut field = Vec::new();
            let quoted = at < content.len() && Some(content[at]) == quote;
            if at < content.len() && Some(content[at]) == quote {
                at += 1;
                loop {
                    let (Some(byte), next) = (content.get(at), content.get(at + 1)) else {
                        row.push(field);
                        rows.push(Some(row));
                        return (rows, true);
                    };
                    at += 1;
                    if Some(*byte) == escape && next.is_some_and(|next| escaped(*next))
                        || Some(*byte) == quote && next == Some(byte)
                    {
                        field.push(content[at]);
                        at += 1;
                    } else if Some(*byte) == quote {
                        break;
                    } else {
                        field.push(*byte);
                    }
                }
                good &= content.get(at).is_none_or(|byte| *byte == delimiter || is_end(*byte));
            }
            let start = at;
            while let Some(byte) =
                content.get(at).filter(|byte| **byte != delimiter && !is_end(**byte))
            {
                at += 1;
                let next = content.get(at).filter(|_| quote.is_none() && Some(*byte) == escape);
                if let Some(next) = next.filter(|next| escaped(**next)) {
                    field.push(*next);
                    at += 1;
                } else {
                    field.push(*byte);
                }
            }
            let bare = |pair: &[u8]| pair[0] == b'\\' && Some(pair[1]) == quote && escape.is_none();
            good &= quoted || !(content[start..at].windows(2).any(bare));
            row.push(field);
            if content.get(at) != Some(&delimiter) {
                break;
            }
            at += 1;
        }
        rows.push(good.then_some(row));
    }
    (rows, false)
}

fn same_for_all_sizes(
    file: &OneFile,
    max_record: Option<usize>,
    formats: FormatOptions,
) -> Result<(), TestCaseError> {
    let inputs = file.inputs(DiscoverOptions { max_record, formats, ..DiscoverOptions::default() });
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
        same_for_all_sizes(&file, max_record, FormatOptions::default())?;

        // Nothing is lost on the way, and nothing counted twice.
        let inputs = file.inputs(DiscoverOptions::default());
        let (mut whole, mut next) = (Vec::new(), 1);
        for chunk in inputs.chunks().with_size(10) {
            let chunk = chunk.whole().unwrap();
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
        (name, formats) in dialect(),
        max_record in prop_oneof![Just(None), (9_usize..30).prop_map(Some)],
    ) {
        let header: &[u8] = if name == "x.tsv" { b"id\ttext\n" } else { b"id,text\n" };
        let header = if formats.csv_quote == "t".parse().ok() { &b"id,html\n"[..] } else { header };
        let header = header.iter().map(|b| if name == "x.tsv" && *b == b',' { b'\t' } else { *b });
        let file = OneFile::new(name, [&header.collect::<Vec<u8>>()[..], &content[..]].concat());
        same_for_all_sizes(&file, max_record, formats)?;
    }

    /// In every dialect, and in chunks of any size.
    #[test]
    fn rows_are_those_of_the_definition(content in csv(), (name, formats) in dialect(), size in 1_usize..40) {
        let dialect = formats.csv_dialect(if name == "x.tsv" { Format::TSV } else { Format::CSV });
        let whole = [&[b"id", &[dialect.delimiter][..], b"html\r\n"].concat(), &content[..]].concat();
        let file = OneFile::new(name, &whole);
        let read = read_sized(&file.inputs(DiscoverOptions { formats, ..DiscoverOptions::default() }), size);
        let (rows, open) = rows_by_definition(&content, dialect);
        let last = rows.len();
        let text = |field: &[u8]| String::from_utf8(field.to_vec()).unwrap();
        let good = rows.iter().zip(1..).filter(|(_, number)| !open || *number < last);
        let good = good.filter_map(|(row, number)| Some((row.as_ref()?, number)));
        let expected: Vec<(u32, String, String)> = good
            .filter(|(row, _)| row.len() == 2)
            .map(|(row, number)| (number as u32, text(&row[0]), text(&row[1])))
            .collect();
        let found: Vec<(u32, String, String)> = read
            .records
            .iter()
            .map(|r| (r.record, r.id.clone().unwrap_or_default(), r.text.clone()))
            .collect();
        prop_assert_eq!(found, expected);
        prop_assert_eq!(read.records.len() + read.problems.len(), rows.len());
        for problem in &read.problems {
            let is_last = problem.record as usize == last;
            let row = &rows[problem.record as usize - 1];
            let words = if open && is_last { "not closed" } else if row.is_none() { "quote" } else { "where the header" };
            prop_assert!(problem.message.contains(words), "{}", problem.message);
        }
    }

    #[test]
    fn rows_are_those_of_the_csv_crate(content in csv()) {
        let whole = [b"id,text\r\n", &content[..]].concat();
        let file = OneFile::new("x.csv", &whole);
        let read = read_sized(&file.inputs(DiscoverOptions::default()), 5);
        let mut oracle = csv::ReaderBuilder::new().flexible(true).from_reader(&whole[..]);
        let mut rows: Vec<csv::StringRecord> = oracle.records().collect::<Result<_, _>>().unwrap();
        // The crate takes text after a closing quote for a part of the field.
        let after_quote = |p: &&Problem| p.message.contains("after a closing") || p.message.contains("before a quote");
        for problem in read.problems.iter().filter(after_quote) {
            let index = problem.record as usize - 1;
            rows[index] = csv::StringRecord::new();
        }
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

#[test]
fn rows_end_at_cr_too_and_lines_are_counted_by_all_ends() {
    let rows = ["id,text", "1,a", "2,\"b\u{21b5}c\"", "", "3", "4,d", ""];
    for end in ["\n", "\r\n", "\r"] {
        let content = rows.join(end).replace('\u{21b5}', end);
        for content in [content.clone(), format!("\u{feff}{content}")] {
            let inputs = OneFile::new("x.csv", content);
            for size in [1, 3, 9, 1 << 20] {
                let read = read_sized(&inputs.inputs(DiscoverOptions::default()), size);
                let lines: Vec<_> = read.records.iter().map(|r| (r.record, r.line)).collect();
                assert_eq!(lines, [(1, 2), (2, 3), (4, 7)], "{end:?} {size}");
                assert_eq!(read.records[1].text, format!("b{end}c"));
                assert_eq!(read.problems[0].line, 6);
            }
        }
    }
}

#[test]
fn a_backslash_before_a_quote_is_named_and_can_be_an_escape() {
    let content =
        "id,text\n1,\"He said \\\"good\\\" \\\\ and \\n\"\n2,\"a \\\"b, c\\\"\"\n3,\"d\"e\n";
    let file = OneFile::new("x.csv", content);
    let read = file.read();
    assert_eq!(read.records.len(), 0);
    let has = |at: usize, words: &str| read.problems[at].message.contains(words);
    assert!(has(0, "csv_escape='\\'") && has(1, "csv_escape='\\'"), "{:?}", read.messages());
    assert!(has(2, "after a closing quote") && !has(2, "backslash"), "{:?}", read.messages());
    assert_eq!(read.problems[0].offset, Some(8 + 13));
    let formats =
        FormatOptions { csv_escape: Some("\\".parse().unwrap()), ..FormatOptions::default() };
    let read = read_sized(&file.inputs(DiscoverOptions { formats, ..Default::default() }), 4);
    let texts: Vec<&str> = read.records.iter().map(|r| r.text.as_str()).collect();
    assert_eq!(texts, ["He said \"good\" \\ and \\n", "a \"b, c\""]);
}

#[test]
fn tab_separated_values_have_no_quotes_unless_a_setting_says_so() {
    let content = "id\ttext\n1\t\"to be\n2\tor not\" \\n\n3\t\"to\tbe\"\n";
    let file = OneFile::new("x.tsv", content);
    let read = file.read();
    let texts: Vec<&str> = read.records.iter().map(|r| r.text.as_str()).collect();
    assert_eq!(texts, ["\"to be", "or not\" \\n"]);
    assert!(read.messages()[0].contains("3 fields where the header names 2; if fields are quoted"));
    let formats =
        FormatOptions { csv_quote: Some("\"".parse().unwrap()), ..FormatOptions::default() };
    let read = read_sized(&file.inputs(DiscoverOptions { formats, ..Default::default() }), 4);
    let texts: Vec<&str> = read.records.iter().map(|r| r.text.as_str()).collect();
    assert_eq!(texts, ["to\tbe"]);
    assert!(read.messages()[0].contains("after a closing quote"));
}

#[test]
fn another_delimiter_is_declared_or_named() {
    let with = |name: &str, content: &str, delimiter: &str| {
        let csv_delimiter = (!delimiter.is_empty()).then(|| delimiter.parse().unwrap());
        let formats = FormatOptions { csv_delimiter, ..FormatOptions::default() };
        let options = DiscoverOptions { formats, ..DiscoverOptions::default() };
        read_sized(&OneFile::new(name, content).inputs(options), 3)
    };
    for (delimiter, name) in [(";", ";"), ("|", "|"), ("\t", "tab")] {
        let content = "id;text\n1;\"a;b\"\n2;c,d\n".replace(';', delimiter);
        let read = with("x.csv", &content, "");
        assert_eq!((read.records.len(), read.problems.len()), (0, 1));
        let (said, setting) = (&read.messages()[0], format!("csv_delimiter={name}"));
        assert!(said.replace('\'', "").contains(&setting), "{said}");
        let read = with("x.csv", &content, name);
        let texts: Vec<&str> = read.records.iter().map(|r| r.text.as_str()).collect();
        assert_eq!(texts, [format!("a{delimiter}b"), "c,d".to_owned()]);
        // A line of Excel declares it.
        let declared = format!("sep={delimiter}\r\n{content}");
        for setting in ["", name] {
            let read = with("x.csv", &declared, setting);
            let found: Vec<_> = read.records.iter().map(|r| (r.record, r.line)).collect();
            assert_eq!(found, [(1, 3), (2, 4)], "{:?}", read.messages());
        }
    }
    let read = with("x.tsv", "id,text\n1,a\n", "");
    assert!(read.messages()[0].contains("name it .csv"), "{:?}", read.messages());
    let read = with("x.tsv", "\"id\"\t\"text\"\n1\t\"a\"\n", "");
    assert!(read.messages()[0].contains("csv_quote='\"'"), "{:?}", read.messages());
    let read = with("x.csv", "sep=;\n", "");
    assert_eq!((read.records.len(), read.problems.len()), (0, 0));
}

#[test]
fn an_open_quote_says_how_many_lines_it_took() {
    let file = OneFile::new("x.csv", "id,text\n1,a\n2,\"b\n3,c\n4,d\n");
    let read = file.read();
    assert_eq!(read.ids(), ["1"]);
    assert!(read.messages()[0].contains("the 2 lines after it"), "{:?}", read.messages());
    assert!(read.messages()[0].contains("csv_quote=none"), "{:?}", read.messages());
    let formats =
        FormatOptions { csv_quote: Some("none".parse().unwrap()), ..FormatOptions::default() };
    let read = read_sized(&file.inputs(DiscoverOptions { formats, ..Default::default() }), 4);
    assert_eq!(read.ids(), ["1", "2", "3", "4"]);
}

#[test]
fn a_column_that_is_used_occurs_once() {
    let read = OneFile::new("x.csv", "id,text,text\n1,a,b\n").read();
    assert!(read.messages()[0].contains("two columns `text`; rename"), "{:?}", read.messages());
    let read = OneFile::new("x.csv", "id,text,x,x\n1,a,b,c\n").read();
    assert_eq!(read.ids(), ["1"]);
}
