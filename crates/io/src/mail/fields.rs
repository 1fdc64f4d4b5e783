//! Header fields: where they are, and their decoded values.

use std::borrow::Cow;
use std::convert::Infallible;
use std::ops::Range;

use mail_parser::parsers::MessageStream;
use mail_parser::{ContentType, HeaderValue};

use super::charset::decode_field;
use super::limits::{MailError, MailLimits};
use super::transfer::{self, Transfer};
use crate::guard::guarded;

/// Longest value that is parsed. The parsers take quadratic time for hostile values.
const PARSED: usize = 16 << 10;

/// Ranges of a header field in the message.
#[derive(Debug, Clone)]
pub(super) struct Field {
    name: Range<usize>,
    /// With folded lines and line end.
    value: Range<usize>,
}

/// Header fields of a message or part, in order.
#[derive(Debug, Default, Clone)]
pub(super) struct Fields(Vec<Field>);

impl Fields {
    /// Splits the header that starts at `start`; returns where the body starts. A header ends with
    /// a blank line, which is skipped, or before the first line that is not a field, as in a
    /// message whose blank line was lost.
    pub(super) fn split(&mut self, raw: &[u8], start: usize) -> Result<usize, MailError> {
        self.0.clear();
        let mut at = start;
        while at < raw.len() {
            let end = memchr::memchr(b'\n', &raw[at..]).map_or(raw.len(), |found| at + found + 1);
            let line = &raw[at..end];
            match line {
                [b'\n', ..] | [b'\r', b'\n', ..] => return Ok(end),
                [b' ' | b'\t', ..] => match self.0.last_mut() {
                    Some(field) => field.value.end = end,
                    None if line.trim_ascii().is_empty() => return Ok(end),
                    None => return Ok(at),
                },
                _ => match name_length(line) {
                    Some((name, colon)) => {
                        if self.0.len() == MailLimits::FIELDS {
                            return Err(MailError::TooManyFields(MailLimits::FIELDS));
                        }
                        let value = at + colon + 1..end;
                        self.0.push(Field { name: at..at + name, value });
                    }
                    // The separator line of an mbox, left in by a program that cut messages out.
                    None if self.0.is_empty()
                        && (line.starts_with(b"From ") || line.starts_with(b">From ")) => {}
                    None => return Ok(at),
                },
            }
            at = end;
        }
        Ok(raw.len())
    }

    /// Whether some bytes begin with a header.
    pub(super) fn begin(bytes: &[u8]) -> bool {
        let end = memchr::memchr(b'\n', bytes).unwrap_or(bytes.len());
        name_length(&bytes[..end]).is_some() || bytes.starts_with(b"From ")
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of the first field of this name, in any case, as written.
    pub(super) fn raw<'a>(&self, raw: &'a [u8], name: &str) -> Option<&'a [u8]> {
        let wanted = |field: &&Field| raw[field.name.clone()].eq_ignore_ascii_case(name.as_bytes());
        self.0.iter().find(wanted).map(|field| &raw[field.value.clone()])
    }

    /// The names of the fields as written.
    pub(super) fn names<'a>(&'a self, raw: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        self.0.iter().map(|field| &raw[field.name.clone()])
    }
}

/// Length of a field's name and offset of its colon, if the line starts with one: printable ASCII
/// without spaces (RFC 5322, section 2.2); spaces before the colon are obsolete and allowed.
fn name_length(line: &[u8]) -> Option<(usize, usize)> {
    let colon = memchr::memchr(b':', line)?;
    let name = line[..colon].trim_ascii_end();
    let valid = !name.is_empty() && name.iter().all(u8::is_ascii_graphic);
    valid.then_some((name.len(), colon))
}

/// The text of a value: unfolded, encoded words (RFC 2047) decoded, no white space around it.
/// Bytes that are not UTF-8 are windows-1252.
pub(super) fn text(value: &[u8]) -> Cow<'_, str> {
    let value = value.trim_ascii();
    let encoded = memchr::memmem::find(value, b"=?").is_some() && value.len() <= PARSED;
    let text = decode_field(value, None);
    match text {
        Cow::Borrowed(text) if !encoded && memchr::memchr(b'\n', value).is_none() => {
            Cow::Borrowed(text)
        }
        text => {
            let unfolded = unfolded(&text);
            Cow::Owned(if encoded { words(&unfolded) } else { unfolded })
        }
    }
}

/// Joins folded lines with one space.
fn unfolded(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join(" ")
}

/// An encoded word.
struct Word<'a> {
    charset: &'a str,
    transfer: Transfer,
    encoded: &'a str,
}

impl<'a> Word<'a> {
    /// The word at the start of a text, and what follows it.
    fn at(text: &'a str) -> Option<(Self, &'a str)> {
        let (charset, rest) = text.strip_prefix("=?")?.split_once('?')?;
        // A language may follow (RFC 2231, section 5).
        let charset = charset.split('*').next().unwrap_or(charset);
        let is_name = |byte: u8| byte.is_ascii_graphic() && byte != b'=';
        if charset.is_empty() || !charset.bytes().all(is_name) {
            return None;
        }
        let (transfer, rest) = rest.split_once('?')?;
        let transfer = match transfer {
            "b" | "B" => Transfer::Base64,
            "q" | "Q" => Transfer::QuotedPrintable,
            _ => return None,
        };
        let (encoded, rest) = rest.split_once("?=")?;
        Some((Self { charset, transfer, encoded }, rest))
    }

    /// Whether a character may go on in another word.
    fn continues(&self, other: &Self) -> bool {
        self.charset.eq_ignore_ascii_case(other.charset)
    }
}

/// Decodes encoded words. Adjacent ones of one charset are decoded together: many mailers cut them
/// inside of a character, or of four characters of base64.
fn words(text: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find("=?") {
        let Some((first, after)) = Word::at(&rest[at..]) else {
            out.push_str(&rest[..at + 2]);
            rest = &rest[at + 2..];
            continue;
        };
        out.push_str(&rest[..at]);
        let (mut word, mut bytes, mut base64) = (first, Vec::new(), String::new());
        rest = after;
        loop {
            match word.transfer {
                Transfer::Base64 => base64.push_str(word.encoded),
                _ => word_bytes(word.encoded, &mut bytes),
            }
            // White space between encoded words does not count.
            let next = Word::at(rest.trim_start());
            let joined = next.as_ref().is_some_and(|(next, _)| next.continues(&word));
            let ends = next.as_ref().is_none_or(|(next, _)| next.transfer != word.transfer);
            if !joined || ends {
                transfer::base64(base64.as_bytes(), &mut bytes);
                base64.clear();
            }
            match next {
                Some((next, after)) if joined => (word, rest) = (next, after),
                Some(_) => {
                    rest = rest.trim_start();
                    break;
                }
                None => break,
            }
        }
        out.push_str(&decode_field(&bytes, Some(word.charset)));
    }
    out.push_str(rest);
    // Line ends may be encoded.
    match out.contains(['\n', '\r']) {
        true => unfolded(&out),
        false => out.trim().to_owned(),
    }
}

/// Appends the bytes of an encoded word in quoted-printable, where `_` is a space.
fn word_bytes(encoded: &str, out: &mut Vec<u8>) {
    let spaced = encoded.replace('_', "=20");
    // White space at the end would be taken for that of a line.
    let end = spaced.trim_end_matches(' ').len();
    transfer::quoted_printable(&spaced.as_bytes()[..end], out);
    out.extend(std::iter::repeat_n(b' ', spaced.len() - end));
}

/// The first message id of a value, without angle brackets.
pub(super) fn message_id(value: &[u8]) -> Option<Cow<'_, str>> {
    let value = value.trim_ascii();
    // The usual case: one id in brackets.
    let inner = value.strip_prefix(b"<").and_then(|rest| rest.strip_suffix(b">"));
    let plain = |id: &&[u8]| id.iter().all(|byte| byte.is_ascii_graphic() && !b"<>".contains(byte));
    if let Some(Ok(id)) = inner.filter(plain).map(std::str::from_utf8) {
        return non_empty(Cow::Borrowed(id));
    }
    let id = match parsed(value, |stream| stream.parse_id()) {
        Some(HeaderValue::Text(id)) => unfolded(&id),
        Some(HeaderValue::TextList(ids)) => unfolded(ids.first()?),
        _ => return non_empty(text(value)),
    };
    non_empty(Cow::Owned(id))
}

/// The media type and its parameters.
pub(super) fn content_type(value: &[u8]) -> Option<ContentType<'static>> {
    match parsed(value, |stream| stream.parse_content_type())? {
        HeaderValue::ContentType(found) => Some(found),
        _ => None,
    }
}

/// Calls a parser on a value, unless the value is too long. The parsers need a line end. `None`
/// also if the parser panics: it reads untrusted bytes.
pub(super) fn parsed(
    value: &[u8],
    parse: impl for<'x> FnOnce(&mut MessageStream<'x>) -> HeaderValue<'x>,
) -> Option<HeaderValue<'static>> {
    let value = value.trim_ascii();
    if value.len() > PARSED {
        return None;
    }
    let mut line = Vec::with_capacity(value.len() + 1);
    line.extend_from_slice(value);
    line.push(b'\n');
    guarded(|| Ok::<_, Infallible>(parse(&mut MessageStream::new(&line)).into_owned())).ok()
}

fn non_empty(value: Cow<'_, str>) -> Option<Cow<'_, str>> {
    (!value.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_split_as_written() {
        let raw = b"From x\nSubject: a\n b\r\n\tc\nX-Spam :yes\n\nbody";
        let mut fields = Fields::default();
        assert_eq!(fields.split(raw, 0), Ok(raw.len() - 4));
        assert_eq!(fields.raw(raw, "subject"), Some(&b" a\n b\r\n\tc\n"[..]));
        assert_eq!(fields.raw(raw, "X-SPAM"), Some(&b"yes\n"[..]));
        assert_eq!(fields.names(raw).count(), 2);
        for (raw, body) in [
            (&b"a: b\nno field here\n"[..], 5),
            (b"\nbody", 1),
            (b" \nbody", 2),
            (b"body: ", 6),
            (b"bo dy: x", 0),
            (b" body: x", 0),
            (b"", 0),
            (b"a: b\r\n\r\n", 8),
        ] {
            assert_eq!(fields.split(raw, 0), Ok(body), "{}", raw.escape_ascii());
        }
        let many = b"a:\n".repeat(MailLimits::FIELDS + 1);
        assert!(matches!(fields.split(&many, 0), Err(MailError::TooManyFields(_))));
    }

    #[test]
    fn values_are_decoded() {
        for (value, expected) in [
            (&b" plain  text \r\n"[..], "plain  text"),
            (b" folded\r\n  twice\n\tover\n", "folded twice over"),
            (b" =?iso-8859-1?q?caf=E9?= ol=?\n", "caf\u{e9} ol=?"),
            (b" =?utf-8?B?w6k=?=\n =?utf-8?B?w6k=?=\n", "\u{e9}\u{e9}"),
            // Cut inside of a character, and inside of base64.
            (
                b"=?utf-8?B?5Ls=?=\n =?UTF-8?B?iuWkqQ==?= =?utf-8*en?q?=C3?=\t=?utf-8?Q?=A9_?=",
                "\u{4eca}\u{5929}\u{e9}",
            ),
            (b"=?gb2312?B?1tDO?= =?GB2312?B?xA==?= x", "\u{4e2d}\u{6587} x"),
            (b"=?iso-2022-jp?B?GyRCJCIbKEI=?= =?iso-2022-jp?B?GyRCJCQbKEI=?=", "\u{3042}\u{3044}"),
            (b"=?utf-8?q?a?= =?latin1?q?=E9?= =?utf-8?q?_b?= c =?utf-8?q?d?=e", "a\u{e9} b c de"),
            (b"=?utf-8?q?a b?= =?utf-8?z?c?= =?utf-8?q?d", "a b =?utf-8?z?c?= =?utf-8?q?d"),
            (b"=?ibm437?q?caf=82?= =?x-mac-greek?q?caf=E9?=", "caf\u{e9}caf\u{e9}"),
            (b" caf\xe9 \x80\n", "caf\u{e9} \u{20ac}"),
            ("caf\u{e9}".as_bytes(), "caf\u{e9}"),
            (b"=?nonsense", "=?nonsense"),
            (b"", ""),
        ] {
            assert_eq!(text(value), expected);
        }
        for (value, expected) in [
            (&b" <a@b>\n"[..], Some("a@b")),
            (b"a@b\r\n", Some("a@b")),
            (b"<a@b> (comment) <c@d>\n", Some("a@b")),
            (b"<a@b\n c>", Some("a@b c")),
            (b" \n", None),
        ] {
            assert_eq!(message_id(value).as_deref(), expected);
        }
    }

    #[test]
    fn long_values_are_not_parsed() {
        let hostile = b"=?utf-8?q?".repeat(1 << 16);
        assert_eq!(text(&hostile).len(), hostile.len());
        let hostile = b"=?utf-8?q?=?=?".repeat(1 << 16);
        assert!(text(&hostile).len() <= hostile.len());
        assert!(content_type(&b"a/b; x*1=y;".repeat(1 << 16)).is_none());
        assert_eq!(message_id(&hostile).map(|id| id.len()), Some(hostile.len()));
    }
}
