//! Finds where a tag of a page and its name end.
//!
//! WHATWG HTML, sections 13.2.5.8 and 13.2.5.32 to 13.2.5.40 (tag name to self-closing start tag
//! state). Attributes are skipped: extraction needs none, and a tokenizer that keeps them compares
//! each with all before it to find doubles, which makes one tag with 200 000 of them take minutes.

use memchr::memchr;

/// One tag, as lengths from its `<`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tag {
    /// `<` or `</` with the name.
    pub name_end: usize,
    /// All of it, with the `>`.
    pub end: usize,
    /// Does it end with `/>`?
    pub self_closing: bool,
}

enum State {
    BeforeName,
    Name,
    AfterName,
    BeforeValue,
    Unquoted,
    AfterQuoted,
    SelfClosing,
}

/// Reads a tag that begins with `<x` or `</x`, or nothing if the page ends inside it.
pub(crate) fn read(rest: &[u8]) -> Option<Tag> {
    let ends_name = |byte: &u8| matches!(byte, b'>' | b'/') || is_space(*byte);
    let name_end = 2 + rest.get(2..)?.iter().position(ends_name)?;
    let mut at = name_end;
    let mut state = State::AfterQuoted; // Which treats these three bytes as the tag name state does.
    loop {
        let byte = *rest.get(at)?;
        state = match state {
            State::SelfClosing if byte == b'>' => {
                return Some(Tag { name_end, end: at + 1, self_closing: true });
            }
            State::BeforeName | State::SelfClosing | State::AfterQuoted | State::AfterName
                if is_space(byte) =>
            {
                // `a =b` is one attribute.
                if matches!(state, State::AfterName) { state } else { State::BeforeName }
            }
            State::BeforeValue if is_space(byte) => State::BeforeValue,
            State::Unquoted if is_space(byte) => State::BeforeName,
            State::Name if is_space(byte) => State::AfterName,
            _ if byte == b'>' => return Some(Tag { name_end, end: at + 1, self_closing: false }),
            State::Unquoted => State::Unquoted,
            State::BeforeValue if matches!(byte, b'"' | b'\'') => {
                at += 1 + memchr(byte, &rest[at + 1..])?;
                State::AfterQuoted
            }
            State::BeforeValue => State::Unquoted,
            _ if byte == b'/' => State::SelfClosing,
            State::Name | State::AfterName if byte == b'=' => State::BeforeValue,
            _ => State::Name,
        };
        at += 1;
    }
}

/// HTML's white space.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0C | b'\r' | b' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_end_where_browsers_say() {
        let cases = [
            ("<a>b", Some(("<a", "<a>", false))),
            ("<br/>", Some(("<br", "<br/>", true))),
            ("<br / >", Some(("<br", "<br / >", false))),
            ("<a href=x/>y", Some(("<a", "<a href=x/>", false))),
            ("<a href='>'>y", Some(("<a", "<a href='>'>", false))),
            ("<a href=\">\"/>y", Some(("<a", "<a href=\">\"/>", true))),
            ("<a =\">\">", Some(("<a", "<a =\">", false))),
            ("<a b = '>' c>", Some(("<a", "<a b = '>' c>", false))),
            ("<a b= >c", Some(("<a", "<a b= >", false))),
            ("<p class=a\"b'c>", Some(("<p", "<p class=a\"b'c>", false))),
            ("</a b='>'>", Some(("</a", "</a b='>'>", false))),
            ("<a\"b c='>'>", Some(("<a\"b", "<a\"b c='>'>", false))),
            ("<a b", None),
            ("<a b='>", None),
            ("<a", None),
        ];
        for (rest, wanted) in cases {
            let found = read(rest.as_bytes());
            let found =
                found.map(|tag| (&rest[..tag.name_end], &rest[..tag.end], tag.self_closing));
            assert_eq!(found, wanted, "{rest}");
        }
    }
}
