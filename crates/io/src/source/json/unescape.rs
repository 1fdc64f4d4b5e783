//! Unescapes simple escapes of JSON strings.

/// Unescapes the inside of a string into a buffer. Returns whether all escapes are simple ones;
/// others, half pairs among them, are left to the parser.
pub(super) fn unescape(inner: &str, out: &mut String) -> bool {
    out.clear();
    let mut rest = inner;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        let (character, length) = match rest.as_bytes()[at + 1..] {
            [b'n', ..] => ('\n', 2),
            [b't', ..] => ('\t', 2),
            [b'r', ..] => ('\r', 2),
            [b'b', ..] => ('\u{8}', 2),
            [b'f', ..] => ('\u{c}', 2),
            [b'"', ..] => ('"', 2),
            [b'\\', ..] => ('\\', 2),
            [b'/', ..] => ('/', 2),
            [b'u', a, b, c, d, ..] => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                let code = [a, b, c, d]
                    .into_iter()
                    .try_fold(0, |code, byte| Some(code * 16 + digit(byte)?));
                match code.and_then(char::from_u32) {
                    Some(character) => (character, 6),
                    None => return false,
                }
            }
            _ => return false,
        };
        out.push(character);
        rest = &rest[at + length..];
    }
    out.push_str(rest);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The result of the parser, or none.
        #[test]
        fn strings_are_unescaped_as_the_parser_does(
            pieces in prop::collection::vec(
                prop_oneof![
                    "[a-zé\u{1f600} ]{0,9}",
                    r#"\\["\\/bfnrtq]"#,
                    r"\\u[0-9a-fA-F]{4}",
                    r"\\ud8[0-9a-f]{2}\\udc[0-9a-f]{2}",
                    r"\\u[0-9a-z+]{0,4}",
                ],
                0..9,
            ),
        ) {
            let inner = pieces.concat();
            let truth = serde_json::from_str::<String>(&format!("\"{inner}\""));
            let mut text = "what was there before".to_string();
            if unescape(&inner, &mut text) {
                prop_assert_eq!(Some(text), truth.ok());
            } else {
                prop_assert!(truth.is_err() || inner.contains("\\ud") || inner.contains("\\uD"));
            }
        }
    }
}
