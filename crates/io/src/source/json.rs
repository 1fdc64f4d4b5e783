//! A line of JSON in, a record out.
//!
//! Only the wanted members are looked at; the values of all others are passed over without being
//! built, at any depth. Text is borrowed from the line, or unescaped into a buffer that is used again.
//!
//! Where an object has a member twice, the last one counts, as in JavaScript and Python. What is passed
//! over must be well-formed JSON, but its strings may hold escapes of lone surrogates.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::{Content, RecordView};

use super::fields::{Fields, number, shown};

/// The value of a wanted member.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum Value<'a> {
    #[default]
    Missing,
    /// `null`; of members that are text.
    Null,
    /// A string that stands in the line as it is.
    Borrowed(&'a str),
    /// A string that was unescaped into the slot's buffer.
    Buffered,
    /// Any other kind of value.
    Other(&'static str),
    /// As written; of members that are not text.
    Raw(&'a str),
}

/// Buffers for the strings of one record, one for each slot.
pub(super) type Buffers = Vec<String>;

/// What is wrong with a line: the offset in it, and words.
pub(super) type Fault = (usize, String);

/// Reads the wanted members of the object on this line.
pub(super) fn parse<'a>(
    line: &'a [u8],
    fields: &Fields<'_>,
    values: &mut [Value<'a>],
    buffers: &mut [String],
) -> Result<(), Fault> {
    // Files that were joined with `cat` have these marks in the middle.
    let mark = if line.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    let line = simdutf8::compat::from_utf8(&line[mark..]).map_err(|e| {
        let at = mark + e.valid_up_to();
        (at, format!("invalid UTF-8 at column {}; save the file as UTF-8", at + 1))
    })?;
    values.fill(Value::Missing);
    let mut parser = serde_json::Deserializer::from_str(line);
    let object = Object { fields, values, buffers };
    object.deserialize(&mut parser).and_then(|()| parser.end()).map_err(|e| fault(&e, line, mark))
}

fn fault(error: &serde_json::Error, line: &str, mark: usize) -> Fault {
    let column = mark + error.column();
    let words = error.to_string();
    let message = match line.trim_ascii_start().bytes().next() {
        Some(b'[') => {
            "an array, not a JSON object; one object a line is needed (jq -c '.[]' makes \
                       that of an array)"
                .to_string()
        }
        _ if error.is_eof() => {
            "the line ends inside a JSON value: cut off, or an object over several lines (jq -c . \
             makes one line of each)"
                .to_string()
        }
        Some(first) if words.starts_with("invalid type") => {
            let kind = match first {
                b'"' => "a string",
                b'n' => "null",
                b't' | b'f' => "true or false",
                _ => "a number",
            };
            format!("{kind}, not a JSON object; one object a line is needed")
        }
        Some(first) if first != b'{' => format!(
            "invalid JSON at column {column}: not an object in braces; one object a line is needed, \
             and --input-format names another form"
        ),
        _ => format!("invalid JSON at column {column}: {}", plain(&words)),
    };
    (column.saturating_sub(1), message)
}

/// What the parser says, in words for whoever made the file.
fn plain(words: &str) -> &str {
    /// A part of what `serde_json` says, and what it means.
    const MEANINGS: &[(&str, &str)] = &[
        ("control character", "control character in a string; write it as an escape such as \\n"),
        // What else it says of these depends on what happens to follow the half.
        ("hex escape", "half of a surrogate pair in an escape; write both halves or neither"),
        ("unicode code point", "an escape that stands for no character; take it out"),
        ("invalid escape", "an unknown escape; write a backslash as \\\\"),
        ("key must be a string", "a name that is not in double quotes; put it in them"),
        ("expected `:`", "no colon behind a name; put one there"),
        ("expected `,` or", "neither a comma nor the end behind a value; look for a missing quote"),
        ("trailing comma", "a comma behind the last value; take it out"),
        ("trailing characters", "something behind the object; write one object a line"),
        ("number out of range", "a number too large to be read; write it as a string"),
        ("invalid number", "a number as JSON does not write it; write 0.5, not .5 or 00.5"),
        ("expected ident", "an unknown word; only true, false and null stand without quotes"),
        ("expected value", "no value that JSON knows; write null for NaN, None and undefined"),
    ];
    let known = MEANINGS.iter().find(|(part, _)| words.contains(part));
    known.map_or(words, |(_, meaning)| meaning)
}

/// The members of an object that has no text, to choose one from.
pub(super) fn members(line: &[u8]) -> Vec<String> {
    /// As many are named.
    const SHOWN: usize = 10;
    struct Names(Vec<String>);
    impl<'a> Visitor<'a> for &mut Names {
        type Value = ();
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a JSON object")
        }
        fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
            while let Some(Str(name)) = map.next_key()? {
                if self.0.len() == SHOWN {
                    self.0.push("...".to_string());
                    return Ok(());
                }
                self.0.push(shown(&name));
                map.next_value::<IgnoredAny>()?;
            }
            Ok(())
        }
    }
    let mut names = Names(Vec::new());
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    // That it is well-formed was found out before; stopping early is no failure either.
    let _ = serde_json::Deserializer::from_slice(line).deserialize_map(&mut names);
    names.0
}

/// Makes a record of the values. The buffers hold what is not in the line, which is only looked at
/// again to say what it has where it has no text.
pub(super) fn record<'a>(
    fields: &Fields<'_>,
    values: &[Value<'a>],
    buffers: &'a [String],
    extra: &'a mut Vec<Option<f64>>,
    line: &[u8],
) -> Result<RecordView<'a>, String> {
    let text = |slot: usize| match values[slot] {
        Value::Borrowed(text) => Some(Cow::Borrowed(text)),
        Value::Buffered => Some(Cow::Borrowed(buffers[slot].as_str())),
        Value::Raw(raw) if raw.starts_with('"') => serde_json::from_str(raw).ok().map(|Str(s)| s),
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
                    "`{name}` is {kind}, not a string; name the text with --text-field"
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
                "`{name}` is neither a string nor a number; name the id with --id-field"
            ));
        }
    };
    extra.clear();
    extra.extend(fields.extra.iter().map(|slot| written(*slot).and_then(|value| number(&value))));
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

/// A string, borrowed where it can be.
#[derive(serde::Deserialize)]
struct Str<'a>(#[serde(borrow)] Cow<'a, str>);

/// The object on a line.
struct Object<'s, 'a, 'f> {
    fields: &'s Fields<'f>,
    values: &'s mut [Value<'a>],
    buffers: &'s mut [String],
}

impl<'a> DeserializeSeed<'a> for Object<'_, 'a, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, parser: D) -> Result<(), D::Error> {
        parser.deserialize_map(self)
    }
}

impl<'a> Visitor<'a> for Object<'_, 'a, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        let fields = self.fields;
        while let Some(slot) = map.next_key_seed(Key(fields))? {
            let Some(slot) = slot else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            self.values[slot] = if slot == fields.text || slot == fields.html {
                map.next_value_seed(Text(&mut self.buffers[slot]))?
            } else {
                let raw = map.next_value::<&'a RawValue>()?.get();
                // Passing over a string does not look at its escapes: now is the time to complain.
                if raw.starts_with('"') && raw.contains('\\') {
                    serde_json::from_str::<Str<'_>>(raw).map_err(A::Error::custom)?;
                }
                Value::Raw(raw)
            };
        }
        Ok(())
    }
}

/// A member's name: its slot, if it is wanted.
struct Key<'s, 'f>(&'s Fields<'f>);

impl<'a> DeserializeSeed<'a> for Key<'_, '_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'a>>(self, parser: D) -> Result<Self::Value, D::Error> {
        parser.deserialize_str(self)
    }
}

impl<'a> Visitor<'a> for Key<'_, '_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(self.0.find(name))
    }
}

/// The value of the text: a string goes into the buffer where it cannot be borrowed.
struct Text<'s>(&'s mut String);

impl<'a> DeserializeSeed<'a> for Text<'_> {
    type Value = Value<'a>;

    fn deserialize<D: Deserializer<'a>>(self, parser: D) -> Result<Self::Value, D::Error> {
        parser.deserialize_any(self)
    }
}

impl<'a> Visitor<'a> for Text<'_> {
    type Value = Value<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E>(self, text: &'a str) -> Result<Value<'a>, E> {
        Ok(Value::Borrowed(text))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value<'a>, E> {
        self.0.clear();
        self.0.push_str(text);
        Ok(Value::Buffered)
    }

    fn visit_unit<E>(self) -> Result<Value<'a>, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Value<'a>, E> {
        Ok(Value::Other("true or false"))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Value<'a>, E> {
        Ok(Value::Other("a number"))
    }

    fn visit_u64<E>(self, _: u64) -> Result<Value<'a>, E> {
        Ok(Value::Other("a number"))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Value<'a>, E> {
        Ok(Value::Other("a number"))
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut list: A) -> Result<Value<'a>, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Value::Other("a list"))
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<Value<'a>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Value::Other("an object"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FieldNames;

    fn said(line: &str) -> String {
        let names = FieldNames::default();
        let fields = Fields::new(&names);
        let mut values = vec![Value::Missing; fields.names.len()];
        let mut buffers = vec![String::new(); fields.names.len()];
        parse(line.as_bytes(), &fields, &mut values, &mut buffers).unwrap_err().1
    }

    #[test]
    fn every_fault_is_told_in_plain_words_with_what_to_do() {
        for (line, words) in [
            ("5", "a number, not a JSON object"),
            ("-1.5", "a number, not"),
            ("\"x\"", "a string, not"),
            (" null", "null, not"),
            ("true", "true or false, not"),
            ("[{\"text\":\"a\"}]", "an array, not"),
            ("id,text", "column 1: not an object in braces"),
            ("\"a\" b", "not"),
            ("{\"text\":\"a", "cut off"),
            ("{", "cut off"),
            ("{\"text\":tru}", "only true, false and null"),
            ("{\"text\":nan}", "only true, false and null"),
            ("{\"text\":NaN}", "write null for NaN"),
            ("{\"text\":}", "no value"),
            ("{'text':'a'}", "not in double quotes"),
            ("{text:1}", "not in double quotes"),
            ("{\"text\":\"a\",}", "a comma behind the last value"),
            ("{\"text\":[1,]}", "a comma behind the last value"),
            ("{\"text\" \"a\"}", "no colon"),
            ("{\"text\":\"a\" \"b\":1}", "neither a comma"),
            ("{\"text\":[1 2]}", "neither a comma"),
            ("{\"text\":\"a\"}{}", "behind the object"),
            ("{\"text\":01}", "a number as JSON does not write it"),
            ("{\"text\":1e}", "a number as JSON does not write it"),
            ("{\"text\":1e999}", "too large"),
            ("{\"text\":\"\\q\"}", "an unknown escape"),
            ("{\"id\":\"\\q\"}", "an unknown escape"),
            ("{\"text\":\"\\udc00\"}", "half of a surrogate pair"),
            ("{\"id\":\"\\ud800 \"}", "half of a surrogate pair"),
            ("{\"text\":\"a\tb\"}", "control character"),
        ] {
            let said = said(line);
            assert!(said.contains(words), "{line}: {said}");
            for parser in ["EOF", "ident", "invalid type", "expected", "at line", "key must"] {
                assert!(!said.contains(parser), "{line}: {said}");
            }
            assert!(said.contains("; ") || said.contains("(jq"), "what to do: {said}");
        }
    }

    #[test]
    fn a_message_is_short_however_long_the_line_is() {
        let long = "x".repeat(1 << 16);
        for line in
            [format!("\"{long}\""), format!("{{\"{long}\" 1"), format!("{{\"text\":{long}}}")]
        {
            assert!(said(&line).len() < 200);
        }
    }
}
