//! Mail: messages of mbox files, Maildirs and eml files.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use lookalike_io::mail::{MailError, MailLimits, MailOptions, MailReader};
use lookalike_io::source::VisitScratch;
use lookalike_io::{
    Content, DiscoverOptions, FieldNames, FieldNumber, Format, Inputs, Item, MailAttachments,
    input::why_skipped,
};
use proptest::prelude::*;

use crate::help::{OneFile, discover, read, read_sized};

/// The text of a message, read with the default limits.
fn text(raw: &[u8]) -> Result<String, MailError> {
    let mut reader = MailReader::new(MailLimits::default());
    reader.read(raw).map(|mail| mail.text().into_owned())
}

/// A message with this header and body.
fn message(header: &str, body: &str) -> String {
    format!("From: a@b.example\n{header}\n\n{body}")
}

#[test]
fn the_text_of_a_message_is_that_of_its_text_parts() {
    let plain = "--x\nContent-Type: text/plain\n\nplain\n";
    let same = "--x\nContent-Type: text/plain\n\nrich, text\n";
    let long = "--x\nContent-Type: text/plain\n\none two three four five six\n";
    let html = "--x\nContent-Type: text/html\n\n<p>rich <b>text</b>\n";
    let blank = "--x\n\n \n";
    let attached = "--x\nContent-Disposition: attachment; filename=a.txt\n\nattached\n";
    let image = "--x\nContent-Type: image/png\nContent-Transfer-Encoding: base64\n\niVBORw0K\n";
    let calendar = "--x\nContent-Type: text/calendar\n\nBEGIN:VCALENDAR\n";
    let embedded = "--x\nContent-Type: message/rfc822\n\nSubject: inner\n\nembedded\n";
    let nested = "--x\nContent-Type: multipart/related; boundary=y\n\n--y\nContent-Type: text/html\n\nnested\n--y--\n";
    for (kind, parts, expected) in [
        ("alternative", vec![same, html], "rich, text"),
        ("alternative", vec![html, same], "rich, text"),
        ("alternative", vec![plain, html], "rich text"),
        ("alternative", vec![long, html], "one two three four five six\nrich text"),
        ("alternative", vec![html, calendar], "rich text"),
        ("alternative", vec![calendar, html], "rich text"),
        ("alternative", vec![plain, nested], "nested"),
        ("alternative", vec![same, plain, html], "rich, text"),
        ("alternative", vec![nested, attached], "nested"),
        ("alternative", vec![blank, html], "rich text"),
        ("alternative", vec![], ""),
        ("mixed", vec![plain, html, attached, image], "plain\nrich text"),
        ("mixed", vec![plain, embedded, plain], "plain\nembedded\nplain"),
        ("mixed", vec![image], ""),
        ("unknown", vec![image, plain], "plain"),
        (
            "digest",
            vec!["--x\n\nSubject: one\n\nfirst\n", "--x\n\nA: b\n\nsecond\n"],
            "first\nsecond",
        ),
    ] {
        let header = format!("Content-Type: multipart/{kind}; boundary=\"x\"");
        let body = format!("preamble\n{}--x--\nepilogue\n", parts.concat());
        let raw = message(&header, &body);
        assert_eq!(text(raw.as_bytes()).unwrap(), expected, "{raw}");
        let crlf = raw.replace('\n', "\r\n");
        assert_eq!(text(crlf.as_bytes()).unwrap(), expected, "CRLF: {raw}");
    }
}

#[test]
fn wrong_structure_loses_no_text() {
    for (header, body, expected) in [
        // No boundary, an empty one, and one that never occurs.
        ("Content-Type: multipart/mixed", "a\n--x\nb", "a\n--x\nb"),
        ("Content-Type: multipart/mixed; boundary=\"\"", "a\n--\nb", "a\n--\nb"),
        ("Content-Type: multipart/mixed; boundary=x", "a\n --x\n--xy\nb", "a\n --x\n--xy\nb"),
        // Never closed; closed and reopened; a boundary that is cut off.
        ("Content-Type: multipart/mixed; boundary=x", "--x\n\na\n--x\n\nb", "a\nb"),
        ("Content-Type: multipart/mixed; boundary=x", "--x\n\na\n--x--\n--x\n\nb", "a"),
        ("Content-Type: multipart/mixed; boundary=xyz", "--xyz\n\na\n--xy", "a\n--xy"),
        // A part without the blank line after its header, or without a header.
        ("Content-Type: multipart/mixed; boundary=x", "--x\na b\n--x--", "a b"),
        // The outer boundary ends inner parts that are not closed.
        (
            "Content-Type: multipart/mixed; boundary=x",
            "--x\nContent-Type: multipart/mixed; boundary=y\n\n--y\n\na\n--x\n\nb\n--y\n\nc\n--x--\n",
            "a\nb\n--y\n\nc",
        ),
        // An inner multipart whose boundary is never found, as one of the parts.
        (
            "Content-Type: multipart/mixed; boundary=x",
            "--x\nContent-Type: multipart/alternative; boundary=y\n\ninner\n--x\n\nb\n--x--\n",
            "inner\nb",
        ),
        // Types that are no types are plain text.
        ("Content-Type: text", "a", "a"),
        ("Content-Type: ;;;", "a", "a"),
        ("Content-Type: plain", "a", "a"),
        ("Content-Transfer-Encoding: x-unknown", "a=20", "a=20"),
        ("Content-Transfer-Encoding: base64", "YWJj!ZGVm=", "abcdef"),
        ("Content-Type: text/html", "<p>a&amp;b", "a&b"),
        ("Content-Type: text/html; charset=\"koi8-r\"", "<p>a", "a"),
    ] {
        let raw = message(header, body);
        assert_eq!(text(raw.as_bytes()).unwrap(), expected, "{raw}");
    }
    assert_eq!(text(b"a: b").unwrap(), "");
    assert_eq!(text(b"From x\na: b\n\nc").unwrap(), "c");
    for none in [&b""[..], b"no header", b"\na: b", b"\0\0\0", b"a b: c"] {
        assert_eq!(text(none), Err(MailError::NoHeader), "{}", none.escape_ascii());
    }
}

#[test]
fn a_message_beyond_a_limit_is_refused_and_never_cut_off() {
    let nested = |depth: usize| {
        let mut raw = String::from("A: b\n");
        for level in 0..depth {
            write!(raw, "Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n")
                .unwrap();
        }
        raw + "\ntext\n"
    };
    let messages = |depth: usize| "Content-Type: message/rfc822\n\n".repeat(depth) + "A: b\n\ntext";
    let parts = |count: usize| {
        message("Content-Type: multipart/mixed; boundary=x", &"--x\n\na\n".repeat(count))
    };
    let long = |length: usize| message("A: b", &"a".repeat(length));
    let limits = MailLimits { depth: 16, parts: 200, text: 4 << 20 };
    assert_eq!(limits, MailLimits::default());
    assert_eq!(text(nested(16).as_bytes()).unwrap(), "text\n");
    assert_eq!(text(nested(17).as_bytes()), Err(MailError::TooDeep(16)));
    assert_eq!(text(messages(16).as_bytes()).unwrap(), "text");
    assert_eq!(text(messages(17).as_bytes()), Err(MailError::TooDeep(16)));
    assert_eq!(text(messages(100_000).as_bytes()), Err(MailError::TooDeep(16)));
    assert_eq!(text(parts(199).as_bytes()).unwrap().len(), 199 * 2 - 1 + 1);
    assert_eq!(text(parts(200).as_bytes()), Err(MailError::TooManyParts(200)));
    assert_eq!(text(long(4 << 20).as_bytes()).unwrap().len(), 4 << 20);
    assert_eq!(text(long((4 << 20) + 1).as_bytes()), Err(MailError::TooMuchText(4 << 20)));
    // Charsets and several parts count as decoded.
    let wide = "Content-Type: text/plain; charset=iso-8859-1\n\n";
    let mut raw = format!("A: b\n{wide}").into_bytes();
    raw.resize(raw.len() + (3 << 20), 0xe9);
    assert_eq!(text(&raw), Err(MailError::TooMuchText(4 << 20)));
}

/// Options with field names.
fn with_fields(change: impl FnOnce(&mut FieldNames)) -> DiscoverOptions {
    let mut options = DiscoverOptions::default();
    change(&mut options.fields);
    options
}

const BOX: &str = "From a@b Mon Nov 23 22:30:17 2026
Message-ID: <1@b>
Subject: =?utf-8?q?Caf=C3=A9?=
 au lait
Date: Mon, 23 Nov 2026 22:30:17 +0100
List-Id: Friends <friends.b>
X-Score: 4.5
URL: https://b.example/1

first
>From the start
>>From b

From c@d Mon Nov 23 22:30:17 2026
Received: from x by y; Tue, 24 Nov 2026 00:00:00 +0000
Received: from z by x; Mon, 23 Nov 2026 00:00:00 +0000

second
From here on, no separator

From e@f not a message

From g@h
Subject: last

third";

#[test]
fn messages_of_an_mbox_are_records() {
    for (name, content) in [("a.mbox", BOX.to_owned()), ("b.MBX", BOX.replace('\n', "\r\n"))] {
        let file = OneFile::new(name, content);
        let found = file.read();
        let texts: Vec<_> = found.records.iter().map(|record| record.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "first\nFrom the start\n>From b\n",
                "second\nFrom here on, no separator\n\nFrom e@f not a message\n",
                "third"
            ]
        );
        let first = &found.records[0];
        assert_eq!((first.record, first.line, first.id.as_deref()), (1, 1, None));
        assert_eq!(first.title.as_deref(), Some("Caf\u{e9} au lait"));
        assert_eq!(first.date.as_deref(), Some("2026-11-23T21:30:17Z"));
        assert_eq!(first.url.as_deref(), Some("https://b.example/1"));
        let last = &found.records[2];
        assert_eq!((last.record, last.line, last.title.as_deref()), (3, 23, Some("last")));
        assert!(found.problems.is_empty(), "{found:?}");
        for size in [1, 5, 30, 100, 400] {
            let inputs = file.inputs(DiscoverOptions::default());
            assert_eq!(read_sized(&inputs, size), found, "{size}");
        }
    }
}

#[test]
fn header_fields_are_fields() {
    let file = OneFile::new("a.mbox", BOX);
    let inputs = file.inputs(with_fields(|fields| {
        fields.id = "Message-ID".into();
        fields.date = "received".into();
        fields.title = "list-id".into();
        fields.text = "subject".into();
        fields.extra = vec!["x-score".into(), "list-id".into()];
    }));
    let found = read(&inputs);
    let first = &found.records[0];
    assert_eq!(first.text, "Caf\u{e9} au lait");
    assert_eq!((first.id.as_deref(), first.date.as_deref()), (Some("1@b"), None));
    assert_eq!(first.title.as_deref(), Some("Friends <friends.b>"));
    assert_eq!(first.extra, [FieldNumber::Number(4.5), FieldNumber::of("Friends <friends.b>")]);
    assert_eq!(found.records[1].text, "last");
    assert_eq!(found.records[1].extra, [FieldNumber::Missing; 2]);
    let messages = found.messages();
    assert_eq!(messages.len(), 1);
    assert!(messages[0].contains("no header field `subject`"), "{messages:?}");

    let inputs = file.inputs(with_fields(|fields| fields.date = "received".into()));
    assert_eq!(read(&inputs).records[1].date.as_deref(), Some("2026-11-24T00:00:00Z"));
    let names = file.inputs(DiscoverOptions::default()).field_names();
    assert_eq!(names[..3], ["text", "message-id", "subject"]);
}

#[test]
fn a_file_that_is_no_mbox_is_unreadable_and_an_empty_one_is_empty() {
    for (content, problems) in [
        ("", 0),
        ("\n\r\n\n", 0),
        ("\n\nFrom a\nb: c\n\nd", 0),
        ("From", 1),
        ("Subject: a\n\nb", 1),
    ] {
        let found = OneFile::new("a.mbox", content).read();
        assert_eq!(found.problems.len(), problems, "{content:?} {found:?}");
        assert!(found.problems.iter().all(|problem| problem.unreadable));
        assert_eq!(found.records.len(), usize::from(content.contains("d")));
    }
}

#[test]
fn a_message_beyond_the_record_limit_is_a_problem() {
    let long = "x".repeat(1000);
    let content = format!("From a\na: b\n\n{long}\n\n{BOX}");
    let file = OneFile::new("a.mbox", content);
    let options = DiscoverOptions { max_record: Some(500), ..DiscoverOptions::default() };
    let inputs = file.inputs(options);
    let found = read(&inputs);
    assert_eq!(found.records.len(), 3);
    assert!(found.messages()[0].contains(":1: the record is longer than 500 bytes"), "{found:?}");
    for size in [1, 20, 100, 1001, 1010] {
        assert_eq!(read_sized(&inputs, size), found, "{size}");
    }
}

#[test]
fn maildirs_are_found_with_their_folders() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("Maildir");
    let put = |path: &str, content: &str| {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    };
    let mail = |text: &str| format!("Subject: x\n\n{text}\n");
    for directory in ["cur", "new", "tmp", ".Sent/cur", ".Sent/new", ".Sent/tmp", ".cache"] {
        fs::create_dir_all(root.join(directory)).unwrap();
    }
    put("cur/1000000050.50.host:2,S", &mail("read"));
    put("new/1000000051.51.mail.example.md", &mail("new"));
    put("new/odd name", &mail("odd"));
    put("cur/notes.jsonl", "{\"text\":\"not mail\"}\n");
    put("cur/report.pdf", "%PDF");
    put("tmp/1000000052.52.host", &mail("being delivered"));
    put(".Sent/cur/1000000053.53.host:2,", &mail("sent"));
    put(".cache/a.txt", "hidden");
    put("dovecot-uidlist", "3 V1");
    let inputs = discover(folder.path());
    let found = read(&inputs);
    let mut texts: Vec<_> = found.records.iter().map(|record| record.text.trim()).collect();
    texts.sort_unstable();
    assert_eq!(texts, ["new", "not mail", "odd", "read", "sent"]);
    assert!(found.problems.is_empty(), "{found:?}");
    assert_eq!(found.records[0].id, None);
    let why: Vec<_> = inputs.skipped.iter().map(|path| why_skipped(path)).collect();
    assert_eq!(why.len(), 3, "{:?}", inputs.skipped);
    assert!(why.iter().any(|why| why.contains("not delivered yet")), "{why:?}");

    // The format given counts for all files of the Maildir, and for no others.
    let options =
        || DiscoverOptions { format: Some(Format::MAILDIR), ..DiscoverOptions::default() };
    let of = |path: &Path| Inputs::discover(&[path.display().to_string()], options()).unwrap();
    assert_eq!(of(&root).files.len(), 6);
    assert_eq!(of(&root.join("cur")).files.len(), 3);
    assert_eq!(of(&root.join("dovecot-uidlist")).files.len(), 1);
    // In a directory that is only called so, names decide: archives omit empty directories.
    fs::create_dir_all(folder.path().join("plain/cur")).unwrap();
    fs::write(folder.path().join("plain/cur/1000000000.jsonl"), "{\"text\":\"x\"}").unwrap();
    for name in ["x", "1000000000.0.host:2,S"] {
        fs::write(folder.path().join("plain/cur").join(name), mail("x")).unwrap();
    }
    let found = discover(&folder.path().join("plain"));
    let formats: Vec<_> = found.files.iter().map(|file| file.format).collect();
    assert_eq!(formats, [Format::MAILDIR, Format::JSONL]);
    assert_eq!(of(&folder.path().join("plain")).files.len(), 3);
}

#[test]
fn eml_files_and_mboxes_without_extension_are_found() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.eml"), "Subject: x\r\nMessage-Id: <1@b>\r\n\r\nthe text")
        .unwrap();
    fs::write(folder.path().join("b.eml"), "no message").unwrap();
    fs::write(folder.path().join("Inbox"), BOX).unwrap();
    fs::write(folder.path().join("LICENCE"), "From here\non, text\n").unwrap();
    let inputs = discover(folder.path());
    assert_eq!(
        inputs.files.iter().map(|file| file.format).collect::<Vec<_>>(),
        [Format::MBOX, Format::EML, Format::EML]
    );
    let found = read(&inputs);
    assert_eq!((found.records.len(), found.problems.len()), (4, 1));
    let eml = &found.records[3];
    assert_eq!((eml.text.as_str(), eml.title.as_deref()), ("the text", Some("x")));
    let problem = found.problems.iter().find(|problem| problem.file == 2).unwrap();
    assert!(!problem.unreadable && problem.message.contains("not a mail message"));
}

#[test]
fn a_message_without_a_header_is_a_bad_record() {
    let second = "From a@b Mon Nov 23 22:30:17 2026\nSubject: x\n\ny\n";
    let found = OneFile::new("a.mbox", format!("From a@b\n\ntext\n\n{second}")).read();
    assert_eq!(found.records.len(), 1);
    let [problem] = &found.problems[..] else { panic!("{found:?}") };
    assert_eq!((problem.record, problem.line, problem.unreadable), (1, 1, false));
    assert!(problem.to_string().contains(":1: not a mail message"), "{problem}");
}

#[test]
fn text_files_that_are_an_mbox_are_read_as_one() {
    let list = "From a at b.example  Mon Jan  1 10:00:00 2024\nFrom: a at b.example (A)\nSubject: x\n\none\n\n\
                From c at d.example  Mon Jan  1 11:00:00 2024\nFrom: c at d.example (C)\n\nFrom now on: two\n";
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, list.as_bytes()).unwrap();
    let gzip = gzip.finish().unwrap();
    let mut tar = tar::Builder::new(Vec::new());
    for (name, content) in [("2024-January.txt", list.as_bytes()), ("b/2024q1.txt.gz", &gzip)] {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        tar.append_data(&mut header, name, content).unwrap();
    }
    let tar = tar.into_inner().unwrap();
    let contents =
        [("2024-January.txt", list.as_bytes()), ("2024-January.txt.gz", &gzip), ("a.tar", &tar)];
    for (name, content) in contents {
        let file = OneFile::new(name, content);
        let found = file.read();
        let texts: Vec<_> = found.records.iter().map(|record| record.text.as_str()).collect();
        let expected = ["one\n", "From now on: two\n"];
        assert_eq!(texts, expected.repeat(texts.len() / 2), "{name}");
        assert_eq!(texts.len(), if name == "a.tar" { 4 } else { 2 });
        assert!(found.problems.is_empty());
        // What is named is read so.
        let options = DiscoverOptions { format: Some(Format::TEXT), ..DiscoverOptions::default() };
        let texts = read(&file.inputs(options)).records;
        assert!(
            texts.iter().all(|record| record.text.starts_with("From a at b.example")),
            "{name}"
        );
    }
}

#[test]
fn a_large_message_is_freed_early_and_read_as_any() {
    let body = "many words of text\r\n".repeat(1 << 19);
    let raw = format!("Subject: large\r\nMessage-Id: <1@b>\r\n\r\n>From x\r\n{body}");
    let expected = ">From x\n".to_owned() + &body.replace("\r\n", "\n");
    let unquoted = expected[1..].to_owned();
    let mbox = format!("From a\r\n{raw}\r\n");
    for (name, content, expected) in [
        ("a.mbox", &mbox, &unquoted),
        ("a.mbox", &mbox.replace("\r\n", "\n"), &unquoted),
        ("a.eml", &raw, &expected),
    ] {
        let file = OneFile::new(name, content);
        let inputs = file.inputs(with_fields(|fields| fields.id = "message-id".into()));
        let mut scratch = VisitScratch::default();
        let mut records = 0;
        for chunk in inputs.chunks() {
            let chunk = chunk.whole().unwrap();
            assert!(chunk.is_large());
            chunk.visit_once(&inputs, &mut scratch, &mut |item| {
                let Item::Record(record) = item else { panic!("{item:?}") };
                assert_eq!(record.id.as_deref(), Some("1@b"));
                let Content::Text(text) = record.content else { panic!("not a text") };
                assert!(matches!(text, std::borrow::Cow::Owned(_)), "freed with the chunk");
                assert!(text == **expected, "{name}");
                records += 1;
            });
        }
        assert_eq!(records, 1);
    }
}

const DATED: &str = "From a@b Mon Nov 23 22:30:17 2026\n";

/// Pieces that matter to an mbox.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    const PIECES: [&str; 19] = [
        "From ",
        "From a@b\n",
        "From -\r\n",
        DATED,
        DATED,
        "From here on\n",
        "\n",
        "\n",
        "\r\n",
        ">From ",
        ">",
        "From",
        "To: b\n",
        "Note: b\n",
        "x",
        "Content-Length: 9\n\n",
        "Content-Length: 70\n\n",
        "\n\nFrom c@d\nX-A: b\n\n",
        "Fr",
    ];
    prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40)
        .prop_map(|pieces| ("From a\n".to_owned() + &pieces.concat()).into_bytes())
}

/// The line at an offset, with its end.
fn line_at(data: &[u8], at: usize) -> &[u8] {
    data[at..].split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default()
}

/// Where the header after the separator line at an offset starts.
fn header_at(data: &[u8], at: usize) -> usize {
    let mut header = at + line_at(data, at).len();
    for _ in 0..3 {
        let line = line_at(data, header);
        let is_repeated = line.starts_with(b"From ") || line.starts_with(b">From ");
        header += if is_repeated { line.len() } else { 0 };
    }
    header
}

/// Whether a line is a separator line, of those that the pieces give.
fn separates(data: &[u8], at: usize) -> bool {
    let Some(sender) = line_at(data, at).strip_prefix(b"From ") else { return false };
    let sender = str::from_utf8(sender).unwrap().trim_end();
    let is_dated = sender.ends_with(" Mon Nov 23 22:30:17 2026");
    let above = str::from_utf8(&data[..at]).unwrap();
    let after_blank = above.ends_with("\n\n") || above.ends_with("\n\r\n");
    let is_address = sender.trim().split(' ').count() == 1
        && (sender.contains('@') || ["", "-"].contains(&sender.trim()));
    let line = str::from_utf8(line_at(data, header_at(data, at))).unwrap();
    if is_dated && after_blank && line.bytes().all(|byte| byte.is_ascii_graphic() && byte != b':') {
        return true;
    }
    let name = line.split_once(':').map_or("", |(name, _)| name);
    let is_field = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic());
    let of_mail = ["To", "Content-Length"].contains(&name) || name.starts_with("X-");
    is_field && (is_dated || is_address && after_blank && of_mail)
}

/// Where the message at an offset ends by its length.
fn end_by_length(data: &[u8], start: usize) -> Option<usize> {
    let (mut at, mut length) = (header_at(data, start), None);
    loop {
        let line = str::from_utf8(line_at(data, at)).unwrap();
        at += line.strip_suffix('\n').map(|_| line.len())?;
        match line.trim_end() {
            "" => break,
            field => {
                let value = field.strip_prefix("Content-Length:").map(|value| value.trim());
                length = value.map_or(length, |value| value.parse::<usize>().ok());
            }
        }
    }
    at += length?;
    for _ in 0..2 {
        let rest = data.get(at..)?;
        at += [&b"\n"[..], b"\r\n"]
            .iter()
            .find(|end| rest.starts_with(end))
            .map_or(0, |end| end.len());
    }
    (at == data.len() || (data[..at].ends_with(b"\n") && separates(data, at))).then_some(at)
}

/// The messages of an mbox, line by line.
fn split_by_lines(data: &[u8]) -> Vec<&[u8]> {
    let (mut starts, mut at) = (vec![0], header_at(data, 0));
    let mut measured = end_by_length(data, 0);
    while at < data.len() {
        if let Some(end) = measured.take() {
            at = end;
        }
        if at < data.len() && separates(data, at) {
            starts.push(at);
            measured = end_by_length(data, at);
            at = header_at(data, at);
        } else {
            at += line_at(data, at).len();
        }
    }
    starts.push(data.len());
    starts.windows(2).map(|pair| &data[pair[0]..pair[1]]).collect()
}

/// Real messages of all structures, to be damaged.
fn seeds() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/mail");
    let mut seeds = vec![BOX.as_bytes().to_vec()];
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    seeds.extend(paths.iter().filter(|path| path.is_file()).map(|path| fs::read(path).unwrap()));
    seeds
}

proptest! {
    #[test]
    fn an_mbox_is_split_at_its_separators_in_chunks_of_any_size(
        content in pieces(),
        max_record in prop_oneof![Just(None), (0_usize..60).prop_map(Some)],
    ) {
        let file = OneFile::new("x.mbox", &content);
        let expected = split_by_lines(&content);
        let inputs = file.inputs(DiscoverOptions { max_record, ..DiscoverOptions::default() });
        let whole = read(&inputs);
        for size in [1, 2, 7, 16, 17, 30, 100] {
            prop_assert_eq!(&read_sized(&inputs, size), &whole, "{}", size);
        }
        let long = expected.iter().filter(|raw| max_record.is_some_and(|limit| raw.len() > limit));
        let said = whole.problems.iter().filter(|problem| problem.message.contains("longer than"));
        // The length of a message that is too long does not count.
        if !content.windows(8).any(|bytes| bytes == b"Content-") {
            prop_assert_eq!(said.count(), long.count());
        }
        if max_record.is_none() {
            for size in [1, 20, 1000] {
                let (mut found, mut places): (Vec<Vec<u8>>, _) = (Vec::new(), Vec::new());
                for chunk in inputs.chunks().with_size(size) {
                    let chunk = chunk.whole().unwrap();
                    prop_assert_eq!(chunk.offset as usize, found.concat().len());
                    places.push(chunk.place());
                    found.extend(chunk.raw_records().map(|(_, raw)| raw.to_vec()));
                }
                prop_assert_eq!(&found, &expected);
                // Chunks are found again by their positions.
                places.reverse();
                let again = inputs.chunks_at(places.iter().copied().rev().step_by(2)).with_size(size);
                for (chunk, place) in again.zip(places.iter().rev().step_by(2)) {
                    prop_assert_eq!(chunk.whole().unwrap().place(), *place);
                }
            }
        }
    }

    #[test]
    fn no_damage_stops_a_reader(
        seed in any::<prop::sample::Index>(),
        edits in prop::collection::vec(
            (any::<prop::sample::Index>(), 0_usize..80, prop_oneof![
                Just(Vec::new()),
                prop::collection::vec(any::<u8>(), 0..6),
                prop::sample::select(vec![
                    &b"\0"[..], b"\n", b"\r\n\r\n", b"--", b"=?utf-8?b?", b"=?x?q?=?=", b"=", b"====",
                    b"Content-Type: multipart/mixed; boundary=\"x\"\n\n--x\n", b"charset*0*=utf-8'en'%",
                    b"Content-Type: message/rfc822\n\n", b"\xff\xfe\xf8", b"boundary=", b"(((((", b"\"\\",
                    b"Content-Transfer-Encoding: base64\n\n", b"From ", b">From ", b"<", b":",
                ]).prop_map(<[u8]>::to_vec),
            ]),
            0..12,
        ),
    ) {
        let seeds = seeds();
        let mut raw = seeds[seed.index(seeds.len())].clone();
        for (place, length, bytes) in edits {
            let start = place.index(raw.len() + 1);
            let end = (start + length).min(raw.len());
            raw.splice(start..end, bytes);
        }
        let mut reader = MailReader::new(MailLimits { text: 1 << 20, ..MailLimits::default() });
        // The buffers of one message do not show in the next.
        let first = reader.read(&raw).map(|mail| (mail.text().into_owned(), mail.date()));
        let _ = reader.read(&seeds[0]);
        let again = reader.read(&raw).map(|mail| {
            let _ = (mail.subject(), mail.from(), mail.message_id(), mail.list_id(), mail.names().count());
            let _ = (mail.date_of("received"), mail.first_id("references"));
            (mail.text().into_owned(), mail.date())
        });
        prop_assert_eq!(first, again);
        let file = OneFile::new("x.mbox", &raw);
        let inputs = file.inputs(DiscoverOptions::default());
        prop_assert_eq!(read_sized(&inputs, 50), read(&inputs));
    }
}

/// A message with these attachments, as `kind; transfer; content`, after a text.
fn with_attachments(attachments: &[(&str, &str, &str)]) -> String {
    let mut body = "--x\n\ntext\n".to_owned();
    for (kind, header, content) in attachments {
        write!(body, "--x\nContent-Type: {kind}\n{header}\n{content}\n").unwrap();
    }
    message("Content-Type: multipart/mixed; boundary=x", &(body + "--x--\n"))
}

#[test]
fn attachments_are_compared_by_their_bytes() {
    let beside = |raw: &str| {
        let mut reader = MailReader::default();
        reader.read(raw.as_bytes()).unwrap().beside()
    };
    let attached = "Content-Disposition: attachment\n";
    let base64 = "Content-Transfer-Encoding: base64\n";
    let pdf = ("application/pdf", base64, "JVBERg==");
    let image = ("image/png", "Content-Disposition: inline\n", "png");
    let one = beside(&with_attachments(&[pdf]));
    assert!(one.attachments.is_some() && one.original.is_some());
    for (same, attachments) in [
        (true, &[("application/x-pdf; name=b", "", "%PDF")][..]),
        (true, &[("application/pdf", base64, "JVB\nERg")]),
        (true, &[pdf, ("application/pgp-signature", "", "x")]),
        (false, &[("application/pdf", base64, "JVBERw==")]),
        (false, &[pdf, pdf]),
        (false, &[pdf, image]),
        (false, &[]),
    ] {
        let other = beside(&with_attachments(attachments));
        assert_eq!(one == other, same, "{attachments:?}");
        assert_eq!(one.attachments == other.attachments, same, "{attachments:?}");
    }
    // In any order, and with any line ends.
    let text = ("text/plain", attached, "a\nb");
    let both = with_attachments(&[pdf, text]);
    assert_eq!(beside(&both), beside(&with_attachments(&[text, pdf])));
    assert_eq!(beside(&both), beside(&both.replace('\n', "\r\n")));
    // An embedded message that is attached: its parts and its header.
    let embedded = |header: &str, content: &str| {
        let content = format!("Subject: {header}\n\n{content}");
        beside(&with_attachments(&[("message/rfc822", attached, &content)]))
    };
    assert_eq!(embedded("a", "b"), embedded("a\nX-Path: 1", "b"));
    assert_ne!(embedded("a", "b").attachments, embedded("c", "b").attachments);
    assert_ne!(embedded("a", "b").attachments, embedded("a", "c").attachments);
    // Their text may count.
    let options = MailOptions { attachments: MailAttachments::Text, ..MailOptions::default() };
    let mut reader = MailReader::with_options(MailLimits::default(), options);
    let mail = reader.read(both.as_bytes()).unwrap();
    assert_eq!((mail.text().as_ref(), mail.beside()), ("text\na\nb", mail.beside()));
    assert_eq!(mail.beside().attachments, one.attachments);
}

#[test]
fn header_fields_of_the_transport_do_not_make_another_message() {
    let original = |header: &str| {
        let raw = message(&format!("Subject: a\nDate: 1 May 2026 10:00 +0000\n{header}"), "text");
        MailReader::default().read(raw.as_bytes()).unwrap().beside().original
    };
    let usual = original("Received: x");
    for header in ["Message-ID: <1@b>", "X-Spam: yes", "Bcc: c@d", "List-Id: l", "Status: RO"] {
        assert_eq!(original(header), usual, "{header}");
    }
    assert_ne!(original("Cc: c@d"), usual);
    assert_ne!(original("To: c@d"), original("Cc: c@d"));
    let read = |raw: &str| MailReader::default().read(raw.as_bytes()).unwrap().beside().original;
    let date = |date: &str| read(&message(&format!("Date: {date}\nSubject:  a\n b "), "text"));
    assert_eq!(date("1 May 2026 10:00 +0000"), date("Fri, 1 May 2026 12:00:00 +0200"));
    assert_ne!(date("1 May 2026 10:00 +0000"), date("1 May 2026 11:00 +0000"));
}

#[test]
fn encoded_containers_are_read() {
    let inner = "Subject: inner\n\nem=bedded";
    let part = |transfer: &str, content: &str| {
        let header = format!("Content-Transfer-Encoding: {transfer}\n");
        let parts = [("message/rfc822", &*header, content)];
        text(with_attachments(&parts).as_bytes()).unwrap()
    };
    assert_eq!(part("base64", "U3ViamVjdDogaW5uZXIKCmVtYmVkZGVk"), "text\nembedded");
    assert_eq!(part("quoted-printable", "Subject: inner\n\nem=\nbedded"), "text\nembedded");
    assert_eq!(part("base64", inner), "text\nem=bedded");
    assert_eq!(part("7bit", inner), "text\nem=bedded");
    let root = message(
        "Content-Type: multipart/mixed; boundary=y\nContent-Transfer-Encoding: base64",
        "LS15CgpvbmUKLS15Cgp0d28KLS15LS0K",
    );
    assert_eq!(text(root.as_bytes()).unwrap(), "one\ntwo");
    // Messages inside of each other, each encoded, are as deep as others.
    let mut nested = "A: b\n\ndeep".to_owned();
    for _ in 0..20 {
        nested = format!(
            "Content-Type: message/rfc822\nContent-Transfer-Encoding: quoted-printable\n\n{}",
            nested.replace('=', "=3D")
        );
    }
    assert_eq!(text(nested.as_bytes()), Err(MailError::TooDeep(16)));
}

#[test]
fn a_byte_order_mark_before_the_header_is_skipped() {
    let raw = message("Subject: caf\u{e9}", "gr\u{fc}n");
    let utf_16 = |mark: u16, bytes: fn(u16) -> [u8; 2]| {
        std::iter::once(mark).chain(raw.encode_utf16()).flat_map(bytes).collect::<Vec<u8>>()
    };
    for bytes in [
        raw.as_bytes().to_vec(),
        ["\u{feff}".as_bytes(), raw.as_bytes()].concat(),
        utf_16(0xfeff, u16::to_le_bytes),
        utf_16(0xfeff, u16::to_be_bytes),
    ] {
        let mut reader = MailReader::default();
        let mail = reader.read(&bytes).unwrap();
        assert_eq!(mail.text(), "gr\u{fc}n");
        assert_eq!(mail.subject().as_deref(), Some("caf\u{e9}"));
    }
}
