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
    /// One plain text document per file.
    Text,
    /// One Markdown document per file, read as plain text.
    Markdown,
    /// One HTML page per file.
    Html,
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
