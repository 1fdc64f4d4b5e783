//! Names of the members of an object.

use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::nonfinite::finite;
use super::value::Str;
use crate::source::suggest::shown;

/// The members of an object without text, to choose a field from.
pub(super) fn members(line: &[u8]) -> Vec<String> {
    /// Most members named.
    const SHOWN: usize = 10;
    let mut names: Vec<String> =
        member_names(line, SHOWN + 1).iter().map(|name| shown(name)).collect();
    if names.len() > SHOWN {
        names[SHOWN] = "...".to_string();
    }
    names
}

/// The names of an object's members, at most `most`; of an invalid object, those before the error. For
/// a member that is an object, the names of its own members with its name before them: `doc.text`.
pub(crate) fn member_names(line: &[u8], most: usize) -> Vec<String> {
    let mut found = Vec::new();
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    let copy = std::str::from_utf8(line).map(finite);
    let line = copy.as_deref().map_or(line, str::as_bytes);
    // Stopping early is no failure, and syntax errors are reported when the line is parsed.
    let names = Names { above: "", levels: LEVELS, found: &mut found, most };
    let _ = serde_json::Deserializer::from_slice(line).deserialize_map(names);
    found
}

/// Levels of objects whose members are named; those of deeper objects are not.
const LEVELS: usize = 8;

struct Names<'s> {
    /// The names of the objects above, each with a dot.
    above: &'s str,
    levels: usize,
    found: &'s mut Vec<String>,
    most: usize,
}

impl<'a> Visitor<'a> for Names<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        let Names { above, levels, found, most } = self;
        while found.len() < most
            && let Some(Str(name)) = map.next_key()?
        {
            let (name, before) = (format!("{above}{name}"), found.len());
            // A name before a value that cannot be read is one of the object's names, too.
            let value = map.next_value::<&'a RawValue>();
            let value = match &value {
                Ok(value) => value.get(),
                Err(_) => "",
            };
            if levels > 1 && value.starts_with('{') {
                let above = format!("{name}.");
                let names = Names { above: &above, levels: levels - 1, found, most };
                let _ = serde_json::Deserializer::from_str(value).deserialize_map(names);
            }
            if found.len() == before {
                found.push(name);
            }
            if value.is_empty() {
                break;
            }
        }
        Ok(())
    }
}
