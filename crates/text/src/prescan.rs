//! The first bytes of a page in, the encoding that it declares out.
//!
//! WHATWG HTML, section 13.2.3.2, "prescan a byte stream to determine its encoding", with the
//! algorithms that it calls: "get an attribute", "extracting a character encoding from a meta
//! element", "get an XML encoding". An attacker gains nothing: each looks at 1024 bytes.

use crate::charset::{Charset, Label};
use encoding_rs::{UTF_8, UTF_16BE, UTF_16LE};

/// How far a declaration is looked for.
const LIMIT: usize = 1024;

/// The encoding that a `meta` element or an XML declaration names.
pub(crate) fn declared(bytes: &[u8]) -> Option<Charset> {
    let bytes = &bytes[..bytes.len().min(LIMIT)];
    if bytes.starts_with(b"<\0?\0x\0") {
        return Some(Charset::Web(UTF_16LE));
    }
    if bytes.starts_with(b"\0<\0?\0x") {
        return Some(Charset::Web(UTF_16BE));
    }
    from_markup(bytes).or_else(|| from_xml(bytes))
}

/// Walks the tags. The end of the bytes inside one ends the search.
fn from_markup(bytes: &[u8]) -> Option<Charset> {
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        if rest.starts_with(b"<!--") {
            // `<!-->` is a whole comment: its two hyphens count for both ends.
            at += find(&rest[2..], b"-->")? + 5;
        } else if starts_with_no_case(rest, b"<meta")
            && rest.get(5).is_some_and(|&byte| is_space(byte) || byte == b'/')
        {
            at += 5;
            if let Some(encoding) = from_meta(bytes, &mut at)? {
                return Some(encoding);
            }
            at += 1;
        } else if is_tag(rest) {
            at += rest.iter().position(|&byte| is_space(byte) || byte == b'>')?;
            while attribute(bytes, &mut at)?.is_some() {}
            at += 1;
        } else if [b"<!", b"</", b"<?"].iter().any(|start| rest.starts_with(*start)) {
            at += rest.iter().position(|&byte| byte == b'>')? + 1;
        } else {
            at += 1;
        }
    }
    None
}

/// `<x` or `</x`.
fn is_tag(rest: &[u8]) -> bool {
    let name = rest.strip_prefix(b"</").or_else(|| rest.strip_prefix(b"<"));
    name.and_then(<[u8]>::first).is_some_and(u8::is_ascii_alphabetic)
}

/// Reads the attributes of a `meta` element. The outer `None` is the end of the bytes.
fn from_meta(bytes: &[u8], at: &mut usize) -> Option<Option<Charset>> {
    let (mut seen, mut is_pragma, mut needs_pragma) = (Vec::new(), false, None);
    let mut charset = None;
    while let Some((name, value)) = attribute(bytes, at)? {
        if seen.contains(&name) {
            continue;
        }
        match name.as_slice() {
            b"http-equiv" => is_pragma |= value == b"content-type",
            b"content" if charset.is_none() => {
                if let Some(encoding) = from_content(&value) {
                    charset = Some(Some(encoding));
                    needs_pragma = Some(true);
                }
            }
            b"charset" => {
                charset = Some(named(&value));
                needs_pragma = Some(false);
            }
            _ => {}
        }
        seen.push(name);
    }
    Some(match needs_pragma {
        Some(needs) if !needs || is_pragma => charset.flatten(),
        _ => None,
    })
}

/// The charset of a name. A page whose declaration can be read as ASCII cannot be UTF-16.
fn named(label: &[u8]) -> Option<Charset> {
    match Label::of(std::str::from_utf8(label).ok()?) {
        Label::Known(charset) if charset.is_wide() => Some(Charset::Web(UTF_8)),
        Label::Known(charset) => Some(charset),
        _ => None,
    }
}

/// The next attribute, lower-cased, or `Some(None)` at the end of the tag; `None` where the bytes
/// end.
#[expect(clippy::option_option, reason = "two ends that mean different things")]
fn attribute(bytes: &[u8], at: &mut usize) -> Option<Option<(Vec<u8>, Vec<u8>)>> {
    while is_space(*bytes.get(*at)?) || bytes[*at] == b'/' {
        *at += 1;
    }
    if bytes[*at] == b'>' {
        return Some(None);
    }
    let (mut name, mut value) = (Vec::new(), Vec::new());
    loop {
        match *bytes.get(*at)? {
            b'=' if !name.is_empty() => break,
            byte if is_space(byte) => {
                skip_space(bytes, at)?;
                if bytes[*at] != b'=' {
                    return Some(Some((name, value)));
                }
                break;
            }
            b'/' | b'>' => return Some(Some((name, value))),
            byte => name.push(byte.to_ascii_lowercase()),
        }
        *at += 1;
    }
    *at += 1;
    skip_space(bytes, at)?;
    match bytes[*at] {
        quote @ (b'"' | b'\'') => {
            *at += 1;
            while *bytes.get(*at)? != quote {
                value.push(bytes[*at].to_ascii_lowercase());
                *at += 1;
            }
            *at += 1;
        }
        _ => {
            while !is_space(*bytes.get(*at)?) && bytes[*at] != b'>' {
                value.push(bytes[*at].to_ascii_lowercase());
                *at += 1;
            }
        }
    }
    Some(Some((name, value)))
}

/// `text/html; charset=…`, lower-cased.
fn from_content(content: &[u8]) -> Option<Charset> {
    let mut rest = content;
    loop {
        rest = rest[find(rest, b"charset")? + 7..].trim_ascii_start();
        if let Some(value) = rest.strip_prefix(b"=") {
            let value = value.trim_ascii_start();
            let label = match value.first()? {
                quote @ (b'"' | b'\'') => {
                    let value = &value[1..];
                    &value[..value.iter().position(|byte| byte == quote)?]
                }
                _ => {
                    let end = value.iter().position(|&byte| is_space(byte) || byte == b';');
                    &value[..end.unwrap_or(value.len())]
                }
            };
            return named(label);
        }
    }
}

/// `<?xml version="1.0" encoding="…"?>`.
fn from_xml(bytes: &[u8]) -> Option<Charset> {
    let declaration = bytes.strip_prefix(b"<?xml")?;
    let declaration = &declaration[..declaration.iter().position(|&byte| byte == b'>')?];
    let rest = &declaration[find(declaration, b"encoding")? + 8..];
    let is_blank = |byte: &u8| *byte <= b' ';
    let rest = rest[rest.iter().position(|byte| !is_blank(byte))?..].strip_prefix(b"=")?;
    let rest = &rest[rest.iter().position(|byte| !is_blank(byte))?..];
    let quote = *rest.first().filter(|byte| matches!(byte, b'"' | b'\''))?;
    let label = &rest[1..];
    let label = &label[..label.iter().position(|&byte| byte == quote)?];
    if label.iter().any(is_blank) {
        return None;
    }
    named(label)
}

fn skip_space(bytes: &[u8], at: &mut usize) -> Option<()> {
    while is_space(*bytes.get(*at)?) {
        *at += 1;
    }
    Some(())
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0C | b'\r' | b' ')
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    memchr::memmem::find(bytes, part)
}

fn starts_with_no_case(bytes: &[u8], start: &[u8]) -> bool {
    bytes.get(..start.len()).is_some_and(|bytes| bytes.eq_ignore_ascii_case(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(page: &str) -> Option<&'static str> {
        declared(page.as_bytes()).map(Charset::name)
    }

    #[test]
    fn declarations_are_found_as_in_browsers() {
        let cases = [
            ("<meta charset=utf-8>", Some("UTF-8")),
            ("<META\nCharSet = 'Shift_JIS'>", Some("Shift_JIS")),
            ("<meta/charset=\"koi8-r\"/>", Some("KOI8-R")),
            (
                "<meta http-equiv=Content-Type content='text/html; charset=iso-8859-2'>",
                Some("ISO-8859-2"),
            ),
            ("<meta content='text/html;charset=\"gbk\"' http-equiv=content-type>", Some("GBK")),
            ("<meta content='text/html; charset=gbk'>", None),
            ("<meta name=charset content=gbk>", None),
            ("<meta charset=utf-16>", Some("UTF-8")),
            ("<meta charset=x-user-defined>", Some("windows-1252")),
            ("<meta charset=nonsense><meta charset=big5>", Some("Big5")),
            ("<meta charset=big5><meta charset=gbk>", Some("Big5")),
            ("<!-- <meta charset=gbk> --><meta charset=big5>", Some("Big5")),
            ("<!--><meta charset=gbk>", Some("GBK")),
            ("<p title='<meta charset=gbk>'><meta charset=big5>", Some("Big5")),
            ("<metadata charset=gbk>", None),
            ("<meta charset=gbk", None),
            ("<?xml version='1.0' encoding=\"euc-jp\"?><p>", Some("EUC-JP")),
            ("<?xml encoding='euc-jp'?><meta charset=big5>", Some("Big5")),
            ("<a", None),
            ("< meta charset=gbk>", None),
            ("<meta =a charset=gbk>", Some("GBK")),
            ("", None),
        ];
        for (page, encoding) in cases {
            assert_eq!(name(page), encoding, "{page}");
        }
    }

    #[test]
    fn only_the_first_1024_bytes_count() {
        assert_eq!(name(&format!("{}<meta charset=gbk>", " ".repeat(1007))), None);
        assert_eq!(name(&format!("{}<meta charset=gbk>", " ".repeat(1006))), Some("GBK"));
    }

    #[test]
    fn utf_16_without_a_mark_shows_in_an_xml_declaration() {
        assert_eq!(declared(b"<\0?\0x\0m\0"), Some(Charset::Web(UTF_16LE)));
        assert_eq!(declared(b"\0<\0?\0x\0m"), Some(Charset::Web(UTF_16BE)));
    }
}
