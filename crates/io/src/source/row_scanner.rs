//! Finds the ends of CSV and TSV records.

use super::csv_row::is_escapable;
use super::record_limit::too_long_in_stream;
use crate::input::CsvDialect;

/// Finds the starts of records.
#[derive(Debug, Clone)]
pub(crate) struct Scanner {
    dialect: CsvDialect,
    pub(crate) state: State,
    /// Bytes scanned so far.
    pub(crate) at: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// Between records.
    Between,
    /// In a record, outside quotes.
    Plain,
    /// After an escape character where there are no quotes.
    PlainEscape,
    /// Inside quotes.
    Quoted,
    /// After an escape character inside quotes.
    QuotedEscape,
    /// After a quote inside quotes: the end of the field, or the first half of an escaped quote.
    Quote,
}

impl Scanner {
    pub(crate) fn new(dialect: CsvDialect) -> Self {
        Self { dialect, state: State::Between, at: 0 }
    }

    /// Continues the scan to the end of `data`, which starts with what was scanned before.
    pub(crate) fn scan(&mut self, data: &[u8], starts: &mut Vec<usize>) {
        let CsvDialect { delimiter, quote, escape } = self.dialect;
        // Outside of quotes, an escape has a meaning only if there are none.
        let special = quote.or(escape).unwrap_or(b'\n');
        while let Some(rest) = data.get(self.at..).filter(|rest| !rest.is_empty()) {
            match self.state {
                State::Between => {
                    match rest.iter().position(|byte| !matches!(byte, b'\r' | b'\n')) {
                        None => self.at = data.len(),
                        Some(blank) => {
                            starts.push(self.at + blank);
                            let quoted = quote == Some(rest[blank]);
                            self.at += blank + usize::from(quoted);
                            self.state = if quoted { State::Quoted } else { State::Plain };
                        }
                    }
                }
                State::Plain => match memchr::memchr3(special, b'\r', b'\n', rest) {
                    None => self.at = data.len(),
                    Some(found) => {
                        self.at += found;
                        let first = self.at > 0 && data[self.at - 1] == delimiter;
                        match data[self.at] {
                            b'\r' | b'\n' => self.state = State::Between,
                            _ if quote.is_none() => self.state = State::PlainEscape,
                            _ if first => self.state = State::Quoted,
                            _ => {}
                        }
                        self.at += 1;
                    }
                },
                State::PlainEscape => {
                    self.at += usize::from(is_escapable(rest[0], self.dialect));
                    self.state = State::Plain;
                }
                State::Quoted => {
                    let quote = quote.unwrap_or_default();
                    match memchr::memchr2(quote, escape.unwrap_or(quote), rest) {
                        None => self.at = data.len(),
                        Some(found) => {
                            let closes = rest[found] == quote;
                            self.state = if closes { State::Quote } else { State::QuotedEscape };
                            self.at += found + 1;
                        }
                    }
                }
                State::QuotedEscape => {
                    self.at += usize::from([quote, escape].contains(&Some(rest[0])));
                    self.state = State::Quoted;
                }
                State::Quote if quote == Some(rest[0]) => {
                    self.at += 1;
                    self.state = State::Quoted;
                }
                State::Quote => self.state = State::Plain,
            }
        }
    }

    /// Whether a quote was opened and not closed.
    pub(crate) fn is_quoted(&self) -> bool {
        matches!(self.state, State::Quoted | State::QuotedEscape)
    }
}

/// The message for a row that is too long.
pub(crate) fn too_long_row(limit: usize) -> String {
    format!(
        "{}; or close a quote that was left open, or read quotes as text with the setting \
         csv_quote=none",
        too_long_in_stream(limit)
    )
}

/// Number of line ends: of LF, CR, and both together as one.
pub(crate) fn line_ends(data: &[u8]) -> u64 {
    let is_end = |at: &usize| data[*at] == b'\n' || data.get(at + 1) != Some(&b'\n');
    memchr::memchr2_iter(b'\r', b'\n', data).filter(is_end).count() as u64
}
