//! A mail message with a header field for its verdict.

use lookalike::filter::is_mail_field;

/// The message with the field before its own, after a separator line of an mbox, and without the fields
/// of this name that it had: somebody else wrote them. Bytes that do not start with a header field are left
/// as they are.
pub(super) fn with_field(raw: &[u8], name: &str, value: &str) -> Vec<u8> {
    let lines = || raw.split_inclusive(|byte| *byte == b'\n');
    let before: usize = lines()
        .take_while(|line| line.starts_with(b"From ") || line.starts_with(b">From "))
        .map(<[u8]>::len)
        .sum();
    let header = &raw[before..];
    let Some(first) = header.split_inclusive(|byte| *byte == b'\n').next() else {
        return raw.to_vec();
    };
    if field_name(first).is_none() {
        return raw.to_vec();
    }
    let end = if first.ends_with(b"\r\n") { "\r\n" } else { "\n" };
    let mut out = raw[..before].to_vec();
    out.extend_from_slice(format!("{name}: {value}{end}").as_bytes());
    let (mut at, mut is_dropped) = (before, false);
    for line in header.split_inclusive(|byte| *byte == b'\n') {
        if matches!(line, b"\n" | b"\r\n") {
            break;
        }
        at += line.len();
        if !line.starts_with(b" ") && !line.starts_with(b"\t") {
            is_dropped = field_name(line).is_some_and(|field| is_mail_field(field, name));
        }
        if !is_dropped {
            out.extend_from_slice(line);
        }
    }
    out.extend_from_slice(&raw[at..]);
    out
}

/// The name of a header field at the start of a line.
fn field_name(line: &[u8]) -> Option<&[u8]> {
    let end = line.iter().position(|byte| *byte == b':')?;
    let name = line[..end].trim_ascii_end();
    (!name.is_empty() && name.iter().all(u8::is_ascii_graphic)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_goes_before_the_header() {
        for (raw, expected) in [
            ("A: b\n\nc\n", "X: spam\nA: b\n\nc\n"),
            ("A: b\r\n c\r\n\r\nd", "X: spam\r\nA: b\r\n c\r\n\r\nd"),
            ("From a\nA: b\n\nX: c\n", "From a\nX: spam\nA: b\n\nX: c\n"),
            (">From a\nA: b\n", ">From a\nX: spam\nA: b\n"),
            ("x : ham\n more\nA: b\nX: ham\n\nc", "X: spam\nA: b\n\nc"),
            ("A: b", "X: spam\nA: b"),
            ("no header\n", "no header\n"),
            ("\nA: b\n", "\nA: b\n"),
            ("", ""),
        ] {
            let marked = with_field(raw.as_bytes(), "X", "spam");
            assert_eq!(String::from_utf8(marked).unwrap(), expected, "{raw:?}");
        }
        // Bytes of no charset.
        assert_eq!(with_field(b"A: \xff\n\n\0\xfe", "X", "y"), b"X: y\nA: \xff\n\n\0\xfe");
    }
}
