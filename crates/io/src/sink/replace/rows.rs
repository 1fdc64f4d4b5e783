//! Texts in CSV and TSV rows.

use super::Replaced;
use crate::Replacement;
use crate::sink::mark::rows::push_field;
use crate::source::CsvHeader;
use crate::source::csv_row::Row;

/// Appends `raw`, with another value of a column, to `out`; `false`, and nothing appended, if the column
/// does not have the text, or if the row cannot hold the new one.
pub(crate) fn push_replaced(
    raw: &[u8],
    header: &CsvHeader,
    field: Replaced<'_>,
    text: Replacement<'_>,
    out: &mut Vec<u8>,
) -> bool {
    // Rows have no lists.
    let Replaced::Text(field) = field else { return false };
    let (dialect, columns) = (header.dialect, header.names.len());
    let Some(column) = header.names.iter().position(|name| name == field) else { return false };
    let (mut before, mut after) = (Row::default(), Row::default());
    let Some(place) = before.place(raw, dialect, column) else { return false };
    let is_whole = before.parse(raw, dialect, columns).is_ok() && before.count == columns;
    if !is_whole || before.get(column) != text.old {
        return false;
    }
    let start = out.len();
    out.extend_from_slice(&raw[..place.start]);
    push_field(text.new, dialect, out);
    out.extend_from_slice(&raw[place.end..]);
    let is_read_so = after.parse(&out[start..], dialect, columns).is_ok()
        && after.count == columns
        && (0..columns).all(|at| match at == column {
            true => after.get(at) == text.new,
            false => after.get(at) == before.get(at),
        });
    if !is_read_so {
        out.truncate(start);
    }
    is_read_so
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::CsvDialect;

    fn replaced(raw: &str, dialect: CsvDialect, old: &str, new: &str) -> Option<String> {
        let names = ["id", "text", "n"].map(str::to_owned).to_vec();
        let header = CsvHeader { raw: Vec::new(), names, dialect };
        let mut out = Vec::new();
        let text = Replacement { old, new };
        let is_done =
            push_replaced(raw.as_bytes(), &header, Replaced::Text("text"), text, &mut out);
        is_done.then(|| String::from_utf8(out).unwrap())
    }

    #[test]
    fn one_column_is_replaced_and_nothing_else() {
        let csv = |raw: &str, old: &str, new: &str| replaced(raw, CsvDialect::CSV, old, new);
        let of = |text: &str| Some(text.to_owned());
        assert_eq!(csv("1,old,\"x,\"\r\n", "old", "new"), of("1,new,\"x,\"\r\n"));
        assert_eq!(csv("1,\"o\"\"ld\n\",3\n", "o\"ld\n", "a, \"b\""), of("1,\"a, \"\"b\"\"\",3\n"));
        assert_eq!(csv("1,old,", "old", ""), of("1,,"));
        assert_eq!(csv("1,old,3", "other", ""), None);
        assert_eq!(csv("1", "", "x"), None);
        let tsv = |raw: &str, old: &str, new: &str| replaced(raw, CsvDialect::TSV, old, new);
        assert_eq!(tsv("1\ta \"b\"\t3\n", "a \"b\"", "\"b\""), of("1\t\"b\"\t3\n"));
        // A row without quotes cannot hold a tab.
        assert_eq!(tsv("1\told\t3\n", "old", "a\tb"), None);
    }
}
