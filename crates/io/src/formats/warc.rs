//! WARC and WET: many pages, among other records.

use crate::input::format::{About, Structure};
use crate::sink::mark::{Refusal, ToMark, messages};
use crate::source::fields::{Fields, non_empty};
use crate::source::position::{RecordPosition, bare};
use crate::source::record_limit::{too_long, too_long_in_stream};
use crate::source::scratch::VisitScratch;
use crate::source::stream::{Stream, grown};
use crate::source::suggest::shown;
use crate::source::{Body, Chunk, ChunkPosition, Next, Piece};
use crate::web::warc::{self, End};
use crate::web::{self, Entry};
use crate::{Content, FieldNumber, FieldTexts, Format, Inputs, Item, ReadFailure, RecordView};

use super::item::{ChunkReader, FormatItem, OpenedReader, Opening, Reading, RecordFormat, Visit};

static WARC: About = About {
    name: "warc",
    extensions: &["warc", "wet"],
    structure: Structure::Headed,
    unit: "a page",
    ..About::DOCUMENT
};

pub(super) const FORMATS: &[FormatItem] =
    &[FormatItem { about: &WARC, reading: Reading::Records(&Warc) }];

impl Format {
    /// Web archive (WARC or WET): many pages, among other records.
    pub const WARC: Self = Self(&WARC);
}

struct Warc;

impl RecordFormat for Warc {
    fn open(&self, opening: &Opening<'_>) -> OpenedReader {
        let mut stream = Stream::open(opening.file, opening.input)?;
        let chunk_bytes = opening.chunk_bytes.max(LEAST);
        stream.fill(chunk_bytes);
        if stream.held.starts_with(b"filedesc://") {
            return Err(opening.refuse(
                "is an ARC file, the format before WARC; convert it, for example with warcio recompress",
            ));
        }
        let is_warc = warc::next(&stream.held, 1).is_some() || stream.held.starts_with(warc::MAGIC);
        // What a failure cut off is reported as such.
        if !stream.held.is_empty() && !is_warc && !stream.is_cut_off() {
            return Err(opening.refuse(
                "is not a WARC file: no line at its start begins with `WARC/`; name the format with the \
                 setting input_format",
            ));
        }
        let (max_record, ends, needed) = (opening.max_record, Vec::new(), None);
        Ok(Some(Box::new(WarcReader { stream, chunk_bytes, max_record, record: 1, ends, needed })))
    }

    fn visit(&self, chunk: &Chunk, visit: &mut Visit<'_>) {
        let Body::Records { starts, .. } = &chunk.body else { return };
        let Visit { inputs, fields, scratch, wanted, each } = visit;
        let limit = inputs.options.max_record();
        for ((record, raw), start) in chunk.raw_records().zip(starts) {
            if !wanted(chunk.file, record) {
                continue;
            }
            let place = RecordPosition { record, line: 0, offset: chunk.offset + *start as u64 };
            let VisitScratch { pages, extra, given, skipped, .. } = &mut **scratch;
            let entry = match raw.len() > limit {
                true => Err(too_long_in_stream(limit)),
                false => web::classify(raw, &inputs.options.formats.warc_status),
            };
            let read = match entry {
                Ok(Entry::Page(page)) => self::record(&page, fields, pages, limit, (extra, given)),
                Ok(Entry::Other(kind)) => {
                    skipped.add(&kind, 1);
                    continue;
                }
                Err(words) => Err(words),
            };
            match read {
                Ok(record) => each(Item::Record(place.record(chunk.file, record))),
                Err(words) => each(Item::Bad(place.problem(chunk, inputs, 0, words))),
            }
        }
    }

    /// Of other records than documents there are none.
    fn names(&self, chunk: &Chunk, inputs: &Inputs, each: &mut dyn FnMut(&[String]) -> bool) {
        let statuses = &inputs.options.formats.warc_status;
        let _ = chunk.raw_records().all(|(_, raw)| each(&web::names(raw, statuses)));
    }

    fn is_document(&self, raw: &[u8], inputs: &Inputs) -> bool {
        let statuses = &inputs.options.formats.warc_status;
        raw.len() > inputs.options.max_record()
            || !matches!(web::classify(raw, statuses), Ok(Entry::Other(_)))
    }

    fn push_marked(&self, of: &ToMark<'_>, out: &mut Vec<u8>) -> Result<(), Refusal> {
        messages::push_marked(of.raw, warc::after_version(of.raw), of.names, of.mark, out)
    }

    /// Readers of compressed WARC files need it.
    fn has_members(&self) -> bool {
        true
    }
}

/// Makes a record of a page. Fields are those of [`web::Page::field`]; `text` is the text of the page.
fn record<'a>(
    page: &web::Page<'a>,
    fields: &Fields<'_>,
    buffers: &'a mut web::PageBuffers,
    limit: usize,
    (extra, given): (&'a mut Vec<FieldNumber>, &'a mut FieldTexts),
) -> Result<RecordView<'a>, String> {
    let value = |slot: usize| page.field(fields.names[slot]).and_then(non_empty);
    fields.read_named(value, extra, given);
    let (id, url) = (value(fields.id), value(fields.url));
    let (title, date) = (value(fields.title), value(fields.date));
    let content = match fields.names[fields.text] {
        "text" => page.content(buffers, limit)?,
        name => match page.field(name) {
            Some(text) => Content::Text(text),
            None => {
                return Err(format!(
                    "the page has no header field `{}`; name another one, or `text` for its text, with \
                     the setting text_field",
                    shown(name)
                ));
            }
        },
    };
    Ok(RecordView { id, url, title, date, extra, given, ..bare(content) })
}

/// Fewest bytes held at first.
const LEAST: usize = 64;

/// Reads one file.
struct WarcReader {
    stream: Stream,
    chunk_bytes: usize,
    max_record: usize,
    /// Number of the next record.
    record: u32,
    /// Ends of records among the bytes held; the first one starts where they start.
    ends: Vec<usize>,
    /// Bytes needed to find the end of the record after them, if that is known.
    needed: Option<usize>,
}

impl ChunkReader for WarcReader {
    fn can_seek(&self) -> bool {
        true
    }

    fn at(&mut self, place: ChunkPosition) -> Option<Result<Chunk, ReadFailure>> {
        self.stream.seek(place.offset);
        self.record = place.record;
        self.ends.clear();
        let bytes = usize::try_from(place.bytes).ok()?;
        self.stream.fill(bytes);
        if self.stream.held.len() < bytes {
            return self.stream.failure().map(Err);
        }
        self.search(bytes, true);
        (self.ends.last() == Some(&bytes)).then(|| self.chunk(self.ends.len()))
    }

    fn next(&mut self, any_size: bool) -> Next {
        let least = self.chunk_bytes;
        let mut size = least;
        loop {
            self.stream.fill(size);
            let held = self.stream.held.len();
            self.search(held, self.stream.ended && !self.stream.is_cut_off());
            let most = self.max_record.saturating_add(least);
            if self.ends.len() > 1 && size > least {
                // A record longer than a chunk gets a chunk of its own, so that its memory can be
                // freed early.
                return Next::Piece(self.chunk(1).into());
            } else if !self.ends.is_empty() {
                let chunk = self.chunk(self.ends.len());
                return self.stream.all_held(chunk);
            } else if self.stream.ended {
                // A record that damage cut off is lost with the rest.
                return self.stream.end();
            } else if self.needed.unwrap_or(held) > most {
                return Next::Piece(self.skip_record());
            } else if !any_size {
                return Next::Large;
            }
            let known = self.needed.unwrap_or(0);
            size = grown(held, self.chunk_bytes).max(known).min(most).max(size + 1);
        }
    }
}

impl WarcReader {
    /// Finds the ends of records among the first bytes held; `whole` if nothing follows them.
    fn search(&mut self, end: usize, whole: bool) {
        let data = &self.stream.held[..end];
        self.needed = None;
        loop {
            let from = self.ends.last().copied().unwrap_or(0);
            if from == data.len() {
                return;
            }
            match warc::end(data, from, whole) {
                End::At(end) => self.ends.push(end),
                End::More(needed) => {
                    self.needed = Some(needed);
                    return;
                }
                End::Unknown => return,
            }
        }
    }

    fn chunk(&mut self, records: usize) -> Result<Chunk, ReadFailure> {
        let offset = self.stream.offset;
        let later = self.ends.split_off(records);
        let mut starts = std::mem::replace(&mut self.ends, later);
        let end = starts.pop().unwrap_or(0);
        starts.insert(0, 0);
        self.ends.iter_mut().for_each(|later| *later -= end);
        let data = self.stream.cut(end);
        self.stream.chunk(&mut self.record, records, (0, offset), Body::Records { data, starts })
    }

    /// Skips the record held, which is too long. The rest of the file is lost if it ends there: then
    /// the length of the record is wrong, or the file is cut off.
    fn skip_record(&mut self) -> Piece {
        let offset = self.stream.offset;
        let record = match self.stream.number(&mut self.record, 1) {
            Ok(record) => record,
            Err(failure) => return failure.into(),
        };
        let lost = match self.needed {
            // The last byte needed is the first one of the next record, or a line end.
            Some(needed) => !self.skip(needed - 1),
            None => {
                self.skip_to_next();
                false
            }
        };
        self.needed = None;
        if lost && !self.stream.is_cut_off() {
            let message = format!(
                "{}; the record ends after the end of the file: its Content-Length is wrong, or the file \
                 is cut off",
                too_long(self.max_record)
            );
            let problem = self.stream.problem(record, 0, offset, message);
            return Piece::from(ReadFailure::from(problem));
        }
        let message = too_long_in_stream(self.max_record);
        Piece::Bad(self.stream.problem(record, 0, offset, message))
    }

    /// Drops this many bytes, and the line ends after them. Returns whether there are as many.
    fn skip(&mut self, mut bytes: usize) -> bool {
        while bytes > 0 {
            self.stream.fill(self.chunk_bytes);
            let held = self.stream.held.len().min(bytes);
            if held == 0 {
                return false;
            }
            self.stream.drop_front(held);
            bytes -= held;
        }
        loop {
            self.stream.fill(self.chunk_bytes);
            let held = &self.stream.held;
            let lines = held.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            let all = lines == held.len() && !self.stream.ended;
            self.stream.drop_front(lines);
            if !all {
                return true;
            }
        }
    }

    /// Drops the bytes before the next line that starts a record.
    fn skip_to_next(&mut self) {
        let mut from = 1;
        loop {
            self.stream.fill(self.chunk_bytes);
            if let Some(next) = warc::next(&self.stream.held, from) {
                return self.stream.drop_front(next);
            }
            if self.stream.ended {
                return self.stream.drop_front(self.stream.held.len());
            }
            // The beginning of a line that may start a record.
            let done = self.stream.held.len().saturating_sub(warc::MAGIC.len());
            self.stream.drop_front(done);
            from = 1;
        }
    }
}
