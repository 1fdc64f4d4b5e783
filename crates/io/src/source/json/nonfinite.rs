//! `NaN`, `Infinity` and `-Infinity`, which are no JSON, but which Python and others write.

use std::borrow::Cow;

/// What stands for `NaN` and `Infinity` in a line for the parser: numbers of the same lengths.
const STAND_INS: [(&str, &str); 2] = [("NaN", "0e0"), ("Infinity", "0e000000")];

/// The line with numbers of the same lengths in place of such values; borrowed if it has none.
pub(super) fn finite(line: &str) -> Cow<'_, str> {
    let bytes = line.as_bytes();
    let mut out = Cow::Borrowed(line);
    let mut at = 0;
    while let Some(found) = memchr::memchr3(b'"', b'N', b'I', &bytes[at..]) {
        at += found;
        if bytes[at] == b'"' {
            at = end_of_string(bytes, at + 1);
            continue;
        }
        let is_here =
            |(name, _): &&(&str, &str)| line[at..].starts_with(name) && is_value(bytes, at, name);
        match STAND_INS.iter().find(is_here) {
            Some((name, number)) => {
                out.to_mut().replace_range(at..at + name.len(), number);
                at += name.len();
            }
            None => at += 1,
        }
    }
    out
}

/// Whether a number in the line for the parser stands for such a value.
pub(super) fn is_stand_in(raw: &str) -> bool {
    let raw = raw.strip_prefix('-').unwrap_or(raw);
    STAND_INS.iter().any(|(_, number)| *number == raw)
}

/// Whether a value is `NaN`: tables have it for missing numbers.
pub(super) fn is_nan(raw: &str) -> bool {
    raw == "NaN"
}

/// The offset behind a string whose inside begins here.
fn end_of_string(bytes: &[u8], mut at: usize) -> usize {
    while let Some(found) = memchr::memchr2(b'"', b'\\', bytes.get(at..).unwrap_or_default()) {
        at += found + 1;
        match bytes[at - 1] {
            b'"' => return at,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Whether a name is a value of its own: a separator is before and after it, blanks aside.
fn is_value(bytes: &[u8], at: usize, name: &str) -> bool {
    let signed = at > 0 && bytes[at - 1] == b'-' && name != "NaN";
    let before = bytes[..at - usize::from(signed)].trim_ascii_end().last();
    let after = bytes[at + name.len()..].trim_ascii_start().first();
    matches!(before, Some(b':' | b'[' | b',')) && matches!(after, Some(b',' | b']' | b'}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_python_are_numbers_of_the_same_length() {
        for (line, expected) in [
            (r#"{"a":NaN}"#, r#"{"a":0e0}"#),
            (
                r#"{"a": NaN , "b": -Infinity, "c":[Infinity,NaN ]}"#,
                r#"{"a": 0e0 , "b": -0e000000, "c":[0e000000,0e0 ]}"#,
            ),
            (r#"{"NaN":"NaN, Infinity \\\" NaN","b":1}"#, ""),
            (r#"{"a":NaNa,"b":xNaN,"c":-NaN,"d":NaN"e"}"#, ""),
            (r#"{NaN:1}"#, ""),
            (r#"{"a":"open NaN,"#, ""),
            (r#"{"a":"open \"#, ""),
            ("{\"a\":\"\u{e9}\",\"b\":NaN}", "{\"a\":\"\u{e9}\",\"b\":0e0}"),
            ("NaN", ""),
        ] {
            let expected = if expected.is_empty() { line } else { expected };
            assert_eq!(finite(line), expected);
            assert_eq!(finite(line).len(), line.len());
            assert_eq!(matches!(finite(line), Cow::Borrowed(_)), line == expected);
        }
    }
}
