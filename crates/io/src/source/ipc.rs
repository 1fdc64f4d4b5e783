//! The messages of an Arrow IPC file or stream (Feather version 2 is the file format).
//!
//! A *file* ends with a footer that has the place of every message; a *stream* is the messages alone.
//! Every length in them is checked against the size of the file, and every length of a compressed
//! buffer against a limit, before memory is taken: the decoder trusts them.

use std::io::{self, Read, Seek, SeekFrom};

use arrow_array::RecordBatch;
use arrow_buffer::{Buffer, MutableBuffer};
use arrow_ipc::reader::FileDecoder;
use arrow_ipc::{
    Block, BodyCompression, CompressionType, Message, MessageHeader, convert, root_as_footer,
    root_as_message,
};
use arrow_schema::SchemaRef;
use parquet::file::reader::Length;

use crate::InputFile;
use crate::guard::guarded;

use super::open::{self, Opened};

const MAGIC: &[u8] = b"ARROW1";
/// The magic of Feather version 1, another format.
const FEATHER_1: &[u8] = b"FEA1";
/// What stands before the length of a message since version 0.15 of the format.
const CONTINUATION: [u8; 4] = [0xff; 4];
/// Most bytes of a batch after decompression.
const MOST_UNPACKED: u64 = 4 << 30;

/// The messages of one file.
pub(crate) struct IpcFile {
    handle: Opened,
    size: u64,
    schema: SchemaRef,
    decoder: FileDecoder,
    layout: Layout,
    compression: Option<CompressionType>,
    /// Bytes of the batch that is returned next.
    next: Option<Place>,
}

/// Where the messages are.
enum Layout {
    /// The record batches of the footer, the next one first.
    File(std::vec::IntoIter<Place>),
    /// One after the other; the offset of the next.
    Stream(u64),
}

/// Where a message is.
#[derive(Debug, Clone, Copy)]
struct Place {
    offset: u64,
    metadata: u64,
    body: u64,
}

impl IpcFile {
    /// Reads the schema, and of a file the footer and the dictionaries.
    ///
    /// # Errors
    /// Why it cannot be read, and what to do.
    pub(crate) fn open(input: &InputFile) -> Result<Self, String> {
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
        let opened = if is_file { Self::file(handle, size) } else { Self::stream(handle, size) };
        opened.map_err(|words| meaning(&words, is_file))
    }

    fn file(mut handle: Opened, size: u64) -> Result<Self, String> {
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
        let compression = None;
        let decoder = FileDecoder::new(SchemaRef::clone(&schema), version);
        let layout = Layout::File(batches.into_iter());
        let mut file = Self { handle, size, schema, decoder, layout, compression, next: None };
        for place in dictionaries {
            let message = file.message(place)?;
            file.add_dictionary(place, &message)?;
        }
        file.advance()?;
        Ok(file)
    }

    fn stream(mut handle: Opened, size: u64) -> Result<Self, String> {
        let (place, _) = next_place(&mut handle, 0, size)?.ok_or("it has no schema")?;
        let metadata = bytes(&mut handle, place.offset, place.metadata)?;
        let (schema, version) = guarded(|| {
            let message = message_of(&metadata)?;
            let schema = message.header_as_schema().ok_or("it does not begin with a schema")?;
            Ok::<_, String>((SchemaRef::new(convert::fb_to_schema(schema)), message.version()))
        })?;
        let decoder = FileDecoder::new(SchemaRef::clone(&schema), version);
        let layout = Layout::Stream(place.offset + place.metadata + place.body);
        let compression = None;
        let mut stream = Self { handle, size, schema, decoder, layout, compression, next: None };
        stream.advance()?;
        Ok(stream)
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

    /// Bytes of the next batch in the file; `None` at the end.
    pub(crate) fn next_bytes(&self) -> Option<u64> {
        self.next.map(|place| place.metadata + place.body)
    }

    /// Reads the next batch.
    ///
    /// # Errors
    /// Why it cannot be read, and what to do. Nothing can be read after it.
    pub(crate) fn read(&mut self) -> Result<Option<RecordBatch>, String> {
        let Some(place) = self.next.take() else { return Ok(None) };
        let read = self.read_at(place);
        read.map(Some).map_err(|words| meaning(&words, !self.is_stream()))
    }

    /// Reads no further.
    pub(crate) fn end(&mut self) {
        self.next = None;
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

/// The end of the file is missing.
const CUT_OFF: &str = "its end is missing";

impl Place {
    /// As the decoder is given it, for a buffer that begins with the message.
    fn block(&self) -> Block {
        Block::new(0, self.metadata as i32, self.body as i64)
    }
}

/// The place in a footer, if it is within the file.
fn place_of(block: &Block, size: u64) -> Result<Place, String> {
    let place = || {
        let offset = u64::try_from(block.offset()).ok()?;
        let metadata = u64::try_from(block.metaDataLength()).ok().filter(|length| *length >= 8)?;
        let body = u64::try_from(block.bodyLength()).ok()?;
        let end = offset.checked_add(metadata)?.checked_add(body)?;
        (end <= size).then_some(Place { offset, metadata, body })
    };
    place().ok_or_else(|| "a place in the footer is outside of the file".to_owned())
}

/// The message at an offset of a stream, and its kind; `None` at the end.
fn next_place(
    handle: &mut Opened,
    offset: u64,
    size: u64,
) -> Result<Option<(Place, MessageHeader)>, String> {
    let left = size - offset;
    if left == 0 {
        return Ok(None);
    }
    let head = bytes(handle, offset, left.min(8))?;
    let word = |at: usize| head.get(at..at + 4).map(|w| [w[0], w[1], w[2], w[3]]);
    let (prefix, length) = match word(0) {
        Some(CONTINUATION) => (8u64, word(4)),
        length => (4, length),
    };
    let length = u32::from_le_bytes(length.ok_or(CUT_OFF)?);
    if length == 0 {
        return Ok(None);
    }
    let metadata = prefix + u64::from(length);
    if metadata > left {
        return Err(CUT_OFF.to_owned());
    }
    let message = bytes(handle, offset, metadata)?;
    let (kind, body) = guarded(|| {
        let message = message_of(&message)?;
        let body = u64::try_from(message.bodyLength()).map_err(|e| e.to_string())?;
        Ok::<_, String>((message.header_type(), body))
    })?;
    if body > left - metadata {
        return Err(CUT_OFF.to_owned());
    }
    Ok(Some((Place { offset, metadata, body }, kind)))
}

/// The metadata of a message with what is before it.
fn message_of(buffer: &[u8]) -> Result<Message<'_>, String> {
    let prefix = if buffer.starts_with(&CONTINUATION) { 8 } else { 4 };
    root_as_message(buffer.get(prefix..).unwrap_or_default()).map_err(|e| e.to_string())
}

/// Checks the number of rows, and the lengths that compressed buffers have after decompression.
fn check_lengths(message: &[u8], body: usize) -> Result<(), String> {
    let parsed = message_of(message)?;
    let batch = match parsed.header_type() {
        MessageHeader::RecordBatch => parsed.header_as_record_batch(),
        MessageHeader::DictionaryBatch => {
            parsed.header_as_dictionary_batch().and_then(|dictionary| dictionary.data())
        }
        _ => None,
    };
    let batch = batch.ok_or("a message has no batch")?;
    if u32::try_from(batch.length()).is_err() {
        return Err(format!("a batch of {} rows", batch.length()));
    }
    let compression: Option<BodyCompression<'_>> = batch.compression();
    if compression.is_none() {
        return Ok(());
    }
    let body = message.get(body..).unwrap_or_default();
    let mut all = 0u64;
    for buffer in batch.buffers().into_iter().flatten() {
        if buffer.length() == 0 {
            continue;
        }
        let start = usize::try_from(buffer.offset()).ok();
        let prefix = start.and_then(|start| body.get(start..)?.first_chunk::<8>());
        let length = i64::from_le_bytes(*prefix.ok_or("a buffer is outside of its message")?);
        // -1 is a buffer that is not compressed.
        all = all.saturating_add(u64::try_from(length).unwrap_or(0));
        if all > MOST_UNPACKED {
            return Err(format!("a batch of more than {} GiB", MOST_UNPACKED >> 30));
        }
    }
    Ok(())
}

/// Bytes of the file, which has them, aligned for arrays.
fn bytes(handle: &mut Opened, offset: u64, length: u64) -> Result<Buffer, String> {
    let mut read = || {
        let length = usize::try_from(length).map_err(io::Error::other)?;
        let mut bytes = MutableBuffer::from_len_zeroed(length);
        handle.seek(SeekFrom::Start(offset))?;
        handle.read_exact(&mut bytes)?;
        Ok::<_, io::Error>(bytes.into())
    };
    read().map_err(|e| match handle.failure() {
        Some(failure) => failure,
        None if e.kind() == io::ErrorKind::UnexpectedEof => CUT_OFF.to_owned(),
        None => e.to_string(),
    })
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
