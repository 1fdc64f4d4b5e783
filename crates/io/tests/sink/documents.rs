//! Records of text forms: every one arrives, byte for byte, at the place decided on.

use lookalike_io::{Compression, Fate, Format, Role, RouteOptions, Routed};
use proptest::prelude::*;

use crate::help::{
    COMPRESSIONS, Decide, chunks, decoded, header, in_turn, input, inputs, result, tree,
};

fn extension(compression: Compression) -> &'static str {
    match compression {
        Compression::None => "",
        Compression::Gzip => ".gz",
        Compression::Zstd => ".zst",
        Compression::Bzip2 => ".bz2",
        Compression::Xz => ".xz",
    }
}

#[test]
fn lines_arrive_untouched_whatever_is_in_them() {
    let lines: Vec<Vec<u8>> = [
        &b"{\"text\" : \"a\"}\r\n"[..],
        b"not json \xff\x00\n",
        b"  \t{}\n",
        b"\n",
        b" \r\n",
        b"{\"x\":\"\xe2\x80\xa8\"}\n",
        b"{\"last\":\"without an end\"}",
    ]
    .map(<[u8]>::to_vec)
    .to_vec();
    for size in 1..=lines.len() {
        let folder = tempfile::tempdir().unwrap();
        let inputs = inputs(vec![input("docs.jsonl", Format::JSONL, Compression::None)]);
        let chunks = chunks(0, &lines, size, None);
        let fates = Decide(in_turn);
        let (out, written) =
            result(folder.path(), &inputs, &chunks, &fates, &RouteOptions::default());
        let read = |name: &str| std::fs::read(out.join(name)).unwrap();
        // Blank lines are not records and are not written; the records are 1, 2, 3, 6 and 7.
        assert_eq!(read("kept.jsonl"), [&lines[0][..], &lines[5]].concat());
        assert_eq!(read("removed.jsonl"), [&lines[1][..], &lines[6]].concat());
        assert_eq!(read("rejected.jsonl"), lines[2]);
        assert_eq!(written.records(Role::Kept), 2);
        assert_eq!(written.records(Role::Rejected), 1);
    }
}

#[test]
fn rows_stand_under_their_header_in_every_output() {
    let rows: Vec<Vec<u8>> = [&b"1,\"two\nlines\"\r\n"[..], b"2,b\r\n", b"3,\"unclosed\r\n"]
        .map(<[u8]>::to_vec)
        .to_vec();
    for compression in COMPRESSIONS {
        let name = format!("a.csv{}", extension(compression));
        let inputs = inputs(vec![input(name, Format::CSV, compression)]);
        let header = header("id,text\r\n", lookalike_io::CsvDialect::CSV);
        for size in [1, 2, 3] {
            let folder = tempfile::tempdir().unwrap();
            let chunks = chunks(0, &rows, size, Some(&header));
            let fates = Decide(in_turn);
            let (out, _) =
                result(folder.path(), &inputs, &chunks, &fates, &RouteOptions::default());
            for (role, row) in ["kept", "removed", "rejected"].iter().zip(&rows) {
                let path = out.join(format!("{role}.csv{}", extension(compression)));
                let expected = [&header.raw[..], row].concat();
                assert_eq!(decoded(&path, compression), expected, "{role} {compression:?}");
            }
        }
    }
}

#[test]
fn outputs_of_files_without_records_are_empty_and_whole() {
    for compression in COMPRESSIONS {
        let folder = tempfile::tempdir().unwrap();
        let name = format!("a.jsonl{}", extension(compression));
        let inputs = inputs(vec![input(&name, Format::JSONL, compression)]);
        let fates = Decide(in_turn);
        let (out, written) = result(folder.path(), &inputs, &[], &fates, &RouteOptions::default());
        for role in ["kept", "removed"] {
            let path = out.join(format!("{role}.jsonl{}", extension(compression)));
            assert_eq!(decoded(&path, compression), b"");
        }
        assert_eq!(written.files.len(), 2);
    }
}

#[test]
fn a_header_without_rows_is_still_a_header() {
    for compression in COMPRESSIONS {
        let folder = tempfile::tempdir().unwrap();
        // A written file with a header and one row is a valid input.
        let made = inputs(vec![input("a.csv", Format::CSV, compression)]);
        let fates = Decide(|_, _| Fate::Kept);
        let header = header("id,text\r\n", lookalike_io::CsvDialect::CSV);
        let rows = chunks(0, &[b"1,a\r\n".to_vec()], 1, Some(&header));
        let (out, written) = result(folder.path(), &made, &rows, &fates, &RouteOptions::default());
        let path = folder.path().join("a.csv");
        let only_header = written.files.iter().find(|file| file.role == Role::Removed).unwrap();
        std::fs::copy(out.join(&only_header.path), &path).unwrap();

        let inputs = inputs(vec![input(&path, Format::CSV, compression)]);
        let marks = Some(lookalike_io::MarkNames::default());
        for (mark, expected) in [
            (None, "id,text\r\n"),
            (
                marks,
                "id,text,duplicate_of,duplicate_of_file,duplicate_of_record,resemblance,cluster,is_duplicate,duplicates\r\n",
            ),
        ] {
            let options = RouteOptions { mark, ..Default::default() };
            let (out, written) = result(folder.path(), &inputs, &[], &fates, &options);
            let text = decoded(&out.join(&written.files[0].path), compression);
            assert_eq!(String::from_utf8(text).unwrap(), expected);
        }
    }
}

#[test]
fn several_files_keep_their_names_and_those_between_without_records_are_not_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let mut files: Vec<_> = ["a.jsonl", "b.jsonl.gz", "c.jsonl", "d.jsonl"]
        .map(|name| {
            let gzip = name.ends_with(".gz");
            let compression = if gzip { Compression::Gzip } else { Compression::None };
            input(name, Format::JSONL, compression)
        })
        .to_vec();
    files[2].relative = "deep/er/c.jsonl".into();
    let inputs = inputs(files);
    let chunks = chunks(2, &[b"1\n".to_vec(), b"2\n".to_vec()], 1, None);
    let fates = Decide(|_, _| Fate::Kept);
    let (out, _) = result(folder.path(), &inputs, &chunks, &fates, &RouteOptions::default());
    assert_eq!(
        tree(&out),
        [
            "kept/a.jsonl",
            "kept/b.jsonl.gz",
            "kept/d.jsonl",
            "kept/deep/er/c.jsonl",
            "removed/a.jsonl",
            "removed/b.jsonl.gz",
            "removed/d.jsonl",
            "removed/deep/er/c.jsonl",
            "summary.json"
        ]
    );
    assert_eq!(std::fs::read(out.join("kept/deep/er/c.jsonl")).unwrap(), b"1\n2\n");
    assert_eq!(decoded(&out.join("kept/b.jsonl.gz"), Compression::Gzip), b"");
}

#[test]
fn gzip_headers_hold_no_time() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = inputs(vec![input("a.jsonl.gz", Format::JSONL, Compression::Gzip)]);
    let chunks = chunks(0, &[b"{}\n".to_vec()], 1, None);
    let fates = Decide(|_, _| Fate::Kept);
    let (out, _) = result(folder.path(), &inputs, &chunks, &fates, &RouteOptions::default());
    let raw = std::fs::read(out.join("kept.jsonl.gz")).unwrap();
    assert_eq!(raw[4..8], [0; 4]);
}

#[test]
fn chunks_out_of_order_are_refused_rather_than_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let jsonl = |name| input(name, Format::JSONL, Compression::None);
    let inputs = inputs(vec![jsonl("a.jsonl"), jsonl("b.jsonl")]);
    let mut both = chunks(1, &[b"b\n".to_vec()], 1, None);
    both.extend(chunks(0, &[b"a\n".to_vec()], 1, None));
    let staging = lookalike_io::Staging::create(&folder.path().join("out"), false).unwrap();
    let fates = Decide(in_turn);
    let error = crate::help::write(&staging, &inputs, &both, &fates, &RouteOptions::default());
    assert!(matches!(error, Err(lookalike_io::OutputError::OutOfOrder { .. })));
}

fn line() -> impl Strategy<Value = Vec<u8>> {
    let plain = prop::collection::vec(any::<u8>().prop_filter("line end", |b| *b != b'\n'), 1..200);
    plain.prop_map(|mut line| {
        line.push(b'!');
        line.push(b'\n');
        line
    })
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![Just(Fate::Kept), Just(Fate::Removed), Just(Fate::Rejected)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn kept_removed_and_rejected_lines_are_the_input(
        lines in prop::collection::vec((line(), fate()), 0..40),
        size in 1usize..20,
        compression in prop::sample::select(&COMPRESSIONS[..]),
        ended in any::<bool>(),
    ) {
        let (mut lines, fates): (Vec<_>, Vec<_>) = lines.into_iter().unzip();
        if let Some(last) = lines.last_mut().filter(|_| !ended) {
            last.pop();
        }
        let folder = tempfile::tempdir().unwrap();
        let name = format!("a.jsonl{}", extension(compression));
        let inputs = inputs(vec![input(&name, Format::JSONL, compression)]);
        let chunks = chunks(0, &lines, size, None);
        let decide = Decide(|_, record| fates[record as usize - 1]);
        let (out, written) =
            result(folder.path(), &inputs, &chunks, &decide, &RouteOptions::default());
        let places = [(Fate::Kept, "kept"), (Fate::Removed, "removed"), (Fate::Rejected, "rejected")];
        for (fate, role) in places {
            let path = out.join(format!("{role}.jsonl{}", extension(compression)));
            let expected: Vec<u8> = lines
                .iter()
                .zip(&fates)
                .filter(|(_, f)| **f == fate)
                .flat_map(|(line, _)| line.iter().copied())
                .collect();
            if fate == Fate::Rejected && expected.is_empty() {
                prop_assert!(!path.exists());
            } else {
                prop_assert_eq!(decoded(&path, compression), expected);
            }
        }
        let records: u64 = written.files.iter().map(|file| file.records).sum();
        prop_assert_eq!(records, lines.len() as u64);
    }
}

#[test]
fn buffers_used_again_give_the_same_bytes() {
    let inputs = inputs(vec![input("a.jsonl.zst", Format::JSONL, Compression::Zstd)]);
    let lines: Vec<Vec<u8>> = (0..50).map(|n| format!("{{\"n\":{n}}}\n").into_bytes()).collect();
    let fates = Decide(in_turn);
    let mut used = Routed::default();
    for chunk in chunks(0, &lines, 7, None) {
        let mut fresh = Routed::default();
        chunk.route(&inputs, &fates, &RouteOptions::default(), &mut fresh).unwrap();
        chunk.route(&inputs, &fates, &RouteOptions::default(), &mut used).unwrap();
        assert_eq!(fresh.records(Role::Kept), used.records(Role::Kept));
        assert_eq!(format!("{fresh:?}"), format!("{used:?}"));
    }
}
