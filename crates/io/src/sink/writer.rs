//! Writer of documents: appends routed chunks in input order. The part of writing that runs on one
//! thread.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use super::layout::Layout;
use super::mark::{columns, rows};
use super::pack::PackedFile;
use super::route::{Piece, PieceKind, RouteOptions, Routed, marked_files_header, refused};
use super::table_file::{TableModel, TableOutput};
use super::{OutputError, OutputFile, Role, Staging};
use crate::formats;
use crate::input::name::readable;
use crate::source::{CsvHeader, open};
use crate::{Compression, DiscoverOptions, InputFile, Inputs};

/// Writes the documents of a run into a [`Staging`] directory.
///
/// Files with many records (JSONL, CSV, TSV, Parquet, Arrow, mbox, WARC):
///
/// * A single one becomes `kept.EXT`, `removed.EXT` and, if anything was rejected, `rejected.EXT`;
///   `EXT` is the input's, compression included (`kept.jsonl.zst`).
/// * Several become `kept/PATH`, `removed/PATH` and `rejected/PATH`, where `PATH` is the input's
///   path below the argument that led to it. If two inputs have the same path, the later one is
///   below a numbered folder (`kept/2/PATH`).
/// * Every input has its kept and removed file, possibly empty with its header or schema only. (A
///   damaged Parquet or Arrow file, whose schema cannot be read, has none.)
///
/// One-document files are listed, one name per line, in `kept-files.txt`, `removed-files.txt` and
/// `rejected-files.txt`; copies go to `kept-files/PATH` if enabled.
///
/// With [`RouteOptions::mark`], `marked` replaces `kept` and `removed`, and one-document files are
/// listed in `marked-files.tsv` with the columns `path` and those of
/// [`MarkNames`](super::MarkNames).
///
/// Only the outputs of one input are open at a time. The bytes depend on the chunks alone.
pub struct DocumentsWriter<'a> {
    files: &'a [InputFile],
    reading: &'a DiscoverOptions,
    staging: &'a Staging,
    options: RouteOptions,
    layout: Layout,
    /// The first file whose outputs are not created yet.
    next: u32,
    current: Option<Outputs>,
    lists: [Option<Sink>; Role::COUNT],
    written: WrittenFiles,
    threads: usize,
    unreadable: BTreeSet<u32>,
}

/// The written files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WrittenFiles {
    /// The files, in input order; lists of one-document files last.
    pub files: Vec<WrittenFile>,
    /// Copies of one-document files.
    pub copied: u64,
}

/// One file of documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenFile {
    /// Its path in the result directory.
    pub path: PathBuf,
    /// Index of the input that its records come from; `None` for lists of files.
    pub input: Option<u32>,
    /// The role of its documents.
    pub role: Role,
    /// Number of documents.
    pub records: u64,
    /// Size of the file.
    pub bytes: u64,
}

impl WrittenFile {
    /// Its name in summaries: a [`readable`](crate::input::name::readable) one, from which
    /// [`path_of`](crate::input::name::path_of) makes the path again.
    #[must_use]
    pub fn name(&self) -> String {
        readable(&self.path)
    }
}

impl WrittenFiles {
    /// Number of documents of one role.
    pub fn records(&self, role: Role) -> u64 {
        self.files.iter().filter(|file| file.role == role).map(|file| file.records).sum()
    }

    /// Bytes written, without copies.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }
}

/// The outputs of one data file.
struct Outputs {
    file: u32,
    /// For Parquet and Arrow: properties taken from the input.
    model: Option<Box<dyn TableModel>>,
    /// For CSV and TSV.
    header: Option<Arc<CsvHeader>>,
    sinks: [Option<Sink>; Role::COUNT],
}

/// One output being written.
struct Sink {
    name: PathBuf,
    records: u64,
    format: OutputFormat,
}

enum OutputFormat {
    Bytes(PackedFile),
    Table(Box<dyn TableOutput>),
}

impl<'a> DocumentsWriter<'a> {
    /// Plans the outputs; files are created when their chunks come. `options` are those that the
    /// chunks are routed with.
    pub fn new(inputs: &'a Inputs, staging: &'a Staging, options: &RouteOptions) -> Self {
        let files = &inputs.files[..options.end(inputs) as usize];
        Self {
            files,
            reading: &inputs.options,
            staging,
            options: options.clone(),
            layout: Layout::plan(files, options.copy_files),
            next: 0,
            current: None,
            lists: Default::default(),
            written: WrittenFiles::default(),
            threads: 1,
            unreadable: BTreeSet::new(),
        }
    }

    /// Names the inputs that are known to be unreadable, wholly or from some place on. If nothing of
    /// another one can be read, that is an error.
    #[must_use]
    pub fn with_unreadable(self, files: impl IntoIterator<Item = u32>) -> Self {
        Self { unreadable: files.into_iter().collect(), ..self }
    }

    /// Sets the number of compressing threads; the bytes are the same for any number.
    #[must_use]
    pub fn with_threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// Appends the records of one chunk. Chunks must be in the order of reading; those of inputs
    /// that are not written may be omitted.
    pub fn write(&mut self, routed: &Routed) -> Result<(), OutputError> {
        if routed.file as usize >= self.files.len() {
            return Ok(());
        }
        if routed.kind == PieceKind::Files {
            return self.write_files(routed);
        }
        let mut outputs = match self.current.take() {
            Some(outputs) if outputs.file == routed.file => outputs,
            current => {
                self.close(current)?;
                self.pass_over(routed.file)?;
                self.next = routed.file + 1;
                self.open(routed.file, routed.header.clone())?
            }
        };
        for role in Role::ALL {
            let piece = &routed.pieces[role.index()];
            if piece.is_empty() {
                continue;
            }
            let sink = match &mut outputs.sinks[role.index()] {
                Some(sink) => sink,
                None => {
                    let sink = self.start(&outputs, role)?;
                    outputs.sinks[role.index()].insert(sink)
                }
            };
            sink.append(piece)?;
        }
        self.current = Some(outputs);
        Ok(())
    }

    /// Ends all files.
    pub fn finish(mut self) -> Result<WrittenFiles, OutputError> {
        let current = self.current.take();
        self.close(current)?;
        self.pass_over(self.files.len() as u32)?;
        if self.files.iter().any(|file| file.format.is_document()) {
            for role in self.standing() {
                self.list(*role)?;
            }
        }
        for (role, list) in Role::ALL.into_iter().zip(std::mem::take(&mut self.lists)) {
            if let Some(list) = list {
                self.written.files.push(list.close(None, role)?);
            }
        }
        Ok(self.written)
    }

    fn input(&self, file: u32) -> &'a InputFile {
        &self.files[file as usize]
    }

    /// The roles whose outputs exist even if they are empty.
    fn standing(&self) -> &'static [Role] {
        match self.options.writes_all() {
            true => &[Role::Marked],
            false => &[Role::Kept, Role::Removed],
        }
    }

    /// Creates the outputs of data files without any records, up to the file before `until`.
    fn pass_over(&mut self, until: u32) -> Result<(), OutputError> {
        if until < self.next {
            return Err(OutputError::OutOfOrder { input: self.input(until).name.clone() });
        }
        for file in self.next..until {
            let input = self.input(file);
            if input.format.is_document() {
                continue;
            }
            let is_known =
                self.unreadable.contains(&file) || (input.size == 0 && input.format.is_columns());
            match table_model(input) {
                Ok(_) => {}
                Err(_) if is_known => continue,
                Err(error) => return Err(error),
            }
            let records = formats::records(input.format);
            let header = records.map_or(Ok(None), |of| of.header(file, input, self.reading));
            let header = match header {
                Ok(header) => header,
                Err(_) if is_known => None,
                Err(failure) => {
                    return Err(OutputError::input(&input.path, failure.into_problem().message));
                }
            };
            let outputs = self.open(file, header)?;
            self.close(Some(outputs))?;
        }
        self.next = until;
        Ok(())
    }

    fn open(&self, file: u32, header: Option<Arc<CsvHeader>>) -> Result<Outputs, OutputError> {
        let input = self.input(file);
        let model = table_model(input)?;
        let mut outputs = Outputs { file, model, header, sinks: Default::default() };
        for role in self.standing() {
            outputs.sinks[role.index()] = Some(self.start(&outputs, *role)?);
        }
        Ok(outputs)
    }

    /// Starts one output of a data file, with its header or schema.
    fn start(&self, outputs: &Outputs, role: Role) -> Result<Sink, OutputError> {
        let input = self.input(outputs.file);
        let name = self.layout.data(role, outputs.file, input);
        let path = self.staging.path(&name);
        let marks = self.options.fields(role);
        let format = if let Some(model) = &outputs.model {
            let schema = match marks {
                Some(names) => columns::marked_schema(model.schema(), names)
                    .map_err(|refusal| refused(refusal, &input.name, 0))?,
                None => Arc::clone(model.schema()),
            };
            OutputFormat::Table(model.create(path, schema)?)
        } else {
            let file = OutputFile::create(path)?;
            let compression = match self.options.uncompressed {
                true => Compression::None,
                false => input.compression,
            };
            let mut file = PackedFile::new(file, compression, self.threads);
            if let Some(header) = &outputs.header {
                let mut raw = Vec::new();
                match marks {
                    Some(names) => rows::push_marked_header(header, names, &mut raw)
                        .map_err(|refusal| refused(refusal, &input.name, 1))?,
                    None => raw.extend_from_slice(&header.raw),
                }
                file.append(&raw)?;
            }
            OutputFormat::Bytes(file)
        };
        Ok(Sink { name, records: 0, format })
    }

    fn close(&mut self, outputs: Option<Outputs>) -> Result<(), OutputError> {
        let Some(outputs) = outputs else { return Ok(()) };
        for (role, sink) in Role::ALL.into_iter().zip(outputs.sinks) {
            let Some(sink) = sink else { continue };
            self.written.files.push(sink.close(Some(outputs.file), role)?);
        }
        Ok(())
    }

    fn write_files(&mut self, routed: &Routed) -> Result<(), OutputError> {
        let current = self.current.take();
        self.close(current)?;
        self.pass_over(routed.file)?;
        let mut files = 0;
        for role in Role::ALL {
            let piece = &routed.pieces[role.index()];
            files += piece.records as u32;
            if piece.records > 0 {
                self.list(role)?.append(piece)?;
            }
        }
        self.next = routed.file + files;
        for file in &routed.copies {
            self.copy(*file)?;
        }
        Ok(())
    }

    /// The list of one-document files, created on first use.
    fn list(&mut self, role: Role) -> Result<&mut Sink, OutputError> {
        let list = &mut self.lists[role.index()];
        match list {
            Some(list) => Ok(list),
            None => {
                let name = Layout::list(role);
                let file = OutputFile::create(self.staging.path(&name))?;
                let mut file = PackedFile::new(file, Compression::None, 1);
                if let Some(names) = self.options.fields(role) {
                    file.append(marked_files_header(names).as_bytes())?;
                }
                Ok(list.insert(Sink { name, records: 0, format: OutputFormat::Bytes(file) }))
            }
        }
    }

    fn copy(&mut self, file: u32) -> Result<(), OutputError> {
        let input = self.input(file);
        let from = &input.path;
        let to = self.staging.path(self.layout.copy(file));
        let mut source = open::open(input).map_err(|e| OutputError::input(from, e))?;
        let mut copy = OutputFile::create(to.clone())?;
        std::io::copy(&mut source, &mut copy)
            .map_err(|e| OutputError::io("copy a kept file to it", &to, e))?;
        copy.close()?;
        self.written.copied += 1;
        Ok(())
    }
}

/// What the outputs of an input take from it; `None` if it has no record batches.
fn table_model(input: &InputFile) -> Result<Option<Box<dyn TableModel>>, OutputError> {
    formats::records(input.format).map_or(Ok(None), |records| records.model(input))
}

impl Sink {
    fn append(&mut self, piece: &Piece) -> Result<(), OutputError> {
        self.records += piece.records;
        match (&mut self.format, &piece.batch) {
            (OutputFormat::Bytes(file), _) if piece.ends.is_empty() => file.append(&piece.data),
            (OutputFormat::Bytes(file), _) => file.append_members(&piece.data, &piece.ends),
            (OutputFormat::Table(file), Some(batch)) => file.append(batch),
            (OutputFormat::Table(_), None) => Ok(()),
        }
    }

    fn close(self, input: Option<u32>, role: Role) -> Result<WrittenFile, OutputError> {
        let bytes = match self.format {
            OutputFormat::Bytes(file) => file.close()?,
            OutputFormat::Table(file) => file.close()?,
        };
        Ok(WrittenFile { path: self.name, input, role, records: self.records, bytes })
    }
}
