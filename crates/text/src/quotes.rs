//! Quotations in HTML mail: the elements in which mail programs put the message that is answered.
//!
//! | program | element |
//! |---|---|
//! | Gmail | class `gmail_quote` |
//! | Apple Mail, Thunderbird, Roundcube, Fastmail | `blockquote type=cite`; class `moz-cite-prefix` above it |
//! | Yahoo | class or id `yahoo_quoted…` |
//! | Outlook for Mac, iOS and Android | ids `OLK_SRC_BODY_SECTION`, `mail-editor-reference-message-container` |
//! | GMX, Spark | names `quote`, `messageReplySection` |
//! | Proton, Tuta, Zoho | classes `protonmail_quote`, `tutanota_quote`, `zmail_extra` |
//!
//! Outlook prepends `x_` to classes and ids of what it quotes. An element whose text starts as that of a forwarded
//! message is none. Linear in the page.

use crate::elements::{self, Content};
use crate::html::extract;
use crate::tag;
use memchr::{memchr, memmem};
use std::borrow::Cow;

const CLASSES: [&str; 6] = [
    "gmail_quote",
    "gmail_quote_container",
    "moz-cite-prefix",
    "protonmail_quote",
    "tutanota_quote",
    "zmail_extra",
];
const IDS: [&str; 2] = ["OLK_SRC_BODY_SECTION", "mail-editor-reference-message-container"];
const NAMES: [&str; 2] = ["quote", "messageReplySection"];
const YAHOO: &str = "yahoo_quoted";

/// How the text of a forwarded message starts, in lower case.
const FORWARDED: [&str; 8] = [
    "begin forwarded message",
    "anfang der weitergeleiteten",
    "d\u{e9}but du message",
    "inicio del mensaje reenviado",
    "inizio messaggio inoltrato",
    "in\u{ed}cio da mensagem",
    "begin doorgestuurd bericht",
    "-----",
];
/// Bytes of an element in which that is looked for.
const BEGINNING: usize = 2000;

/// The page with something else in the place of each quotation.
///
/// ```
/// let page = "<p>yes</p><blockquote type=cite>Shall <blockquote>we?</blockquote></blockquote><p>bye</p>";
/// assert_eq!(lookalike_text::replace_quotes(page, "<hr>"), "<p>yes</p><hr><p>bye</p>");
/// assert_eq!(lookalike_text::replace_quotes("<blockquote>a", ""), "<blockquote>a");
/// ```
#[must_use]
pub fn replace_quotes<'a>(html: &'a str, with: &str) -> Cow<'a, str> {
    let (mut out, mut copied) = (String::new(), 0);
    let mut tags = Tags { html, at: 0 };
    while let Some(tag) = tags.next() {
        if tag.is_end || !is_quote(&tag) {
            continue;
        }
        let inside = tags.at;
        let end = end_of(&mut tags, tag.name);
        tags.at = end;
        if is_forwarded(&html[inside..end]) {
            continue;
        }
        out.push_str(&html[copied..tag.start]);
        out.push_str(with);
        copied = end;
    }
    if copied == 0 {
        return Cow::Borrowed(html);
    }
    out.push_str(&html[copied..]);
    Cow::Owned(out)
}

/// Reads the tags up to the one that ends the element; returns where that ends, or the page.
fn end_of(tags: &mut Tags<'_>, name: &str) -> usize {
    let mut open = 1;
    while let Some(tag) = tags.next() {
        if tag.name.eq_ignore_ascii_case(name) {
            match tag.is_end {
                true => open -= 1,
                false => open += 1,
            }
        }
        if open == 0 {
            return tags.at;
        }
    }
    tags.html.len()
}

fn is_forwarded(inside: &str) -> bool {
    let beginning = &inside[..inside.floor_char_boundary(BEGINNING)];
    let text = extract(beginning).text.trim_start().to_lowercase();
    let is_original = text.trim_start_matches(['-', ' ']).starts_with("original message");
    !is_original && FORWARDED.iter().any(|start| text.starts_with(start))
}

fn is_quote(tag: &Tag<'_>) -> bool {
    let is_blockquote = tag.name.eq_ignore_ascii_case("blockquote");
    let plain = |name: &'_ str| name.trim_start_matches("x_").to_owned();
    attributes(tag.attributes).any(|(name, value)| {
        let is = |known: &str| name.eq_ignore_ascii_case(known);
        if is("class") {
            let mut classes = value.split_ascii_whitespace().map(plain);
            classes.any(|class| CLASSES.contains(&&*class) || class.ends_with(YAHOO))
        } else if is("id") {
            let id = plain(value.trim());
            IDS.contains(&&*id) || id.starts_with(YAHOO)
        } else if is("name") {
            tag.name.eq_ignore_ascii_case("div") && NAMES.contains(&value.trim())
        } else {
            is("type") && is_blockquote && value.trim().eq_ignore_ascii_case("cite")
        }
    })
}

struct Tag<'a> {
    start: usize,
    name: &'a str,
    is_end: bool,
    attributes: &'a str,
}

/// The tags of a page, without those in comments and raw text.
struct Tags<'a> {
    html: &'a str,
    /// Where the next one is looked for.
    at: usize,
}

impl<'a> Tags<'a> {
    fn next(&mut self) -> Option<Tag<'a>> {
        loop {
            let html = self.html;
            let start = self.at + memchr(b'<', html.get(self.at..)?.as_bytes())?;
            let rest = &html.as_bytes()[start..];
            if rest.starts_with(b"<!--") {
                self.at = start + 4 + memmem::find(&rest[4..], b"-->")? + 3;
                continue;
            }
            let is_end = rest.get(1) == Some(&b'/');
            if !rest.get(1 + usize::from(is_end)).is_some_and(u8::is_ascii_alphabetic) {
                self.at = start + 1;
                continue;
            }
            let read = tag::read(rest)?;
            let name = &html[start + 1 + usize::from(is_end)..start + read.name_end];
            self.at = start + read.end;
            if !is_end && let Content::Raw(name, _) = elements::content(&name.to_ascii_lowercase())
            {
                self.skip_raw(name)?;
            }
            let attributes = &html[start + read.name_end..start + read.end - 1];
            return Some(Tag { start, name, is_end, attributes });
        }
    }

    /// Skips raw text up to the end tag of its element.
    fn skip_raw(&mut self, name: &str) -> Option<()> {
        let bytes = self.html.as_bytes();
        let is_end = |at: &usize| {
            let found = bytes.get(at + 2..at + 2 + name.len());
            found.is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()))
        };
        self.at +=
            memmem::find_iter(&bytes[self.at..], b"</").find(|at| is_end(&(self.at + at)))?;
        Some(())
    }
}

/// Attributes of a tag, with their values.
fn attributes(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let space = |c: char| c.is_ascii_whitespace() || c == '/';
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(space);
        if rest.is_empty() {
            return None;
        }
        // A name may start with an equals sign.
        let mut later = rest.char_indices().skip(1);
        let end = later.find(|(_, c)| space(*c) || *c == '=').map_or(rest.len(), |(at, _)| at);
        let (name, after) = rest.split_at(end);
        let Some(value) = after.trim_ascii_start().strip_prefix('=') else {
            rest = after;
            return Some((name, ""));
        };
        let value = value.trim_ascii_start();
        let (value, after) = match value.as_bytes().first() {
            Some(quote @ (b'"' | b'\'')) => {
                value[1..].split_once(char::from(*quote)).unwrap_or((&value[1..], ""))
            }
            _ => {
                value.split_at(value.find(|c: char| c.is_ascii_whitespace()).unwrap_or(value.len()))
            }
        };
        rest = after;
        Some((name, value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_of_mail_programs_are_found() {
        for quote in [
            "<div class=\"gmail_quote gmail_quote_container\">On … wrote:<blockquote class=gmail_quote>q</blockquote></div>",
            "<blockquote type=\"cite\"><div>q</div></blockquote>",
            "<BLOCKQUOTE TYPE=CITE>q<blockquote type=cite>r</blockquote>s</BLOCKQUOTE >",
            "<div class='moz-cite-prefix'>Ann wrote:<br></div>",
            "<div id=\"ydp1234yahoo_quoted_99\" class=\"ydp1234yahoo_quoted\">q<div>r</div></div>",
            "<div id = 'yahoo_quoted_7'>q</div>",
            "<span id=\"x_OLK_SRC_BODY_SECTION\">q</span>",
            "<div id=\"mail-editor-reference-message-container\">q</div>",
            "<div class=\"x_x_gmail_quote\">q<!-- </div> --><script>'</div>'</script><div></div></div>",
            "<div name=\"quote\" style='margin: 0'>q</div>",
            "<div title='a>b' class=protonmail_quote>-----Original Message-----</div>",
        ] {
            let page = format!("<p>a &lt; b</p>{quote}<p>c</p>");
            assert_eq!(replace_quotes(&page, "|"), "<p>a &lt; b</p>|<p>c</p>", "{quote}");
        }
        // Never closed.
        assert_eq!(replace_quotes("a<div class=gmail_quote>b<div>c</div><p>d", "|"), "a|");
    }

    #[test]
    fn other_elements_are_left() {
        for page in [
            "<blockquote>a saying</blockquote>",
            "<div class=\"gmail_quoted\">a</div>",
            "<p class=quote>a</p><span name=quote>b</span>",
            "<!-- <blockquote type=cite> --> a",
            "<title><blockquote type=cite></title>a",
            "<div data-class='gmail_quote' classy=gmail_quote>a</div>",
            "<blockquote type=cite",
            "a < b <",
            "<div class=\"gmail_quote\"><div>---------- Forwarded message ---------<br>From: a</div>q</div>",
            "<blockquote type=cite><div>Begin forwarded message:</div><div class=gmail_quote>q</div></blockquote>",
            "<\u{e9} =\u{e9}=1><a =\u{e9}>",
            "",
        ] {
            assert_eq!(replace_quotes(page, "|"), page);
        }
    }

    #[test]
    fn attributes_are_split_as_browsers_do() {
        let of = |text: &'static str| attributes(text).collect::<Vec<_>>();
        assert_eq!(
            of(" a=1 b = '2 3' c=\"4\"d/e =f"),
            [("a", "1"), ("b", "2 3"), ("c", "4"), ("d", ""), ("e", "f")]
        );
        assert_eq!(of(" =a= b 'c"), [("=a", "b"), ("'c", "")]);
    }
}
