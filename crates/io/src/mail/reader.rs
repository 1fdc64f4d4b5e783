//! Reader of messages.

use std::borrow::Cow;

use super::body::{Body, BodyBuffers};
use super::compared::push_header;
use super::date;
use super::fields::{self, Fields};
use super::limits::{MailError, MailLimits, MailOptions};
use super::mbox;
use super::parts::Structure;
use crate::{Beside, Content, KeepOrDrop};
use lookalike_text::decode_text;

/// Reads messages one after the other, with buffers that are reused.
///
/// ```
/// use lookalike_io::Content;
/// use lookalike_io::mail::{MailLimits, MailReader};
///
/// let raw = b"From: Ann <ann@a.example>\r\n\
///     Subject: =?utf-8?q?Caf=C3=A9?=\r\n\
///     Date: Mon, 23 Nov 2026 22:30:17 +0100\r\n\
///     Message-ID: <1@a.example>\r\n\
///     Content-Type: text/plain; charset=iso-8859-1\r\n\
///     Content-Transfer-Encoding: quoted-printable\r\n\
///     \r\n\
///     Gr=FC=DFe\r\n";
/// let mut reader = MailReader::new(MailLimits::default());
/// let mail = reader.read(raw)?;
/// assert_eq!(mail.subject().as_deref(), Some("Caf\u{e9}"));
/// assert_eq!(mail.date().as_deref(), Some("2026-11-23T21:30:17Z"));
/// assert_eq!(mail.message_id().as_deref(), Some("1@a.example"));
/// assert_eq!(mail.from().as_deref(), Some("Ann <ann@a.example>"));
/// assert!(mail.list_id().is_none());
/// assert!(matches!(mail.content(), Content::Text(text) if text == "Gr\u{fc}\u{df}e\n"));
/// # Ok::<(), lookalike_io::mail::MailError>(())
/// ```
#[derive(Debug, Default)]
pub struct MailReader {
    limits: MailLimits,
    options: MailOptions,
    header: Fields,
    structure: Structure,
    body: BodyBuffers,
    /// A message without the quoting of its mbox.
    unquoted: Vec<u8>,
    /// A message in UTF-16 as UTF-8.
    converted: String,
}

impl MailReader {
    /// A reader with these limits.
    #[must_use]
    pub fn new(limits: MailLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// A reader with these limits that leaves out what the options say.
    #[must_use]
    pub fn with_options(limits: MailLimits, options: MailOptions) -> Self {
        Self { limits, options, ..Self::default() }
    }

    /// Changes limits and options.
    pub(crate) fn set_options(&mut self, limits: MailLimits, options: MailOptions) {
        (self.limits, self.options) = (limits, options);
    }

    /// Reads the bytes of one message.
    ///
    /// # Errors
    /// No header field, or more of something than [`MailLimits`] allow.
    pub fn read<'a>(&'a mut self, raw: &'a [u8]) -> Result<Mail<'a>, MailError> {
        let Self { limits, options, header, structure, body, converted, .. } = self;
        let raw = match raw {
            // Editors add a byte order mark, and some write UTF-16.
            [0xef, 0xbb, 0xbf, rest @ ..] => rest,
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
                *converted = decode_text(raw).text.into_owned();
                converted.as_bytes()
            }
            raw => raw,
        };
        read(raw, (limits, options), header, structure, body)
    }
}

impl MailReader {
    /// Reads a message of an mbox: without its separator line, the quoting of body lines that start
    /// with `From `, and the blank line that separates it from the next one.
    pub(crate) fn read_mbox<'a>(&'a mut self, raw: &'a [u8]) -> Result<Mail<'a>, MailError> {
        let message = mbox::message(raw);
        let mut unquoted = std::mem::take(&mut self.unquoted);
        let quoted = mbox::unquote(message, &mut unquoted);
        self.unquoted = unquoted;
        if !quoted {
            return self.read(message);
        }
        let Self { limits, options, header, structure, body, unquoted, .. } = self;
        read(unquoted, (limits, options), header, structure, body)
    }

    /// The buffer that holds the text of the message read last, if its text was decoded; taken out.
    pub(crate) fn take_buffers(&mut self) -> [Vec<u8>; 3] {
        let Self { body, unquoted, converted, .. } = self;
        let texts = [&mut body.text, converted].map(std::mem::take);
        let [text, converted] = texts.map(String::into_bytes);
        [text, std::mem::take(unquoted), converted]
    }

    /// Frees buffers that are larger than this.
    pub(crate) fn free_large(&mut self, large: usize) {
        self.body.free_large(large);
        if self.unquoted.capacity() > large {
            self.unquoted = Vec::new();
        }
        if self.converted.capacity() > large {
            self.converted = String::new();
        }
        self.structure.free_large(large);
    }
}

/// Reads a message into the buffers.
fn read<'a>(
    raw: &'a [u8],
    (limits, options): (&MailLimits, &MailOptions),
    header: &'a mut Fields,
    structure: &mut Structure,
    body: &'a mut BodyBuffers,
) -> Result<Mail<'a>, MailError> {
    let start = header.split(raw, 0)?;
    if header.is_empty() {
        return Err(MailError::NoHeader);
    }
    structure.find(raw, header, start, limits)?;
    body.is_forwarded = options.quotes == KeepOrDrop::Drop
        && header.raw(raw, "subject").is_some_and(|subject| is_forwarded(&fields::text(subject)));
    let mut compared = Vec::new();
    push_header(header, raw, &mut compared);
    let (found, beside) = body.read(raw, structure, compared, limits, options)?;
    let content = match found {
        Body::Raw(text) => Content::Text(Cow::Borrowed(text)),
        Body::Text => Content::Text(Cow::Borrowed(body.text.as_str())),
        Body::Html => Content::Html(Cow::Borrowed(body.text.as_str())),
    };
    Ok(Mail { raw, header, content, beside })
}

/// Whether a subject says that the message is a forwarded one.
fn is_forwarded(subject: &str) -> bool {
    const PREFIXES: [&str; 9] = ["fwd", "fw", "wg", "tr", "rv", "enc", "vb", "vl", "i"];
    let mut subject = subject.trim_start();
    // The tag of a mailing list.
    while let Some((_, rest)) = subject.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        subject = rest.trim_start();
    }
    let prefix = subject.split_once([':', '\u{ff1a}']).map(|(prefix, _)| prefix.trim());
    prefix.is_some_and(|prefix| PREFIXES.iter().any(|known| prefix.eq_ignore_ascii_case(known)))
}

/// A message: its text and its header fields, which are decoded when asked for. Of a field that
/// occurs several times, the first counts.
#[derive(Debug)]
pub struct Mail<'a> {
    raw: &'a [u8],
    header: &'a Fields,
    content: Content<'a>,
    beside: Beside,
}

impl<'a> Mail<'a> {
    /// The text, with markup if the message has an HTML part and no other text: always
    /// [`Content::Text`] or [`Content::Html`], borrowed.
    #[must_use]
    pub fn content(&self) -> &Content<'a> {
        &self.content
    }

    /// What is compared beside the text.
    #[must_use]
    pub fn beside(&self) -> Beside {
        self.beside
    }

    /// The text without markup.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match &self.content {
            Content::Html(html) => Cow::Owned(lookalike_text::extract(html).text),
            Content::Text(text) => Cow::Borrowed(text),
            // A message has decoded text only.
            Content::TextBytes(_) | Content::HtmlBytes(_) | Content::Features(_) => {
                Cow::Borrowed("")
            }
        }
    }

    /// The text, without copying it.
    #[must_use]
    pub fn into_content(self) -> Content<'a> {
        self.content
    }

    /// A header field by its name in any case: unfolded and decoded. `None` if it is missing.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<Cow<'a, str>> {
        self.header.raw(self.raw, name).map(fields::text)
    }

    /// The subject.
    #[must_use]
    pub fn subject(&self) -> Option<Cow<'a, str>> {
        self.header("subject")
    }

    /// The authors as written, such as `Ann <ann@a.example>`.
    #[must_use]
    pub fn from(&self) -> Option<Cow<'a, str>> {
        self.header("from")
    }

    /// The message id without angle brackets.
    #[must_use]
    pub fn message_id(&self) -> Option<Cow<'a, str>> {
        self.first_id("message-id")
    }

    /// The first message id of a field such as `In-Reply-To`, without angle brackets.
    #[must_use]
    pub fn first_id(&self, name: &str) -> Option<Cow<'a, str>> {
        fields::message_id(self.header.raw(self.raw, name)?)
    }

    /// The `Date` field in UTC, as `2026-11-23T21:30:17Z`. `None` if it is missing or no date.
    #[must_use]
    pub fn date(&self) -> Option<String> {
        self.date_of("date")
    }

    /// A field that holds a date, in UTC; of `Received` the time when it was received.
    #[must_use]
    pub fn date_of(&self, name: &str) -> Option<String> {
        date::utc(self.header.raw(self.raw, name)?)
    }

    /// The `List-Id` field as written.
    #[must_use]
    pub fn list_id(&self) -> Option<Cow<'a, str>> {
        self.header("list-id")
    }

    /// The names of the header fields, as written and in their order.
    pub fn names(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.header.names(self.raw).map(String::from_utf8_lossy)
    }
}
