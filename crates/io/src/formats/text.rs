//! Text, Markdown and HTML: one document per file.

use std::borrow::Cow;

use crate::input::format::About;
use crate::{Content, DiscoverOptions, Format};

use super::item::{DocumentFormat, FormatItem, Reading};

static TEXT: About =
    About { name: "text", extensions: &["txt"], aliases: &["text"], ..About::DOCUMENT };
static MARKDOWN: About =
    About { name: "markdown", extensions: &["md"], aliases: &["markdown"], ..About::DOCUMENT };
static HTML: About =
    About { name: "html", extensions: &["html"], aliases: &["htm", "xhtml"], ..About::DOCUMENT };

pub(super) const FORMATS: &[FormatItem] = &[
    FormatItem { about: &TEXT, reading: Reading::Document(&Plain) },
    FormatItem { about: &MARKDOWN, reading: Reading::Document(&Plain) },
    FormatItem { about: &HTML, reading: Reading::Document(&Html) },
];

impl Format {
    /// One plain text document per file.
    pub const TEXT: Self = Self(&TEXT);
    /// One Markdown document per file, read as plain text.
    pub const MARKDOWN: Self = Self(&MARKDOWN);
    /// One HTML page per file.
    pub const HTML: Self = Self(&HTML);
}

struct Plain;

impl DocumentFormat for Plain {
    fn text(&self, file: &[u8], options: &DiscoverOptions) -> Result<Option<String>, String> {
        Ok(options.formats.text_encoding.as_ref().and_then(|encoding| encoding.text(file)))
    }
}

struct Html;

impl DocumentFormat for Html {
    fn content<'a>(&self, bytes: Cow<'a, [u8]>) -> Content<'a> {
        Content::HtmlBytes(bytes)
    }
}
