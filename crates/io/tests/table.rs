//! Result tables: written tables are read back, in every format.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use lookalike_io::{
    Cell, Column, OutputError, TableError, TableFormat, TableReader, TableWriter, Value,
};
use parquet::file::reader::{FileReader, SerializedFileReader};
use proptest::prelude::*;

const COLUMNS: [Column; 4] =
    [Column::text("a"), Column::text("b"), Column::count("shared"), Column::ratio("resemblance")];

fn write(folder: &Path, format: TableFormat, rows: &[Vec<Value>]) {
    let mut table = TableWriter::create(&folder.join("pairs"), format, &COLUMNS).unwrap();
    for row in rows {
        let cells: Vec<Cell<'_>> = row.iter().map(Value::as_cell).collect();
        table.row(&cells).unwrap();
    }
    let written = table.finish().unwrap();
    assert_eq!(written.rows, rows.len() as u64);
    assert_eq!(std::fs::metadata(&written.path).unwrap().len(), written.bytes);
}

fn read(folder: &Path) -> Vec<Vec<Value>> {
    TableReader::open(folder, "pairs", &COLUMNS).unwrap().map(Result::unwrap).collect()
}

fn text() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => any::<String>().prop_map(Value::Text),
        2 => "[\\\\tnr\t\r\ne]{0,6}".prop_map(Value::Text),
        1 => Just(Value::Null),
    ]
}

fn row() -> impl Strategy<Value = Vec<Value>> {
    let count = prop_oneof![
        3 => (0..=i64::MAX as u64).prop_map(Value::Count),
        1 => Just(Value::Null),
    ];
    let ratio = prop_oneof![
        2 => (0.0..=1.0).prop_map(Value::Ratio),
        1 => (1u32..1000, 1u32..1000)
            .prop_map(|(a, b)| Value::Ratio(f64::from(a.min(b)) / f64::from(a.max(b)))),
        1 => any::<f64>().prop_filter("finite", |r| r.is_finite()).prop_map(Value::Ratio),
        1 => Just(Value::Null),
    ];
    (text(), text(), count, ratio).prop_map(|(a, b, shared, r)| vec![a, b, shared, r])
}

proptest! {
    #[test]
    fn rows_come_back_from_every_form(rows in prop::collection::vec(row(), 0..30)) {
        for format in TableFormat::ALL {
            let folder = tempfile::tempdir().unwrap();
            write(folder.path(), format, &rows);
            prop_assert_eq!(read(folder.path()), rows.clone(), "{}", format);
        }
    }
}

#[test]
fn large_tables_have_several_row_groups_and_the_same_bytes_every_time() {
    let rows: Vec<Vec<Value>> = (0..150_000u64)
        .map(|n| {
            vec![
                Value::Text(format!("document {n}")),
                Value::Null,
                Value::Count(n),
                Value::Ratio(n as f64 / 150_000.0),
            ]
        })
        .collect();
    let once = tempfile::tempdir().unwrap();
    let again = tempfile::tempdir().unwrap();
    for folder in [&once, &again] {
        write(folder.path(), TableFormat::Parquet, &rows);
    }
    let path = once.path().join("pairs.parquet");
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(bytes, std::fs::read(again.path().join("pairs.parquet")).unwrap());
    let reader = SerializedFileReader::try_from(path.as_path()).unwrap();
    let groups: Vec<_> = reader.metadata().row_groups().iter().map(|g| g.num_rows()).collect();
    assert_eq!(groups, [65_536, 65_536, 18_928]);
    assert_eq!(read(once.path()), rows);
}

#[test]
fn text_forms_are_as_documented() {
    let folder = tempfile::tempdir().unwrap();
    let rows = [vec![
        Value::Text("a\t\"1\"".into()),
        Value::Text(String::new()),
        Value::Count(5),
        Value::Ratio(1.0),
    ]];
    write(folder.path(), TableFormat::Tsv, &rows);
    write(folder.path(), TableFormat::Jsonl, &rows);
    assert_eq!(
        std::fs::read_to_string(folder.path().join("pairs.tsv")).unwrap(),
        "a\tb\tshared\tresemblance\na\\t\"1\"\t\\e\t5\t1\n"
    );
    assert_eq!(
        std::fs::read_to_string(folder.path().join("pairs.jsonl")).unwrap(),
        "{\"a\":\"a\\t\\\"1\\\"\",\"b\":\"\",\"shared\":5,\"resemblance\":1.0}\n"
    );
}

#[test]
fn ratios_that_are_no_numbers_are_missing() {
    for format in TableFormat::ALL {
        let folder = tempfile::tempdir().unwrap();
        let rows = [f64::NAN, f64::INFINITY]
            .map(|r| vec![Value::Null, Value::Text("x".into()), Value::Null, Value::Ratio(r)]);
        write(folder.path(), format, &rows);
        assert!(read(folder.path()).iter().all(|row| row[3] == Value::Null));
    }
}

#[test]
fn rows_that_do_not_fit_their_columns_are_refused() {
    for format in TableFormat::ALL {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t");
        let mut table = TableWriter::create(&path, format, &[Column::count("n")]).unwrap();
        for row in [&[][..], &[Cell::Text("1")], &[Cell::Count(u64::MAX)], &[Cell::Null; 2]] {
            assert!(matches!(table.row(row), Err(OutputError::Row { .. })), "{row:?}");
        }
        assert_eq!(table.finish().unwrap().rows, 0);
    }
}

#[test]
fn a_table_may_lack_known_columns_but_has_no_others() {
    for format in TableFormat::ALL {
        let folder = tempfile::tempdir().unwrap();
        write(
            folder.path(),
            format,
            &[vec![Value::Null, Value::Null, Value::Count(1), Value::Null]],
        );
        let more = [&COLUMNS[..], &[Column::ratio("cosine")]].concat();
        let table = TableReader::open(folder.path(), "pairs", &more).unwrap();
        assert_eq!(table.columns(), COLUMNS);
        assert_eq!(table.position("shared"), Some(2));
        assert_eq!(table.position("cosine"), None);
        let fewer = TableReader::open(folder.path(), "pairs", &COLUMNS[1..]);
        assert!(matches!(fewer, Err(TableError::Malformed { row: 0, .. })));
    }
}

#[test]
fn a_missing_table_says_where_and_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let error = TableReader::open(folder.path(), "ledger", &COLUMNS).err().unwrap();
    assert!(error.to_string().contains("ledger.parquet"));
    assert!(error.to_string().contains("the result directory"));
}

#[test]
fn damaged_tables_are_errors_with_a_row() {
    let damaged = [
        ("tsv", "a\tb\tshared\tresemblance\n\t\t1\t\n\t\tx\t\n", 2),
        ("tsv", "a\tb\tshared\tresemblance\n\t\t1\n", 1),
        ("jsonl", "{\"a\":null,\"shared\":1}\n{\"a\":null}\n", 2),
        ("jsonl", "{\"a\":null}\n{\"a\":nul", 2),
        ("jsonl", "{\"shared\":-1}\n", 1),
    ];
    for (extension, text, at) in damaged {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(format!("pairs.{extension}")), text).unwrap();
        let mut rows = TableReader::open(folder.path(), "pairs", &COLUMNS).unwrap();
        let error = rows.by_ref().find_map(Result::err).unwrap();
        assert!(matches!(&error, TableError::Malformed { row, .. } if *row == at), "{error}");
        assert!(rows.next().is_none());
    }
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), TableFormat::Parquet, &[]);
    let path = folder.path().join("pairs.parquet");
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let error = TableReader::open(folder.path(), "pairs", &COLUMNS).err().unwrap();
    assert!(matches!(error, TableError::Unreadable { .. }));
}

/// Everything that a table of text can hold and that was not written by us.
#[test]
fn what_is_cut_off_or_no_number_of_ours_is_an_error() {
    let refused = [
        ("tsv", "shared\tresemblance\n7\t0.85", "row 1: the line is cut off"),
        ("tsv", "shared\tresemblance", "row 0: the line is cut off"),
        ("tsv", "resemblance\nNaN\n", "`NaN` is not a number"),
        ("tsv", "resemblance\n0.5\ninf\n", "row 2: `inf` is not a number"),
        ("tsv", "shared\n+5\n", "`+5` is not a number"),
        ("tsv", "shared\n9223372036854775808\n", "is not a number"),
        ("jsonl", "{\"resemblance\":0.5}\n{\"resemblance\":0.5}", "row 2: the line is cut off"),
        ("jsonl", "{\"resemblance\":1e999}\n", "`1e999` is not a number"),
        ("jsonl", "{\"shared\":9223372036854775808}\n", "is not a count"),
    ];
    for (extension, content, reason) in refused {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(format!("pairs.{extension}")), content).unwrap();
        let table = TableReader::open(folder.path(), "pairs", &COLUMNS);
        let rows = table.and_then(|table| table.collect::<Result<Vec<_>, _>>());
        let error = rows.unwrap_err().to_string();
        assert!(error.contains(reason), "{content:?}: {error}");
    }
}

/// Parquet decoders panic on some damage; that is an error of the file.
#[test]
fn no_damage_to_a_parquet_table_is_fatal() {
    let folder = tempfile::tempdir().unwrap();
    let rows: Vec<Vec<Value>> = (0..20)
        .map(|n| {
            let id = Value::Text(format!("id{n}"));
            vec![id, Value::Null, Value::Count(n), Value::Ratio(n as f64 / 20.0)]
        })
        .collect();
    write(folder.path(), TableFormat::Parquet, &rows);
    let path = folder.path().join("pairs.parquet");
    let bytes = std::fs::read(&path).unwrap();
    for at in 0..bytes.len() {
        for mask in [1, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[at] ^= mask;
            std::fs::write(&path, damaged).unwrap();
            let table = TableReader::open(folder.path(), "pairs", &COLUMNS);
            // Without an error, rows may differ: Parquet has no checksum of the whole file.
            let _ = table.map(|table| table.take(1000).collect::<Vec<_>>());
        }
    }
}
