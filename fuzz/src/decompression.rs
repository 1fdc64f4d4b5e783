//! Compressed files: bounded memory for any bytes, and of a file that was cut off what came before.

use lookalike_io::source::Body;
use lookalike_io::{DiscoverOptions, Inputs};
use std::io::Write;
use std::path::Path;

const EXTENSIONS: [&str; 4] = ["gz", "zst", "bz2", "xz"];

/// Bytes after which every compression is recognised.
const MAGIC: usize = 10;

/// Bytes of a chunk.
const CHUNK: usize = 1 << 16;

/// Bytes of output after which reading stops: some bytes of input hold gigabytes.
const ENOUGH: usize = 8 << 20;

/// Any bytes as a compressed file: the first byte says of which format, the second how much of it there
/// is.
pub fn decompression(data: &[u8]) {
    let &[form, cut, ref rest @ ..] = data else { return };
    let form = usize::from(form) % EXTENSIONS.len();
    let folder = super::folder();
    read(folder.path(), form, rest);

    let line = |bytes: &[u8]| {
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{{\"text\":\"{digits}\"}}\n")
    };
    let lines: String = rest.chunks(50).map(line).collect();
    let packed = pack(form, lines.as_bytes());
    let whole = read(folder.path(), form, &packed);
    assert!(whole.problems.is_empty(), "{:?}", whole.problems);
    assert_eq!(whole.bytes, lines.as_bytes());
    let end = packed.len() * usize::from(cut) / 256;
    let part = read(folder.path(), form, &packed[..end]);
    // Of a file whose first bytes name no compression, the bytes are read as they are.
    let named = end >= MAGIC;
    assert!(!named || lines.as_bytes().starts_with(&part.bytes), "other bytes before the cut");
    // Records are not parsed here, so only a file that is known to be compressed has a problem.
    assert!(!named || !part.problems.is_empty(), "a file cut at {end} is taken for whole");
}

struct Read {
    bytes: Vec<u8>,
    problems: Vec<String>,
}

fn read(folder: &Path, form: usize, packed: &[u8]) -> Read {
    let path = folder.join(format!("in.jsonl.{}", EXTENSIONS[form]));
    std::fs::write(&path, packed).unwrap();
    let options = DiscoverOptions { max_record: Some(CHUNK), ..DiscoverOptions::default() };
    let mut read = Read { bytes: Vec::new(), problems: Vec::new() };
    let Ok(inputs) = Inputs::discover(&[path.display().to_string()], options) else { return read };
    for chunk in inputs.chunks().with_size(CHUNK) {
        let (chunk, problem) = chunk.into_parts();
        if let Some(chunk) = chunk {
            let Body::Lines(bytes) = chunk.body else { panic!("lines are lines") };
            assert!(bytes.len() <= 4 * CHUNK, "a chunk of {} bytes", bytes.len());
            read.bytes.extend(bytes);
        }
        read.problems.extend(problem.map(|problem| problem.to_string()));
        if read.bytes.len() > ENOUGH || read.problems.len() > 1000 {
            break;
        }
    }
    read
}

fn pack(form: usize, bytes: &[u8]) -> Vec<u8> {
    fn all(mut encoder: impl Write, bytes: &[u8]) -> impl Write {
        encoder.write_all(bytes).unwrap();
        encoder
    }
    let mut out = Vec::new();
    match form {
        0 => drop(all(flate2::write::GzEncoder::new(&mut out, flate2::Compression::fast()), bytes)),
        1 => out = zstd::bulk::compress(bytes, 1).unwrap(),
        2 => drop(all(bzip2::write::BzEncoder::new(&mut out, bzip2::Compression::fast()), bytes)),
        _ => {
            let options = lzma_rust2::XzOptions::with_preset(1);
            let mut encoder = lzma_rust2::XzWriter::new(&mut out, options).unwrap();
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap();
        }
    }
    out
}
