//! Bytes in, text out, with the encoding that was found.
//!
//! [`decode_html`] decides as browsers do (WHATWG HTML, section 13.2.3, "determining the character
//! encoding"): a byte order mark, then the page's own declaration, then UTF-8 if it is valid, then
//! windows-1252. HTTP headers are not available. A page that declares the wrong encoding is decoded
//! wrongly, as in a browser. [`decode_text`] has no declaration to go by.

use crate::prescan::declared;
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use std::borrow::Cow;

/// Text, and how it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded<'a> {
    /// The text, borrowed where the bytes were UTF-8 already. A byte order mark is no part of it.
    pub text: Cow<'a, str>,
    /// The WHATWG name of the encoding, such as `UTF-8` or `Shift_JIS`.
    pub encoding: &'static str,
    /// Were malformed bytes replaced by U+FFFD?
    pub replaced: bool,
}

/// Decodes an HTML page: byte order mark, declaration in the first 1024 bytes, valid UTF-8,
/// windows-1252.
///
/// ```
/// let page = lookalike_text::decode_html(b"<meta charset=latin1>caf\xe9");
/// assert!(page.text.ends_with("café"));
/// assert_eq!(page.encoding, "windows-1252");
/// ```
#[must_use]
pub fn decode_html(bytes: &[u8]) -> Decoded<'_> {
    if Encoding::for_bom(bytes).is_some() {
        return decode_text(bytes);
    }
    if let Some(encoding) = declared(bytes) {
        return decode_as(bytes, encoding);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Decoded { text: text.into(), encoding: UTF_8.name(), replaced: false },
        Err(_) => decode_as(bytes, WINDOWS_1252),
    }
}

/// Decodes plain text: a byte order mark of UTF-8 or UTF-16, else UTF-8; malformed bytes are
/// replaced.
#[must_use]
pub fn decode_text(bytes: &[u8]) -> Decoded<'_> {
    match Encoding::for_bom(bytes) {
        Some((encoding, length)) => decode_as(&bytes[length..], encoding),
        None => decode_as(bytes, UTF_8),
    }
}

fn decode_as<'a>(bytes: &'a [u8], encoding: &'static Encoding) -> Decoded<'a> {
    let (text, replaced) = encoding.decode_without_bom_handling(bytes);
    Decoded { text, encoding: encoding.name(), replaced }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_byte_order_mark_wins() {
        let page = decode_html(b"\xef\xbb\xbf<meta charset=latin1>\xc3\xa9");
        assert_eq!((page.text.as_ref(), page.encoding), ("<meta charset=latin1>é", "UTF-8"));
        let text = decode_text(b"\xff\xfea\0\xe9\0");
        assert_eq!((text.text.as_ref(), text.encoding), ("aé", "UTF-16LE"));
        let text = decode_text(b"\xfe\xff\0a\0\xe9\xd8");
        assert_eq!((text.text.as_ref(), text.replaced), ("aé\u{fffd}", true));
    }

    #[test]
    fn undeclared_pages_are_utf_8_if_they_can_be() {
        assert_eq!(decode_html("é".as_bytes()).encoding, "UTF-8");
        let page = decode_html(b"caf\xe9 \x93x\x94");
        assert_eq!((page.text.as_ref(), page.encoding), ("café “x”", "windows-1252"));
        assert!(!page.replaced);
    }

    #[test]
    fn a_declaration_is_believed_though_the_bytes_say_otherwise() {
        let page = decode_html(b"<meta charset=utf-8>Gr\xfc\xdfe");
        assert_eq!((page.encoding, page.replaced), ("UTF-8", true));
        assert!(page.text.ends_with("Gr\u{fffd}\u{fffd}e"));
    }

    #[test]
    fn plain_text_is_utf_8_or_replaced() {
        let text = decode_text(b"a\xffb");
        assert_eq!((text.text.as_ref(), text.replaced), ("a\u{fffd}b", true));
        assert!(matches!(decode_text(b"ok").text, Cow::Borrowed("ok")));
        assert_eq!(decode_text(b"").text, "");
    }

    proptest! {
        #[test]
        fn no_bytes_are_refused(bytes: Vec<u8>) {
            let page = decode_html(&bytes);
            prop_assert_eq!(&page, &decode_html(&bytes));
            let text = decode_text(&bytes);
            prop_assert!(std::str::from_utf8(&bytes).is_err() || !text.replaced);
        }
    }
}
