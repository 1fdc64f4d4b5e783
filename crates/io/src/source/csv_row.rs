//! Splits a CSV or TSV row into fields.

/// The fields of a row in one buffer.
#[derive(Debug, Default)]
pub(super) struct Row {
    pub(super) text: String,
    pub(super) ends: Vec<usize>,
    /// Number of fields, including those that were not kept.
    pub(super) count: usize,
}

impl Row {
    /// Splits a row into fields. Fails with the offset of invalid UTF-8. Fields after the first
    /// `columns` are only counted: a long row of delimiters must not take many times its own size.
    ///
    /// A field that starts with a quote ends with the next one that is not doubled; text between
    /// that quote and the delimiter belongs to the field. Any other quote is literal.
    pub(super) fn parse(&mut self, raw: &[u8], delimiter: u8, columns: usize) -> Result<(), usize> {
        let row = std::str::from_utf8(raw).map_err(|e| e.valid_up_to())?;
        let mut rest = row.trim_end_matches(['\r', '\n']);
        self.text.clear();
        self.ends.clear();
        self.count = 0;
        loop {
            if let Some(quoted) = rest.strip_prefix('"') {
                rest = self.push_quoted(quoted);
            }
            let end = memchr::memchr(delimiter, rest.as_bytes());
            self.text.push_str(&rest[..end.unwrap_or(rest.len())]);
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

    /// Appends a quoted section; returns the rest.
    pub(super) fn push_quoted<'a>(&mut self, mut rest: &'a str) -> &'a str {
        while let Some(quote) = memchr::memchr(b'"', rest.as_bytes()) {
            self.text.push_str(&rest[..quote]);
            rest = &rest[quote + 1..];
            match rest.strip_prefix('"') {
                Some(behind) => rest = behind,
                None => return rest,
            }
            self.text.push('"');
        }
        self.text.push_str(rest);
        ""
    }

    /// Bytes of memory.
    pub(super) fn bytes(&self) -> usize {
        self.text.capacity()
    }

    /// All fields, concatenated.
    pub(super) fn into_text(self) -> String {
        self.text
    }

    pub(super) fn get(&self, index: usize) -> &str {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.text.get(start..self.ends[index]).unwrap_or_default()
    }
}
