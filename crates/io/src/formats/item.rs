//! What a format decides.

use std::borrow::Cow;
use std::sync::Arc;

use crate::input::format::About;
use crate::sink::mark::{Refusal, ToMark};
use crate::sink::replace::ToReplace;
use crate::sink::table_file::TableModel;
use crate::source::decompress::Decompressed;
use crate::source::fields::Fields;
use crate::source::open;
use crate::source::record_limit::too_long;
use crate::source::scratch::VisitScratch;
use crate::source::{Chunk, ChunkPosition, CsvHeader, Next};
use crate::{Content, DiscoverOptions, InputFile, Inputs, Item, OutputError, ReadFailure};

/// A format.
pub(crate) struct FormatItem {
    pub(crate) about: &'static About,
    pub(crate) reading: Reading,
}

/// How the files of a format are read.
#[derive(Clone, Copy)]
pub(crate) enum Reading {
    /// Each is one document.
    Document(&'static dyn DocumentFormat),
    /// Each has many records.
    Records(&'static dyn RecordFormat),
}

/// A file to open.
pub(crate) struct Opening<'a> {
    /// Its index among the inputs.
    pub(crate) file: u32,
    pub(crate) input: &'a InputFile,
    pub(crate) fields: &'a Fields<'a>,
    pub(crate) options: &'a DiscoverOptions,
    /// Size of chunks.
    pub(crate) chunk_bytes: usize,
    /// Largest record.
    pub(crate) max_record: usize,
    /// Whether only columns with fields are read.
    pub(crate) only_fields: bool,
}

impl Opening<'_> {
    /// The failure to open it.
    pub(crate) fn refuse(&self, message: impl Into<String>) -> ReadFailure {
        ReadFailure::of_file(self.file, &self.input.name, None, message.into())
    }
}

/// A chunk to parse.
pub(crate) struct Visit<'a> {
    pub(crate) inputs: &'a Inputs,
    pub(crate) fields: &'a Fields<'a>,
    pub(crate) scratch: &'a mut VisitScratch,
    /// Whether the record with this number of the file is parsed.
    pub(crate) wanted: &'a dyn Fn(u32, u32) -> bool,
    /// Takes the records, or the problems in their places, in order.
    pub(crate) each: &'a mut dyn FnMut(Item<'_>),
}

/// A file that was opened; `None` if it is empty.
pub(crate) type OpenedReader = Result<Option<Box<dyn ChunkReader>>, ReadFailure>;

/// What outputs take from an input, if it is of record batches.
pub(crate) type Modelled = Result<Option<Box<dyn TableModel>>, OutputError>;

/// Splits one file into chunks.
pub(crate) trait ChunkReader: Send {
    /// The next piece of the file. Unless `any_size`, a record larger than a chunk is not read.
    fn next(&mut self, any_size: bool) -> Next;

    /// Whether [`ChunkReader::at`] finds the chunks of an uncompressed file.
    fn can_seek(&self) -> bool {
        false
    }

    /// The chunk at a position, or the failure there; `None` if the file is too short.
    fn at(&mut self, _place: ChunkPosition) -> Option<Result<Chunk, ReadFailure>> {
        None
    }
}

/// A format whose files have many records.
pub(crate) trait RecordFormat: Sync {
    /// Opens a file; `None` if it is empty.
    ///
    /// # Errors
    /// It cannot be read, or has other fields than those that are wanted.
    fn open(&self, opening: &Opening<'_>) -> OpenedReader;

    /// Parses the wanted records of a chunk.
    fn visit(&self, chunk: &Chunk, visit: &mut Visit<'_>);

    /// Calls `each` with the names of the fields of each record, or of all of them, until it returns
    /// `false`.
    fn names(&self, chunk: &Chunk, inputs: &Inputs, each: &mut dyn FnMut(&[String]) -> bool);

    /// Whether a raw record is a document, or a bad one: others are written beside the kept ones.
    fn is_document(&self, _raw: &[u8], _inputs: &Inputs) -> bool {
        true
    }

    /// Appends a raw record with a mark to `out`.
    ///
    /// # Errors
    /// It cannot be marked.
    fn push_marked(&self, _of: &ToMark<'_>, _out: &mut Vec<u8>) -> Result<(), Refusal> {
        Err(Refusal::Shape("records of this format cannot be marked"))
    }

    /// Appends a raw record with another text to `out`; `false`, and nothing appended, if it cannot have it.
    fn push_replaced(&self, _of: &ToReplace<'_>, _out: &mut Vec<u8>) -> bool {
        false
    }

    /// Whether every record is compressed by itself.
    fn has_members(&self) -> bool {
        false
    }

    /// What is written between an output that ends so and the next one, in a stream of several.
    fn separator(&self, end: [u8; 2]) -> &'static [u8] {
        if matches!(end[1], b'\n' | b'\r') { b"" } else { b"\n" }
    }

    /// The header line of a file, if files have one and this is not empty.
    ///
    /// # Errors
    /// It cannot be read.
    fn header(
        &self,
        _file: u32,
        _input: &InputFile,
        _options: &DiscoverOptions,
    ) -> Result<Option<Arc<CsvHeader>>, ReadFailure> {
        Ok(None)
    }

    /// What outputs take from an input of record batches.
    ///
    /// # Errors
    /// It cannot be read.
    fn model(&self, _input: &InputFile) -> Modelled {
        Ok(None)
    }
}

/// A format whose files are one document each.
pub(crate) trait DocumentFormat: Sync {
    /// Reads the text of a file into `out`, which is empty. Fails with a message, and whether the
    /// input is unreadable.
    fn read(
        &self,
        input: &InputFile,
        inputs: &Inputs,
        out: &mut Vec<u8>,
    ) -> Result<(), (String, bool)> {
        let options = &inputs.options;
        let limit = options.max_record();
        let mut source = Decompressed::open(input).map_err(|e| (open::explain(&e), true))?;
        match source.read_up_to(limit.saturating_add(1), out) {
            Ok(_) if out.len() > limit => return Err((too_long(limit), false)),
            Ok(_) => {}
            Err(e) => {
                if let Some(message) = source.explain(&e).fatal() {
                    return Err((message, true));
                }
            }
        }
        if let Some(text) = self.text(out, options).map_err(|message| (message, false))? {
            *out = text.into_bytes();
        }
        Ok(())
    }

    /// The text of a file, unless that is the file itself.
    ///
    /// # Errors
    /// Why it has none, and a remedy.
    fn text(&self, _file: &[u8], _options: &DiscoverOptions) -> Result<Option<String>, String> {
        Ok(None)
    }

    /// The content that was read.
    fn content<'a>(&self, bytes: Cow<'a, [u8]>) -> Content<'a> {
        Content::TextBytes(bytes)
    }
}
