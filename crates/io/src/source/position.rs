//! Positions of records.

use crate::{Beside, Content, Inputs, NO_FIELDS, Problem, RecordView};

use super::Chunk;

/// Position of a record.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RecordPosition {
    pub(crate) record: u32,
    pub(crate) line: u64,
    pub(crate) offset: u64,
}

impl RecordPosition {
    /// The record with its position.
    pub(crate) fn record<'a>(&self, file: u32, record: RecordView<'a>) -> RecordView<'a> {
        RecordView { file, record: self.record, line: self.line, ..record }
    }

    /// A problem `at` bytes after the start of the record.
    pub(crate) fn problem(
        &self,
        chunk: &Chunk,
        inputs: &Inputs,
        at: usize,
        words: String,
    ) -> Problem {
        let offset = Some(self.offset + at as u64);
        chunk.problem(inputs, self.record, self.line, offset, words)
    }
}

/// A record without position and fields.
pub(crate) fn bare<'a>(content: Content<'a>) -> RecordView<'a> {
    RecordView {
        file: 0,
        record: 0,
        line: 0,
        id: None,
        content,
        url: None,
        title: None,
        date: None,
        extra: &[],
        given: &NO_FIELDS,
        beside: Beside::default(),
    }
}
