//! Buffered, decompressed bytes of one file, from which whole records are cut off.

use crate::input::compression::compression_of;
use crate::{Compression, InputFile, Problem, ReadFailure};

use super::decompress::{Decompressed, Failure};
use super::{Body, Chunk, Next, Piece, open};

/// A window on a file: filled at its end, cut at its front.
pub(crate) struct Stream {
    file: u32,
    name: String,
    source: Decompressed,
    /// Bytes that were read and not yet cut off.
    pub(crate) held: Vec<u8>,
    /// Offset of the first byte held in the decompressed file.
    pub(crate) offset: u64,
    /// Whether nothing more can be read.
    pub(crate) ended: bool,
    /// Why, if not because the file ended.
    failure: Option<Failure>,
    /// The part of [`Decompressed::used`] that chunks have reported.
    reported: u64,
}

impl Stream {
    /// Opens a file and checks its first bytes: a UTF-8 byte order mark is skipped, and files that
    /// cannot be read record by record are rejected.
    pub(crate) fn open(file: u32, input: &InputFile) -> Result<Self, ReadFailure> {
        let refuse = |message| ReadFailure::of_file(file, &input.name, None, message);
        let source = Decompressed::open(input).map_err(|e| refuse(open::explain(&e)))?;
        let mut stream = Self {
            file,
            name: input.name.clone(),
            source,
            held: Vec::new(),
            offset: 0,
            ended: false,
            failure: None,
            reported: 0,
        };
        stream.fill(64);
        if let Some(reason) = unreadable(&stream.held, input.compression) {
            return Err(refuse(reason));
        }
        if stream.held.starts_with(b"\xEF\xBB\xBF") {
            stream.drop_front(3);
        }
        Ok(stream)
    }

    /// Seeks in an uncompressed file. If it cannot be read from there, it ends with a failure.
    pub(crate) fn seek(&mut self, offset: u64) {
        if offset == self.offset && !self.ended {
            return;
        }
        self.held.clear();
        self.offset = offset;
        self.failure = None;
        match self.source.seek(offset) {
            Ok(()) => self.ended = false,
            Err(error) => {
                self.ended = true;
                self.failure = Some(self.source.explain(&error));
            }
        }
    }

    /// Reads until this many bytes are held or nothing more can be read.
    pub(crate) fn fill(&mut self, size: usize) {
        let Some(missing) = size.checked_sub(self.held.len()).filter(|n| *n > 0) else { return };
        if self.ended {
            return;
        }
        // A record that grows in steps must not be copied at each.
        self.held.reserve(missing);
        match self.source.read_up_to(missing, &mut self.held) {
            Ok(read) => self.ended = read < missing,
            Err(e) => {
                self.ended = true;
                self.failure = Some(self.source.explain(&e));
            }
        }
    }

    /// Whether the bytes held end inside a record, because the rest is damaged.
    pub(crate) fn is_cut_off(&self) -> bool {
        matches!(self.failure, Some(Failure::Damage(_)))
    }

    /// Cuts off the first bytes.
    pub(crate) fn cut(&mut self, length: usize) -> Vec<u8> {
        self.offset += length as u64;
        let rest = self.held.split_off(length);
        std::mem::replace(&mut self.held, rest)
    }

    /// Drops the first bytes.
    pub(crate) fn drop_front(&mut self, length: usize) {
        self.offset += length as u64;
        self.held.drain(..length);
    }

    /// Bytes of the file consumed since the last call.
    pub(crate) fn take_used(&mut self) -> u64 {
        let used = self.source.used();
        used - std::mem::replace(&mut self.reported, used)
    }

    /// What follows the last whole record: the end, or why there is no more. The bytes held, the
    /// beginning of a record whose end is lost, are dropped.
    pub(crate) fn end(&mut self) -> Next {
        let Some(failure) = self.failure.take() else { return Next::End };
        self.offset += self.held.len() as u64;
        self.held.clear();
        let (offset, message) = (Some(self.offset), failure.message().to_string());
        let problem = Problem::of_file(self.file, &self.name, offset, message);
        Next::Piece(match failure {
            Failure::Damage(_) => Piece::from(ReadFailure::from(problem)),
            Failure::Trailing => Piece::Bad(Problem { unreadable: false, ..problem }),
        })
    }

    /// Why the file cannot be read further; `None` if it ended.
    pub(crate) fn failure(&mut self) -> Option<ReadFailure> {
        match self.end() {
            Next::Piece(Piece::Failed { failure, .. }) => Some(failure),
            _ => None,
        }
    }

    /// A chunk of all whole records held. If a failure cut it off, it goes with the failure: the next
    /// reading may have more records there.
    pub(crate) fn all_held(&mut self, chunk: Result<Chunk, ReadFailure>) -> Next {
        Next::Piece(match chunk {
            Ok(chunk) => match self.is_cut_off().then(|| self.failure()).flatten() {
                Some(failure) => Piece::Failed { before: Some(chunk), failure },
                None => Piece::Chunk(chunk),
            },
            Err(failure) => Piece::from(failure),
        })
    }

    /// A problem with one record that is not in any chunk.
    pub(crate) fn problem(&self, record: u32, line: u64, offset: u64, message: String) -> Problem {
        let path = self.name.clone();
        let (file, offset) = (self.file, Some(offset));
        Problem { file, path, record, line, offset, message, unreadable: false }
    }

    /// A record that was skipped, with its number and the problem of it.
    pub(crate) fn skipped(
        &mut self,
        record: &mut u32,
        (line, offset): (u64, u64),
        message: String,
    ) -> Piece {
        match self.number(record, 1) {
            Ok(record) => Piece::Bad(self.problem(record, line, offset, message)),
            Err(failure) => failure.into(),
        }
    }

    /// Numbers the next records: returns `record`, the number of the first one, and advances it to the
    /// number of the record after the last one.
    ///
    /// # Errors
    /// Records are numbered with 32 bits: the rest of the file is skipped.
    pub(crate) fn number(
        &mut self,
        record: &mut u32,
        records: impl TryInto<u32>,
    ) -> Result<u32, ReadFailure> {
        let first = *record;
        if let Some(next) = records.try_into().ok().and_then(|records| first.checked_add(records)) {
            *record = next;
            return Ok(first);
        }
        let offset = Some(self.offset);
        self.held.clear();
        self.ended = true;
        self.failure = None;
        let message = format!("holds more than {} records; split it", u32::MAX);
        Err(ReadFailure::of_file(self.file, &self.name, offset, message))
    }

    /// A chunk of the next records, [numbered](Self::number), whose bytes have been cut off.
    ///
    /// # Errors
    /// More records than [`Stream::number`] can count.
    pub(crate) fn chunk(
        &mut self,
        record: &mut u32,
        records: impl TryInto<u32>,
        (first_line, offset): (u64, u64),
        body: Body,
    ) -> Result<Chunk, ReadFailure> {
        let first_record = self.number(record, records)?;
        let (file, consumed) = (self.file, self.take_used());
        Ok(Chunk { file, first_record, first_line, offset, consumed, body })
    }
}

/// How many bytes to hold of a record that is longer than `held`: first twice as many, later one
/// chunk more, so that few bytes after a large record are held with it.
pub(crate) fn grown(held: usize, chunk_bytes: usize) -> usize {
    const STEP: usize = 2 << 20;
    held.saturating_add(held.min(STEP).max(chunk_bytes))
}

/// Why a file that starts like this cannot be read record by record, if so.
fn unreadable(head: &[u8], compression: Compression) -> Option<String> {
    match head {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, 1..=0xff, ..] | [1..=0xff, 0, ..] => Some(
            "is UTF-16, not UTF-8; convert it, for example with iconv -f UTF-16 -t UTF-8"
                .to_string(),
        ),
        _ if compression != Compression::None && compression_of(head).is_some() => {
            Some("is compressed twice; unpack it once".to_string())
        }
        [b'A', b'R', b'R', b'O', b'W', b'1', ..] => Some(
            "is an Arrow file; name it .arrow or give the setting input_format=arrow".to_string(),
        ),
        [b'P', b'A', b'R', b'1', ..] => Some(
            "is a Parquet file; name it .parquet or give the setting input_format=parquet"
                .to_string(),
        ),
        _ => None,
    }
}
