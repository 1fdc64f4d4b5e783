//! Finds the ends of CSV and TSV records.

use super::record_limit::too_long_in_stream;

/// Finds the starts of records.
#[derive(Debug, Clone)]
pub(super) struct Scanner {
    pub(super) delimiter: u8,
    pub(super) state: State,
    /// Bytes scanned so far.
    pub(super) at: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Between records.
    Between,
    /// In a record, outside quotes.
    Plain,
    /// Inside quotes.
    Quoted,
    /// After a quote inside quotes: the end of the field, or the first half of an escaped quote.
    Quote,
}

impl Scanner {
    pub(super) fn new(delimiter: u8) -> Self {
        Self { delimiter, state: State::Between, at: 0 }
    }

    /// Continues the scan to the end of `data`, which starts with what was scanned before.
    pub(super) fn scan(&mut self, data: &[u8], starts: &mut Vec<usize>) {
        while let Some(rest) = data.get(self.at..).filter(|rest| !rest.is_empty()) {
            match self.state {
                State::Between => {
                    match rest.iter().position(|byte| !matches!(byte, b'\r' | b'\n')) {
                        None => self.at = data.len(),
                        Some(blank) => {
                            starts.push(self.at + blank);
                            let quoted = rest[blank] == b'"';
                            self.at += blank + usize::from(quoted);
                            self.state = if quoted { State::Quoted } else { State::Plain };
                        }
                    }
                }
                State::Plain => match memchr::memchr3(b'"', b'\r', b'\n', rest) {
                    None => self.at = data.len(),
                    Some(found) => {
                        self.at += found;
                        let first = self.at > 0 && data[self.at - 1] == self.delimiter;
                        match data[self.at] {
                            b'"' if first => self.state = State::Quoted,
                            b'"' => {}
                            _ => self.state = State::Between,
                        }
                        self.at += 1;
                    }
                },
                State::Quoted => match memchr::memchr(b'"', rest) {
                    None => self.at = data.len(),
                    Some(found) => {
                        self.at += found + 1;
                        self.state = State::Quote;
                    }
                },
                State::Quote if rest[0] == b'"' => {
                    self.at += 1;
                    self.state = State::Quoted;
                }
                State::Quote => self.state = State::Plain,
            }
        }
    }

    /// Whether a quote was opened and not closed.
    pub(super) fn is_quoted(&self) -> bool {
        self.state == State::Quoted
    }
}

/// The message for a row that is too long.
pub(super) fn too_long_row(limit: usize) -> String {
    format!("{}; or close a quote that was left open", too_long_in_stream(limit))
}
