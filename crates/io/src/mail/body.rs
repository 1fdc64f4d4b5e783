//! The text of a message: its parts, decoded.

use std::borrow::Cow;

use lookalike_text::{decode_html, extract, replace_quotes};

use super::charset;
use super::limits::{MailError, MailLimits, MailOptions};
use super::parts::{Part, PartKind};
use super::transfer::{self, Transfer};
use super::trim;
use crate::KeepOrDrop;

/// The text of a message: where it is, and whether it is HTML.
#[derive(Debug)]
pub(super) enum Body<'a> {
    /// A part of the message itself.
    Raw(&'a str),
    /// In [`BodyBuffers::text`]: plain text.
    Text,
    /// In [`BodyBuffers::text`]: HTML of a message that has no other text.
    Html,
}

/// Buffers for decoded parts.
#[derive(Debug, Default)]
pub(super) struct BodyBuffers {
    decoded: Vec<u8>,
    pub(super) text: String,
    /// Whether the message is a forwarded one, by its subject.
    pub(super) is_forwarded: bool,
}

/// A quoted line in the place of a quotation in HTML.
const QUOTED: &str = "<p>&gt;</p>";

impl BodyBuffers {
    /// Decodes the parts and joins them, each on lines of its own.
    pub(super) fn read<'a>(
        &mut self,
        raw: &'a [u8],
        parts: &[Part],
        limits: &MailLimits,
        options: &MailOptions,
    ) -> Result<Body<'a>, MailError> {
        self.text.clear();
        let counts = |part: &&Part| part.kind != PartKind::Html || options.html == KeepOrDrop::Keep;
        if let [part] = parts
            && counts(&part)
        {
            let bytes = &raw[part.body.clone()];
            if !trim::is_needed(options)
                && let Some(text) = borrowed(part, bytes)
            {
                return match text.len() > limits.text {
                    true => Err(MailError::TooMuchText(limits.text)),
                    false => Ok(Body::Raw(text)),
                };
            }
            // Without quotes, HTML is read as its text.
            let html = part.kind == PartKind::Html && options.quotes == KeepOrDrop::Keep;
            self.push(bytes, part, !html, limits, options)?;
            return Ok(if html { Body::Html } else { Body::Text });
        }
        for part in parts.iter().filter(counts) {
            if !self.text.is_empty() && !self.text.ends_with('\n') {
                self.text.push('\n');
            }
            self.push(&raw[part.body.clone()], part, true, limits, options)?;
        }
        Ok(Body::Text)
    }

    /// Appends the text of a part; of an HTML part the text without markup if `plain`.
    fn push(
        &mut self,
        encoded: &[u8],
        part: &Part,
        plain: bool,
        limits: &MailLimits,
        options: &MailOptions,
    ) -> Result<(), MailError> {
        let Self { decoded, text, is_forwarded } = self;
        decoded.clear();
        let bytes = match part.transfer {
            Transfer::Identity => encoded,
            Transfer::Base64 => {
                transfer::base64(encoded, decoded);
                decoded.as_slice()
            }
            Transfer::QuotedPrintable => {
                transfer::quoted_printable(encoded, decoded);
                decoded.as_slice()
            }
        };
        let unicode = match (part.kind, part.charset.as_deref()) {
            // The page may name its encoding itself.
            (PartKind::Html, None) => decode_html(bytes).text,
            (_, charset) => charset::decode(bytes, charset),
        };
        if unicode.len() > limits.text.saturating_sub(text.len()) {
            return Err(MailError::TooMuchText(limits.text));
        }
        if part.kind == PartKind::Html && options.quotes == KeepOrDrop::Drop {
            let page = match *is_forwarded {
                true => unicode,
                false => Cow::Owned(replace_quotes(&unicode, QUOTED).into_owned()),
            };
            let options = MailOptions { signatures: KeepOrDrop::Keep, ..*options };
            trim::push(&extract(&page).text, &options, *is_forwarded, text);
        } else if part.kind == PartKind::Html && plain {
            text.push_str(&extract(&unicode).text);
        } else if part.kind != PartKind::Html && trim::is_needed(options) {
            let mut lines = String::with_capacity(unicode.len());
            push_lines(&unicode, &mut lines);
            trim::push(&lines, options, *is_forwarded, text);
        } else {
            push_lines(&unicode, text);
        }
        Ok(())
    }

    /// Frees buffers that are larger than this.
    pub(super) fn free_large(&mut self, large: usize) {
        if self.decoded.capacity() > large {
            self.decoded = Vec::new();
        }
        if self.text.capacity() > large {
            self.text = String::new();
        }
    }
}

/// The text of a part that needs no decoding: plain UTF-8 with LF line ends.
fn borrowed<'a>(part: &Part, bytes: &'a [u8]) -> Option<&'a str> {
    let plain = part.kind != PartKind::Html
        && part.transfer == Transfer::Identity
        && charset::is_unicode_or_unknown(part.charset.as_deref())
        && !bytes.starts_with(b"\xef\xbb\xbf")
        && memchr::memchr(b'\r', bytes).is_none();
    if plain { simdutf8::basic::from_utf8(bytes).ok() } else { None }
}

/// Appends a text with LF line ends.
fn push_lines(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(at) = memchr::memmem::find(rest.as_bytes(), b"\r\n") {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
}
