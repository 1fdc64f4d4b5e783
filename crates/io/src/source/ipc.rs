//! The messages of an Arrow IPC file or stream (Feather version 2 is the file format).
//!
//! A *file* ends with a footer that has the place of every message; a *stream* is the messages alone.
//! Every length in them is checked against the size of the file, and every length of a compressed
//! buffer against a limit, before memory is taken: the decoder trusts them.

mod message;
mod windows;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::reader::FileDecoder;
use arrow_ipc::{Block, CompressionType, MessageHeader, convert, root_as_footer};
use arrow_schema::SchemaRef;
use parquet::file::reader::Length;

use crate::InputFile;
use crate::guard::guarded;

use super::open::{self, Opened};
use message::{CUT_OFF, Place, bytes, check_lengths, message_of, next_place, place_of};
use windows::Windows;

const MAGIC: &[u8] = b"ARROW1";
/// Bytes of the largest batch that is decoded whole.
const WHOLE: u64 = 16 << 20;
/// The magic of Feather version 1, another format.
const FEATHER_1: &[u8] = b"FEA1";

/// The messages of one file.
pub(crate) struct IpcFile {
    handle: Opened,
    size: u64,
    schema: SchemaRef,
    decoder: FileDecoder,
    layout: Layout,
    compression: Option<CompressionType>,
    /// The batch that is returned next.
    next: Option<Place>,
    /// What is left of it, if it is returned a part at a time.
    windows: Option<Windows>,
    whole: u64,
}

/// Where the messages are.
enum Layout {
    /// The record batches of the footer, the next one first.
    File(std::vec::IntoIter<Place>),
    /// One after the other; the offset of the next.
    Stream(u64),
}

impl IpcFile {
    /// Reads the schema, and of a file the footer and the dictionaries.
    ///
    /// # Errors
    /// Why it cannot be read, and what to do.
    pub(crate) fn open(input: &InputFile) -> Result<Self, String> {
        Self::open_with(input, WHOLE)
    }

    fn open_with(input: &InputFile, whole: u64) -> Result<Self, String> {
        let mut handle = open::open(input).map_err(|e| open::explain(&e))?;
        let size = handle.len();
        let head = bytes(&mut handle, 0, size.min(8))?;
        if head.starts_with(FEATHER_1) {
            return Err(
                "is a Feather file of version 1, which is not supported; write it again as \
                        version 2"
                    .to_owned(),
            );
        }
        let is_file = head.starts_with(MAGIC);
        let opened = match is_file {
            true => Self::file(handle, size, whole),
            false => Self::stream(handle, size, whole),
        };
        opened.map_err(|words| meaning(&words, is_file))
    }

    fn file(mut handle: Opened, size: u64, whole: u64) -> Result<Self, String> {
        let end = bytes(&mut handle, size.checked_sub(10).ok_or(CUT_OFF)?, 10)?;
        if &end[4..] != MAGIC {
            return Err(CUT_OFF.to_owned());
        }
        let length = u64::from(u32::from_le_bytes([end[0], end[1], end[2], end[3]]));
        let start = (size - 10).checked_sub(length).ok_or("the length of the footer is wrong")?;
        let footer = bytes(&mut handle, start, length)?;
        let (schema, version, dictionaries, batches) = guarded(|| {
            let footer = root_as_footer(&footer).map_err(|e| e.to_string())?;
            let schema = footer.schema().ok_or("the footer has no schema")?;
            let place = |block: &Block| place_of(block, size);
            let dictionaries = footer.dictionaries().into_iter().flatten().map(place);
            let dictionaries = dictionaries.collect::<Result<Vec<Place>, String>>()?;
            let batches = footer.recordBatches().into_iter().flatten().map(place);
            let batches = batches.collect::<Result<Vec<Place>, String>>()?;
            let schema = SchemaRef::new(convert::fb_to_schema(schema));
            Ok::<_, String>((schema, footer.version(), dictionaries, batches))
        })?;
        let decoder = FileDecoder::new(SchemaRef::clone(&schema), version);
        let layout = Layout::File(batches.into_iter());
        let mut file = Self::new(handle, (size, whole), schema, decoder, layout);
        for place in dictionaries {
            let message = file.message(place)?;
            file.add_dictionary(place, &message)?;
        }
        file.advance()?;
        Ok(file)
    }

    fn stream(mut handle: Opened, size: u64, whole: u64) -> Result<Self, String> {
        let (place, _) = next_place(&mut handle, 0, size)?.ok_or("it has no schema")?;
        let metadata = bytes(&mut handle, place.offset, place.metadata)?;
        let (schema, version) = guarded(|| {
            let message = message_of(&metadata)?;
            let schema = message.header_as_schema().ok_or("it does not begin with a schema")?;
            Ok::<_, String>((SchemaRef::new(convert::fb_to_schema(schema)), message.version()))
        })?;
        let decoder = FileDecoder::new(SchemaRef::clone(&schema), version);
        let layout = Layout::Stream(place.offset + place.metadata + place.body);
        let mut stream = Self::new(handle, (size, whole), schema, decoder, layout);
        stream.advance()?;
        Ok(stream)
    }

    fn new(
        handle: Opened,
        (size, whole): (u64, u64),
        schema: SchemaRef,
        decoder: FileDecoder,
        layout: Layout,
    ) -> Self {
        let (compression, next, windows) = (None, None, None);
        Self { handle, size, schema, decoder, layout, compression, next, windows, whole }
    }

    /// The schema.
    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Whether it is a stream, without a footer.
    pub(crate) fn is_stream(&self) -> bool {
        matches!(self.layout, Layout::Stream(_))
    }

    /// The compression of the first batch's buffers.
    pub(crate) fn compression(&self) -> Option<CompressionType> {
        self.compression
    }

    /// Bytes in the file of the next batch, or of its next part; `None` at the end.
    pub(crate) fn next_bytes(&self) -> Option<u64> {
        match &self.windows {
            Some(windows) => Some(windows.next_bytes()),
            None => self.next.map(|place| place.metadata + place.body),
        }
    }

    /// Reads the next batch; of a large one of flat columns, its next rows.
    ///
    /// # Errors
    /// Why it cannot be read, and what to do. Nothing can be read after it.
    pub(crate) fn read(&mut self) -> Result<Option<RecordBatch>, String> {
        let read = match (&mut self.windows, self.next) {
            (Some(_), _) => self.read_window(),
            (None, Some(place)) => self.read_at(place),
            (None, None) => return Ok(None),
        };
        read.map(Some).map_err(|words| meaning(&words, !self.is_stream()))
    }

    /// Reads no further.
    pub(crate) fn end(&mut self) {
        (self.next, self.windows) = (None, None);
    }

    fn read_window(&mut self) -> Result<RecordBatch, String> {
        let windows = self.windows.as_mut().ok_or(CUT_OFF)?;
        let rows = guarded(|| windows.read())?;
        if windows.is_done() {
            self.advance()?;
        }
        Ok(rows)
    }

    fn read_at(&mut self, place: Place) -> Result<RecordBatch, String> {
        let message = self.message(place)?;
        let batch = guarded(|| self.decoder.read_record_batch(&place.block(), &message))?
            .ok_or("a message is not a record batch")?;
        self.advance()?;
        Ok(batch)
    }

    /// Finds the next batch, and reads the dictionaries before it.
    fn advance(&mut self) -> Result<(), String> {
        self.find_next()?;
        self.windows = match self.next {
            Some(place) if place.body > 0 => {
                let (handle, schema, whole) = (&mut self.handle, &self.schema, self.whole);
                guarded(|| Windows::open(handle, place, schema, whole))?
            }
            _ => None,
        };
        Ok(())
    }

    fn find_next(&mut self) -> Result<(), String> {
        self.next = None;
        let offset = match &mut self.layout {
            Layout::File(places) => {
                self.next = places.next();
                None
            }
            Layout::Stream(offset) => Some(*offset),
        };
        let mut offset = match (offset, self.next) {
            (Some(offset), _) => offset,
            (None, Some(place)) => return self.note_compression(place),
            (None, None) => return Ok(()),
        };
        while let Some((place, kind)) = next_place(&mut self.handle, offset, self.size)? {
            offset = place.offset + place.metadata + place.body;
            self.layout = Layout::Stream(offset);
            match kind {
                MessageHeader::RecordBatch => {
                    self.next = Some(place);
                    return self.note_compression(place);
                }
                MessageHeader::DictionaryBatch => {
                    let message = self.message(place)?;
                    self.add_dictionary(place, &message)?;
                }
                _ => return Err("a message is neither a record batch nor a dictionary".to_owned()),
            }
        }
        Ok(())
    }

    fn add_dictionary(&mut self, place: Place, message: &Buffer) -> Result<(), String> {
        guarded(|| self.decoder.read_dictionary(&place.block(), message))
    }

    /// Takes the compression of outputs from the first batch.
    fn note_compression(&mut self, place: Place) -> Result<(), String> {
        if self.compression.is_some() {
            return Ok(());
        }
        let metadata = bytes(&mut self.handle, place.offset, place.metadata)?;
        self.compression = guarded(|| {
            let message = message_of(&metadata)?;
            let batch = message.header_as_record_batch();
            Ok::<_, String>(batch.and_then(|batch| batch.compression()).map(|c| c.codec()))
        })?;
        Ok(())
    }

    /// Reads a message, and checks the lengths in it.
    fn message(&mut self, place: Place) -> Result<Buffer, String> {
        let message = bytes(&mut self.handle, place.offset, place.metadata + place.body)?;
        guarded(|| check_lengths(&message, place.metadata as usize))?;
        Ok(message)
    }
}

/// The decoder's message in plain words, and what to do.
fn meaning(words: &str, is_file: bool) -> String {
    let form = if is_file { "Arrow file" } else { "Arrow stream" };
    let says = |part: &str| words.contains(part);
    if words.contains("; ") {
        // It has a remedy.
        words.to_owned()
    } else if words == CUT_OFF {
        format!("the {form} is cut off, or of another form; get the whole file")
    } else if says("not supported") || says("not yet supported") || says("requires the") {
        format!(
            "the {form} uses what is not read yet ({words}); write it again without it, or as Parquet"
        )
    } else {
        format!("the {form} is damaged, or of another form ({words}); get a good copy of the file")
    }
}
