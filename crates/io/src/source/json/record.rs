//! Makes a record of the values of a line.

use std::borrow::Cow;

use crate::source::fields::Fields;
use crate::{Content, FieldNumber, RecordView};

use super::members::members;
use super::value::Value;

/// Makes a record of the values. `buffers` hold unescaped strings; the line is read again only to
/// list its members if there is no text.
pub(in crate::source) fn record<'a>(
    fields: &Fields<'_>,
    values: &[Value<'a>],
    buffers: &'a [String],
    extra: &'a mut Vec<FieldNumber>,
    line: &[u8],
) -> Result<RecordView<'a>, String> {
    let text = |slot: usize| match values[slot] {
        Value::Borrowed(text) => Some(Cow::Borrowed(text)),
        Value::Buffered => Some(Cow::Borrowed(buffers[slot].as_str())),
        // Without escapes, or it would be in the buffer.
        Value::Raw(raw) => raw.strip_prefix('"')?.strip_suffix('"').map(Cow::Borrowed),
        _ => None,
    };
    let written = |slot: usize| match values[slot] {
        Value::Raw(raw) if is_number(raw) => Some(Cow::Borrowed(raw)),
        _ => text(slot),
    };
    let content = match (text(fields.text), values[fields.text]) {
        (Some(text), _) => Content::Text(text),
        (None, other) => match (text(fields.html), other) {
            (Some(html), _) => Content::Html(html),
            (None, Value::Other(kind)) => {
                let name = fields.names[fields.text];
                return Err(format!(
                    "`{name}` is {kind}, not a string; name the text with the setting text_field"
                ));
            }
            (None, Value::Null) => return Err(fields.null_text()),
            (None, _) => return Err(fields.no_text(&members(line))),
        },
    };
    let id = match (values[fields.id], written(fields.id)) {
        (Value::Raw("null") | Value::Missing, _) => None,
        (_, Some(id)) => Some(id).filter(|id| !id.is_empty()),
        (_, None) => {
            let name = fields.names[fields.id];
            return Err(format!(
                "`{name}` is neither a string nor a number; name the id with the setting id_field"
            ));
        }
    };
    extra.clear();
    extra.extend(fields.extra.iter().map(|&slot| match (values[slot], written(slot)) {
        (Value::Missing | Value::Null | Value::Raw("null"), _) => FieldNumber::Missing,
        (Value::Raw(logical @ ("true" | "false")), _) => FieldNumber::of(logical),
        (_, Some(value)) => FieldNumber::of(&value),
        (_, None) => FieldNumber::Unreadable,
    }));
    Ok(RecordView {
        file: 0,
        record: 0,
        line: 0,
        id,
        content,
        url: written(fields.url),
        title: written(fields.title),
        date: written(fields.date),
        extra,
    })
}

fn is_number(raw: &str) -> bool {
    raw.starts_with(|first: char| first == '-' || first.is_ascii_digit())
}
