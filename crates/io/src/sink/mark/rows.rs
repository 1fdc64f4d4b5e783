//! Marks in CSV and TSV rows.

use super::{FIELDS, MarkNames, Refusal};
use crate::Mark;
use crate::source::CsvHeader;
use std::borrow::Cow;

/// Appends the header with the names at its end to `out`.
pub(in crate::sink) fn push_marked_header(
    header: &CsvHeader,
    names: &MarkNames,
    out: &mut Vec<u8>,
) -> Result<(), Refusal> {
    let names = names.all();
    if let Some(name) = header.names.iter().find(|name| names.contains(&name.as_str())) {
        return Err(Refusal::Taken(name.clone()));
    }
    push_row(&header.raw, names, header.delimiter, out);
    Ok(())
}

/// Appends `raw` with the columns at its end to `out`.
pub(in crate::sink) fn push_marked(raw: &[u8], delimiter: u8, mark: &Mark<'_>, out: &mut Vec<u8>) {
    let fields = texts(mark);
    push_row(raw, fields.each_ref().map(AsRef::as_ref), delimiter, out);
}

/// The fields of a mark in their order, as text; empty for missing values.
pub(in crate::sink) fn texts<'a>(mark: &Mark<'a>) -> [Cow<'a, str>; FIELDS] {
    let number = |number: Option<String>| Cow::Owned(number.unwrap_or_default());
    [
        Cow::Borrowed(mark.duplicate_of.unwrap_or_default()),
        Cow::Borrowed(mark.duplicate_of_file.unwrap_or_default()),
        number(mark.duplicate_of_record.map(|record| record.to_string())),
        number(mark.resemblance.map(|value| value.to_string())),
        number(mark.cluster.map(|cluster| cluster.to_string())),
        Cow::Borrowed(if mark.is_duplicate { "true" } else { "false" }),
        number(mark.duplicates.map(|duplicates| duplicates.to_string())),
    ]
}

fn push_row(raw: &[u8], fields: [&str; FIELDS], delimiter: u8, out: &mut Vec<u8>) {
    // An unquoted field holds no line ends and a quoted one ends with its quote, so whatever line
    // ends stand last are the row's.
    let end =
        raw.iter().rposition(|byte| !matches!(byte, b'\r' | b'\n')).map_or(0, |last| last + 1);
    out.extend_from_slice(&raw[..end]);
    for field in fields {
        out.push(delimiter);
        push_field(field, delimiter, out);
    }
    out.extend_from_slice(&raw[end..]);
}

/// A field, in quotes where it needs them.
fn push_field(field: &str, delimiter: u8, out: &mut Vec<u8>) {
    let plain =
        |byte: &u8| *byte != delimiter && !matches!(*byte, b'"' | b'\r' | b'\n' | b',' | b'\t');
    if field.as_bytes().iter().all(plain) {
        out.extend_from_slice(field.as_bytes());
        return;
    }
    out.push(b'"');
    out.extend_from_slice(field.replace('"', "\"\"").as_bytes());
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

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
        };
        let mut out = Vec::new();
        push_marked(b"1,\"x\n\"\r\n", b',', &mark, &mut out);
        assert_eq!(out, b"1,\"x\n\",\"say \"\"a\"\", b\",\"a,b.csv\",7,1,4,true,2\r\n");
        out.clear();
        let none = Mark::default();
        push_marked(b"1\t2", b'\t', &none, &mut out);
        assert_eq!(out, b"1\t2\t\t\t\t\t\tfalse\t");
    }

    #[test]
    fn a_header_with_one_of_the_names_is_refused() {
        let header = |raw: &str| CsvHeader {
            raw: raw.as_bytes().to_vec(),
            names: raw.trim_end().split(',').map(Into::into).collect(),
            delimiter: b',',
        };
        let mut out = Vec::new();
        let taken = push_marked_header(&header("id,cluster\n"), &MarkNames::default(), &mut out);
        assert_eq!(taken, Err(Refusal::Taken("cluster".into())));
        push_marked_header(&header("id,cluster\n"), &MarkNames::new("x_"), &mut out).unwrap();
        assert_eq!(out, b"id,cluster,x_duplicate_of,x_duplicate_of_file,x_duplicate_of_record,x_resemblance,x_cluster,x_is_duplicate,x_duplicates\n");
    }
}
