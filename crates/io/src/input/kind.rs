//! Detects input format and compression from the name and first bytes of a file.

use std::io::Read;
use std::path::Path;

use super::{Compression, Format};
use crate::mail::mbox;

/// Extensions and their input formats.
const FORMATS: &[(&str, Format)] = &[
    ("jsonl", Format::Jsonl),
    ("ndjson", Format::Jsonl),
    ("json", Format::Jsonl),
    ("csv", Format::Csv),
    ("tsv", Format::Tsv),
    ("parquet", Format::Parquet),
    ("arrow", Format::Arrow),
    ("arrows", Format::Arrow),
    ("feather", Format::Arrow),
    ("ipc", Format::Arrow),
    ("txt", Format::Text),
    ("text", Format::Text),
    ("md", Format::Markdown),
    ("markdown", Format::Markdown),
    ("html", Format::Html),
    ("htm", Format::Html),
    ("xhtml", Format::Html),
    ("mbox", Format::Mbox),
    ("mbx", Format::Mbox),
    ("eml", Format::Eml),
    ("warc", Format::Warc),
    ("wet", Format::Warc),
    ("docx", Format::Docx),
    ("odt", Format::Odt),
];

/// Extensions of compressed files.
const COMPRESSIONS: &[(&str, Compression)] = &[
    ("gz", Compression::Gzip),
    ("zst", Compression::Zstd),
    ("zstd", Compression::Zstd),
    ("bz2", Compression::Bzip2),
    ("xz", Compression::Xz),
];

/// First bytes of compressed files.
const MAGIC: &[(&[u8], Compression)] = &[
    (b"\x1f\x8b", Compression::Gzip),
    (b"\x28\xb5\x2f\xfd", Compression::Zstd),
    (b"\xfd7zXZ\0", Compression::Xz),
];

/// Number of first bytes that [`is_mbox`] needs.
pub(super) const MBOX_HEAD: usize = 1024;

/// Whether a file starts as an mbox: with a separator line and a header field.
pub(super) fn is_mbox(head: &[u8]) -> bool {
    let mut lines = head.split(|byte| *byte == b'\n');
    let separator = lines.next().is_some_and(|line| line.starts_with(b"From "));
    let is_field = |line: &[u8]| {
        let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
        name.len() < line.len() && !name.is_empty() && name.iter().all(u8::is_ascii_graphic)
    };
    // Some programs repeat the separator line, quoted.
    let mut rest = lines.filter(|line| !line.starts_with(b">From "));
    separator && rest.next().is_some_and(is_field)
}

/// Whether a file whose name says text is an mbox, as the archives of mailing lists are (`2024-January.txt`, `.txt.gz`):
/// by its first [`MBOX_HEAD`] bytes, which may be gzip data.
pub(super) fn is_mbox_text(head: &[u8]) -> bool {
    let mut unpacked = Vec::new();
    let head = match compression_of(head) {
        Some(Compression::Gzip) => {
            // It ends within the data.
            let gzip = flate2::read::GzDecoder::new(head);
            let _ = gzip.take(MBOX_HEAD as u64).read_to_end(&mut unpacked);
            &unpacked
        }
        _ => head,
    };
    mbox::starts_dated(head)
}

/// Number of first bytes that [`compression_of`] needs.
pub(crate) const HEAD: usize = 64;

/// Format and compression by name.
pub(super) fn of_name(path: &Path) -> (Option<Format>, Compression) {
    let (inner, compression) = match find(COMPRESSIONS, path) {
        Some(compression) => (without_compression(path), compression),
        None => (path, Compression::None),
    };
    match find(FORMATS, inner) {
        // Parquet and Arrow compress their own parts.
        Some(format) if format.is_columns() && compression != Compression::None => {
            (None, compression)
        }
        format => (format, compression),
    }
}

/// A name without the ending of a compression.
pub(crate) fn without_compression(path: &Path) -> &Path {
    match find(COMPRESSIONS, path) {
        Some(_) => Path::new(path.file_stem().unwrap_or_default()),
        None => path,
    }
}

fn find<T: Copy>(table: &[(&str, T)], path: &Path) -> Option<T> {
    let extension = path.extension()?.to_str()?;
    table.iter().find(|(known, _)| known.eq_ignore_ascii_case(extension)).map(|(_, kind)| *kind)
}

/// The compression that the first bytes show, if any.
pub(crate) fn compression_of(head: &[u8]) -> Option<Compression> {
    let known = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)).map(|(_, kind)| *kind);
    // Skippable frames may stand first in a Zstandard file (RFC 8878, section 3.1.2).
    let skippable = || matches!(head, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..]);
    // "BZh9" could begin a text: the mark of the first block, or of an empty stream, must follow.
    let bzip2 = || {
        head.starts_with(b"BZh")
            && head.get(4..10).is_some_and(|mark| {
                mark == b"\x31\x41\x59\x26\x53\x59" || mark == b"\x17\x72\x45\x38\x50\x90"
            })
    };
    known
        .or_else(|| skippable().then_some(Compression::Zstd))
        .or_else(|| bzip2().then_some(Compression::Bzip2))
}

/// The compression where name and first bytes disagree: that of the bytes. Only if they show no
/// compression and are not text either, the file is a damaged archive of the compression in its
/// name.
pub(super) fn settle(named: Compression, head: &[u8]) -> Compression {
    let text = |byte: &u8| *byte >= b' ' || byte.is_ascii_whitespace();
    match compression_of(head) {
        Some(shown) => shown,
        None if head.iter().all(text) => Compression::None,
        None => named,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_gives_format_and_compression() {
        let of = |name: &str| of_name(Path::new(name));
        assert_eq!(of("a/b.jsonl"), (Some(Format::Jsonl), Compression::None));
        assert_eq!(of("B.JSON.GZ"), (Some(Format::Jsonl), Compression::Gzip));
        assert_eq!(of("x.tar.gz"), (None, Compression::Gzip));
        assert_eq!(of("x.jsonl.gz.gz"), (None, Compression::Gzip));
        assert_eq!(of("x.parquet.gz"), (None, Compression::Gzip));
        assert_eq!(of("x.feather"), (Some(Format::Arrow), Compression::None));
        assert_eq!(of("x.arrow.zst"), (None, Compression::Zstd));
        assert_eq!(of("gz"), (None, Compression::None));
        assert_eq!(of("x.md.zstd"), (Some(Format::Markdown), Compression::Zstd));
    }

    #[test]
    fn an_mbox_starts_with_a_separator_and_a_header() {
        assert!(is_mbox(b"From a@b Mon Nov 23 22:30:17 2026\r\nReceived: x"));
        assert!(is_mbox(b"From a\n>From b\nX-A: b\n"));
        for not in ["From here on, nothing\nis a header", "From a", "X: y\n", "From a\n\nX: y", ""]
        {
            assert!(!is_mbox(not.as_bytes()), "{not}");
        }
    }

    #[test]
    fn a_text_file_that_is_an_mbox_starts_with_a_dated_separator() {
        let text =
            b"From a at b.example  Mon Jan  1 10:00:00 2024\nFrom: a at b.example (A)\n\nx\n"
                .repeat(100);
        assert!(is_mbox_text(&text[..MBOX_HEAD]));
        let mut gzip = flate2::read::GzEncoder::new(&text[..], flate2::Compression::best());
        let mut packed = Vec::new();
        gzip.read_to_end(&mut packed).unwrap();
        assert!(is_mbox_text(&packed[..100]));
        for not in ["From a@b\nFrom: x\n", "From here on, nothing\nis: a header", "\x1f\u{8b}", ""]
        {
            assert!(!is_mbox_text(not.as_bytes()), "{not}");
        }
    }

    #[test]
    fn the_bytes_win_over_the_name() {
        assert_eq!(settle(Compression::Gzip, b"{\"text\":1}"), Compression::None);
        assert_eq!(settle(Compression::None, b"\x1f\x8b\x08"), Compression::Gzip);
        assert_eq!(settle(Compression::Gzip, b"\x00\x01\x02"), Compression::Gzip);
        assert_eq!(settle(Compression::None, b"BZh9 is a text"), Compression::None);
        assert_eq!(settle(Compression::Xz, b""), Compression::None);
    }
}
