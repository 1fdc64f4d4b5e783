//! Parses mail messages into records.

use std::borrow::Cow;

use crate::mail::{Mail, MailLimits, MailOptions, MailReader};
use crate::{Beside, Content, FieldNumber, FieldTexts, FormatOptions, Inputs, Item, RecordView};

use super::Chunk;
use super::fields::{Fields, non_empty};
use super::position::RecordPosition;
use super::record_limit::too_long_in_stream;
use super::scratch::VisitScratch;
use super::suggest::shown;

/// Limits of a message in a collection: of text as much as a record may hold.
pub(super) fn limits(max_record: usize) -> MailLimits {
    MailLimits { text: max_record, ..MailLimits::default() }
}

/// What of a message is part of its text.
pub(super) fn options(formats: &FormatOptions) -> MailOptions {
    let FormatOptions { mail_quotes, mail_signatures, mail_html, mail_attachments, .. } = *formats;
    MailOptions {
        quotes: mail_quotes,
        signatures: mail_signatures,
        html: mail_html,
        attachments: mail_attachments.unwrap_or_default(),
    }
}

impl From<&FormatOptions> for MailOptions {
    fn from(formats: &FormatOptions) -> Self {
        options(formats)
    }
}

/// Parses the messages of a chunk of an mbox.
pub(super) fn visit(
    chunk: &Chunk,
    (data, starts): (&[u8], &[usize]),
    inputs: &Inputs,
    fields: &Fields<'_>,
    scratch: &mut VisitScratch,
    wanted: &dyn Fn(u32, u32) -> bool,
    visit: &mut dyn FnMut(Item<'_>),
) {
    let limit = inputs.options.max_record();
    scratch.mail.set_options(limits(limit), options(&inputs.options.formats));
    let (mut line, mut seen) = (chunk.first_line, 0);
    for ((record, raw), start) in chunk.raw_records().zip(starts) {
        line += memchr::memchr_iter(b'\n', &data[seen..*start]).count() as u64;
        seen = *start;
        if !wanted(chunk.file, record) {
            continue;
        }
        let place = RecordPosition { record, line, offset: chunk.offset + *start as u64 };
        let VisitScratch { mail, extra, given, .. } = &mut *scratch;
        let read = match raw.len() > limit {
            true => Err(too_long_in_stream(limit)),
            false => match mail.read_mbox(raw) {
                Ok(mail) => self::record(mail, fields, (extra, given)),
                Err(error) => Err(error.to_string()),
            },
        };
        match read {
            Ok(record) => visit(Item::Record(place.record(chunk.file, record))),
            Err(words) => visit(Item::Bad(place.problem(chunk, inputs, 0, words))),
        }
    }
}

/// Makes a record of a message. Fields are header fields by their names in any case, except:
///
/// * `text` is the text of the message, and `title` its subject;
/// * the date is given in UTC, and missing if it is no date;
/// * message ids are without angle brackets.
///
/// Fails if the text is to be a header field that the message lacks.
pub(super) fn record<'a>(
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
    Ok(RecordView {
        file: 0,
        record: 0,
        line: 0,
        id,
        content,
        url,
        title,
        date,
        extra,
        given,
        beside,
    })
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
pub(super) fn names(reader: &mut MailReader, message: &[u8]) -> Option<Vec<String>> {
    let mail = reader.read(message).ok()?;
    let header = mail.names().map(|name| name.to_ascii_lowercase());
    Some(std::iter::once("text".to_owned()).chain(header).collect())
}
