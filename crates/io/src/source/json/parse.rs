//! Parses the wanted members of the object on a line.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::fault::{Fault, fault};
use super::unescape::unescape;
use super::value::{Str, Value};
use crate::source::fields::Fields;

/// Parses the wanted members of the object on this line.
pub(in crate::source) fn parse<'a>(
    line: &'a [u8],
    fields: &Fields<'_>,
    values: &mut [Value<'a>],
    buffers: &mut [String],
) -> Result<(), Fault> {
    // Files that were joined with `cat` have byte order marks in the middle.
    let mark = if line.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    let line = simdutf8::compat::from_utf8(&line[mark..]).map_err(|e| {
        let at = mark + e.valid_up_to();
        (at, format!("invalid UTF-8 at column {}; save the file as UTF-8", at + 1))
    })?;
    values.fill(Value::Missing);
    let mut parser = serde_json::Deserializer::from_str(line);
    let object = Object { line, fields, values, buffers };
    object.deserialize(&mut parser).and_then(|()| parser.end()).map_err(|e| fault(&e, line, mark))
}

/// The object on a line.
struct Object<'s, 'a, 'f> {
    line: &'a str,
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
            let raw = map.next_value::<&'a RawValue>()?.get();
            let inner = raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"'));
            let escapes = inner.is_some() && memchr::memchr(b'\\', raw.as_bytes()).is_some();
            let buffer = &mut self.buffers[slot];
            // Skipping a string does not validate its escapes, so they are validated here.
            if escapes && !inner.is_some_and(|inner| unescape(inner, buffer)) {
                let Str(text) = serde_json::from_str(raw).map_err(|e| {
                    let before = raw.as_ptr().addr() - self.line.as_ptr().addr();
                    let (words, column) = (e.to_string(), before + e.column());
                    let words = words.split(" at line ").next().unwrap_or_default();
                    A::Error::custom(format_args!("{words} at line 1 column {column}"))
                })?;
                buffer.clear();
                buffer.push_str(&text);
            }
            let text = slot == fields.text || slot == fields.html;
            self.values[slot] = match (inner, raw.as_bytes()) {
                (Some(_), _) if escapes => Value::Buffered,
                (Some(inner), _) if text => Value::Borrowed(inner),
                _ if !text => Value::Raw(raw),
                (_, [b'n', ..]) => Value::Null,
                (_, [b't' | b'f', ..]) => Value::Other("true or false"),
                (_, [b'[', ..]) => Value::Other("a list"),
                (_, [b'{', ..]) => Value::Other("an object"),
                _ => Value::Other("a number"),
            };
        }
        Ok(())
    }
}

/// A member's name, mapped to its slot.
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
