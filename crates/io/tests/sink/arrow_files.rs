//! Arrow IPC in, Arrow IPC out: files and streams, compressed or not; damaged and cut off ones.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::builder::StringViewBuilder;
use arrow_array::types::{Float64Type, Int32Type};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Int32Array, Int64Array, RecordBatch, StringArray,
    StructArray, cast::AsArray,
};
use arrow_ipc::CompressionType;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::{DataType, Field, Fields, Schema};
use arrow_select::concat::concat_batches;
use lookalike_io::source::{Chunk, VisitScratch};
use lookalike_io::{
    Content, DiscoverOptions, FieldNames, Inputs, Item, MarkNames, Role, RouteOptions,
};

use crate::help::{Decide, in_turn, result, tree};

fn sample(rows: std::ops::Range<i64>) -> RecordBatch {
    let texts = rows.clone().map(|n| (n % 7 != 0).then(|| format!("text {n} \u{1F600}")));
    // Files have one dictionary for all batches, also for one without rows.
    let langs = DictionaryArray::<Int32Type>::new(
        rows.clone().map(|n| Some((n % 2) as i32)).collect::<Int32Array>(),
        Arc::new(StringArray::from(vec!["en", "de"])),
    );
    let mut views = StringViewBuilder::new();
    rows.clone().for_each(|n| views.append_value(format!("a view that is long enough {n}")));
    let urls: StringArray = rows.clone().map(|n| Some(format!("u{n}"))).collect();
    let url = Field::new("url", DataType::Utf8, true);
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", Arc::new(rows.map(Some).collect::<Int64Array>())),
        ("text", Arc::new(texts.collect::<StringArray>())),
        ("lang", Arc::new(langs)),
        ("view", Arc::new(views.finish())),
        ("meta", Arc::new(StructArray::new(Fields::from(vec![url]), vec![Arc::new(urls)], None))),
    ];
    let field = |(name, array): &(&str, ArrayRef)| {
        Field::new(*name, array.data_type().clone(), true)
            .with_metadata([("unit".to_owned(), (*name).to_owned())].into())
    };
    let metadata = ["a", "b", "pandas"].map(|key| (key.to_owned(), "{}".to_owned()));
    let fields: Vec<Field> = columns.iter().map(field).collect();
    let schema = Arc::new(Schema::new_with_metadata(fields, metadata.into()));
    RecordBatch::try_new(schema, columns.into_iter().map(|(_, array)| array).collect()).unwrap()
}

/// How a file is written.
#[derive(Debug, Clone, Copy)]
struct Kind {
    name: &'static str,
    stream: bool,
    compression: Option<CompressionType>,
}

const KINDS: [Kind; 6] = [
    Kind { name: "a.arrow", stream: false, compression: None },
    Kind { name: "a.feather", stream: false, compression: Some(CompressionType::LZ4_FRAME) },
    Kind { name: "a.ipc", stream: false, compression: Some(CompressionType::ZSTD) },
    Kind { name: "b.arrow", stream: true, compression: None },
    Kind { name: "a.arrows", stream: true, compression: Some(CompressionType::LZ4_FRAME) },
    Kind { name: "b.ipc", stream: true, compression: Some(CompressionType::ZSTD) },
];

fn written(kind: Kind, batches: &[RecordBatch]) -> Vec<u8> {
    let options = IpcWriteOptions::default().try_with_compression(kind.compression).unwrap();
    let schema = batches[0].schema();
    if kind.stream {
        let mut writer = StreamWriter::try_new_with_options(Vec::new(), &schema, options).unwrap();
        batches.iter().for_each(|batch| writer.write(batch).unwrap());
        return writer.into_inner().unwrap();
    }
    let mut writer = FileWriter::try_new_with_options(Vec::new(), &schema, options).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.into_inner().unwrap()
}

fn read(path: &Path, stream: bool) -> RecordBatch {
    let file = std::fs::File::open(path).unwrap();
    let (schema, batches): (_, Vec<RecordBatch>) = if stream {
        let reader = StreamReader::try_new(file, None).unwrap();
        (reader.schema(), reader.map(Result::unwrap).collect())
    } else {
        let reader = FileReader::try_new(file, None).unwrap();
        (reader.schema(), reader.map(Result::unwrap).collect())
    };
    concat_batches(&schema, &batches).unwrap()
}

fn discovered(path: &Path, fields: FieldNames) -> Inputs {
    let options = DiscoverOptions { fields, ..DiscoverOptions::default() };
    Inputs::discover(&[path.display().to_string()], options).unwrap()
}

fn nested() -> FieldNames {
    FieldNames { url: "meta.url".into(), ..FieldNames::default() }
}

/// What a reading gives: texts and URLs by record, and problems.
fn visited(inputs: &Inputs, size: usize) -> (BTreeMap<u32, (String, String)>, Vec<String>) {
    let (mut records, mut problems) = (BTreeMap::new(), Vec::new());
    let mut scratch = VisitScratch::default();
    for chunk in inputs.chunks().with_size(size) {
        match chunk.whole() {
            Err(problem) => problems.push(problem.to_string()),
            Ok(chunk) => chunk.visit(inputs, &mut scratch, &mut |item| match item {
                Item::Record(record) => {
                    let Content::Text(text) = record.content else { panic!("no text") };
                    let url = record.url.unwrap_or_default().into_owned();
                    records.insert(record.record, (text.into_owned(), url));
                }
                Item::Bad(problem) => problems.push(problem.to_string()),
                Item::Failed(failure) => panic!("{failure}"),
            }),
        }
    }
    (records, problems)
}

#[test]
fn rows_are_read_and_parted_and_everything_else_stays() {
    let batches = [sample(0..1500), sample(1500..1500), sample(1500..1503)];
    let whole = concat_batches(&batches[0].schema(), &batches).unwrap();
    for kind in KINDS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(kind.name);
        std::fs::write(&path, written(kind, &batches)).unwrap();
        let inputs = discovered(&path, nested());
        for size in [1, 1000, 2 << 20] {
            let (records, problems) = visited(&inputs, size);
            assert_eq!(problems.len(), 1503usize.div_ceil(7), "{kind:?}");
            assert_eq!(records.len() + problems.len(), 1503);
            assert_eq!(records[&1503], ("text 1502 \u{1F600}".to_owned(), "u1502".to_owned()));
        }
        let end = Path::new(kind.name).extension().unwrap().to_str().unwrap();
        let output = |role: Role| PathBuf::from(format!("out/{}.{end}", role.name()));
        let mut bytes = Vec::new();
        for _ in 0..2 {
            let chunks: Vec<Chunk> =
                inputs.chunks().with_size(5000).map(|piece| piece.whole().unwrap()).collect();
            let options = RouteOptions::default();
            let (out, written) =
                result(folder.path(), &inputs, &chunks, &Decide(in_turn), &options);
            bytes.push(
                tree(&out).iter().map(|n| std::fs::read(out.join(n)).unwrap()).collect::<Vec<_>>(),
            );
            for (at, role) in [Role::Kept, Role::Removed, Role::Rejected].into_iter().enumerate() {
                let part = read(&folder.path().join(output(role)), kind.stream);
                assert_eq!(part.schema(), whole.schema(), "{kind:?}");
                assert_eq!(part.num_rows() as u64, written.records(role));
                let rows: Vec<RecordBatch> =
                    (at..1503).step_by(3).map(|row| whole.slice(row, 1)).collect();
                assert_eq!(part, concat_batches(&whole.schema(), &rows).unwrap(), "{kind:?}");
            }
        }
        assert!(bytes[0] == bytes[1], "{kind:?}");
        // Compressed as the input is: about as large.
        let size = std::fs::metadata(folder.path().join(output(Role::Kept))).unwrap().len();
        let input = std::fs::metadata(&path).unwrap().len();
        assert!(size < input * 2 / 3 && size > input / 8, "{kind:?}: {size} of {input}");
    }
}

#[test]
fn marks_are_columns_and_nothing_kept_is_a_file_with_a_schema() {
    for kind in KINDS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(kind.name);
        std::fs::write(&path, written(kind, &[sample(0..30)])).unwrap();
        let inputs = discovered(&path, nested());
        let chunks: Vec<Chunk> = inputs.chunks().map(|piece| piece.whole().unwrap()).collect();
        let end = Path::new(kind.name).extension().unwrap().to_str().unwrap();
        let mark = RouteOptions { mark: Some(MarkNames::default()), ..RouteOptions::default() };
        let (out, _) = result(folder.path(), &inputs, &chunks, &Decide(in_turn), &mark);
        let marked = read(&out.join(format!("marked.{end}")), kind.stream);
        assert_eq!(marked.num_rows(), 20);
        let values = marked.column_by_name("resemblance").unwrap();
        let values: Vec<Option<f64>> = values.as_primitive::<Float64Type>().iter().collect();
        assert_eq!(values[..4], [None, Some(0.875), None, Some(0.875)]);
        let plain = RouteOptions::default();
        let (out, _) = result(folder.path(), &inputs, &[], &Decide(in_turn), &plain);
        let kept = read(&out.join(format!("kept.{end}")), kind.stream);
        assert_eq!((kept.num_rows(), kept.schema()), (0, sample(0..1).schema()));
    }
}

/// Dictionaries that differ from batch to batch, which only a stream can have.
#[test]
fn dictionaries_of_a_stream_may_change() {
    let batch = |words: &[&str]| {
        let lang: DictionaryArray<Int32Type> = words.iter().copied().collect();
        let text: StringArray = words.iter().map(|word| Some(format!("text {word}"))).collect();
        let schema = Schema::new(vec![
            Field::new("lang", lang.data_type().clone(), true),
            Field::new("text", DataType::Utf8, true),
        ]);
        RecordBatch::try_new(Arc::new(schema), vec![Arc::new(lang), Arc::new(text)]).unwrap()
    };
    let batches = [batch(&["en", "de"]), batch(&["fr", "en", "fr"]), batch(&["it"])];
    let kind = KINDS[3];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(kind.name);
    std::fs::write(&path, written(kind, &batches)).unwrap();
    let inputs = discovered(&path, FieldNames::default());
    let chunks: Vec<Chunk> = inputs.chunks().map(|piece| piece.whole().unwrap()).collect();
    let options = RouteOptions::default();
    let (out, _) = result(folder.path(), &inputs, &chunks, &Decide(in_turn), &options);
    let kept = read(&out.join("kept.arrow"), true);
    let langs = arrow_cast::cast(kept.column(0), &DataType::Utf8).unwrap();
    let langs: Vec<Option<&str>> = langs.as_string::<i32>().iter().collect();
    assert_eq!(langs, [Some("en"), Some("en")]);
}

#[test]
fn a_cut_off_file_is_unreadable_and_never_a_panic() {
    for kind in KINDS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(kind.name);
        let whole = written(kind, &[sample(0..40), sample(40..60)]);
        for length in (1..whole.len()).step_by(61).chain([whole.len() - 1]) {
            std::fs::write(&path, &whole[..length]).unwrap();
            let (records, problems) = visited(&discovered(&path, nested()), 2 << 20);
            // A stream without its end mark is whole all the same.
            let only_end = kind.stream && length + 8 >= whole.len();
            let bad = problems.iter().filter(|problem| !problem.contains("is null")).count();
            assert!(
                bad == 1 || only_end || records.is_empty() || kind.stream,
                "{kind:?} {length}: {problems:?}"
            );
            assert!(kind.stream || bad == 1, "{kind:?} {length}: {problems:?}");
            for problem in &problems {
                assert!(problem.contains("; "), "what to do: {problem}");
            }
        }
        std::fs::write(&path, "").unwrap();
        assert_eq!(visited(&discovered(&path, nested()), 1), (BTreeMap::new(), Vec::new()));
    }
}

#[test]
fn damage_is_a_problem_and_never_a_panic() {
    let mut random = 7u64;
    let mut next = move |most: usize| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 33) as usize % most
    };
    for kind in KINDS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(kind.name);
        let whole = written(kind, &[sample(0..40), sample(40..60)]);
        for _ in 0..300 {
            let mut damaged = whole.clone();
            for _ in 0..=next(4) {
                let at = next(damaged.len());
                damaged[at] = [0, 0xff, 0x7f, next(256) as u8][next(4)];
            }
            std::fs::write(&path, &damaged).unwrap();
            let (records, problems) = visited(&discovered(&path, nested()), 2 << 20);
            assert!(records.len() + problems.len() <= 70, "{kind:?}");
        }
    }
}

#[test]
fn other_files_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.feather");
    for (content, words) in [
        (&b"FEA1 of old"[..], "version 1"),
        (&b"PAR1 and more"[..], "of another form"),
        (&b"{\"text\":\"a\"}\n"[..], "of another form"),
        (&b"ARROW1"[..], "cut off"),
        (&b"ARROW1\0\0\xff\xff\xff\x7fARROW1"[..], "damaged"),
    ] {
        std::fs::write(&path, content).unwrap();
        let (records, problems) = visited(&discovered(&path, nested()), 1);
        assert!(records.is_empty() && problems.len() == 1);
        assert!(problems[0].contains(words), "{}", problems[0]);
    }
}
