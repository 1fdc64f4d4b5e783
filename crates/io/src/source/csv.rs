//! Parses CSV and TSV rows into records.
//!
//! An empty field is a missing value: CSV cannot distinguish the two.

use std::borrow::Cow;

use crate::{Content, FieldNumber, FieldTexts, Inputs, Item, RecordView};

use super::csv_row::{Row, RowFault};
use super::fields::{Fields, non_empty};
use super::position::{RecordPosition, bare};
use super::row_scanner::{Scanner, line_ends, too_long_row};
use super::scratch::VisitScratch;
use super::sections::Sections;
use super::{Chunk, CsvHeader};
use crate::input::CsvDialect;

/// The names in a header.
pub(crate) fn names(raw: &[u8], dialect: CsvDialect) -> Result<Vec<String>, String> {
    let mut row = Row::default();
    row.parse(raw, dialect, usize::MAX).map_err(|fault| match fault {
        RowFault::Encoding(_) => "the header is not UTF-8; save the file as UTF-8".to_string(),
        RowFault::AfterQuote { backslash, .. } => {
            format!("the header has {}", after_quote(backslash))
        }
        RowFault::Backslash(_) => format!("the header has {}", before_quote()),
    })?;
    Ok((0..row.count).map(|index| row.get(index).to_string()).collect())
}

/// Whether a header in this dialect has one of these columns.
pub(crate) fn has_column(raw: &[u8], dialect: CsvDialect, columns: &[&str]) -> bool {
    let has = |name: &String| columns.contains(&name.as_str());
    names(raw, dialect).is_ok_and(|names| names.iter().any(has))
}

/// The message for a field without quotes that has an escaped one.
fn before_quote() -> String {
    "a backslash before a quote in a field without quotes; if quotes are escaped by backslashes, as \
     Spark writes them, give the setting csv_escape='\\'; if they are text, csv_quote=none"
        .to_string()
}

/// The message for a field that goes on after its closing quote.
fn after_quote(backslash: bool) -> String {
    match backslash {
        true => "text after a closing quote, which a backslash precedes; if quotes are escaped by \
                 backslashes, as Spark writes them, give the setting csv_escape='\\'"
            .to_string(),
        false => {
            "text after a closing quote; double the quotes inside of a field, or read quotes as \
                  text with the setting csv_quote=none"
                .to_string()
        }
    }
}

/// Parses the rows of a chunk.
pub(crate) fn visit(
    chunk: &Chunk,
    (data, starts, header): (&[u8], &[usize], &CsvHeader),
    inputs: &Inputs,
    fields: &Fields<'_>,
    scratch: &mut VisitScratch,
    wanted: &dyn Fn(u32, u32) -> bool,
    visit: &mut dyn FnMut(Item<'_>),
) {
    let columns = fields.columns(&header.names);
    let limit = inputs.options.max_record();
    let mut seen = 0;
    let mut line = chunk.first_line;
    for ((record, raw), start) in chunk.raw_records().zip(starts) {
        line += line_ends(&data[seen..*start]);
        seen = *start;
        if !wanted(chunk.file, record) {
            continue;
        }
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
        let mut scanner = Scanner::new(header.dialect);
        scanner.scan(raw, &mut Vec::new());
        scanner.is_quoted()
    };
    let ends = raw.iter().rev().take_while(|byte| !open && matches!(byte, b'\r' | b'\n')).count();
    if raw.len() - ends > limit {
        return Err((0, too_long_row(limit)));
    }
    if open {
        let lines = match line_ends(raw.trim_ascii_end()) {
            0 => String::new(),
            1 => "; the line after it is part of this record".to_string(),
            lines => format!("; the {lines} lines after it are part of this record"),
        };
        let message = format!(
            "a quote is not closed before the end of the file{lines}; close it, or read quotes as \
             text with the setting csv_quote=none"
        );
        return Err((0, message));
    }
    let names = header.names.len();
    row.parse(raw, header.dialect, names).map_err(|fault| match fault {
        RowFault::Encoding(at) => {
            (at, "invalid UTF-8 in this record; save the file as UTF-8".to_string())
        }
        RowFault::AfterQuote { at, backslash } => (at, after_quote(backslash)),
        RowFault::Backslash(at) => (at, before_quote()),
    })?;
    if row.count != names {
        return Err((0, other_count(raw, row.count, header)));
    }
    Ok(())
}

/// The message for a row with another number of fields than the header has.
fn other_count(raw: &[u8], count: usize, header: &CsvHeader) -> String {
    let CsvDialect { delimiter, quote, escape } = header.dialect;
    let names = header.names.len();
    let fields = match count {
        1 => "1 field".to_string(),
        count => format!("{count} fields"),
    };
    let starts = std::iter::once(0).chain(memchr::memchr_iter(delimiter, raw).map(|at| at + 1));
    let is_quoted = || starts.into_iter().any(|start| raw.get(start) == Some(&b'"'));
    let has_backslash = || memchr::memmem::find(raw, b"\\\"").is_some();
    let remedy = match quote {
        None if is_quoted() => "if fields are quoted, give the setting csv_quote='\"'",
        None => {
            "replace delimiters and line ends in fields by spaces, or quote the fields and give \
                 the setting csv_quote='\"'"
        }
        Some(_) if escape.is_none() && has_backslash() => {
            "if quotes are escaped by backslashes, give the setting csv_escape='\\'; otherwise quote \
             what needs quotes"
        }
        Some(_) => "quote what needs quotes",
    };
    format!("{fields} where the header names {names}; {remedy}")
}

fn view<'a>(
    row: &'a Row,
    columns: &[Option<usize>],
    fields: &Fields<'_>,
    (extra, given): (&'a mut Vec<FieldNumber>, &'a mut FieldTexts),
) -> RecordView<'a> {
    let field = |slot: usize| columns[slot].map(|column| Cow::Borrowed(row.get(column)));
    let value = |slot: usize| field(slot).and_then(non_empty);
    let joined = || {
        let mut sections = Sections::default();
        let texts = fields.sections.iter().filter_map(|(slot, _)| value(*slot));
        texts.for_each(|text| sections.push(&text));
        sections.into_text().filter(|_| columns[fields.text].is_none())
    };
    let content = match (value(fields.text), value(fields.html)) {
        _ if fields.given_as_content => Content::Text(Cow::Borrowed("")),
        (Some(text), _) => Content::Text(text),
        _ if let Some(text) = joined() => Content::Text(Cow::Owned(text)),
        (None, Some(html)) => Content::Html(html),
        (None, None) => Content::Text(Cow::Borrowed("")),
    };
    fields.read_named(value, extra, given);
    RecordView {
        id: value(fields.id),
        url: value(fields.url),
        title: value(fields.title),
        date: value(fields.date),
        extra,
        given,
        ..bare(content)
    }
}
