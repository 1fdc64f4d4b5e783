//! Inputs, chunks and decisions for the tests.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lookalike_io::source::{Body, Chunk, CsvHeader, Piece};
use lookalike_io::{
    Compression, CsvDialect, DiscoverOptions, DocumentsWriter, Fate, Fates, Format, InputFile,
    Inputs, Mark, MarkValue, OutputError, RouteOptions, Routed, Staging, WrittenFiles,
};

pub(crate) const COMPRESSIONS: [Compression; 5] =
    [Compression::None, Compression::Gzip, Compression::Zstd, Compression::Bzip2, Compression::Xz];

pub(crate) fn input(path: impl AsRef<Path>, format: Format, compression: Compression) -> InputFile {
    let path = path.as_ref();
    InputFile {
        path: path.to_path_buf(),
        name: path.file_name().unwrap().to_string_lossy().into_owned(),
        relative: path.file_name().unwrap().into(),
        format,
        compression,
        size: 0,
        modified: None,
        object: None,
        damage: None,
        partitions: lookalike_io::Partitions::default(),
        argument: String::new(),
    }
}

pub(crate) fn inputs(files: Vec<InputFile>) -> Inputs {
    Inputs::from_files(files, DiscoverOptions::default())
}

/// Lines (or rows, if there is a header) cut into chunks after every `size` records.
pub(crate) fn chunks(
    file: u32,
    records: &[Vec<u8>],
    size: usize,
    header: Option<&Arc<CsvHeader>>,
) -> Vec<Chunk> {
    let mut first = 1;
    let mut line = if header.is_some() { 2 } else { 1 };
    records
        .chunks(size)
        .map(|records| {
            let data = records.concat();
            let lines = data.iter().filter(|b| **b == b'\n').count() as u64;
            let starts = records
                .iter()
                .scan(0, |at, record| Some(std::mem::replace(at, *at + record.len())))
                .collect();
            let body = match header {
                Some(header) => Body::Rows { data, starts, header: Arc::clone(header) },
                None => Body::Lines(data),
            };
            let chunk = chunk(file, first, line, body);
            first += records.iter().filter(|r| !r.trim_ascii().is_empty()).count() as u32;
            line += lines;
            chunk
        })
        .collect()
}

pub(crate) fn chunk(file: u32, first_record: u32, first_line: u64, body: Body) -> Chunk {
    Chunk { file, first_record, first_line, offset: 0, consumed: 0, body }
}

pub(crate) fn header(raw: &str, dialect: CsvDialect) -> Arc<CsvHeader> {
    let names = raw.trim_end().split(char::from(dialect.delimiter)).map(Into::into).collect();
    Arc::new(CsvHeader { raw: raw.into(), names, dialect })
}

/// Decisions by a function; marks record the decision.
pub(crate) struct Decide<F>(pub(crate) F);

impl<F: Fn(u32, u32) -> Fate + Sync> Fates for Decide<F> {
    fn fate(&self, file: u32, record: u32) -> Fate {
        (self.0)(file, record)
    }

    fn mark(&self, file: u32, record: u32) -> Vec<MarkValue<'_>> {
        let mark = match (self.0)(file, record) {
            Fate::Kept => Mark { cluster: Some(4), duplicates: Some(1), ..Mark::default() },
            Fate::Removed => Mark {
                duplicate_of: Some("the \"first\""),
                duplicate_of_file: Some("a.csv"),
                duplicate_of_record: Some(3),
                resemblance: Some(0.875),
                cluster: Some(4),
                is_duplicate: true,
                duplicates: None,
            },
            Fate::Rejected => panic!("the mark of a rejected record was asked for"),
        };
        mark.values()
    }
}

/// Kept, removed, rejected, kept …
pub(crate) fn in_turn(_: u32, record: u32) -> Fate {
    [Fate::Kept, Fate::Removed, Fate::Rejected][(record as usize - 1) % 3]
}

/// Writes documents into a staging directory and returns the written files.
pub(crate) fn write(
    staging: &Staging,
    inputs: &Inputs,
    chunks: &[Chunk],
    fates: &dyn Fates,
    options: &RouteOptions,
) -> Result<WrittenFiles, OutputError> {
    let unreadable = inputs.chunks().filter_map(|piece| match piece {
        Piece::Failed { failure, .. } => Some(failure.problem().file),
        Piece::Chunk(_) | Piece::Bad(_) => None,
    });
    let mut writer = DocumentsWriter::new(inputs, staging, options).with_unreadable(unreadable);
    let mut routed = Routed::default();
    for chunk in chunks {
        chunk.route(inputs, fates, options, &mut routed)?;
        writer.write(&routed)?;
    }
    writer.finish()
}

/// Writes documents and commits them to a new directory.
pub(crate) fn result(
    folder: &Path,
    inputs: &Inputs,
    chunks: &[Chunk],
    fates: &dyn Fates,
    options: &RouteOptions,
) -> (PathBuf, WrittenFiles) {
    let out = folder.join("out");
    let staging = Staging::create(&out, true).unwrap();
    let written = write(&staging, inputs, chunks, fates, options).unwrap();
    std::fs::write(staging.path("summary.json"), "{}").unwrap();
    staging.commit().unwrap();
    for file in &written.files {
        assert_eq!(std::fs::metadata(out.join(&file.path)).unwrap().len(), file.bytes);
    }
    (out, written)
}

pub(crate) fn decoded(path: &Path, compression: Compression) -> Vec<u8> {
    let raw = std::fs::read(path).unwrap();
    let mut data = Vec::new();
    match compression {
        Compression::None => data = raw,
        Compression::Gzip => {
            flate2::read::MultiGzDecoder::new(&raw[..]).read_to_end(&mut data).unwrap();
        }
        Compression::Zstd => data = zstd::stream::decode_all(&raw[..]).unwrap(),
        Compression::Bzip2 => {
            bzip2::read::MultiBzDecoder::new(&raw[..]).read_to_end(&mut data).unwrap();
        }
        Compression::Xz => {
            lzma_rust2::XzReader::new(&raw[..], true).read_to_end(&mut data).unwrap();
        }
    }
    data
}

/// The files of a directory tree, sorted, with `/`.
pub(crate) fn tree(folder: &Path) -> Vec<String> {
    fn walk(folder: &Path, below: &str, out: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{below}{}", entry.file_name().to_string_lossy());
            if entry.file_type().unwrap().is_dir() {
                walk(&entry.path(), &format!("{name}/"), out);
            } else {
                out.push(name);
            }
        }
    }
    let mut out = Vec::new();
    walk(folder, "", &mut out);
    out.sort();
    out
}
