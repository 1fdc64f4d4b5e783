//! Looks a member of an object up, as it is written.

use std::fmt;
use std::ops::Range;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::nonfinite::finite;
use super::value::Str;

/// Why a member cannot be looked up.
pub(super) enum LookupFault {
    /// The name of a member that occurs twice.
    Twice(String),
    Json(serde_json::Error),
}

impl From<serde_json::Error> for LookupFault {
    fn from(error: serde_json::Error) -> Self {
        Self::Json(error)
    }
}

/// Where the value of a field stands in a line. `None` if there is none, or more than one.
pub(crate) fn place_of(line: &[u8], field: &str) -> Option<Range<usize>> {
    let mark = if line.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    // A copy without NaN and infinities has the same places.
    let object = finite(std::str::from_utf8(&line[mark..]).ok()?);
    let value = member(&object, field).ok()??;
    let start = mark + value.as_ptr().addr() - object.as_ptr().addr();
    Some(start..start + value.len())
}

/// The member that dots lead to, as it is written; one of exactly that name takes precedence.
pub(super) fn member<'r>(raw: &'r str, name: &str) -> Result<Option<&'r str>, LookupFault> {
    let path = name.split_once('.');
    let head = path.map(|(head, _)| head);
    let mut parser = serde_json::Deserializer::from_str(raw);
    let [exact, outer] = Lookup([Some(name), head]).deserialize(&mut parser)?;
    let once = |found: Found<'r>, name: &str| match found {
        Found::Once(value) => Ok(Some(value)),
        Found::No => Ok(None),
        Found::Twice => Err(LookupFault::Twice(name.to_owned())),
    };
    if let Some(value) = once(exact, name)? {
        return Ok(Some(value));
    }
    let Some((head, rest)) = path else { return Ok(None) };
    match once(outer, head)? {
        Some(outer) if outer.starts_with('{') => member(outer, rest),
        _ => Ok(None),
    }
}

/// A member of an object.
#[derive(Clone, Copy)]
enum Found<'r> {
    No,
    Once(&'r str),
    Twice,
}

/// Looks members of an object up, and skips all others.
struct Lookup<'n>([Option<&'n str>; 2]);

impl<'r> DeserializeSeed<'r> for Lookup<'_> {
    type Value = [Found<'r>; 2];

    fn deserialize<D: Deserializer<'r>>(self, parser: D) -> Result<Self::Value, D::Error> {
        parser.deserialize_map(self)
    }
}

impl<'r> Visitor<'r> for Lookup<'_> {
    type Value = [Found<'r>; 2];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'r>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = [Found::No; 2];
        while let Some(Str(key)) = map.next_key()? {
            let value = map.next_value::<&'r RawValue>()?.get();
            for (found, name) in found.iter_mut().zip(self.0) {
                if name == Some(&key) {
                    *found = match found {
                        Found::No => Found::Once(value),
                        _ => Found::Twice,
                    };
                }
            }
        }
        Ok(found)
    }
}
