//! Splits a CSV or TSV row into fields.

use crate::input::CsvDialect;
use std::ops::Range;

/// The fields of a row in one buffer.
#[derive(Debug, Default)]
pub(crate) struct Row {
    text: String,
    ends: Vec<usize>,
    /// Number of fields, including those that were not kept.
    pub(crate) count: usize,
}

/// Why a row cannot be split, and the offset in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowFault {
    /// Invalid UTF-8.
    Encoding(usize),
    /// Text between the end of a quoted field and the delimiter.
    AfterQuote {
        at: usize,
        /// Whether there is a backslash before the quote: the writer escapes quotes by it.
        backslash: bool,
    },
    /// A backslash before a quote in a field without quotes: the end of a field with line ends whose
    /// quotes are escaped, of which the beginning was a row with text after a quote.
    Backslash(usize),
}

impl Row {
    /// Splits a row into fields. Fields after the first `columns` are only counted: a long row of
    /// delimiters must not take many times its own size.
    ///
    /// A field that starts with a quote ends with the next one that is neither doubled nor escaped,
    /// which the delimiter or the end of the row has to follow. Any other quote is literal.
    pub(crate) fn parse(
        &mut self,
        raw: &[u8],
        dialect: CsvDialect,
        columns: usize,
    ) -> Result<(), RowFault> {
        let row = std::str::from_utf8(raw).map_err(|e| RowFault::Encoding(e.valid_up_to()))?;
        let row = &row[..dialect.end_of_row(raw)];
        let mut rest = row;
        self.text.clear();
        self.ends.clear();
        self.count = 0;
        loop {
            let quote = dialect.quote.filter(|quote| rest.as_bytes().first() == Some(quote));
            let end = match quote {
                Some(quote) => {
                    rest = self.push_quoted(&rest[1..], quote, dialect.escape);
                    match rest.as_bytes().first() {
                        None => None,
                        Some(byte) if *byte == dialect.delimiter => Some(0),
                        Some(_) => {
                            let at = row.len() - rest.len();
                            let before = at.checked_sub(2).map(|at| row.as_bytes()[at]);
                            let backslash = before == Some(b'\\');
                            return Err(RowFault::AfterQuote { at, backslash });
                        }
                    }
                }
                None => {
                    let end = self.push_plain(rest, dialect);
                    let field = &rest.as_bytes()[..end.unwrap_or(rest.len())];
                    if let (Some(quote), None) = (dialect.quote, dialect.escape)
                        && let Some(at) = memchr::memmem::find(field, &[b'\\', quote])
                    {
                        return Err(RowFault::Backslash(row.len() - rest.len() + at));
                    }
                    end
                }
            };
            self.count += 1;
            if self.count <= columns {
                self.ends.push(self.text.len());
            }
            match end {
                Some(end) => rest = &rest[end + 1..],
                None => return Ok(()),
            }
        }
    }

    /// Where a field of a row stands, as written. Uses the buffer.
    pub(crate) fn place(
        &mut self,
        raw: &[u8],
        dialect: CsvDialect,
        column: usize,
    ) -> Option<Range<usize>> {
        let row = std::str::from_utf8(raw).ok()?;
        let row = &row[..dialect.end_of_row(raw)];
        self.text.clear();
        self.ends.clear();
        let mut rest = row;
        for number in 0..=column {
            let start = row.len() - rest.len();
            let quote = dialect.quote.filter(|quote| rest.as_bytes().first() == Some(quote));
            let length = match quote {
                Some(quote) => {
                    rest.len() - self.push_quoted(&rest[1..], quote, dialect.escape).len()
                }
                None => self.push_plain(rest, dialect).unwrap_or(rest.len()),
            };
            if number == column {
                return Some(start..start + length);
            }
            rest = rest.get(length + 1..)?;
        }
        None
    }

    /// Appends a field without quotes; returns where its delimiter is.
    fn push_plain(&mut self, rest: &str, dialect: CsvDialect) -> Option<usize> {
        let Some(escape) = dialect.escape.filter(|_| dialect.quote.is_none()) else {
            let end = memchr::memchr(dialect.delimiter, rest.as_bytes());
            self.text.push_str(&rest[..end.unwrap_or(rest.len())]);
            return end;
        };
        let (bytes, mut from) = (rest.as_bytes(), 0);
        loop {
            let found = memchr::memchr2(dialect.delimiter, escape, &bytes[from..]);
            let at = found.map_or(rest.len(), |found| from + found);
            self.text.push_str(&rest[from..at]);
            match (bytes.get(at), bytes.get(at + 1)) {
                (None, _) => return None,
                (Some(byte), _) if *byte == dialect.delimiter => return Some(at),
                (_, Some(next)) if is_escapable(*next, dialect) => {
                    self.text.push(char::from(*next));
                    from = at + 2;
                }
                _ => {
                    self.text.push(char::from(escape));
                    from = at + 1;
                }
            }
        }
    }

    /// Appends a quoted section; returns what is behind its closing quote.
    fn push_quoted<'a>(&mut self, mut rest: &'a str, quote: u8, escape: Option<u8>) -> &'a str {
        let find = |rest: &str| match escape {
            Some(escape) => memchr::memchr2(quote, escape, rest.as_bytes()),
            None => memchr::memchr(quote, rest.as_bytes()),
        };
        while let Some(at) = find(rest) {
            self.text.push_str(&rest[..at]);
            let (byte, next) = (rest.as_bytes()[at], rest.as_bytes().get(at + 1).copied());
            rest = &rest[at + 1..];
            match next {
                Some(next) if next == quote || (byte != quote && next == byte) => {
                    self.text.push(char::from(next));
                    rest = &rest[1..];
                }
                _ if byte == quote => return rest,
                _ => self.text.push(char::from(byte)),
            }
        }
        self.text.push_str(rest);
        ""
    }

    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> usize {
        self.text.capacity()
    }

    /// All fields, concatenated.
    pub(crate) fn into_text(self) -> String {
        self.text
    }

    pub(crate) fn get(&self, index: usize) -> &str {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.text.get(start..self.ends[index]).unwrap_or_default()
    }
}

/// Whether the escape character makes this one text where there are no quotes.
pub(crate) fn is_escapable(byte: u8, dialect: CsvDialect) -> bool {
    byte == dialect.delimiter || dialect.escape == Some(byte) || matches!(byte, b'\r' | b'\n')
}
