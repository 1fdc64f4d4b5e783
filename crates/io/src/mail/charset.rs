//! Charsets of text parts.

use std::borrow::Cow;
use std::convert::Infallible;

use mail_parser::decoders::charsets::map::charset_decoder;

use crate::guard::guarded;

/// Decodes text in a charset (RFC 2046, section 4.1.2). Without a known charset, text is UTF-8 if
/// it can be, and otherwise windows-1252: that is what mail clients of the time assumed.
pub(super) fn decode<'a>(bytes: &'a [u8], charset: Option<&str>) -> Cow<'a, str> {
    let charset = charset.map(str::trim).filter(|name| !name.is_empty());
    let utf8 = charset.is_some_and(is_utf8);
    match charset.filter(|name| !utf8 && !is_ascii(name)) {
        Some(name) => decoded(bytes, name).map_or_else(|| unknown(bytes), Cow::Owned),
        None if utf8 => String::from_utf8_lossy(without_mark(bytes)),
        None => unknown(bytes),
    }
}

/// Whether text that is valid UTF-8 is read as UTF-8 in this charset.
pub(super) fn is_unicode_or_unknown(charset: Option<&str>) -> bool {
    charset.map(str::trim).is_none_or(|name| is_utf8(name) || is_ascii(name))
}

fn unknown(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(without_mark(bytes)) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(windows_1252(bytes)),
    }
}

/// Decodes windows-1252, of which every byte is a character.
pub(super) fn windows_1252(bytes: &[u8]) -> String {
    decoded(bytes, "windows-1252").unwrap_or_else(|| String::from_utf8_lossy(bytes).into_owned())
}

/// Decodes a charset by name; `None` if it is unknown, or the decoder panics.
fn decoded(bytes: &[u8], charset: &str) -> Option<String> {
    let decoder = charset_decoder(charset.as_bytes())?;
    guarded(|| Ok::<_, Infallible>(decoder(bytes))).ok()
}

fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

fn is_utf8(name: &str) -> bool {
    name.eq_ignore_ascii_case("utf-8") || name.eq_ignore_ascii_case("utf8")
}

fn is_ascii(name: &str) -> bool {
    name.eq_ignore_ascii_case("us-ascii") || name.eq_ignore_ascii_case("ascii")
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn charsets_are_decoded() {
        for (bytes, charset, expected) in [
            (&b"caf\xe9"[..], Some("iso-8859-1"), "caf\u{e9}"),
            (b"caf\xe9", Some("US-ASCII"), "caf\u{e9}"),
            (b"caf\xe9", None, "caf\u{e9}"),
            (b"caf\xc3\xa9", None, "caf\u{e9}"),
            (b"\xef\xbb\xbfcaf\xc3\xa9", Some("UTF-8"), "caf\u{e9}"),
            (b"caf\xe9", Some("utf-8"), "caf\u{fffd}"),
            (b"\xf0\xd2\xc9", Some("KOI8-R"), "\u{41f}\u{440}\u{438}"),
            (b"\x83n", Some("shift_jis"), "\u{30cf}"),
            (b"caf\xe9", Some("x-unknown"), "caf\u{e9}"),
            (b"caf\xe9", Some(" "), "caf\u{e9}"),
        ] {
            assert_eq!(decode(bytes, charset), expected, "{charset:?}");
        }
    }
}
