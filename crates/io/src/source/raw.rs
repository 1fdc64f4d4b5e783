//! The raw records of a chunk.

use super::{Body, Chunk};

/// Records of a chunk with their numbers; made by [`Chunk::raw_records`].
#[derive(Debug, Clone)]
pub struct RawRecords<'a> {
    record: u32,
    rest: Rest<'a>,
}

#[derive(Debug, Clone)]
enum Rest<'a> {
    Lines(&'a [u8]),
    Rows(&'a [u8], &'a [usize]),
    None,
}

impl Chunk {
    /// The records of a text format: number and raw bytes with line ends.
    ///
    /// Blank lines of JSONL belong to no record and are omitted; those of CSV and mbox belong to
    /// the record before them. Parquet rows and one-document files have no raw bytes here.
    ///
    /// ```
    /// use lookalike_io::source::{Body, Chunk};
    ///
    /// let body = Body::Lines(b"{\"a\":1}\r\n\n{}".to_vec());
    /// let chunk = Chunk { file: 0, first_record: 7, first_line: 7, offset: 0, consumed: 0, body };
    /// let records: Vec<_> = chunk.raw_records().collect();
    /// assert_eq!(records, [(7, &b"{\"a\":1}\r\n"[..]), (8, &b"{}"[..])]);
    /// ```
    pub fn raw_records(&self) -> RawRecords<'_> {
        let rest = match &self.body {
            Body::Lines(data) => Rest::Lines(data),
            Body::Rows { data, starts, .. } | Body::Records { data, starts } => {
                Rest::Rows(data, starts)
            }
            Body::Batch(_) | Body::Files(_) => Rest::None,
        };
        RawRecords { record: self.first_record, rest }
    }
}

impl<'a> RawRecords<'a> {
    fn next_raw(&mut self) -> Option<&'a [u8]> {
        match &mut self.rest {
            Rest::Lines(data) => loop {
                let (line, rest) = split_line(data)?;
                *data = rest;
                if !is_blank(line) {
                    return Some(line);
                }
            },
            Rest::Rows(data, starts) => {
                let (start, later) = starts.split_first()?;
                *starts = later;
                data.get(*start..later.first().copied().unwrap_or(data.len()))
            }
            Rest::None => None,
        }
    }
}

impl<'a> Iterator for RawRecords<'a> {
    type Item = (u32, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let raw = self.next_raw()?;
        let record = self.record;
        self.record = record.wrapping_add(1);
        Some((record, raw))
    }
}

/// The first line with its end, and the rest.
#[inline]
pub(crate) fn split_line(data: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = memchr::memchr(b'\n', data).map_or(data.len(), |at| at + 1);
    (end > 0).then(|| data.split_at(end))
}

/// Whether a line is blank.
#[inline]
pub(crate) fn is_blank(line: &[u8]) -> bool {
    line.first().is_none_or(|first| *first <= b' ') && line.trim_ascii().is_empty()
}
