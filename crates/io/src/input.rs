//! Input files: discovery from arguments, in a deterministic order.
//!
//! [`Inputs::discover`] finds the files; [`Inputs::chunks`](crate::Inputs::chunks) reads them.
//! Files are listed and checked before anything is read, so that the order of arguments does not
//! matter and mistakes are reported before hours of work.

mod discover;
mod error;
mod foreign;
pub(crate) mod kind;
mod name;

use std::path::PathBuf;
use std::sync::Arc;

pub use error::InputError;
pub use foreign::why_skipped;

/// Names of the fields (JSON keys, CSV columns, Parquet columns) that are read.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FieldNames {
    /// The text; preferred over `html` where a record has both.
    pub text: String,
    /// The id.
    pub id: String,
    /// The URL.
    pub url: String,
    /// The title.
    pub title: String,
    /// The date.
    pub date: String,
    /// HTML, used where there is no text.
    pub html: String,
    /// Numeric fields of `--keep max:FIELD` and `min:FIELD`.
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

/// An input file.
#[derive(Debug, Clone)]
pub struct InputFile {
    /// Its path.
    pub path: PathBuf,
    /// Its name in messages and results; documents without an id are named after it. Valid UTF-8,
    /// unique.
    pub name: String,
    /// Its path below the argument that led to it, for outputs that mirror the inputs.
    pub relative: PathBuf,
    /// Its input format.
    pub format: Format,
    /// Its compression.
    pub compression: Compression,
    /// Size in bytes at discovery.
    pub size: u64,
    /// Modification time at discovery: a file that changes during a run is an error.
    pub modified: Option<std::time::SystemTime>,
}

/// Options of discovery.
#[derive(Debug, Clone, Default)]
pub struct DiscoverOptions {
    /// Field names.
    pub fields: FieldNames,
    /// Input format of every file, whatever its name (needed for names without an extension).
    pub format: Option<Format>,
    /// Largest record in bytes; longer ones are problems. `None`: 256 MiB.
    pub max_record: Option<usize>,
    /// Directory for a copy of standard input.
    pub scratch: Option<PathBuf>,
    /// Directories (or files) that are skipped inside a directory to read: the output directory.
    pub exclude: Vec<PathBuf>,
}

impl DiscoverOptions {
    /// Largest record in bytes.
    pub(crate) fn max_record(&self) -> usize {
        self.max_record.unwrap_or(256 << 20)
    }
}

/// The input files of a run in the order of their names, and how to read them.
#[derive(Debug)]
pub struct Inputs {
    /// The files, sorted by name: the order of arguments does not matter.
    pub files: Vec<InputFile>,
    /// How they are read.
    pub options: DiscoverOptions,
    /// Skipped files in directories: unsupported formats, broken links, links to directories, and
    /// special files.
    pub skipped: Vec<PathBuf>,
    /// Copies of standard input, deleted when the last reference is dropped.
    pub(crate) spooled: Vec<Arc<tempfile::TempPath>>,
}

impl Inputs {
    /// Inputs that are known already.
    pub fn from_files(files: Vec<InputFile>, options: DiscoverOptions) -> Self {
        Self { files, options, skipped: Vec::new(), spooled: Vec::new() }
    }

    /// Finds the inputs that the arguments name.
    ///
    /// An argument is a file, a directory (read recursively, without hidden names and links to
    /// directories), a pattern with `*`, `?` or `[...]` unless a file has that very name, or `-`
    /// for JSONL on standard input. A file that is named in two ways is read once.
    ///
    /// # Errors
    /// An argument that matches nothing, a file of unknown format, a directory that cannot be
    /// listed, or no file at all.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # let folder = folder.path();
    /// use lookalike_io::{DiscoverOptions, Format, Inputs};
    ///
    /// std::fs::write(folder.join("b.txt"), "some text")?;
    /// std::fs::write(folder.join("a.jsonl"), "{\"text\":\"more text\"}\n")?;
    /// std::fs::write(folder.join("Makefile"), "all:\n")?;
    ///
    /// let arguments = [folder.display().to_string()];
    /// let inputs = Inputs::discover(&arguments, DiscoverOptions::default())?;
    /// assert_eq!(inputs.files.len(), 2);
    /// assert_eq!(inputs.files[0].format, Format::Jsonl);
    /// assert_eq!(inputs.skipped, [folder.join("Makefile")]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn discover(args: &[String], options: DiscoverOptions) -> Result<Self, InputError> {
        discover::discover(args, options, &mut std::io::stdin().lock())
    }

    /// Appends other inputs. The options stay.
    ///
    /// # Errors
    /// A file that is among both, or more files than can be numbered.
    pub fn append(&mut self, other: Self) -> Result<(), InputError> {
        if !self.spooled.is_empty() && !other.spooled.is_empty() {
            return Err(InputError::Twice { path: PathBuf::from("-") });
        }
        let place = |file: &InputFile| file.path.canonicalize().unwrap_or(file.path.clone());
        let known: std::collections::BTreeSet<PathBuf> = self.files.iter().map(place).collect();
        if let Some(file) = other.files.iter().find(|file| known.contains(&place(file))) {
            return Err(InputError::Twice { path: file.path.clone() });
        }
        self.files.extend(other.files);
        self.skipped.extend(other.skipped);
        self.spooled.extend(other.spooled);
        discover::check_count(self.files.len())
    }

    /// Checks that the size and modification time of all inputs are those of discovery. A run reads
    /// twice; decisions about one text must not be applied to another.
    ///
    /// # Errors
    /// The first file that was changed or removed.
    pub fn verify_unchanged(&self) -> Result<(), InputError> {
        for file in &self.files {
            let metadata = std::fs::metadata(&file.path)
                .map_err(|e| InputError::io("look at the file again", &file.path, e))?;
            if metadata.len() != file.size || metadata.modified().ok() != file.modified {
                return Err(InputError::Changed { path: file.path.clone() });
            }
        }
        Ok(())
    }
}
