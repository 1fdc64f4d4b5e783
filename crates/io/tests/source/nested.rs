//! Fields in objects: `doc.text`, compared with what serde_json makes of the same line.

use proptest::prelude::*;
use serde_json::Value;

use lookalike_io::{DiscoverOptions, FieldNames, Inputs};

use crate::help::{OneFile, Read, read, read_sized};

/// The value that a name leads to: the member of that name, or else one of the object before the first
/// dot.
fn lookup<'v>(object: &'v Value, name: &str) -> Option<&'v Value> {
    let members = object.as_object()?;
    if let Some(value) = members.get(name) {
        return Some(value);
    }
    let (head, rest) = name.split_once('.')?;
    lookup(members.get(head)?, rest)
}

fn fields(text: &str, url: &str, extra: &str) -> FieldNames {
    FieldNames {
        text: text.into(),
        url: url.into(),
        html: "no html".into(),
        extra: vec![extra.into()],
        ..FieldNames::default()
    }
}

fn read_with(line: &str, fields: FieldNames) -> Read {
    let file = OneFile::new("a.jsonl", line);
    read(&file.inputs(DiscoverOptions { fields, ..DiscoverOptions::default() }))
}

/// A member's name as it is written, some letters as escapes.
fn key() -> impl Strategy<Value = String> {
    let names = prop::sample::select(vec!["a", "b", "a.b", "b.a", "a.b.a", "c", "", "a.", ".b"]);
    (names, any::<bool>()).prop_map(|(name, escaped)| match escaped {
        true => name.replace('a', "\\u0061").replace('.', "\\u002E"),
        false => name.to_owned(),
    })
}

/// A value as it is written; objects may have members twice.
fn value() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "null",
        "true",
        "7",
        "-0.5",
        "\"text\"",
        "\"\"",
        r#""\n\u00e9\"""#,
        r#""0.93""#,
        "[1,\"x\"]",
        "[]",
        "{}",
        r#"" 12 ""#,
    ]);
    leaf.prop_map(str::to_owned).prop_recursive(4, 40, 5, object)
}

fn object(value: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    prop::collection::vec((key(), value), 0..6).prop_map(|members| {
        let members: Vec<String> =
            members.iter().map(|(key, value)| format!(" \"{key}\" : {value}")).collect();
        format!("{{{}}}", members.join(","))
    })
}

/// Number of members of all objects.
fn members(value: &Value) -> usize {
    match value {
        Value::Object(object) => object.values().map(|value| 1 + members(value)).sum(),
        Value::Array(list) => list.iter().map(members).sum(),
        _ => 0,
    }
}

fn name() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(vec!["a", "b", "c", ""]), 1..5)
        .prop_map(|parts| parts.join("."))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn a_name_leads_to_the_value_that_the_parsed_object_has_there(
        line in object(value()),
        text in name(),
        url in name(),
        number in name(),
    ) {
        let parsed: Value = serde_json::from_str(&line).unwrap();
        let read = read_with(&line, fields(&text, &url, &number));
        let refused = |problem: &lookalike_io::Problem| problem.message.contains("occurs twice");
        if read.problems.first().is_some_and(refused) {
            // The parsed object lacks one of two members of the same name.
            prop_assert!(members(&parsed) < line.matches(':').count(), "{}", line);
            return Ok(());
        }
        match lookup(&parsed, &text) {
            Some(Value::String(expected)) => {
                let [record] = &read.records[..] else { panic!("{line}: {:?}", read.problems) };
                prop_assert_eq!(&record.text, expected);
                let expected = match lookup(&parsed, &url) {
                    Some(Value::String(url)) => Some(url.clone()),
                    Some(Value::Number(url)) => Some(url.to_string()),
                    _ => None,
                };
                prop_assert_eq!(&record.url, &expected);
                let expected = match lookup(&parsed, &number) {
                    Some(Value::Number(number)) => number.as_f64(),
                    Some(Value::String(text)) => text.trim().parse().ok(),
                    _ => None,
                };
                let found = match record.extra[0] {
                    lookalike_io::FieldNumber::Number(number) => Some(number),
                    _ => None,
                };
                prop_assert_eq!(found, expected);
            }
            other => {
                prop_assert!(read.records.is_empty(), "{}", line);
                let said = &read.problems[0].message;
                let words = match other {
                    None => "no `",
                    Some(Value::Null) => "is null",
                    Some(_) => "not a string",
                };
                prop_assert!(said.contains(words), "{}: {}", line, said);
            }
        }
    }
}

#[test]
fn deep_and_huge_values_are_skipped_without_a_stack() {
    let deep = format!("{}1{}", "[".repeat(200_000), "]".repeat(200_000));
    let objects = format!("{}1{}", r#"{"a":"#.repeat(200_000), "}".repeat(200_000));
    let huge = "x".repeat(9 << 20);
    for skipped in [&deep, &objects, &format!("\"{huge}\"")] {
        for line in [
            format!(r#"{{"skipped":{skipped},"doc":{{"text":"t"}}}}"#),
            format!(r#"{{"doc":{{"other":{skipped},"text":"t"}}}}"#),
            format!(r#"{{"doc":{{"text":"t","a":{skipped}}},"a":{skipped}}}"#),
        ] {
            let read = read_with(&line, fields("doc.text", "doc.a.a.a.a", "a.a.a"));
            assert_eq!(read.records.len(), 1, "{:?}", read.problems.first().map(|p| &p.message));
            assert_eq!(read.records[0].text, "t");
        }
    }
    // A name with very many dots is one that no object has.
    let long = vec!["a"; 100_000].join(".");
    let line = format!(r#"{{"text":"t","a":{objects}}}"#);
    assert_eq!(read_with(&line, fields("text", &long, &long)).records[0].url, None);
}

#[test]
fn faults_inside_objects_name_the_column() {
    for (line, words) in [
        (r#"{"x":1,"doc":{"text":"ab\q"}}"#, "an unknown escape"),
        (r#"{"x":1,"doc":{"\ud800":1,"text":"t"}}"#, "half of a surrogate pair"),
        (r#"{"x":1,"doc":{"text":"t",}}"#, "a comma after the last value"),
    ] {
        let read = read_with(line, fields("doc.text", "url", "n"));
        let said = &read.problems[0].message;
        assert!(said.contains(words), "{line}: {said}");
    }
    let line = r#"{"x":1,"doc":{"text":"ab\q"}}"#;
    let column = line.find('q').unwrap() + 1;
    let said = read_with(line, fields("doc.text", "url", "n")).problems.remove(0).message;
    assert!(said.contains(&format!("at column {column}:")), "{said}");
}

#[test]
fn lists_of_strings_are_joined_where_that_is_asked_for() {
    let lines = concat!(
        r#"{"doc":{"text":["to be\n","or not", null, "to be"]},"title":["a","b"],"url":["a"]}"#,
        "\n",
        r#"{"doc":{"text":[]}}"#,
        "\n",
        r#"{"doc":{"text":["a",7]}}"#,
        "\n",
        r#"{"doc":{"text":"plain"}}"#,
        "\n",
    );
    let file = OneFile::new("a.jsonl", lines);
    let joined = |join_lists: Option<&str>| {
        let join_lists = join_lists.map(str::to_owned);
        let fields = FieldNames { text: "doc.text".into(), join_lists, ..FieldNames::default() };
        read(&file.inputs(DiscoverOptions { fields, ..DiscoverOptions::default() }))
    };
    let read = joined(Some("--"));
    let texts: Vec<&str> = read.records.iter().map(|record| record.text.as_str()).collect();
    assert_eq!(texts, ["to be\n--or not--to be", "", "plain"]);
    assert_eq!(read.records[0].title.as_deref(), Some("a--b"));
    assert_eq!(read.records[0].url, None);
    assert!(read.problems[0].message.contains("a list of other things than strings"));
    let read = joined(None);
    assert_eq!(read.records.len(), 1);
    assert!(read.problems[0].message.contains("join_lists"), "{}", read.problems[0].message);
}

#[test]
fn features_are_read_from_lists() {
    let lines = concat!(
        r#"{"id":"a","f":{"list":[7,"7","x\n"]},"text":"not read"}"#,
        "\n",
        r#"{"id":"b","f":{"list":[1.5]}}"#,
        "\n",
        r#"{"id":"c","text":"no list"}"#,
        "\n",
        r#"{"id":"d","f":{"list":null}}"#,
        "\n",
        r#"{"id":"e","f":{"list":"x"}}"#,
        "\n",
    );
    let file = OneFile::new("a.jsonl", lines);
    let fields = FieldNames { features: Some("f.list".into()), ..FieldNames::default() };
    let inputs = file.inputs(DiscoverOptions { fields, ..DiscoverOptions::default() });
    let read = read_sized(&inputs, 10);
    assert_eq!(read.records.len(), 1);
    assert_eq!(read.records[0].text, "7\n7\nx\\n\n");
    let said = read.messages();
    for (message, words) in said.iter().zip([
        "`f.list` holds something other than integers and strings",
        "no `f.list` field, but id, text; name it with the setting features_field",
        "`f.list` is null",
        "`f.list` is not a list",
    ]) {
        assert!(message.contains(words), "{message}");
    }
    assert_eq!(said.len(), 4);
}

/// Several files with these lines.
fn inputs(files: &[(&str, &str)], fields: FieldNames) -> (tempfile::TempDir, Inputs) {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    let options = DiscoverOptions { fields, ..DiscoverOptions::default() };
    let inputs = Inputs::discover(&[folder.path().display().to_string()], options).unwrap();
    (folder, inputs)
}

#[test]
fn a_field_that_no_record_of_the_jsonl_inputs_has_is_found_out() {
    let missing = |files: &[(&str, &str)], fields: FieldNames| {
        let (_folder, inputs) = inputs(files, fields);
        inputs.missing_field(&|| false).map(|field| (field.names, field.setting, field.found))
    };
    let named = |text: &str, url: &str| fields(text, url, "n");
    let nested = r#"{"id":1,"doc":{"text":"t","link":"u"}}"#;
    let (names, setting, found) = missing(&[("a.jsonl", nested)], named("text", "url")).unwrap();
    assert_eq!((names.join("+"), setting), ("text+no html".into(), "text_field"));
    assert_eq!(found, "doc.text, id, doc.link (did you mean `doc.text`?)");
    // The defaults of other fields may be missing, other names not.
    assert_eq!(missing(&[("a.jsonl", nested)], named("doc.text", "url")), None);
    let (names, setting, found) =
        missing(&[("a.jsonl", nested)], named("doc.text", "uri")).unwrap();
    assert_eq!((names.join("+"), setting), ("uri".into(), "url_field"));
    // A table beside them may have it.
    let beside = |header: &str| {
        let files = [("a.jsonl", nested), ("b.csv", header)];
        missing(&files, named("doc.text", "uri")).map(|(names, ..)| names)
    };
    assert_eq!(beside("uri,doc.text\nu,words\n"), None);
    assert_eq!(beside("url,doc.text\nu,words\n"), Some(vec!["uri".to_owned()]));
    assert!(found.ends_with("(did you mean `doc.link`?)"), "{found}");
    // One record of one file is enough, behind records that lack it and lines that are none.
    let late = format!("{}\n[1]\n\n{{\"text\":null,\"uri\":null}}\n", "{\"id\":1}\n".repeat(9000));
    let files = [("a.jsonl", nested), ("b.jsonl", late.as_str()), ("c.txt", "text")];
    assert_eq!(missing(&files, named("text", "uri")), None);
    // Without objects, there is nothing to say.
    assert_eq!(
        missing(&[("a.jsonl", "\n[1]\nx\n"), ("b.csv", "text\nx\n")], named("body", "u")),
        None
    );
}

#[test]
fn a_header_field_that_no_message_or_page_has_is_found_out() {
    const MAIL: &str = "Message-ID: <1@a>\nSubject: b\n\ntext\n";
    const PAGE: &str = "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: http://a/\r\n\
                        Content-Type: text/plain\r\nContent-Length: 4\r\n\r\ntext\r\n\r\n";
    let mbox = format!("From a\nSubject: a\n\ntext\n\nFrom a@b\n{MAIL}");
    let missing = |files: &[(&str, &str)], id: &str, text: &str| {
        let fields = FieldNames { id: id.into(), text: text.into(), ..FieldNames::default() };
        let (_folder, inputs) = inputs(files, fields);
        inputs.missing_field(&|| false)
    };
    for (name, content, there, found) in [
        ("a.mbox", mbox.as_str(), "message-id", "text, subject"),
        ("a.eml", MAIL, "Message-Id", "text, message-id"),
        ("a.warc", PAGE, "warc-target-uri", "text, url"),
    ] {
        let files = [(name, content), ("a.txt", "text")];
        assert_eq!(missing(&files, there, "text"), None, "{name}");
        let field = missing(&files, "absent", "text").unwrap();
        assert_eq!((field.names.join("+").as_str(), field.setting), ("absent", "id_field"));
        assert!(field.found.starts_with(found), "{name}: {field:?}");
        assert_eq!(field.records, if name == "a.mbox" { 2 } else { 1 });
        // An object or a table beside them may have it, and they need not have the text of objects.
        let files = [(name, content), ("b.jsonl", "{\"absent\":1,\"body\":\"text\"}\n")];
        assert_eq!(missing(&files, "absent", "body"), None, "{name}");
        assert_eq!(missing(&files, there, "text").unwrap().setting, "text_field", "{name}");
        let files = [(name, content), ("b.csv", "absent,text\n1,text\n")];
        assert_eq!(missing(&files, "absent", "text"), None, "{name}");
        // Nothing was named.
        assert_eq!(missing(&[(name, content)], "id", "text"), None, "{name}");
    }
}
