//! Parquet: types of columns, batches, projection.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::*;
use arrow_schema::{DataType, Field, Schema};
use lookalike_io::source::{Body, VisitScratch};
use lookalike_io::{DiscoverOptions, FieldNames, FieldNumber, Inputs, Item};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
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
            ("flag", Arc::new(BooleanArray::from(vec![Some(true), None]))),
        ],
        10,
    );
    let fields = FieldNames {
        extra: ["score", "rank", "none", "flag"].map(String::from).to_vec(),
        ..FieldNames::default()
    };
    let read = read(&file.inputs(DiscoverOptions { fields, ..DiscoverOptions::default() }));
    assert_eq!(read.ids(), ["18446744073709551615", "-"]);
    assert_eq!(read.records[0].date.as_deref(), Some("2022-01-08"));
    use FieldNumber::{Missing, Number};
    assert_eq!(read.records[0].extra, [Number(0.5), Number(7.0), Missing, FieldNumber::of("true")]);
    assert_eq!(read.records[1].extra, [Missing, FieldNumber::of("x"), Missing, Missing]);
}

#[test]
fn given_values_of_columns() {
    let mut list = builder::ListBuilder::new(builder::StringBuilder::new());
    list.append_value([Some("x"), Some("y")]);
    list.append_null();
    let file = parquet(
        vec![
            ("text", Arc::new(StringArray::from(vec!["a", "b"]))),
            ("tags", Arc::new(list.finish())),
            ("rank", Arc::new(Int64Array::from(vec![Some(7), None]))),
            ("flag", Arc::new(BooleanArray::from(vec![Some(true), None]))),
        ],
        10,
    );
    let given = ["flag", "tags", "rank", "text", "none"].map(String::from).to_vec();
    let fields = FieldNames { given, ..FieldNames::default() };
    let read = read(&file.inputs(DiscoverOptions { fields, ..DiscoverOptions::default() }));
    let of = |record: usize, field| read.records[record].given.of(field).collect::<Vec<_>>();
    assert_eq!((of(0, 0), of(0, 1), of(0, 2)), (vec!["true"], vec!["x", "y"], vec!["7"]));
    assert_eq!((of(0, 3), of(0, 4), of(1, 1), of(1, 2)), (vec!["a"], vec![], vec![], vec![]));
}

#[test]
fn columns_that_cannot_serve_are_one_problem() {
    let text: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
    let flag: ArrayRef = Arc::new(BooleanArray::from(vec![true]));
    let read = parquet(vec![("text", Arc::clone(&flag))], 10).read();
    assert!(read.messages()[0].contains("column `text` holds Boolean, not text"));
    let read = parquet(vec![("text", Arc::clone(&text)), ("id", flag)], 10).read();
    assert_eq!(read.ids(), ["true"]);
    let read = parquet(vec![("body", text)], 10).read();
    assert!(read.messages()[0].contains(
        "no column `text` or `html`, but body (did you mean `body`?); name it with the setting text_field"
    ));
}

/// A table of three texts, with a column `id`.
fn with_ids(ids: ArrayRef) -> OneFile {
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["a", "b", "c"]));
    parquet(vec![("text", texts), ("id", ids)], 2)
}

#[test]
fn ids_of_any_type_are_texts() {
    let bytes = |values: [Option<&'static [u8]>; 3]| Arc::new(BinaryArray::from_iter(values));
    let decimals = Decimal128Array::from(vec![Some(150), None, Some(-7)]);
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>([
        Some(vec![Some(1), Some(2)]),
        None,
        Some(vec![Some(7); 200]),
    ]);
    let field = Arc::new(Field::new("a", DataType::Int32, true));
    let structs =
        StructArray::from(vec![(field, Arc::new(Int32Array::from(vec![1, 2, 3])) as ArrayRef)]);
    let keyed: DictionaryArray<Int32Type> = [Some("x"), None, Some("x")].into_iter().collect();
    let columns: Vec<(ArrayRef, [&str; 3])> = vec![
        (bytes([Some(b"\xff\x00"), None, Some(b"ok")]), ["ff00", "-", "ok"]),
        (Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)])), ["true", "-", "false"]),
        (Arc::new(Float64Array::from(vec![Some(1.5), None, Some(2.0)])), ["1.5", "-", "2.0"]),
        (Arc::new(decimals.with_precision_and_scale(9, 2).unwrap()), ["1.50", "-", "-0.07"]),
        (
            Arc::new(Date32Array::from(vec![Some(19_000), None, Some(0)])),
            ["2022-01-08", "-", "1970-01-01"],
        ),
        (
            Arc::new(TimestampMillisecondArray::from(vec![Some(0), None, Some(1500)])),
            ["1970-01-01T00:00:00", "-", "1970-01-01T00:00:01.500"],
        ),
        (
            Arc::new(Time32SecondArray::from(vec![Some(1), None, Some(2)])),
            ["00:00:01", "-", "00:00:02"],
        ),
        (Arc::new(keyed), ["x", "-", "x"]),
        (Arc::new(lists), ["[1, 2]", "-", "-"]),
        (Arc::new(structs), ["{a: 1}", "{a: 2}", "{a: 3}"]),
    ];
    for (ids, expected) in columns {
        let kind = ids.data_type().clone();
        let read = with_ids(ids).read();
        assert_eq!(read.messages(), [""; 0], "{kind}");
        assert_eq!(read.ids(), expected, "{kind}");
    }
}

#[test]
fn nested_values_that_are_named_as_the_id_are_refused() {
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1)])]);
    let text: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
    let file = parquet(vec![("text", text), ("key", Arc::new(lists))], 10);
    let fields = FieldNames { id: "key".into(), ..FieldNames::default() };
    let read = read(&file.inputs(DiscoverOptions { fields, ..DiscoverOptions::default() }));
    assert!(read.messages()[0].contains("which is no id; name the id with the setting id_field"));
}

/// A table with a column `id` of UUIDs, written as Parquet and as Arrow.
fn uuid_tables() -> [OneFile; 2] {
    let bytes: Vec<[u8; 16]> = (0..3u8).map(|n| [n * 100; 16]).collect();
    let ids = FixedSizeBinaryArray::try_from_iter(bytes.iter()).unwrap();
    let uuid = Field::new("id", DataType::FixedSizeBinary(16), true)
        .with_extension_type(arrow_schema::extension::Uuid);
    let schema = Schema::new(vec![uuid, Field::new("text", DataType::Utf8, true)]);
    let texts = StringArray::from(vec!["a", "b", "c"]);
    let batch =
        RecordBatch::try_new(Arc::new(schema), vec![Arc::new(ids), Arc::new(texts)]).unwrap();
    let [parquet, arrow] = ["x.parquet", "x.arrow"].map(|name| OneFile::new(name, ""));
    let out = std::fs::File::create(&parquet.path).unwrap();
    // The logical type says it alone, as in files of other writers.
    let options = ArrowWriterOptions::new().with_skip_arrow_metadata(true);
    let mut writer = ArrowWriter::try_new_with_options(out, batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let out = std::fs::File::create(&arrow.path).unwrap();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(out, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    [parquet, arrow]
}

#[test]
fn uuids_are_texts_wherever_they_are_read() {
    let expected = [
        "00000000-0000-0000-0000-000000000000",
        "64646464-6464-6464-6464-646464646464",
        "c8c8c8c8-c8c8-c8c8-c8c8-c8c8c8c8c8c8",
    ];
    for file in uuid_tables() {
        assert_eq!(file.read().ids(), expected);
        let fields = FieldNames { given: vec!["id".into()], ..FieldNames::default() };
        let read = read(&file.inputs(DiscoverOptions { fields, ..DiscoverOptions::default() }));
        let given: Vec<_> = read.records.iter().flat_map(|record| record.given.of(0)).collect();
        assert_eq!(given, expected);
    }
}

#[test]
fn a_name_that_two_columns_have_is_refused_if_it_is_used() {
    let array = || Arc::new(StringArray::from(vec!["a", "b"])) as ArrayRef;
    let table = |names: &[&str]| parquet(names.iter().map(|name| (*name, array())).collect(), 10);
    for names in [&["text", "text"][..], &["text", "id", "id"], &["text", "x", "date", "date"]] {
        let read = table(names).read();
        assert_eq!(read.records.len(), 0);
        assert!(read.messages()[0].contains("has two columns `"), "{:?}", read.messages());
    }
    assert_eq!(table(&["text", "x", "x"]).read().records.len(), 2);
    let batch = RecordBatch::try_from_iter([("text", array()), ("text", array())]).unwrap();
    let refused = lookalike_io::source::check_batch(&batch, &FieldNames::default());
    assert!(refused.unwrap_err().contains("two columns `text`"));
}

#[test]
fn the_values_of_a_dictionary_are_not_repeated() {
    let long = "x".repeat(1 << 20);
    let rows = 300;
    let keyed: DictionaryArray<Int32Type> = (0..rows).map(|_| Some(long.as_str())).collect();
    let noise: ArrayRef = Arc::new(StringArray::from_iter_values((0..rows).map(|n| n.to_string())));
    // Parquet decodes the values of each batch; its size is bounded.
    let plain = arrow_cast::cast(&keyed, &DataType::Utf8).unwrap();
    let file = OneFile::new("x.parquet", "");
    let batch = RecordBatch::try_from_iter([("note", plain), ("text", noise)]).unwrap();
    let properties = WriterProperties::builder().set_dictionary_page_size_limit(8 << 20).build();
    let out = std::fs::File::create(&file.path).unwrap();
    let mut writer = ArrowWriter::try_new(out, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    assert!(std::fs::metadata(&file.path).unwrap().len() < 3 << 20);
    for chunk in file.inputs(DiscoverOptions::default()).chunks() {
        let Body::Batch(batch) = chunk.whole().unwrap().body else { panic!() };
        assert!(batch.num_rows() <= 8, "{}", batch.num_rows());
    }
    // Arrow's are cut into chunks without being copied.
    let batch = RecordBatch::try_from_iter([("text", Arc::new(keyed) as ArrayRef)]).unwrap();
    let slices = lookalike_io::source::cut_batch(&batch, &FieldNames::default(), 2 << 20, 1024);
    assert_eq!(slices.len(), rows as usize / 2);
}

#[test]
fn columns_without_a_type_hold_missing_values() {
    let null: ArrayRef = Arc::new(NullArray::new(2));
    let text: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None]));
    let named = |extra: &str| FieldNames {
        extra: vec![extra.into()],
        given: vec![extra.into()],
        ..FieldNames::default()
    };
    let with = |columns, fields| {
        let options = DiscoverOptions { fields, ..DiscoverOptions::default() };
        read(&parquet(columns, 10).inputs(options))
    };
    let columns = ["id", "html", "url", "title", "date", "x"].map(|name| (name, Arc::clone(&null)));
    let columns = [("text", Arc::clone(&text))].into_iter().chain(columns).collect();
    let found = with(columns, named("x"));
    assert_eq!(found.records.len(), 1);
    assert_eq!(found.records[0].extra, [FieldNumber::Missing]);
    assert_eq!(found.records[0].given.of(0).count(), 0);
    let said = found.messages();
    assert!(
        said.len() == 1 && said[0].contains("`text` is null and there is no `html`"),
        "{said:?}"
    );

    // HTML stands in for such a column, and each record without any is bad.
    let found = with(vec![("text", Arc::clone(&null)), ("html", text)], FieldNames::default());
    assert_eq!((found.records.len(), found.problems.len()), (1, 1));
    let features = FieldNames { features: Some("text".into()), ..FieldNames::default() };
    let joined = FieldNames { join_lists: Some(" ".into()), ..FieldNames::default() };
    for fields in [FieldNames::default(), features, joined] {
        let found = with(vec![("text", Arc::clone(&null))], fields);
        assert_eq!((found.records.len(), found.problems.len()), (0, 2), "{found:?}");
        assert!(found.problems.iter().all(|problem| !problem.unreadable), "{found:?}");
    }
}

#[test]
fn a_column_html_that_is_something_else_is_not_read() {
    let text: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None]));
    let html: ArrayRef = Arc::new(Int64Array::from(vec![5, 6]));
    let file = parquet(vec![("text", text), ("html", Arc::clone(&html))], 10);
    let found = file.read();
    assert_eq!((found.records.len(), found.problems.len()), (1, 1), "{found:?}");
    // It may have another use.
    let fields = FieldNames { id: "html".into(), ..FieldNames::default() };
    let found = read(&file.inputs(DiscoverOptions { fields, ..DiscoverOptions::default() }));
    assert_eq!(found.ids(), ["5"]);
    let found = parquet(vec![("html", html)], 10).read();
    assert!(found.messages()[0].contains("column `html` holds Int64, not text"), "{found:?}");
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
            let (all, some) = (all.whole().unwrap(), some.whole().unwrap());
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

/// Small files with what decoders take different ways: encodings, pages, nulls, nesting,
/// compression.
fn small_files() -> Vec<Vec<u8>> {
    use parquet::basic::{Compression, Encoding};
    use parquet::file::properties::{EnabledStatistics, WriterVersion};
    let rows = 0..300;
    let text = |i: i32| (i % 17 != 3).then(|| format!("text number {} of some", i % 40));
    let texts = StringArray::from_iter(rows.clone().map(text));
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>(
        rows.clone().map(|i| (i % 5 != 0).then(|| (0..i % 4).map(Some))),
    );
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("text", Arc::new(texts.clone())),
        ("id", Arc::new(Int64Array::from_iter_values(rows.clone().map(i64::from)))),
        ("url", Arc::new(BinaryViewArray::from_iter(rows.clone().map(|i| text(i * 3))))),
        ("tags", Arc::new(lists)),
        ("score", Arc::new(Float32Array::from_iter(rows.map(|i| (i % 3 > 0).then_some(i as f32))))),
    ];
    let columns = columns.into_iter().map(|(name, array)| (name, array, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    let properties = || WriterProperties::builder().set_max_row_group_row_count(Some(110));
    let small_pages = || properties().set_data_page_row_count_limit(20).set_write_batch_size(10);
    let all = [
        properties(),
        small_pages().set_compression(Compression::SNAPPY),
        small_pages().set_writer_version(WriterVersion::PARQUET_2_0),
        properties()
            .set_dictionary_enabled(false)
            .set_column_encoding("text".into(), Encoding::DELTA_BYTE_ARRAY)
            .set_column_encoding("id".into(), Encoding::DELTA_BINARY_PACKED)
            .set_column_encoding("score".into(), Encoding::BYTE_STREAM_SPLIT),
        properties()
            .set_dictionary_enabled(false)
            .set_statistics_enabled(EnabledStatistics::None)
            .set_column_encoding("text".into(), Encoding::DELTA_LENGTH_BYTE_ARRAY)
            .set_compression(Compression::ZSTD(Default::default())),
    ];
    let write = |properties: parquet::file::properties::WriterPropertiesBuilder| {
        let mut bytes = Vec::new();
        let mut writer =
            ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties.build())).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        bytes
    };
    all.into_iter().map(write).collect()
}

/// Bytes changed anywhere, in the footer, or cut off, at hundreds of seeded places. The good file
/// beside the damaged one is read in whole, each time.
#[test]
fn no_damage_to_a_parquet_file_is_fatal() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.jsonl"), "{\"text\":\"good\"}\n").unwrap();
    let mut seed = 1_u64;
    let mut random = move |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    let (mut unreadable, mut whole) = (0, 0);
    for good in small_files() {
        let footer = u32::from_le_bytes(good[good.len() - 8..][..4].try_into().unwrap()) as usize;
        for round in 0..300 {
            let mut bad = good.clone();
            match round % 6 {
                0 => bad.truncate(random(good.len())),
                part => {
                    let from = if part % 2 == 0 { good.len() - footer - 8 } else { 0 };
                    for _ in 0..part.min(3) {
                        bad[from + random(good.len() - from)] ^= random(255) as u8 + 1;
                    }
                }
            }
            std::fs::write(folder.path().join("b.parquet"), bad).unwrap();
            let inputs = crate::help::discover(folder.path());
            let read = read(&inputs);
            assert_eq!(read.records[0].text, "good");
            assert!(read.records.len() <= 301, "{}", read.records.len());
            let lost = read.problems.iter().filter(|problem| problem.unreadable).count();
            assert!(lost <= 1, "{:?}", read.messages());
            unreadable += lost;
            whole += usize::from(lost == 0);
        }
    }
    // Both have to happen for this to test anything.
    assert!(unreadable > 100 && whole > 10, "{unreadable} unreadable, {whole} whole");
}
