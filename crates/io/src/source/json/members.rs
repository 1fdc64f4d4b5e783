//! Names of the members of an object.

use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

use super::value::Str;
use crate::source::fields::shown;

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

/// The names of an object's members, at most `most`; of an invalid object, those before the error.
pub(in crate::source) fn member_names(line: &[u8], most: usize) -> Vec<String> {
    struct Names {
        found: Vec<String>,
        most: usize,
    }
    impl<'a> Visitor<'a> for &mut Names {
        type Value = ();
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a JSON object")
        }
        fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
            while let Some(Str(name)) = map.next_key()? {
                self.found.push(name.into_owned());
                if self.found.len() == self.most {
                    return Ok(());
                }
                map.next_value::<IgnoredAny>()?;
            }
            Ok(())
        }
    }
    let mut names = Names { found: Vec::new(), most };
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    // Stopping early is no failure, and syntax errors are reported when the line is parsed.
    let _ = serde_json::Deserializer::from_slice(line).deserialize_map(&mut names);
    names.found
}
