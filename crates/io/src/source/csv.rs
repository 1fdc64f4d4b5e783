//! Parses CSV and TSV rows into records.
//!
//! An empty field is a missing value: CSV cannot distinguish the two.

use std::borrow::Cow;

use crate::{Content, FieldNumber, FieldTexts, Inputs, Item, RecordView};

use super::csv_row::Row;
use super::fields::{Fields, non_empty};
use super::position::RecordPosition;
use super::row_scanner::{Scanner, too_long_row};
use super::scratch::VisitScratch;
use super::{Chunk, CsvHeader};

/// The names in a header.
pub(super) fn names(raw: &[u8], delimiter: u8) -> Result<Vec<String>, String> {
    let mut row = Row::default();
    row.parse(raw, delimiter, usize::MAX)
        .map_err(|_| "the header is not UTF-8; save the file as UTF-8".to_string())?;
    Ok((0..row.count).map(|index| row.get(index).to_string()).collect())
}

/// Parses the rows of a chunk.
pub(super) fn visit(
    chunk: &Chunk,
    (data, starts, header): (&[u8], &[usize], &CsvHeader),
    inputs: &Inputs,
    fields: &Fields<'_>,
    scratch: &mut VisitScratch,
    visit: &mut dyn FnMut(Item<'_>),
) {
    let columns = fields.columns(&header.names);
    let limit = inputs.options.max_record();
    let mut seen = 0;
    let mut line = chunk.first_line;
    for ((record, raw), start) in chunk.raw_records().zip(starts) {
        line += memchr::memchr_iter(b'\n', &data[seen..*start]).count() as u64;
        seen = *start;
        let place = RecordPosition { record, line, offset: chunk.offset + *start as u64 };
        let last = start + raw.len() == data.len();
        let VisitScratch { row, extra, given, .. } = &mut *scratch;
        match parse(raw, last, header, limit, row) {
            Ok(()) => {
                let record = view(row, &columns, fields, (extra, given));
                visit(Item::Record(place.record(chunk.file, record)));
            }
            Err((at, words)) => visit(Item::Bad(place.problem(chunk, inputs, at, words))),
        }
    }
}

fn parse(
    raw: &[u8],
    last: bool,
    header: &CsvHeader,
    limit: usize,
    row: &mut Row,
) -> Result<(), (usize, String)> {
    // A quote can be left open at the end of the file only.
    let open = last && {
        let mut scanner = Scanner::new(header.delimiter);
        scanner.scan(raw, &mut Vec::new());
        scanner.is_quoted()
    };
    let ends = raw.iter().rev().take_while(|byte| !open && matches!(byte, b'\r' | b'\n')).count();
    if raw.len() - ends > limit {
        return Err((0, too_long_row(limit)));
    }
    if open {
        let message = "a quote is not closed before the end of the file; close it";
        return Err((0, message.to_string()));
    }
    let names = header.names.len();
    row.parse(raw, header.delimiter, names)
        .map_err(|at| (at, "invalid UTF-8 in this record; save the file as UTF-8".to_string()))?;
    if row.count != names {
        let fields = match row.count {
            1 => "1 field".to_string(),
            count => format!("{count} fields"),
        };
        return Err((
            0,
            format!("{fields} where the header names {names}; quote what needs quotes"),
        ));
    }
    Ok(())
}

fn view<'a>(
    row: &'a Row,
    columns: &[Option<usize>],
    fields: &Fields<'_>,
    (extra, given): (&'a mut Vec<FieldNumber>, &'a mut FieldTexts),
) -> RecordView<'a> {
    let field = |slot: usize| columns[slot].map(|column| Cow::Borrowed(row.get(column)));
    let value = |slot: usize| field(slot).and_then(non_empty);
    let content = match (value(fields.text), value(fields.html)) {
        (Some(text), _) => Content::Text(text),
        (None, Some(html)) => Content::Html(html),
        (None, None) => Content::Text(Cow::Borrowed("")),
    };
    fields.read_named(value, extra, given);
    RecordView {
        file: 0,
        record: 0,
        line: 0,
        id: value(fields.id),
        content,
        url: value(fields.url),
        title: value(fields.title),
        date: value(fields.date),
        extra,
        given,
    }
}
