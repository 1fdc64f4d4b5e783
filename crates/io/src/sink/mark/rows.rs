//! Marks in CSV and TSV rows.

use super::{MarkNames, Refusal};
use crate::MarkValue;
use crate::input::CsvDialect;
use crate::source::CsvHeader;
use std::borrow::Cow;

/// Appends the header with the names at its end to `out`.
pub(crate) fn push_marked_header(
    header: &CsvHeader,
    names: &MarkNames,
    out: &mut Vec<u8>,
) -> Result<(), Refusal> {
    if let Some(name) = header.names.iter().find(|name| names.has(name)) {
        return Err(Refusal::Taken(name.clone()));
    }
    push_row(&header.raw, names.names(), header.dialect, out);
    Ok(())
}

/// Appends `raw` with the columns at its end to `out`.
pub(crate) fn push_marked(
    raw: &[u8],
    dialect: CsvDialect,
    mark: &[MarkValue<'_>],
    out: &mut Vec<u8>,
) {
    push_row(raw, texts(mark), dialect, out);
}

/// The fields of a mark in their order, as text; empty for missing values.
pub(crate) fn texts<'a>(mark: &[MarkValue<'a>]) -> impl Iterator<Item = Cow<'a, str>> {
    mark.iter().map(|value| match *value {
        MarkValue::Missing => Cow::Borrowed(""),
        MarkValue::Text(text) => Cow::Borrowed(text),
        MarkValue::Count(count) => Cow::Owned(count.to_string()),
        MarkValue::Ratio(ratio) => Cow::Owned(ratio.to_string()),
        MarkValue::Flag(flag) => Cow::Borrowed(if flag { "true" } else { "false" }),
    })
}

fn push_row(
    raw: &[u8],
    fields: impl Iterator<Item: AsRef<str>>,
    dialect: CsvDialect,
    out: &mut Vec<u8>,
) {
    let end = dialect.end_of_row(raw);
    out.extend_from_slice(&raw[..end]);
    for field in fields {
        out.push(dialect.delimiter);
        push_field(field.as_ref(), dialect, out);
    }
    out.extend_from_slice(&raw[end..]);
}

/// A field, in quotes where it needs them. Without quotes, what would end the field is escaped, or a
/// space in its place.
pub(crate) fn push_field(field: &str, dialect: CsvDialect, out: &mut Vec<u8>) {
    let CsvDialect { delimiter, quote, escape } = dialect;
    let special = |byte: u8| {
        [Some(delimiter), quote, escape].contains(&Some(byte))
            || matches!(byte, b'\r' | b'\n' | b',' | b'\t' if quote.is_some() || byte != b',')
    };
    if !field.bytes().any(special) {
        out.extend_from_slice(field.as_bytes());
        return;
    }
    out.extend(quote);
    for byte in field.bytes() {
        match (quote, escape) {
            (Some(quote), escape) if byte == quote || Some(byte) == escape => {
                out.extend([escape.unwrap_or(quote), byte]);
            }
            (None, Some(escape)) if special(byte) => out.extend([escape, byte]),
            (None, None) if special(byte) => out.push(b' '),
            _ => out.push(byte),
        }
    }
    out.extend(quote);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mark;

    #[test]
    fn columns_go_before_the_line_end_and_are_quoted_where_needed() {
        let mark = Mark {
            duplicate_of: Some("say \"a\", b"),
            duplicate_of_file: Some("a,b.csv"),
            duplicate_of_record: Some(7),
            resemblance: Some(1.0),
            cluster: Some(4),
            is_duplicate: true,
            duplicates: Some(2),
        }
        .values();
        let mut out = Vec::new();
        push_marked(b"1,\"x\n\"\r\n", CsvDialect::CSV, &mark, &mut out);
        assert_eq!(out, b"1,\"x\n\",\"say \"\"a\"\", b\",\"a,b.csv\",7,1,4,true,2\r\n");
        out.clear();
        let none = Mark::default().values();
        push_marked(b"1\t2", CsvDialect::TSV, &none, &mut out);
        assert_eq!(out, b"1\t2\t\t\t\t\t\tfalse\t");
        let field = |text: &str, quote, escape| {
            let mut out = Vec::new();
            push_field(text, CsvDialect { delimiter: b';', quote, escape }, &mut out);
            String::from_utf8(out).unwrap()
        };
        let hard = "a\"b;c\\d\ne";
        assert_eq!(field(hard, Some(b'"'), None), "\"a\"\"b;c\\d\ne\"");
        assert_eq!(field(hard, Some(b'"'), Some(b'\\')), "\"a\\\"b;c\\\\d\ne\"");
        assert_eq!(field(hard, None, Some(b'\\')), "a\"b\\;c\\\\d\\\ne");
        assert_eq!(field(hard, None, None), "a\"b c\\d e");
        assert_eq!(field("a,b", None, None), "a,b");
        // An escaped line end is a part of the last field.
        let escaped = CsvDialect { escape: Some(b'\\'), ..CsvDialect::TSV };
        let mut out = Vec::new();
        push_row(b"a\\\n\n", ["b"; 7].into_iter(), escaped, &mut out);
        assert_eq!(out, b"a\\\n\tb\tb\tb\tb\tb\tb\tb\n");
        assert_eq!(escaped.end_of_row(b"a\\\\\r\n"), 3);
    }

    #[test]
    fn a_header_with_one_of_the_names_is_refused() {
        let header = |raw: &str| CsvHeader {
            raw: raw.as_bytes().to_vec(),
            names: raw.trim_end().split(',').map(Into::into).collect(),
            dialect: CsvDialect::CSV,
        };
        let mut out = Vec::new();
        let taken = push_marked_header(&header("id,cluster\n"), &MarkNames::default(), &mut out);
        assert_eq!(taken, Err(Refusal::Taken("cluster".into())));
        push_marked_header(&header("id,cluster\n"), &MarkNames::new("x_"), &mut out).unwrap();
        assert_eq!(out, b"id,cluster,x_duplicate_of,x_duplicate_of_file,x_duplicate_of_record,x_resemblance,x_cluster,x_is_duplicate,x_duplicates\n");
    }
}
