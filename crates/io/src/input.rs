//! Arguments in, a sorted list of input files out.

use std::path::PathBuf;

/// The names of the fields (JSON keys, CSV columns, Parquet columns) that hold what we need.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FieldNames {
    /// The text; preferred over `html` where a record has both.
    pub text: String,
    /// The record's name.
    pub id: String,
    /// The address it was found at.
    pub url: String,
    /// The title.
    pub title: String,
    /// The date.
    pub date: String,
    /// HTML, used where there is no text.
    pub html: String,
    /// Numeric fields asked for by `--keep max:FIELD` and `min:FIELD`.
    pub extra: Vec<String>,
}

impl Default for FieldNames {
    fn default() -> Self {
        Self {
            text: "text".into(),
            id: "id".into(),
            url: "url".into(),
            title: "title".into(),
            date: "date".into(),
            html: "html".into(),
            extra: Vec::new(),
        }
    }
}

/// How a file is cut into records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// One JSON object a line.
    Jsonl,
    /// Comma-separated values with a header line.
    Csv,
    /// Tab-separated values with a header line; quoting as in CSV.
    Tsv,
    /// Apache Parquet.
    Parquet,
    /// One plain text document a file.
    Text,
    /// One Markdown document a file, read as plain text.
    Markdown,
    /// One HTML page a file.
    Html,
}

/// What lies around a text form.
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

/// One file to read.
#[derive(Debug, Clone)]
pub struct InputFile {
    /// Where it lies.
    pub path: PathBuf,
    /// How people see it; documents without an id are named after it. Valid UTF-8, unique.
    pub name: String,
    /// Its path below the argument that led to it, for outputs that mirror the inputs.
    pub relative: PathBuf,
    /// Form of its records.
    pub format: Format,
    /// Compression around it.
    pub compression: Compression,
    /// Size in bytes when it was found.
    pub size: u64,
    /// Modification time when it was found: a file that changes during a run is refused.
    pub modified: Option<std::time::SystemTime>,
}

/// What to look for.
#[derive(Debug, Clone, Default)]
pub struct DiscoverOptions {
    /// Field names.
    pub fields: FieldNames,
    /// Form of every input, whatever its name says (needed for names without an extension).
    pub format: Option<Format>,
    /// Largest record in bytes; longer ones are problems. `None`: 256 MiB.
    pub max_record: Option<usize>,
    /// Where standard input is kept while it is needed (a directory).
    pub scratch: Option<PathBuf>,
}

/// The files of a run, in the order of their names, and how to read them.
#[derive(Debug)]
pub struct Inputs {
    /// The files, sorted by name: the order in which they were given changes nothing.
    pub files: Vec<InputFile>,
    /// How they are read.
    pub options: DiscoverOptions,
}
