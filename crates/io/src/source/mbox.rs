//! Chunks of whole messages of an mbox file.

use crate::mail::mbox::{LOOKAHEAD, SEPARATOR, Separators};
use crate::{InputFile, ReadFailure};

use super::record_limit::too_long_in_stream;
use super::stream::{Stream, grown};
use super::{Body, Chunk, ChunkPosition, Next, Piece};

/// Bytes that are read at least.
const LEAST: usize = 16;
/// Bytes after a message of the largest size that decide where it ends.
const BEYOND: usize = 2 * LOOKAHEAD;

/// Reads one file.
pub(super) struct MessageReader {
    stream: Stream,
    chunk_bytes: usize,
    max_record: usize,
    /// Number of the next message.
    record: u32,
    /// Line of the first byte held.
    line: u64,
    /// Starts of messages among the bytes held.
    starts: Vec<usize>,
    /// Finds the later ones.
    separators: Separators,
}

impl MessageReader {
    pub(super) fn open(
        file: u32,
        input: &InputFile,
        chunk_bytes: usize,
        max_record: usize,
    ) -> Result<Self, ReadFailure> {
        let stream = Stream::open(file, input)?;
        let (starts, separators) = (Vec::new(), Separators::default());
        let (record, line) = (1, 1);
        let mut reader = Self { stream, chunk_bytes, max_record, record, line, starts, separators };
        match reader.begin() {
            true => Ok(reader),
            false => {
                let message = "is not an mbox: its first line does not start with `From `; name \
                               the format with the setting input_format (eml for single messages)";
                Err(ReadFailure::of_file(file, &input.name, None, message.to_string()))
            }
        }
    }

    /// Skips blank lines at the start of the file. Returns whether a message, or nothing, follows.
    fn begin(&mut self) -> bool {
        loop {
            self.stream.fill(self.least());
            let held = &self.stream.held;
            let blank = held.iter().position(|byte| !matches!(byte, b'\r' | b'\n'));
            match blank {
                None if self.stream.ended => return true,
                None => {
                    self.drop_front(held.len());
                    continue;
                }
                // What a failure cut off is reported as such.
                Some(0) => {
                    let is_mbox = held.starts_with(SEPARATOR) || self.stream.is_cut_off();
                    self.start();
                    return is_mbox;
                }
                Some(blank) => self.drop_front(blank),
            }
        }
    }

    fn least(&self) -> usize {
        self.chunk_bytes.max(LEAST)
    }

    /// A message starts at the first byte held.
    fn start(&mut self) {
        self.starts = vec![0];
        self.separators = Separators::after_start();
    }

    /// The chunk at a position of this uncompressed file, or the failure there; `None` if the file
    /// is too short.
    pub(super) fn at(&mut self, place: ChunkPosition) -> Option<Result<Chunk, ReadFailure>> {
        self.stream.seek(place.offset);
        (self.record, self.line) = (place.record, place.line);
        self.start();
        let bytes = usize::try_from(place.bytes).ok()?;
        self.stream.fill(bytes.saturating_add(BEYOND));
        if self.stream.held.len() < bytes {
            return self.stream.failure().map(Err);
        }
        if !self.stream.held.starts_with(SEPARATOR) {
            return None;
        }
        self.search();
        // Without what follows, not every separator may have been found.
        if self.stream.is_cut_off() && !self.starts.contains(&bytes) {
            return self.stream.failure().map(Err);
        }
        let records = self.starts.partition_point(|start| *start < bytes);
        Some(self.chunk(records, bytes))
    }

    /// The next piece. Unless `any_size`, only the beginning of a
    /// message longer than a chunk is read.
    pub(super) fn next(&mut self, any_size: bool) -> Next {
        let mut size = self.least();
        loop {
            self.stream.fill(size);
            self.search();
            let held = self.stream.held.len();
            let (records, end) = match self.starts.last() {
                _ if held == 0 => (0, 0),
                _ if self.is_whole() => (self.starts.len(), held),
                Some(last) => (self.starts.len() - 1, *last),
                None => (0, 0),
            };
            if records > 1 && size > self.least() {
                // A message longer than a chunk gets a chunk of its own, so that its memory can be
                // freed early.
                return Next::Piece(self.chunk(1, self.starts[1]).into());
            } else if records > 0 {
                let chunk = self.chunk(records, end);
                return self.stream.all_held(chunk);
            } else if self.stream.ended {
                // A message that damage cut off is lost with the rest.
                return self.stream.end();
            } else if held > self.max_record.saturating_add(BEYOND) {
                // The separator after a shorter message would have been found.
                return Next::Piece(self.skip_record());
            } else if !any_size {
                return Next::Large;
            } else {
                let most = self.max_record.saturating_add(BEYOND).saturating_add(self.least());
                size = grown(held, self.chunk_bytes).min(most).max(size + 1);
            }
        }
    }

    /// Whether the file ends with the bytes held.
    fn is_whole(&self) -> bool {
        self.stream.ended && !self.stream.is_cut_off()
    }

    /// Finds the separator lines among the bytes held.
    fn search(&mut self) {
        let whole = self.is_whole();
        let found = |separators: &mut Separators, held: &[u8]| {
            separators.next(held, whole, self.max_record)
        };
        while let Some(start) = found(&mut self.separators, &self.stream.held) {
            self.starts.push(start);
        }
    }

    fn chunk(&mut self, records: usize, end: usize) -> Result<Chunk, ReadFailure> {
        let (offset, first_line, first_record) = (self.stream.offset, self.line, self.record);
        let later = self.starts.split_off(records);
        let starts = std::mem::replace(&mut self.starts, later);
        self.starts.iter_mut().for_each(|start| *start -= end);
        self.separators.drop_front(end);
        let data = self.stream.cut(end);
        self.line += memchr::memchr_iter(b'\n', &data).count() as u64;
        match u32::try_from(records).ok().and_then(|records| first_record.checked_add(records)) {
            Some(next) => self.record = next,
            None => return Err(self.stream.too_many_records()),
        }
        Ok(Chunk {
            file: self.stream.file(),
            first_record,
            first_line,
            offset,
            consumed: self.stream.take_used(),
            body: Body::Messages { data, starts },
        })
    }

    fn drop_front(&mut self, length: usize) {
        self.line += memchr::memchr_iter(b'\n', &self.stream.held[..length]).count() as u64;
        self.stream.drop_front(length);
    }

    /// Skips the message held, which is too long.
    fn skip_record(&mut self) -> Piece {
        let (record, line, offset) = (self.record, self.line, self.stream.offset);
        self.separators = Separators::unmeasured(&self.stream.held);
        loop {
            let whole = self.is_whole();
            if let Some(next) = self.separators.next(&self.stream.held, whole, self.max_record) {
                self.drop_front(next);
                break;
            }
            if self.stream.ended {
                self.drop_front(self.stream.held.len());
                break;
            }
            let done = self.separators.needed();
            self.drop_front(done);
            self.separators.drop_front(done);
            self.stream.fill(self.stream.held.len() + self.least());
        }
        self.start();
        match record.checked_add(1) {
            Some(next) => self.record = next,
            None => return self.stream.too_many_records().into(),
        }
        let message = too_long_in_stream(self.max_record);
        Piece::Bad(self.stream.problem(record, line, offset, message))
    }
}
