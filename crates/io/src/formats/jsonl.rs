//! JSONL: one JSON object per line.

use crate::input::format::{About, Structure};
use crate::sink::mark::{Refusal, ToMark, jsonl};
use crate::sink::replace::{self, ToReplace};
use crate::source::json;
use crate::source::position::RecordPosition;
use crate::source::raw::{is_blank, split_line};
use crate::source::record_limit::too_long_in_stream;
use crate::source::scratch::VisitScratch;
use crate::source::stream::{Stream, grown};
use crate::source::{Body, Chunk, ChunkPosition, Next, Piece};
use crate::{Format, Inputs, Item, ReadFailure};

use super::item::{ChunkReader, FormatItem, OpenedReader, Opening, Reading, RecordFormat, Visit};

static JSONL: About = About {
    name: "jsonl",
    extensions: &["jsonl", "ndjson", "json"],
    structure: Structure::Objects,
    unit: "a line",
    ..About::DOCUMENT
};

pub(super) const FORMATS: &[FormatItem] =
    &[FormatItem { about: &JSONL, reading: Reading::Records(&Jsonl) }];

impl Format {
    /// One JSON object per line.
    pub const JSONL: Self = Self(&JSONL);
}

/// Most names of an object for messages.
const NAMES: usize = 1000;

struct Jsonl;

impl RecordFormat for Jsonl {
    fn open(&self, opening: &Opening<'_>) -> OpenedReader {
        Ok(Some(Box::new(LineReader {
            stream: Stream::open(opening.file, opening.input)?,
            chunk_bytes: opening.chunk_bytes,
            max_record: opening.max_record,
            record: 1,
            line: 1,
        })))
    }

    fn visit(&self, chunk: &Chunk, visit: &mut Visit<'_>) {
        let Body::Lines(data) = &chunk.body else { return };
        let Visit { inputs, fields, scratch, wanted, each } = visit;
        let (mut data, limit) = (data.as_slice(), inputs.options.max_record());
        let VisitScratch { strings, extra, given, features, .. } = &mut **scratch;
        strings.resize_with(fields.names.len().max(strings.len()), String::new);
        let mut values = json::Values::new(fields.names.len());
        let mut place = RecordPosition {
            record: chunk.first_record,
            line: chunk.first_line,
            offset: chunk.offset,
        };
        while let Some((line, rest)) = split_line(data) {
            data = rest;
            let blank = is_blank(line);
            if !blank && wanted(chunk.file, place.record) {
                let content = line.strip_suffix(b"\n").unwrap_or(line);
                let read = if content.len() > limit {
                    Err((0, too_long_in_stream(limit)))
                } else {
                    json::parse(content, fields, &mut values, strings).and_then(|()| {
                        let rest = (&mut *extra, &mut *given);
                        json::record(fields, &values, strings, rest, features, content)
                            .map_err(|words| (0, words))
                    })
                };
                match read {
                    Ok(record) => each(Item::Record(place.record(chunk.file, record))),
                    Err((at, words)) => each(Item::Bad(place.problem(chunk, inputs, at, words))),
                }
            }
            place.record = place.record.wrapping_add(u32::from(!blank));
            place.line += 1;
            place.offset += line.len() as u64;
        }
    }

    fn names(&self, chunk: &Chunk, _: &Inputs, each: &mut dyn FnMut(&[String]) -> bool) {
        let _ = chunk.raw_records().all(|(_, line)| each(&json::member_names(line, NAMES)));
    }

    fn push_marked(&self, of: &ToMark<'_>, out: &mut Vec<u8>) -> Result<(), Refusal> {
        jsonl::push_marked(of.raw, of.names, of.mark, out)
    }

    fn push_replaced(&self, of: &ToReplace<'_>, out: &mut Vec<u8>) -> bool {
        replace::jsonl::push_replaced(of.raw, of.field, of.text, out)
    }
}

/// Reads one file.
struct LineReader {
    stream: Stream,
    chunk_bytes: usize,
    max_record: usize,
    /// Number of the next record.
    record: u32,
    /// Number of the next line.
    line: u64,
}

impl ChunkReader for LineReader {
    fn can_seek(&self) -> bool {
        true
    }

    fn at(&mut self, place: ChunkPosition) -> Option<Result<Chunk, ReadFailure>> {
        self.stream.seek(place.offset);
        (self.record, self.line) = (place.record, place.line);
        let bytes = usize::try_from(place.bytes).ok()?;
        self.stream.fill(bytes);
        match self.stream.held.len() < bytes {
            true => self.stream.failure().map(Err),
            false => self.cut(bytes),
        }
    }

    fn next(&mut self, any_size: bool) -> Next {
        let mut size = self.chunk_bytes;
        // Bytes already searched for a line end: the line is longer than a chunk.
        let mut without_end = 0;
        loop {
            self.stream.fill(size);
            let held = &self.stream.held;
            let whole = self.stream.ended && !self.stream.is_cut_off();
            let end = match without_end {
                0 if whole => held.len(),
                0 => memchr::memrchr(b'\n', held).map_or(0, |last| last + 1),
                // A chunk of its own, so that its memory can be freed early.
                seen => match memchr::memchr(b'\n', &held[seen..]) {
                    Some(at) => seen + at + 1,
                    None if whole => held.len(),
                    None => 0,
                },
            };
            if end > 0 {
                match self.cut(end) {
                    None => (size, without_end) = (self.chunk_bytes, 0),
                    Some(chunk) if without_end == 0 => return self.stream.all_held(chunk),
                    Some(chunk) => return Next::Piece(chunk.into()),
                }
            } else if self.stream.ended {
                // A line that damage cut off is lost with the rest.
                return self.stream.end();
            } else if held.len() > self.max_record {
                match self.skip_line() {
                    None => (size, without_end) = (self.chunk_bytes, 0),
                    Some(bad) => return Next::Piece(bad),
                }
            } else if !any_size {
                return Next::Large;
            } else {
                without_end = held.len();
                let most = self.max_record.saturating_add(1).max(size);
                size = grown(without_end, self.chunk_bytes).clamp(size, most);
            }
        }
    }
}

impl LineReader {
    /// Cuts off whole lines; `None` if they are all blank.
    fn cut(&mut self, end: usize) -> Option<Result<Chunk, ReadFailure>> {
        let offset = self.stream.offset;
        let data = self.stream.cut(end);
        let (records, lines) = count(&data);
        let first_line = self.line;
        self.line += lines;
        if records == 0 {
            return None;
        }
        Some(self.stream.chunk(&mut self.record, records, (first_line, offset), Body::Lines(data)))
    }

    /// Skips the current line, which is too long. `None` if it is blank.
    fn skip_line(&mut self) -> Option<Piece> {
        let offset = self.stream.offset;
        let mut blank = true;
        loop {
            let held = &self.stream.held;
            let end = memchr::memchr(b'\n', held);
            let length = end.map_or(held.len(), |at| at + 1);
            blank = blank && is_blank(&held[..length]);
            self.stream.drop_front(length);
            if end.is_some() || self.stream.ended {
                break;
            }
            self.stream.fill(self.chunk_bytes.max(1));
        }
        let line = self.line;
        self.line += 1;
        if blank {
            return None;
        }
        let message = too_long_in_stream(self.max_record);
        Some(self.stream.skipped(&mut self.record, (line, offset), message))
    }
}

/// Numbers of records and of line ends.
fn count(mut data: &[u8]) -> (u64, u64) {
    let (mut records, mut lines) = (0, 0);
    while let Some((line, rest)) = split_line(data) {
        records += u64::from(!is_blank(line));
        lines += u64::from(line.ends_with(b"\n"));
        data = rest;
    }
    (records, lines)
}
