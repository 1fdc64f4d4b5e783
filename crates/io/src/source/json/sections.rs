//! The sections of a text in a JSON object.

use serde_json::value::RawValue;

use crate::FieldNames;
use crate::source::fields::{Fields, Slot};
use crate::source::sections::{Sections, Step};

use super::lookup::{LookupFault, member};
use super::nonfinite::{finite, is_nan};
use super::parse::parse;
use super::value::{Str, Value, Values};

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
        walk(&finite(raw), &path.steps, &mut sections).map_err(|fault| match fault {
            Fault::Kind(kind) if path.steps.is_empty() => {
                format!("`{name}` is {kind}, not a text; {REMEDY}")
            }
            Fault::Kind(kind) => {
                format!("`{name}` holds {kind} where it should hold a text or a list; {REMEDY}")
            }
            Fault::Lookup(LookupFault::Twice(member)) => {
                format!("`{member}` occurs twice in an object in `{name}`; keep one of them")
            }
            Fault::Lookup(LookupFault::Json(error)) => {
                format!("`{name}` cannot be read: {error}; save it as JSON")
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

/// Whether a section has a text in a record.
pub(crate) fn has_text(values: &Values<'_>, slot: Slot, steps: &[Step<'_>]) -> bool {
    let Value::Raw(raw) = values[slot] else { return false };
    let mut sections = Sections::default();
    _ = walk(&finite(raw), steps, &mut sections);
    sections.into_text().is_some()
}

/// Why a section is no text.
enum Fault {
    /// A value that is neither a text nor leads to one.
    Kind(&'static str),
    Lookup(LookupFault),
}

impl From<LookupFault> for Fault {
    fn from(fault: LookupFault) -> Self {
        Self::Lookup(fault)
    }
}

impl From<serde_json::Error> for Fault {
    fn from(error: serde_json::Error) -> Self {
        Self::Lookup(error.into())
    }
}

/// Adds the strings that the steps lead to. What no step leads to is skipped, at any depth.
fn walk(raw: &str, steps: &[Step<'_>], sections: &mut Sections) -> Result<(), Fault> {
    match (steps, raw.as_bytes()) {
        (_, [b'n', ..]) => Ok(()),
        ([], [b'"', ..]) => {
            let Str(text) = serde_json::from_str(raw)?;
            sections.push(&text);
            Ok(())
        }
        // The parts of a message: texts, and others that are none.
        ([], [b'[', ..]) => elements(raw)?.into_iter().try_for_each(|part| match part.as_bytes() {
            [b'{', ..] => match member(part, "text")? {
                Some(text) if text.starts_with('"') => walk(text, &[], sections),
                _ => Ok(()),
            },
            [b'[', ..] => Err(Fault::Kind("a list in a list")),
            _ => walk(part, &[], sections),
        }),
        ([Step::Each(condition), rest @ ..], [b'[', ..]) => {
            for element in elements(raw)? {
                if holds(element, *condition)? {
                    walk(element, rest, sections)?;
                }
            }
            Ok(())
        }
        ([Step::Member(name), rest @ ..], [b'{', ..]) => {
            member(raw, name)?.map_or(Ok(()), |value| walk(value, rest, sections))
        }
        (_, [b't' | b'f', ..]) => Err(Fault::Kind("true or false")),
        (_, [b'"', ..]) => Err(Fault::Kind("a string")),
        (_, [b'[', ..]) => Err(Fault::Kind("a list")),
        (_, [b'{', ..]) => Err(Fault::Kind("an object")),
        _ => Err(Fault::Kind("a number")),
    }
}

/// The elements of a list, as they are written.
fn elements(raw: &str) -> Result<Vec<&str>, Fault> {
    let elements: Vec<&RawValue> = serde_json::from_str(raw)?;
    Ok(elements.into_iter().map(RawValue::get).collect())
}

fn holds(element: &str, condition: Option<(&str, &str)>) -> Result<bool, Fault> {
    let Some((name, wanted)) = condition else { return Ok(true) };
    if !element.starts_with('{') {
        return Ok(false);
    }
    Ok(match member(element, name)? {
        Some(value) if value.starts_with('"') => {
            let Str(value) = serde_json::from_str(value)?;
            value == wanted
        }
        // Numbers, true and false as they are written.
        Some(value) => !value.starts_with(['{', '[', 'n']) && value == wanted,
        None => false,
    })
}
