//! Digest of a document's original content: equal for *identical* documents.
//!
//! Broder et al. 1997, "Identical documents", calls two documents identical if the fingerprints of
//! the whole originals are equal. The original is the content as given, before decoding and
//! extraction:
//!
//! * plain text in a record: the value of its text field, as UTF-8;
//! * a text or Markdown file: the bytes of the file, after decompression;
//! * HTML in a record: the value of its HTML field, as UTF-8;
//! * an HTML file: the bytes of the file, after decompression;
//! * a mail message: its decoded text, or its HTML if it has no other text, and what is compared beside it
//!   ([`Beside`]);
//! * ready-made features: the list, in its order.
//!
//! Text is one kind, from any source: equal bytes give equal words. The same bytes as HTML are a
//! different document, and so are an HTML file and an HTML field, because the encoding of a file is
//! detected from its bytes and that of a field is known. So identical documents always have the
//! same words.

use lookalike_core::{TextDigest, TokenDigest};
use lookalike_io::{Beside, Content};

/// Kinds of content with a digest of their own; plain text is 0.
const HTML: u64 = 1;
const HTML_FILE: u64 = 2;
const FEATURES: u64 = 3;
const MESSAGE: u64 = 4;

/// Digest of the original content, and of what is compared beside it.
#[must_use]
pub fn digest(content: &Content<'_>, beside: Beside) -> TextDigest {
    of_message(of_content(content), beside)
}

/// The digest of a message with this digest of its text.
#[must_use]
pub fn of_message(text: TextDigest, beside: Beside) -> TextDigest {
    match beside.original {
        None => text,
        Some(original) => {
            let parts = [text.0.to_le_bytes(), original.to_le_bytes()];
            TextDigest::of_kind(MESSAGE, parts.as_flattened())
        }
    }
}

fn of_content(content: &Content<'_>) -> TextDigest {
    match content {
        Content::Text(text) => TextDigest::of(text.as_bytes()),
        Content::TextBytes(bytes) => TextDigest::of(bytes),
        Content::Html(html) => TextDigest::of_kind(HTML, html.as_bytes()),
        Content::HtmlBytes(bytes) => TextDigest::of_kind(HTML_FILE, bytes),
        Content::Features(list) => {
            let (text, ends) = list.parts();
            let text = TextDigest::of_kind(FEATURES, text.as_bytes()).0.to_le_bytes();
            let ends = TokenDigest::of(ends).0.to_le_bytes();
            TextDigest::of_kind(FEATURES, [text, ends].as_flattened())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_bytes_of_one_kind_are_one_original() {
        let text = "caf\u{e9}";
        let contents = [
            Content::Text(text.into()),
            Content::TextBytes(text.as_bytes().into()),
            Content::Html(text.into()),
            Content::HtmlBytes(text.as_bytes().into()),
            Content::TextBytes(b"\xef\xbb\xbfcaf\xc3\xa9"[..].into()),
            Content::TextBytes(b"\xff\xfec\0a\0f\0\xe9\0"[..].into()),
        ];
        for (number, one) in contents.iter().enumerate() {
            for (other_number, other) in contents.iter().enumerate() {
                let same = number == other_number || number.max(other_number) == 1;
                let digest = |content| digest(content, Beside::default());
                assert_eq!(digest(one) == digest(other), same, "{one:?} and {other:?}");
            }
        }
    }
}
