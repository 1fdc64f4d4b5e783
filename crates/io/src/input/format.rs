//! Format and compression of a file.

/// Input format: how a file is split into records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// One JSON object per line.
    Jsonl,
    /// Comma-separated values with a header line.
    Csv,
    /// Tab-separated values with a header line; quoting as in CSV.
    Tsv,
    /// Apache Parquet.
    Parquet,
    /// Arrow IPC: a file (Feather version 2), or a stream.
    Arrow,
    /// One plain text document per file.
    Text,
    /// One Markdown document per file, read as plain text.
    Markdown,
    /// One HTML page per file.
    Html,
    /// Many mail messages, each after a separator line that starts with `From `.
    Mbox,
    /// One mail message per file, in the `cur` and `new` directories of a Maildir.
    Maildir,
    /// One mail message per file.
    Eml,
    /// Web archive (WARC or WET): many pages, among other records.
    Warc,
    /// One word processor document per file, of Office Open XML.
    Docx,
    /// One word processor document per file, of OpenDocument.
    Odt,
    /// A file of another format, whose text a command extracts: one document.
    Extracted,
}

impl Format {
    /// Whether the format compresses its own parts: record batches in columns.
    pub(crate) fn is_columns(self) -> bool {
        matches!(self, Self::Parquet | Self::Arrow)
    }

    /// Whether the compression of such a file is that of its first bytes.
    pub(super) fn is_settled_by_bytes(self) -> bool {
        !self.is_columns() && self != Self::Extracted
    }

    /// Whether a file is one document.
    #[must_use]
    pub fn is_document(self) -> bool {
        match self {
            Self::Text
            | Self::Markdown
            | Self::Html
            | Self::Maildir
            | Self::Eml
            | Self::Docx
            | Self::Odt
            | Self::Extracted => true,
            Self::Jsonl
            | Self::Csv
            | Self::Tsv
            | Self::Parquet
            | Self::Arrow
            | Self::Mbox
            | Self::Warc => false,
        }
    }

    /// Whether a file that is one document is a mail message.
    pub(crate) fn is_message(self) -> bool {
        matches!(self, Self::Maildir | Self::Eml)
    }

    /// Whether the fields of a record are those of its header: of a mail message or a web page.
    #[must_use]
    pub fn has_header(self) -> bool {
        matches!(self, Self::Mbox | Self::Warc) || self.is_message()
    }
}

/// Compression of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compression {
    /// Nothing.
    None,
    /// gzip, any number of members.
    Gzip,
    /// Zstandard, any number of frames.
    Zstd,
    /// bzip2, any number of streams.
    Bzip2,
    /// xz.
    Xz,
}
