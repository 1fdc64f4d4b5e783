//! Limits and options of one message, and why a message cannot be read.

use crate::{KeepOrDrop, MailAttachments};

/// Limits of one message. A message that exceeds one is refused, not cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MailLimits {
    /// Multiparts and embedded messages inside each other.
    pub depth: usize,
    /// Parts of all kinds.
    pub parts: usize,
    /// Bytes of decoded text, before markup is removed.
    pub text: usize,
}

impl MailLimits {
    /// Header fields of the message or of one of its parts.
    pub(super) const FIELDS: usize = 100_000;
}

impl Default for MailLimits {
    fn default() -> Self {
        Self { depth: 16, parts: 200, text: 4 << 20 }
    }
}

/// What of a message is part of its text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MailOptions {
    /// Quoted text, with the lines that attribute it. Without it, HTML is read as its text.
    pub quotes: KeepOrDrop,
    /// Signatures of plain text parts.
    pub signatures: KeepOrDrop,
    /// HTML parts.
    pub html: KeepOrDrop,
    /// Attachments.
    pub attachments: MailAttachments,
}

/// Why a message cannot be read. The message names the remedy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MailError {
    /// The first line is not a header field.
    #[error("not a mail message: it does not start with a header field such as `From:`")]
    NoHeader,
    /// See [`MailLimits`].
    #[error("the message has more than {0} header fields; remove those that are not needed")]
    TooManyFields(usize),
    /// See [`MailLimits::depth`].
    #[error("the parts of the message are nested more than {0} deep; extract its text")]
    TooDeep(usize),
    /// See [`MailLimits::parts`].
    #[error("the message has more than {0} parts; split it, or extract its text")]
    TooManyParts(usize),
    /// See [`MailLimits::text`].
    #[error("the message holds more than {0} bytes of text; split it")]
    TooMuchText(usize),
    /// A text in a charset that cannot be decoded.
    #[error(
        "a text of the message is in the charset `{0}`, which is not supported; convert it to UTF-8"
    )]
    Charset(String),
}
