//! Text of a document's content.

use lookalike_io::Content;
use lookalike_text::{Page, decode_html, decode_text, extract};
use std::borrow::Cow;

/// The text of a document with its marks.
pub(super) fn page(content: &Content<'_>) -> Page {
    match content {
        Content::Text(_) | Content::TextBytes(_) | Content::Features(_) => {
            Page { text: plain_text(content).into_owned(), ..Page::default() }
        }
        Content::Html(html) => extract(html),
        Content::HtmlBytes(bytes) => extract(&decode_html(bytes).text),
    }
}

/// The text of a document without its markup, and its title: that of its record, or else of its page.
#[must_use]
pub fn titled_text<'a>(
    content: &'a Content<'_>,
    title: Option<&'a str>,
) -> (Cow<'a, str>, Option<Cow<'a, str>>) {
    match (content, title) {
        (Content::Html(_) | Content::HtmlBytes(_), None) => {
            let Page { text, title, .. } = page(content);
            (Cow::Owned(text), title.map(Cow::Owned))
        }
        _ => (plain_text(content), title.map(Cow::Borrowed)),
    }
}

/// The text of a document without its markup; of ready-made features, one per line.
#[must_use]
pub fn plain_text<'a>(content: &'a Content<'_>) -> Cow<'a, str> {
    match content {
        Content::Text(text) => Cow::Borrowed(text),
        Content::TextBytes(bytes) => decode_text(bytes).text,
        Content::Html(html) => Cow::Owned(extract(html).text),
        Content::HtmlBytes(bytes) => Cow::Owned(extract(&decode_html(bytes).text).text),
        Content::Features(list) => Cow::Owned(list.to_string()),
    }
}
