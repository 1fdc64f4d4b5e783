//! Marks in JSON objects.

use std::fmt;

use memchr::memmem;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor};

use super::{MarkNames, Refusal};
use crate::MarkValue;

/// Appends `raw` with the members before its last `}` to `out`.
pub(crate) fn push_marked(
    raw: &[u8],
    names: &MarkNames,
    mark: &[MarkValue<'_>],
    out: &mut Vec<u8>,
) -> Result<(), Refusal> {
    let end = raw.trim_ascii_end().len();
    let Some((b'}', body)) = raw[..end].split_last() else {
        return Err(Refusal::Shape("the record is not a JSON object"));
    };
    if let Some(name) = taken(&raw[..end], names) {
        return Err(Refusal::Taken(name));
    }
    // The byte before the closing brace is the opening one only in `{}`: a value cannot end with
    // `{`.
    let empty = body.trim_ascii_end().last() == Some(&b'{');
    out.extend_from_slice(body);
    for (at, (name, value)) in names.names().zip(mark).enumerate() {
        push_member(out, at > 0 || !empty, name, json(*value));
    }
    out.extend_from_slice(&raw[body.len()..]);
    Ok(())
}

fn json(value: MarkValue<'_>) -> serde_json::Value {
    match value {
        MarkValue::Missing => serde_json::Value::Null,
        MarkValue::Text(text) => text.into(),
        MarkValue::Count(count) => count.into(),
        MarkValue::Ratio(ratio) => ratio.into(),
        MarkValue::Flag(flag) => flag.into(),
    }
}

fn push_member(out: &mut Vec<u8>, comma: bool, name: &str, value: serde_json::Value) {
    if comma {
        out.push(b',');
    }
    out.extend_from_slice(serde_json::Value::from(name).to_string().as_bytes());
    out.push(b':');
    out.extend_from_slice(value.to_string().as_bytes());
}

/// A name that is a key of the object. Objects are parsed only if a name may be present: if its
/// letters occur anywhere, or an escape could hide them.
fn taken(object: &[u8], names: &MarkNames) -> Option<String> {
    let suspect = names.names().any(|name| memmem::find(object, name.as_bytes()).is_some())
        || memmem::find(object, br"\u").is_some();
    if !suspect {
        return None;
    }
    let object = object.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(object);
    let mut parser = serde_json::Deserializer::from_slice(object);
    // If serde_json cannot parse what the reader accepted, there is no key to collide with.
    Keys(names).deserialize(&mut parser).ok().flatten()
}

/// Finds one of the names among the keys of an object.
struct Keys<'a>(&'a MarkNames);

impl<'de> DeserializeSeed<'de> for Keys<'_> {
    type Value = Option<String>;

    fn deserialize<D: serde::Deserializer<'de>>(self, parser: D) -> Result<Self::Value, D::Error> {
        parser.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Keys<'_> {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(key) = map.next_key::<std::borrow::Cow<'de, str>>()? {
            if self.0.has(&key) {
                found = Some(key.into_owned());
            }
            map.next_value::<IgnoredAny>()?;
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mark;

    fn marked(raw: &str) -> Result<String, Refusal> {
        let mark = Mark {
            duplicate_of: Some("a\"b\n"),
            duplicate_of_file: Some("c"),
            duplicate_of_record: Some(2),
            resemblance: Some(0.5),
            cluster: None,
            is_duplicate: true,
            duplicates: Some(4),
        };
        let mut out = Vec::new();
        push_marked(raw.as_bytes(), &MarkNames::default(), &mark.values(), &mut out)?;
        Ok(String::from_utf8(out).unwrap())
    }

    const MARKS: &str = r#""duplicate_of":"a\"b\n","duplicate_of_file":"c","duplicate_of_record":2,"resemblance":0.5,"cluster":null,"is_duplicate":true,"duplicates":4"#;

    #[test]
    fn members_go_before_the_last_brace_and_nothing_else_moves() {
        assert_eq!(marked("{\"a\": {}}\r\n"), Ok(format!("{{\"a\": {{}},{MARKS}}}\r\n")));
        assert_eq!(marked("{\"a\":\"}\" } \n"), Ok(format!("{{\"a\":\"}}\" ,{MARKS}}} \n")));
        assert_eq!(marked("{\"a\":1}"), Ok(format!("{{\"a\":1,{MARKS}}}")));
    }

    #[test]
    fn an_empty_object_gets_no_comma() {
        assert_eq!(marked("{}\n"), Ok(format!("{{{MARKS}}}\n")));
        assert_eq!(marked(" { \t}\n"), Ok(format!(" {{ \t{MARKS}}}\n")));
    }

    #[test]
    fn a_name_is_taken_only_by_a_key_of_the_object_itself() {
        let taken = Err(Refusal::Taken("cluster".into()));
        assert_eq!(marked(r#"{"cluster":1}"#), taken);
        assert_eq!(marked("\u{feff}{\"cluster\":1}"), taken);
        assert_eq!(marked(r#"{"\u0063luster":1}"#), taken);
        assert!(marked(r#"{"a":"cluster","b":{"cluster":1}}"#).is_ok());
    }

    #[test]
    fn what_is_no_object_is_refused() {
        assert!(matches!(marked("[1]\n"), Err(Refusal::Shape(_))));
        assert!(matches!(marked("\n"), Err(Refusal::Shape(_))));
    }
}
