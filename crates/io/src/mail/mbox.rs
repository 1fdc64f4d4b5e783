//! The mbox format (RFC 4155; mboxo and mboxrd): messages one after the other.
//!
//! A message starts with a *separator line*, which starts with `From `, at the start of the file or
//! after a blank line. Lines of a message that would look like one are quoted: with a `>` before
//! `From ` (mboxo), or before any number of `>` and `From ` (mboxrd). One `>` is removed in the
//! text that is compared. Files that give lengths instead (mboxcl) are read as mboxo.

use memchr::memmem;

/// Start of a separator line.
pub(crate) const SEPARATOR: &[u8] = b"From ";

/// The first separator line that starts at `from` or later. What precedes `from` belongs to the
/// data: it decides whether a blank line precedes.
pub(crate) fn separator(data: &[u8], from: usize) -> Option<usize> {
    if from == 0 && data.starts_with(SEPARATOR) {
        return Some(0);
    }
    let start = from.saturating_sub(1);
    memmem::find_iter(data.get(start..)?, b"\nFrom ")
        .map(|at| start + at + 1)
        .find(|line| ends_blank(&data[..*line]))
}

/// Whether the last line is blank: empty, of line ends LF or CR LF.
fn ends_blank(data: &[u8]) -> bool {
    matches!(data, [.., b'\n', b'\n'] | [.., b'\n', b'\r', b'\n'] | [b'\n'] | [b'\r', b'\n'])
}

/// A message with the blank line after it, without its separator line.
pub(crate) fn after_separator(raw: &[u8]) -> &[u8] {
    match raw.starts_with(SEPARATOR) {
        true => memchr::memchr(b'\n', raw).map_or(&[], |at| &raw[at + 1..]),
        false => raw,
    }
}

/// A message without its separator line and the blank line after it.
pub(crate) fn message(raw: &[u8]) -> &[u8] {
    let message = after_separator(raw);
    match message {
        [inner @ .., b'\r', b'\n'] if inner.ends_with(b"\n") => inner,
        [inner @ .., b'\n'] if inner.ends_with(b"\n") => inner,
        _ => message,
    }
}

/// Removes the quoting of lines that start with `From `. Returns whether there are any; if not,
/// `out` is unchanged.
pub(crate) fn unquote(message: &[u8], out: &mut Vec<u8>) -> bool {
    // The first byte starts a header, which is not quoted.
    let quoted = |at: &usize| {
        let line = message[..*at].iter().rposition(|byte| *byte != b'>');
        line.is_some_and(|end| message[end] == b'\n')
    };
    let mut places = memmem::find_iter(message, b">From ").filter(quoted).peekable();
    if places.peek().is_none() {
        return false;
    }
    out.clear();
    out.reserve(message.len());
    let mut copied = 0;
    for at in places {
        out.extend_from_slice(&message[copied..at]);
        copied = at + 1;
    }
    out.extend_from_slice(&message[copied..]);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_are_found_after_blank_lines_only() {
        let starts = |data: &[u8]| {
            let (mut at, mut found) = (0, Vec::new());
            while let Some(start) = separator(data, at) {
                found.push(start);
                at = start + 1;
            }
            found
        };
        assert_eq!(starts(b"From a\nx\n\nFrom b\nFrom c\n\n>From d\n\r\nFrom e"), [0, 10, 35]);
        assert_eq!(starts(b"\nFrom a\n"), [1]);
        assert_eq!(starts(b"\r\n\r\nFrom a\n"), [4]);
        assert_eq!(starts(b"x\nFrom a\nFroma\n\nFrom\n"), [0; 0]);
        assert_eq!(starts(b""), [0; 0]);
        // From any place on, the same separators are found.
        let data = b"From a\nx\n\nFrom b\n\nFrom c";
        for from in 0..data.len() {
            assert_eq!(separator(data, from), [0, 10, 18].into_iter().find(|at| *at >= from));
        }
    }

    #[test]
    fn quoting_is_undone_by_one_level() {
        let mut out = vec![7];
        assert!(!unquote(b"a >From b\n> >From c\n>Fromage", &mut out));
        assert_eq!(out, [7]);
        assert!(unquote(b"a: b\n\n>From c\n>>From d\n>>>From e >From\nx", &mut out));
        assert_eq!(out, b"a: b\n\nFrom c\n>From d\n>>From e >From\nx");
    }

    #[test]
    fn a_message_ends_before_the_blank_line_that_separates() {
        for (raw, expected) in [
            (&b"From a\nb: c\n\nd\n\n"[..], &b"b: c\n\nd\n"[..]),
            (b"From a\r\nb: c\r\n\r\nd\r\n\r\n", b"b: c\r\n\r\nd\r\n"),
            (b"From a\nb: c\n\nd\n", b"b: c\n\nd\n"),
            (b"From a\nb: c\n\nd", b"b: c\n\nd"),
            (b"From a", b""),
            (b"b: c\n", b"b: c\n"),
        ] {
            assert_eq!(message(raw), expected);
        }
    }
}
