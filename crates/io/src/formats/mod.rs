//! Input formats: every one is an item of a slice.
//!
//! An item says all that depends on the format: its names, what its files begin with, how they are
//! split into records and how these are parsed, and how outputs are written. To add a format, write
//! its item into the module of its family, or a module of its own with a line in [`FAMILIES`], and a
//! line into the table of docs/reference/formats.md, which a test compares with the items.

mod arrow;
mod columns;
mod csv;
mod extracted;
mod item;
mod jsonl;
mod mbox;
pub(crate) mod message;
mod office;
mod parquet;
mod text;
mod warc;

use std::io::Read;
use std::path::Path;
use std::str::FromStr;

use crate::input::compression::{self, compression_of};
use crate::input::format::Packing;
use crate::{Compression, Format};

pub(crate) use item::{ChunkReader, DocumentFormat, Opening, RecordFormat, Visit};
use item::{FormatItem, Reading};

/// All formats, family by family.
const FAMILIES: &[&[FormatItem]] = &[
    jsonl::FORMATS,
    csv::FORMATS,
    parquet::FORMATS,
    arrow::FORMATS,
    text::FORMATS,
    mbox::FORMATS,
    message::FORMATS,
    warc::FORMATS,
    office::FORMATS,
    extracted::FORMATS,
];

/// Number of first bytes that [`by_content`] and [`by_text_content`] need.
pub(crate) const HEAD: usize = 1024;

fn items() -> impl Iterator<Item = &'static FormatItem> {
    FAMILIES.iter().copied().flatten()
}

/// The item of a format.
fn item(format: Format) -> Option<&'static FormatItem> {
    items().find(|item| item.about.name == format.name())
}

/// How the records of a format are read and written; `None` if a file is one document.
pub(crate) fn records(format: Format) -> Option<&'static dyn RecordFormat> {
    match item(format)?.reading {
        Reading::Records(records) => Some(records),
        Reading::Document(_) => None,
    }
}

/// How a file of a format is read that is one document.
pub(crate) fn document(format: Format) -> Option<&'static dyn DocumentFormat> {
    match item(format)?.reading {
        Reading::Document(document) => Some(document),
        Reading::Records(_) => None,
    }
}

/// The format of the files with an extension.
pub(crate) fn of_extension(extension: &str) -> Option<Format> {
    Format::all().find(|format| format.0.has_extension(extension))
}

/// Format and compression by name.
pub(crate) fn of_name(path: &Path) -> (Option<Format>, Compression) {
    let (compression, inner) = compression::of_name(path);
    let extension = inner.extension().and_then(std::ffi::OsStr::to_str);
    match extension.and_then(of_extension) {
        Some(format) if !format.is_settled_by_bytes() && compression != Compression::None => {
            (None, compression)
        }
        format => (format, compression),
    }
}

/// The format of a file of unknown extension, by its first bytes.
pub(crate) fn by_content(head: &[u8]) -> Option<Format> {
    Format::all().find(|format| format.0.begins.is_some_and(|begins| begins(head)))
}

/// The format of a file whose name says text, by its first bytes, which may be gzip data: archives of
/// mailing lists are called `2024-January.txt`, `.txt.gz`.
pub(crate) fn by_text_content(head: &[u8]) -> Option<Format> {
    let mut unpacked = Vec::new();
    let head = match compression_of(head) {
        Some(Compression::Gzip) => {
            // It ends within the data.
            let gzip = flate2::read::GzDecoder::new(head);
            let _ = gzip.take(HEAD as u64).read_to_end(&mut unpacked);
            &unpacked
        }
        _ => head,
    };
    Format::all().find(|format| format.0.begins_text.is_some_and(|begins| begins(head)))
}

/// What to do about a compressed file of a format that compresses its own parts.
pub(crate) fn unpack_remedy(extension: &str) -> Option<&'static str> {
    match of_extension(extension)?.0.packing {
        Packing::Own(remedy) => Some(remedy),
        _ => None,
    }
}

/// The extensions that messages name: ".jsonl .ndjson".
pub(crate) fn extensions() -> String {
    let all = items().flat_map(|item| item.about.extensions);
    all.map(|extension| format!(".{extension}")).collect::<Vec<_>>().join(" ")
}

/// The names that a setting may have: "jsonl, csv or tsv".
pub(crate) fn choices() -> String {
    let names: Vec<&str> = Format::choices().map(Format::name).collect();
    match names.split_last() {
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

impl Format {
    /// All formats.
    pub fn all() -> impl Iterator<Item = Self> {
        items().map(|item| Self(item.about))
    }

    /// The formats that a setting may name for all inputs.
    pub fn choices() -> impl Iterator<Item = Self> {
        Self::all().filter(|format| *format != Self::EXTRACTED)
    }

    /// The rows of the table in docs/reference/formats.md.
    #[must_use]
    pub fn described() -> String {
        let extensions = |of: &Self| {
            let all = of.0.extensions.iter().chain(of.0.aliases);
            let all = all.map(|extension| format!("`.{extension}`")).collect::<Vec<_>>();
            [all.join(" "), of.0.recognised.to_owned()]
        };
        let row = |of: Self| {
            let recognised = extensions(&of).into_iter().filter(|words| !words.is_empty());
            let recognised = recognised.collect::<Vec<_>>().join("; ");
            let written = match of.is_document() {
                true => "lists of files",
                false => "files of the format",
            };
            format!("| `{of}` | {recognised} | {} | {written} |\n", of.0.unit)
        };
        Self::choices().map(row).collect()
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::all().find(|format| format.name() == name).ok_or_else(|| {
            let known: Vec<String> = Self::all().map(|format| format!("`{format}`")).collect();
            format!("unknown variant `{name}`, expected one of {}", known.join(", "))
        })
    }
}

impl<'de> serde::Deserialize<'de> for Format {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let name = std::borrow::Cow::<'de, str>::deserialize(from)?;
        name.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_extensions_are_those_of_one_format() {
        let mut known = Vec::new();
        for format in Format::all() {
            assert_eq!(format.name().parse(), Ok(format));
            assert_eq!(records(format).is_some(), !format.is_document(), "{format}");
            known.push(format.name());
            for extension in format.0.extensions.iter().chain(format.0.aliases) {
                assert_eq!(of_extension(extension), Some(format));
                assert_eq!(of_extension(&extension.to_uppercase()), Some(format));
            }
        }
        known.sort_unstable();
        assert!(known.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn the_page_of_formats_describes_each() {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/formats.md");
        let Ok(page) = std::fs::read_to_string(page) else { return };
        let rows = Format::described();
        assert!(page.contains(&rows), "write this into docs/reference/formats.md:\n{rows}");
    }

    #[test]
    fn the_name_gives_format_and_compression() {
        let of = |name: &str| of_name(Path::new(name));
        assert_eq!(of("a/b.jsonl"), (Some(Format::JSONL), Compression::None));
        assert_eq!(of("B.JSON.GZ"), (Some(Format::JSONL), Compression::Gzip));
        assert_eq!(of("x.tar.gz"), (None, Compression::Gzip));
        assert_eq!(of("x.jsonl.gz.gz"), (None, Compression::Gzip));
        assert_eq!(of("x.parquet.gz"), (None, Compression::Gzip));
        assert_eq!(of("x.feather"), (Some(Format::ARROW), Compression::None));
        assert_eq!(of("x.arrow.zst"), (None, Compression::Zstd));
        assert_eq!(of("gz"), (None, Compression::None));
        assert_eq!(of("x.md.zstd"), (Some(Format::MARKDOWN), Compression::Zstd));
    }

    #[test]
    fn an_mbox_starts_with_a_separator_and_a_header() {
        let is_mbox = |head: &[u8]| by_content(head) == Some(Format::MBOX);
        assert!(is_mbox(b"From a@b Mon Nov 23 22:30:17 2026\r\nReceived: x"));
        assert!(is_mbox(b"From a\n>From b\nX-A: b\n"));
        for not in ["From here on, nothing\nis a header", "From a", "X: y\n", "From a\n\nX: y", ""]
        {
            assert!(!is_mbox(not.as_bytes()), "{not}");
        }
    }

    #[test]
    fn a_text_file_that_is_an_mbox_starts_with_a_dated_separator() {
        let is_mbox = |head: &[u8]| by_text_content(head) == Some(Format::MBOX);
        let text =
            b"From a at b.example  Mon Jan  1 10:00:00 2024\nFrom: a at b.example (A)\n\nx\n"
                .repeat(100);
        assert!(is_mbox(&text[..HEAD]));
        let mut gzip = flate2::read::GzEncoder::new(&text[..], flate2::Compression::best());
        let mut packed = Vec::new();
        gzip.read_to_end(&mut packed).unwrap();
        assert!(is_mbox(&packed[..100]));
        for not in ["From a@b\nFrom: x\n", "From here on, nothing\nis: a header", "\x1f\u{8b}", ""]
        {
            assert!(!is_mbox(not.as_bytes()), "{not}");
        }
    }
}
