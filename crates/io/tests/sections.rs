//! Texts of several fields and of members of lists, in JSON objects and in tables.

use arrow_array::builder::{ListBuilder, StringBuilder, StructBuilder};
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Fields};
use lookalike_io::source::{Piece, VisitScratch};
use lookalike_io::{Content, DiscoverOptions, FieldNames, Inputs, Item};
use std::path::Path;
use std::sync::Arc;

fn options(text: &str) -> DiscoverOptions {
    let fields = FieldNames { text: text.into(), ..FieldNames::default() };
    DiscoverOptions { fields, ..DiscoverOptions::default() }
}

/// The texts of a file, or what is wrong with each record; what is wrong with the file.
fn texts(path: &Path, text: &str) -> Result<Vec<Result<String, String>>, String> {
    let inputs = Inputs::discover(&[path.display().to_string()], options(text))
        .map_err(|error| error.to_string())?;
    let mut found = Vec::new();
    let mut scratch = VisitScratch::default();
    for piece in inputs.chunks() {
        match piece {
            Piece::Chunk(chunk) => chunk.visit(&inputs, &mut scratch, &mut |item| match item {
                Item::Record(record) => match record.content {
                    Content::Text(text) => found.push(Ok(text.into_owned())),
                    _ => found.push(Err("no text".into())),
                },
                Item::Bad(problem) => found.push(Err(problem.message.clone())),
                Item::Failed(_) => found.push(Err("failed".into())),
            }),
            Piece::Bad(problem) => found.push(Err(problem.message)),
            Piece::Failed { failure, .. } => return Err(failure.problem().message.clone()),
        }
    }
    Ok(found)
}

const CHAT: &str = concat!(
    r#"{"note":"a","chat":[{"role":"user","content":"u1"},{"role":"bot","content":"b1"},{"role":"user","content":"u2"}]}"#,
    "\n",
    r#"{"note":null,"chat":[{"role":"bot","content":"b\n2"},{"content":"none"},{"role":"user","content":null}]}"#,
    "\n",
    r#"{"note":"","chat":[]}"#,
    "\n",
);

#[test]
fn members_of_lists_are_joined_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chat.jsonl");
    std::fs::write(&path, CHAT).unwrap();
    let of = |text: &str| {
        let found = texts(&path, text).unwrap();
        found
            .into_iter()
            .map(|text| text.map(|text| text.replace("\n\u{1e}\n", "|")))
            .collect::<Vec<_>>()
    };
    let ok = |text: &str| Ok(text.to_owned());
    assert_eq!(of("chat[].content")[..2], [ok("u1|b1|u2"), ok("b\n2|none")]);
    assert!(of("chat[].content")[2].is_err(), "no text at all");
    assert_eq!(
        of("note,chat[role=user].content"),
        [ok("a|u1|u2"), Err(of("note,chat[role=user].content")[1].clone().unwrap_err()), ok("")]
    );
    assert_eq!(of("chat[role=bot].content,note")[..2], [ok("b1|a"), ok("b\n2")]);
}

#[test]
fn a_table_has_the_texts_of_its_json() {
    let folder = tempfile::tempdir().unwrap();
    let members = Fields::from(vec![
        Field::new("role", DataType::Utf8, true),
        Field::new("content", DataType::Utf8, true),
    ]);
    let mut lists = ListBuilder::new(StructBuilder::from_fields(members, 8));
    let mut add = |messages: &[(Option<&str>, Option<&str>)]| {
        for (role, content) in messages {
            let values = lists.values();
            values.field_builder::<StringBuilder>(0).unwrap().append_option(*role);
            values.field_builder::<StringBuilder>(1).unwrap().append_option(*content);
            values.append(true);
        }
        lists.append(true);
    };
    add(&[(Some("user"), Some("u1")), (Some("bot"), Some("b1")), (Some("user"), Some("u2"))]);
    add(&[(Some("bot"), Some("b\n2")), (None, Some("none")), (Some("user"), None)]);
    add(&[]);
    let chat: ArrayRef = Arc::new(lists.finish());
    let note: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None, Some("")]));
    let batch = RecordBatch::try_from_iter([("note", note), ("chat", chat)]).unwrap();
    let table = folder.path().join("chat.arrow");
    let file = std::fs::File::create(&table).unwrap();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(file, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    let json = folder.path().join("chat.jsonl");
    std::fs::write(&json, CHAT).unwrap();
    for text in [
        "chat[].content",
        "note,chat[role=user].content",
        "chat[role=bot].content,note",
        "note,note",
    ] {
        let [of_table, of_json] = [&table, &json]
            .map(|path| texts(path, text).unwrap().into_iter().map(Result::ok).collect::<Vec<_>>());
        assert_eq!(of_table, of_json, "{text}");
    }
    for (text, words) in [
        ("chat[].contents", "has no `contents`, but role, content"),
        ("note,chats[].content", "has no column `chats`"),
        ("note[]", "holds Utf8 where lists should be"),
        ("chat[]", "where texts should be"),
    ] {
        let said = texts(&table, text).unwrap_err();
        assert!(said.contains(words), "{text}: {said}");
    }
}

#[test]
fn a_section_without_a_text_in_any_record_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chat.jsonl");
    std::fs::write(&path, CHAT).unwrap();
    let missing = |text: &str| {
        let inputs = Inputs::discover(&[path.display().to_string()], options(text)).unwrap();
        inputs.missing_field(&|| false).map(|missing| missing.names)
    };
    for text in ["note,chat[].content", "chat[role=user].content", "note"] {
        assert_eq!(missing(text), None, "{text}");
    }
    for text in
        ["chat[].contents", "chat[rol=user].content", "chat[role=User].content", "note[]", "other"]
    {
        assert_eq!(missing(&format!("note,{text}")), Some(vec![text.to_owned()]));
    }
}

#[test]
fn columns_of_csv_are_joined_before_html_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    std::fs::write(&path, "a,b,html\nx,,<p>h\n,y,\n,,<p>h\n").unwrap();
    let found = texts(&path, "a,b").unwrap();
    assert_eq!(found, [Ok("x".into()), Ok("y".into()), Err("no text".into())]);
}

#[test]
fn deep_members_that_are_not_read_are_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep.jsonl");
    let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
    std::fs::write(&path, format!(r#"{{"a":[{{"meta":{deep},"c":"x"}}]}}"#)).unwrap();
    assert_eq!(texts(&path, "a[].c").unwrap(), [Ok("x".to_owned())]);
}

#[test]
fn sections_that_are_no_texts_are_bad_records() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.jsonl");
    for (record, text, words) in [
        (r#"{"a":5}"#, "a,b", "`a` is a number, not a text"),
        (r#"{"a":{"x":"y"}}"#, "a,b", "`a` is an object, not a text"),
        (r#"{"a":"x"}"#, "a[]", "`a` holds a string where"),
        (r#"{"a":[true]}"#, "a[]", "`a` holds true or false where"),
        (r#"{"a":[{"c":{}}]}"#, "a[].c", "`a` holds an object where"),
        (r#"{"a":"x","a":"y"}"#, "a,b", "`a` occurs twice"),
        (r#"{"a":[{"c":"x","c":"y"}]}"#, "a[].c", "`c` occurs twice in an object in `a`"),
        (r#"{"a":[{"r":"x","r":"y","c":"z"}]}"#, "a[r=x].c", "`r` occurs twice"),
        (r#"{"a":[]}"#, "a[].c", "`a[].c` has no text"),
    ] {
        std::fs::write(&path, format!("{record}\n")).unwrap();
        let said = texts(&path, text).unwrap().remove(0).unwrap_err();
        assert!(said.contains(words), "{record}: {said}");
    }
    // A field of the whole name is the text; parts of a message are texts, or are left out.
    for (record, text, expected) in [
        (r#"{"a,b":"whole","a":"x"}"#, "a,b", "whole"),
        (
            r#"{"a":[{"c":[{"type":"text","text":"x"},{"type":"image"},"y"]}],"n":NaN}"#,
            "a[].c",
            "x\n\u{1e}\ny",
        ),
        (r#"{"a":[{"c":"x","n":NaN}]}"#, "a[].c", "x"),
        // What is not read may be anything.
        (r#"{"a":[{"n":1e999,"s":"\ud83d","c":"x\n"}]}"#, "a[].c", "x\n"),
        (
            r#"{"a":[{"k":1.50,"b.c":"x","b":{"c":"y"}},{"k":2,"b":{"c":"z"}}]}"#,
            "a[k=1.50].b.c,a[k=2].b.c",
            "x\n\u{1e}\nz",
        ),
        (r#"{"d":{"a":"x","b":"\u001e"}}"#, "d.a,d.b", "x\n\u{1e}\n "),
    ] {
        std::fs::write(&path, format!("{record}\n")).unwrap();
        assert_eq!(texts(&path, text).unwrap().remove(0).unwrap(), expected, "{record}");
    }
}
