//! Tables as tab-separated values.

use std::io::Write;

use super::value::{parse_count, parse_ratio};
use super::{Cell, Column, ColumnKind, Value};

/// Marks empty text, because an empty field is a missing value.
const EMPTY_TEXT: &str = r"\e";

pub(super) fn push_header(columns: &[Column], out: &mut Vec<u8>) {
    for (index, column) in columns.iter().enumerate() {
        if index > 0 {
            out.push(b'\t');
        }
        push_text(column.name, out);
    }
    out.push(b'\n');
}

/// Appends a row; its cells fit their columns.
pub(super) fn push_row(row: &[Cell<'_>], out: &mut Vec<u8>) {
    for (index, cell) in row.iter().enumerate() {
        if index > 0 {
            out.push(b'\t');
        }
        match cell {
            Cell::Text("") => out.extend_from_slice(EMPTY_TEXT.as_bytes()),
            Cell::Text(text) => push_text(text, out),
            Cell::Count(count) => push_display(count, out),
            Cell::Ratio(ratio) if ratio.is_finite() => push_display(ratio, out),
            Cell::Ratio(_) | Cell::Null => {}
        }
    }
    out.push(b'\n');
}

fn push_display(value: &impl std::fmt::Display, out: &mut Vec<u8>) {
    // Writing to a vector does not fail.
    let _ = write!(out, "{value}");
}

/// Appends text, with `\t`, `\n`, `\r` and `\\` for the characters that would break a line.
pub(crate) fn push_text(text: &str, out: &mut Vec<u8>) {
    for byte in text.bytes() {
        match byte {
            b'\t' => out.extend_from_slice(br"\t"),
            b'\n' => out.extend_from_slice(br"\n"),
            b'\r' => out.extend_from_slice(br"\r"),
            b'\\' => out.extend_from_slice(br"\\"),
            byte => out.push(byte),
        }
    }
}

/// The text that `push_text` wrote.
pub(super) fn parse_text(field: &str) -> Result<String, String> {
    let mut text = String::with_capacity(field.len());
    let mut rest = field.chars();
    while let Some(character) = rest.next() {
        text.push(match character {
            '\\' => match rest.next() {
                Some('t') => '\t',
                Some('n') => '\n',
                Some('r') => '\r',
                Some('\\') => '\\',
                _ => return Err(format!("`{field}` has an unknown backslash escape")),
            },
            character => character,
        });
    }
    Ok(text)
}

/// The value of a field of a known kind.
pub(super) fn parse_field(field: &str, kind: ColumnKind) -> Result<Value, String> {
    if field.is_empty() {
        return Ok(Value::Null);
    }
    let not_a_number = || format!("`{field}` is not a number");
    match kind {
        ColumnKind::Text if field == EMPTY_TEXT => Ok(Value::Text(String::new())),
        ColumnKind::Text => parse_text(field).map(Value::Text),
        ColumnKind::Count => parse_count(field).ok_or_else(not_a_number),
        ColumnKind::Ratio => parse_ratio(field).ok_or_else(not_a_number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_one_line_whatever_its_text() {
        let mut out = Vec::new();
        let row = [
            Cell::Text("a\tb\r\nc\\"),
            Cell::Text(""),
            Cell::Null,
            Cell::Count(7),
            Cell::Ratio(0.8),
            Cell::Ratio(1.0),
            Cell::Ratio(f64::NAN),
        ];
        push_row(&row, &mut out);
        assert_eq!(out, b"a\\tb\\r\\nc\\\\\t\\e\t\t7\t0.8\t1\t\n");
    }

    #[test]
    fn a_lone_backslash_is_an_error() {
        assert!(parse_field("a\\", ColumnKind::Text).is_err());
        assert!(parse_field("\\x", ColumnKind::Text).is_err());
        assert_eq!(parse_field("\\\\e", ColumnKind::Text), Ok(Value::Text("\\e".into())));
    }
}
