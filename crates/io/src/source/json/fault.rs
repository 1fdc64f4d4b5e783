//! Messages for lines that are not a JSON object.

/// A syntax error: its offset in the line, and a message.
pub(crate) type Fault = (usize, String);

/// The fault for an error of the parser. `mark` is the length of the byte order mark before the
/// line.
pub(super) fn fault(error: &serde_json::Error, line: &str, mark: usize) -> Fault {
    let words = error.to_string();
    let mut column = mark + error.column();
    // serde_json reports a skipped value before the character, and a parsed one after it.
    if words.contains("control character") {
        let from = error.column().saturating_sub(1);
        let at = line.bytes().skip(from).position(|byte| byte < b' ');
        column = mark + from + at.map_or(1, |at| at + 1);
    }
    let message = match line.trim_ascii_start().bytes().next() {
        Some(b'[') => {
            "an array, not a JSON object; expected one object per line (jq -c '.[]' converts an \
             array)"
                .to_string()
        }
        _ if error.is_eof() => {
            "the line ends inside a JSON value: cut off, or an object over several lines (jq -c . \
             writes each on one line)"
                .to_string()
        }
        Some(first) if words.starts_with("invalid type") => {
            let kind = match first {
                b'"' => "a string",
                b'n' => "null",
                b't' | b'f' => "true or false",
                _ => "a number",
            };
            format!("{kind}, not a JSON object; expected one object per line")
        }
        Some(first) if first != b'{' => format!(
            "invalid JSON at column {column}: not an object in braces; expected one object per line, \
             or another format with the setting input_format"
        ),
        _ => {
            // All errors in skipped values have the same message.
            let at = line.as_bytes().get(error.column().wrapping_sub(1));
            let words = match at {
                Some(b']') if words.contains("expected value") => "trailing comma",
                Some(b'}') if words.contains("key must be a string") => "trailing comma",
                _ => &words,
            };
            format!("invalid JSON at column {column}: {}", plain(words))
        }
    };
    (column.saturating_sub(1), message)
}

/// A message of the parser in plain words, with a remedy.
fn plain(words: &str) -> &str {
    /// Parts of serde_json's messages, and our messages for them.
    const MEANINGS: &[(&str, &str)] = &[
        ("control character", "control character in a string; write it as an escape such as \\n"),
        // Other messages about half pairs depend on the bytes that follow.
        ("hex escape", "half of a surrogate pair in an escape; write both halves or neither"),
        ("unicode code point", "an escape that is no Unicode character; remove it"),
        ("invalid escape", "an unknown escape; write a backslash as \\\\"),
        ("key must be a string", "a member name that is not in double quotes; quote it"),
        ("expected `:`", "no colon after a member name; add it"),
        ("expected `,` or", "neither a comma nor the end after a value; look for a missing quote"),
        ("trailing comma", "a comma after the last value; remove it"),
        (
            "trailing characters",
            "trailing data after the JSON object; expected one object per line",
        ),
        ("invalid number", "invalid number; write 0.5, not .5 or 00.5"),
        ("expected ident", "unknown word; only true, false and null are written without quotes"),
        ("expected value", "not a JSON value; write null for NaN, None and undefined"),
    ];
    let known = MEANINGS.iter().find(|(part, _)| words.contains(part));
    known.map_or(words, |(_, meaning)| meaning)
}
