//! Text of DOCX (ISO 29500) and ODT (ISO 26300) files: zip archives with one XML file that has the text.
//!
//! Only that file is unpacked, up to a limit, and read in one pass.

pub(crate) mod epub;

use std::io::{Cursor, Read};

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use zip::result::ZipError;

/// The kind of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Office {
    Docx,
    Odt,
}

impl Office {
    /// The file that has the text.
    fn part(self) -> &'static str {
        match self {
            Self::Docx => "word/document.xml",
            Self::Odt => "content.xml",
        }
    }

    /// Elements whose text counts, by their names without a prefix.
    fn is_text(self, name: &[u8]) -> bool {
        match self {
            Self::Docx => name == b"t",
            Self::Odt => matches!(name, b"p" | b"h"),
        }
    }

    /// Elements that are left out with all that is in them: text that was deleted, comments, numbers of
    /// footnotes, and what is there twice.
    fn is_left_out(self, name: &[u8]) -> bool {
        match self {
            Self::Docx => matches!(name, b"Fallback" | b"del" | b"moveFrom"),
            Self::Odt => matches!(name, b"tracked-changes" | b"annotation" | b"note-citation"),
        }
    }
}

/// A zip archive in memory.
pub(crate) struct Package<'a> {
    zip: zip::ZipArchive<Cursor<&'a [u8]>>,
    limit: usize,
    left: usize,
}

impl<'a> Package<'a> {
    /// Opens an archive of which at most `limit` bytes are unpacked.
    ///
    /// # Errors
    /// A file that is encrypted, damaged or something else: the reason and a remedy.
    pub(crate) fn open(file: &'a [u8], limit: usize) -> Result<Self, String> {
        if file.starts_with(b"\xd0\xcf\x11\xe0") {
            return Err(
                "is encrypted, or of an older format of the same program; save it without a password"
                    .to_owned(),
            );
        }
        let zip = zip::ZipArchive::new(Cursor::new(file)).map_err(damaged)?;
        Ok(Self { zip, limit, left: limit })
    }

    /// Whether there is a part of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.zip.index_for_name(name).is_some()
    }

    /// The names of all parts that have one.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> {
        self.zip.file_names().filter_map(|name| Some(name.ok()?.into_owned()))
    }

    /// The bytes of a part.
    ///
    /// # Errors
    /// It does not exist, is encrypted or damaged, or there are too many bytes: the reason and a remedy.
    pub(crate) fn part(&mut self, name: &str) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        let part = self.zip.by_name(name).map_err(|error| match error {
            ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => {
                "is encrypted; save it without a password".to_owned()
            }
            error => damaged(error),
        })?;
        part.take(self.left as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| format!("its text cannot be unpacked ({error}); get a good copy"))?;
        self.left = self.left.checked_sub(bytes.len()).ok_or_else(|| {
            format!(
                "its text is longer than {} bytes when it is unpacked; raise the setting max_record",
                self.limit
            )
        })?;
        Ok(bytes)
    }
}

fn damaged(error: ZipError) -> String {
    format!("is not a whole document of its format ({error}); get a good copy")
}

/// What is wrong with XML.
pub(crate) fn invalid(error: quick_xml::Error) -> String {
    format!("its text is no valid XML ({error}); get a good copy")
}

/// The text of a file: paragraphs on lines of their own.
///
/// # Errors
/// A file that is encrypted, damaged or something else, or more than `limit` bytes of XML: the reason and
/// a remedy.
pub(crate) fn text(file: &[u8], kind: Office, limit: usize) -> Result<String, String> {
    let mut package = Package::open(file, limit)?;
    if kind == Office::Odt && is_encrypted(&mut package) {
        return Err("is encrypted; save it without a password".to_owned());
    }
    let xml = package.part(kind.part())?;
    read(&lookalike_text::decode_text(&xml).text, kind).map_err(invalid)
}

/// Whether the manifest of an ODT file says that parts are encrypted.
fn is_encrypted(package: &mut Package<'_>) -> bool {
    let mut manifest = Vec::new();
    let Ok(part) = package.zip.by_name("META-INF/manifest.xml") else { return false };
    part.take(package.limit as u64).read_to_end(&mut manifest).is_ok()
        && memchr::memmem::find(&manifest, b"encryption-data").is_some()
}

fn read(xml: &str, kind: Office) -> Result<String, quick_xml::Error> {
    let mut reader = Reader::from_str(xml);
    // Open elements with text, open paragraphs, and open elements inside of one that is left out.
    let (mut texts, mut paragraphs, mut left_out) = (0u64, 0u64, 0u64);
    let mut out = String::new();
    loop {
        match reader.read_event()? {
            Event::Start(element)
                if left_out > 0 || kind.is_left_out(element.local_name().as_ref()) =>
            {
                left_out += 1;
            }
            Event::End(_) if left_out > 0 => left_out -= 1,
            Event::Start(element) => {
                let name = element.local_name();
                texts += u64::from(kind.is_text(name.as_ref()));
                if is_paragraph(name.as_ref()) {
                    // A text box or a footnote is inside of a paragraph: its words are no part of those
                    // beside it.
                    if paragraphs > 0 && !out.is_empty() && !out.ends_with('\n') {
                        out.push('\n');
                    }
                    paragraphs += 1;
                }
                push_space(&element, kind, &mut out);
            }
            Event::End(element) => {
                let name = element.local_name();
                texts = texts.saturating_sub(u64::from(kind.is_text(name.as_ref())));
                if is_paragraph(name.as_ref()) {
                    paragraphs = paragraphs.saturating_sub(1);
                    out.push('\n');
                }
            }
            Event::Empty(element) if left_out == 0 => push_space(&element, kind, &mut out),
            Event::Text(text) if texts > 0 && left_out == 0 => out.push_str(&text.xml10_content()?),
            Event::CData(text) if texts > 0 && left_out == 0 => {
                out.push_str(&text.xml10_content()?)
            }
            Event::GeneralRef(entity) if texts > 0 && left_out == 0 => {
                let named = match &*entity {
                    b"lt" => Some('<'),
                    b"gt" => Some('>'),
                    b"amp" => Some('&'),
                    b"apos" => Some('\''),
                    b"quot" => Some('"'),
                    _ => None,
                };
                out.extend(named.or(entity.resolve_char_ref()?));
            }
            Event::Eof => return Ok(out),
            _ => {}
        }
    }
}

/// Whether an element of this name is a paragraph or a heading.
fn is_paragraph(name: &[u8]) -> bool {
    matches!(name, b"p" | b"h")
}

/// Appends the white space that an element stands for.
fn push_space(element: &BytesStart<'_>, kind: Office, out: &mut String) {
    match (kind, element.local_name().as_ref()) {
        (Office::Docx, b"br" | b"cr") | (Office::Odt, b"line-break") => out.push('\n'),
        (_, b"tab") | (Office::Docx, b"ptab") => out.push('\t'),
        (Office::Odt, b"s") => out.push(' '),
        (Office::Docx, b"noBreakHyphen") => out.push('-'),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_are_lines() {
        let docx = "<w:document><w:body><w:p><w:r><w:t>one &amp; t</w:t></w:r><w:r><w:t xml:space='preserve'>wo \
                    </w:t><w:tab/><w:t>&#65;</w:t></w:r></w:p><w:p><w:del><w:r><w:delText>x</w:delText></w:r></w:del>\
                    <w:r><w:instrText>no</w:instrText><w:br/><w:t>b</w:t></w:r></w:p><mc:Fallback><w:p><w:t>twice\
                    </w:t></w:p></mc:Fallback></w:body></w:document>";
        assert_eq!(read(docx, Office::Docx).unwrap(), "one & two \tA\n\nb\n");
        let odt = "<office:text>no<text:tracked-changes><text:p>gone</text:p></text:tracked-changes><text:h>Head\
                   </text:h><text:p>a<text:s text:c='2'/>b<text:span>c</text:span><office:annotation><text:p>n</text:p>\
                   </office:annotation><text:line-break/>d</text:p></office:text>";
        assert_eq!(read(odt, Office::Odt).unwrap(), "Head\na bc\nd\n");
        assert!(read("<a><b></a>", Office::Odt).is_err());
    }

    #[test]
    fn paragraphs_in_paragraphs_are_lines() {
        let docx = "<w:body><w:p><w:r><w:t>eta</w:t></w:r><w:r><mc:AlternateContent><mc:Choice><w:txbxContent><w:p><w:r>\
                    <w:t>in</w:t><w:ptab w:alignment='right'/><w:t>side</w:t></w:r></w:p><w:p><w:r><w:t>box</w:t></w:r></w:p>\
                    </w:txbxContent></mc:Choice></mc:AlternateContent></w:r><w:r><w:t>theta</w:t></w:r></w:p></w:body>";
        assert_eq!(read(docx, Office::Docx).unwrap(), "eta\nin\tside\nbox\ntheta\n");
        let odt = "<text:p>eta<draw:frame><draw:text-box><text:p>inside</text:p></draw:text-box></draw:frame>theta\
                   </text:p><text:p>epsilon<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>\
                   Foot note</text:p></text:note-body></text:note>, zeta</text:p>";
        assert_eq!(
            read(odt, Office::Odt).unwrap(),
            "eta\ninside\ntheta\nepsilon\nFoot note\n, zeta\n"
        );
    }

    #[test]
    fn other_files_are_refused() {
        assert!(text(b"\xd0\xcf\x11\xe0 ole", Office::Docx, 99).unwrap_err().contains("encrypted"));
        assert!(text(b"PK no zip", Office::Docx, 99).unwrap_err().contains("not a whole document"));
    }
}
