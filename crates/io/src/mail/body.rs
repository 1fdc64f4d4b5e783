//! The text of a message: its parts, decoded.

use std::borrow::Cow;

use lookalike_text::{decode_html, extract, replace_quotes};

use super::beside;
use super::charset;
use super::choice::{Chooser, Taken};
use super::limits::{MailError, MailLimits, MailOptions};
use super::parts::{Part, PartKind, Role, Structure};
use super::transfer::Transfer;
use super::trim;
use crate::{Beside, KeepOrDrop, MailAttachments};

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
    chooser: Chooser,
}

/// A quoted line in the place of a quotation in HTML.
const QUOTED: &str = "<p>&gt;</p>";

impl BodyBuffers {
    /// Decodes the parts and joins those that are read, each on lines of its own. Also what is
    /// compared beside them; `header` is what is compared of the header.
    pub(super) fn read<'a>(
        &mut self,
        raw: &'a [u8],
        structure: &mut Structure,
        header: Vec<u8>,
        limits: &MailLimits,
        options: &MailOptions,
    ) -> Result<(Body<'a>, Beside), MailError> {
        self.choose(raw, structure, limits, options)?;
        let mut header = header;
        header.extend_from_slice(&structure.headers);
        let mut digests = Vec::new();
        for attached in &structure.attached_headers {
            match options.attachments {
                MailAttachments::Compare => {
                    digests.push((Role::Attachment, beside::header_digest(attached)));
                }
                MailAttachments::Ignore => {}
                MailAttachments::Text => header.extend_from_slice(attached),
            }
        }
        self.text.clear();
        let body = self.texts(raw, structure, limits, options, &mut digests)?;
        for part in &structure.parts {
            let counts = match part.role {
                Role::Text => false,
                Role::Alternative => {
                    part.kind != PartKind::Html || options.html == KeepOrDrop::Keep
                }
                Role::Attachment => match options.attachments {
                    MailAttachments::Compare => true,
                    MailAttachments::Ignore => false,
                    MailAttachments::Text => !is_readable(part.kind),
                },
            };
            if counts {
                let digest = beside::digest(part, structure.bytes(raw, part), &mut self.decoded);
                digests.push((part.role, digest));
            }
        }
        Ok((body, beside::beside(header, digests)))
    }

    /// Makes the choices between plain text and HTML.
    fn choose(
        &mut self,
        raw: &[u8],
        structure: &mut Structure,
        limits: &MailLimits,
        options: &MailOptions,
    ) -> Result<(), MailError> {
        let whole = MailOptions { html: options.html, ..MailOptions::default() };
        for number in 0..structure.choices {
            let mut texts = [String::new(), String::new()];
            let mut found = false;
            for (at, is_plain) in [true, false].into_iter().enumerate() {
                self.text.clear();
                for part in &structure.parts {
                    let of = part.choice.filter(|choice| choice.choice == number);
                    if of.is_some_and(|choice| choice.is_plain == is_plain) {
                        found = true;
                        self.separate();
                        self.push(structure.bytes(raw, part), part, true, limits, &whole)?;
                    }
                }
                std::mem::swap(&mut texts[at], &mut self.text);
            }
            if !found {
                continue;
            }
            let taken = match options.html {
                KeepOrDrop::Drop => Taken::Plain,
                KeepOrDrop::Keep => self.chooser.choose(&texts[0], &texts[1]),
            };
            for part in &mut structure.parts {
                let Some(choice) = part.choice.filter(|choice| choice.choice == number) else {
                    continue;
                };
                let left = if choice.is_plain { Taken::Html } else { Taken::Plain };
                if taken == left && part.role == Role::Text {
                    part.role = Role::Alternative;
                }
            }
        }
        Ok(())
    }

    /// Decodes and joins the parts that are read. The digests of attachments that turn out to have
    /// no text are appended.
    fn texts<'a>(
        &mut self,
        raw: &'a [u8],
        structure: &Structure,
        limits: &MailLimits,
        options: &MailOptions,
        digests: &mut Vec<(Role, u128)>,
    ) -> Result<Body<'a>, MailError> {
        let with_attachments = options.attachments == MailAttachments::Text;
        let is_read = |part: &&Part| match part.role {
            Role::Text => {
                part.kind.is_text()
                    && (part.kind != PartKind::Html || options.html == KeepOrDrop::Keep)
            }
            Role::Alternative => false,
            Role::Attachment => with_attachments && is_readable(part.kind),
        };
        let read: Vec<&Part> = structure.parts.iter().filter(is_read).collect();
        if let [part] = read[..]
            && part.kind.is_text()
        {
            if part.source == 0
                && !trim::is_needed(options)
                && let Some(text) = borrowed(part, &raw[part.body.clone()])
            {
                return match text.len() > limits.text {
                    true => Err(MailError::TooMuchText(limits.text)),
                    false => Ok(Body::Raw(text)),
                };
            }
            // Without quotes, HTML is read as its text.
            let html = part.kind == PartKind::Html && options.quotes == KeepOrDrop::Keep;
            self.push(structure.bytes(raw, part), part, !html, limits, options)?;
            return Ok(if html { Body::Html } else { Body::Text });
        }
        // Attachments follow the text.
        let texts = read.iter().filter(|part| part.role == Role::Text);
        for part in texts.chain(read.iter().filter(|part| part.role == Role::Attachment)) {
            self.separate();
            let encoded = structure.bytes(raw, part);
            let PartKind::Office(kind) = part.kind else {
                self.push(encoded, part, true, limits, options)?;
                continue;
            };
            self.decoded.clear();
            part.transfer.decode(encoded, &mut self.decoded);
            match crate::office::text(&self.decoded, kind, limits.text) {
                Ok(text) if text.len() <= limits.text.saturating_sub(self.text.len()) => {
                    self.text.push_str(&text);
                }
                Ok(_) => return Err(MailError::TooMuchText(limits.text)),
                Err(_) => {
                    let digest = beside::digest(part, encoded, &mut self.decoded);
                    digests.push((part.role, digest));
                }
            }
        }
        Ok(Body::Text)
    }

    /// Ends the last line.
    fn separate(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
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
        let Self { decoded, text, is_forwarded, .. } = self;
        let bytes = match part.transfer {
            Transfer::Identity => encoded,
            transfer => {
                decoded.clear();
                transfer.decode(encoded, decoded);
                decoded.as_slice()
            }
        };
        let unicode = match (part.kind, part.charset.as_deref()) {
            // The page may name its encoding itself.
            (PartKind::Html, None) => decode_html(bytes).text,
            (_, charset) => charset::decode(bytes, charset)?,
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
            return Ok(());
        }
        if part.kind == PartKind::Html && plain {
            text.push_str(&extract(&unicode).text);
            return Ok(());
        }
        let unicode = match part.deletes_spaces {
            true => Cow::Owned(joined(&unicode)),
            false => unicode,
        };
        if part.kind != PartKind::Html && trim::is_needed(options) {
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

/// Whether the text of an attachment can be read.
fn is_readable(kind: PartKind) -> bool {
    kind.is_text() || matches!(kind, PartKind::Office(_))
}

/// The text of a part that needs no decoding: plain UTF-8 with LF line ends.
fn borrowed<'a>(part: &Part, bytes: &'a [u8]) -> Option<&'a str> {
    let plain = part.kind != PartKind::Html
        && part.transfer == Transfer::Identity
        && !part.deletes_spaces
        && charset::is_unicode_or_unknown(part.charset.as_deref())
        && !bytes.starts_with(b"\xef\xbb\xbf")
        && memchr::memchr(b'\r', bytes).is_none();
    if plain { simdutf8::basic::from_utf8(bytes).ok() } else { None }
}

/// Joins the lines of flowed text whose last space was added to break them (RFC 3676, section 4.1,
/// `DelSp=yes`). A line `-- ` is none of them, and lines of different quotation are not joined.
fn joined(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // The depth of quotation of a line that goes on.
    let mut open = None;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches(['\n', '\r']);
        let rest = content.trim_start_matches('>');
        let depth = content.len() - rest.len();
        // A space before the text protects it.
        let rest = rest.strip_prefix(' ').unwrap_or(rest);
        let signature = rest == "-- ";
        match open {
            Some(other) if other == depth && !signature => {}
            Some(_) => {
                out.push('\n');
                open = None;
            }
            None => {}
        }
        if open.is_none() {
            out.push_str(&content[..depth]);
            if depth > 0 {
                out.push(' ');
            }
        }
        let flows = !signature && rest.ends_with(' ') && line.len() > content.len();
        match flows {
            true => {
                out.push_str(&rest[..rest.len() - 1]);
                open = Some(depth);
            }
            false => {
                out.push_str(rest);
                out.push_str(if line.len() > content.len() { "\n" } else { "" });
                open = None;
            }
        }
    }
    if open.is_some() {
        out.push('\n');
    }
    out
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_flow_are_joined() {
        for (text, expected) in [
            ("\u{4eca}\u{65e5} \n\u{306f}\n", "\u{4eca}\u{65e5}\u{306f}\n"),
            ("word  \r\nand \r\n more\r\n", "word andmore\n"),
            ("> a \n> b\n>> c \n> d\n", "> ab\n>> c\n> d\n"),
            ("a \n-- \nb \nc", "a\n-- \nbc"),
            ("a \n", "a\n"),
            (" From \nx", "Fromx"),
            ("", ""),
        ] {
            assert_eq!(joined(text), expected, "{text:?}");
        }
    }
}
