//! Fields of a record and their uses.

use lookalike_io::{DiscoverOptions, FieldNames, FieldNumber};

use crate::help::{OneFile, Read, read};

fn lines(content: &str) -> Read {
    OneFile::new("x.jsonl", content).read()
}

fn with(fields: FieldNames, name: &str, content: &str) -> Read {
    let file = OneFile::new(name, content);
    read(&file.inputs(DiscoverOptions { fields, ..DiscoverOptions::default() }))
}

#[test]
fn ids_are_given_as_they_are_written() {
    let read = lines(concat!(
        "{\"text\":\"\",\"id\":\"a\\n\\\"\"}\n{\"text\":\"\",\"id\":7}\n{\"text\":\"\",\"id\":-1.50e3}\n",
        "{\"text\":\"\",\"id\":null}\n{\"text\":\"\",\"id\":\"\"}\n{\"text\":\"\"}\n",
        "{\"text\":\"\",\"id\":123456789012345678901234567890}\n",
        "{\"text\":\"\",\"id\":true}\n{\"text\":\"\",\"id\":[1]}\n{\"text\":\"\",\"id\":\"\\ud800\"}\n",
    ));
    assert_eq!(
        read.ids(),
        ["a\n\"", "7", "-1.50e3", "-", "-", "-", "123456789012345678901234567890", "true", "[1]"]
    );
    assert_eq!(read.problems.iter().map(|p| p.line).collect::<Vec<_>>(), [10]);
}

#[test]
fn text_comes_before_html_and_must_be_a_string() {
    let read = lines(concat!(
        "{\"html\":\"<p>\",\"text\":\"t\"}\n{\"text\":null,\"html\":\"<p>\"}\n{\"text\":5,\"html\":\"<p>\"}\n",
        "{\"text\":5}\n{\"text\":null}\n{\"text\":[[\"x\"]]}\n{\"text\":{\"text\":\"x\"}}\n{}\n",
    ));
    let found: Vec<_> = read.records.iter().map(|r| (r.text.as_str(), r.html)).collect();
    assert_eq!(found, [("t", false), ("<p>", true), ("<p>", true)]);
    assert_eq!(read.problems.len(), 5);
    assert!(read.problems[0].message.contains("`text` is a number, not a string"));
    assert!(read.problems[1].message.contains("`text` is null"));
    assert_eq!(
        read.problems[4].message,
        "no `text` or `html` field, and no other; name it with the setting text_field"
    );
}

#[test]
fn a_record_without_text_says_what_it_has() {
    let many: Vec<String> = (0..12).map(|n| format!("\"f{n}\":[{n}]")).collect();
    let read = lines(&format!(
        "\u{feff}{{\"id\":1,\"bo\\u001b\\ndy\":\"x\"}}\n{{{}}}\n{{\"{}\":0}}\n",
        many.join(","),
        "n".repeat(100)
    ));
    let said: Vec<&str> = read.problems.iter().map(|p| p.message.as_str()).collect();
    assert_eq!(
        said[0],
        "no `text` or `html` field, but id, bo\\u{1b}\\ndy; name it with the setting text_field"
    );
    assert!(said[1].contains("but f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, ...; name"), "{said:?}");
    assert!(said[2].contains(&format!("but {}; name", "n".repeat(40))), "{said:?}");
}

#[test]
fn the_last_of_two_members_of_one_name_counts() {
    let read = lines("{\"text\":\"b\",\"id\":1,\"id\":2}\n{\"text\":\"a\",\"text\":1}\n");
    assert_eq!((read.records[0].text.as_str(), read.records[0].id.as_deref()), ("b", Some("2")));
    assert_eq!(read.problems.len(), 1);
}

#[test]
fn the_other_fields_are_taken_where_they_make_sense() {
    let read = lines("{\"text\":\"\",\"url\":\"http:\\/\\/a\",\"title\":3,\"date\":[1]}\n");
    let record = &read.records[0];
    assert_eq!(record.url.as_deref(), Some("http://a"));
    assert_eq!(record.title.as_deref(), Some("3"));
    assert_eq!(record.date, None);
}

#[test]
fn fields_have_the_configured_names_and_may_have_two_uses() {
    let names = || FieldNames {
        text: "body".into(),
        id: "link".into(),
        url: "link".into(),
        extra: vec!["score".into(), "body".into(), "score".into()],
        ..FieldNames::default()
    };
    let json = "{\"body\":\"2\",\"link\":\"u\",\"score\":1.5}\n{\"body\":\"b\",\"score\":\" 7 \"}\n{\"body\":\"b\",\"score\":1e999}\n\
         {\"body\":\"b\",\"score\":null}\n{\"body\":\"b\"}\n{\"body\":\"b\",\"score\":[1]}\n";
    let csv = "score,link,body\n1.5,u,2\n 7 ,,b\n1e999,,b\n,,b\n  ,,b\n[1],,b\n";
    for read in [with(names(), "x.jsonl", json), with(names(), "x.csv", csv)] {
        assert_eq!(read.messages(), [""; 0]);
        assert_eq!(read.ids(), ["u", "-", "-", "-", "-", "-"]);
        assert_eq!(read.records[0].url.as_deref(), Some("u"));
        use FieldNumber::{Missing, Number, Unreadable};
        let text = FieldNumber::of("b");
        assert!(matches!(text, FieldNumber::Text(_)) && text != FieldNumber::of("c"));
        assert_eq!(read.records[0].extra, [Number(1.5), Number(2.0), Number(1.5)]);
        assert_eq!(read.records[1].extra, [Number(7.0), text, Number(7.0)]);
        assert_eq!(read.records[2].extra, [Unreadable, text, Unreadable]);
        assert_eq!(read.records[3].extra, [Missing, text, Missing]);
        assert_eq!(read.records[4].extra, [Missing, text, Missing]);
        // A list in JSON, and the same characters as the text of a CSV field.
        assert_eq!(read.records[5].extra[1], text);
        assert!([Unreadable, FieldNumber::of("[1]")].contains(&read.records[5].extra[0]));
    }
}

#[test]
fn a_problem_has_its_line_and_offset() {
    let read = lines("{\"text\":\"a\"}\r\n\n  \n{\"text\":\"a\" x}\n{\"text\":\"caf\u{e9}\",}\n");
    let places: Vec<_> = read.problems.iter().map(|p| (p.record, p.line, p.offset)).collect();
    assert_eq!(places, [(2, 4, Some(18 + 12)), (3, 5, Some(33 + 16))]);
    assert!(
        read.messages()[0]
            .contains("x.jsonl:4: invalid JSON at column 13: neither a comma nor the end")
    );
}

#[test]
fn bytes_that_are_not_utf8_are_found_wherever_they_are() {
    let file = OneFile::new("x.jsonl", b"{\"other\":\"\xe9\",\"text\":\"a\"}\n{\"text\":\"ok\"}\n");
    let read = file.read();
    assert_eq!(read.records.len(), 1);
    assert_eq!(read.problems[0].offset, Some(10));
    assert!(read.problems[0].message.contains("invalid UTF-8 at column 11"));
}

#[test]
fn other_members_may_be_nested_at_any_depth() {
    let deep = "[".repeat(200_000) + &"]".repeat(200_000);
    let read =
        lines(&format!("{{\"a\":{deep},\"text\":\"x\"}}\n{{\"id\":{deep},\"text\":\"x\"}}\n"));
    assert_eq!(read.ids(), ["-", "-"]);
}

#[test]
fn ids_of_any_kind_are_texts() {
    let ids = [r#"{"$oid": "5f \"a"}"#, "[1, 2]", "true", "1.50", "null", "NaN", "\"a\"", "\"\""];
    let content: String =
        ids.iter().map(|id| format!("{{\"id\":{id},\"text\":\"x\"}}\n")).collect();
    let file = OneFile::new("x.jsonl", content);
    let expected = [r#"{"$oid":"5f \"a"}"#, "[1,2]", "true", "1.50", "-", "-", "a", "-"];
    assert_eq!(file.read().ids(), expected);
    // What a caller has named as the id is one.
    let content = "{\"key\":{\"a\":1},\"text\":\"x\"}\n{\"key\":NaN,\"text\":\"x\"}\n";
    let fields = FieldNames { id: "key".into(), ..FieldNames::default() };
    let options = DiscoverOptions { fields, ..DiscoverOptions::default() };
    let read = read(&OneFile::new("x.jsonl", content).inputs(options));
    assert_eq!(read.ids(), ["-"]);
    assert!(read.problems[0].message.contains("neither a string nor a number"));
}

#[test]
fn values_of_python_that_are_no_json_are_skipped() {
    let read = lines(concat!(
        "{\"a\":NaN,\"id\":\"1\",\"text\":\"b\\nc\",\"b\":[Infinity,{\"c\":-Infinity}]}\n",
        "{\"a\": NaN , \"text\":\"caf\u{e9} NaN\",\"url\":NaN,\"date\":-Infinity,\"title\":\"t\"}\n",
        "{\"text\":NaN}\n{\"text\":-Infinity}\n{\"a\":NaN,\"text\":\"x\",}\n{\"a\":nan,\"text\":\"x\"}\n",
    ));
    let found: Vec<_> =
        read.records.iter().map(|r| (r.text.as_str(), r.title.as_deref())).collect();
    assert_eq!(found, [("b\nc", None), ("caf\u{e9} NaN", Some("t"))]);
    assert_eq!((&read.records[1].url, &read.records[1].date), (&None, &None));
    let said = read.messages();
    assert!(said[0].contains("`text` is NaN or an infinity, not a string"), "{said:?}");
    assert!(said[1].contains("`text` is NaN or an infinity"), "{said:?}");
    assert!(said[2].contains("column 21: a comma after the last value"), "{said:?}");
    assert!(said[3].contains("only true, false and null"), "{said:?}");
}

#[test]
fn numbers_that_are_none_have_no_value() {
    let content =
        "{\"text\":\"a\",\"n\":NaN}\n{\"text\":\"a\",\"n\":Infinity}\n{\"text\":\"a\",\"n\":-2}\n";
    let fields =
        FieldNames { extra: vec!["n".into()], given: vec!["n".into()], ..FieldNames::default() };
    let options = DiscoverOptions { fields, ..DiscoverOptions::default() };
    let read = read(&OneFile::new("x.jsonl", content).inputs(options));
    let found: Vec<_> = read.records.iter().map(|r| r.extra[0]).collect();
    assert_eq!(found, [FieldNumber::Missing, FieldNumber::Unreadable, FieldNumber::Number(-2.0)]);
    let given = |at: usize| read.records[at].given.of(0).collect::<Vec<_>>();
    assert_eq!((given(0), given(1), given(2)), (vec![], vec!["Infinity"], vec!["-2"]));
}

#[test]
fn a_text_that_an_object_has_twice_is_refused() {
    let read = lines(concat!(
        "{\"text\":\"a\",\"text\":\"b\"}\n{\"html\":\"a\",\"html\":\"b\"}\n",
        "{\"html\":\"a\",\"html\":\"b\",\"text\":\"c\"}\n{\"id\":1,\"id\":2,\"text\":\"d\"}\n",
        "{\"x\":{\"text\":\"a\"},\"text\":\"e\"}\n",
    ));
    assert_eq!(read.ids(), ["-", "2", "-"]);
    assert!(read.problems[0].message.contains("`text` occurs twice in the object"));
    assert!(read.problems[1].message.contains("`html` occurs twice in the object"));
}

#[test]
fn a_file_that_is_an_array_is_told_what_to_do() {
    let read = lines("[{\"text\":\"a\"},\n{\"text\":\"b\"}]\n");
    assert!(read.problems[0].message.contains("jq -c '.[]'"), "{:?}", read.messages());
}

#[test]
fn a_table_without_text_is_one_problem() {
    let read = OneFile::new("x.csv", "doc,body\n1,a\n2,b\n").read();
    assert_eq!(read.problems.len(), 1);
    assert!(read.messages()[0].ends_with(
        "x.csv: has no column `text` or `html`, but body, doc (did you mean `body`?); name it with the \
         setting text_field"
    ));
}

#[test]
fn rows_with_too_few_or_too_many_fields_are_problems() {
    let read = OneFile::new("x.tsv", "\u{feff}id\ttext\r\n1\ta,b\n2\n\n3\ta\tb\n4\t\"a\"\n").read();
    assert_eq!(read.ids(), ["1", "4"]);
    assert_eq!(read.records[1].text, "\"a\"");
    assert_eq!(
        read.problems.iter().map(|p| (p.record, p.line)).collect::<Vec<_>>(),
        [(2, 3), (3, 5)]
    );
    assert!(read.problems[0].message.contains("1 field where the header names 2"));
}

#[test]
fn in_csv_html_stands_in_for_empty_text() {
    let read = OneFile::new("x.csv", "text,html\na,<p>\n,<p>\n,\n").read();
    let found: Vec<_> = read.records.iter().map(|r| (r.text.as_str(), r.html)).collect();
    assert_eq!(found, [("a", false), ("<p>", true), ("", false)]);
}

#[test]
fn files_without_records_give_nothing() {
    for name in ["x.jsonl", "x.csv", "x.tsv", "x.parquet"] {
        assert_eq!(OneFile::new(name, "").read(), Read::default(), "{name}");
    }
    assert_eq!(OneFile::new("x.csv", "id,text").read(), Read::default());
    assert_eq!(OneFile::new("x.jsonl", "\u{feff}").read(), Read::default());
    // An empty text file is a document without words.
    assert_eq!(OneFile::new("x.txt", "").read().records[0].text, "");
}

#[test]
fn other_encodings_are_refused_once_with_the_remedy() {
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    for (name, content) in [("x.jsonl", "{\"text\":\"a\"}\n"), ("x.csv", "\u{feff}id,text\n1,a\n")]
    {
        let read = OneFile::new(name, utf16(content)).read();
        assert_eq!(read.records.len(), 0);
        assert_eq!(read.problems.len(), 1);
        assert!(read.problems[0].message.contains("iconv"), "{:?}", read.messages());
    }
}

/// The values of fields that a method reads, or that separate documents: as texts, of lists each element.
#[test]
fn given_values_are_texts() {
    let names = || FieldNames {
        given: ["tag", "body", "m.n", "none"].map(String::from).to_vec(),
        text: "body".into(),
        ..FieldNames::default()
    };
    let json = "{\"body\":\"b\",\"tag\":[\"x\",3,\" y\\u00e9\"],\"m\":{\"n\":1.50}}\n{\"body\":\"b\",\"tag\":true,\"m\":{\"n\":null}}\n\
         {\"body\":\"b\",\"tag\":\" \\n\"}\n{\"body\":\"b\",\"tag\":[[1],null,1.50,false]}\n\
         {\"body\":\"b\",\"tag\":{\"a\": 1}}\n{\"body\":\"b\",\"tag\":[null]}\n";
    let read = with(names(), "x.jsonl", json);
    assert_eq!(read.messages(), [""; 0]);
    let of = |record: usize, field| read.records[record].given.of(field).collect::<Vec<_>>();
    assert_eq!(
        (of(0, 0), of(0, 1), of(0, 2)),
        (vec!["x", "3", "y\u{e9}"], vec!["b"], vec!["1.50"])
    );
    assert_eq!((of(1, 0), of(1, 2), of(1, 3)), (vec!["true"], vec![], vec![]));
    assert_eq!((of(2, 0), of(5, 0)), (vec![], vec![]));
    // None of these may seem to have no value.
    assert_eq!((of(3, 0), of(4, 0)), (vec!["[1]", "1.50", "false"], vec!["{\"a\":1}"]));
    let csv = "tag,m.n,body\n\" x \",1.50,b\n,,b\n";
    let read = with(names(), "x.csv", csv);
    let of = |record: usize, field| read.records[record].given.of(field).collect::<Vec<_>>();
    assert_eq!(
        (of(0, 0), of(0, 1), of(0, 2), of(1, 0)),
        (vec!["x"], vec!["b"], vec!["1.50"], vec![])
    );
}
