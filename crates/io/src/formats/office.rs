//! Word processor documents and books.

use crate::input::format::About;
use crate::office::{Office, epub, text};
use crate::{DiscoverOptions, Format};

use super::item::{DocumentFormat, FormatItem, Reading};

static DOCX: About = About { name: "docx", extensions: &["docx"], ..About::DOCUMENT };
static ODT: About = About { name: "odt", extensions: &["odt"], ..About::DOCUMENT };
static EPUB: About = About { name: "epub", extensions: &["epub"], ..About::DOCUMENT };

pub(super) const FORMATS: &[FormatItem] = &[
    FormatItem { about: &DOCX, reading: Reading::Document(&Office::Docx) },
    FormatItem { about: &ODT, reading: Reading::Document(&Office::Odt) },
    FormatItem { about: &EPUB, reading: Reading::Document(&Epub) },
];

impl Format {
    /// One word processor document per file, of Office Open XML.
    pub const DOCX: Self = Self(&DOCX);
    /// One word processor document per file, of OpenDocument.
    pub const ODT: Self = Self(&ODT);
    /// One book per file, of EPUB.
    pub const EPUB: Self = Self(&EPUB);
}

impl DocumentFormat for Office {
    fn text(&self, file: &[u8], options: &DiscoverOptions) -> Result<Option<String>, String> {
        text(file, *self, options.max_record()).map(Some)
    }
}

struct Epub;

impl DocumentFormat for Epub {
    fn text(&self, file: &[u8], options: &DiscoverOptions) -> Result<Option<String>, String> {
        epub::text(file, options.max_record()).map(Some)
    }
}
