//! Chunks of whole messages of an mbox file.

use crate::mail::mbox::separator;
use crate::{InputFile, Problem};

use super::record_limit::too_long_in_stream;
use super::stream::{Stream, grown};
use super::{Body, Chunk, ChunkPosition, Next};

/// Bytes of a separator that may be held without the bytes that complete it: a blank line and
/// `From `.
const OVERLAP: usize = 8;

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
    /// Bytes held that were searched.
    searched: usize,
}

impl MessageReader {
    pub(super) fn open(
        file: u32,
        input: &InputFile,
        chunk_bytes: usize,
        max_record: usize,
    ) -> Result<Self, Problem> {
        let stream = Stream::open(file, input)?;
        let (starts, searched) = (Vec::new(), 0);
        let (record, line) = (1, 1);
        let mut reader = Self { stream, chunk_bytes, max_record, record, line, starts, searched };
        match reader.begin() {
            true => Ok(reader),
            false => {
                let message = "is not an mbox: its first line does not start with `From `; name \
                               the format with the setting input_format (eml for single messages)";
                Err(Problem::of_file(file, &input.name, None, message.to_string()))
            }
        }
    }

    /// Skips blank lines at the start of the file. Returns whether a message, or nothing, follows.
    fn begin(&mut self) -> bool {
        loop {
            self.stream.fill(self.chunk_bytes.max(2 * OVERLAP));
            let held = &self.stream.held;
            let blank = held.iter().position(|byte| !matches!(byte, b'\r' | b'\n'));
            match blank {
                None if self.stream.ended => return true,
                None => {
                    self.drop_front(held.len());
                    continue;
                }
                Some(0) => return held.starts_with(crate::mail::mbox::SEPARATOR),
                Some(blank) => self.drop_front(blank),
            }
        }
    }

    /// The chunk at a position of this uncompressed file, or the problem there; `None` if the file
    /// is too short.
    pub(super) fn at(&mut self, place: ChunkPosition) -> Option<Result<Chunk, Problem>> {
        self.stream.seek(place.offset);
        (self.record, self.line) = (place.record, place.line);
        self.starts.clear();
        self.searched = 0;
        let bytes = usize::try_from(place.bytes).ok()?;
        self.stream.fill(bytes);
        if self.stream.held.len() < bytes {
            return self.stream.take_failure().map(Err);
        }
        self.search(bytes);
        (self.starts.first() == Some(&0)).then(|| self.chunk(self.starts.len(), bytes))
    }

    /// The next chunk, or the problem in its place. Unless `any_size`, only the beginning of a
    /// message longer than a chunk is read.
    pub(super) fn next(&mut self, any_size: bool) -> Next {
        let mut size = self.chunk_bytes.max(2 * OVERLAP);
        loop {
            self.stream.fill(size);
            let held = self.stream.held.len();
            self.search(held);
            let whole = self.stream.ended && !self.stream.is_cut_off();
            let (records, end) = match self.starts.last() {
                _ if whole => (self.starts.len(), held),
                Some(last) => (self.starts.len() - 1, *last),
                None => (0, 0),
            };
            if records > 1 && size > self.chunk_bytes.max(2 * OVERLAP) {
                // A message longer than a chunk gets a chunk of its own, so that its memory can be
                // freed early.
                return Next::Chunk(self.chunk(1, self.starts[1]));
            } else if records > 0 {
                return Next::Chunk(self.chunk(records, end));
            } else if self.stream.ended {
                // A message that damage cut off is lost with the rest.
                return Next::problem(self.stream.take_failure());
            } else if held > self.max_record.saturating_add(OVERLAP) {
                // The separator of a shorter message would be complete.
                return Next::Chunk(Err(self.skip_record()));
            } else if !any_size {
                return Next::Large;
            } else {
                let least = self.chunk_bytes.max(2 * OVERLAP);
                let most = self.max_record.saturating_add(least);
                size = grown(held, self.chunk_bytes).min(most).max(size + 1);
            }
        }
    }

    /// Finds the separator lines among the first bytes held.
    fn search(&mut self, end: usize) {
        let data = &self.stream.held[..end];
        // A separator that was cut off at the end of the last search.
        let mut from = match self.starts.last() {
            Some(last) => (last + 1).max(self.searched.saturating_sub(OVERLAP)),
            None => 0,
        };
        while let Some(start) = separator(data, from) {
            self.starts.push(start);
            from = start + 1;
        }
        self.searched = end;
    }

    fn chunk(&mut self, records: usize, end: usize) -> Result<Chunk, Problem> {
        let (offset, first_line, first_record) = (self.stream.offset, self.line, self.record);
        let later = self.starts.split_off(records);
        let starts = std::mem::replace(&mut self.starts, later);
        self.starts.iter_mut().for_each(|start| *start -= end);
        self.searched = self.searched.saturating_sub(end);
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
    fn skip_record(&mut self) -> Problem {
        let (record, line, offset) = (self.record, self.line, self.stream.offset);
        self.starts.clear();
        let mut from = 1;
        loop {
            if let Some(next) = separator(&self.stream.held, from) {
                self.drop_front(next);
                break;
            }
            if self.stream.ended {
                self.drop_front(self.stream.held.len());
                break;
            }
            let done = self.stream.held.len().saturating_sub(OVERLAP);
            self.drop_front(done);
            // Separators before this one were complete. A blank line takes at most three bytes.
            from = 4;
            self.stream.fill(self.chunk_bytes.max(2 * OVERLAP));
        }
        self.searched = 0;
        match record.checked_add(1) {
            Some(next) => self.record = next,
            None => return self.stream.too_many_records(),
        }
        self.stream.problem(record, line, offset, too_long_in_stream(self.max_record))
    }
}
