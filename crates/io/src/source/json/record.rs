//! Makes a record of the values of a line.

use std::borrow::Cow;

use crate::source::fields::{Fields, Slot, nested_id};
use crate::source::position::bare;
use crate::{Content, FeatureList, FieldNumber, FieldTexts, RecordView};

use super::list::{compact, elements, features};
use super::members::members;
use super::nonfinite::is_nan;
use super::sections::joined;
use super::value::{Value, Values};

/// Makes a record of the values. `buffers` hold unescaped strings; the line is read again only to
/// list its members if there is no text.
pub(crate) fn record<'a>(
    fields: &Fields<'_>,
    values: &Values<'a>,
    buffers: &'a [String],
    (extra, given): (&'a mut Vec<FieldNumber>, &'a mut FieldTexts),
    list: &'a mut FeatureList,
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
    let text_or_html = || match (text(fields.text), values[fields.text]) {
        (Some(text), _) => Ok(Content::Text(text)),
        (None, Value::Repeated) => Err(repeated(fields, fields.text)),
        (None, _) if matches!(values[fields.html], Value::Repeated) => {
            Err(repeated(fields, fields.html))
        }
        (None, other) => match (text(fields.html), other) {
            _ if let Some(text) = joined(fields, values, buffers)? => {
                Ok(Content::Text(Cow::Owned(text)))
            }
            (Some(html), _) => Ok(Content::Html(html)),
            (None, Value::Other(kind)) => Err(no_string(fields, kind)),
            (None, Value::Null) => Err(fields.null_text()),
            (None, _) => Err(fields.no_text(&members(line), |slot| values.has(slot))),
        },
    };
    let content = match fields.features {
        None if fields.given_as_content => Content::Text(Cow::Borrowed("")),
        None => text_or_html()?,
        Some(slot) => match (values[slot], written(slot)) {
            (Value::Missing, _) => {
                return Err(fields.no_text(&members(line), |slot| values.has(slot)));
            }
            (Value::Raw("null") | Value::Null, _) => return Err(fields.null_text()),
            (Value::Repeated, _) => return Err(repeated(fields, slot)),
            (Value::Raw(raw), None) => {
                features(raw, list).map_err(|words| no_features(fields, slot, words))?;
                Content::Features(list)
            }
            _ => return Err(no_features(fields, slot, "is not a list")),
        },
    };
    let id = match (values[fields.id], written(fields.id)) {
        (Value::Raw("null") | Value::Missing, _) => None,
        (_, Some(id)) => Some(id).filter(|id| !id.is_empty()),
        (Value::Raw(logical @ ("true" | "false")), _) => Some(Cow::Borrowed(logical)),
        (Value::Raw(raw), _) if is_nan(raw) => None,
        (Value::Raw(_), None) if fields.names_id() => {
            let name = fields.names[fields.id];
            return Err(format!(
                "`{name}` is neither a string nor a number; name the id with the setting id_field"
            ));
        }
        (Value::Raw(raw), None) => nested_id(raw, compact).map(Cow::Owned),
        _ => None,
    };
    extra.clear();
    extra.extend(fields.extra.iter().map(|&slot| match (values[slot], written(slot)) {
        (Value::Missing | Value::Null | Value::Raw("null"), _) => FieldNumber::Missing,
        (Value::Raw(logical @ ("true" | "false")), _) => FieldNumber::of(logical),
        (Value::Raw(raw), _) if is_nan(raw) => FieldNumber::Missing,
        (_, Some(value)) => FieldNumber::of(&value),
        (_, None) => FieldNumber::Unreadable,
    }));
    given.clear();
    for (field, &slot) in fields.given.iter().enumerate() {
        match (values[slot], written(slot)) {
            (Value::Raw("null"), _) => {}
            (Value::Raw(raw), None) if is_nan(raw) => {}
            (Value::Raw(raw), None) => elements(raw, &mut |value| given.push(field, value)),
            (_, value) => value.iter().for_each(|value| given.push(field, value)),
        }
    }
    if fields.given_as_content {
        let is_repeated = |slot: &&usize| matches!(values[**slot], Value::Repeated);
        if let Some(&slot) = fields.given.iter().find(is_repeated) {
            return Err(repeated(fields, slot));
        }
        if fields.has_none(given) {
            return Err(
                match fields.given.iter().all(|&slot| matches!(values[slot], Value::Missing)) {
                    true => fields.no_text(&members(line), |slot| values.has(slot)),
                    false => fields.null_text(),
                },
            );
        }
    }
    Ok(RecordView {
        id,
        url: written(fields.url),
        title: written(fields.title),
        date: written(fields.date),
        extra,
        beside: fields.beside(given),
        given,
        ..bare(content)
    })
}

/// The message for a text that is not a string.
fn no_string(fields: &Fields<'_>, kind: &str) -> String {
    let name = fields.names[fields.text];
    let joined = match kind {
        "a list" => ", or join lists of strings with the setting join_lists",
        _ => "",
    };
    format!("`{name}` is {kind}, not a string; name the text with the setting text_field{joined}")
}

/// The message for a text or features that an object has twice.
fn repeated(fields: &Fields<'_>, slot: Slot) -> String {
    format!("`{}` occurs twice in the object; keep one of them", fields.names[slot])
}

/// The message for something other than a list of features.
fn no_features(fields: &Fields<'_>, slot: Slot, words: &str) -> String {
    let (name, setting) = (fields.names[slot], fields.features_setting);
    format!("`{name}` {words}; name a list of integers or strings with the setting {setting}")
}

fn is_number(raw: &str) -> bool {
    raw.strip_prefix('-').unwrap_or(raw).starts_with(|first: char| first.is_ascii_digit())
}
