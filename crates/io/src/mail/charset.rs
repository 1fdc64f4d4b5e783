//! Charsets of text parts.

use std::borrow::Cow;

use lookalike_text::decode_labelled;

use super::limits::MailError;

/// Decodes a text part in a charset (RFC 2046, section 4.1.2), which may be missing or wrong
/// ([`decode_labelled`]).
///
/// # Errors
/// A charset that cannot be decoded.
pub(super) fn decode<'a>(
    bytes: &'a [u8],
    charset: Option<&str>,
) -> Result<Cow<'a, str>, MailError> {
    let found = decode_labelled(bytes, charset).map(|found| found.text);
    // Names in messages of problems are short and printable.
    let shown = |name: &str| name.chars().filter(|c| !c.is_control()).take(40).collect();
    found.ok_or_else(|| MailError::Charset(charset.map(shown).unwrap_or_default()))
}

/// As [`decode`] for a header field, of which something has to be shown: a charset that cannot be
/// decoded is taken for an unknown one.
pub(super) fn decode_field<'a>(bytes: &'a [u8], charset: Option<&str>) -> Cow<'a, str> {
    let found = decode_labelled(bytes, charset).or_else(|| decode_labelled(bytes, None));
    found.map_or(Cow::Borrowed(""), |found| found.text)
}

/// Whether text that is valid UTF-8 is read as UTF-8 in this charset.
pub(super) fn is_unicode_or_unknown(charset: Option<&str>) -> bool {
    let is = |name: &str| {
        ["utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "windows-1252", ""]
            .iter()
            .any(|known| name.eq_ignore_ascii_case(known))
    };
    charset.map(str::trim).is_none_or(is)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charsets_are_decoded() {
        for (bytes, charset, expected) in [
            (&b"caf\xe9"[..], Some("iso-8859-1"), "caf\u{e9}"),
            (b"caf\xe9", Some("US-ASCII"), "caf\u{e9}"),
            (b"caf\xe9", None, "caf\u{e9}"),
            (b"caf\xc3\xa9", None, "caf\u{e9}"),
            (b"\xef\xbb\xbfcaf\xc3\xa9", Some("UTF-8"), "caf\u{e9}"),
            (b"caf\xe9", Some("utf-8"), "caf\u{e9}"),
            (b"\xf0\xd2\xc9", Some("KOI8-R"), "\u{41f}\u{440}\u{438}"),
            (b"\x83n", Some("shift_jis"), "\u{30cf}"),
            (b"caf\xe9", Some("x-unknown"), "caf\u{e9}"),
            (b"caf\xe9", Some(" "), "caf\u{e9}"),
            (b"caf\x82", Some("ibm437"), "caf\u{e9}"),
        ] {
            assert_eq!(decode(bytes, charset).unwrap(), expected, "{charset:?}");
        }
    }

    #[test]
    fn a_charset_that_cannot_be_decoded_is_named() {
        let error = decode(b"caf\xe9", Some("x-mac-greek")).unwrap_err();
        assert_eq!(error, MailError::Charset("x-mac-greek".to_owned()));
        assert!(error.to_string().contains("x-mac-greek"));
        assert_eq!(decode_field(b"caf\xe9", Some("x-mac-greek")), "caf\u{e9}");
    }
}
