//! Internet messages (RFC 5322 with MIME): the text and the header fields of one message.
//!
//! The primary type is [`MailReader`]: bytes of a message in, a [`Mail`] that borrows from them and
//! from the reader's buffers out. It is used for mbox, Maildir and eml inputs, and needs no file.
//!
//! *Text.* Of `multipart/alternative` the first plain text that is not blank is taken or the first HTML,
//! whichever holds the content (`choice`), and any other text without both. Of any other multipart,
//! all text parts count, in order, those of embedded messages (`message/rfc822`) included, which may
//! be encoded. Transfer encodings and charsets are decoded and line ends are LF. The subject is not
//! part of the text.
//!
//! *Beside the text* (`beside`): attachments are parts with `Content-Disposition: attachment` and
//! parts that are not text, but for detached signatures. Header fields and attachments decide whether
//! messages are identical, and attachments whether they match at all ([`MailAttachments`]).
//!
//! [`MailAttachments`]: crate::MailAttachments
//!
//! *Left out.* [`MailOptions`] say whether quoted text, signatures and HTML parts count.
//!
//! *Damage.* Mail of the world is full of it, and a mail client shows such a message anyway, so
//! damage inside of a message is decoded as far as it goes: invalid base64 and quoted-printable
//! characters are skipped or kept as they are, text without a charset or with a wrong one is UTF-8
//! if it can be and otherwise windows-1252, a multipart whose boundary never occurs is plain text.
//! Refused are only messages without header fields, those with a text in a charset that cannot be
//! decoded, and those that exceed [`MailLimits`]: a text is never cut off, because two messages with
//! equal beginnings would look identical.
//!
//! *Cost.* One pass over the bytes finds the parts, without recursion and in linear time for any
//! nesting; parts that are read, compared or chosen among are decoded.

mod attribution;
mod beside;
mod body;
mod charset;
mod choice;
mod compared;
mod date;
mod fields;
mod limits;
pub(crate) mod mbox;
mod original;
mod parts;
mod reader;
mod transfer;
mod trim;

pub use limits::{MailError, MailLimits, MailOptions};
pub use reader::{Mail, MailReader};
