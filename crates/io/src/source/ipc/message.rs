//! Messages of an Arrow IPC file: where they are, their bytes, and checks of the lengths in them.

use std::io::{self, Read, Seek, SeekFrom};

use arrow_buffer::{Buffer, MutableBuffer};
use arrow_ipc::{Block, BodyCompression, Message, MessageHeader, root_as_message};
use lookalike_store::StoreError;

use crate::guard::guarded;
use crate::source::open::Opened;
use crate::source::unpacking::excess;

/// What stands before the length of a message since version 0.15 of the format.
const CONTINUATION: [u8; 4] = [0xff; 4];
/// Most bytes of a batch after decompression.
const MOST_UNPACKED: u64 = 4 << 30;
/// The end of the file is missing.
pub(super) const CUT_OFF: &str = "its end is missing";

/// Where a message is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) offset: u64,
    pub(super) metadata: u64,
    pub(super) body: u64,
}

impl Place {
    /// As the decoder is given it, for a buffer that begins with the message.
    pub(super) fn block(&self) -> Block {
        Block::new(0, self.metadata as i32, self.body as i64)
    }
}

/// The place in a footer, if it is within the file.
pub(super) fn place_of(block: &Block, size: u64) -> Result<Place, String> {
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
pub(super) fn next_place(
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
pub(super) fn message_of(buffer: &[u8]) -> Result<Message<'_>, String> {
    let prefix = if buffer.starts_with(&CONTINUATION) { 8 } else { 4 };
    root_as_message(buffer.get(prefix..).unwrap_or_default()).map_err(|e| e.to_string())
}

/// Checks the number of rows, and the lengths that compressed buffers have after decompression.
pub(super) fn check_lengths(message: &[u8], body: usize) -> Result<(), String> {
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
    }
    check_unpacked(body.len() as u64, all)
}

/// Checks the bytes of a batch after decompression.
pub(super) fn check_unpacked(packed: u64, unpacked: u64) -> Result<(), String> {
    if unpacked > MOST_UNPACKED {
        return Err(format!("a batch of more than {} GiB", MOST_UNPACKED >> 30));
    }
    excess("a batch", packed, unpacked)
}

/// Bytes of the file, which has them, aligned for arrays.
pub(super) fn bytes(handle: &mut Opened, offset: u64, length: u64) -> Result<Buffer, String> {
    let mut read = || {
        let length = usize::try_from(length).map_err(io::Error::other)?;
        let mut bytes = MutableBuffer::from_len_zeroed(length);
        handle.seek(SeekFrom::Start(offset))?;
        handle.read_exact(&mut bytes)?;
        Ok::<_, io::Error>(bytes.into())
    };
    read().map_err(|error| handle.failure().unwrap_or_else(|| words(&error)))
}

/// Why bytes cannot be read; with what to do, unless they are wrong themselves.
pub(super) fn words(error: &io::Error) -> String {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<StoreError>()) {
        Some(store) => store.message(),
        None if error.kind() == io::ErrorKind::UnexpectedEof => CUT_OFF.to_owned(),
        None if error.raw_os_error().is_some() => {
            format!("cannot be read: {error}; check its disk")
        }
        None => error.to_string(),
    }
}
