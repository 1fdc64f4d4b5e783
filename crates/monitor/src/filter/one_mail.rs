//! One mail message by itself, as a mail server hands it to a program.

use lookalike_io::mail::{Mail, MailLimits, MailOptions, MailReader};
use lookalike_io::{Beside, FieldNames};
use lookalike_run::{Record, Settings};

/// The record of a mail message: as one of a file, but called by its Message-ID unless `settings` name
/// another field, and `stdin` if it has none. A separator line of an mbox before it is skipped.
///
/// ```
/// let raw = b"Subject: lunch\nMessage-ID: <1@a.example>\n\nShall we meet at noon?\n";
/// let record = lookalike::filter::mail_record(raw, &lookalike::Settings::default())?;
/// assert_eq!(record.id.as_deref(), Some("1@a.example"));
/// assert_eq!((record.title.as_deref(), &*record.text), (Some("lunch"), "Shall we meet at noon?\n"));
/// # Ok::<(), String>(())
/// ```
///
/// # Errors
/// Why it cannot be read, in words: it is no mail message, or exceeds a limit.
pub fn mail_record(raw: &[u8], settings: &Settings) -> Result<Record, String> {
    let limits = settings
        .max_record
        .map_or(MailLimits::default(), |text| MailLimits { text, ..MailLimits::default() });
    let mut reader = MailReader::with_options(limits, MailOptions::from(&settings.formats));
    let mail = reader.read(raw).map_err(|error| error.to_string())?;
    let usual = FieldNames::default();
    // What is compared beside the text.
    let beside = (settings.fields.text == usual.text).then(|| mail.beside().written());
    let labels = beside.flatten().map(|written| (Beside::FIELD.to_owned(), written));
    let FieldNames { text, id, title, .. } = &settings.fields;
    let text = match *text == usual.text {
        true => mail.text().into_owned(),
        false => named(&mail, text)
            .ok_or_else(|| format!("the message has no header field `{text}`; name another one"))?,
    };
    let id = if *id == usual.id { mail.message_id().map(Into::into) } else { named(&mail, id) };
    let title = match *title == usual.title {
        true => named(&mail, "subject"),
        false => named(&mail, title),
    };
    let id = id.filter(|id: &String| !id.is_empty()).or_else(|| Some("stdin".to_owned()));
    Ok(Record { text, id, title, labels: labels.into_iter().collect(), ..Record::default() })
}

fn named(mail: &Mail<'_>, name: &str) -> Option<String> {
    mail.header(name).map(|value| value.into_owned())
}
