//! Parquet in, Parquet out: all columns, the schema, its metadata and the codecs.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Int32Array, Int64Array, RecordBatch, StringArray,
    TimestampMicrosecondArray,
};
use arrow_schema::{DataType, Field, Schema};
use arrow_select::concat::concat_batches;
use lookalike_io::source::{Body, Chunk};
use lookalike_io::{
    Compression, Fate, Format, MarkNames, OutputError, Role, RouteOptions, Staging,
};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression as Codec;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::schema::types::ColumnPath;

use crate::help::{Decide, chunk, in_turn, input, inputs, result, tree, write};

fn sample(rows: usize) -> RecordBatch {
    let mut tags = ListBuilder::new(StringBuilder::new());
    for row in 0..rows {
        for tag in 0..row % 3 {
            tags.values().append_value(format!("t{tag}"));
        }
        tags.append(row % 5 != 0);
    }
    let numbers = 0..rows as i64;
    let texts = numbers.clone().map(|n| (n % 7 != 0).then(|| format!("text {n} \u{1F600}")));
    let langs: DictionaryArray<arrow_array::types::Int32Type> =
        numbers.clone().map(|n| if n % 2 == 0 { "en" } else { "de" }).collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", Arc::new(numbers.clone().map(Some).collect::<Int64Array>())),
        ("text", Arc::new(texts.collect::<StringArray>())),
        ("tags", Arc::new(tags.finish())),
        ("lang", Arc::new(langs)),
        (
            "seen",
            Arc::new(TimestampMicrosecondArray::from_iter_values(numbers).with_timezone("UTC")),
        ),
    ];
    let fields: Vec<Field> = columns
        .iter()
        .map(|(name, array)| {
            let field = Field::new(*name, array.data_type().clone(), true);
            field.with_metadata([("unit".to_string(), name.to_string())].into())
        })
        .collect();
    let metadata = [("huggingface".to_string(), "{\"info\":{}}".to_string())].into();
    let schema = Arc::new(Schema::new_with_metadata(fields, metadata));
    RecordBatch::try_new(schema, columns.into_iter().map(|(_, array)| array).collect()).unwrap()
}

fn write_input(path: &Path, batch: &RecordBatch) {
    let properties = WriterProperties::builder()
        .set_compression(Codec::SNAPPY)
        .set_column_compression(ColumnPath::from("id"), Codec::UNCOMPRESSED)
        .set_key_value_metadata(Some(vec![KeyValue::new("pandas".into(), "{}".to_string())]))
        .build();
    let file = File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

fn read(path: &Path) -> RecordBatch {
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    let schema = reader.schema().clone();
    let batches: Vec<_> = reader.build().unwrap().map(Result::unwrap).collect();
    concat_batches(&schema, &batches).unwrap()
}

/// The file in chunks of `size` rows, as read.
fn parquet_chunks(path: &Path, size: usize) -> Vec<Chunk> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    let mut first = 1;
    reader
        .with_batch_size(size)
        .build()
        .unwrap()
        .map(|batch| {
            let batch = batch.unwrap();
            let rows = batch.num_rows() as u32;
            let chunk = chunk(0, first, 0, Body::Batch(batch));
            first += rows;
            chunk
        })
        .collect()
}

#[test]
fn rows_are_parted_and_everything_else_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("docs.parquet");
    let batch = sample(100);
    write_input(&path, &batch);
    let inputs = inputs(vec![input(&path, Format::PARQUET, Compression::None)]);
    let chunks = parquet_chunks(&path, 32);
    let (out, written) =
        result(folder.path(), &inputs, &chunks, &Decide(in_turn), &RouteOptions::default());
    let whole = read(&path);
    for (at, role) in [Role::Kept, Role::Removed, Role::Rejected].into_iter().enumerate() {
        let part = read(&out.join(format!("{}.parquet", role.name())));
        assert_eq!(part.schema(), whole.schema());
        assert_eq!(part.num_rows() as u64, written.records(role));
        let rows: Vec<RecordBatch> = (at..100).step_by(3).map(|row| whole.slice(row, 1)).collect();
        assert_eq!(part, concat_batches(&whole.schema(), &rows).unwrap());
    }
    let file = File::open(out.join("kept.parquet")).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let columns = reader.metadata().row_group(0).columns();
    assert_eq!(columns[0].compression(), Codec::UNCOMPRESSED);
    assert_eq!(columns[1].compression(), Codec::SNAPPY);
    let original = ParquetRecordBatchReaderBuilder::try_new(File::open(&path).unwrap()).unwrap();
    let (ours, theirs) = (reader.metadata().file_metadata(), original.metadata().file_metadata());
    assert_eq!(ours.key_value_metadata(), theirs.key_value_metadata());
    assert_eq!(ours.schema(), theirs.schema());
}

#[test]
fn the_same_chunks_give_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("docs.parquet");
    write_input(&path, &sample(1000));
    let inputs = inputs(vec![input(&path, Format::PARQUET, Compression::None)]);
    for options in [
        RouteOptions::default(),
        RouteOptions { mark: Some(MarkNames::default()), ..Default::default() },
    ] {
        let bytes = || {
            let chunks = parquet_chunks(&path, 100);
            let (out, _) = result(folder.path(), &inputs, &chunks, &Decide(in_turn), &options);
            tree(&out).iter().map(|name| std::fs::read(out.join(name)).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(bytes(), bytes());
    }
}

#[test]
fn nothing_kept_is_a_file_with_a_schema() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("docs.parquet");
    write_input(&path, &sample(4));
    let inputs = inputs(vec![input(&path, Format::PARQUET, Compression::None)]);
    let fates = Decide(|_, _| Fate::Removed);
    for chunks in [parquet_chunks(&path, 4), Vec::new()] {
        let (out, _) = result(folder.path(), &inputs, &chunks, &fates, &RouteOptions::default());
        let kept = read(&out.join("kept.parquet"));
        assert_eq!(kept.num_rows(), 0);
        assert_eq!(kept.schema(), read(&path).schema());
    }
}

#[test]
fn a_damaged_file_without_records_has_no_outputs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("docs.parquet");
    std::fs::write(&path, "PAR1 but not really").unwrap();
    let inputs = inputs(vec![input(&path, Format::PARQUET, Compression::None)]);
    let (out, _) = result(folder.path(), &inputs, &[], &Decide(in_turn), &RouteOptions::default());
    assert_eq!(tree(&out), ["summary.json"]);
}

#[test]
fn marks_are_nullable_columns() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("docs.parquet");
    write_input(&path, &sample(7));
    let inputs = inputs(vec![input(&path, Format::PARQUET, Compression::None)]);
    let options = RouteOptions { mark: Some(MarkNames::default()), ..Default::default() };
    let chunks = parquet_chunks(&path, 3);
    let (out, _) = result(folder.path(), &inputs, &chunks, &Decide(in_turn), &options);
    let marked = read(&out.join("marked.parquet"));
    let whole = read(&path);
    assert_eq!(marked.num_rows(), 5);
    assert_eq!(marked.schema().metadata(), whole.schema().metadata());
    assert_eq!(marked.num_columns(), whole.num_columns() + 7);
    for (ours, theirs) in marked.schema().fields().iter().zip(whole.schema().fields()) {
        assert_eq!(ours, theirs);
    }
    let field = |name: &str| marked.schema().field_with_name(name).unwrap().clone();
    assert_eq!(field("resemblance"), Field::new("resemblance", DataType::Float64, true));
    assert_eq!(field("duplicate_of_record").data_type(), &DataType::Int64);
    let records = marked["duplicate_of_record"].as_primitive::<Int64Type>();
    assert_eq!(records.iter().collect::<Vec<_>>(), [None, Some(3), None, Some(3), None]);
    assert_eq!(marked["duplicate_of_file"].as_string::<i32>().value(1), "a.csv");
    let originals = marked["duplicate_of"].as_string::<i32>().iter().collect::<Vec<_>>();
    let first = Some("the \"first\"");
    assert_eq!(originals, [None, first, None, first, None]);
    let resemblances = marked["resemblance"].as_primitive::<Float64Type>();
    assert_eq!(resemblances.iter().flatten().collect::<Vec<_>>(), [0.875, 0.875]);
    let removed = marked["is_duplicate"].as_boolean().iter().flatten().collect::<Vec<_>>();
    assert_eq!(removed, [false, true, false, true, false]);
    let represented = marked["duplicates"].as_primitive::<Int64Type>();
    assert_eq!(represented.iter().collect::<Vec<_>>(), [Some(1), None, Some(1), None, Some(1)]);
    assert_eq!(marked["cluster"].as_primitive::<Int64Type>().value(0), 4);
    assert_eq!(read(&out.join("rejected.parquet")).schema(), whole.schema());

    // With no chunks at all the schema is still the marked one.
    let (out, _) = result(folder.path(), &inputs, &[], &Decide(in_turn), &options);
    assert_eq!(read(&out.join("marked.parquet")).schema(), marked.schema());
}

#[test]
fn a_table_that_has_such_a_column_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("docs.parquet");
    let cluster = Arc::new(Int32Array::from(vec![1, 2])) as ArrayRef;
    write_input(&path, &RecordBatch::try_from_iter([("cluster", cluster)]).unwrap());
    let inputs = inputs(vec![input(&path, Format::PARQUET, Compression::None)]);
    let options = RouteOptions { mark: Some(MarkNames::default()), ..Default::default() };
    let staging = Staging::create(&folder.path().join("out"), false).unwrap();
    let chunks = parquet_chunks(&path, 3);
    let error = write(&staging, &inputs, &chunks, &Decide(in_turn), &options).unwrap_err();
    assert!(matches!(&error, OutputError::FieldTaken { line: 0, .. }));
    assert!(error.to_string().starts_with("docs.parquet: has a field `cluster` already"));
}
