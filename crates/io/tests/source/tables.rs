//! Parquet: types of columns, batches, projection.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::*;
use lookalike_io::source::{Body, VisitScratch};
use lookalike_io::{DiscoverOptions, FieldNames, Inputs, Item};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

use crate::help::{OneFile, read, read_sized};

fn parquet(columns: Vec<(&str, ArrayRef)>, rows_of_group: usize) -> OneFile {
    let file = OneFile::new("x.parquet", "");
    let batch =
        RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, a)| (n, a, true)))
            .unwrap();
    let properties =
        WriterProperties::builder().set_max_row_group_row_count(Some(rows_of_group)).build();
    let out = std::fs::File::create(&file.path).unwrap();
    let mut writer = ArrowWriter::try_new(out, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    file
}

#[test]
fn text_may_have_any_physical_type() {
    let values = [Some("one"), None, Some("drei \u{e9}")];
    let bytes: Vec<Option<&[u8]>> = values.iter().map(|v| v.map(str::as_bytes)).collect();
    let arrays: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from_iter(values)),
        Arc::new(LargeStringArray::from_iter(values)),
        Arc::new(StringViewArray::from_iter(values)),
        Arc::new(BinaryArray::from_iter(bytes.clone())),
        Arc::new(LargeBinaryArray::from_iter(bytes.clone())),
        Arc::new(BinaryViewArray::from_iter(bytes)),
        Arc::new(DictionaryArray::<Int32Type>::from_iter(values)),
    ];
    for array in arrays {
        let kind = array.data_type().clone();
        let read = parquet(vec![("text", Arc::clone(&array)), ("id", array)], 2).read();
        let found: Vec<_> = read.records.iter().map(|r| (r.record, r.text.as_str())).collect();
        assert_eq!(found, [(1, "one"), (3, "drei \u{e9}")], "{kind}");
        assert_eq!(read.ids(), ["one", "drei \u{e9}"], "{kind}");
        assert_eq!((read.problems.len(), read.problems[0].record), (1, 2), "{kind}");
    }
}

#[test]
fn numbers_and_dates_are_written_out() {
    let file = parquet(
        vec![
            ("text", Arc::new(StringArray::from(vec!["a", "b"]))),
            ("id", Arc::new(UInt64Array::from(vec![Some(u64::MAX), None]))),
            ("date", Arc::new(Date32Array::from(vec![Some(19_000), None]))),
            ("score", Arc::new(Float32Array::from(vec![Some(0.5), Some(f32::NAN)]))),
            ("rank", Arc::new(StringArray::from(vec!["7", "x"]))),
        ],
        10,
    );
    let fields = FieldNames {
        extra: vec!["score".into(), "rank".into(), "none".into()],
        ..FieldNames::default()
    };
    let read = read(&file.inputs(DiscoverOptions { fields, ..DiscoverOptions::default() }));
    assert_eq!(read.ids(), ["18446744073709551615", "-"]);
    assert_eq!(read.records[0].date.as_deref(), Some("2022-01-08"));
    assert_eq!(read.records[0].extra, [Some(0.5), Some(7.0), None]);
    assert_eq!(read.records[1].extra, [None, None, None]);
}

#[test]
fn columns_that_cannot_serve_are_one_problem() {
    let text: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
    let flag: ArrayRef = Arc::new(BooleanArray::from(vec![true]));
    let read = parquet(vec![("text", Arc::clone(&flag))], 10).read();
    assert!(read.messages()[0].contains("column `text` holds Boolean, not text"));
    let read = parquet(vec![("text", Arc::clone(&text)), ("id", flag)], 10).read();
    assert!(read.messages()[0].contains("--id-field"));
    let read = parquet(vec![("body", text)], 10).read();
    assert!(
        read.messages()[0]
            .contains("no column `text` or `html`, but body; name it with --text-field")
    );
}

#[test]
fn all_columns_and_only_the_fields_give_the_same_batches() {
    let rows = 5000_i32;
    let text = |i: i32| format!("text {i} {}", "x".repeat((i % 90) as usize));
    let file = parquet(
        vec![
            ("noise", Arc::new(Int32Array::from_iter_values(0..rows))),
            ("text", Arc::new(StringArray::from_iter_values((0..rows).map(text)))),
            ("label", Arc::new(StringArray::from_iter_values((0..rows).map(|i| i.to_string())))),
        ],
        1700,
    );
    let inputs = file.inputs(DiscoverOptions::default());
    for size in [1, 3000, 1 << 20] {
        assert_eq!(read_sized(&inputs, size), read(&inputs));
        let (mut rows, mut consumed) = (0, 0);
        for (all, some) in
            inputs.chunks().with_size(size).zip(inputs.chunks().with_size(size).only_fields())
        {
            let (all, some) = (all.unwrap(), some.unwrap());
            assert_eq!((all.first_record, all.consumed), (some.first_record, some.consumed));
            assert_eq!(texts(&inputs, &all), texts(&inputs, &some));
            let (Body::Batch(all_batch), Body::Batch(some_batch)) = (&all.body, &some.body) else {
                panic!()
            };
            assert_eq!((all_batch.num_columns(), some_batch.num_columns()), (3, 1));
            assert_eq!(all.first_record, rows + 1);
            rows += all_batch.num_rows() as u32;
            consumed += all.consumed;
        }
        assert_eq!(rows, 5000);
        assert!(consumed <= inputs.files[0].size);
        let count = |only: bool| match only {
            true => inputs.chunks().with_size(size).only_fields().count(),
            false => inputs.chunks().with_size(size).count(),
        };
        assert_eq!(count(true), count(false));
    }
}

fn texts(inputs: &Inputs, chunk: &lookalike_io::source::Chunk) -> Vec<String> {
    let mut texts = Vec::new();
    chunk.visit(inputs, &mut VisitScratch::default(), &mut |item| {
        if let Item::Record(record) = item {
            texts.push(format!("{:?}", record.content));
        }
    });
    texts
}

#[test]
fn no_damage_to_a_parquet_file_is_fatal() {
    let text = StringArray::from_iter_values((0..300).map(|i| format!("text number {i}")));
    let file = parquet(vec![("text", Arc::new(text.clone())), ("id", Arc::new(text))], 100);
    let good = std::fs::read(&file.path).unwrap();
    let quiet = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let mut seed = 1_u64;
    for round in 0..400 {
        let mut bad = good.clone();
        for _ in 0..=round % 4 {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let at = (seed >> 33) as usize % bad.len();
            bad[at] ^= (seed >> 20) as u8 | 1;
        }
        let read = OneFile::new("x.parquet", bad).read();
        assert!(read.records.len() <= 300);
    }
    std::panic::set_hook(quiet);
}
