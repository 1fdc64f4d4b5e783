//! CSV and TSV: rows of text after a header line.
//!
//! Records end as the `csv` crate defines: at a CR, an LF or both, outside quotes; a quote opens a
//! quoted field only as the field's first character. [`Scanner`] finds these ends without parsing
//! fields.
//!
//! A first line `sep=;`, as Excel reads it, gives the delimiter of the file, unless a setting does.

use std::sync::Arc;

use crate::input::CsvDialect;
use crate::input::format::{About, Structure};
use crate::sink::mark::{Refusal, ToMark, rows};
use crate::sink::replace::{self, ToReplace};
use crate::source::csv;
use crate::source::fields::Fields;
use crate::source::nested::two_columns;
use crate::source::record_limit::size_words;
use crate::source::row_scanner::{Scanner, State, line_ends, too_long_row};
use crate::source::stream::{Stream, grown};
use crate::source::{Body, Chunk, CsvHeader, Next, Piece};
use crate::{DiscoverOptions, Format, InputFile, Inputs, ReadFailure};

use super::item::{ChunkReader, FormatItem, OpenedReader, Opening, Reading, RecordFormat, Visit};

const ROWS: About = About { structure: Structure::Rows, unit: "a row", ..About::DOCUMENT };
static CSV: About = About { name: "csv", extensions: &["csv"], ..ROWS };
static TSV: About = About { name: "tsv", extensions: &["tsv"], kept_extensions: &["tab"], ..ROWS };

pub(super) const FORMATS: &[FormatItem] = &[
    FormatItem { about: &CSV, reading: Reading::Records(&Rows) },
    FormatItem { about: &TSV, reading: Reading::Records(&Rows) },
];

impl Format {
    /// Comma-separated values with a header line.
    pub const CSV: Self = Self(&CSV);
    /// Tab-separated values with a header line; quoting as in CSV.
    pub const TSV: Self = Self(&TSV);
}

struct Rows;

impl RecordFormat for Rows {
    fn open(&self, opening: &Opening<'_>) -> OpenedReader {
        let reader = RowReader::open(opening)?;
        Ok(reader.map(|reader| Box::new(reader) as Box<dyn ChunkReader>))
    }

    fn visit(&self, chunk: &Chunk, visit: &mut Visit<'_>) {
        let Body::Rows { data, starts, header } = &chunk.body else { return };
        let Visit { inputs, fields, scratch, wanted, each } = visit;
        csv::visit(chunk, (data, starts, header), inputs, fields, scratch, wanted, each);
    }

    fn names(&self, chunk: &Chunk, _: &Inputs, each: &mut dyn FnMut(&[String]) -> bool) {
        if let Body::Rows { header, .. } = &chunk.body {
            each(&header.names);
        }
    }

    fn push_marked(&self, of: &ToMark<'_>, out: &mut Vec<u8>) -> Result<(), Refusal> {
        if let Body::Rows { header, .. } = &of.chunk.body {
            rows::push_marked(of.raw, header.dialect, of.mark, out);
        }
        Ok(())
    }

    fn push_replaced(&self, of: &ToReplace<'_>, out: &mut Vec<u8>) -> bool {
        match &of.chunk.body {
            Body::Rows { header, .. } => {
                replace::rows::push_replaced(of.raw, header, of.field, of.text, out)
            }
            _ => false,
        }
    }

    fn header(
        &self,
        file: u32,
        input: &InputFile,
        options: &DiscoverOptions,
    ) -> Result<Option<Arc<CsvHeader>>, ReadFailure> {
        let fields = &Fields::new(&options.fields);
        let (chunk_bytes, max_record, only_fields) = (HEADER_BYTES, HEADER_BYTES, false);
        let opening =
            Opening { file, input, fields, options, chunk_bytes, max_record, only_fields };
        Ok(RowReader::open(&opening)?.map(|reader| reader.header))
    }
}

/// Longest header: its names are kept and take several times its size.
const HEADER_BYTES: usize = 4 << 20;

/// Reads one file.
struct RowReader {
    stream: Stream,
    chunk_bytes: usize,
    max_record: usize,
    header: Arc<CsvHeader>,
    scanner: Scanner,
    /// Starts of records in the stream's buffer.
    starts: Vec<usize>,
    /// Number of the next record.
    record: u32,
    /// Line of the first byte in the buffer.
    line: u64,
    /// Whether the byte before the buffer is a CR.
    after_cr: bool,
}

impl ChunkReader for RowReader {
    fn next(&mut self, any_size: bool) -> Next {
        let mut size = self.chunk_bytes;
        loop {
            self.stream.fill(size);
            self.scanner.scan(&self.stream.held, &mut self.starts);
            let held = self.stream.held.len();
            // The last record is complete if the file is, or if more than one blank line follows.
            let blank = self.scanner.state == State::Between && {
                self.starts.is_empty() || (size > self.chunk_bytes && self.ends_blank())
            };
            let (records, end) = match self.starts.last() {
                _ if (self.stream.ended && !self.stream.is_cut_off()) || blank => {
                    (self.starts.len(), held)
                }
                Some(last) => (self.starts.len() - 1, *last),
                None => (0, 0),
            };
            if records > 1 && size > self.chunk_bytes {
                // A record longer than a chunk gets a chunk of its own, so that its memory can be
                // freed early.
                return Next::Piece(self.chunk(1, self.starts[1]).into());
            } else if records > 0 {
                let chunk = self.chunk(records, end);
                return self.stream.all_held(chunk);
            } else if self.stream.ended {
                return self.stream.end();
            } else if blank {
                self.cut(held);
                size = self.chunk_bytes;
            } else if self.scanner.state != State::Between && self.held_length() > self.max_record {
                return Next::Piece(self.skip_record());
            } else if !any_size {
                return Next::Large;
            } else {
                size = self.grown(held);
            }
        }
    }
}

impl RowReader {
    /// Reads the header. `None` if the file is empty.
    fn open(opening: &Opening<'_>) -> Result<Option<Self>, ReadFailure> {
        let &Opening { file, input, fields, options, chunk_bytes, max_record, .. } = opening;
        let dialect = options.formats.csv_dialect(input.format);
        let header = CsvHeader { raw: Vec::new(), names: Vec::new(), dialect };
        let mut reader = Self {
            stream: Stream::open(file, input)?,
            chunk_bytes,
            max_record,
            header: Arc::new(header),
            scanner: Scanner::new(dialect),
            starts: Vec::new(),
            record: 1,
            line: 1,
            after_cr: false,
        };
        let refuse = |message: String| opening.refuse(message);
        let Some(raw) = reader.read_header().map_err(refuse)? else {
            return match reader.stream.failure() {
                Some(failure) => Err(failure),
                None => Ok(None),
            };
        };
        let usual = options.formats.csv_delimiter.is_none() && input.format == Format::CSV;
        let header = match declared_delimiter(&raw).filter(|_| input.format == Format::CSV) {
            Some(delimiter) => {
                let delimiter = if usual { delimiter } else { dialect.delimiter };
                reader.after_declaration(raw, CsvDialect { delimiter, ..dialect })
            }
            None => csv::names(&raw, dialect).map(|names| Some(CsvHeader { raw, names, dialect })),
        };
        let Some(header) = header.map_err(refuse)? else {
            return match reader.stream.failure() {
                Some(problem) => Err(problem),
                None => Ok(None),
            };
        };
        if let Some(fault) = header_fault(&header, fields, input) {
            return Err(ReadFailure::of_columns(file, &input.name, fault));
        }
        reader.header = Arc::new(header);
        Ok(Some(reader))
    }

    /// Reads the header that follows a line `sep=;`. `None` if there is none.
    fn after_declaration(
        &mut self,
        mut raw: Vec<u8>,
        dialect: CsvDialect,
    ) -> Result<Option<CsvHeader>, String> {
        // What is in the buffer was scanned with another delimiter.
        self.scanner = Scanner::new(dialect);
        self.starts.clear();
        let Some(header) = self.read_header()? else { return Ok(None) };
        let names = csv::names(&header, dialect)?;
        raw.extend_from_slice(&header);
        Ok(Some(CsvHeader { raw, names, dialect }))
    }

    /// Takes the header off the stream, with its line end.
    fn read_header(&mut self) -> Result<Option<Vec<u8>>, String> {
        let mut size = self.chunk_bytes;
        let limit = self.max_record.min(HEADER_BYTES);
        loop {
            self.stream.fill(size);
            self.scanner.scan(&self.stream.held, &mut self.starts);
            let end = match self.starts[..] {
                [] if !self.stream.ended => {
                    // Any number of blank lines.
                    self.cut(self.stream.held.len());
                    continue;
                }
                [start, ..] if self.first_length(start) > limit => {
                    return Err(format!(
                        "the header is longer than {}; name the columns in the first line, and \
                         close a quote that was left open",
                        size_words(limit)
                    ));
                }
                [_, next, ..] => next,
                [_] if self.stream.ended
                    && !self.stream.is_cut_off()
                    && self.scanner.is_quoted() =>
                {
                    return Err("the header has a quote that is not closed; close it".to_string());
                }
                [_] if self.stream.ended && !self.stream.is_cut_off() => self.stream.held.len(),
                _ if self.stream.ended => return Ok(None),
                [_] if self.scanner.state == State::Between && self.ends_blank() => {
                    self.stream.held.len()
                }
                _ => {
                    size = self.grown(size);
                    continue;
                }
            };
            let start = self.starts.remove(0);
            let raw = self.cut(end)[start..].to_vec();
            // Blank lines after it do not belong to it.
            let ends = raw.iter().rev().take_while(|b| matches!(b, b'\r' | b'\n')).count();
            let text = raw.len() - ends;
            let line_end = match raw[text..] {
                [b'\r', b'\n', ..] => 2,
                [] => 0,
                _ => 1,
            };
            return Ok(Some(raw[..text + line_end].to_vec()));
        }
    }

    /// Length of the first record, without line ends.
    fn first_length(&self, start: usize) -> usize {
        let end = self.starts.get(1).copied().unwrap_or(self.stream.held.len());
        let record = &self.stream.held[start..end];
        let ends = record.iter().rev().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        record.len() - ends
    }

    /// Bytes of the first record that are held, counted as they are when it is parsed: line ends at
    /// its end, of which one may be escaped, are a part of it only within quotes.
    fn held_length(&self) -> usize {
        match self.starts.first() {
            Some(start) if self.scanner.is_quoted() => self.stream.held.len() - start,
            Some(start) => self.first_length(*start),
            None => 0,
        }
    }

    /// Whether the buffer begins with the LF of a line end whose CR was cut off.
    fn is_within_end(&self) -> bool {
        self.after_cr && self.stream.held.first() == Some(&b'\n')
    }

    fn ends_blank(&self) -> bool {
        matches!(self.stream.held[..], [.., b'\r' | b'\n', b'\r' | b'\n', b'\r' | b'\n'])
    }

    fn grown(&self, size: usize) -> usize {
        let most = self.max_record.saturating_add(self.chunk_bytes);
        grown(size, self.chunk_bytes).min(most).max(size + 1)
    }

    /// Takes the first bytes off the stream.
    fn cut(&mut self, end: usize) -> Vec<u8> {
        let within = end > 0 && self.is_within_end();
        let data = self.stream.cut(end);
        // A CR and the LF after it are one line end.
        self.line -= u64::from(within);
        self.line += line_ends(&data);
        self.after_cr = data.last().map_or(self.after_cr, |last| *last == b'\r');
        self.scanner.at -= end;
        for start in &mut self.starts {
            *start = start.saturating_sub(end);
        }
        data
    }

    fn chunk(&mut self, records: usize, end: usize) -> Result<Chunk, ReadFailure> {
        let offset = self.stream.offset;
        let first_line = self.line - u64::from(self.is_within_end());
        let later = self.starts.split_off(records);
        let starts = std::mem::replace(&mut self.starts, later);
        let data = self.cut(end);
        self.stream.chunk(
            &mut self.record,
            records,
            (first_line, offset),
            Body::Rows { data, starts, header: Arc::clone(&self.header) },
        )
    }

    /// Skips the current record, which is too long.
    fn skip_record(&mut self) -> Piece {
        let start = self.starts.first().copied().unwrap_or(0);
        self.starts.clear();
        self.cut(start);
        let (line, offset) = (self.line, self.stream.offset);
        let message = too_long_row(self.max_record);
        loop {
            // Whether a quote opens a field depends on the byte before it.
            let done = self.stream.held.len().saturating_sub(1);
            self.cut(done);
            if self.stream.ended {
                self.cut(self.stream.held.len());
                break;
            }
            self.stream.fill(self.chunk_bytes.max(2));
            self.scanner.scan(&self.stream.held, &mut self.starts);
            if let Some(next) = self.starts.first().copied() {
                self.cut(next);
                break;
            }
        }
        self.stream.skipped(&mut self.record, (line, offset), message)
    }
}

/// The delimiter that a line `sep=;` declares.
fn declared_delimiter(line: &[u8]) -> Option<u8> {
    let line = line.trim_ascii_end();
    let line = line.strip_prefix(b"\"").and_then(|line| line.strip_suffix(b"\"")).unwrap_or(line);
    match line.strip_prefix(b"sep=").or_else(|| line.strip_prefix(b"SEP="))? {
        [delimiter] if delimiter.is_ascii_punctuation() => Some(*delimiter),
        // A tab was trimmed as white space.
        [] => Some(b'\t'),
        _ => None,
    }
}

/// Why the columns of a file cannot be used, if so.
fn header_fault(header: &CsvHeader, fields: &Fields<'_>, input: &InputFile) -> Option<String> {
    let CsvHeader { raw, names, dialect } = header;
    let columns = fields.columns(names);
    let content = fields.whole_content();
    if columns[fields.text].is_none()
        && let Some(message) = section_fault(&columns, fields, names)
    {
        return Some(message);
    }
    let has_sections = !fields.sections.is_empty();
    if !has_sections && content.iter().all(|slot| columns[*slot].is_none()) {
        let message = fields.no_column(names);
        let wanted: Vec<&str> = content.iter().map(|slot| fields.names[*slot]).collect();
        let remedy = other_dialect(raw, *dialect, &wanted, input.format);
        return Some(message + &remedy.map(|remedy| format!("; or {remedy}")).unwrap_or_default());
    }
    let times = |name: &str| names.iter().filter(|column| column.as_str() == name).count();
    if let Some(name) = fields.names.iter().find(|name| times(name) > 1) {
        return Some(two_columns(name));
    }
    let (slot, setting) =
        fields.needed(&input.partitions).into_iter().find(|(slot, _)| columns[*slot].is_none())?;
    Some(fields.without(&[slot], setting, names))
}

/// Why the sections of a text cannot be read from these columns, if so.
fn section_fault(
    columns: &[Option<usize>],
    fields: &Fields<'_>,
    names: &[String],
) -> Option<String> {
    if !fields.needs_sections(|slot| columns[slot].is_some()) {
        return None;
    }
    fields.sections.iter().find_map(|(slot, path)| match (columns[*slot], path.steps.is_empty()) {
        (None, _) => Some(fields.without(&[*slot], "text_field", names)),
        (Some(_), false) => Some(format!(
            "column `{}` holds no lists; name columns of texts with the setting text_field",
            path.field
        )),
        (Some(_), true) => None,
    })
}

/// What to do about a header that has one of these columns in another dialect.
fn other_dialect(
    raw: &[u8],
    dialect: CsvDialect,
    columns: &[&str],
    format: Format,
) -> Option<String> {
    let quoted = CsvDialect { quote: Some(b'"'), ..dialect };
    if dialect.quote.is_none() && csv::has_column(raw, quoted, columns) {
        return Some("its fields are quoted: give the setting csv_quote='\"'".to_owned());
    }
    let is_other = |delimiter: &u8| {
        *delimiter != dialect.delimiter
            && csv::has_column(raw, CsvDialect { delimiter: *delimiter, ..quoted }, columns)
    };
    let likely = [b';', b'\t', b'|', b','].into_iter().find(is_other)?;
    Some(match (char::from(likely), format == Format::CSV) {
        ('\t', true) => "its columns are separated by tabs: name it .tsv, or give the setting \
                                csv_delimiter=tab"
            .to_owned(),
        (likely, true) => format!(
            "its columns are separated by `{likely}`: give the setting csv_delimiter='{likely}'"
        ),
        (likely, false) => format!(
            "its columns are separated by `{likely}`: name it .csv, or give the setting \
             input_format=csv, and the setting csv_delimiter='{likely}'"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::declared_delimiter;

    #[test]
    fn a_line_declares_a_delimiter() {
        for (line, expected) in [
            ("sep=;\r\n", Some(b';')),
            ("\"sep=|\"\n", Some(b'|')),
            ("SEP=,", Some(b',')),
            ("sep=\t\n", Some(b'\t')),
            ("sep=ab", None),
            ("sep=a", None),
            ("id;sep=;", None),
            ("", None),
        ] {
            assert_eq!(declared_delimiter(line.as_bytes()), expected, "{line:?}");
        }
    }
}
