//! Maildir and eml: one mail message per file. Parses mail messages into records.

use std::borrow::Cow;

use crate::input::format::{About, Packing, Structure};
use crate::mail::{Mail, MailLimits, MailOptions, MailReader};
use crate::source::fields::{Fields, non_empty};
use crate::source::position::bare;
use crate::source::suggest::shown;
use crate::{Beside, Content, FieldNumber, FieldTexts, Format, FormatOptions, RecordView};

use super::item::{DocumentFormat, FormatItem, Reading};

static MAILDIR: About = About {
    name: "maildir",
    structure: Structure::Message,
    packing: Packing::Bytes,
    recognised: "names in a Maildir",
    ..About::DOCUMENT
};

static EML: About =
    About { name: "eml", extensions: &["eml"], structure: Structure::Message, ..About::DOCUMENT };

pub(super) const FORMATS: &[FormatItem] = &[
    FormatItem { about: &MAILDIR, reading: Reading::Document(&Message) },
    FormatItem { about: &EML, reading: Reading::Document(&Message) },
];

impl Format {
    /// One mail message per file, in the `cur` and `new` directories of a Maildir.
    pub const MAILDIR: Self = Self(&MAILDIR);
    /// One mail message per file.
    pub const EML: Self = Self(&EML);
}

/// Limits of a message in a collection: of text as much as a record may hold.
pub(crate) fn limits(max_record: usize) -> MailLimits {
    MailLimits { text: max_record, ..MailLimits::default() }
}

impl From<&FormatOptions> for MailOptions {
    fn from(formats: &FormatOptions) -> Self {
        Self {
            quotes: formats.mail_quotes,
            signatures: formats.mail_signatures,
            html: formats.mail_html,
            attachments: formats.mail_attachments.unwrap_or_default(),
        }
    }
}

/// Mail messages are read as they are, and parsed with the wanted fields when they are visited.
struct Message;

impl DocumentFormat for Message {}

/// Makes a record of a message. Fields are header fields by their names in any case, except:
///
/// * `text` is the text of the message, and `title` its subject;
/// * the date is given in UTC, and missing if it is no date;
/// * message ids are without angle brackets.
///
/// Fails if the text is to be a header field that the message lacks.
pub(crate) fn record<'a>(
    mail: Mail<'a>,
    fields: &Fields<'_>,
    (extra, given): (&'a mut Vec<FieldNumber>, &'a mut FieldTexts),
) -> Result<RecordView<'a>, String> {
    let name = |slot: usize| fields.names[slot];
    let value = |slot: usize| field(&mail, name(slot)).and_then(non_empty);
    fields.read_named(value, extra, given);
    let title = match name(fields.title) {
        "title" => mail.subject().and_then(non_empty),
        _ => value(fields.title),
    };
    let date = mail.date_of(name(fields.date)).map(Cow::Owned);
    let (id, url) = (value(fields.id), value(fields.url));
    let (content, beside) = match name(fields.text) {
        "text" => {
            let beside = mail.beside();
            (mail.into_content(), beside)
        }
        header => match mail.header(header) {
            Some(text) => (Content::Text(text), Beside::default()),
            None => {
                return Err(format!(
                    "the message has no header field `{}`; name another one, or `text` for its \
                     text, with the setting text_field",
                    shown(header)
                ));
            }
        },
    };
    Ok(RecordView { id, url, title, date, extra, given, beside, ..bare(content) })
}

/// The value of a header field.
fn field<'a>(mail: &Mail<'a>, name: &str) -> Option<Cow<'a, str>> {
    const IDS: [&str; 4] = ["message-id", "in-reply-to", "content-id", "resent-message-id"];
    match IDS.iter().any(|known| known.eq_ignore_ascii_case(name)) {
        true => mail.first_id(name),
        false => mail.header(name),
    }
}

/// The names of the fields of a message, in lower case; `None` if it cannot be read.
pub(crate) fn names(reader: &mut MailReader, message: &[u8]) -> Option<Vec<String>> {
    let mail = reader.read(message).ok()?;
    let header = mail.names().map(|name| name.to_ascii_lowercase());
    Some(std::iter::once("text".to_owned()).chain(header).collect())
}
