//! Attribute files: beside each input a JSONL file with one line for each of its records, in order.
//!
//! The convention of Dolma and Marin: attributes are *co-partitioned* with the documents, the file
//! of an input has its path below `attributes/`, and line n belongs to record n. The attributes of
//! one-document files are in one list, `attributes-files.jsonl`, in the order of the files.

use std::path::{Path, PathBuf};

use super::layout::mirrored;
use super::pack::PackedFile;
use super::{OutputError, OutputFile, Staging};
use crate::{Compression, Format, InputFile};

/// The line of a record that cannot be used.
const UNUSABLE: &[u8] = b"{\"id\":null,\"attributes\":{}}\n";

/// Writes attribute files. Lines come in the order of files and records.
#[derive(Debug)]
pub struct AttributeFiles<'a> {
    files: &'a [InputFile],
    staging: &'a Staging,
    threads: usize,
    /// Path below `attributes/` of each data file.
    paths: Vec<PathBuf>,
    /// The list of one-document files.
    list: Option<Open>,
    /// The current data file, and its index.
    current: Option<(u32, Open)>,
    /// The first file that was not begun.
    next: u32,
    written: Vec<AttributeFile>,
}

/// A finished attribute file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributeFile {
    /// Path below the result directory.
    pub path: PathBuf,
    /// Number of lines.
    pub records: u64,
    /// Size in bytes.
    pub bytes: u64,
}

#[derive(Debug)]
struct Open {
    path: PathBuf,
    file: PackedFile,
    records: u64,
}

impl Open {
    fn append(&mut self, line: &[u8]) -> Result<(), OutputError> {
        self.records += 1;
        self.file.append(line)
    }

    /// Adds lines of unusable records until there are `records` lines.
    fn fill(&mut self, records: u64) -> Result<(), OutputError> {
        while self.records < records {
            self.append(UNUSABLE)?;
        }
        Ok(())
    }

    fn close(self) -> Result<AttributeFile, OutputError> {
        let Self { path, file, records } = self;
        Ok(AttributeFile { path, records, bytes: file.close()? })
    }
}

impl<'a> AttributeFiles<'a> {
    /// Files beside these inputs, compressed on so many threads.
    #[must_use]
    pub fn new(files: &'a [InputFile], staging: &'a Staging, threads: usize) -> Self {
        let paths = mirrored(files, |file| !file.format.is_document());
        let (list, current, next, written) = (None, None, 0, Vec::new());
        Self { files, staging, threads, paths, list, current, next, written }
    }

    /// Appends the line of a record, which ends with a line end. Records of the file before it that
    /// have no line get that of an unusable one. `records` is the number of records of each file
    /// before this one, as far as they are not one-document files.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn append(
        &mut self,
        (file, record): (u32, u32),
        line: &[u8],
        records: impl Fn(u32) -> u64,
    ) -> Result<(), OutputError> {
        if self.files[file as usize].format.is_document() {
            self.list()?;
            return self.list.as_mut().map_or(Ok(()), |list| list.append(line));
        }
        self.begin(file, &records)?;
        let Some((_, open)) = &mut self.current else { return Ok(()) };
        open.fill(u64::from(record).saturating_sub(1))?;
        open.append(line)
    }

    /// Ends all files; `records` as of [`AttributeFiles::append`].
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn finish(
        mut self,
        records: impl Fn(u32) -> u64,
    ) -> Result<Vec<AttributeFile>, OutputError> {
        self.end(self.files.len() as u32, &records)?;
        if self.files.iter().any(|file| file.format.is_document()) {
            self.list()?;
        }
        self.written.extend(self.list.take().map(Open::close).transpose()?);
        Ok(self.written)
    }

    /// Makes a data file the current one.
    fn begin(&mut self, file: u32, records: &impl Fn(u32) -> u64) -> Result<(), OutputError> {
        if self.current.as_ref().is_some_and(|(current, _)| *current == file) {
            return Ok(());
        }
        self.end(file, records)?;
        self.current = Some((file, self.open(file)?));
        self.next = file + 1;
        Ok(())
    }

    /// Ends the current file, and writes those before `until` that have no usable record.
    fn end(&mut self, until: u32, records: &impl Fn(u32) -> u64) -> Result<(), OutputError> {
        if let Some((file, mut open)) = self.current.take() {
            open.fill(records(file))?;
            self.written.push(open.close()?);
        }
        for file in self.next..until {
            if !self.files[file as usize].format.is_document() {
                let mut open = self.open(file)?;
                open.fill(records(file))?;
                self.written.push(open.close()?);
            }
        }
        self.next = self.next.max(until);
        Ok(())
    }

    fn open(&self, file: u32) -> Result<Open, OutputError> {
        let input = &self.files[file as usize];
        let below = &self.paths[file as usize];
        let named = |name: &str| below.to_string_lossy().to_lowercase().ends_with(name);
        // JSONL keeps its name and its compression.
        let ends: &[&str] = match input.compression {
            Compression::None => &[".jsonl", ".ndjson", ".json"],
            Compression::Gzip => &[".jsonl.gz", ".ndjson.gz", ".json.gz"],
            Compression::Zstd => &[".jsonl.zst", ".ndjson.zst", ".json.zst"],
            Compression::Bzip2 => &[".jsonl.bz2", ".ndjson.bz2", ".json.bz2"],
            Compression::Xz => &[".jsonl.xz", ".ndjson.xz", ".json.xz"],
        };
        let same = input.format == Format::JSONL && ends.iter().any(|end| named(end));
        let (below, compression) = match same {
            true => (below.clone(), input.compression),
            false => {
                let mut name = below.clone().into_os_string();
                name.push(".jsonl");
                (PathBuf::from(name), Compression::None)
            }
        };
        self.create(&Path::new("attributes").join(below), compression)
    }

    fn list(&mut self) -> Result<(), OutputError> {
        if self.list.is_none() {
            let list = self.create(Path::new("attributes-files.jsonl"), Compression::None)?;
            self.list = Some(list);
        }
        Ok(())
    }

    fn create(&self, path: &Path, compression: Compression) -> Result<Open, OutputError> {
        let file = OutputFile::create(self.staging.path(path))?;
        let file = PackedFile::new(file, compression, self.threads);
        Ok(Open { path: path.to_owned(), file, records: 0 })
    }
}
