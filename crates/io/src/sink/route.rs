//! Routing: sorts the records of a chunk by fate. The part of writing that runs on every core.

use std::sync::Arc;

use arrow_array::{BooleanArray, RecordBatch};
use arrow_select::filter::filter_record_batch;

use super::mark::{Refusal, ToMark, columns, rows};
use super::replace::{Replaced, ToReplace, columns as replaced_columns};
use super::{MarkNames, OutputError, Role};
use crate::formats::{self, RecordFormat};
use crate::guard::guarded;
use crate::source::{Body, Chunk, CsvHeader};
use crate::table::tsv::push_text;
use crate::{Fate, Fates, InputFile, Inputs, MarkValue, Replacement};

/// Options of writing documents.
#[derive(Debug, Clone, Default)]
pub struct RouteOptions {
    /// Write all documents with these fields added, instead of separating them; with
    /// [`RouteOptions::separates`] only the kept ones get them.
    pub mark: Option<MarkNames>,
    /// Separate documents by their fates although fields are added.
    pub separates: bool,
    /// Besides the list of kept one-document files, write copies of them.
    pub copy_files: bool,
    /// Number of inputs that are written; those after them are protected. `None`: all.
    pub files: Option<u32>,
    /// Write files uncompressed whose inputs are compressed. Their names stay.
    pub uncompressed: bool,
}

impl RouteOptions {
    /// The first input that is not written.
    pub(super) fn end(&self, inputs: &Inputs) -> u32 {
        let all = inputs.files.len() as u32;
        self.files.map_or(all, |files| files.min(all))
    }

    /// The fields that are added to the documents of an output.
    pub(super) fn fields(&self, role: Role) -> Option<&MarkNames> {
        let with_fields = if self.separates { Role::Kept } else { Role::Marked };
        self.mark.as_ref().filter(|_| role == with_fields)
    }

    /// Whether all documents are written together.
    pub(super) fn writes_all(&self) -> bool {
        self.mark.is_some() && !self.separates
    }

    /// The output of a record of this fate.
    fn role(&self, fate: Fate) -> Role {
        match fate {
            Fate::Rejected => Role::Rejected,
            _ if self.writes_all() => Role::Marked,
            Fate::Kept => Role::Kept,
            Fate::Removed => Role::Removed,
        }
    }
}

/// The routed records of one chunk, for [`super::DocumentsWriter::write`].
///
/// Buffers keep their capacity from one [`Chunk::route`] to the next, except what an unusually
/// large record needed.
#[derive(Debug, Default)]
pub struct Routed {
    pub(super) file: u32,
    pub(super) kind: PieceKind,
    pub(super) header: Option<Arc<CsvHeader>>,
    /// By [`Role::index`].
    pub(super) pieces: [Piece; Role::COUNT],
    /// One-document files to copy.
    pub(super) copies: Vec<u32>,
    /// Files and numbers of records that could not have another text.
    refused: Vec<(u32, u32)>,
}

/// Largest capacity kept for the next chunk: usual chunks need less.
const MOST_KEPT: usize = 8 << 20;

/// Kind of a chunk's records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum PieceKind {
    /// Records of a text format.
    #[default]
    Bytes,
    /// Rows of a Parquet file.
    Batch,
    /// One-document files.
    Files,
}

/// The records of a chunk with one role.
#[derive(Debug, Default)]
pub(super) struct Piece {
    pub(super) records: u64,
    /// Uncompressed, as they will be appended.
    pub(super) data: Vec<u8>,
    /// Ends of the parts of `data` that are compressed one by one; empty where they need not be.
    pub(super) ends: Vec<usize>,
    pub(super) batch: Option<RecordBatch>,
}

impl Piece {
    /// Whether nothing has this role, not even a skipped record.
    pub(super) fn is_empty(&self) -> bool {
        self.records == 0 && self.data.is_empty()
    }
}

impl Routed {
    /// Number of records with a role.
    pub fn records(&self, role: Role) -> u64 {
        self.pieces[role.index()].records
    }

    /// Files and numbers of the records that could not have another text
    /// ([`Fates::replacement`]).
    #[must_use]
    pub fn refused(&self) -> &[(u32, u32)] {
        &self.refused
    }

    /// Frees the capacity that an unusually large record needed.
    pub fn free_large(&mut self) {
        for piece in &mut self.pieces {
            if piece.data.capacity() > MOST_KEPT {
                piece.data = Vec::new();
            }
            piece.batch = None;
        }
    }

    fn clear(&mut self, file: u32, kind: PieceKind) {
        self.file = file;
        self.kind = kind;
        self.header = None;
        self.copies.clear();
        self.refused.clear();
        for piece in &mut self.pieces {
            piece.records = 0;
            piece.data.clear();
            piece.ends.clear();
            piece.data.shrink_to(MOST_KEPT);
            piece.batch = None;
        }
    }
}

impl Chunk {
    /// Routes every record of the chunk to the role of its fate.
    ///
    /// Lines, rows, messages and WARC records are copied byte for byte, line ends included. A last line without
    /// an end stays so: it is the last of its output as well. Blank lines of JSONL and a byte order
    /// mark belong to no record and are dropped. Parquet rows are filtered: the chunk must hold all
    /// columns. One-document files are listed. Skipped records of a WARC file go where its kept ones
    /// go, uncounted.
    ///
    /// With [`RouteOptions::mark`] it fails where a record has one of the added fields already.
    pub fn route(
        &self,
        inputs: &Inputs,
        fates: &dyn Fates,
        options: &RouteOptions,
        out: &mut Routed,
    ) -> Result<(), OutputError> {
        let end = options.end(inputs);
        if self.file >= end {
            out.clear(self.file, PieceKind::Bytes);
            return Ok(());
        }
        let router = Router { chunk: self, inputs, fates, options };
        match &self.body {
            Body::Lines(_) | Body::Rows { .. } | Body::Records { .. } => {
                out.clear(self.file, PieceKind::Bytes);
                if let Body::Rows { header, .. } = &self.body {
                    out.header = Some(Arc::clone(header));
                }
                router.texts(out)
            }
            Body::Batch(batch) => {
                out.clear(self.file, PieceKind::Batch);
                router.batch(batch, out)
            }
            Body::Files(count) => {
                out.clear(self.file, PieceKind::Files);
                router.files((*count).min(end - self.file), out);
                Ok(())
            }
        }
    }
}

struct Router<'a> {
    chunk: &'a Chunk,
    inputs: &'a Inputs,
    fates: &'a dyn Fates,
    options: &'a RouteOptions,
}

impl Router<'_> {
    fn input(&self) -> &InputFile {
        &self.inputs.files[self.chunk.file as usize]
    }

    /// Collects raw records by role, with marks if enabled.
    fn texts(&self, out: &mut Routed) -> Result<(), OutputError> {
        let Some(format) = formats::records(self.input().format) else { return Ok(()) };
        let (file, has_members) = (self.chunk.file, format.has_members());
        let aside = if self.options.writes_all() { Role::Marked } else { Role::Kept };
        for (record, raw) in self.chunk.raw_records() {
            let is_document = format.is_document(raw, self.inputs);
            if is_document && self.replaced(format, record, raw, out) {
                continue;
            }
            let role = match is_document {
                true => self.options.role(self.fates.fate(file, record)),
                false => aside,
            };
            let piece = &mut out.pieces[role.index()];
            piece.records += u64::from(is_document);
            match self.options.fields(role) {
                Some(names) if is_document => {
                    let mark = self.fates.mark(file, record);
                    format
                        .push_marked(
                            &ToMark { chunk: self.chunk, raw, names, mark: &mark },
                            &mut piece.data,
                        )
                        .map_err(|refusal| self.refused_at(refusal, raw))?;
                }
                _ => piece.data.extend_from_slice(raw),
            }
            if has_members {
                piece.ends.push(piece.data.len());
            }
        }
        Ok(())
    }

    /// Writes a record with another text, if it gets one; `false` if it does not.
    fn replaced(
        &self,
        format: &dyn RecordFormat,
        record: u32,
        raw: &[u8],
        out: &mut Routed,
    ) -> bool {
        let file = self.chunk.file;
        let Some(text) = self.fates.replacement(file, record) else { return false };
        let field = Replaced::of(&self.inputs.options.fields);
        let kept = &mut out.pieces[Role::Kept.index()];
        let of = ToReplace { chunk: self.chunk, raw, field, text };
        let role = match format.push_replaced(&of, &mut kept.data) {
            true => Role::Kept,
            false => {
                out.refused.push((file, record));
                let role = self.options.role(self.fates.of_refused());
                out.pieces[role.index()].data.extend_from_slice(raw);
                role
            }
        };
        let piece = &mut out.pieces[role.index()];
        piece.records += 1;
        if format.has_members() {
            piece.ends.push(piece.data.len());
        }
        true
    }

    /// The error for a record that cannot be marked. Line numbers are computed for errors only.
    fn refused_at(&self, refusal: Refusal, raw: &[u8]) -> OutputError {
        let (Body::Lines(data) | Body::Rows { data, .. } | Body::Records { data, .. }) =
            &self.chunk.body
        else {
            return refused(refusal, &self.input().name, 0);
        };
        let before = raw.as_ptr().addr() - data.as_ptr().addr();
        let lines = memchr::memchr_iter(b'\n', &data[..before]).count() as u64;
        // Formats that have no lines count none.
        let line = if self.chunk.first_line == 0 { 0 } else { self.chunk.first_line + lines };
        refused(refusal, &self.input().name, line)
    }

    fn batch(&self, batch: &RecordBatch, out: &mut Routed) -> Result<(), OutputError> {
        let fail = |e: arrow_schema::ArrowError| OutputError::parquet(&self.input().path, e.into());
        let (file, first) = (self.chunk.file, self.chunk.first_record);
        let mut roles: Vec<Role> = (first..)
            .take(batch.num_rows())
            .map(|record| self.options.role(self.fates.fate(file, record)))
            .collect();
        let replaced = (first..).zip(0..batch.num_rows());
        let replaced =
            replaced.filter_map(|(record, row)| Some((row, self.fates.replacement(file, record)?)));
        let replacements: Vec<(usize, Replacement<'_>)> = replaced.collect();
        let mut changed = None;
        if !replacements.is_empty() {
            let field = Replaced::of(&self.inputs.options.fields);
            let (batch, refused) = replaced_columns::replaced_batch(batch, field, &replacements);
            for row in refused {
                roles[row] = self.options.role(self.fates.of_refused());
                out.refused.push((file, first + row as u32));
            }
            changed = Some(batch);
        }
        let batch = changed.as_ref().unwrap_or(batch);
        for role in Role::ALL {
            let records = roles.iter().filter(|r| **r == role).count();
            if records == 0 {
                continue;
            }
            let mut part = if records == roles.len() {
                batch.clone()
            } else {
                let wanted: BooleanArray = roles.iter().map(|r| Some(*r == role)).collect();
                guarded(|| filter_record_batch(batch, &wanted))
                    .map_err(|e| OutputError::input(&self.input().path, e))?
            };
            if let Some(names) = self.options.fields(role) {
                let schema = columns::marked_schema(&batch.schema(), names)
                    .map_err(|refusal| refused(refusal, &self.input().name, 0))?;
                let marks: Vec<Vec<MarkValue<'_>>> = (first..)
                    .zip(&roles)
                    .filter(|(_, r)| **r == role)
                    .map(|(record, _)| self.fates.mark(file, record))
                    .collect();
                part = columns::marked_batch(&part, schema, names, &marks).map_err(fail)?;
            }
            let piece = &mut out.pieces[role.index()];
            piece.records = records as u64;
            piece.batch = Some(part);
        }
        Ok(())
    }

    fn files(&self, count: u32, out: &mut Routed) {
        for file in (self.chunk.file..).take(count as usize) {
            let mut fate = self.fates.fate(file, 1);
            if self.fates.replacement(file, 1).is_some() {
                // The list names files as they are.
                out.refused.push((file, 1));
                fate = self.fates.of_refused();
            }
            let role = self.options.role(fate);
            let name = &self.inputs.files[file as usize].name;
            let piece = &mut out.pieces[role.index()];
            piece.records += 1;
            if self.options.fields(role).is_some() {
                push_marked_file(name, &self.fates.mark(file, 1), &mut piece.data);
            } else {
                piece.data.extend_from_slice(name.as_bytes());
            }
            piece.data.push(b'\n');
            if fate == Fate::Kept && self.options.copy_files {
                out.copies.push(file);
            }
        }
    }
}

/// The columns of the list of marked files.
pub(super) fn marked_files_header(names: &MarkNames) -> String {
    format!("path\t{}\n", names.names().collect::<Vec<_>>().join("\t"))
}

fn push_marked_file(name: &str, mark: &[MarkValue<'_>], out: &mut Vec<u8>) {
    // A name holds no tabs and no line ends, whatever the file is called.
    out.extend_from_slice(name.as_bytes());
    for text in rows::texts(mark) {
        out.push(b'\t');
        push_text(&text, out);
    }
}

/// The error for a record that cannot be marked.
pub(super) fn refused(refusal: Refusal, input: &str, line: u64) -> OutputError {
    let input = input.to_string();
    match refusal {
        Refusal::Taken(name) => OutputError::FieldTaken { input, line, name },
        Refusal::Shape(reason) => OutputError::Unmarkable { input, line, reason },
    }
}
