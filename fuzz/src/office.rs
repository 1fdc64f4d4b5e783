//! DOCX and ODT files: one record or one problem, bounded by the largest record, and the text that was put in.

use lookalike_io::source::VisitScratch;
use lookalike_io::{Content, DiscoverOptions, Inputs, Item};
use std::io::Write;
use std::path::Path;

/// Largest record.
const RECORD: usize = 1 << 16;

/// Extensions, and the parts that have the text.
const FORMATS: [(&str, &str); 2] = [("docx", "word/document.xml"), ("odt", "content.xml")];

/// Bytes that the first byte describes: its first bit the format, the next two what they are: a whole file,
/// the part with the text, or the text.
pub fn office(data: &[u8]) {
    let Some((form, rest)) = data.split_first() else { return };
    let (extension, part) = FORMATS[usize::from(form % 2)];
    let folder = super::folder();
    let path = folder.path().join("in").with_extension(extension);
    match form / 2 % 3 {
        0 => drop(read(&path, rest)),
        1 => {
            let stored = read(&path, &zip(part, rest, false));
            assert_eq!(read(&path, &zip(part, rest, true)), stored, "compressed");
            if let Ok(text) = stored {
                // A byte that is invalid becomes a character of three.
                assert!(text.len() <= 3 * rest.len(), "{} bytes of text", text.len());
                assert!(rest.len() <= RECORD, "{} bytes of XML", rest.len());
            }
        }
        _ => {
            let text: String = String::from_utf8_lossy(rest).chars().filter(is_allowed).collect();
            let lines: Vec<&str> = text.split('\n').collect();
            let xml = xml(extension, &lines);
            let found = read(&path, &zip(part, xml.as_bytes(), true));
            match xml.len() <= RECORD {
                true => assert_eq!(found, Ok(lines.join("\n") + "\n")),
                false => assert!(found.unwrap_err().contains("max_record")),
            }
        }
    }
}

/// Characters of XML that a reader does not replace.
fn is_allowed(letter: &char) -> bool {
    matches!(letter, '\t' | '\n' | ' '..='\u{7e}' | '\u{a0}'..='\u{2027}' | '\u{202a}'..='\u{d7ff}')
        || matches!(letter, '\u{e000}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}' | '\u{10000}'..)
}

/// A document of these paragraphs.
fn xml(extension: &str, lines: &[&str]) -> String {
    let escaped =
        |line: &&str| line.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let of_line = |line: &&str| match extension {
        "docx" => format!("<w:p><w:r><w:t>{}</w:t></w:r></w:p>", escaped(line)),
        _ => format!("<text:p>{}</text:p>", escaped(line)),
    };
    format!("<?xml version='1.0'?><a>{}</a>", lines.iter().map(of_line).collect::<String>())
}

/// The text of a file, or the problem with it.
fn read(path: &Path, bytes: &[u8]) -> Result<String, String> {
    std::fs::write(path, bytes).unwrap();
    let options = DiscoverOptions { max_record: Some(RECORD), ..DiscoverOptions::default() };
    let inputs = Inputs::discover(&[path.display().to_string()], options).unwrap();
    let mut items = Vec::new();
    let mut scratch = VisitScratch::default();
    for chunk in inputs.chunks() {
        chunk.whole().unwrap().visit(&inputs, &mut scratch, &mut |item| {
            items.push(match item {
                Item::Failed(failure) => panic!("{failure}"),
                Item::Bad(problem) => Err(problem.to_string()),
                Item::Record(record) => match &record.content {
                    Content::TextBytes(text) => Ok(String::from_utf8(text.to_vec()).unwrap()),
                    other => panic!("{other:?}"),
                },
            });
        });
    }
    assert_eq!(items.len(), 1, "a file is a document");
    let item = items.remove(0);
    assert!(item.as_ref().map_or(0, String::len) <= 3 * RECORD);
    item
}

/// A zip archive of one file.
fn zip(name: &str, content: &[u8], compressed: bool) -> Vec<u8> {
    let packed = match compressed {
        false => content.to_vec(),
        true => {
            let mut encoder =
                flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(content).unwrap();
            encoder.finish().unwrap()
        }
    };
    let mut crc = flate2::Crc::new();
    crc.update(content);
    let number = |number: usize| (number as u32).to_le_bytes();
    // From the version to the length of the extra field: what both headers have.
    let method = if compressed { 8u16 } else { 0 };
    let described = [
        &[20, 0, 0, 0][..],
        &method.to_le_bytes(),
        &[0; 4],
        &crc.sum().to_le_bytes(),
        &number(packed.len()),
        &number(content.len()),
        &(name.len() as u16).to_le_bytes(),
        &[0; 2],
    ]
    .concat();
    let local = [b"PK\x03\x04", &*described, name.as_bytes(), &packed].concat();
    let central = [b"PK\x01\x02\x14\0", &*described, &[0; 14], name.as_bytes()].concat();
    let end = [
        &b"PK\x05\x06\0\0\0\0\x01\0\x01\0"[..],
        &number(central.len()),
        &number(local.len()),
        &[0; 2],
    ]
    .concat();
    [local, central, end].concat()
}
