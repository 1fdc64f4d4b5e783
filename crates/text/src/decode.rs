//! Bytes in, text out, with the encoding that was found.
//!
//! [`decode_html`] decides as browsers do (WHATWG HTML, section 13.2.3, "determining the character
//! encoding"): a byte order mark, then the page's own declaration, then UTF-8 if it is valid, then
//! windows-1252. [`decode_page`] also has the charset of an HTTP header. A page that declares the
//! wrong encoding is decoded wrongly, as in a browser; charsets that browsers refuse are decoded. [`decode_text`] has no declaration to go by.

use crate::charset::{Charset, Decoded, Label};
use crate::prescan::declared;
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

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
    if let Some(charset) = declared(bytes) {
        return charset.decode(bytes);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Decoded { text: text.into(), encoding: UTF_8.name(), replaced: false },
        Err(_) => decode_as(bytes, WINDOWS_1252),
    }
}

/// Decodes an HTML page that came with an HTTP header: a byte order mark, the charset of the header
/// (`label`, such as `utf-8` or `latin1`; an unknown one is ignored), and then as
/// [`decode_html`].
///
/// ```
/// let page = lookalike_text::decode_page(b"<meta charset=utf-8>caf\xe9", Some("iso-8859-1"));
/// assert!(page.text.ends_with("café"));
/// ```
#[must_use]
pub fn decode_page<'a>(bytes: &'a [u8], label: Option<&str>) -> Decoded<'a> {
    match label.and_then(known) {
        Some(charset) if Encoding::for_bom(bytes).is_none() => charset.decode(bytes),
        _ => decode_html(bytes),
    }
}

/// Decodes plain text that came with an HTTP header: a byte order mark, the charset of the header
/// (`label`), valid UTF-8, windows-1252.
#[must_use]
pub fn decode_plain<'a>(bytes: &'a [u8], label: Option<&str>) -> Decoded<'a> {
    if Encoding::for_bom(bytes).is_some() {
        return decode_text(bytes);
    }
    match label.and_then(known) {
        Some(charset) => charset.decode(bytes),
        None => match std::str::from_utf8(bytes) {
            Ok(text) => Decoded { text: text.into(), encoding: UTF_8.name(), replaced: false },
            Err(_) => decode_as(bytes, WINDOWS_1252),
        },
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

/// The charset of a name.
fn known(label: &str) -> Option<Charset> {
    match Label::of(label) {
        Label::Known(charset) => Some(charset),
        _ => None,
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
    use std::borrow::Cow;

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
    fn the_charset_of_a_header_comes_before_that_of_the_page() {
        let page = |bytes, label| decode_page(bytes, label).text.into_owned();
        let declared = b"<meta charset=koi8-r>\xc3\xa9";
        assert!(page(declared, Some("UTF-8")).ends_with("é"));
        assert!(page(declared, None).ends_with("ц╘"));
        assert!(page(declared, Some("x-unknown")).ends_with("ц╘"));
        assert_eq!(page(b"\xef\xbb\xbf\xc3\xa9", Some("latin1")), "é");
        let plain = |bytes, label| decode_plain(bytes, label).text.into_owned();
        assert_eq!(plain(b"caf\xe9", None), "café");
        assert_eq!(plain(b"caf\xc3\xa9", None), "café");
        assert_eq!(plain(b"caf\xc3\xa9", Some("latin1")), "cafÃ©");
        assert_eq!(plain(b"\xff\xfea\0", Some("latin1")), "a");
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
