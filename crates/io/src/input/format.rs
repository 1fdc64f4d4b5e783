//! Formats: what is known of one before a file is read.

use std::fmt;
use std::hash::{Hash, Hasher};

/// Input format: how a file is split into records.
///
/// [`Format::all`] are the formats; each has a constant of its name.
///
/// ```
/// use lookalike_io::Format;
///
/// assert_eq!("csv".parse(), Ok(Format::CSV));
/// assert!(Format::DOCX.is_document() && !Format::MBOX.is_document());
/// ```
#[derive(Clone, Copy)]
pub struct Format(pub(crate) &'static About);

/// How the records of a file are arranged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Structure {
    /// The file is one document.
    Document,
    /// The file is one mail message.
    Message,
    /// A JSON object per line.
    Objects,
    /// Rows of text after a header line.
    Rows,
    /// Record batches of columns.
    Columns,
    /// Records with headers of their own: messages, pages.
    Headed,
}

/// What shows the compression of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    /// Its name; first bytes win over it.
    Named,
    /// Its first bytes; a name of this format has no extensions.
    Bytes,
    /// It is not compressed.
    None,
    /// It compresses its own parts, and is not compressed as a whole: what to do about one that is.
    Own(&'static str),
}

/// The part of a format's item that does not read files.
#[derive(Debug)]
pub(crate) struct About {
    /// Its name in settings and results.
    pub(crate) name: &'static str,
    /// Extensions that messages name, in lower case; the first one is the usual one of outputs.
    pub(crate) extensions: &'static [&'static str],
    /// Further extensions.
    pub(crate) aliases: &'static [&'static str],
    /// Extensions that outputs keep, though they do not name the format of an input.
    pub(crate) kept_extensions: &'static [&'static str],
    pub(crate) structure: Structure,
    pub(crate) packing: Packing,
    /// Whether a file of unknown extension that begins so has the format.
    pub(crate) begins: Option<fn(&[u8]) -> bool>,
    /// Whether a `.txt` file that begins so has the format.
    pub(crate) begins_text: Option<fn(&[u8]) -> bool>,
    /// Words for files that have no extension, for the page of formats.
    pub(crate) recognised: &'static str,
    /// What a document is, for the page of formats.
    pub(crate) unit: &'static str,
}

impl About {
    /// A file is one document.
    pub(crate) const DOCUMENT: Self = Self {
        name: "",
        extensions: &[],
        aliases: &[],
        kept_extensions: &[],
        structure: Structure::Document,
        packing: Packing::Named,
        begins: None,
        begins_text: None,
        recognised: "",
        unit: "a file",
    };

    /// Whether it has files with this extension.
    pub(crate) fn has_extension(&self, extension: &str) -> bool {
        let mut known = self.extensions.iter().chain(self.aliases);
        known.any(|known| known.eq_ignore_ascii_case(extension))
    }
}

impl Format {
    /// Its name in settings and results.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Whether its files are record batches in columns.
    pub(crate) fn is_columns(self) -> bool {
        self.0.structure == Structure::Columns
    }

    /// Whether its files have the names of their fields in one place.
    pub(crate) fn is_table(self) -> bool {
        matches!(self.0.structure, Structure::Rows | Structure::Columns)
    }

    /// Whether its records are JSON objects on lines.
    pub(crate) fn is_objects(self) -> bool {
        self.0.structure == Structure::Objects
    }

    /// Whether the text of a record is the value of a field, and not what was extracted from a file, a
    /// message or a page.
    #[must_use]
    pub fn has_fields(self) -> bool {
        self.is_objects() || self.is_table()
    }

    /// Whether a field can hold a list.
    #[must_use]
    pub fn has_lists(self) -> bool {
        self.is_objects() || self.is_columns()
    }

    /// Whether the name of such a file shows its compression.
    pub(crate) fn is_named_packed(self) -> bool {
        self.0.packing == Packing::Named
    }

    /// Whether the compression of such a file is that of its first bytes.
    pub(crate) fn is_settled_by_bytes(self) -> bool {
        matches!(self.0.packing, Packing::Named | Packing::Bytes)
    }

    /// Whether a file is one document.
    #[must_use]
    pub fn is_document(self) -> bool {
        matches!(self.0.structure, Structure::Document | Structure::Message)
    }

    /// Whether a file that is one document is a mail message.
    #[must_use]
    pub fn is_message(self) -> bool {
        self.0.structure == Structure::Message
    }

    /// Whether the fields of a record are those of its header: of a mail message or a web page.
    #[must_use]
    pub fn has_header(self) -> bool {
        matches!(self.0.structure, Structure::Message | Structure::Headed)
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Format {}

impl Hash for Format {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl serde::Serialize for Format {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}
