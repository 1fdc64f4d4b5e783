//! The sections of a text in a JSON object.

use std::borrow::Cow;

use serde_json::Value as Json;

use crate::FieldNames;
use crate::source::fields::Fields;
use crate::source::sections::{Sections, Step};

use super::nonfinite::{finite, is_nan};
use super::parse::parse;
use super::value::{Value, Values};

/// Joins the sections of the text of a record; `None` if it has none.
///
/// # Errors
/// A section that is no text.
pub(super) fn joined(
    fields: &Fields<'_>,
    values: &Values<'_>,
    buffers: &[String],
) -> Result<Option<String>, String> {
    let mut sections = Sections::default();
    for (slot, path) in &fields.sections {
        let name = path.field;
        let raw = match values[*slot] {
            Value::Missing | Value::Null | Value::Raw("null") => continue,
            Value::Repeated => {
                return Err(format!("`{name}` occurs twice in the object; keep one of them"));
            }
            Value::Buffered if path.steps.is_empty() => {
                sections.push(&buffers[*slot]);
                continue;
            }
            Value::Borrowed(text) if path.steps.is_empty() => {
                sections.push(text);
                continue;
            }
            Value::Buffered | Value::Borrowed(_) => {
                return Err(format!("`{name}` is a string, not a list; {REMEDY}"));
            }
            Value::Other(kind) => return Err(format!("`{name}` is {kind}, not a text; {REMEDY}")),
            Value::Raw(raw) => raw,
        };
        if is_nan(raw) && path.steps.is_empty() {
            continue;
        }
        let value: Json = serde_json::from_str(match finite(raw) {
            Cow::Borrowed(raw) => raw,
            Cow::Owned(ref copy) => copy,
        })
        .map_err(|error| format!("`{name}` cannot be read: {error}; save it as JSON"))?;
        walk(&value, &path.steps, &mut sections).map_err(|kind| match path.steps.is_empty() {
            true => format!("`{name}` is {kind}, not a text; {REMEDY}"),
            false => {
                format!("`{name}` holds {kind} where it should hold a text or a list; {REMEDY}")
            }
        })?;
    }
    Ok(sections.into_text())
}

impl FieldNames {
    /// The text of a JSON object, joined from its sections; `None` if it has none.
    ///
    /// ```
    /// use lookalike_io::FieldNames;
    ///
    /// let names = FieldNames { text: "chat[role=user].content,note".into(), ..FieldNames::default() };
    /// let record = r#"{"chat": [{"role": "user", "content": "Who?"}, {"role": "bot", "content": "I"}], "note": "x"}"#;
    /// assert_eq!(names.joined_text(record).unwrap().unwrap(), "Who?\n\u{1e}\nx");
    /// ```
    ///
    /// # Errors
    /// What is no JSON object; a section that is no text.
    pub fn joined_text(&self, object: &str) -> Result<Option<String>, String> {
        let fields = Fields::new(self);
        let mut values = Values::new(fields.names.len());
        let mut buffers = vec![String::new(); fields.names.len()];
        parse(object.as_bytes(), &fields, &mut values, &mut buffers).map_err(|(_, words)| words)?;
        joined(&fields, &values, &buffers)
    }
}

const REMEDY: &str = "name the text with the setting text_field, as `messages[].content`";

/// Adds the strings that the steps lead to. Returns the kind of a value that is neither a text nor leads to
/// one.
fn walk(value: &Json, steps: &[Step<'_>], sections: &mut Sections) -> Result<(), &'static str> {
    match (steps, value) {
        (_, Json::Null) => Ok(()),
        ([], Json::String(text)) => {
            sections.push(text);
            Ok(())
        }
        // The parts of a message: texts, and others that are none.
        ([], Json::Array(parts)) => parts.iter().try_for_each(|part| match part {
            Json::Object(part) => match part.get("text") {
                Some(Json::String(text)) => {
                    sections.push(text);
                    Ok(())
                }
                _ => Ok(()),
            },
            Json::Array(_) => Err("a list in a list"),
            part => walk(part, &[], sections),
        }),
        ([Step::Each(condition), rest @ ..], Json::Array(elements)) => elements
            .iter()
            .filter(|element| holds(element, *condition))
            .try_for_each(|element| walk(element, rest, sections)),
        ([Step::Member(name), rest @ ..], Json::Object(_)) => match member(value, name) {
            Some(value) => walk(value, rest, sections),
            None => Ok(()),
        },
        (_, Json::Bool(_)) => Err("true or false"),
        (_, Json::Number(_)) => Err("a number"),
        (_, Json::String(_)) => Err("a string"),
        (_, Json::Array(_)) => Err("a list"),
        (_, Json::Object(_)) => Err("an object"),
    }
}

/// The member that dots lead to; one of exactly that name takes precedence.
fn member<'v>(value: &'v Json, name: &str) -> Option<&'v Json> {
    let object = value.as_object()?;
    object.get(name).or_else(|| {
        let (head, rest) = name.split_once('.')?;
        member(object.get(head)?, rest)
    })
}

fn holds(element: &Json, condition: Option<(&str, &str)>) -> bool {
    condition.is_none_or(|(name, wanted)| match member(element, name) {
        Some(Json::String(value)) => value == wanted,
        Some(value @ (Json::Bool(_) | Json::Number(_))) => {
            let written = value.to_string();
            written == wanted
        }
        _ => false,
    })
}
