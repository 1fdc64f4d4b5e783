//! `--mark` on text forms: everything usable in one output, every byte of it still there.

use lookalike_io::{Compression, Fate, Format, MarkNames, OutputError, RouteOptions, Staging};
use proptest::prelude::*;

use crate::help::{
    COMPRESSIONS, Decide, chunks, decoded, header, in_turn, input, inputs, result, tree, write,
};

fn marking() -> RouteOptions {
    RouteOptions { mark: Some(MarkNames::default()), ..Default::default() }
}

#[test]
fn json_lines_get_members_and_the_rejected_stay_apart() {
    let lines = ["{\"a\":1}\r\n", "{ }\n", "broken\n", "{\"b\":{}}"];
    let lines: Vec<Vec<u8>> = lines.iter().map(|line| line.as_bytes().to_vec()).collect();
    for compression in COMPRESSIONS {
        let folder = tempfile::tempdir().unwrap();
        let inputs = inputs(vec![input("a.jsonl", Format::JSONL, compression)]);
        let chunks = chunks(0, &lines, 2, None);
        let (out, _) = result(folder.path(), &inputs, &chunks, &Decide(in_turn), &marking());
        let marked = out.join(&tree(&out)[0]);
        let kept = r#""duplicate_of":null,"duplicate_of_file":null,"duplicate_of_record":null,"resemblance":null,"cluster":4,"is_duplicate":false,"duplicates":1"#;
        let removed = r#""duplicate_of":"the \"first\"","duplicate_of_file":"a.csv","duplicate_of_record":3,"resemblance":0.875,"cluster":4,"is_duplicate":true,"duplicates":null"#;
        let expected = format!("{{\"a\":1,{kept}}}\r\n{{ {removed}}}\n{{\"b\":{{}},{kept}}}");
        assert_eq!(String::from_utf8(decoded(&marked, compression)).unwrap(), expected);
        assert_eq!(decoded(&out.join(&tree(&out)[1]), compression), b"broken\n");
        assert_eq!(tree(&out).len(), 3);
    }
}

#[test]
fn rows_get_columns_and_so_does_the_header() {
    let folder = tempfile::tempdir().unwrap();
    let rows: Vec<Vec<u8>> =
        ["1,a\n", "2,\"b\n\"\n", "3,\"\n"].iter().map(|row| row.as_bytes().to_vec()).collect();
    let inputs = inputs(vec![input("a.csv", Format::CSV, Compression::None)]);
    let chunks = chunks(0, &rows, 2, Some(&header("id,text\n", lookalike_io::CsvDialect::CSV)));
    let (out, _) = result(folder.path(), &inputs, &chunks, &Decide(in_turn), &marking());
    assert_eq!(
        std::fs::read_to_string(out.join("marked.csv")).unwrap(),
        "id,text,duplicate_of,duplicate_of_file,duplicate_of_record,resemblance,cluster,is_duplicate,duplicates\n\
         1,a,,,,,4,false,1\n\
         2,\"b\n\",\"the \"\"first\"\"\",a.csv,3,0.875,4,true,\n"
    );
    assert_eq!(std::fs::read_to_string(out.join("rejected.csv")).unwrap(), "id,text\n3,\"\n");
}

#[test]
fn a_record_that_has_such_a_field_is_named_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let lines = ["{\"a\":1}\n", "\n", "{\"a\":{\"cluster\":1}}\n", "{\"cluster\":1}\n"];
    let lines: Vec<Vec<u8>> = lines.iter().map(|line| line.as_bytes().to_vec()).collect();
    let inputs = inputs(vec![input("a.jsonl", Format::JSONL, Compression::None)]);
    let fates = Decide(|_, _| Fate::Kept);
    for size in 1..=4 {
        let staging = Staging::create(&folder.path().join("out"), false).unwrap();
        let chunks = chunks(0, &lines, size, None);
        let error = write(&staging, &inputs, &chunks, &fates, &marking()).unwrap_err();
        let message = error.to_string();
        assert!(message.starts_with("a.jsonl:4: has a field `cluster`"), "{message}");
        assert!(message.contains("the setting mark_prefix"), "{message}");
    }
    let options = RouteOptions { mark: Some(MarkNames::new("dedup_")), ..Default::default() };
    result(folder.path(), &inputs, &chunks(0, &lines, 2, None), &fates, &options);
}

#[test]
fn a_header_that_has_such_a_column_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = inputs(vec![input("a.tsv", Format::TSV, Compression::None)]);
    let chunks = chunks(
        0,
        &[b"1\t2\n".to_vec()],
        1,
        Some(&header("id\tresemblance\n", lookalike_io::CsvDialect::TSV)),
    );
    let staging = Staging::create(&folder.path().join("out"), false).unwrap();
    let error = write(&staging, &inputs, &chunks, &Decide(in_turn), &marking()).unwrap_err();
    assert!(
        matches!(&error, OutputError::FieldTaken { line: 1, name, .. } if name == "resemblance")
    );
}

/// Any JSON value, a few levels deep.
fn value() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<String>().prop_map(Into::into),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
            prop::collection::btree_map(any::<String>(), inner, 0..4)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn a_marked_object_is_the_object_and_its_mark(
        members in prop::collection::btree_map(any::<String>(), value(), 0..5),
        pretty in any::<bool>(),
    ) {
        let object: serde_json::Map<_, _> = members.into_iter().collect();
        let mut line = if pretty {
            serde_json::to_string_pretty(&object).unwrap().replace('\n', " ")
        } else {
            serde_json::to_string(&object).unwrap()
        };
        line.push('\n');
        let folder = tempfile::tempdir().unwrap();
        let inputs = inputs(vec![input("a.jsonl", Format::JSONL, Compression::None)]);
        let chunks = chunks(0, &[line.clone().into_bytes()], 1, None);
        let fates = Decide(|_, _| Fate::Removed);
        let (out, _) = result(folder.path(), &inputs, &chunks, &fates, &marking());
        let marked = std::fs::read_to_string(out.join("marked.jsonl")).unwrap();
        let untouched = marked.starts_with(line.trim_end().strip_suffix('}').unwrap());
        prop_assert!(untouched);
        let mut parsed: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(&marked).unwrap();
        prop_assert_eq!(parsed.remove("is_duplicate"), Some(true.into()));
        prop_assert_eq!(parsed.remove("duplicates"), Some(serde_json::Value::Null));
        prop_assert_eq!(parsed.remove("resemblance"), Some(0.875.into()));
        prop_assert_eq!(parsed.remove("cluster"), Some(4.into()));
        prop_assert_eq!(parsed.remove("duplicate_of_file"), Some("a.csv".into()));
        prop_assert_eq!(parsed.remove("duplicate_of_record"), Some(3.into()));
        prop_assert_eq!(parsed.remove("duplicate_of"), Some("the \"first\"".into()));
        prop_assert_eq!(parsed, object);
    }
}
