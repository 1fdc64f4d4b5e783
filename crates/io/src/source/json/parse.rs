//! Parses the wanted members of the object on a line.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::fault::{Fault, fault};
use super::list::join;
use super::nonfinite::{finite, is_stand_in};
use super::unescape::unescape;
use super::value::{Str, Value, Values};
use crate::source::fields::{Fields, Members, Slot};

/// Parses the wanted members of the object on this line.
pub(crate) fn parse<'a>(
    line: &'a [u8],
    fields: &Fields<'_>,
    values: &mut Values<'a>,
    buffers: &mut [String],
) -> Result<(), Fault> {
    // Files that were joined with `cat` have byte order marks in the middle.
    let mark = if line.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    let line = simdutf8::compat::from_utf8(&line[mark..]).map_err(|e| {
        let at = mark + e.valid_up_to();
        (at, format!("invalid UTF-8 at column {}; save the file as UTF-8", at + 1))
    })?;
    values.clear();
    let error = match object(line, fields, values, buffers) {
        Ok(()) => return Ok(()),
        Err(error) => error,
    };
    let copy = match finite(line) {
        Cow::Borrowed(_) => return Err(fault(&error, line, mark)),
        Cow::Owned(copy) => copy,
    };
    let mut found = Values::new(fields.names.len());
    object(&copy, fields, &mut found, buffers).map_err(|e| fault(&e, line, mark))?;
    values.take_over(&found, &copy, line);
    Ok(())
}

/// Parses the object on a line.
fn object<'a>(
    line: &'a str,
    fields: &Fields<'_>,
    values: &mut Values<'a>,
    buffers: &mut [String],
) -> serde_json::Result<()> {
    let mut parser = serde_json::Deserializer::from_str(line);
    let object = Object { line, fields, members: &fields.members, depth: 0, values, buffers };
    object.deserialize(&mut parser).and_then(|()| parser.end())
}

/// The object on a line, or an object in it.
struct Object<'s, 'a, 'f> {
    line: &'a str,
    fields: &'s Fields<'f>,
    members: &'s Members<'f>,
    /// In how many objects it is.
    depth: u32,
    values: &'s mut Values<'a>,
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

    fn visit_map<A: MapAccess<'a>>(mut self, mut map: A) -> Result<(), A::Error> {
        let members = self.members;
        while let Some((slot, object)) = map.next_key_seed(Key(members))? {
            if slot.is_none() && object.is_none() {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let raw = map.next_value::<&'a RawValue>()?.get();
            if let Some(slot) = slot
                && self.values.takes(slot, self.depth)
            {
                self.field(slot, raw)?;
                self.values.depths[slot] = self.depth;
            }
            if let Some(members) = object {
                self.object(members, raw)?;
            }
        }
        Ok(())
    }
}

impl<'a> Object<'_, 'a, '_> {
    /// Stores the value of a field.
    #[inline]
    fn field<E: Error>(&mut self, slot: Slot, raw: &'a str) -> Result<(), E> {
        let fields = self.fields;
        if fields.is_content(slot)
            && self.values.has(slot)
            && self.values.depths[slot] == self.depth
        {
            self.values.found[slot] = Value::Repeated;
            return Ok(());
        }
        let inner = raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"'));
        let escapes = inner.is_some() && memchr::memchr(b'\\', raw.as_bytes()).is_some();
        let buffer = &mut self.buffers[slot];
        // Skipping a string does not validate its escapes, so they are validated here.
        if escapes && !inner.is_some_and(|inner| unescape(inner, buffer)) {
            let Str(text) = serde_json::from_str(raw).map_err(|e| within(&e, self.line, raw))?;
            buffer.clear();
            buffer.push_str(&text);
        }
        let reads_text = fields.features.is_none() && !fields.given_as_content;
        let text = reads_text && (slot == fields.text || slot == fields.html);
        self.values.found[slot] = match (inner, raw.as_bytes()) {
            (Some(_), _) if escapes => Value::Buffered,
            (Some(inner), _) if text => Value::Borrowed(inner),
            (_, [b'[', ..]) if fields.is_joined(slot) => {
                let separator = fields.join_lists.unwrap_or_default();
                match join(raw, separator, buffer) {
                    Ok(()) => Value::Buffered,
                    Err(e) if e.is_data() => Value::Other("a list of other things than strings"),
                    Err(e) => return Err(within(&e, self.line, raw)),
                }
            }
            _ if !text => Value::Raw(raw),
            (_, [b'n', ..]) => Value::Null,
            (_, [b't' | b'f', ..]) => Value::Other("true or false"),
            (_, [b'[', ..]) => Value::Other("a list"),
            (_, [b'{', ..]) => Value::Other("an object"),
            _ if is_stand_in(raw) => Value::Other("NaN or an infinity"),
            _ => Value::Other("a number"),
        };
        Ok(())
    }

    /// Parses the fields inside the value of a member. Every object on the way to a field has a
    /// parser of its own, so only the number of dots in a name limits the depth.
    fn object<E: Error>(&mut self, members: &Members<'_>, raw: &'a str) -> Result<(), E> {
        self.values.forget(members, self.depth);
        if !raw.starts_with('{') {
            return Ok(());
        }
        let Object { line, fields, ref mut values, ref mut buffers, depth, .. } = *self;
        let inner = Object { line, fields, members, depth: depth + 1, values, buffers };
        let mut parser = serde_json::Deserializer::from_str(raw);
        inner.deserialize(&mut parser).map_err(|e| within(&e, line, raw))
    }
}

/// An error in a part of a line, as one of the line.
fn within<E: Error>(error: &serde_json::Error, line: &str, part: &str) -> E {
    let before = part.as_ptr().addr() - line.as_ptr().addr();
    let (words, column) = (error.to_string(), before + error.column());
    let words = words.split(" at line ").next().unwrap_or_default();
    E::custom(format_args!("{words} at line 1 column {column}"))
}

/// The field of a member's name, and the fields inside the member.
type Wanted<'s, 'f> = (Option<Slot>, Option<&'s Members<'f>>);

/// A member's name.
struct Key<'s, 'f>(&'s Members<'f>);

impl<'a, 's, 'f> DeserializeSeed<'a> for Key<'s, 'f> {
    type Value = Wanted<'s, 'f>;

    fn deserialize<D: Deserializer<'a>>(self, parser: D) -> Result<Self::Value, D::Error> {
        parser.deserialize_str(self)
    }
}

impl<'a, 's, 'f> Visitor<'a> for Key<'s, 'f> {
    type Value = Wanted<'s, 'f>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok((self.0.field(name), self.0.object(name)))
    }
}
