//! mbox: many mail messages, each after a separator line that starts with `From `.

use crate::input::format::{About, Structure};
use crate::mail::MailReader;
use crate::mail::mbox::{self, LOOKAHEAD, SEPARATOR, Separators};
use crate::sink::mark::{Refusal, ToMark, messages};
use crate::source::position::RecordPosition;
use crate::source::record_limit::too_long_in_stream;
use crate::source::scratch::VisitScratch;
use crate::source::stream::{Stream, grown};
use crate::source::{Body, Chunk, ChunkPosition, Next, Piece};
use crate::{Format, Inputs, Item, ReadFailure};

use super::item::{ChunkReader, FormatItem, OpenedReader, Opening, Reading, RecordFormat, Visit};
use super::message;

static MBOX: About = About {
    name: "mbox",
    extensions: &["mbox"],
    aliases: &["mbx"],
    structure: Structure::Headed,
    begins: Some(is_mbox),
    begins_text: Some(mbox::starts_dated),
    recognised: "content",
    unit: "a message",
    ..About::DOCUMENT
};

pub(super) const FORMATS: &[FormatItem] =
    &[FormatItem { about: &MBOX, reading: Reading::Records(&Mbox) }];

impl Format {
    /// Many mail messages, each after a separator line that starts with `From `.
    pub const MBOX: Self = Self(&MBOX);
}

/// Whether a file starts as an mbox: with a separator line and a header field.
fn is_mbox(head: &[u8]) -> bool {
    let mut lines = head.split(|byte| *byte == b'\n');
    let separator = lines.next().is_some_and(|line| line.starts_with(b"From "));
    let is_field = |line: &[u8]| {
        let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
        name.len() < line.len() && !name.is_empty() && name.iter().all(u8::is_ascii_graphic)
    };
    // Some programs repeat the separator line, quoted.
    let mut rest = lines.filter(|line| !line.starts_with(b">From "));
    separator && rest.next().is_some_and(is_field)
}

struct Mbox;

impl RecordFormat for Mbox {
    fn open(&self, opening: &Opening<'_>) -> OpenedReader {
        let mut reader = MessageReader {
            stream: Stream::open(opening.file, opening.input)?,
            chunk_bytes: opening.chunk_bytes,
            max_record: opening.max_record,
            record: 1,
            line: 1,
            starts: Vec::new(),
            separators: Separators::default(),
        };
        match reader.begin() {
            true => Ok(Some(Box::new(reader))),
            false => Err(opening.refuse(
                "is not an mbox: its first line does not start with `From `; name the format with the \
                 setting input_format (eml for single messages)",
            )),
        }
    }

    fn visit(&self, chunk: &Chunk, visit: &mut Visit<'_>) {
        let Body::Records { data, starts } = &chunk.body else { return };
        let Visit { inputs, fields, scratch, wanted, each } = visit;
        let limit = inputs.options.max_record();
        scratch.mail.set_options(message::limits(limit), (&inputs.options.formats).into());
        let (mut line, mut seen) = (chunk.first_line, 0);
        for ((record, raw), start) in chunk.raw_records().zip(starts) {
            line += memchr::memchr_iter(b'\n', &data[seen..*start]).count() as u64;
            seen = *start;
            if !wanted(chunk.file, record) {
                continue;
            }
            let place = RecordPosition { record, line, offset: chunk.offset + *start as u64 };
            let VisitScratch { mail, extra, given, .. } = &mut **scratch;
            let read = match raw.len() > limit {
                true => Err(too_long_in_stream(limit)),
                false => match mail.read_mbox(raw) {
                    Ok(mail) => message::record(mail, fields, (extra, given)),
                    Err(error) => Err(error.to_string()),
                },
            };
            match read {
                Ok(record) => each(Item::Record(place.record(chunk.file, record))),
                Err(words) => each(Item::Bad(place.problem(chunk, inputs, 0, words))),
            }
        }
    }

    fn names(&self, chunk: &Chunk, _: &Inputs, each: &mut dyn FnMut(&[String]) -> bool) {
        let mut reader = MailReader::default();
        let _ = chunk.raw_records().all(|(_, raw)| {
            let names = message::names(&mut reader, mbox::message(raw));
            each(&names.unwrap_or_default())
        });
    }

    fn push_marked(&self, of: &ToMark<'_>, out: &mut Vec<u8>) -> Result<(), Refusal> {
        let header = of.raw.len() - mbox::after_separator(of.raw).len();
        messages::push_marked(of.raw, header, of.names, of.mark, out)
    }

    fn separator(&self, end: [u8; 2]) -> &'static [u8] {
        // A message begins after a blank line.
        match end {
            [b'\n', b'\n'] => b"",
            [_, b'\n'] => b"\n",
            _ => b"\n\n",
        }
    }
}

/// Bytes that are read at least.
const LEAST: usize = 16;
/// Bytes after a message of the largest size that decide where it ends.
const BEYOND: usize = 2 * LOOKAHEAD;

/// Reads one file.
struct MessageReader {
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

impl ChunkReader for MessageReader {
    fn can_seek(&self) -> bool {
        true
    }

    fn at(&mut self, place: ChunkPosition) -> Option<Result<Chunk, ReadFailure>> {
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

    fn next(&mut self, any_size: bool) -> Next {
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
}

impl MessageReader {
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
        let (offset, first_line) = (self.stream.offset, self.line);
        let later = self.starts.split_off(records);
        let starts = std::mem::replace(&mut self.starts, later);
        self.starts.iter_mut().for_each(|start| *start -= end);
        self.separators.drop_front(end);
        let data = self.stream.cut(end);
        self.line += memchr::memchr_iter(b'\n', &data).count() as u64;
        self.stream.chunk(
            &mut self.record,
            records,
            (first_line, offset),
            Body::Records { data, starts },
        )
    }

    fn drop_front(&mut self, length: usize) {
        self.line += memchr::memchr_iter(b'\n', &self.stream.held[..length]).count() as u64;
        self.stream.drop_front(length);
    }

    /// Skips the message held, which is too long.
    fn skip_record(&mut self) -> Piece {
        let (line, offset) = (self.line, self.stream.offset);
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
        let message = too_long_in_stream(self.max_record);
        self.stream.skipped(&mut self.record, (line, offset), message)
    }
}
