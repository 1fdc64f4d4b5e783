//! The header of a CSV or TSV file that has no records, and so no chunk to bring it along.

use std::fs::File;
use std::io::Read;

use crate::source::CsvHeader;
use crate::{Compression, Format, InputFile};

/// Headers are looked for in this many bytes.
const LONGEST: u64 = 1 << 20;

/// The first record of a file. `None` if there is none, or none that can be read: what is wrong with
/// such a file was said when it was read for its records.
pub(super) fn read(input: &InputFile) -> Option<CsvHeader> {
    let file = File::open(&input.path).ok()?;
    let reader: Box<dyn Read> = match input.compression {
        Compression::None => Box::new(file),
        Compression::Gzip => Box::new(flate2::read::MultiGzDecoder::new(file)),
        Compression::Zstd => Box::new(zstd::stream::read::Decoder::new(file).ok()?),
        Compression::Bzip2 => Box::new(bzip2::read::MultiBzDecoder::new(file)),
        Compression::Xz => Box::new(lzma_rust2::XzReader::new(file, true)),
    };
    let mut data = Vec::new();
    // What was read before an error counts: the file may be cut off behind its header.
    let _ = reader.take(LONGEST).read_to_end(&mut data);
    parse(&data, if input.format == Format::Tsv { b'\t' } else { b',' })
}

fn parse(data: &[u8], delimiter: u8) -> Option<CsvHeader> {
    let data = data.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(data);
    let start = data.iter().position(|byte| !matches!(byte, b'\r' | b'\n'))?;
    let data = &data[start..];
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(data);
    let mut record = csv::StringRecord::new();
    reader.read_record(&mut record).ok().filter(|found| *found)?;
    let mut end = usize::try_from(reader.position().byte()).ok()?.min(data.len());
    if data[..end].ends_with(b"\r") && data[end..].starts_with(b"\n") {
        end += 1;
    }
    let names = record.iter().map(Into::into).collect();
    Some(CsvHeader { raw: data[..end].to_vec(), names, delimiter })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_is_the_first_record_with_its_line_end() {
        let raw = |data: &str| {
            let header = parse(data.as_bytes(), b',')?;
            Some((String::from_utf8(header.raw).unwrap(), header.names.join("|")))
        };
        let some = |raw: &str, names: &str| Some((raw.to_string(), names.to_string()));
        assert_eq!(raw("id,text\n"), some("id,text\n", "id|text"));
        assert_eq!(raw("\u{feff}\r\nid,text\r\n\r\n"), some("id,text\r\n", "id|text"));
        assert_eq!(raw("\"a\nb\",c"), some("\"a\nb\",c", "a\nb|c"));
        assert_eq!(raw("id\rx\r"), some("id\r", "id"));
        assert_eq!(raw("\r\n\n"), None);
        assert_eq!(raw(""), None);
    }
}
