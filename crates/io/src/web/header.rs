//! Header fields of WARC records and of HTTP messages: `Name: value` lines.

use std::borrow::Cow;

/// Where the header that starts the data ends: after its first blank line. `None` if there is none.
pub(crate) fn end(data: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'\n', data).find_map(|at| match &data[at + 1..] {
        [b'\n', ..] => Some(at + 2),
        [b'\r', b'\n', ..] => Some(at + 3),
        _ => None,
    })
}

/// The first line without its end, and the rest.
pub(crate) fn first_line(data: &[u8]) -> (&[u8], &[u8]) {
    let end = memchr::memchr(b'\n', data).map_or(data.len(), |at| at + 1);
    let (line, rest) = data.split_at(end);
    (line.trim_ascii_end(), rest)
}

/// The fields of header lines, in order, each with its folded lines. Lines that are none are skipped.
pub(crate) fn fields(header: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut rest = header;
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            let mut end = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
            while matches!(rest.get(end), Some(b' ' | b'\t')) {
                end += memchr::memchr(b'\n', &rest[end..]).map_or(rest.len() - end, |at| at + 1);
            }
            let (field, later) = rest.split_at(end);
            rest = later;
            if let Some(colon) = memchr::memchr(b':', field) {
                return Some((field[..colon].trim_ascii(), field[colon + 1..].trim_ascii()));
            }
        }
        None
    })
}

/// The value of the first field of this name, in any case, as written.
pub(crate) fn raw<'a>(header: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let wanted = |field: &(&[u8], &[u8])| field.0.eq_ignore_ascii_case(name.as_bytes());
    fields(header).find(wanted).map(|(_, value)| value)
}

/// The value of the first field of this name as text on one line: UTF-8, or else windows-1252.
pub(crate) fn text<'a>(header: &'a [u8], name: &str) -> Option<Cow<'a, str>> {
    let text = lookalike_text::decode_plain(raw(header, name)?, None).text;
    let folded = text.contains(['\r', '\n']);
    let unfolded = |text: &str| text.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    Some(if folded { unfolded(&text).into() } else { text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_ends_with_a_blank_line() {
        assert_eq!(end(b"A: b\r\n\r\nc"), Some(8));
        assert_eq!(end(b"A: b\nC: d\n\n\n"), Some(11));
        assert_eq!(end(b"A: b\n\r\nx"), Some(7));
        assert_eq!(end(b"A: b\r\nC: d\r\n"), None);
    }

    #[test]
    fn fields_are_found_in_any_case_and_unfolded() {
        let header = b"no field\r\nA-b : 1 \r\nC: x\r\n\t y\r\na-B: 2\r\nD:\r\nE: caf\xe9\r\n\r\n";
        assert_eq!(raw(header, "a-B"), Some(&b"1"[..]));
        assert_eq!(text(header, "c").as_deref(), Some("x y"));
        assert_eq!(raw(header, "d"), Some(&b""[..]));
        assert_eq!(text(header, "e").as_deref(), Some("caf\u{e9}"));
        assert_eq!(text(header, "f"), None);
        assert_eq!(fields(header).count(), 5);
    }
}
